"""Means and changes of a response over the levels of a grid, with intervals from replicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import factor_names
from mesonet.analysis.result import AnalysisResult
from mesonet.words import own_names

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
#: Spread of replicates, as a part of their mean, below which they count as equal: rounding of sums.
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class LevelMeans(AnalysisResult):
    """Mean response at each combination of levels of some factors, over the levels of all others.

    The column of a factor named mean is ``mean (factor)``.
    """

    factors: tuple[str, ...]  #: the factors that are kept
    levels: NDArray[np.intp]  #: shape (combinations, factors): number of each level, from 0
    mean: Floats  #: mean over the cells of a combination; NaN if one has no value
    low: Floats  #: interval of 95 %; NaN without replicates, or if all replicates are equal
    high: Floats
    cells: NDArray[np.intp]  #: number of cells of each combination
    replicates: NDArray[np.intp]  #: fewest values of a cell of each combination
    notes: tuple[str, ...] = ()

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"combination": range(1, len(self.levels) + 1)}

    def _columns(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name) for name in ("mean", "low", "high", "cells", "replicates")}
        return {**dict(zip(own_names(self.factors, ["combination", *numbers]), self.levels.T, strict=True)), **numbers}


@dataclass(frozen=True, eq=False, repr=False)
class LevelChanges(AnalysisResult):
    """Change of a response between each two levels of each factor, in the mean over the other factors."""

    factor: tuple[str, ...]  #: factor of each row
    first: NDArray[np.intp]  #: number of the level at which the change begins, from 0
    second: NDArray[np.intp]  #: number of the level at which it ends
    change: Floats  #: response at `second` - response at `first`
    low: Floats  #: interval that holds all changes of the factor together at 95 %; NaN where there is none
    high: Floats
    cells: NDArray[np.intp]  #: combinations of the other factors over which a change is a mean
    rises: NDArray[np.intp]  #: of these, combinations whose own interval of 95 % is above 0
    falls: NDArray[np.intp]  #: of these, combinations whose own interval is below 0
    replicates: NDArray[np.intp]  #: fewest values of one of their cells
    notes: tuple[str, ...] = ()

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"row": range(1, len(self.factor) + 1)}

    def _columns(self) -> dict[str, Any]:
        names = ("first", "second", "change", "low", "high", "cells", "rises", "falls", "replicates")
        return {"factor": list(self.factor), **{name: getattr(self, name) for name in names}}

    def largest(self, factor: str) -> int | None:
        """Return the row of the largest change of a factor.

        Parameters
        ----------
        factor
            Name of the factor.

        Returns
        -------
        Number of the row, from 0; None if no change of the factor is known.
        """
        rows = [n for n, name in enumerate(self.factor) if name == str(factor) and np.isfinite(self.change[n])]
        return max(rows, key=lambda n: (abs(self.change[n]), -n)) if rows else None


def level_means(
    values: ArrayLike,
    levels: ArrayLike,
    *,
    keep: Sequence[str] | None = None,
    factors: Sequence[str] | None = None,
    paired: bool = False,
) -> LevelMeans:
    """Return the mean response at each combination of levels of some factors.

    Parameters
    ----------
    values
        Responses, shape (cells, replicates); NaN where a value is missing.
    levels
        Number of the level of each factor in each cell, whole numbers from 0, shape (cells, factors); no two rows are
        equal.
    keep
        Factors to keep; means are over the levels of all others. None: all.
    factors
        Names of the factors; None: X1, X2 and so on.
    paired
        True if all cells share the random numbers of a replicate.

    Returns
    -------
    A row per combination, in the order of `levels`, with the interval of 95 %. Unpaired cells have a variance each, and
    degrees of freedom by Welch and Satterthwaite; paired cells have one mean per replicate.

    Raises
    ------
    ValueError
        If the shapes do not fit, or a factor is not known.

    Examples
    --------
    >>> level_means([[1.0, 3.0], [5.0, 5.0]], [[0], [1]], factors=["load"]).mean.tolist()
    [2.0, 5.0]
    """
    cells = _Cells.of(values, levels, factors, paired)
    kept = list(cells.factors if keep is None else map(str, keep))
    places = [cells.place(name) for name in kept]
    chosen = cells.levels[:, places]
    distinct = list(dict.fromkeys(map(tuple, chosen.tolist())))
    combos = np.array(distinct, dtype=np.intp).reshape(len(distinct), len(places))
    if len(combos) == len(cells.levels):
        members = [np.array([n]) for n in range(len(combos))]
        found = list(zip(cells.means, *cells.alone(), strict=True))
    else:
        members = [np.flatnonzero((chosen == each).all(axis=1)) for each in combos]
        found = [cells.contrast(_weights(len(cells.levels), {1.0: own}), 1.0 - CONFIDENCE) for own in members]
    return LevelMeans(
        factors=tuple(kept),
        levels=combos,
        mean=np.array([each[0] for each in found]),
        low=np.array([each[1] for each in found]),
        high=np.array([each[2] for each in found]),
        cells=np.array([len(own) for own in members], dtype=np.intp),
        replicates=np.array([cells.counts[own].min() for own in members], dtype=np.intp),
        notes=cells.notes,
    )


def level_changes(
    values: ArrayLike, levels: ArrayLike, *, factors: Sequence[str] | None = None, paired: bool = False
) -> LevelChanges:
    """Return the change of a response between each two levels of each factor, in the mean over the other factors.

    Parameters
    ----------
    values, levels, factors, paired
        As for `level_means`.

    Returns
    -------
    A row per factor and pair of levels. The means are over the combinations of the other factors in which all levels of
    the factor have a value. The intervals of a factor hold together at 95 % (Bonferroni), so that the largest change
    may be read.

    Raises
    ------
    ValueError
        As `level_means`.

    Examples
    --------
    >>> found = level_changes([[1.0], [5.0], [2.0], [6.0]], [[0, 0], [1, 0], [0, 1], [1, 1]], factors=["load", "queue"])
    >>> dict(zip(found.factor, found.change.tolist()))
    {'load': 4.0, 'queue': 1.0}
    """
    cells = _Cells.of(values, levels, factors, paired)
    rows: list[tuple[Any, ...]] = []
    for place, name in enumerate(cells.factors):
        numbers = np.unique(cells.levels[:, place])
        others = np.delete(cells.levels, place, axis=1)
        known = [n for n in range(len(cells.levels)) if cells.counts[n]]
        there: dict[tuple[int, ...], dict[int, int]] = {}
        for n in known:
            there.setdefault(tuple(others[n].tolist()), {})[int(cells.levels[n, place])] = n
        full = [each for each in there.values() if len(each) == len(numbers)]
        pairs = list(combinations(numbers.tolist(), 2))
        for first, second in pairs:
            sides = {-1.0: [each[first] for each in full], 1.0: [each[second] for each in full]}
            change, low, high = cells.contrast(
                _weights(len(cells.levels), sides), (1.0 - CONFIDENCE) / max(1, len(pairs))
            )
            used = [*sides[-1.0], *sides[1.0]]
            fewest = int(cells.counts[used].min()) if used else 0
            least, most = cells.pairs(sides[-1.0], sides[1.0])
            proved = int((least > 0).sum()), int((most < 0).sum())
            rows.append((name, first, second, change, low, high, len(full), *proved, fewest))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 10
    return LevelChanges(
        factor=tuple(columns[0]),
        first=np.array(columns[1], dtype=np.intp),
        second=np.array(columns[2], dtype=np.intp),
        change=np.array(columns[3], dtype=float),
        low=np.array(columns[4], dtype=float),
        high=np.array(columns[5], dtype=float),
        cells=np.array(columns[6], dtype=np.intp),
        rises=np.array(columns[7], dtype=np.intp),
        falls=np.array(columns[8], dtype=np.intp),
        replicates=np.array(columns[9], dtype=np.intp),
        notes=cells.notes,
    )


def _weights(count: int, sides: dict[float, Any]) -> Floats:
    """Return the weight of each cell: of each side a mean, times its sign; NaN where a side has no cell."""
    weights = np.zeros(count)
    for sign, own in sides.items():
        weights[list(own)] += sign / len(own) if len(own) else np.nan
    return weights if all(len(own) for own in sides.values()) else np.full(count, np.nan)


@dataclass(frozen=True)
class _Cells:
    """Cells of a grid, and what their replicates show."""

    values: Floats  #: shape (cells, replicates)
    levels: NDArray[np.intp]
    factors: tuple[str, ...]
    paired: bool
    counts: NDArray[np.intp]
    means: Floats
    variances: Floats  #: of the replicates of a cell; of the pooled cells for a cell with one value
    pooled: int  #: degrees of freedom of the pooled variance

    @classmethod
    def of(cls, values: ArrayLike, levels: ArrayLike, factors: Sequence[str] | None, paired: bool) -> _Cells:
        y, places = np.asarray(values, dtype=float), np.asarray(levels)
        if y.ndim != 2 or places.ndim != 2 or len(y) != len(places):
            raise ValueError(
                f"values {y.shape} and levels {places.shape}; allowed: (cells, replicates), (cells, factors)"
            )
        if not np.equal(np.mod(places, 1), 0).all() or (places < 0).any():
            raise ValueError("levels are not numbers of levels; allowed: whole numbers from 0")
        places = places.astype(np.intp)
        if len({*map(tuple, places.tolist())}) < len(places):
            raise ValueError("two cells have the same levels; allowed: each combination once")
        own = [f"X{n + 1}" for n in range(places.shape[1])]
        names = factor_names(factors, places.shape[1], own, interactions=False)
        there = np.isfinite(y)
        counts = there.sum(axis=1)
        with np.errstate(all="ignore"):
            means = np.where(there, y, 0.0).sum(axis=1) / counts
            squares = np.where(there, (y - means[:, None]) ** 2, 0.0).sum(axis=1)
            squares = np.where(squares <= (_EQUAL * np.abs(means)) ** 2, 0.0, squares)
            variances = squares / (counts - 1)
        many = counts > 1
        freedom = int((counts[many] - 1).sum())
        shared = squares[many].sum() / freedom if freedom else np.nan
        variances = np.where(many, variances, shared)
        return cls(y, places, names, paired, counts.astype(np.intp), means, variances, freedom)

    def place(self, name: str) -> int:
        if name not in self.factors:
            raise ValueError(f"there is no factor {name!r}; allowed: {', '.join(self.factors)}")
        return self.factors.index(name)

    @property
    def are_equal(self) -> bool:
        """True if there are replicates, and those of each cell are equal."""
        many = self.counts > 1
        return bool(many.any()) and bool((self.variances[many] == 0).all())

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.pooled:
            return ("There is one run of each cell: no interval is known.",)
        if self.are_equal:
            return ("The replicates of each cell are equal: nothing in the runs is random, and no interval is known.",)
        return ()

    def contrast(self, weights: Floats, alpha: float) -> tuple[float, float, float]:
        """Return a weighted sum of the cells with its interval; NaN where it is not known."""
        used = np.flatnonzero(weights != 0)
        if not len(used) or not np.isfinite(weights).all() or not self.counts[used].all():
            return np.nan, np.nan, np.nan
        own = weights[used]
        estimate = float(own @ self.means[used])
        if not self.pooled or self.are_equal:
            return estimate, np.nan, np.nan
        if self.paired:
            runs = self.values[used]
            complete = runs[:, np.isfinite(runs).all(axis=0)]
            if complete.shape[1] < 2:
                return estimate, np.nan, np.nan
            sums = own @ complete
            estimate, freedom = float(sums.mean()), complete.shape[1] - 1.0
            error = float(sums.std(ddof=1) / np.sqrt(len(sums)))
        else:
            counts = self.counts[used]
            parts = own**2 * self.variances[used] / counts
            error = float(np.sqrt(parts.sum()))
            single = counts == 1
            # Welch and Satterthwaite; cells of one value share the pooled variance, and with it one term.
            terms = (parts[~single] ** 2 / (counts[~single] - 1)).sum() + parts[single].sum() ** 2 / self.pooled
            freedom = float(parts.sum() ** 2 / terms) if terms > 0 else float(self.pooled)
        half = float(special.stdtrit(freedom, 1 - alpha / 2)) * error
        return estimate, estimate - half, estimate + half

    def alone(self) -> tuple[Floats, Floats]:
        """Return the interval of each cell, by its own replicates or, of one value, by the pooled variance."""
        freedom = np.where(self.counts > 1, self.counts - 1, self.pooled).astype(float)
        return self._intervals(self.means, self.variances / np.maximum(self.counts, 1), freedom)

    def pairs(self, first: Sequence[int], second: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the interval of the change from each cell to another, for itself."""
        if not len(first):
            return np.empty(0), np.empty(0)
        if self.paired:
            more = self.values[list(second)] - self.values[list(first)]
            there = np.isfinite(more)
            count = there.sum(axis=1)
            with np.errstate(all="ignore"):
                mean = np.where(there, more, 0.0).sum(axis=1) / count
                spread = np.where(there, (more - mean[:, None]) ** 2, 0.0).sum(axis=1) / (count - 1)
                return self._intervals(mean, spread / count, count - 1.0)
        freedom = np.where(self.counts > 1, self.counts - 1, self.pooled).astype(float)
        parts = [self.variances[list(side)] / self.counts[list(side)] for side in (first, second)]
        with np.errstate(all="ignore"):
            terms = sum(part**2 / freedom[list(side)] for part, side in zip(parts, (first, second), strict=True))
            total = parts[0] + parts[1]
            degrees = np.where(total > 0, total**2 / terms, np.maximum(self.pooled, 1))
        return self._intervals(self.means[list(second)] - self.means[list(first)], total, degrees)

    def _intervals(self, means: Floats, squares: Floats, freedom: Floats) -> tuple[Floats, Floats]:
        """Return intervals of 95 % from squared errors; NaN where there is none."""
        if not self.pooled or self.are_equal:
            return np.full(len(means), np.nan), np.full(len(means), np.nan)
        with np.errstate(all="ignore"):
            half = special.stdtrit(np.where(freedom > 0, freedom, np.nan), 0.5 + CONFIDENCE / 2) * np.sqrt(squares)
        return means - half, means + half
