"""Posterior probability of each factor of a design with partial aliases: Box and Meyer 1993."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from mesonet.analysis.box_meyer import BoxMeyer, box_meyer, has_partial_aliases
from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response

DATA = "active_factors"
WIDTH, ROW = 320, 22  #: px
READING = (
    "A point per factor: the probability that any of its effects is active, its interactions included. The line is "
    "the range over the sizes of effects that the response supports."
)


def figure(view: CampaignView) -> Figure | None:
    """Return the probabilities for the key responses, if the design aliases effects partially."""
    if not has_partial_aliases(view.campaign.design):
        return None

    def content(response: str, period: str, algorithm: str) -> Content:
        try:
            found = box_meyer(view.campaign.design, view.for_test(response, period, algorithm))
        except ValueError as error:
            return partial(active_factors, None), {DATA: table(None)}, f"Not calculated: {error}."
        return partial(active_factors, found), {DATA: table(found)}, caption(found)

    return of_response(
        view,
        "active-factors",
        content,
        short_title="Active factors",
        title="Which factors are active, alone or with others?",
        reading=READING,
        selections=[
            {"response": response, "algorithm": algorithm}
            for response in view.key_responses
            for algorithm in view.choices_of_algorithm
        ],
        marks=3 * len(view.campaign.design.factors),
        height=110 + ROW * len(view.campaign.design.factors),
        file=f"{STEPS}11_active_factors",
        folder="steps",
    )


def table(found: BoxMeyer | None) -> pl.DataFrame:
    """Return a row per factor: factor, probability, low, high, and active (at least one half)."""
    numbers = dict.fromkeys(("probability", "low", "high"), pl.Float64)
    rows = pl.DataFrame(schema={"factor": pl.String, **numbers}) if found is None else found.to_polars()
    return rows.with_columns(active=pl.col("probability") >= 0.5)


def active_factors(result: BoxMeyer | None, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return the figure of one result.

    Parameters
    ----------
    result, title, response
        As for every plot, see `mesonet.plots`. The result is of `mesonet.analysis.box_meyer`; None draws no factor.

    Returns
    -------
    The chart: a row per factor, with its probability and range.
    """
    names = alt.Axis(ticks=False, domain=False, labelLimit=240, labelPadding=10)
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=alt.Step(ROW)).encode(
        y=alt.Y("factor:N", sort=None, title=None, axis=names),
        color=theme.ACTIVE,
        tooltip=theme.tooltips(
            "factor:N", ("probability:Q", "", ".3f"), ("low:Q", "from", ".3f"), ("high:Q", "to", ".3f")
        ),
    )
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f")
    x = alt.X("probability:Q", scale=scale, axis=axis, title="posterior probability")
    half = alt.Chart().mark_rule(color=theme.MUTED, strokeDash=[4, 3]).encode(x=alt.XDatum(0.5))
    chart = alt.layer(
        half,
        base.mark_rule(strokeWidth=1.6).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x),
        data=alt.NamedData(name=DATA),
        title=theme.AXIS_TITLE,
    )
    return theme.finish(chart, {DATA: table(result)}, params=[theme.response_title(response)], title=title)


def caption(found: BoxMeyer) -> str:
    """Return the likely factors and sets, as text."""
    return " ".join([*found.sentences(), *found.notes])
