"""Rank matrix of one algorithm, by condition and flow group.

Rows are conditions, columns flow groups. A cell holds the rank of the algorithm, the largest for the best. It is blue
if the algorithm is above the mean of all algorithms, and yellow if below. A framed cell with a stronger colour means
that the algorithm is the farthest from the mean. (SP 500-282 ch. 9, Figs. 22 to 35.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.rank_matrices import RankMatrices
from mesonet.charts.matrix import Look, matrix
from mesonet.words import number, percent

TOP, ABOVE, SAME, BELOW, BOTTOM, NOTHING = (
    "highest, and farthest from the mean", "above the mean", "no difference", "below the mean",
    "lowest, and farthest from the mean", "nothing to compare",
)  # fmt: skip
_COLOURS = {
    TOP: "#5aa5d6", ABOVE: "#cfe4f3", SAME: "#eef0f3", BELOW: "#f6e6bd", BOTTOM: "#dfae35", NOTHING: "#c9ced4",
}  # fmt: skip


def rank_matrix(
    result: RankMatrices,
    algorithm: str,
    *,
    order: Sequence[int] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    labels: Mapping[str, str] | None = None,
    title: str = "",
    order_title: str = "condition",
) -> alt.LayerChart:
    """Return the matrix of one algorithm.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    algorithm
        An algorithm of the result.
    order
        Conditions from top to bottom; None: as in the result.
    groups
        Columns of each group, by the name above them, as the labels name them.
    labels
        Names to show for the columns.
    title, order_title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    which = result.algorithms.index(algorithm)
    named = [(labels or {}).get(name, name) for name in result.columns]
    rows = []
    for i, condition in enumerate(result.conditions):
        for j, column in enumerate(named):
            rank, out = float(result.rank[i, j, which]), int(result.stands_out[i, j, which])
            kind = NOTHING
            if np.isfinite(rank):
                kind = {1: TOP, -1: BOTTOM}.get(out) or {1: ABOVE, 0: SAME, -1: BELOW}[int(result.side[i, j, which])]
            rows.append(
                {
                    "row": str(condition), "condition": condition, "column": column, "kind": kind, "ring": out != 0,
                    "text": number(rank) if np.isfinite(rank) else "",
                    "tip": f"rank {number(rank)}, {percent(float(result.relative[i, j, which]), sign=True)}",
                }
            )  # fmt: skip
    return matrix(
        pl.DataFrame(rows, infer_schema_length=None),
        rows=[str(c) for c in (order or result.conditions)],
        columns=named,
        look=Look(cell=27, row=15, colours=_COLOURS, font=9),
        row_title=order_title,
        groups=groups,
        title=title,
        subtitle=[f"Rank of {algorithm} among {len(result.algorithms)} algorithms; {len(result.algorithms)} is best."],
    )
