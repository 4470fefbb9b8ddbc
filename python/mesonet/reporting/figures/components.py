"""Plane of the first two principal components: conditions and algorithms, variances, and the largest loadings.

(Figure 13 of Mills et al., ASME 2011.)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import main_effects
from mesonet.analysis.principal_components import PrincipalComponents
from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView, Reduction
from mesonet.reporting.figures.figure import Drawing, Figure, factor_control
from mesonet.reporting.text.labels import AGAINST, CELL
from mesonet.words import capitalised, counted, percent, some

SCORES, LOADINGS, SHARES = "component_scores", "loadings", "shares"
SIDE, SHOWN, WEIGHTS = 440, 8, 14  # px; components of the scree plot; responses of the loadings


def figure(view: CampaignView) -> Figure | None:
    """Return the plane of the first two components, by algorithm and by the level of a factor."""
    factors, result = view.campaign.design.factors, view.components
    if result.scores.shape[1] < 2 or not np.isfinite(result.scores).any():
        return None

    def draw() -> Drawing:
        scores = _scores(view)
        return Drawing(
            partial(component_plane, scores, result, view.algorithms, labels=view.labels),
            {
                SCORES: scores,
                LOADINGS: loadings_table(result, view.labels),
                SHARES: shares_table(result),
            },
            capitalised(view.period_title(view.main_period)),
            caption(view.of_all),
        )

    return Figure(
        id="components",
        short_title="Principal components",
        title="In which directions conditions and algorithms differ: principal components",
        reading=(
            "One point per condition and algorithm in the plane of the two directions in which they differ most over "
            "all responses."
            + (
                " Filled: the chosen factor is at +. Where filled and open marks part, this factor explains the groups."
                if factors
                else ""
            )
            + " On the right, how much of the variation each component holds, and which responses weigh most."
        ),
        draw=draw,
        marks=len(result.scores) + 2 * WEIGHTS,
        height=540,
        controls=[factor_control(view)] if factors else [],
    )


def _scores(view: CampaignView) -> pl.DataFrame:
    """Return a row per condition and algorithm that has all responses; `signs` of its condition by factor."""
    scores, count = view.components.scores, len(view.algorithms)
    return pl.DataFrame(
        [
            {
                "condition": place // count + 1,
                "algorithm": view.algorithms[place % count],
                "pc1": float(scores[place, 0]),
                "pc2": float(scores[place, 1]),
                "signs": "".join("+" if sign > 0 else "-" for sign in view.signs[place // count + 1]),
            }
            for place in range(len(scores))
            if np.isfinite(scores[place, :2]).all()
        ]
    )


def loadings_table(result: PrincipalComponents, labels: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return the responses with the largest loadings in the first two components.

    Columns response, component (``PC1`` or ``PC2``) and loading: two rows for each of up to `WEIGHTS` responses.
    `result`: components; their loadings have the shape (components, responses).
    """
    weight = np.abs(result.loadings[:2]).max(axis=0)
    rows = [
        {
            "response": (labels or {}).get(result.responses[place], result.responses[place]),
            "component": f"PC{component + 1}",
            "loading": float(result.loadings[component, place]),
        }
        for place in np.argsort(-weight, kind="stable")[:WEIGHTS]
        for component in range(2)
    ]
    return pl.DataFrame(rows)


def shares_table(result: PrincipalComponents) -> pl.DataFrame:
    """Return the share of the variation of the first components.

    Columns component and share, in %; up to `SHOWN` rows.
    """
    names = [f"PC{place + 1}" for place in range(len(result.share))][:SHOWN]
    return pl.DataFrame({"component": names, "share": 100 * result.share[:SHOWN]})


