"""|effects| in falling order, and the residual after each.

Steps 7 and 9 of the ten-step analysis (NIST/SEMATECH e-Handbook, sections 5.5.9.7 and 5.5.9.9).
"""

from __future__ import annotations

from functools import partial

import altair as alt

from mesonet.analysis.terms import Terms
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import Described
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.reporting.figures.half_normal import DATA, table
from mesonet.words import fall, listed, percent

WIDTH, NAMED = 900, 14


def figure(view: CampaignView) -> Figure | None:
    """Return |effects| in falling order, and the residual standard deviation after each."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        text = caption(view, result, response)
        return partial(effect_sizes, result), {DATA: table(result)}, text

    return of_response(
        view,
        "effect-sizes",
        content,
        short_title="Sizes of effects",
        title="How large the effects are, and what they leave unexplained",
        question="Where is the kink between the few terms that matter and the many that do not?",
        reading=(
            "Above, the size of every effect in falling order: look for the kink of the L. Below, the standard "
            "deviation that is left when the effects up to there are in the model; the dashed line is the standard "
            "deviation of the response itself."
        ),
        selections=of_steps(view),
        marks=4 * len(first.terms),
        height=520,
        axis="|effect| on {}",
        file=f"{STEPS}07_and_09_effect_sizes",
        folder="steps",
    )


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


def caption(view: Described, result: Terms, response: str) -> str:
    """Return the share of the standard deviation that the largest effects leave, as text."""
    if not result.runs or not result.sd > 0:
        return " ".join(result.notes) or "Nothing varies."
    # The last terms may be zero, or leave no degrees of freedom for a residual.
    named = [
        place for place in range(min(3, len(result.terms))) if result.effect[place] and result.residual_sd[place] >= 0
    ]
    if not named:
        return f"The largest effect is {result.terms[0]}. The terms leave no degrees of freedom for a residual."
    count, left = len(named), float(result.residual_sd[named[-1]])
    who = f"The {count} largest effects, {listed(list(result.terms[:count]))}, bring"
    if count == 1:
        who = f"The largest effect, {result.terms[0]}, brings"
    return (
        f"{who} the residual standard deviation of {view.title_of(response)} from "
        f"{fall(result.sd, left, view.unit_of(response))}, {percent(100 * left / result.sd)} of it."
    )
