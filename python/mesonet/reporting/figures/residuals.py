"""Detailed response plot: the distance of each algorithm from the mean of all, by condition.

(Figure 14 of Mills et al., ASME 2011.) Conditions from left to right by rising range; each number is an algorithm.
Below: the settings of the factors, the extreme algorithm, the size of its residual, its relative effect and Grubbs' G.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.condition_response import FEWEST_ALGORITHMS, FEWEST_STATEMENT, TOO_FEW_EVENTS
from mesonet.analysis.residuals import Residuals
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings, short_names
from mesonet.reporting.campaign_view.values import ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.text.labels import settings
from mesonet.words import counted, difference, listed, number, percent, span

POINTS, VERDICTS = "residuals", "residual_verdicts"
STATISTICS = ("extreme", "log10 of its residual", "relative effect", "G")
STEP, NARROW, LINE, DIGIT = 34, 20, 15, 6.5  # px; the narrow step above 64 conditions
PAGE, CLOSE = 1150, 5  # px of all conditions side by side, where digits still fit; px of a digit there
#: Share of the height. Closer values are dots, because their numbers would overlap.
TOGETHER = 0.02
HIGH, LOW, SAME, OTHER = "stands out high", "stands out low", "not distinguishable", "no outlier"
UNTESTED = "no verdict"
COLOURS = {
    HIGH: theme.BLUE,
    LOW: "#8a6d00",
    SAME: theme.BLACK,
    OTHER: theme.BLUE,
    UNTESTED: theme.MUTED,
}


def figure(view: CampaignView) -> Figure | None:
    """Return the detailed response plot: the distance of every algorithm from the mean of all, by condition."""
    if len(view.algorithms) < 2:
        return None
    period = view.main_period
    factors = view.campaign.design.factors
    tested = any(view.residuals(name, period).summary.cells_tested for name in view.in_period[period])
    shown = settings(view)
    farthest = (
        "the algorithm with the larger value"
        if len(view.algorithms) == 2
        else "the algorithm farthest from the mean"
    )  # fmt: skip
    wording = [farthest, "the logarithm of its distance", "its relative effect", *(["Grubbs' G"] if tested else [])]
    lines = len(STATISTICS) if tested else len(STATISTICS) - 1
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(view.algorithms, start=1))

    def content(response: str, period: str) -> Content:
        result, unit = view.residuals(response, period), view.unit_of(response)
        tables = {POINTS: points_table(result), VERDICTS: verdicts_table(result), SETTINGS: shown.table()}
        text = f"{caption(view, result, response)} {ends_of_values(result, unit)}".rstrip()
        return partial(residuals, result, shown, tested=tested), tables, text

    return of_response(
        view,
        "residuals",
        content,
        short_title="One response in detail",
        title="One response in detail: distance of every algorithm from the mean of all",
        reading=(
            "Conditions by rising range. The number stands for the algorithm, and its height is the distance from the "
            f"mean of all in this condition. Below: the settings; then {listed(wording)}. {numbers}. "
            "Dots: too close together for numbers."
        ),
        selections=[{"response": name} for name in view.in_period[period]],
        fixed=[SETTINGS],
        marks=len(view.conditions) * (len(view.algorithms) + len(factors) + lines),
        height=400 + LINE * (len(factors) + lines),
        axis="{}, less the mean of all algorithms",
        file="algorithms/residuals/{column}",
        folder="columns",
    )


def points_table(result: Residuals) -> pl.DataFrame:
    """Return a row per residual.

    Columns condition, algorithm, residual, number (of the algorithm, from 1, as text) and percent (of the mean of the
    condition).
    """
    mean = dict(zip(result.conditions, result.summary.mean[:, 0].tolist(), strict=True))
    numbers = {name: str(place) for place, name in enumerate(result.algorithms, start=1)}
    of_mean = 100 * pl.col("residual") / pl.col("condition").replace_strict(mean, return_dtype=pl.Float64)
    return (
        result.to_polars()
        .filter(pl.col("residual").is_not_null())
        .select(
            "condition",
            "algorithm",
            "residual",
            pl.col("algorithm").replace_strict(numbers, return_dtype=pl.String).alias("number"),
            of_mean.alias("percent"),
        )
    )


def verdicts_table(result: Residuals) -> pl.DataFrame:
    """Return a row per condition with its place from left to right, its verdict and the texts below it.

    Columns condition, place (from 0), verdict (a key of `COLOURS`), and ``text0``, ... in the order of `STATISTICS`.
    """
    short, rows = short_names(result.algorithms), []
    for place, row in enumerate(result.summary.to_polars().iter_rows(named=True)):
        verdict, texts = SAME, ["–"] * len(STATISTICS)
        if row["extreme"]:
            size = abs(row["residual"])
            texts = [
                short[row["extreme"]],
                number(float(np.log10(size)), 2) if size > 0 else "–",
                percent(row["relative_effect"], sign=True).replace(" %", "%"),
                number(row["statistic"]),
            ]
            verdict = UNTESTED if row["statement"] else OTHER
        if row["flagged"]:
            verdict = HIGH if row["side"] == "high" else LOW
        cells = {f"text{line}": text for line, text in enumerate(texts)}
        rows.append({"condition": row["condition"], "place": place, "verdict": verdict, **cells})
    return pl.DataFrame(rows)


def residuals(
    result: Residuals, settings: Settings, *, tested: bool | None = None, title: str = "", response: str = ""
) -> alt.VConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    settings
        Settings of all conditions.
    tested
        False leaves out the line of Grubbs' statistic. None: the line is there if a cell could be tested.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    conditions, algorithms, factors = len(settings.signs), result.algorithms, tuple(settings.factors)
    with_test = result.summary.cells_tested > 0 if tested is None else tested
    lines = list(STATISTICS) if with_test else list(STATISTICS)[:-1]
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
    # With an offset, Vega-Lite's default width is narrower than the step.
    band: dict[str, Any] = {"width": step, "color": "#fdf0d5", "aria": False}
    width = alt.Step(step, **{"for": "position"})
    verdict = alt.LookupData(alt.NamedData(name=VERDICTS), key="condition", fields=["place", "verdict"])
    base = theme.kept(POINTS, width=width, height=280).transform_lookup(lookup="condition", from_=verdict)
    x = alt.X("condition:O", title=None, axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False), **across)
    plot = alt.layer(
        base.transform_aggregate(place="min(place)", groupby=["condition"])
        .mark_rect(**band)
        .encode(x=x, y=alt.YValue(0), y2=alt.Y2Value("height"), opacity=theme.LIT),
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
            text=alt.Text("shown:N"),
            color=colour,
            tooltip=theme.tooltips("condition:O", "algorithm:N", ("residual:Q", "", "+.4~g"),
                               ("percent:Q", "% of the mean", "+.3~g"), "verdict:N"),
        ), title=theme.AXIS_TITLE)  # fmt: skip
    place = alt.LookupData(alt.NamedData(name=VERDICTS), key="condition", fields=["place"])
    below_x = alt.X("condition:O", axis=None, **across)
    signs = (
        theme.kept(SETTINGS, width=width, height=alt.Step(LINE))
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=place)
        .mark_text(fontSize=10)
        .encode(x=below_x, y=_lines("column:N", list(factors)), text=alt.Text("text:N"))
    )
    below = (
        theme.kept(VERDICTS, width=width, height=alt.Step(LINE))
        .transform_fold([f"text{line}" for line in range(len(lines))], as_=["line", "text"])
        .transform_calculate(name=f"{lines}[+slice(datum.line, 4)]")
        .mark_text(fontSize=9 if wide else 7)
        .encode(
            x=below_x,
            y=_lines("name:N", lines),
            text=alt.Text("text:N"),
            color=colour,
        )
    )
    parts = [plot, *([signs] if factors else []), below]
    chart = alt.vconcat(*parts, spacing=4).resolve_scale(color="shared")
    tables = {POINTS: points_table(result), VERDICTS: verdicts_table(result), SETTINGS: settings.table()}
    who = ", ".join(f"{place} {name}" for place, name in enumerate(algorithms, start=1))
    ends = f"Values from {number(result.lowest)} to {number(result.highest)}. {who}."
    return theme.finish(chart, tables, params=theme.condition_params(response), title=title, subtitle=[ends])


def _lines(field: str, order: list[str]) -> alt.Y:
    return alt.Y(field, sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=200, grid=False))


def caption(view: CampaignView, result: Residuals, response: str) -> str:
    """Return the conditions with an outlying algorithm, and the largest differences, as text."""
    return residuals_sentence(result, view.title_of(response), view.unit_of(response))


def residuals_sentence(result: Residuals, title: str, unit: str) -> str:
    """Return the conditions with an outlying algorithm, and the largest differences, as text."""
    summary = result.summary
    known = np.flatnonzero(np.isfinite(result.spread))
    if not len(known) or result.spread[known].max() <= 0:
        return f"The algorithms have the same {title} in every condition."
    same = sum(extreme is None for extreme in summary.extreme[known, 0])
    who = Counter(str(name) for name in summary.extreme[:, 0][summary.flagged[:, 0]])
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(result.algorithms, who)]
    widest = int(known[-1])
    sentence = f"Stands out: {listed(alone)}." if alone else "No algorithm stands out."
    if not summary.cells_tested:
        sentence = "No verdict." if len(result.algorithms) >= FEWEST_ALGORITHMS else f"No verdict: {FEWEST_STATEMENT}."
    if same:
        sentence += f" In {counted(same, 'condition')} they cannot be distinguished."
    if few := int((summary.statement[:, 0] == TOO_FEW_EVENTS).sum()):
        sentence += f" In {counted(few, 'condition')} too few events are counted for a verdict."
    sentence += (
        f" They differ most in condition {result.conditions[widest]}, by {difference(result.spread[widest], unit)}"
    )
    if len(known) > 1 and result.spread[known[-2]] > 0:
        after = int(known[-2])
        sentence += f", before condition {result.conditions[after]}, by {difference(result.spread[after], unit)}"
    return f"{sentence}."


def ends_of_values(result: Residuals, unit: str) -> str:
    """Return the range of the values of a detailed response plot; empty if there is none."""
    return f"Values run from {span(result.lowest, result.highest, unit)}." if result.highest > result.lowest else ""
