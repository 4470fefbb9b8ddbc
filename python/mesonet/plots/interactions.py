"""Interaction effects matrix of all pairs of factors.

Main effects on the diagonal, two-factor interactions above it: a line from the mean at -1 to the mean at +1 of each
product. (Step 4 of the ten-step analysis; NIST/SEMATECH e-Handbook, section 5.5.9.4.)
"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.interactions import Interactions
from mesonet.plots import theme
from mesonet.words import number, signed

DATA, FACTORS, STRINGS = "interactions", "factors", "interaction_strings"
LONGEST = 60  #: characters of an alias string
SMALLEST, LARGEST = 34, 76  # px per cell


def table(result: Interactions) -> pl.DataFrame:
    """Return a row per cell of the upper triangle: the ends of its line, and its numbers.

    Cell (i, j) spans j to j + 1 across and i to i + 1 down; means run from the bottom of a cell (the smallest mean of
    all cells) to its top.
    """
    k = len(result.factors)
    means = np.concatenate([result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]])
    means = means[np.isfinite(means)]
    low, high = (float(means.min()), float(means.max())) if len(means) else (0.0, 1.0)
    span = high - low or 1.0

    def down(row: int, mean: float) -> float | None:
        return row + 0.86 - 0.56 * (mean - low) / span if np.isfinite(mean) else None

    rows = []
    for i in range(k):
        for j in range(i, k):
            name = result.factors[i] if i == j else f"{result.factors[i]}*{result.factors[j]}"
            minus, plus = float(result.mean_minus[i, j]), float(result.mean_plus[i, j])
            rows.append(
                {
                    "term": name, "main": i == j, "left": j + 0.18, "right": j + 0.82, "middle": j + 0.5,
                    "edge": j + 0.03, "far_edge": j + 0.97, "top": i + 0.03, "bottom": i + 0.97, "caption": i + 0.17,
                    "minus": down(i, minus), "plus": down(i, plus), "mean_minus": number(minus),
                    "mean_plus": number(plus), "effect": signed(float(result.effect[i, j]), 2),
                    "size": abs(float(result.effect[i, j])),
                }
            )  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def interactions(
    result: Interactions, *, cut: float = np.inf, strings: Sequence[str] = (), title: str = ""
) -> alt.LayerChart:
    """Return the figure of one result; effects larger than `cut` stand out. `strings`: alias strings of the largest
    interactions, listed where the matrix is empty."""
    rows = table(result)
    k = len(result.factors)
    side = max(SMALLEST, min(LARGEST, 1150 // k))
    across, down = alt.Scale(domain=[-0.35, k], nice=False), alt.Scale(domain=[k, -0.35], nice=False)
    base = alt.Chart(alt.NamedData(name=DATA), width=side * k, height=side * k).encode(
        tooltip=[
            alt.Tooltip("term:N"),
            alt.Tooltip("mean_minus:N", title="mean at −"),
            alt.Tooltip("mean_plus:N", title="mean at +"),
            alt.Tooltip("effect:N"),
        ]
    )
    colour = alt.when(f"datum.size > {cut!r}" if np.isfinite(cut) else "false").then(alt.value(theme.VERMILLION_TEXT))
    lines = base.encode(
        x=alt.X("left:Q", scale=across, axis=None), y=alt.Y("minus:Q", scale=down, axis=None),
        color=colour.otherwise(alt.value(theme.BLUE)),
    )  # fmt: skip
    labels = pl.DataFrame({"factor": list(result.factors), "place": [i + 0.5 for i in range(k)]})
    label = alt.Chart(alt.NamedData(name=FACTORS)).mark_text(fontWeight="bold").encode(text="factor:N")
    chart = alt.layer(
        base.mark_rect(stroke=theme.HAIRLINE, strokeWidth=0.6).encode(
            x=alt.X("edge:Q", scale=across, axis=None), x2="far_edge:Q",
            y=alt.Y("top:Q", scale=down, axis=None), y2="bottom:Q",
            fill=alt.when("datum.main").then(alt.value(theme.PALE)).otherwise(alt.value("white")),
        ),
        lines.mark_rule(strokeWidth=2).encode(x2="right:Q", y2="plus:Q"),
        lines.mark_circle(size=16, opacity=1),
        lines.mark_circle(size=16, opacity=1).encode(
            x=alt.X("right:Q", scale=across, axis=None), y=alt.Y("plus:Q", scale=down, axis=None)
        ),
        base.mark_text(fontSize=9 if side < 60 else 10).encode(
            x=alt.X("middle:Q", scale=across, axis=None), y=alt.Y("caption:Q", scale=down, axis=None), text="effect:N",
            color=colour.otherwise(alt.value(theme.INK)),
        ),
        label.encode(x=alt.X("place:Q", scale=across, axis=None), y=alt.YDatum(-0.15, scale=down, axis=None)),
        label.mark_text(fontWeight="bold", align="right").encode(
            x=alt.XDatum(-0.05, scale=across, axis=None), y=alt.Y("place:Q", scale=down, axis=None)
        ),
    )  # fmt: skip
    known = np.r_[result.mean_minus[np.triu_indices(k)], result.mean_plus[np.triu_indices(k)]]
    known = known[np.isfinite(known)]
    listed = [text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …" for text in strings[: max(0, 2 * k - 8)]]
    if listed:
        lines_of = pl.DataFrame({"text": ["Largest interactions, with aliases:", *listed]}).with_row_index("line")
        text = (
            alt.Chart(alt.NamedData(name=STRINGS))
            .transform_calculate(place=f"{side * k - 14 * len(listed) - 6} + 14 * datum.line")
            .mark_text(align="left", fontSize=10)
            .encode(x=alt.value(0.4 * side + 6), y=alt.Y("place:Q", scale=None, axis=None), text="text:N")
        )
        chart = alt.layer(chart, text)
    else:
        lines_of = pl.DataFrame({"text": []})
    ends = f"The scale of every cell runs from {number(known.min())} to {number(known.max())}." if len(known) else ""
    return theme.finish(
        chart, {DATA: rows, FACTORS: labels, STRINGS: lines_of}, title=title, subtitle=[ends] if ends else ()
    )
