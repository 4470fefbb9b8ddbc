"""Rank matrices: the rank of every algorithm in every cell of a table, and the distance of the ends.

Source: SP 500-282 ch. 9, Figs. 22 to 35 (conditions x flow groups, the cell holds the rank of the goodput, n for the
highest). A cell is above or below the mean of all algorithms; where the highest value lies farther from that mean than
the lowest, the highest stands out, in the reverse case the lowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.grubbs import INDISTINCT
from mesonet.analysis.ranks import Ties, ranks
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RankMatrices(AnalysisResult):
    """Arrays have the shape (conditions, columns, algorithms)."""

    conditions: tuple[int, ...]
    columns: tuple[str, ...]
    algorithms: tuple[str, ...]
    rank: Floats  #: NaN where an algorithm has no value, or no other has one to be compared with
    relative: Floats  #: distance from the mean of all algorithms in the cell, in % of that mean
    side: NDArray[np.int8]  #: 1 above the mean of all, -1 below, 0 on it or not distinguishable
    stands_out: NDArray[np.int8]  #: 1 at the highest, -1 at the lowest value, whichever is farther from the mean
    ties: Ties

    UNITS: ClassVar = {"rank": "1", "relative": "%"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"condition": self.conditions, "column": self.columns, "algorithm": self.algorithms}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).ravel() for name in ("rank", "relative", "side", "stands_out")}

    def _attributes(self) -> dict[str, Any]:
        return {"ties": self.ties, "cells": int(np.isfinite(self.rank).any(axis=-1).sum())}


def rank_matrices(
    values: ArrayLike,
    *,
    algorithms: Sequence[str],
    columns: Sequence[str],
    conditions: Sequence[int] | None = None,
    ties: Ties = "average",
) -> RankMatrices:
    """Return the ranks of the algorithms in every cell.

    A cell with a value of one algorithm only has no rank. Values that differ by less than 1e-9 of the mean are equal.

    Parameters
    ----------
    values
        Shape (conditions, columns, algorithms), NaN where missing.
    algorithms, columns
        Names along the last and the second axis.
    conditions
        Numbers of the conditions; by default 1, 2, and so on.
    ties
        Rank of equal values: ``average``, or ``min``, the lowest.

    Returns
    -------
    Ranks and distances from the mean, in the shape of `values`.

    Raises
    ------
    ValueError
        If the values do not fit the names, or for an unknown treatment of ties.
    """
    array = np.asarray(values, dtype=float)
    labels = tuple(conditions) if conditions is not None else tuple(range(1, len(array) + 1))
    if array.shape != (len(labels), len(columns), len(algorithms)):
        wanted = f"({len(labels)} conditions, {len(columns)} columns, {len(algorithms)} algorithms)"
        raise ValueError(f"the values have shape {array.shape}; expected {wanted}")
    array = np.where(np.isfinite(array), array, np.nan)
    there = np.isfinite(array)
    count = there.sum(axis=-1, keepdims=True)
    array = np.where(count > 1, array, np.nan)
    there &= count > 1
    with np.errstate(all="ignore"):
        mean = np.where(there, array, 0).sum(axis=-1, keepdims=True) / count
        residual = array - mean
        highest = np.where(there, residual, -np.inf).max(axis=-1, keepdims=True, initial=-np.inf)
        lowest = np.where(there, residual, np.inf).min(axis=-1, keepdims=True, initial=np.inf)
        same = highest - lowest <= INDISTINCT * np.abs(mean)
        # No residual is relative to a mean that is zero but for rounding.
        zero = np.abs(mean) <= ROUNDING * np.where(there, np.abs(array), 0).max(axis=-1, keepdims=True, initial=0.0)
        relative = np.where(zero, np.nan, 100 * residual / mean)
        side = np.where(there & ~same, np.sign(residual), 0).astype(np.int8)
        margin = INDISTINCT * np.abs(mean)
        top = there & ~same & (residual == highest) & (highest + lowest > margin)
        bottom = there & ~same & (residual == lowest) & (highest + lowest < -margin)
    rank = ranks(_equalised(array, margin), ties=ties) if array.size else array
    return RankMatrices(
        conditions=labels,
        columns=tuple(columns),
        algorithms=tuple(algorithms),
        rank=rank,
        relative=relative,
        side=side,
        stands_out=(top * 1 - bottom * 1).astype(np.int8),
        ties=ties,
    )


def _equalised(values: Floats, margin: Floats) -> Floats:
    """Return values that keep the order along the last axis and are equal for neighbours within `margin`."""
    order = np.argsort(values, axis=-1, kind="stable")  # NaN last
    ascending = np.take_along_axis(values, order, axis=-1)
    with np.errstate(invalid="ignore"):
        steps = np.diff(ascending, axis=-1, prepend=ascending[..., :1]) > margin
    steps = np.cumsum(steps, axis=-1).astype(float)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.where(np.isfinite(ascending), steps, np.nan), axis=-1)
    return found
