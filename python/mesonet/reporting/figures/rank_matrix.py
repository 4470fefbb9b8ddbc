"""Rank matrix of one algorithm, by condition and flow group.

Rows are conditions, columns flow groups. A cell holds the rank of the algorithm, the largest for the best. It is blue
if the algorithm is above the mean of all algorithms, and yellow if below. A framed cell with a stronger colour means
that the algorithm is the farthest from the mean. (SP 500-282 ch. 9, Figs. 22 to 35.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.rank_matrices import RankMatrices
from mesonet.charts.matrix import Look, matrix
from mesonet.reporting.campaign_view.flow_groups import OWN
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import counted, number, percent

TOP, ABOVE, SAME, BELOW, BOTTOM, NOTHING = (
    "highest, and farthest from the mean", "above the mean", "no difference", "below the mean",
    "lowest, and farthest from the mean", "nothing to compare",
)  # fmt: skip
_COLOURS = {
    TOP: "#5aa5d6", ABOVE: "#cfe4f3", SAME: "#eef0f3", BELOW: "#f6e6bd", BOTTOM: "#dfae35", NOTHING: "#c9ced4",
}  # fmt: skip


def figure(found: Users) -> Figure | None:
    """Return the ranks of an algorithm by condition and flow group."""
    if len(found.view.algorithms) < 2:
        return None
    return Figure(
        id="rank-matrix",
        short_title="Rank matrix",
        title="Where does an algorithm serve users better than the others?",
        reading=(
            "Rows are conditions, columns flow groups; the number is the rank of the chosen algorithm. Blue: above "
            "the mean of all; yellow: below. Choose an algorithm at the top; there is no matrix for their mean."
        ),
        draw=partial(_draw, found),
        selections=[{"flows": kind, "algorithm": name} for kind in found.kinds for name in found.view.algorithms],
        height=720,
        varied=True,
        own_tables=True,
        file="users/rank_matrix_{flows}_{algorithm}",
    )


def _draw(found: Users, flows: str, algorithm: str) -> Drawing:
    result = found.ranks(flows)
    groups = {c: [found.columns[p] for p in found.of_category(c)] for c in found.categories}
    short = {name: ", ".join(parts[1:]) for name, parts in zip(found.columns, found.labels.values(), strict=True)}
    # Columns of different categories have the same short name: spaces make the names different.
    labels = {name: f"{short[name]}{' ' * found.categories.index(name.split(', ')[0])}" for name in found.columns}
    chart = rank_matrix(
        result, algorithm, order=found.view.by_congestion, labels=labels,
        groups={c: [labels[name] for name in names] for c, names in groups.items()},
        title=f"Rank of the goodput of {flows if flows == OWN else 'the flows that compete'}, {algorithm}",
        order_title=f"condition, {found.view.order_words}",
    )  # fmt: skip
    return drawing(chart, caption(result, algorithm))


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


def caption(result: RankMatrices, algorithm: str) -> str:
    """Return the cells in which an algorithm is above or below the mean, or farthest from it, as text."""
    place = result.algorithms.index(algorithm)
    side, out = result.side[:, :, place], result.stands_out[:, :, place]
    known = int(np.isfinite(result.rank[:, :, place]).sum())
    if not known:
        return f"{algorithm} has no cell to be compared in."
    wording = (
        f"{algorithm} is above the mean of all in {int((side > 0).sum())} of {counted(known, 'cell')}, below it in "
    )
    wording += f"{int((side < 0).sum())}"
    if len(result.algorithms) > 2:  # two algorithms are equally far from their mean
        wording += (
            f"; it is the highest and farthest from the mean in {int((out > 0).sum())}, the lowest and farthest in "
        )
        wording += f"{int((out < 0).sum())}"
    return f"{wording}."
