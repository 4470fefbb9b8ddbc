"""Scatter plot of two responses: a point per condition and algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Control, Drawing, Figure
from mesonet.reporting.text.labels import axis_title

DATA, SIDE = "pairs", 440


def figure(view: CampaignView) -> Figure | None:
    """Return a response against another, without rows; the script of the page makes its table."""
    there = view.in_period[view.main_period]
    if len(there) < 2:
        return None
    first = view.congestion_response
    varying = [name for name in there if view.varies(name, view.main_period)]
    names = [name for name in [*view.key_responses, *there] if name != first]
    names.sort(key=lambda name: name not in varying)
    nothing = pl.DataFrame(schema={"condition": pl.Int64, "algorithm": pl.String, "x": pl.Float64, "y": pl.Float64})
    titles = {"response": axis_title(view, first), "other": axis_title(view, names[0])}

    def draw(**_: str) -> Drawing:
        chart = partial(response_pair, nothing, view.algorithms, **titles)
        return Drawing(chart, {DATA: nothing}, "", "")

    return Figure(
        id="scatter",
        short_title="One against another",
        title="One response against another",
        reading=(
            "One point per condition and algorithm. Where both responses have one unit, the line marks equal values. "
            "Choose the responses here and at the top, or click a cell of the correlations."
        ),
        draw=draw,
        selections=[{"response": "", "other": "", "period": ""}],
        maker="pairs",
        marks=len(view.campaign.responses.select("condition", "algorithm").unique()),
        height=540,
        axis="{}",
        controls=[
            Control("other", "Across", [(name, view.label_of(name)) for name in view.responses], names[0]),
        ],
    )


def response_pair(
    values: pl.DataFrame, algorithms: Sequence[str], *, response: str = "", other: str = "", title: str = ""
) -> alt.LayerChart:
    """Return the figure of two responses.

    Parameters
    ----------
    values
        Columns condition, algorithm, x and y.
    algorithms
        As for every plot, see `mesonet.plots`.
    response
        Title of the response of y, over the vertical axis.
    other
        Title of the response of x, below the horizontal axis.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Its parameter `same_unit`, if True, draws the line of equal values.
    """
    scale = alt.Scale(zero=False, nice=False, padding=12)
    base = theme.kept(DATA, width=SIDE * 1.4, height=SIDE)
    # If no line is drawn, both its ends are on a corner: a layer without rows would leave the scales without an extent.
    equal = "same_unit && max(datum.x0, datum.y0) < min(datum.x1, datum.y1)"
    ends = (
        base.transform_aggregate(x0="min(x)", x1="max(x)", y0="min(y)", y1="max(y)")
        .transform_calculate(
            xl=f"{equal} ? max(datum.x0, datum.y0) : datum.x0",
            xh=f"{equal} ? min(datum.x1, datum.y1) : datum.x0",
            yl=f"{equal} ? max(datum.x0, datum.y0) : datum.y0",
            yh=f"{equal} ? min(datum.x1, datum.y1) : datum.y0",
        )
        .mark_rule(color=theme.MUTED, strokeDash=[5, 4])
        .encode(x=alt.X("xl:Q", scale=scale), x2=alt.X2("xh:Q"), y=alt.Y("yl:Q", scale=scale), y2=alt.Y2("yh:Q"))
    )
    points = base.encode(
        x=alt.X("x:Q", scale=scale, title=None),
        y=alt.Y("y:Q", scale=scale, title=None),
        tooltip=theme.tooltips("condition:O", "algorithm:N", ("x:Q", "across", ".5~g"), ("y:Q", "up", ".5~g")),
    )
    chart = alt.layer(
        ends,
        points.mark_point(opacity=1, size=40, strokeWidth=1.6).encode(
            **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="right"))
        ),
        points.mark_point(size=190, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_text(align="right", dy=34, fontSize=12, text=alt.ExprRef("other_title"))
        .encode(x=alt.XValue("width"), y=alt.YValue("height")),
        title=theme.AXIS_TITLE,
    )
    return theme.finish(
        chart,
        {DATA: values},
        params=[
            *theme.condition_params(response),
            alt.param(name="other_title", value=other),
            alt.param(name="same_unit", value=False),
        ],
        title=title,
    )
