"""Condition-response summary: the algorithm that stands out, by condition and response.

Rows are conditions with the settings of their factors, columns are responses. A flagged cell names the algorithm: ▲ on
blue if it lies above all others, ▼ on yellow if below. (Figures 15 and 16 of Mills et al., ASME 2011.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.condition_response import ConditionResponseSummary
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings, short_names
from mesonet.reporting.campaign_view.values import LARGE, ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Control, Drawing, Figure
from mesonet.reporting.text.labels import settings
from mesonet.words import capitalised, counted, listed, number, percent

DATA = "condition_response"
CELL, ROW, TALL_ROW, SIGN, MEASURE = 43, 17, 28, 17, 38  # px
STANDS_HIGH, STANDS_LOW = "▲ stands out high", "▼ stands out low"
NO_OUTLIER, ALIKE = "no outlier", "not distinguishable"
NO_VERDICT, EMPTY = "no verdict", "nothing to compare"
COLOURS = {
    STANDS_HIGH: theme.HIGH, STANDS_LOW: theme.LOW, NO_OUTLIER: "#f4f5f7", ALIKE: "#dfe3e8",
    NO_VERDICT: "#fff6dc", EMPTY: "#b9c0c8",
}  # fmt: skip
_BANDS = alt.Scale(paddingInner=0, paddingOuter=0)
#: Share of false discoveries among the flagged cells that the third choice of outliers allows.
FALSE_DISCOVERIES = 0.05
#: Choices of outliers: every one, those far from the mean, those with few false discoveries.
ALL, FAR, DISCOVERIES = "all", "far", "discoveries"


def figure(view: CampaignView) -> Figure | None:
    """Return the condition-response summary, for every period and three choices of outliers."""
    if len(view.algorithms) < 2:
        return None
    labels = {name: view.label_of(name) for name in view.responses}
    shown = settings(view)
    main = view.in_period[view.main_period]
    # The columns of the figure are the responses of the main period.
    periods = [period for period, names in view.in_period.items() if names == main]

    def draw(period: str, outliers: str) -> Drawing:
        result = _outliers_of(view, period, outliers)
        heading = capitalised(view.period_title(period))
        return Drawing(
            partial(condition_response, result, shown, labels=labels, order=view.by_congestion, title=heading),
            {DATA: table(result, labels), SETTINGS: shown.table()},
            heading,
            caption(view, result, outliers),
        )

    first = view.summary(view.main_period)
    far = f"more than {percent(LARGE)} from the mean"
    options = [(ALL, "every extreme"), (FAR, f"extremes {far}")]
    if first.cells_tested:
        options = [
            (ALL, "every outlier (Grubbs, 5 %)"),
            (FAR, f"outliers {far}"),
            (DISCOVERIES, f"false discoveries held to {percent(100 * FALSE_DISCOVERIES)} (Benjamini, Hochberg)"),
        ]
    return Figure(
        id="condition-response",
        short_title="Who stands out",
        title="Who stands out: condition-response summary",
        reading=reading(view),
        draw=draw,
        selections=[{"period": period, "outliers": way} for period in periods for way in (ALL, FAR, DISCOVERIES)],
        fixed=[SETTINGS],
        marks=2 * len(view.conditions) * len(first.responses),
        height=260 + 17 * len(view.conditions),
        controls=[Control("outliers", "Name", options, ALL)],
        file="algorithms/condition_response_{outliers}",
        folder="main period",
    )


def _outliers_of(view: CampaignView, period: str, way: str) -> ConditionResponseSummary:
    """Return the summary with the cells flagged in one of the three ways."""
    if way == FAR:
        return view.summary(period, LARGE)
    result = view.summary(period)
    if way == ALL:
        return result
    with np.errstate(invalid="ignore"):
        return replace(result, flagged=result.q < FALSE_DISCOVERIES)


def table(summary: ConditionResponseSummary, labels: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a row per cell.

    Columns condition, response (its label), kind (a key of `COLOURS`), text in the cell, and the numbers that the
    pointer shows as text: extreme, relative, mean, g, p and note.
    """
    short = short_names(summary.algorithms)
    verdicts = summary.cells_tested > 0
    rows = []
    for row in summary.to_polars().iter_rows(named=True):
        kind = _kind(row)
        text = ""
        if row["flagged"]:
            text = f"{'▲' if row['side'] == 'high' else '▼'}{short[row['extreme']]}"
        elif kind == NO_VERDICT and not verdicts and abs(row["relative_effect"] or 0) > summary.min_relative_effect:
            text = f"{short[row['extreme']]}\n{percent(row['relative_effect'], sign=True)}"
        rows.append(
            {
                "condition": row["condition"],
                "response": (labels or {}).get(row["response"], row["response"]),
                "kind": kind,
                "text": text,
                "extreme": row["extreme"] or "none",
                "relative": percent(row["relative_effect"], sign=True),
                "mean": number(row["mean"]),
                "g": number(row["statistic"]),
                "p": number(row["p"], 2),
                "note": row["statement"] or "–",
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def condition_response(
    summary: ConditionResponseSummary,
    settings: Settings,
    *,
    labels: Mapping[str, str] | None = None,
    order: Sequence[int] | None = None,
    title: str = "",
    name: str = DATA,
) -> alt.HConcatChart:
    """Return the figure of one summary.

    Parameters
    ----------
    summary
        Verdicts by condition and response.
    settings
        Settings of its conditions.
    labels
        As for every plot, see `mesonet.plots`.
    order
        Conditions from top to bottom; None: as in the summary.
    title
        As for every plot, see `mesonet.plots`.
    name
        Name of the table of the cells, so that a page can have several.

    Returns
    -------
    The chart.
    """
    rows = table(summary, labels)
    order = list(order if order is not None else summary.conditions)
    height = ROW if summary.cells_tested else TALL_ROW
    columns = [(labels or {}).get(response, response) for response in summary.responses]
    panels = [_settings(list(settings.factors), order, height, SIGN, labelled=True)]
    if settings.measures:
        panels.append(_settings([settings.measure], order, height, MEASURE, labelled=False))
    chart = alt.hconcat(*panels, _cells(summary, name, columns, order, height), spacing=6)
    return theme.finish(
        chart,
        {name: rows, SETTINGS: settings.table()},
        params=theme.condition_params(),
        title=title,
        subtitle=_legend(summary),
    )


def _legend(summary: ConditionResponseSummary) -> list[str]:
    short = [f"{code} = {name}" for name, code in short_names(summary.algorithms).items() if code != name]
    return [", ".join(short)] if short else []


def _kind(row: Mapping[str, Any]) -> str:
    if row["flagged"]:
        return STANDS_HIGH if row["side"] == "high" else STANDS_LOW
    if row["statistic"] is not None:
        return NO_OUTLIER
    if row["extreme"] is not None:
        return NO_VERDICT
    return ALIKE if row["statement"] == ALIKE else EMPTY


def _rows(order: list[int], *, labelled: bool) -> alt.Y:
    axis = alt.Axis(title="condition", ticks=False, domain=False, labelPadding=6) if labelled else None
    return alt.Y("condition:O", sort=order, axis=axis, scale=_BANDS)


def _settings(columns: list[str], order: list[int], height: int, width: int, *, labelled: bool) -> Any:
    """Return the −/+ settings of every condition, or its measure."""
    base = (
        theme.kept(SETTINGS, width=alt.Step(width), height=alt.Step(height))
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=columns))
        .encode(
            x=alt.X("column:O", sort=columns, axis=_top_axis(), scale=_BANDS),
            y=_rows(order, labelled=labelled),
            tooltip=theme.tooltips("condition:O", ("column:N", "what"), ("text:N", "is")),
        )
    )
    shade = theme.either("datum.text === '+'", "#dfe3e8", "white")
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=1, aria=False).encode(fill=alt.FillValue(**shade)),
        base.mark_text(fontSize=10).encode(text=alt.Text("text:N")),
        _ring(base),
    )


