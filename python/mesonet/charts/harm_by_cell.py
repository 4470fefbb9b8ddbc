"""Harm with its interval, a row per cell and a colour per incumbent."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "harm_by_cell"
WIDTH, STEP = 460, 16  # px
LINE, CHARACTERS = 13, 64
"""Height of a line of a label, px, and its longest text: about 420 px."""


def harm_by_cell(values: pl.DataFrame, algorithms: Sequence[str], *, margin: float, title: str = "") -> alt.LayerChart:
    """Return a point and an interval per cell and incumbent, with the margin as a line.

    Parameters
    ----------
    values
        Columns cell, algorithm (the incumbent), harm, low, high (parts of 1), in the order of drawing.
    algorithms
        Incumbents, which give the colours and shapes.
    margin
        Harm from which a difference is not acceptable, as a part of 1.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Gains of more than 100 % are drawn at the edge.
    """
    labels = pl.col("cell").map_elements(lambda cell: "\n".join(wrap(cell, CHARACTERS)), return_dtype=pl.String)
    shown = values.with_columns(pl.col("harm", "low", "high").clip(-1, 1), cell=labels)
    lines = max(label.count("\n") + 1 for label in shown["cell"])
    names = list(algorithms)
    colour = alt.Color("algorithm:N", title="against", scale=theme.algorithm_colours(names))
    shape = alt.Shape("algorithm:N", title="against", scale=theme.algorithm_shapes(names))
    base = alt.Chart(width=WIDTH, height=alt.Step(max(STEP, LINE * lines / len(names))))
    axis = alt.Axis(labelExpr="split(datum.label, '\\n')", labelLimit=420, ticks=False, domain=False, grid=True)
    y = alt.Y("cell:N", title=None, sort=None, axis=axis)
    offset = alt.YOffset("algorithm:N", sort=names)
    scale = alt.Scale(domain=[-1, 1])
    x = alt.X("low:Q", title="←  gain            harm  →", scale=scale, axis=alt.Axis(format="%", tickCount=9))
    intervals = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, yOffset=offset, color=colour)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("harm:Q", scale=scale), y=y, yOffset=offset, color=colour, shape=shape
    )
    zero = alt.Chart().mark_rule(color=theme.MUTED).encode(x=alt.XDatum(0))
    limit = alt.Chart().mark_rule(color=theme.VERMILLION, strokeDash=[4, 3]).encode(x=alt.XDatum(margin))
    chart = alt.layer(zero, limit, intervals, points, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: shown}, title=title)
