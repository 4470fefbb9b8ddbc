"""|effects| in falling order, and the residual after each.

Steps 7 and 9 of the ten-step analysis (NIST/SEMATECH e-Handbook, sections 5.5.9.7 and 5.5.9.9).
"""

from __future__ import annotations

import altair as alt

from mesonet.analysis.terms import Terms
from mesonet.charts import theme
from mesonet.charts.half_normal import DATA, table

WIDTH, NAMED = 900, 14


def effect_sizes(result: Terms, *, title: str = "", response: str = "") -> alt.VConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: sizes of the effects, and below them the residual SD.
    """
    terms = len(result.terms)
    x = alt.X("rank:Q", scale=alt.Scale(domain=[0.4, terms + 0.6], nice=False), axis=None)
    colour = theme.ACTIVE
    tooltip = theme.tooltips(
        "rank:Q", ("strings:N", "term"), ("effect:Q", "", "+.4~g"), ("residual_sd:Q", "residual SD up to it", ".4~g")
    )
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH).encode(x=x, tooltip=tooltip)
    size = alt.Y("size:Q", title=None, scale=alt.Scale(zero=True))
    spikes = alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=size, y2=alt.YDatum(0), color=colour),
        base.mark_circle(size=50, opacity=1).encode(y=size, color=colour),
        base.transform_filter(f"datum.rank <= {NAMED}")
        .mark_text(angle=315, align="left", dx=5, dy=-5, fontSize=10)
        .encode(y=size, text=alt.Text("term:N")),
        title=theme.AXIS_TITLE,
        height=230,
    )
    left = alt.Y("residual_sd:Q", title="residual SD", scale=alt.Scale(zero=True))
    axis = alt.Axis(title="rank of the effect", tickMinStep=1, format="d", grid=False)
    below = alt.layer(
        base.transform_filter("datum.rank === 1")
        .mark_rule(strokeDash=[5, 4], color=theme.MUTED)
        .encode(x=alt.XValue(0), x2=alt.X2Value(WIDTH), y=alt.Y("sd:Q"), tooltip=alt.TooltipValue(None)),
        base.mark_line(color=theme.BLUE, strokeWidth=1.6, point={"size": 34, "color": theme.BLUE}).encode(
            y=left, x=alt.X("rank:Q", scale=alt.Scale(domain=[0.4, terms + 0.6], nice=False), axis=axis)
        ),
        height=130,
    )
    chart = alt.vconcat(spikes, below, spacing=10)
    return theme.finish(
        chart,
        {DATA: table(result)},
        params=[theme.response_title(response)],
        title=title,
        subtitle=[
            "Above: sizes of the effects; below: residual SD with the effects up to there. Dashed: SD of the response."
        ],
    )
