"""|effects| in falling order, and the residual after each.

Steps 7 and 9 of the ten-step analysis (NIST/SEMATECH e-Handbook, sections 5.5.9.7 and 5.5.9.9).
"""

import altair as alt
import polars as pl

from mesonet.plots import theme
from mesonet.plots.half_normal import DATA
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import fall, listed, percent

WIDTH, NAMED = 900, 14


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two factors."""
    study = sources.study
    texts = []
    for response, algorithm in sources.terms:
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        text = _text(study, response, sources, algorithm)
        texts.append(caption({"response": response, "algorithm": algorithm}, heading, text))
    first = sources.terms[study.congestion_response, study.choices_of_algorithm[0]]
    return PageFigure(
        id="effect-sizes",
        short_title="Sizes of effects",
        title="How large the effects are, and what they leave unexplained",
        reading=(
            "Above, the size of every effect in falling order: look for the kink of the L. Below, the standard "
            "deviation that is left when the effects up to there are in the model; the dashed line is that of the "
            "response itself."
        ),
        chart=_chart(len(first.terms), axis_title(study, study.congestion_response)),
        main=DATA,
        axis="|effect| on {}",
        tables={DATA: sources.terms_table},
        captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
        marks=4 * len(first.terms),
        height=520,
    )


def _text(study: Study, response: str, sources: Sources, algorithm: str) -> str:
    result = sources.terms[response, algorithm]
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
        f"{who} the residual standard deviation of {study.title_of(response)} from "
        f"{fall(result.sd, left, study.unit_of(response))}, {percent(100 * left / result.sd)} of it."
    )


def _chart(terms: int, response: str) -> alt.VConcatChart:
    x = alt.X("rank:Q", scale=alt.Scale(domain=[0.4, terms + 0.6], nice=False), axis=None)
    colour = alt.when("datum.active").then(alt.value(theme.BLUE)).otherwise(alt.value("#858d96"))
    tooltip = [
        alt.Tooltip("rank:Q"),
        alt.Tooltip("strings:N", title="term"),
        alt.Tooltip("effect:Q", format="+.4~g"),
        alt.Tooltip("residual_sd:Q", title="residual SD up to it", format=".4~g"),
    ]
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH).encode(x=x, tooltip=tooltip)
    size = alt.Y("size:Q", title=None, scale=alt.Scale(zero=True))
    spikes = alt.layer(
        base.mark_rule(strokeWidth=2).encode(y=size, y2=alt.YDatum(0), color=colour),
        base.mark_circle(size=50, opacity=1).encode(y=size, color=colour),
        base.transform_filter(f"datum.rank <= {NAMED}")
        .mark_text(angle=315, align="left", dx=5, dy=-5, fontSize=10)
        .encode(y=size, text="term:N"),
    ).properties(title=theme.AXIS_TITLE, height=230)
    left = alt.Y("residual_sd:Q", title="residual SD", scale=alt.Scale(zero=True))
    axis = alt.Axis(title="rank of the effect", tickMinStep=1, format="d", grid=False)
    below = alt.layer(
        base.transform_filter("datum.rank === 1")
        .mark_rule(strokeDash=[5, 4], color=theme.MUTED)
        .encode(x=alt.value(0), x2=alt.value(WIDTH), y="sd:Q", tooltip=alt.value(None)),
        base.mark_line(color=theme.BLUE, strokeWidth=1.6, point={"size": 34, "color": theme.BLUE}).encode(
            y=left, x=alt.X("rank:Q", scale=alt.Scale(domain=[0.4, terms + 0.6], nice=False), axis=axis)
        ),
    ).properties(height=130)
    chart = alt.vconcat(spikes, below, spacing=10).add_params(theme.response_title(response))
    return theme.finish(chart, {}, title="")
