"""Bar graphs by condition of the algorithms above and below the mean of all.

(After the bar graphs by condition of SP 500-282, ch. 9, Figs. 17, 19 and 21.)
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from mesonet.analysis.residuals import Residuals
from mesonet.charts import theme
from mesonet.charts.residuals import POINTS, points_table

WIDTH, HEIGHT = 128, 64


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
