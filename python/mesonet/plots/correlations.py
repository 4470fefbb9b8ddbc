"""Correlations of all pairs of responses, and their distribution.

r x 100 in a matrix ordered by mean correlation (ASME paper, Fig. 7; the scatter plots above its diagonal are left out)
and the histogram of |r| with the threshold (Fig. 8).
"""

from collections.abc import Mapping

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.correlation import Correlations
from mesonet.plots import theme
from mesonet.words import hundredths, number

DATA, BINS = "correlations", "bins"
SIDE, SMALL = 26, 9  # px per cell, and where there are so many that no number is shown
NUMBERED = 45  #: responses up to which cells hold numbers
_BIN = 0.05


def tables(result: Correlations, labels: Mapping[str, str] | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a table with a row per pair, and a table with a row per bin of the histogram."""
    names = [result.responses[i] for i in result.order]
    shown = {name: (labels or {}).get(name, name) for name in names}
    matrix = result.r[np.ix_(result.order, result.order)]
    rows = [
        {
            "row": shown[first], "column": shown[second], "r": None if np.isnan(r) else float(r),
            "text": "" if i == j else hundredths(float(r)), "size": abs(float(r)),
        }
        for i, first in enumerate(names)
        for j, (second, r) in enumerate(zip(names, matrix[i], strict=True))
    ]  # fmt: skip
    counts, edges = np.histogram(result.absolute, bins=round(1 / _BIN), range=(0, 1))
    bins = pl.DataFrame(
        {"from": edges[:-1], "to": edges[1:], "pairs": counts, "kept": edges[:-1] + _BIN / 2 > result.threshold}
    )
    return pl.DataFrame(rows, infer_schema_length=None), bins


def correlations(result: Correlations, *, labels: Mapping[str, str] | None = None, title: str = "") -> alt.VConcatChart:
    """Return the figure of one result; `labels` name the responses."""
    rows, bins = tables(result, labels)
    order = list(dict.fromkeys(rows["row"]))
    numbered = len(order) <= NUMBERED
    side = (SIDE if numbered else SMALL) * len(order)
    font = 11 if numbered else 8
    base = alt.Chart(alt.NamedData(name=DATA), width=side, height=side).encode(
        x=alt.X(
            "column:N", sort=order, title=None,
            axis=alt.Axis(orient="top", labelAngle=-60, labelLimit=260, ticks=False, domain=False, labelFontSize=font),
        ),
        y=alt.Y(
            "row:N", sort=order, title=None,
            axis=alt.Axis(labelLimit=260, ticks=False, domain=False, labelFontSize=font),
        ),
    )  # fmt: skip
    scale = alt.Scale(domain=[-1, 0, 1], range=[theme.VERMILLION, "#ffffff", theme.BLUE], interpolate="rgb")
    cells = base.mark_rect(stroke="white", strokeWidth=1 if numbered else 0.4, aria=False).encode(
        color=alt.Color("r:Q", scale=scale, legend=None),
        tooltip=[alt.Tooltip("row:N"), alt.Tooltip("column:N", title="and"), alt.Tooltip("r:Q", format="+.3f")],
    )
    numbers = base.mark_text(fontSize=10).encode(text="text:N", color=theme.ink_on_blue("datum.r"))
    matrix = alt.layer(cells, numbers) if numbered else alt.layer(cells)
    bars = alt.Chart(alt.NamedData(name=BINS), width=max(side, 320), height=130).mark_bar().encode(
        x=alt.X("from:Q", bin="binned", title="|r| of a pair", scale=alt.Scale(domain=[0, 1])),
        x2="to:Q",
        y=alt.Y("pairs:Q", title="pairs"),
        color=alt.when("datum.kept").then(alt.value(theme.BLUE)).otherwise(alt.value(theme.HAIRLINE)),
        tooltip=[alt.Tooltip("from:Q"), alt.Tooltip("to:Q"), alt.Tooltip("pairs:Q")],
    )  # fmt: skip
    alike = [cluster for cluster in result.clusters if len(cluster) > 1]
    says = (
        f"Above |r| = {number(result.threshold, 2)} {len(result.responses)} responses fall into {len(result.clusters)} "
        f"clusters, {len(alike)} of more than one."
    )
    return theme.finish(alt.vconcat(matrix, bars, spacing=24), {DATA: rows, BINS: bins}, title=title, subtitle=[says])
