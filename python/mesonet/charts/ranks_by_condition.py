"""Ranks of the algorithms in every condition, their mean and their spread.

(After the rank matrices of SP 500-282, ch. 9, Figs. 22 to 36.)
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.charts import theme
from mesonet.charts.rank_scatter import LEAST, SIDES, label_sides

CELLS, MEANS = "ranks", "rank_means"
STEP, NARROW, ROW = 30, 16, 24  # px; the narrow step above 64 conditions
WIDTH, HEIGHT, PADDING = 420, 230, 14  # px of means and spreads


def sides_of(algorithms: Sequence[str], mean: NDArray[np.float64], sd: NDArray[np.float64]) -> list[str]:
    """Return for each algorithm the side of its point for its name in the scatter of means and spreads.

    Parameters
    ----------
    algorithms
        Names.
    mean
        Mean rank per algorithm, from 1.
    sd
        Standard deviation of the ranks per algorithm; NaN where not computable.

    Returns
    -------
    A key of `rank_scatter.SIDES` per algorithm.
    """
    known = np.isfinite(mean) & np.isfinite(sd)
    across = PADDING + (WIDTH - 2 * PADDING) * (mean - 1) / max(len(algorithms) - 1, 1)
    top = max(float(sd[known].max(initial=0.0)), LEAST["unionWith"][1])
    places = [
        (float(x), HEIGHT * (1 - float(spread) / top)) if there else None
        for x, spread, there in zip(across, sd, known, strict=True)
    ]
    return label_sides(algorithms, places)


def ranks_by_condition(
    cells: pl.DataFrame, means: pl.DataFrame, algorithms: Sequence[str], *, order: Sequence[int], title: str = ""
) -> alt.VConcatChart:
    """Return the matrix of ranks, and below it the scatter of their means and spreads.

    Parameters
    ----------
    cells
        Columns condition, algorithm, rank, text and value.
    means
        Columns algorithm, mean, sd and side (`sides_of`).
    algorithms, order, title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; without the scatter if there is only one condition.
    """
    wide = len(order) <= 64
    count = len(algorithms)
    base = theme.kept(CELLS, width=alt.Step(STEP if wide else NARROW), height=alt.Step(ROW)).encode(
            x=alt.X(
                "condition:O", sort=list(order), title="condition", scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False, labelOverlap=True),
            ),
            y=alt.Y("algorithm:N", sort=list(algorithms), title=None, axis=alt.Axis(ticks=False, domain=False)),
            tooltip=theme.tooltips("condition:O", "algorithm:N", "rank:Q", ("value:Q", "", ".5~g")),
    )  # fmt: skip
    scale = alt.Scale(
        domain=[1, (1 + count) / 2, max(count, 2)], range=[theme.LOW, "#ffffff", "#7db8dd"], interpolate="rgb"
    )
    ring = theme.ring(base, y=alt.YValue(0), y2=alt.Y2Value("height"), tooltip=alt.TooltipValue(None))
    matrix = alt.layer(
        base.mark_rect(stroke="white", aria=False).encode(fill=alt.Fill("rank:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=10 if wide else 8).encode(text=alt.Text("text:N")),
        ring,
    )
    points = alt.Chart(alt.NamedData(name=MEANS), width=WIDTH, height=HEIGHT).encode(
        x=alt.X("mean:Q", title="mean rank", scale=alt.Scale(domain=[1, max(count, 2)], nice=False, padding=PADDING)),
        y=alt.Y("sd:Q", title="standard deviation of the ranks"),
        tooltip=theme.tooltips("algorithm:N", ("mean:Q", "mean rank", ".3~g"), ("sd:Q", "standard deviation", ".3~g")),
    )  # fmt: skip
    scatter = alt.layer(
        points.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            **theme.by_algorithm(algorithms, None, both=True),
            y=alt.Y("sd:Q", title="standard deviation of the ranks", scale=alt.Scale(domain=LEAST)),
        ),
        *(
            points.transform_filter(alt.datum.side == side).mark_text(**style).encode(text=alt.Text("algorithm:N"))
            for side, style in SIDES.items()
        ),
    )
    # One condition has no spread.
    parts = [matrix, scatter] if len(order) > 1 else [matrix]
    chart = alt.vconcat(*parts, spacing=24)
    tables = {CELLS: cells, MEANS: means} if len(order) > 1 else {CELLS: cells}
    return theme.finish(chart, tables, params=theme.condition_params(), title=title)