def component_plane(
    scores: pl.DataFrame,
    result: PrincipalComponents,
    algorithms: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    title: str = "",
) -> alt.HConcatChart:
    """Return the plane of the first two components, with the shares and the largest loadings.

    Parameters
    ----------
    scores
        Columns condition, algorithm, pc1, pc2, and signs: the levels of the condition as text, ``+`` or ``-`` for each
        factor.
    result, algorithms, labels, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Its parameter `factor_place` is the number of the factor, from 1, whose + level fills the points.
    """
    loadings = loadings_table(result, labels)
    colours = theme.algorithm_colours(algorithms)
    # One case per algorithm: with a field, the symbols of the legend would be filled.
    filled: Any = alt
    for name, colour in zip(algorithms, colours.range, strict=True):
        filled = filled.when(f"datum.level === '+' && datum.algorithm === {json.dumps(name)}").then(alt.value(colour))
    scale = alt.Scale(nice=True, padding=10)
    base = (
        theme.kept(SCORES, width=SIDE, height=SIDE)
        .transform_calculate(level="substring(datum.signs, factor_place - 1, factor_place)")
        .encode(
            x=alt.X("pc1:Q", title="PC1", scale=scale),
            y=alt.Y("pc2:Q", title="PC2", scale=scale),
            tooltip=theme.tooltips("condition:O", "algorithm:N", ("pc1:Q", "", ".3~g"), ("pc2:Q", "", ".3~g"),
                               ("level:N", "level of the factor")),
        )
    )  # fmt: skip
    plane = alt.layer(
        base.mark_point(size=44, strokeWidth=1.6, opacity=1).encode(
            **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="bottom", columns=5)),
            fill=filled.otherwise(alt.value("white")),
        ),
        base.mark_point(size=190, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    )
    scree = alt.Chart(alt.NamedData(name=SHARES), width=260, height=110).mark_bar(color=theme.BLUE).encode(
        x=alt.X("component:N", title=None, sort=None, axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("share:Q", title="% of the variation"),
        tooltip=theme.tooltips("component:N", ("share:Q", "% of the variation", ".3~g")),
    )  # fmt: skip
    order = list(dict.fromkeys(loadings["response"]))
    weights = alt.Chart(alt.NamedData(name=LOADINGS), width=118, height=alt.Step(17)).mark_bar().encode(
        x=alt.X("loading:Q", title="loading", axis=alt.Axis(tickCount=3, labelFlush=False)),
        y=alt.Y("response:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=210)),
        color=alt.ColorValue(**theme.either("datum.loading > 0", theme.BLUE, theme.VERMILLION)),
        column=alt.Column("component:N", title=None, spacing=14),
        tooltip=theme.tooltips("response:N", "component:N", ("loading:Q", "", "+.3~g")),
    )  # fmt: skip
    chart = alt.hconcat(plane, alt.vconcat(scree, weights, spacing=18), spacing=40)
    return theme.finish(
        chart,
        {SCORES: scores, LOADINGS: loadings, SHARES: shares_table(result)},
        params=[*theme.condition_params(), alt.param(name="factor_place", value=1)],
        title=title,
    )


def caption(found: Reduction) -> str:
    """Return the share of the first two components, and the factors associated with them, as text."""
    view, result = found.view, found.components
    share = percent(100 * float(result.share[:2].sum()))
    text = f"The first two components hold {share} of the variation of {counted(len(result.responses), 'response')}."
    factors = view.campaign.design.factors
    associated, against = [], ""
    shape = (len(view.conditions), len(view.algorithms))
    for component in range(2) if factors else ():
        scores = result.scores[:, component].reshape(shape)
        known = np.isfinite(scores)
        with np.errstate(invalid="ignore"):
            mean = np.where(known, scores, 0).sum(axis=1) / known.sum(axis=1)
        effects = main_effects(view.campaign.design, mean)
        strong = [name for name, stars in zip(factors, effects.stars, strict=True) if stars]
        size = dict(zip(factors, np.abs(effects.effect), strict=True))
        strong.sort(key=lambda name: -size[name])
        if strong:
            wording = some([factor_title(view, name) for name in strong])
            associated.append(f"PC{component + 1} is associated with {wording}")
            against = AGAINST[effects.mode]
    if associated:
        text += f" {'; '.join(associated)} (significant at 95 % {against})."
    if result.left_out:
        verb = "is" if len(result.left_out) == 1 else "are"
        text += f" {counted(len(result.left_out), *CELL)} without all responses {verb} left out."
    if lacking := found.lacking:
        names = some([view.titles[name] for name in lacking])
        text += f" Left out because values are missing: {names}."
    return text
