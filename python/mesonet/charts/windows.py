"""Windows of a few flows over time, with the segments that the path holds.

(ASME paper, Figs. 3 and 17 to 23.) The subtitle has the mean window of each flow and of their sum.
"""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis.windows import WindowShares
from mesonet.charts import theme
from mesonet.words import number, percent

DATA = "windows"
_COLOURS = (theme.VERMILLION, theme.BLUE, theme.GREEN, theme.PINK, theme.BLACK, "#8a6d00")
WIDTH, HEIGHT, MOST = 760, 300, 1500  # px, px, points per flow


def windows(
    time_s: ArrayLike, segments: ArrayLike, result: WindowShares, *, capacity: float | None = None, title: str = ""
) -> alt.LayerChart:
    """Return the figure of windows over time.

    Parameters
    ----------
    time_s
        Times, s, shape (samples,).
    segments
        Windows, segments, shape (samples, flows); NaN while a flow is absent. Above `MOST` samples, each point is the
        mean of several.
    result
        Mean windows and names of the flows.
    capacity
        Segments that the path holds, for a dashed line; None: no line.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.

    Raises
    ------
    ValueError
        If the windows do not have the shape.
    """
    time, values = np.asarray(time_s, dtype=float), np.asarray(segments, dtype=float)
    if values.shape != (len(time), len(result.flows)):
        raise ValueError(f"the windows have shape {values.shape}; expected ({len(time)}, {len(result.flows)})")
    each = max(1, -(-len(time) // MOST))
    parts = [slice(i, i + each) for i in range(0, len(time), each)]
    rows = []
    for place, name in enumerate(result.flows):
        for part in parts:
            some = values[part, place]
            some = some[np.isfinite(some)]
            if len(some):
                rows.append({"time": float(time[part].mean()), "flow": name, "cwnd": float(some.mean())})
    table = pl.DataFrame(rows, schema={"time": pl.Float64, "flow": pl.String, "cwnd": pl.Float64})
    scale = theme.in_turn(result.flows, _COLOURS)
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT)
    layers = [
        base.mark_line(strokeWidth=1.3).encode(
            x=alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False)),
            y=alt.Y("cwnd:Q", title="congestion window, segments"),
            color=alt.Color("flow:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
            tooltip=theme.tooltips("flow:N", ("time:Q", "", ".1f"), ("cwnd:Q", "", ".4~g")),
        )
    ]
    if capacity:
        layers.append(base.mark_rule(strokeDash=[5, 4], color=theme.MUTED).encode(y=alt.YDatum(capacity)))
    means = [f"{name} {number(float(mean), 4)}" for name, mean in zip(result.flows, result.mean, strict=True)]
    text = f"Mean windows: {', '.join(means)}"
    if result.total == result.total:
        text += f"; sum while all are there {number(result.total, 4)}"
    if result.filled == result.filled:
        text += f", {percent(result.filled)} of what the path holds (dashed)"
    return theme.finish(alt.layer(*layers), {DATA: table}, title=title, subtitle=[f"{text} segments."])
