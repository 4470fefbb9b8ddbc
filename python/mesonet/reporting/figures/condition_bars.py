"""Bar graphs by condition of the algorithms above and below the mean of all.

(After the bar graphs by condition of SP 500-282, ch. 9, Figs. 17, 19 and 21.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import numpy as np

from mesonet.analysis.residuals import Residuals
from mesonet.charts import theme
from mesonet.charts.theme import PER_ROW
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.reporting.figures.residuals import POINTS, points_table
from mesonet.reporting.text.labels import axis_title, values_heading
from mesonet.words import counted, listed

WIDTH, HEIGHT = 128, 64


def figure(view: CampaignView) -> Figure | None:
    """Return a bar graph per condition of the algorithms above and below the mean of all."""
    if len(view.algorithms) < 2:
        return None
    period = view.main_period
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(view.algorithms, start=1))

    def draw(response: str) -> Drawing:
        result, heading = view.residuals(response, period), values_heading(view, response, period)
        return Drawing(
            partial(residual_bars, result, order=view.by_congestion, response=axis_title(view, response)),
            {POINTS: points_table(result)},
            heading,
            caption(view.algorithms, result),
        )

    return Figure(
        id="condition-bars",
        short_title="Bars by condition",
        title="Above or below the mean of all: one bar graph per condition",
        reading=(
            f"Conditions {view.order_words}. Bars upwards (blue): above the mean of all algorithms in this condition; "
            f"downwards (orange): below. All graphs share one scale. {numbers}."
        ),
        draw=draw,
        selections=[{"response": name} for name in view.in_period[period]],
        axis="{}, less the mean of all algorithms",
        marks=len(view.conditions) * len(view.algorithms),
        height=60 + -(-len(view.conditions) // PER_ROW) * (HEIGHT + 34),
    )


def residual_bars(result: Residuals, *, order: Sequence[int], title: str = "", response: str = "") -> alt.FacetChart:
    """Return a panel of bars per condition.

    Parameters
    ----------
    result, order, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    base = alt.Chart(width=WIDTH, height=HEIGHT)
    x = alt.X("number:O", title=None, axis=alt.Axis(labelAngle=0, ticks=False, domain=False, orient="bottom"))
    bars = base.mark_bar().encode(
        x=x,
        y=alt.Y("residual:Q", title=None, axis=alt.Axis(tickCount=3, domain=False, ticks=False)),
        color=alt.ColorValue(**theme.either("datum.residual > 0", theme.BLUE, theme.VERMILLION)),
        tooltip=theme.tooltips(
            "condition:O",
            "algorithm:N",
            ("residual:Q", "above the mean", "+.4~g"),
            ("percent:Q", "% of the mean", "+.3~g"),
        ),
    )
    zero = base.transform_aggregate(groupby=["condition"]).mark_rule(color=theme.MUTED).encode(y=alt.YDatum(0))
    chart = theme.sheet(base, bars, zero, data=POINTS, order=order, gaps=(12, 12))
    return theme.finish(chart, {POINTS: points_table(result)}, params=theme.condition_params(response), title=title)


def caption(algorithms: Sequence[str], result: Residuals) -> str:
    """Return the algorithms that lie above the mean of all most often. A sentence on at most three algorithms."""
    # Differences by rounding count for no algorithm.
    apart = np.array([extreme is not None for extreme in result.summary.extreme[:, 0]])
    above = ((result.residual > 0) & apart[:, None]).sum(axis=0)
    order = sorted(np.flatnonzero(above).tolist(), key=lambda place: -above[place])[:3]
    named = [f"{algorithms[place]} in {counted(int(above[place]), 'condition')}" for place in order]
    return f"Most often above the mean of all: {listed(named)}." if above.any() else "All are the same everywhere."
