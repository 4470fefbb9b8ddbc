"""Residual plot of one response: the distance of each algorithm from the mean of all, by condition.

(Figure 14 of Mills et al., ASME 2011.) Conditions from left to right by rising range; each point an algorithm. Below:
the settings of the factors, the extreme algorithm, the size of its residual, its relative effect and Grubbs' G.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.residuals import Residuals
from mesonet.plots import theme
from mesonet.plots.condition_response import Settings, short_names
from mesonet.words import number, percent

POINTS, ROWS = "residuals", "residual_rows"
STATISTICS = ("extreme", "log10 of its residual", "relative effect", "G")
STEP, LINE = 46, 15  # px
HIGH, LOW, SAME, OTHER = "stands out high", "stands out low", "not distinguishable", "no outlier"
UNTESTED = "no verdict"
COLOURS = {
    HIGH: theme.GREEN_TEXT,
    LOW: theme.VERMILLION_TEXT,
    SAME: theme.BLACK,
    OTHER: theme.BLUE,
    UNTESTED: theme.MUTED,
}


def tables(result: Residuals, settings: Settings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table with a row per point, and a table with a row per text below a condition."""
    short = short_names(result.algorithms)
    points, rows = [], []
    for place, condition in enumerate(result.conditions):
        verdict = verdict_of(result, place)
        for name, value in zip(result.algorithms, result.residual[place], strict=True):
            if np.isfinite(value):
                points.append({"condition": condition, "algorithm": name, "residual": float(value), "verdict": verdict})
        texts = {
            factor: "+" if sign > 0 else "−"
            for factor, sign in zip(settings.factors, settings.signs.get(condition, ()), strict=False)
        }
        for line, (title, text) in enumerate({**texts, **statistics(result, place, short)}.items()):
            rows.append({"condition": condition, "line": line, "title": title, "text": text, "verdict": verdict})
    kinds = {"condition": pl.Int64, "algorithm": pl.String, "residual": pl.Float64, "verdict": pl.String}
    texts_of = {"condition": pl.Int64, "line": pl.Int64, "title": pl.String, "text": pl.String, "verdict": pl.String}
    return pl.DataFrame(points, schema=kinds), pl.DataFrame(rows, schema=texts_of)


def statistics(result: Residuals, place: int, short: Mapping[str, str]) -> dict[str, str]:
    """Return the texts below the condition at `place`, by `STATISTICS`: dashes where no algorithm is the extreme one.

    `short`: the name of each algorithm there.
    """
    summary = result.summary
    extreme, residual = summary.extreme[place, 0], abs(float(summary.residual[place, 0]))
    if not extreme:
        return dict.fromkeys(STATISTICS, "–")
    texts = (
        short[extreme],
        number(float(np.log10(residual)), 2) if residual > 0 else "–",
        percent(float(summary.relative_effect[place, 0]), sign=True).replace(" %", "%"),
        number(float(summary.statistic[place, 0])),
    )
    return dict(zip(STATISTICS, texts, strict=True))


def verdict_of(result: Residuals, place: int) -> str:
    """Return the verdict, a key of `COLOURS`, of the condition at `place`."""
    summary = result.summary
    if summary.extreme[place, 0] is None:
        return SAME
    if not summary.flagged[place, 0]:
        return UNTESTED if summary.statement[place, 0] else OTHER
    return HIGH if summary.side[place, 0] == "high" else LOW


def residuals(result: Residuals, settings: Settings, *, title: str = "", response: str = "") -> alt.VConcatChart:
    """Return the figure of one result; `settings` say what a condition is, `response` what the vertical axis shows."""
    points, rows = tables(result, settings)
    numbered = {name: str(place) for place, name in enumerate(result.algorithms, start=1)}
    points = points.with_columns(number=pl.col("algorithm").replace_strict(numbered, default=""))
    order = list(result.conditions)
    lines = max(rows["title"].n_unique(), 1)
    across: dict[str, Any] = {"sort": order, "scale": alt.Scale(paddingInner=0, paddingOuter=0)}
    by_verdict = alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    colour = alt.Color("verdict:N", scale=by_verdict, legend=alt.Legend(title=None, orient="top"))
    width = alt.Step(STEP, **{"for": "position"})
    base = alt.Chart(alt.NamedData(name=POINTS), width=width, height=300).transform_filter(theme.IS_KEPT)
    x = alt.X("condition:O", title=None, axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False), **across)
    plot = alt.layer(
        base.transform_aggregate(groupby=["condition"]).mark_rect(color="#fdf0d5", aria=False).encode(
            x=x, y=alt.value(0), y2=alt.value("height"), opacity=theme.LIT
        ),
        base.mark_rule(color=theme.HAIRLINE, aria=False).encode(y=alt.YDatum(0)),
        base.mark_text(fontSize=10).encode(
            x=x,
            xOffset=alt.XOffset("algorithm:N", sort=list(result.algorithms), scale=alt.Scale(paddingOuter=0.4)),
            y=alt.Y("residual:Q", title=None),
            text="number:N",
            color=colour,
            tooltip=[
                alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N"), alt.Tooltip("residual:Q", format="+.4~g"),
                alt.Tooltip("verdict:N"),
            ],
        ),
    )  # fmt: skip
    below = alt.Chart(alt.NamedData(name=ROWS), width=width, height=LINE * lines).transform_filter(theme.IS_KEPT)
    text = below.mark_text(fontSize=10).encode(
        x=alt.X("condition:O", axis=None, **across),
        y=alt.Y(
            "title:N", sort=alt.EncodingSortField("line"), title=None,
            axis=alt.Axis(ticks=False, domain=False, labelLimit=200),
        ),
        text="text:N",
        color=alt.Color("verdict:N", scale=by_verdict, legend=None),
    )  # fmt: skip
    who = ", ".join(f"{place} {name}" for name, place in numbered.items())
    ends = f"Values from {number(result.lowest)} to {number(result.highest)}. {who}."
    chart = alt.vconcat(plot.properties(title=theme.AXIS_TITLE), text, spacing=6).resolve_scale(x="shared")
    chart = chart.add_params(theme.HIGHLIGHTED, theme.KEPT, theme.response_title(response))
    return theme.finish(chart, {POINTS: points, ROWS: rows}, title=title, subtitle=[ends])
