"""Histogram of |r| of all pairs of responses, with the threshold and the hint. (ASME paper, Fig. 8.)"""

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.correlation import Correlations
from mesonet.plots import theme
from mesonet.words import number

BINS, CUTS = "histogram", "histogram_cuts"
BIN = 0.05
WIDTH, HEIGHT = 560, 240  # px


def correlation_histogram(result: Correlations, *, title: str = "") -> alt.LayerChart:
    """Return the figure of one result."""
    counts, edges = np.histogram(result.absolute, bins=round(1 / BIN), range=(0, 1))
    kept = edges[:-1] + BIN / 2 > result.threshold
    bins = pl.DataFrame({"from": edges[:-1], "to": edges[1:], "pairs": counts, "kept": kept})
    cuts = pl.DataFrame(
        {
            "at": [result.threshold, result.hint],
            "name": [f"threshold {number(result.threshold, 2)}", f"suggested {number(result.hint, 2)}"],
            "line": [10, 26],
        }
    ).filter(pl.col("at").is_finite())
    if abs(result.threshold - result.hint) < 1e-12:
        cuts = cuts.head(1)
    x = alt.Scale(domain=[0, 1])
    bars = alt.Chart(alt.NamedData(name=BINS), width=WIDTH, height=HEIGHT).mark_bar().encode(
        x=alt.X("from:Q", bin="binned", title="|r| of a pair", scale=x),
        x2="to:Q",
        y=alt.Y("pairs:Q", title="pairs"),
        color=alt.when("datum.kept").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.HAIRLINE)),
        tooltip=[alt.Tooltip("from:Q", format=".2f"), alt.Tooltip("to:Q", format=".2f"), alt.Tooltip("pairs:Q")],
    )  # fmt: skip
    line = alt.Chart(alt.NamedData(name=CUTS), width=WIDTH, height=HEIGHT).encode(x=alt.X("at:Q", scale=x))
    chart = alt.layer(
        bars,
        line.mark_rule(color=theme.VERMILLION, strokeDash=[5, 4]),
        line.mark_text(align="right", dx=-5, color=theme.INK).encode(
            y=alt.Y("line:Q", scale=None, axis=None), text="name:N"
        ),
    )
    says = f"{len(result.absolute)} pairs of {len(result.responses)} responses; blue: above the threshold."
    return theme.finish(chart, {BINS: bins, CUTS: cuts}, title=title, subtitle=[says])