def _cells(summary: ConditionResponseSummary, name: str, columns: list[str], order: list[int], height: int) -> Any:
    """Return the matrix itself."""
    base = theme.kept(name, width=alt.Step(CELL), height=alt.Step(height)).encode(
        x=alt.X("response:O", sort=columns, axis=_top_axis(), scale=_BANDS),
        y=_rows(order, labelled=False),
        tooltip=theme.tooltips(
            "condition:O",
            "response:N",
            ("extreme:N", "farthest from the mean"),
            ("relative:N", "relative effect"),
            ("mean:N", "mean of all"),
            ("g:N", "G"),
            "p:N",
            ("kind:N", "verdict"),
            "note:N",
        ),
    )
    kinds = [kind for kind in COLOURS if summary.cells_tested or kind in (ALIKE, NO_VERDICT, EMPTY)]
    legend = alt.Legend(
        orient="bottom", title=None, columns=3, labelLimit=300, symbolType="square", symbolStrokeColor=theme.HAIRLINE
    )
    scale = alt.Scale(domain=kinds, range=[COLOURS[kind] for kind in kinds])
    lines: dict[str, Any] = {} if summary.cells_tested else {"lineBreak": "\n", "lineHeight": 11, "dy": -5}
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=1, aria=False).encode(
            fill=alt.Fill("kind:N", scale=scale, legend=legend)
        ),
        base.mark_text(fontSize=10, **lines).encode(text=alt.Text("text:N")),
        _ring(base),
    )


