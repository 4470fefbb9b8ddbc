"""Principal components of all responses, and the factors that drive them.

(Figure 13 of Mills et al., ASME 2011.)
"""

import json
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis import PrincipalComponents, main_effects
from mesonet.plots import theme
from mesonet.reporting.campaign_view.study import Study, factor_title
from mesonet.reporting.figures.figure import PageFigure, PageTable, factor_control
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions
from mesonet.words import capitalised, counted, percent, period_title, some

SCORES, LOADINGS, SHARES = "component_scores", "loadings", "shares"
SIDE, SHOWN, WEIGHTS = 440, 8, 14  # px; components of the scree plot; responses of the loadings


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two components."""
    study, result = sources.study, sources.method.components
    shares = pl.DataFrame(
        {"component": [f"PC{i + 1}" for i in range(len(result.share))][:SHOWN], "share": 100 * result.share[:SHOWN]}
    )
    factors = study.campaign.design.factors
    loadings = _loadings(sources, result)
    return PageFigure(
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
        chart=_chart(study.algorithms, loadings),
        main=SCORES,
        tables={
            SCORES: PageTable(_scores(study, result)),
            LOADINGS: PageTable(loadings),
            SHARES: PageTable(shares),
        },
        captions=PageTable(
            pl.DataFrame([{"heading": capitalised(period_title(study.main_period)), "text": _text(sources)}])
        ),
        marks=len(result.scores) + 2 * WEIGHTS,
        height=540,
        controls=[factor_control(study)] if factors else [],
    )


def _scores(study: Study, result: PrincipalComponents) -> pl.DataFrame:
    """Return a row per condition and algorithm that has all responses; `signs` of its condition by factor."""
    count = len(study.algorithms)
    rows = [
        {
            "condition": place // count + 1,
            "algorithm": study.algorithms[place % count],
            "pc1": float(result.scores[place, 0]),
            "pc2": float(result.scores[place, 1]),
            "signs": "".join("+" if sign > 0 else "-" for sign in study.signs[place // count + 1]),
        }
        for place in range(len(result.scores))
        if np.isfinite(result.scores[place, :2]).all()
    ]
    return pl.DataFrame(rows)


def _loadings(sources: Sources, result: PrincipalComponents) -> pl.DataFrame:
    """Return the responses that weigh most in the first two components."""
    weight = np.abs(result.loadings[:2]).max(axis=0)
    rows = [
        {
            "response": sources.method.labels[result.responses[place]],
            "component": f"PC{component + 1}",
            "loading": float(result.loadings[component, place]),
        }
        for place in np.argsort(-weight, kind="stable")[:WEIGHTS]
        for component in range(2)
    ]
    return pl.DataFrame(rows)


def _text(sources: Sources) -> str:
    study, result = sources.study, sources.method.components
    share = percent(100 * float(result.share[:2].sum()))
    text = f"The first two components hold {share} of the variation of {counted(len(result.responses), 'response')}."
    factors = study.campaign.design.factors
    associated, against = [], ""
    shape = (len(study.conditions), len(study.algorithms))
    for component in range(2) if factors else ():
        scores = result.scores[:, component].reshape(shape)
        known = np.isfinite(scores)
        with np.errstate(invalid="ignore"):
            mean = np.where(known, scores, 0).sum(axis=1) / known.sum(axis=1)
        effects = main_effects(study.campaign.design, mean)
        strong = [name for name, stars in zip(factors, effects.stars, strict=True) if stars]
        size = dict(zip(factors, np.abs(effects.effect), strict=True))
        strong.sort(key=lambda name: -size[name])
        if strong:
            said = some([factor_title(study, name) for name in strong])
            associated.append(f"PC{component + 1} is associated with {said}")
            against = captions.AGAINST[effects.mode]
    if associated:
        text += f" {'; '.join(associated)} (significant at 95 % {against})."
    if result.left_out:
        verb = "is" if len(result.left_out) == 1 else "are"
        text += f" {counted(len(result.left_out), *captions.CELL)} without all responses {verb} left out."
    if lacking := sources.method.of_all.lacking:
        names = some([sources.method.titles[name] for name in lacking])
        text += f" Left out because values are missing: {names}."
    return text


def _chart(algorithms: tuple[str, ...], loadings: pl.DataFrame) -> alt.HConcatChart:
    colours = theme.algorithm_colours(algorithms)
    # One case per algorithm and not a field, so that the legend stays open.
    filled: Any = alt
    for name, colour in zip(algorithms, colours.range, strict=True):
        filled = filled.when(f"datum.level === '+' && datum.algorithm === {json.dumps(name)}").then(alt.value(colour))
    scale = alt.Scale(nice=True, padding=10)
    base = (
        alt.Chart(alt.NamedData(name=SCORES), width=SIDE, height=SIDE)
        .transform_filter(theme.IS_KEPT)
        .transform_calculate(level="substring(datum.signs, factor_place - 1, factor_place)")
        .encode(
            x=alt.X("pc1:Q", title="PC1", scale=scale),
            y=alt.Y("pc2:Q", title="PC2", scale=scale),
            tooltip=[
                alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N"), alt.Tooltip("pc1:Q", format=".3~g"),
                alt.Tooltip("pc2:Q", format=".3~g"), alt.Tooltip("level:N", title="level of the factor"),
            ],
        )
    )  # fmt: skip
    scores = alt.layer(
        base.mark_point(size=44, strokeWidth=1.6, opacity=1).encode(
            stroke=alt.Stroke("algorithm:N", scale=colours, legend=alt.Legend(title=None, orient="bottom", columns=5)),
            shape=alt.Shape("algorithm:N", scale=theme.algorithm_shapes(algorithms)),
            fill=filled.otherwise(alt.value("white")),
        ),
        base.mark_point(size=190, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    )
    scree = alt.Chart(alt.NamedData(name=SHARES), width=260, height=110).mark_bar(color=theme.BLUE).encode(
        x=alt.X("component:N", title=None, sort=None, axis=alt.Axis(labelAngle=0, ticks=False)),
        y=alt.Y("share:Q", title="% of the variation"),
        tooltip=[alt.Tooltip("component:N"), alt.Tooltip("share:Q", title="% of the variation", format=".3~g")],
    )  # fmt: skip
    order = list(dict.fromkeys(loadings["response"]))
    weights = alt.Chart(alt.NamedData(name=LOADINGS), width=118, height=alt.Step(17)).mark_bar().encode(
        x=alt.X("loading:Q", title="loading", axis=alt.Axis(tickCount=3, labelFlush=False)),
        y=alt.Y("response:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=210)),
        color=alt.when("datum.loading > 0").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.VERMILLION)),
        column=alt.Column("component:N", title=None, spacing=14),
        tooltip=[alt.Tooltip("response:N"), alt.Tooltip("component:N"), alt.Tooltip("loading:Q", format="+.3~g")],
    )  # fmt: skip
    chart = alt.hconcat(scores, alt.vconcat(scree, weights, spacing=18), spacing=40)
    chart = chart.add_params(theme.HIGHLIGHTED, theme.KEPT, alt.param(name="factor_place", value=1))
    return theme.finish(chart, {}, title="")
