"""Ordered data plot: conditions by rising response, with their settings.

All responses in rising order; below each the settings of the factors. Beside the factors the length of their longest
run of equal settings at each end. (Step 1 of the ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.1.)
"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.ordered import OrderedData
from mesonet.plots import theme
from mesonet.words import number

DATA, SIGNS, RUNS = "ordered", "ordered_signs", "ordered_runs"
WIDEST, NARROWEST, PAGE, ROW = 30, 4, 1000, 15  # px
SIGNED = 9  # px per run from which a sign can be read


def tables(result: OrderedData) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return three tables: a row per run, a row per run and factor, a row per factor."""
    ranks = np.arange(1, len(result.value) + 1)
    points = pl.DataFrame({"rank": ranks, "condition": result.condition, "value": result.value})
    k = len(result.factors)
    signs = pl.DataFrame(
        {
            "rank": np.repeat(ranks, k),
            "condition": np.repeat(result.condition, k),
            "factor": list(result.factors) * len(ranks),
            "sign": ["+" if sign > 0 else "−" for sign in result.signs.ravel()],
        }
    )
    ends = pl.DataFrame(
        {
            "factor": list(result.factors),
            "low": [f"{name}  {n}" for name, n in zip(result.factors, result.longest_low, strict=True)],
            "high": [f"{n}  {name}" for name, n in zip(result.factors, result.longest_high, strict=True)],
            "longest": result.longest_high == result.longest_high.max(initial=0),
        }
    )
    return points, signs, ends


def ordered_data(result: OrderedData, *, title: str = "", response: str = "") -> alt.VConcatChart:
    """Return the figure of one result; `response` is the title of the vertical axis."""
    points, signs, ends = tables(result)
    n, k = max(1, points.height), len(result.factors)
    step = max(NARROWEST, min(WIDEST, PAGE // n))
    width = step * n
    scale = alt.Scale(domain=[0.5, n + 0.5], nice=False, zero=False)
    lit = alt.when(theme.IS_HIGHLIGHTED).then(alt.value(theme.HIGHLIGHT)).otherwise(alt.value(theme.BLUE))
    plot = (
        alt.Chart(alt.NamedData(name=DATA), width=width, height=260)
        .mark_point(filled=True, size=max(14, min(50, step * 4)), opacity=1)
        .encode(
            x=alt.X("rank:Q", scale=scale, axis=None),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True)),
            color=lit,
            tooltip=[alt.Tooltip("condition:O"), alt.Tooltip("rank:Q"), alt.Tooltip("value:Q", format=".5~g")],
        )
    )
    grand = float(result.value.mean()) if len(result.value) else None
    mean = (
        alt.Chart(alt.NamedData(name=DATA), width=width, height=260)
        .mark_rule(strokeDash=[5, 4], color=theme.MUTED, aria=False)
        .encode(y="mean(value):Q")
    )
    down = alt.Y(
        "factor:N", sort=list(result.factors), title=None, axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0)
    )
    shade = alt.when("datum.sign === '+'").then(alt.value("#9fb3c8")).otherwise(alt.value(theme.PALE))
    base = alt.Chart(alt.NamedData(name=SIGNS), width=width, height=ROW * k).encode(
        y=down, tooltip=[alt.Tooltip("condition:O"), alt.Tooltip("factor:N"), alt.Tooltip("sign:N")]
    )
    edges = base.transform_calculate(left="datum.rank - 0.5", right="datum.rank + 0.5")
    cells = edges.mark_rect(stroke="white", strokeWidth=1 if step >= SIGNED else 0.4).encode(
        x=alt.X("left:Q", scale=scale, axis=None), x2="right:Q", fill=shade
    )
    layers = [cells]
    if step >= SIGNED:
        layers.append(base.mark_text(fontSize=10).encode(x=alt.X("rank:Q", scale=scale, axis=None), text="sign:N"))
    if step >= 16:
        condition = base.transform_filter(alt.datum.factor == result.factors[0]) if k else base
        numbers = condition.mark_text(fontSize=9, baseline="top", color=theme.MUTED).encode(
            x=alt.X("rank:Q", scale=scale, axis=None), y=alt.value(ROW * k + 4), text="condition:O"
        )
        layers.append(numbers)
    sides = alt.Chart(alt.NamedData(name=RUNS), width=width, height=ROW * k).encode(y=down)
    bold = alt.when("datum.longest").then(alt.value(theme.VERMILLION_TEXT)).otherwise(alt.value(theme.INK))
    layers += [
        sides.mark_text(align="right", fontSize=11).encode(x=alt.value(-6), text="low:N"),
        sides.mark_text(align="left", fontSize=11).encode(x=alt.value(width + 6), text="high:N", color=bold),
    ]
    chart = alt.vconcat(
        alt.layer(mean, plot).properties(title=theme.AXIS_TITLE), alt.layer(*layers), spacing=8
    ).add_params(theme.HIGHLIGHTED, theme.response_title(response))
    subtitle = [
        f"{n} conditions in rising order, mean {number(grand)}; beside a factor: equal settings from that end on.",
        *(["Under each value its condition."] if step >= 16 else []),
    ]
    return theme.finish(chart, {DATA: points, SIGNS: signs, RUNS: ends}, title=title, subtitle=subtitle)
