"""Youden plot: the mean of the response at both levels of every term. Important terms are far from the cross.

Step 6 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.6).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt

from mesonet.analysis.terms import Terms, has_margins
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import Described, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.reporting.figures.half_normal import DATA, table
from mesonet.words import number, quantity

SIDE, NAMED = 420, 6
TICKS = 6  # approximately; numbers of seven digits fit side by side


def figure(view: CampaignView) -> Figure | None:
    """Return the Youden plot: the mean of the response at both levels of every term."""
    if len(view.campaign.design.factors) < 2:
        return None
    first = view.terms(view.congestion_response, view.main_period, view.choices_of_algorithm[0])

    def content(response: str, period: str, algorithm: str) -> Content:
        result = view.terms(response, period, algorithm)
        text = caption(view, result, response)
        return partial(youden, result), {DATA: table(result)}, text

    return of_response(
        view,
        "youden",
        content,
        short_title="Youden plot",
        title="Both means of every term: Youden plot",
        question="Which terms lie far from the cross?",
        reading=(
            "One point per factor (square) and per interaction (circle): across, the mean response at its − level; "
            "up, that at its + level. The cross is the mean of all; terms without effect lie there."
            + (" Blue: beyond the margin of error of the half-normal plot." if has_margins(first) else "")
        ),
        selections=of_steps(view),
        marks=2 * len(first.terms),
        height=520,
        file=f"{STEPS}06_youden",
        folder="steps",
    )


def youden(result: Terms, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: the means at the - level across, at the + level up.
    """
    scale = alt.Scale(zero=False, nice=True, padding=12)
    base = (
        alt.Chart(alt.NamedData(name=DATA), width=SIDE, height=SIDE)
        .transform_calculate(kind="indexof(datum.term, '*') < 0 ? 'factor' : 'interaction'")
        .encode(
            x=alt.X("mean_minus:Q", title="mean at −", scale=scale, axis=alt.Axis(tickCount=TICKS, labelFlush=False)),
            y=alt.Y("mean_plus:Q", title="mean at +", scale=scale, axis=alt.Axis(tickCount=TICKS)),
            tooltip=theme.tooltips(
                ("strings:N", "term"),
                ("mean_minus:Q", "mean at −", ".4~g"),
                ("mean_plus:Q", "mean at +", ".4~g"),
                ("effect:Q", "", "+.4~g"),
            ),
        )
    )
    cross = base.transform_filter("datum.rank === 1").encode(tooltip=alt.TooltipValue(None))
    line: dict[str, Any] = {"strokeDash": [5, 4], "color": theme.MUTED}
    chart = alt.layer(
        cross.mark_rule(**line).encode(x=alt.X("grand_mean:Q"), y=alt.YValue(0), y2=alt.Y2Value(SIDE)),
        cross.mark_rule(**line).encode(y=alt.Y("grand_mean:Q"), x=alt.XValue(0), x2=alt.X2Value(SIDE)),
        base.mark_point(filled=True, opacity=1, size=52).encode(
            shape=alt.Shape(
                "kind:N",
                scale=alt.Scale(domain=["factor", "interaction"], range=["square", "circle"]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            color=theme.ACTIVE,
        ),
        # On either side in turn, because effects of about the same size have neighbouring ranks and points.
        base.transform_filter(f"datum.rank <= {NAMED} && datum.rank % 2 === 1")
        .mark_text(align="left", dx=8, fontSize=10)
        .encode(text=alt.Text("term:N")),
        base.transform_filter(f"datum.rank <= {NAMED} && datum.rank % 2 === 0")
        .mark_text(align="right", dx=-8, fontSize=10)
        .encode(text=alt.Text("term:N")),
        title=theme.AXIS_TITLE,
    )
    sentence = f"Cross: grand mean {number(result.grand_mean)}."
    sentence += " Blue: beyond the margin of error." if has_margins(result) else ""
    return theme.finish(
        chart, {DATA: table(result)}, params=[theme.response_title(response)], title=title, subtitle=[sentence]
    )


def caption(view: Described, result: Terms, response: str) -> str:
    """Return the term that lies farthest from the cross, with its means, as text."""
    if not (result.runs and len(result.terms) and result.effect[0]):
        return " ".join(result.notes) or "There is nothing to show."
    unit = view.unit_of(response)
    low, high = (level_text(view, result.terms[0], sign) for sign in (-1, 1))
    return (
        f"{result.strings[0]} lies farthest from the cross: mean {view.title_of(response)} is "
        f"{quantity(float(result.mean_minus[0]), unit)} at {low} and "
        f"{quantity(float(result.mean_plus[0]), unit)} at {high}."
    )
