"""A response over the levels of a factor, one line for each level of another, for designs with a grid of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import altair as alt
import polars as pl

from mesonet.charts import theme

LINES = "level_lines"
WIDTH, HEIGHT = 300, 230
#: Ratio of the largest level to the smallest above which the axis is logarithmic (chosen).
WIDE = 20.0


def level_lines(
    values: pl.DataFrame, *, across: str, lines: str = "", title: str = "", response: str = ""
) -> alt.VConcatChart:
    """Return a panel of lines for each algorithm.

    Parameters
    ----------
    values
        Columns algorithm, across and lines, the settings of two factors, and value; lines is null without a second
        factor.
    across
        Name of the factor on the horizontal axis.
    lines
        Name of the factor of the lines; empty: no legend.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; the panels share their vertical scale.
    """
    algorithms = values["algorithm"].unique(maintain_order=True).to_list()
    least, most = float(values["across"].min()), float(values["across"].max())  # type: ignore[arg-type]
    kind: Literal["log", "linear"] = "log" if least > 0 and most / least > WIDE else "linear"
    x_scale = alt.Scale(type=kind, zero=False, nice=False, padding=8)
    legend = alt.Legend(title=lines) if lines else None
    panels: Sequence[alt.Chart] = [
        alt.Chart(alt.NamedData(name=LINES), width=WIDTH, height=HEIGHT, title=name if len(algorithms) > 1 else "")
        .transform_filter(alt.datum.algorithm == name)
        .mark_line(point=alt.OverlayMarkDef(size=28), strokeWidth=1.5)
        .encode(
            x=alt.X("across:Q", title=across, scale=x_scale),
            y=alt.Y("value:Q", title=response if place == 0 else None),
            color=alt.Color("lines:O", scale=alt.Scale(scheme="viridis"), legend=legend),
            tooltip=["algorithm:N", "lines:O", "across:Q", alt.Tooltip("value:Q", format=".5~g")],
        )
        for place, name in enumerate(algorithms)
    ]
    rows = [alt.hconcat(*panels[i : i + 3], spacing=16).resolve_scale(y="shared") for i in range(0, len(panels), 3)]
    chart = alt.vconcat(*rows, spacing=18).resolve_scale(y="shared")
    return theme.finish(chart, {LINES: values}, title=title)
