"""Bars of several experiments above each other (SP 500-282 ch. 9, Figs. 11 to 14).

There is a column of panels per class of flows, and a row per experiment. Panels of one column share their scale, so
that heights can be compared between the experiments.
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "two_experiments"
HEIGHT, PER_BAR = 130, 13  # px


def two_experiments(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    experiments: Sequence[str],
    panels: Sequence[str],
    title: str = "",
    response: str = "",
) -> alt.HConcatChart:
    """Return a column of panels per class of flows, with a row per experiment.

    Parameters
    ----------
    values
        Columns experiment, panel, algorithm and value.
    algorithms
        As for every plot, see `mesonet.plots`.
    experiments
        Experiments from top to bottom.
    panels
        Classes of flows from left to right.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows = values.drop_nulls("value")
    colours = alt.Scale(domain=list(experiments), range=[theme.BLUE, theme.ORANGE, theme.GREEN, theme.PINK])
    charts = []
    for panel in panels:
        column: list[alt.Chart] = []
        for experiment in experiments:
            last = experiment == experiments[-1]
            axis = alt.Axis(labelAngle=-60, ticks=False) if last else alt.Axis(labels=False, ticks=False)
            bars = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(PER_BAR), height=HEIGHT)
            bars = bars.transform_filter((alt.datum.panel == panel) & (alt.datum.experiment == experiment))
            bars = bars.mark_bar().encode(
                x=alt.X(
                    "algorithm:N", sort=list(algorithms), title=None, axis=axis,
                    scale=alt.Scale(domain=list(algorithms)),
                ),
                y=alt.Y("value:Q", title=None, axis=alt.Axis(labelExpr=theme.SHORT_NUMBER, tickCount=4)),
                color=alt.Color("experiment:N", scale=colours, legend=alt.Legend(title=None, orient="top")),
                tooltip=theme.tooltips("experiment:N", "panel:N", "algorithm:N", ("value:Q", "", ".4~g")),
            )  # fmt: skip
            if not column:
                heading = alt.TitleParams(panel, fontSize=11, fontWeight="normal", anchor="middle", offset=4)
                bars = bars.properties(title=heading)
            column.append(bars)
        charts.append(alt.vconcat(*column, spacing=6).resolve_scale(y="shared"))
    chart = alt.hconcat(*charts, spacing=16)
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[response] if response else ())
