"""Ordered data and multi-factor scatter plot of the page.

Steps 1 and 2 of the ten-step analysis (NIST/SEMATECH e-Handbook, sections 5.5.9.1 and 5.5.9.2).
"""

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import OrderedData, factor_scatter, ordered_data
from mesonet.plots import theme
from mesonet.plots.condition_response import SETTINGS
from mesonet.reporting.campaign_view.study import Study, factor_title, level_text
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageFigure, PageTable, caption, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.figures.ten_step_figures import scatter_caption
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import listed, quantity

DATA = "ordered"
STEP, NARROW, LINE = 26, 6, 14  # px; the narrow step above 64 conditions


def figures(sources: Sources) -> list[PageFigure]:
    """Return both figures of a campaign with factors, ordered data and values by factor; they share a table."""
    study = sources.study
    rows, texts, moved = [], [], []
    for response, algorithm in sources.selections:
        y = study.for_algorithm(response, study.main_period, algorithm)
        result = ordered_data(study.campaign.design, y)
        selection = {"response": response, "algorithm": algorithm}
        rows.append(
            result.to_polars().select(
                *(pl.lit(value).alias(name) for name, value in selection.items()), "condition", "rank", "value"
            )
        )
        heading = captions.effects_heading(study, response, study.main_period, algorithm)
        texts.append(caption(selection, heading, _text(study, result, response)))
        moved.append(caption(selection, heading, scatter_caption(study, factor_scatter(study.campaign.design, y))))
    factors = study.campaign.design.factors
    title = axis_title(study, study.congestion_response)
    table = PageTable(stacked(rows), RESPONSE_AND_ALGORITHM)
    shared: dict[str, Any] = {
        "main": DATA,
        "tables": {DATA: table, SETTINGS: sources.settings},
        "marks": len(study.conditions) * (1 + len(factors)),
    }
    return [
        PageFigure(
            id="ordered",
            short_title="Ordered data",
            title="Which settings give most and least: ordered data",
            reading=(
                "Conditions by rising response, with their settings below. A factor whose sign is the same in a long "
                "run at either end decides the response there."
            ),
            chart=_ordered(len(study.conditions), factors, title),
            captions=PageTable(pl.DataFrame(texts), RESPONSE_AND_ALGORITHM),
            height=300 + LINE * len(factors),
            **shared,
        ),
        PageFigure(
            id="factor-scatter",
            short_title="Values by factor",
            title="Where each factor puts the response: values by factor",
            reading=(
                "For each factor all values, those of conditions at its − level left (open), at its + level right "
                "(filled). Look for shifts, for changes of spread and for single values apart."
            ),
            chart=_by_factor(factors, title),
            captions=PageTable(pl.DataFrame(moved), RESPONSE_AND_ALGORITHM),
            height=360,
            **shared,
        ),
    ]


def _text(study: Study, result: OrderedData, response: str) -> str:
    if not len(result.value):
        return "Nothing was measured."
    unit = study.unit_of(response)
    low, high = float(result.value[0]), float(result.value[-1])
    text = (
        f"Least in {captions.extremes_of(result, low)}, {quantity(low, unit)}; most in "
        f"{captions.extremes_of(result, high)}, {quantity(high, unit)}."
    )
    longest = int(max(result.longest_high))
    if captions.before_ties(result.value[::-1], longest) == longest >= 4:
        places = [place for place, run in enumerate(result.longest_high) if run == longest]
        ends = zip([result.factors[place] for place in places], result.signs[-1, places].tolist(), strict=True)
        levels = [f"{factor_title(study, name)} at {level_text(study, name, int(sign))}" for name, sign in ends]
        text += f" The {longest} largest values all have {listed(levels)}."
    return text


def _ordered(conditions: int, factors: tuple[str, ...], response: str) -> alt.VConcatChart:
    wide = conditions <= 64
    width = (STEP if wide else NARROW) * conditions
    scale = alt.Scale(domain=[0.4, conditions + 0.6], nice=False)
    base = (
        alt.Chart(alt.NamedData(name=DATA), width=width, height=220)
        .transform_filter(theme.IS_KEPT)
        .encode(
            x=alt.X("rank:Q", scale=scale, axis=None),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True)),
            tooltip=[alt.Tooltip("condition:O"), alt.Tooltip("rank:Q"), alt.Tooltip("value:Q", format=".5~g")],
        )
    )
    points = alt.layer(
        base.mark_bar(width=12 if wide else 5, color="#fdf0d5").encode(
            y=alt.value(0), y2=alt.value(220), opacity=theme.LIT
        ),
        base.mark_point(filled=True, opacity=1, size=44, color=theme.BLUE),
    ).properties(title=theme.AXIS_TITLE)
    below = alt.Chart(alt.NamedData(name=DATA), width=width, height=LINE).transform_filter(theme.IS_KEPT)
    ranks = below.mark_text(fontSize=9 if wide else 6, angle=0 if wide else 270).encode(
        x=alt.X("rank:Q", scale=scale, axis=None), text="condition:N"
    )
    place = alt.LookupData(alt.NamedData(name=DATA), key="condition", fields=["rank"])
    signs = (
        alt.Chart(alt.NamedData(name=SETTINGS), width=width, height=alt.Step(LINE))
        .transform_filter(theme.IS_KEPT)
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=place)
        .transform_filter("isValid(datum.rank)")
        .mark_text(fontSize=10 if wide else 7)
        .encode(
            x=alt.X("rank:Q", scale=scale, axis=None),
            y=alt.Y("column:N", sort=list(factors), title=None, axis=alt.Axis(ticks=False, domain=False, grid=False)),
            text="text:N",
        )
    )
    chart = alt.vconcat(points, ranks, signs, spacing=4)
    chart = chart.add_params(theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response))
    return theme.finish(chart, {}, title="")


def _by_factor(factors: tuple[str, ...], response: str) -> alt.LayerChart:
    width = max(48, min(110, 1080 // len(factors)))
    value = alt.LookupData(alt.NamedData(name=DATA), key="condition", fields=["value"])
    base = (
        alt.Chart(alt.NamedData(name=SETTINGS), width=alt.Step(width, **{"for": "position"}), height=280)
        .transform_filter(theme.IS_KEPT)
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=value)
        .transform_filter("isValid(datum.value)")
        .encode(
            x=alt.X(
                "column:N", sort=list(factors), title=None, scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(labelAngle=0, ticks=False, domain=False, offset=6),
            ),
            xOffset=alt.XOffset("text:N", sort=["−", "+"], scale=alt.Scale(paddingOuter=0.5)),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True)),
            tooltip=[
                alt.Tooltip("condition:O"), alt.Tooltip("column:N", title="factor"), alt.Tooltip("text:N", title="at"),
                alt.Tooltip("value:Q", format=".5~g"),
            ],
        )
    )  # fmt: skip
    filled = alt.when("datum.text === '+'").then(alt.value(theme.BLUE)).otherwise(alt.value("white"))
    chart = alt.layer(
        base.mark_point(opacity=1, size=34, stroke=theme.BLUE, strokeWidth=1.4).encode(fill=filled),
        base.mark_point(size=150, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
    ).properties(title=theme.AXIS_TITLE)
    chart = chart.add_params(theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response))
    return theme.finish(chart, {}, title="")