def _top_axis() -> alt.Axis:
    return alt.Axis(orient="top", title=None, labelAngle=-60, ticks=False, domain=False, labelPadding=4, labelLimit=220)


def _ring(base: alt.Chart) -> alt.Chart:
    """Return a frame around the row of the highlighted condition."""
    return theme.ring(base, x=alt.XValue(0), x2=alt.X2Value("width"), tooltip=alt.TooltipValue(None))


def reading(view: CampaignView) -> str:
    """Return the guide to reading the condition-response summary."""
    text = f"Rows are conditions with their settings, {view.order_words}; columns are responses. "
    if not view.summary(view.main_period).cells_tested:
        if len(view.algorithms) == 2:
            return (
                f"{text}A cell names the algorithm with the larger value, and how far it lies above the mean of both."
            )
        return f"{text}A cell names the algorithm farthest from the mean of all and its distance from it."
    text += "A named algorithm is an outlier among all in that cell (Grubbs' test): ▲ on blue above the others, "
    return text + "▼ on yellow below. High is neither good nor bad."


def summary_caption(view: CampaignView, result: ConditionResponseSummary) -> str:
    """Return the outlying algorithms and the number of such cells expected by chance, as text."""
    notes = " ".join(result.notes)
    if not result.cells_tested:
        return notes or "There is no cell that could be tested."
    cells = f"{result.cells_flagged:,} of {counted(result.cells_tested, 'cell')} that could be tested"
    chance = (
        f"If no algorithm differed, about {number(result.expected_by_chance, 2)} would be flagged by chance"
        f"{' before the filter' if result.min_relative_effect else ''}."
    )
    if result.adjust != "none":
        chance = f"Of those flagged, {number(result.expected_by_chance, 2)} at most are expected to be by chance."
    far = f" by more than {percent(result.min_relative_effect)} of the mean" if result.min_relative_effect else ""
    if not result.cells_flagged:
        return f"No algorithm stands out{far} in any of {counted(result.cells_tested, 'cell')} tested. {chance} {notes}"
    who = Counter(str(name) for name in result.extreme[result.flagged])
    by_name = [f"{name} in {who[name]}" for name in ordered(result.algorithms, who)]
    return f"An algorithm stands out{far} in {cells}: {listed(by_name)}. {chance} {notes}".rstrip()


def caption(view: CampaignView, result: ConditionResponseSummary, way: str) -> str:
    """Return the outlying algorithms, and the number of such cells expected by chance, as text.

    `way`: choice of outliers: `ALL`, `FAR` or `DISCOVERIES`.
    """
    text = summary_caption(view, result)
    if way == DISCOVERIES and result.cells_flagged:
        # The number expected by chance is that of the plain test.
        share = percent(100 * FALSE_DISCOVERIES)
        text = f"{text.split(' If no algorithm')[0]} Of these at most about {share} are false discoveries."
    return text
