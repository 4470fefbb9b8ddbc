"""Estimands: means over all conditions, levels of factors, cells of factor pairs, and groups by own level."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.checks import factor_names

OVERALL, LEVEL, CELL, GROUP = "overall", "level", "cell", "group"
#: Error probabilities, two-sided, of all estimands of a kind together: 5 % in whole (chosen).
ALPHA = {OVERALL: 0.02, LEVEL: 0.02, CELL: 0.01}
WHOLE = 0.05
#: Cuts of the conditions by the level of the response, as parts of the conditions (chosen: quartiles).
CUTS = (0.25, 0.5, 0.75)
#: Fewest conditions for such cuts: two in a quarter.
FEWEST = 8


@dataclass(frozen=True)
class Estimand:
    """Mean log ratio over some conditions, which have equal weights."""

    kind: str  #: `overall`, `level`, `cell` (of two factors) or `group` (by the level of the response)
    factors: tuple[str, ...]  #: of the conditions: none, one, or two
    levels: tuple[Any, ...]  #: level of each of these factors; of a group the cut and the side, -1 or 1

    @property
    def title(self) -> str:
        """Factors and levels in words."""
        if self.kind == GROUP:
            return f"{'upper' if self.levels[1] > 0 else 'lower'} part of cut {self.levels[0]}"
        named = zip(self.factors, self.levels, strict=True)
        return ", ".join(f"{factor} = {level}" for factor, level in named) or OVERALL

    @property
    def partition(self) -> tuple[Any, ...]:
        """Key of the estimands that divide the conditions in the same way."""
        return (GROUP, self.levels[0]) if self.kind == GROUP else (self.kind, *self.factors)


@dataclass(frozen=True)
class Estimands:
    """Estimands of a comparison with their conditions."""

    each: tuple[Estimand, ...]
    members: NDArray[np.bool_]  #: shape (estimands, conditions)

    def weights(self, known: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the weights of the conditions in each estimand: equal weights of the known ones.

        Parameters
        ----------
        known
            Shape (conditions,): True for conditions with a value.

        Returns
        -------
        Weights, shape (estimands, conditions); their sum is 1, or 0 without a known condition.
        """
        used = (self.members & known).astype(float)
        return np.asarray(used / np.maximum(used.sum(axis=1, keepdims=True), 1))

    def alpha(self) -> NDArray[np.float64]:
        """Return the error probability of each interval: its part of 5 %, which all intervals have together.

        Returns
        -------
        Two-sided probabilities, shape (estimands,).
        """
        kinds = [CELL if each.kind == GROUP else each.kind for each in self.each]
        used = {kind: kinds.count(kind) for kind in kinds}
        scale = WHOLE / sum(ALPHA[kind] for kind in used)  # what an absent kind would have is for the others
        return np.array([scale * ALPHA[kind] / used[kind] for kind in kinds])


def design_levels(
    design: Any, factors: Sequence[str] | None, conditions: int
) -> tuple[list[list[Hashable]], list[str]]:
    """Return the levels of each factor, condition by condition, and the names of the factors.

    `design`: levels of any kind, shape (conditions, factors), or an object with `matrix` and `factors`; None without.
    """
    if design is None:
        return [], []
    matrix = np.asarray(getattr(design, "matrix", design))
    if matrix.ndim != 2 or len(matrix) != conditions:
        raise ValueError(f"the design has shape {matrix.shape}; expected ({conditions}, factors)")
    names = factor_names(factors, matrix.shape[1], getattr(design, "factors", None))
    return [column.tolist() for column in matrix.T], list(names)


def estimands(
    levels: Sequence[Sequence[Hashable]], names: Sequence[str], known: NDArray[np.bool_], size: ArrayLike | None = None
) -> Estimands:
    """Return the estimands that have a known condition.

    `levels`: of each factor, condition by condition. `size`: level of the response in each condition, for cuts; None
    without.
    """
    found = [(Estimand(OVERALL, (), ()), np.ones(len(known), dtype=bool))]
    parts = _own(levels, names)
    columns = {name: np.array([own.index(each) for each in column]) for name, column, own in parts}
    own_levels = {name: own for name, _, own in parts}
    for name in names:
        for place, level in enumerate(own_levels[name]):
            found.append((Estimand(LEVEL, (name,), (level,)), columns[name] == place))
    for pair in combinations(names, 2):
        for places in product(*(range(len(own_levels[name])) for name in pair)):
            inside = (columns[pair[0]] == places[0]) & (columns[pair[1]] == places[1])
            at = tuple(own_levels[name][place] for name, place in zip(pair, places, strict=True))
            found.append((Estimand(CELL, pair, at), inside))
    if size is not None:
        found += _groups(np.asarray(size, dtype=float))
    # A factor with one level, or a pair with one cell, is all conditions once more.
    whole = int(known.sum())
    kept = [(each, inside) for each, inside in found if each.kind == OVERALL or 0 < int((inside & known).sum()) < whole]
    return Estimands(tuple(each for each, _ in kept), np.array([inside for _, inside in kept]))


def _own(levels: Sequence[Sequence[Hashable]], names: Sequence[str]) -> list[tuple[str, Sequence[Hashable], list[Any]]]:
    """Return name, column and different levels of each factor: in rising order, or as they come if they have none."""
    found = []
    for name, column in zip(names, levels, strict=True):
        different: list[Any] = list(dict.fromkeys(column))
        with contextlib.suppress(TypeError):
            different.sort()
        found.append((name, column, different))
    return found


def _groups(size: NDArray[np.float64]) -> list[tuple[Estimand, NDArray[np.bool_]]]:
    """Return the lower and the upper conditions of each cut, for cuts between levels that differ."""
    known = np.isfinite(size)
    ordered = np.sort(size[known])
    found = []
    for place, part in enumerate(CUTS, 1):
        cut = round(part * len(ordered))
        if len(ordered) < FEWEST or ordered[cut - 1] == ordered[cut]:
            continue
        for side, inside in ((-1, known & (size <= ordered[cut - 1])), (1, known & (size >= ordered[cut]))):
            found.append((Estimand(GROUP, (), (place, side)), inside))
    return found
