"""Conditions far from each other: some of a design, or new ones that a design lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from math import prod

import numpy as np
import numpy.typing as npt

_MOST_COMBINATIONS = 4096
"""Combinations that are compared; of more, a sample (chosen: all of twelve factors of two levels)."""
_MOST_TRIED = 64
"""Candidates that may be unfit before no further one is tried (chosen)."""
PARTS = 4
"""Parts into which the span between two neighbouring levels is divided (chosen)."""

Points = npt.NDArray[np.float64]


def far_from(
    candidates: Points, known: Points, number: int, fits: Callable[[Points], bool] = lambda row: True
) -> list[int]:
    """Return places of candidates that lie far from known rows and from each other: in turn, each the farthest.

    Far: first from the nearest row that is known or was chosen before, then from all of them. `fits`: False for a
    candidate that is passed over.
    """
    chosen: list[int] = []
    distance = np.array([np.abs(row - known).sum(axis=1) for row in candidates]).reshape(len(candidates), len(known))
    nearest, total = distance.min(axis=1, initial=np.inf), distance.sum(axis=1)
    for _ in range(number + _MOST_TRIED):
        if len(chosen) == number or not len(candidates):
            break
        place = int(np.lexsort((-np.arange(len(total)), total.round(9), nearest.round(9)))[-1])
        if nearest[place] < 1e-9:
            break
        if fits(candidates[place]):
            chosen.append(place)
            distance_to = np.abs(candidates - candidates[place]).sum(axis=1)
            nearest, total = np.minimum(nearest, distance_to), total + distance_to
        nearest[place] = 0.0
    return chosen


def spread(matrix: Points, number: int) -> list[int]:
    """Return places of rows that lie far from each other: the first, and `far_from` it the others.

    In two-level designs these are pairs with all levels exchanged: both levels of each factor occur equally often.
    """
    return [0, *far_from(matrix, matrix[:1], number - 1)]


def combinations(places: Sequence[Sequence[float]]) -> Points:
    """Return the combinations of places of each factor; of very many, a sample, the same each time."""
    if prod(map(len, places)) <= _MOST_COMBINATIONS:
        return np.array(list(product(*places)), dtype=np.float64)
    rng = np.random.default_rng(1)
    return np.column_stack([np.asarray(each)[rng.integers(len(each), size=_MOST_COMBINATIONS)] for each in places])


def between(levels: Sequence[float]) -> list[float]:
    """Return places between neighbouring levels, at equal distances.

    Examples
    --------
    >>> between([-1, 1])
    [-0.5, 0.0, 0.5]
    """
    parts = np.arange(1, PARTS) / PARTS
    return [float(low + part * (high - low)) for low, high in pairwise(levels) for part in parts]
