"""First look at a campaign: conditions that represent all of them, whose runs start first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mesonet.designs.rows import from_document

CONDITIONS = 16
"""Conditions of a first look (chosen: enough for an effect of each of several factors)."""
_LEAST = 2 * CONDITIONS
"""Conditions from which a campaign has a first look: with fewer, its end is near."""


def first_look(document: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the conditions of the first look, from 1, in the order in which they start; empty if there is none.

    Each next condition is the one that balances the levels of the factors, and of their pairs, best.
    `document`: the experiment.
    """
    matrix = from_document(document["design"]).matrix
    if len(matrix) < _LEAST or len(document["algorithms"]) < 2:
        return ()
    squares = matrix**2
    # Squared length of the sum of all columns x and x*y over the chosen conditions, and how a condition changes it.
    growth = _product(matrix, squares, place=None)
    chosen: list[int] = []
    for _ in range(CONDITIONS):
        place = int(np.argmin(growth))
        chosen.append(place + 1)
        growth += 2 * _product(matrix, squares, place)
        growth[place] = np.inf
    return tuple(chosen)


def _product(matrix: Any, squares: Any, place: int | None) -> Any:
    """Return the products of all conditions with one, or each with itself, over the columns x and x*y."""
    if place is None:
        mains, same = squares.sum(axis=1), (squares**2).sum(axis=1)
    else:
        mains, same = matrix @ matrix[place], squares @ squares[place]
    return mains + (mains**2 - same) / 2
