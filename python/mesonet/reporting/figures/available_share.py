"""Goodputs of the users in parts of the speed of the interface."""

from __future__ import annotations

from functools import partial
from typing import Any

import polars as pl

from mesonet.charts.grouped_bars import grouped_bars
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import listed, percent


def figure(found: Users) -> Figure | None:
    """Return goodputs in parts of the speed of the interface."""
    if found.shares().is_empty():
        return None
    return Figure(
        id="available-share",
        short_title="Share of the path",
        title="How much of the path do users get?",
        reading="Mean goodput in parts of the speed of the interface.",
        draw=partial(_draw, found),
        height=560,
        varied=True,
        own_tables=True,
        file="users/available_share",
    )


def _draw(found: Users) -> Drawing:
    table = found.shares()
    panels = list(dict.fromkeys(table["panel"]))
    chart = grouped_bars(
        table if len(found.kinds) > 1 else table.drop("kind"), found.view.algorithms, panels=panels,
        kinds=found.kinds if len(found.kinds) > 1 else (), share=True,
        title="Goodput in % of the speed of the interface", response="mean over conditions and kinds of files",
    )  # fmt: skip
    return drawing(chart, caption(table))


def caption(table: pl.DataFrame) -> str:
    """Return the largest and the smallest share of the interface, each with the next algorithm, as text.

    `table`: columns algorithm, panel and value (share of the speed of the interface, null where missing); kind if there
    are several kinds of flows.
    """
    ordered = table.drop_nulls("value").sort("value", descending=True, maintain_order=True)
    if ordered.is_empty():
        return "No share is known."
    top, low = ordered.row(0, named=True), ordered.row(-1, named=True)
    same = [name for name in ("panel", "kind") if name in ordered.columns]

    def wording(row: dict[str, Any], place: int) -> str:
        there = ordered.filter(*(pl.col(name) == row[name] for name in same))
        shown = {name: percent(100 * value) for name, value in there.select("algorithm", "value").iter_rows()}
        own = shown[row["algorithm"]]
        alike = [name for name, text in shown.items() if text == own]
        others = [name for name in shown if name not in alike]
        who = listed(alike) if others or len(alike) == 1 else "all algorithms"
        return f"{own} on {row['panel']}, of {who}" + (
            f" (next {others[place]}, {shown[others[place]]})" if others else ""
        )

    return f"The largest share is {wording(top, 0)}; the smallest is {wording(low, -1)}."
