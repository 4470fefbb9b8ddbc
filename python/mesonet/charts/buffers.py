"""Use of buffers by class of router, in conditions from the least to the most congested."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "buffers"
HEIGHT = 120  # px


def buffers(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    routers: Sequence[str],
    order: Sequence[int],
    order_title: str = "condition",
    title: str = "",
) -> alt.FacetChart:
    """Draw the use of buffers, a panel per class of router.

    Parameters
    ----------
    values
        Columns router, condition, algorithm, and value, from 0 to 1.
    algorithms
        As for every plot, see `mesonet.plots`.
    routers
        Classes of routers, from top to bottom.
    order, order_title, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; routers without values have no panel.
    """
    rows = values.drop_nulls("value")
    there = set(rows["router"])
    step = max(6, min(28, 1000 // max(1, len(order))))
    base = (
        alt.Chart(width=alt.Step(step), height=HEIGHT)
        .transform_filter(theme.IS_KEPT)
        .encode(
            x=alt.X("condition:O", sort=list(order), title=order_title,
                    axis=alt.Axis(labelAngle=0, labelOverlap=True, ticks=False)),
        )
    )  # fmt: skip
    points = base.mark_point(size=26, opacity=1, strokeWidth=1.4).encode(
        y=alt.Y("value:Q", title=None, axis=alt.Axis(format="%", tickCount=4), scale=alt.Scale(nice=4)),
        **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="top", columns=8)),
        tooltip=theme.tooltips("router:N", "condition:O", "algorithm:N", ("value:Q", "", ".1%")),
    )  # fmt: skip
    chart = (
        alt.layer(theme.band(base, step), points, data=alt.NamedData(name=DATA))
        .facet(
            row=alt.Row("router:N", sort=[r for r in routers if r in there], title=None,
                        header=alt.Header(labelAngle=0, labelAlign="left", labelAnchor="start", labelOrient="top",
                                          labelFontSize=11, labelPadding=2)),
            spacing=24,
        )
        .resolve_scale(y="independent")
    )  # fmt: skip
    return theme.finish(chart, {DATA: rows}, params=theme.condition_params(), title=title)
