"""Detailed response plot, for every response: who stands apart in which condition, and by how much.

(Figure 14 of Mills et al., ASME 2011.)
"""

from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis import Residuals
from mesonet.plots import theme
from mesonet.plots.condition_response import SETTINGS, short_names
from mesonet.plots.residuals import COLOURS, SAME, STATISTICS, UNTESTED, statistics, verdict_of
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, stacked
from mesonet.reporting.figures.sources import Sources
from mesonet.reporting.text import captions, method_captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import listed, span

POINTS, VERDICTS, KEYS = "residuals", "residual_verdicts", ("response",)
STEP, NARROW, LINE, DIGIT = 34, 20, 15, 6.5  # px; the narrow step above 64 conditions
PAGE, CLOSE = 1150, 5  # px of all conditions side by side, if digits are still apart; px of a digit there
#: Of the height: values that lie closer together are dots, because their numbers would run into those beside them.
TOGETHER = 0.02


def figure(sources: Sources) -> PageFigure:
    """Return the figure of a campaign with at least two algorithms."""
    study = sources.study
    verdicts, texts = [], []
    for response, result in sources.residuals.items():
        verdicts.append(_verdicts(result, response))
        heading = captions.values_heading(study, response, study.main_period)
        text = f"{method_captions.residuals_caption(study, result, response)} {_ends(result, study.unit_of(response))}"
        texts.append(caption({"response": response}, heading, text.rstrip()))
    factors = study.campaign.design.factors
    tested = any(result.summary.cells_tested for result in sources.residuals.values())
    farthest = (
        "the algorithm with the larger value"
        if len(study.algorithms) == 2
        else "the algorithm farthest from the mean"
    )  # fmt: skip
    shown = [farthest, "the logarithm of its distance", "its relative effect", *(["Grubbs' G"] if tested else [])]
    lines = list(STATISTICS) if tested else list(STATISTICS)[:-1]
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(study.algorithms, start=1))
    return PageFigure(
        id="residuals",
        short_title="One response in detail",
        title="One response in detail: distance of every algorithm from the mean of all",
        reading=(
            "Conditions by rising range; the number is that of the algorithm, its height how far it lies from the mean "
            f"of all in this condition. Below: the settings; then {listed(shown)}. {numbers}. "
            "Dots: too close together for numbers."
        ),
        chart=_chart(
            len(study.conditions), study.algorithms, factors, lines, axis_title(study, study.congestion_response)
        ),
        main=POINTS,
        axis="{}, less the mean of all algorithms",
        tables={
            POINTS: sources.residual_points,
            VERDICTS: PageTable(stacked(verdicts), KEYS),
            SETTINGS: sources.settings,
        },
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=len(study.conditions) * (len(study.algorithms) + len(factors) + len(lines)),
        height=400 + LINE * (len(factors) + len(lines)),
    )


def _verdicts(result: Residuals, response: str) -> pl.DataFrame:
    """Return a row per condition: its place from left to right and the texts below it."""
    short, rows = short_names(result.algorithms), []
    for place, condition in enumerate(result.conditions):
        texts = statistics(result, place, short).values()
        cells = {f"text{line}": text for line, text in enumerate(texts)}
        verdict = verdict_of(result, place)
        rows.append({"response": response, "condition": condition, "place": place, "verdict": verdict, **cells})
    return pl.DataFrame(rows)


def _ends(result: Residuals, unit: str) -> str:
    return f"Values run from {span(result.lowest, result.highest, unit)}." if result.highest > result.lowest else ""


def _chart(
    conditions: int, algorithms: tuple[str, ...], factors: tuple[str, ...], lines: list[str], response: str
) -> alt.VConcatChart:
    wide = conditions <= 64
    step = max(STEP, DIGIT * len(algorithms)) if wide else NARROW
    if wide and step * conditions > PAGE:
        step = max(STEP, CLOSE * len(algorithms), PAGE // conditions)
    across: dict[str, Any] = {
        "sort": alt.EncodingSortField("place", op="min"),
        "scale": alt.Scale(type="band", paddingInner=0, paddingOuter=0),
    }  # fmt: skip
    # Without a test there are only two verdicts.
    kinds = list(COLOURS) if len(lines) == len(STATISTICS) else [SAME, UNTESTED]
    by_verdict = alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds])
    colour = alt.Color("verdict:N", scale=by_verdict, legend=alt.Legend(title=None, orient="bottom"))
    # Its width is said: beside an offset Vega-Lite takes a default that is narrower than the step.
    band: dict[str, Any] = {"width": step, "color": "#fdf0d5", "aria": False}
    width = alt.Step(step, **{"for": "position"})
    verdict = alt.LookupData(alt.NamedData(name=VERDICTS), key="condition", fields=["place", "verdict"])
    base = (
        alt.Chart(alt.NamedData(name=POINTS), width=width, height=280)
        .transform_filter(theme.IS_KEPT)
        .transform_lookup(lookup="condition", from_=verdict)
    )
    x = alt.X("condition:O", title=None, axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False), **across)
    plot = alt.layer(
        base.transform_aggregate(place="min(place)", groupby=["condition"])
        .mark_rect(**band)
        .encode(x=x, y=alt.value(0), y2=alt.value("height"), opacity=theme.LIT),
        base.mark_rule(color=theme.HAIRLINE, aria=False).encode(y=alt.YDatum(0)),
        base.transform_calculate(distance="abs(datum.residual)")
        .transform_joinaggregate(most="max(distance)", groupby=["condition"])
        .transform_joinaggregate(most_of_all="max(distance)")
        .transform_calculate(shown=f"datum.most < {TOGETHER} * datum.most_of_all ? '·' : datum.number")
        .mark_text(fontSize=10 if wide else 8)
        .encode(
            x=x,
            xOffset=alt.XOffset("algorithm:N", sort=list(algorithms), scale=alt.Scale(paddingOuter=0.4)),
            y=alt.Y("residual:Q", title=None),
            text="shown:N",
            color=colour,
            tooltip=[
                alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N"), alt.Tooltip("residual:Q", format="+.4~g"),
                alt.Tooltip("percent:Q", title="% of the mean", format="+.3~g"), alt.Tooltip("verdict:N"),
            ],
        ),
    ).properties(title=theme.AXIS_TITLE)  # fmt: skip
    place = alt.LookupData(alt.NamedData(name=VERDICTS), key="condition", fields=["place"])
    below_x = alt.X("condition:O", axis=None, **across)
    signs = (
        alt.Chart(alt.NamedData(name=SETTINGS), width=width, height=alt.Step(LINE))
        .transform_filter(theme.IS_KEPT)
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=place)
        .mark_text(fontSize=10)
        .encode(x=below_x, y=_lines("column:N", list(factors)), text="text:N")
    )
    statistics = (
        alt.Chart(alt.NamedData(name=VERDICTS), width=width, height=alt.Step(LINE))
        .transform_filter(theme.IS_KEPT)
        .transform_fold([f"text{line}" for line in range(len(lines))], as_=["line", "text"])
        .transform_calculate(name=f"{lines}[+slice(datum.line, 4)]")
        .mark_text(fontSize=9 if wide else 7)
        .encode(
            x=below_x,
            y=_lines("name:N", lines),
            text="text:N",
            color=colour,
        )
    )
    parts = [plot, *([signs] if factors else []), statistics]
    chart = (
        alt.vconcat(*parts, spacing=4)
        .resolve_scale(color="shared")
        .add_params(theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response))
    )
    return theme.finish(chart, {}, title="")


def _lines(field: str, order: list[str]) -> alt.Y:
    return alt.Y(field, sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=200, grid=False))
