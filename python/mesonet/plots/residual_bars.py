"""Bar graphs by condition of the algorithms above and below the mean of all.

(After the bar graphs by condition of SP 500-282, ch. 9, Figs. 17, 19 and 21.)
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from mesonet.analysis.residuals import Residuals
from mesonet.plots import theme
from mesonet.plots.residuals import POINTS, points_table

PER_ROW, WIDTH, HEIGHT = 8, 128, 64


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
        tooltip=[
            alt.Tooltip("condition:O"),
            alt.Tooltip("algorithm:N"),
            alt.Tooltip("residual:Q", title="above the mean", format="+.4~g"),
            alt.Tooltip("percent:Q", title="% of the mean", format="+.3~g"),
        ],
    )
    ring = theme.panel_ring(base, WIDTH, HEIGHT)
    zero = base.transform_aggregate(groupby=["condition"]).mark_rule(color=theme.MUTED).encode(y=alt.YDatum(0))
    chart = (
        alt.layer(bars, zero, ring, data=alt.NamedData(name=POINTS))
        .transform_filter(theme.IS_KEPT)
        .facet(
            facet=alt.Facet(
                "condition:O", sort=list(order), title=None, header=alt.Header(labelFontSize=11, labelPadding=2)
            ),
            columns=PER_ROW,
            spacing={"row": 12, "column": 12},
        )
    )
    return theme.finish(
        chart,
        {POINTS: points_table(result)},
        params=[theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response)],
        title=title,
    )
