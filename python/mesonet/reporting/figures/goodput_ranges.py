"""Ranges of the goodput by flow group: how far the algorithms lie apart."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import counted, number, percent


def figure(found: Users) -> Figure | None:
    """Return how far the algorithms lie apart, by flow group."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="goodput-ranges",
        short_title="Ranges of goodput",
        title="How much does the choice of algorithm matter to users?",
        reading="How far the algorithms lie apart, by flow group.",
        draw=partial(_draw, found),
        height=560,
        varied=True,
        own_tables=True,
        file="users/goodput_ranges",
    )


def _draw(found: Users) -> Drawing:
    table = found.ranges
    rows = []
    columns = {
        "among": "among algorithms, %",
        "among_tcp": "among competing flows, %",
        "over_tcp": "own over competing, %",
    }
    shown = [name for name in columns if table[name].null_count() < table.height]
    named = [f"{c}, {p}, {r}" for c, p, r in table.select("category", "path_class", "interface").iter_rows()]
    largest = max((abs(v) for name in shown for v in table[name].drop_nulls()), default=1.0) or 1.0
    for name in shown:
        for label, value in zip(named, table[name], strict=True):
            rows.append({"row": label, "column": columns[name], "text": "–" if value is None else number(value, 2),
                         "shade": 0.0 if value is None else min(1.0, abs(value) / largest)})  # fmt: skip
    schema = {"row": pl.String, "column": pl.String, "text": pl.String, "shade": pl.Float64}
    chart = matrix(
        pl.DataFrame(rows, schema=schema), rows=named, columns=[columns[name] for name in shown],
        look=Look(cell=90, row=18, font=11), title="Ranges of the goodput by flow group",
        subtitle=["Of means over the conditions. Among: (largest − smallest) / smallest."],
    )  # fmt: skip
    return drawing(chart, caption(table, named))


def caption(table: pl.DataFrame, named: list[str]) -> str:
    """Return the users to whom the choice matters most, and the gain of own over competing flows, as text.

    `table`: a row per flow group; columns among and over_tcp in %, null where missing.
    """
    known = [(value, name) for value, name in zip(table["among"], named, strict=True) if value is not None]
    if not known:
        return "There is nothing to compare."
    (value, name), *rest = sorted(known, key=lambda pair: -pair[0])
    wording = f"The choice of algorithm matters most to {name}: the best gets {percent(value)} more than the worst"
    wording += f" (next {rest[0][1]}, {percent(rest[0][0])})." if rest else "."
    over = [v for v in table["over_tcp"] if v is not None]
    if over:
        more = sum(v > 0 for v in over)
        wording += f" Own flows get more than competing flows in {more} of {counted(len(over), 'group')}."
    return wording
