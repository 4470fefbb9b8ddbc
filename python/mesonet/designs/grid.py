"""All combinations of factors with any number of levels: curves and tables, not effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from mesonet.designs.rows import Rows
from mesonet.designs.two_level import MOST_BASE, Design, checked_factors, whole_number
from mesonet.errors import InputError

KIND = "grid"


def grid(counts: Mapping[str, int]) -> Rows:
    """Return every combination, the level of the first factor changing fastest.

    Rows of the kind ``grid``. Its design has no rows: effects of two levels are not defined. `counts`: number of
    levels, at least 2, by factor. They stand at equal distances from -1 to +1.

    Examples
    --------
    >>> grid({"speed": 3, "delay": 2}).matrix.tolist()
    [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
    """
    places = [np.linspace(-1.0, 1.0, count).tolist() for count in counts.values()]
    matrix = np.array([row[::-1] for row in product(*reversed(places))], dtype=np.float64)
    none = Design(
        factors=tuple(counts), matrix=np.empty((0, len(counts)), np.int8), generators=(), columns=(), signs=(),
        word_lengths={}, resolution=3, aliases={}, status="irregular",
    )  # fmt: skip
    return Rows(KIND, matrix, none)


def full_factorial(counts: Mapping[str, int]) -> NDArray[np.float64]:
    """Return all combinations of factors with any numbers of levels.

    Parameters
    ----------
    counts
        Number of levels, at least 2, by factor.

    Returns
    -------
    Coded settings at equal distances from -1 to +1, shape (runs, k); the first factor changes fastest.

    Raises
    ------
    InputError
        If the factors are malformed, a number of levels is below 2, or there are more than 65,536 runs.

    Examples
    --------
    >>> full_factorial({"heat": 3, "mould": 2}).tolist()[:3]
    [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0]]
    """
    ids = checked_factors(list(counts))
    for name in ids:
        number = whole_number(counts[name])
        if number is None or number < 2:
            path = f"counts, {name}"
            raise InputError("not a number of levels", path=path, value=counts[name], allowed="at least 2")
    if (runs := prod(int(counts[name]) for name in ids)) > 1 << MOST_BASE:
        raise InputError("too many runs", path="counts", value=runs, allowed=f"at most {1 << MOST_BASE}")
    return grid({name: int(counts[name]) for name in ids}).matrix


def crossed(factor: str, count: int, others: Rows) -> Rows:
    """Return each of `count` levels of a factor in each condition of other factors, its level changing fastest."""
    own = grid({factor: count}).matrix
    matrix = np.array([[*level, *row] for row in others.matrix for level in own], dtype=np.float64)
    design = replace(grid({factor: count}).design, factors=(factor, *others.design.factors))
    return Rows(KIND, matrix, replace(design, matrix=np.empty((0, matrix.shape[1]), np.int8)))


def level_at(place: float, count: int) -> int:
    """Return the number of the level that stands at a place.

    The nearest level, from 0. `place`: coded place, -1 to +1. `count`: number of levels, at least 2, at equal
    distances.
    """
    return round((place + 1) / 2 * (count - 1))
