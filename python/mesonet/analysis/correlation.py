"""Correlation analysis and clustering of responses (CAC).

Responses that correlate strongly over all runs are redundant; a cluster is a connected component of the graph of the
pairs whose |r| exceeds a threshold, and one response represents each.

Source: Mills et al., ASME paper, section 3.1.b. The hint for the threshold is ours (Otsu 1979); the paper chose .65.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Threshold on |r| of the ASME paper.
STUDY_THRESHOLD = 0.65
#: Bins of the histogram from which the hint is computed.
_BINS = 40
#: Two runs always lie on a line.
_FEWEST = 3
#: Sums that differ by less than this share are equal.
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Correlations(AnalysisResult):
    """Correlations of m responses; one row of the table per pair."""

    responses: tuple[str, ...]  #: those that vary, in the order given
    r: Floats  #: shape (m, m); NaN where fewer than three runs have both, or where one is constant over these runs
    order: tuple[int, ...]  #: responses by falling mean |r| with the others
    threshold: float
    hint: float  #: threshold at which the histogram of |r| parts best
    clusters: tuple[tuple[str, ...], ...]  #: largest first; a response without a partner is a cluster of one
    representatives: tuple[str, ...]  #: of each cluster, the first of those that correlate most with the others of it
    constant: tuple[str, ...]  #: responses left out because they do not vary
    runs: int
    scarce: tuple[str, ...] = ()  #: responses left out because fewer than three runs have a value

    UNITS: ClassVar = {"r": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"response": self.responses, "other": self.responses}

    def _columns(self) -> dict[str, Any]:
        return {"r": self.r.ravel(), "kept": (np.abs(self.r) > self.threshold).ravel()}

    def _attributes(self) -> dict[str, Any]:
        left_out = {"constant": self.constant, "fewer than three values": self.scarce}
        text = {why: ", ".join(names) for why, names in left_out.items() if names}
        return {"runs": self.runs, "threshold": self.threshold, "hint": self.hint, **text}

    @property
    def absolute(self) -> Floats:
        """|r| of every pair once, without unknown values."""
        values = np.abs(self.r[np.triu_indices(len(self.responses), 1)])
        return np.asarray(values[np.isfinite(values)])


def correlations(
    data: ArrayLike, *, responses: Sequence[str], threshold: float | None = STUDY_THRESHOLD
) -> Correlations:
    """Return correlations and clusters of responses.

    Parameters
    ----------
    data
        Shape (runs, responses), NaN where missing. A pair is correlated over the runs that have both.
    responses
        Names of the columns.
    threshold
        Pairs with |r| above it are joined, 0 to 1. None: the hint of the result.

    Returns
    -------
    Pearson's r of every pair of responses that vary, and their clusters.

    Raises
    ------
    ValueError
        If the data do not fit the names or the threshold does not lie between 0 and 1.
    """
    values = np.asarray(data, dtype=float)
    if values.ndim != 2 or values.shape[1] != len(responses):
        raise ValueError(f"the data have shape {values.shape}; expected (runs, {len(responses)} responses)")
    if threshold is not None and not 0 <= threshold <= 1:
        raise ValueError(f"the threshold is {threshold}; allowed: 0 to 1")
    enough = np.isfinite(values).sum(axis=0) >= _FEWEST
    varies = _varies(values, np.isfinite(values)) & enough
    kept = [name for name, keep in zip(responses, varies, strict=True) if keep]
    r = _pairwise(values[:, varies] / unit(values[:, varies], axis=0))
    absolute = np.abs(r[np.triu_indices(len(kept), 1)])
    hint = _otsu(absolute[np.isfinite(absolute)])
    limit = hint if threshold is None else float(threshold)
    size = np.nan_to_num(np.abs(r))
    joined = (size > limit) & ~np.eye(len(kept), dtype=bool)
    clusters, representatives = _clusters(joined, size, kept) if kept else ((), ())
    others = size.sum(axis=1)
    return Correlations(
        responses=tuple(kept),
        r=r,
        order=tuple(int(i) for i in np.argsort(-np.round(others, 9), kind="stable")),  # equals keep their order
        threshold=limit,
        hint=hint,
        clusters=clusters,
        representatives=representatives,
        constant=tuple(name for name, keep in zip(responses, varies | ~enough, strict=True) if not keep),
        runs=len(values),
        scarce=tuple(name for name, keep in zip(responses, enough, strict=True) if not keep),
    )


def _varies(values: Floats, there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return True for each column that has different values in the rows that are there."""
    largest = np.max(values, axis=0, initial=-np.inf, where=there)
    smallest = np.min(values, axis=0, initial=np.inf, where=there)
    return np.asarray(largest - smallest > ROUNDING * np.maximum(np.abs(largest), np.abs(smallest)))


def _pairwise(values: Floats) -> Floats:
    """Return Pearson's r of every pair of columns over the rows in which both have a value."""
    there = np.isfinite(values)
    r = np.eye(values.shape[1])
    for place in range(len(r) - 1):
        # Means and constancy are of the shared rows: a constant less its mean over other rows leaves only rounding.
        shared = there[:, place + 1 :] & there[:, [place]]
        x, y = (_standardised(each, shared) for each in (values[:, [place]], values[:, place + 1 :]))
        found = np.where(shared.sum(axis=0) < _FEWEST, np.nan, (x * y).sum(axis=0))
        r[place, place + 1 :] = r[place + 1 :, place] = found
    return np.asarray(np.clip(r, -1.0, 1.0))


def _standardised(values: Floats, there: NDArray[np.bool_]) -> Floats:
    """Return columns less their means, of length 1, over the rows that are there; NaN if a column does not vary."""
    filled = np.where(there, values, 0.0)
    centred = np.where(there, filled - filled.sum(axis=0) / np.maximum(there.sum(axis=0), 1), 0.0)
    length = np.where(_varies(filled, there), np.linalg.norm(centred, axis=0), np.nan)
    return np.asarray(centred / length)


def _otsu(absolute: Floats) -> float:
    """Return the cut of the histogram of |r| with the largest variance between both sides; NaN without values."""
    if not len(absolute):
        return float("nan")
    counts, edges = np.histogram(absolute, bins=_BINS, range=(0.0, 1.0))
    middle = (edges[1:] + edges[:-1]) / 2
    below = np.cumsum(counts)[:-1]
    above = counts.sum() - below
    sums = np.cumsum(counts * middle)[:-1]
    with np.errstate(all="ignore"):
        between = below * above * (sums / below - ((counts * middle).sum() - sums) / above) ** 2
    between = np.nan_to_num(between)
    best = np.flatnonzero(between == between.max())
    # Equal cuts lie in a gap: its middle.
    return float((edges[best[0] + 1] + edges[best[-1] + 1]) / 2)


def _clusters(
    joined: NDArray[np.bool_], size: Floats, names: Sequence[str]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    _, label = connected_components(coo_array(joined.astype(np.int8)), directed=False)
    members = [np.flatnonzero(label == each) for each in range(label.max() + 1)]
    members.sort(key=lambda m: (-len(m), m[0]))
    best = [m[first_largest(size[np.ix_(m, m)].sum(axis=1))] for m in members]
    return tuple(tuple(names[int(i)] for i in m) for m in members), tuple(names[int(i)] for i in best)


def first_largest(sums: Floats) -> int:
    """Return the place of the largest sum; of equals the first, whatever the rounding."""
    return int(np.flatnonzero(sums >= sums.max() * (1 - _EQUAL))[0])
