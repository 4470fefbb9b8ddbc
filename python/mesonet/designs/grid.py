"""All combinations of factors with any number of levels: curves and tables, not effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import numpy as np

from mesonet.designs.rows import Rows
from mesonet.designs.two_level import Design

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
