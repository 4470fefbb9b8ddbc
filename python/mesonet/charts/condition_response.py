"""Condition-response summary: the algorithm that stands out, by condition and response.

Rows are conditions with the settings of their factors, columns are responses. A flagged cell names the algorithm: ▲ on
blue if it lies above all others, ▼ on yellow if below. (Figures 15 and 16 of Mills et al., ASME 2011.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.analysis.condition_response import ConditionResponseSummary
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings, short_names
from mesonet.words import number, percent

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


def table(summary: ConditionResponseSummary, labels: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a row per cell.

    Parameters
    ----------
    summary
        Verdicts by condition and response.
    labels
        As for every plot, see `mesonet.plots`.

    Returns
    -------
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
