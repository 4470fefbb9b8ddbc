"""Values of a response in every condition, the algorithms side by side: raw values, no statistics."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "responses"
STEP, NARROW = 34, 12  # px per condition; the narrow one above 64 conditions


def responses(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    order: Sequence[int],
    title: str = "",
    response: str = "",
    order_title: str = "condition",
) -> alt.HConcatChart:
    """Return the figure of one response.

    Parameters
    ----------
    values
        Columns condition, algorithm and value.
    algorithms, order, title, response, order_title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    wide = len(order) <= 64
    base = theme.kept(DATA, width=alt.Step(STEP if wide else NARROW, **{"for": "position"}), height=280).encode(
        x=alt.X(
            "condition:O",
            sort=list(order),
            axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap=True, offset=6, grid=wide, tickBand="extent"),
            scale=alt.Scale(paddingInner=0, paddingOuter=0),
            title=order_title,
        )
    )
    tooltip = theme.tooltips("condition:O", "algorithm:N", ("value:Q", "", ".5~g"))
    points = base.mark_point(opacity=1, size=34 if wide else 14, strokeWidth=1.6 if wide else 1.2).encode(
        xOffset=alt.XOffset("algorithm:N", sort=list(algorithms), scale=alt.Scale(paddingOuter=1)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=True)),
        **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="bottom")),
        tooltip=tooltip,
    )
    chart = alt.layer(theme.band(base, STEP if wide else NARROW), points, title=theme.AXIS_TITLE)
    return theme.finish(alt.hconcat(chart), {DATA: values}, params=theme.condition_params(response), title=title)
