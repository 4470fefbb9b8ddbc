"""Ranks of the algorithms in every cell, their means and spreads, and ranges of goodput.

Source: SP 500-282 ch. 9, sections 9.4.3 and 9.4.4 (rank matrices; Table 9-12). The published tables give ties the lower
rank (`min`); averages are the common choice for new studies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Ties = Literal["average", "min"]


@dataclass(frozen=True, eq=False, repr=False)
class RankSummary(AnalysisResult):
    """Mean rank per algorithm and class of cells, and over the classes. Larger is better."""

    algorithms: tuple[str, ...]
    classes: tuple[str, ...]
    mean: Floats  #: shape (algorithms, classes): mean rank over the cells of the class
    overall: Floats  #: per algorithm: mean of the class means
    sd: Floats  #: per algorithm: sample standard deviation of the class means (not of the ranks)

    UNITS: ClassVar = {"mean": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"algorithm": self.algorithms, "class": self.classes}

    def _columns(self) -> dict[str, Any]:
        classes = len(self.classes)
        return {
            "mean": self.mean.ravel(),
            "overall": np.repeat(self.overall, classes),
            "sd": np.repeat(self.sd, classes),
        }


def ranks(values: ArrayLike, *, ties: Ties = "average") -> Floats:
    """Return ranks along the last axis, the algorithms: the highest of n values has rank n.

    Parameters
    ----------
    values
        Numbers; NaN stays NaN.
    ties
        Rank of equal values: ``average``, or ``min``, the lowest.

    Returns
    -------
    Ranks from 1, in the shape of `values`.

    Raises
    ------
    ValueError
        For an unknown treatment of ties.

    Examples
    --------
    >>> ranks([30.0, 10.0, 30.0]).tolist(), ranks([30.0, 10.0, 30.0], ties="min").tolist()
    ([2.5, 1.0, 2.5], [2.0, 1.0, 2.0])
    """
    if ties not in get_args(Ties):
        raise ValueError(f"ties is {ties!r}; allowed: {', '.join(get_args(Ties))}")
    array = np.asarray(values, dtype=float)
    others, own = array[..., None, :], array[..., :, None]
    lowest = 1.0 + (others < own).sum(axis=-1)
    found = lowest if ties == "min" else lowest + ((others == own).sum(axis=-1) - 1) / 2
    return np.where(np.isnan(array), np.nan, found)


def rank_summary(
    values: ArrayLike, *, classes: Sequence[str], algorithms: Sequence[str], ties: Ties = "average"
) -> RankSummary:
    """Return mean ranks of algorithms per class of cells and over the classes.

    Parameters
    ----------
    values
        Shape (cells, algorithms), NaN where missing.
    classes
        Name of the class of each cell.
    algorithms
        Names of the columns.
    ties
        As for `ranks`.

    Returns
    -------
    Mean ranks, shape (algorithms, classes), classes in the order of their first cell.

    Raises
    ------
    ValueError
        If the values do not fit the names, or for an unknown treatment of ties.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or array.shape != (len(classes), len(algorithms)):
        raise ValueError(f"the values have shape {array.shape}; expected ({len(classes)}, {len(algorithms)})")
    cells = ranks(array, ties=ties)
    names = tuple(dict.fromkeys(classes))
    where = np.asarray(classes, dtype=object)
    mean = np.full((len(algorithms), len(names)), np.nan)
    for place, name in enumerate(names):
        chosen = cells[where == name]
        there = np.isfinite(chosen)
        with np.errstate(invalid="ignore"):
            mean[:, place] = np.where(there, chosen, 0).sum(axis=0) / there.sum(axis=0)
    known = np.isfinite(mean)
    count = known.sum(axis=1)
    with np.errstate(all="ignore"):
        overall = np.where(known, mean, 0).sum(axis=1) / count
        squares = np.where(known, (mean - overall[:, None]) ** 2, 0).sum(axis=1)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    return RankSummary(tuple(algorithms), names, mean, overall, sd)


def goodput_ranges(alternate: ArrayLike, tcp: ArrayLike) -> tuple[Floats, Floats]:
    """Return the range of goodputs among alternates, and their gain over competing standard TCP.

    Parameters
    ----------
    alternate, tcp
        Goodputs in one unit, shape (..., algorithms): of the flows of each alternate, and of the TCP flows that compete
        with them. NaN where missing.

    Returns
    -------
    100 (max - min) / min over the alternates, and 100 (mean of the alternates / mean of the TCP flows - 1). Both in %,
    in the shape without the last axis; NaN where there are no goodputs.

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    own, other = np.asarray(alternate, dtype=float), np.asarray(tcp, dtype=float)
    if own.shape != other.shape:
        raise ValueError(f"the goodputs have shapes {own.shape} and {other.shape}; they must be equal")
    there = np.isfinite(own)
    none = ~there.any(axis=-1)
    with np.errstate(all="ignore"):
        largest = np.where(there, own, -np.inf).max(axis=-1)
        smallest = np.where(there, own, np.inf).min(axis=-1)
        among = np.where(none, np.nan, 100 * (largest - smallest) / smallest)
        both = there & np.isfinite(other)
        means = [np.where(both, each, 0).sum(axis=-1) / both.sum(axis=-1) for each in (own, other)]
        over = 100 * (means[0] / means[1] - 1)
    return among, over
