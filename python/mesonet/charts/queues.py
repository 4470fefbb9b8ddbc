"""Delay, drops and marks of queues: a row per class of routers, a colour per discipline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "queues"
WIDTH, STEP = 250, 15  # px
#: Titles of the panels, with the measures that each shows; the first measure of a panel has its range.
PANELS = {
    "delay, ms": ("delay_p95", "delay_p50", "delay_p99"),
    "dropped, %": ("loss_rate",),
    "marked, %": ("mark_rate",),
}


def queues(
    summary: pl.DataFrame,
    *,
    routers: Sequence[str],
    disciplines: Sequence[str],
    title: str = "",
) -> alt.HConcatChart:
    """Draw delay, drops and marks of queues, medians and ranges.

    Parameters
    ----------
    summary
        Columns router, discipline, measure (of `mesonet.responses.queues.MEASURES`), median, least and most. Delays in
        ms, rates from 0 to 1.
    routers
        Classes of routers, from top to bottom.
    disciplines
        Disciplines, in the order of their colours.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a panel for delays, drops and marks. Measures without rows have no panel.
    """
    rate = pl.col("measure").str.ends_with("rate")
    columns = ("median", "least", "most")
    rows = summary.with_columns(
        pl.when(rate).then(100 * pl.col(name)).otherwise(pl.col(name)).alias(name) for name in columns
    )
    there = set(rows["measure"])
    panels = [_panel(text, names, routers, disciplines) for text, names in PANELS.items() if there.intersection(names)]
    for place, panel in enumerate(panels):
        if place:
            panel.layer[0].encoding.y.axis = alt.Axis(labels=False, ticks=False, title=None)
    chart = alt.hconcat(*panels, spacing=18, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: rows}, title=title)


def _panel(text: str, measures: Sequence[str], routers: Sequence[str], disciplines: Sequence[str]) -> Any:
    palette = [theme.ORANGE, theme.BLUE, theme.GREEN, theme.PINK, theme.VERMILLION, theme.SKY, theme.BLACK]
    scale = theme.in_turn(disciplines, palette)
    first, *others = measures

    def marks(names: Sequence[str]) -> alt.Chart:
        kept = " || ".join(f"datum.measure === '{name}'" for name in names)
        return (
            alt.Chart(width=WIDTH, height=alt.Step(STEP, **{"for": "offset"}))
            .transform_filter(kept)
            .encode(
                y=alt.Y("router:N", sort=list(routers), title=None,
                        axis=alt.Axis(ticks=False, domain=False, labelLimit=140, labelPadding=8)),
                yOffset=alt.YOffset("discipline:N", sort=list(disciplines)),
                color=alt.Color("discipline:N", scale=scale,
                                legend=alt.Legend(title=None, orient="top", symbolType="circle", symbolOpacity=1)),
                tooltip=theme.tooltips("router:N", "discipline:N", "measure:N",
                                   *((f"{name}:Q", "", ".3~g") for name in ("median", "least", "most"))),
            )
        )  # fmt: skip

    x = alt.X("median:Q", title=text, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    layers = [
        marks([first]).mark_rule(strokeWidth=1.5, opacity=0.45).encode(
            x=alt.X("least:Q", title=text), x2=alt.X2("most:Q")
        ),
        marks([first]).mark_point(filled=True, size=70, opacity=1).encode(x=x),
    ]  # fmt: skip
    if others:
        layers.append(marks(others).mark_tick(thickness=2, size=STEP - 4, opacity=1).encode(x=x))
    return alt.layer(*layers)
