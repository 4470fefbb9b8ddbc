"""Designs of three or five levels for responses that curve: central composite, Box-Behnken, definitive screening.

The levels -1 and +1 are the limits of the region: no run lies outside of them.

Source: Box and Wilson, *Journal of the Royal Statistical Society* B 13 (1951) 1; Box and Behnken, *Technometrics* 2
(1960) 455; Jones and Nachtsheim, *Journal of Quality Technology* 43 (2011) 1; Xiao, Lin and Bai, the same 44 (2012) 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from mesonet.designs.choose import by_resolution
from mesonet.designs.screening import conference
from mesonet.designs.two_level import checked_factors, two_level, whole_number
from mesonet.errors import InputError, unknown

Floats = npt.NDArray[np.float64]
AXIAL = ("face", "rotatable", "spherical")
"""Distances of axial runs: in the faces; with equal variance at equal distance; on the sphere of the corners."""
_MOST_COMPOSITE = 16
_MOST_CENTRES = 1_000
_CENTRES = {3: 3, 4: 3, 5: 6, 6: 6, 7: 6}
"""Centre points of the published Box-Behnken designs by number of factors."""
_TRIPLES = {6: ("124", "235", "346", "145", "256", "136"), 7: ("456", "167", "257", "124", "347", "135", "236")}
"""Factors that vary together in a Box-Behnken design of 6 and 7 factors; below, all pairs do."""


def central_composite(
    factors: Sequence[str] | int, *, axial: str = "face", centre_points: int = 4
) -> npt.NDArray[np.float64]:
    """Return the runs of a central composite design: corners, two axial runs for each factor, and centre points.

    The corners are a full factorial of up to 4 factors, and the smallest design of resolution V beyond.

    Parameters
    ----------
    factors
        Ids, or how many: 2 to 16.
    axial
        Distance of the axial runs. ``face``: in the faces of the cube of the corners, three levels. ``rotatable``: the
        fourth root of the number of corners times as far as the corners. ``spherical``: on the sphere of the corners.
        Both have five levels, and the corners move inwards, so that the axial runs are at the limits.
    centre_points
        Number of runs with all factors half-way, 0 to 1000.

    Returns
    -------
    Coded settings, -1 to +1; shape (runs, k): corners, axial runs, centre points.

    Raises
    ------
    InputError
        If a number is outside of its range, or `axial` is none of its values.

    Examples
    --------
    >>> central_composite(2, centre_points=1)[4:].tolist()
    [[-1.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    ids = checked_factors(factors)
    k = len(ids)
    if not 2 <= k <= _MOST_COMPOSITE:
        raise InputError("not a number of factors", path="factors", value=k, allowed=f"2 to {_MOST_COMPOSITE}")
    if axial not in AXIAL:
        raise unknown("distance", str(axial), AXIAL, path="axial")
    corners = (two_level(ids) if k < 5 else by_resolution(ids, 5)).matrix.astype(np.float64)
    distance = {"face": 1.0, "rotatable": len(corners) ** 0.25, "spherical": k**0.5}[axial]
    return np.vstack([corners / distance, _star(k), np.zeros((_centres(centre_points, 4), k))])


def box_behnken(factors: Sequence[str] | int, *, centre_points: int | None = None) -> npt.NDArray[np.float64]:
    """Return the runs of a Box-Behnken design: two or three factors at their limits, the others half-way.

    Three levels, and no run has all factors at their limits.

    Parameters
    ----------
    factors
        Ids, or how many: 3 to 7.
    centre_points
        Number of runs with all factors half-way, 0 to 1000; by default as published: 3 for 3 and 4 factors, else 6.

    Returns
    -------
    Coded settings -1, 0 and +1; shape (runs, k).

    Raises
    ------
    InputError
        If a number is outside of its range.

    Examples
    --------
    >>> [len(box_behnken(k, centre_points=0)) for k in (3, 4, 5, 6, 7)]
    [12, 24, 40, 48, 56]
    """
    k = len(checked_factors(factors))
    if k not in _CENTRES:
        raise InputError("not a number of factors", path="factors", value=k, allowed="3 to 7")
    groups = [tuple(int(each) - 1 for each in group) for group in _TRIPLES.get(k, ())] or list(
        combinations(range(k), 2)
    )
    rows = []
    for group in groups:
        for signs in product((-1.0, 1.0), repeat=len(group)):
            row = np.zeros(k)
            row[list(group)] = signs[::-1]
            rows.append(row)
    return np.vstack([*rows, np.zeros((_centres(centre_points, _CENTRES[k]), k))])


def definitive_screening(factors: Sequence[str] | int, *, centre_points: int = 1) -> npt.NDArray[np.float64]:
    """Return the runs of a definitive screening design: three levels in about two runs for each factor.

    Main effects are clear of all products of two factors and of all squares. Each run has a mirror image, and one
    factor half-way.

    Parameters
    ----------
    factors
        Ids, or how many: 3 to 30.
    centre_points
        Number of runs with all factors half-way, 1 to 1000: without one, squares cannot be distinguished.

    Returns
    -------
    Coded settings -1, 0 and +1; shape (runs, k). There are 2 m + 1 runs or more, for the smallest m of at least k whose
    conference matrix is known: 4, 6, 8, 12, 14, 18, 20, 24 or 30.

    Raises
    ------
    InputError
        If a number is outside of its range.

    Examples
    --------
    >>> [len(definitive_screening(k)) for k in (3, 4, 6, 8)]
    [9, 9, 13, 17]
    """
    k = len(checked_factors(factors))
    if not 3 <= k <= 30:
        raise InputError("not a number of factors", path="factors", value=k, allowed="3 to 30")
    half = conference(k)[:, :k]
    number = _centres(centre_points, 1)
    if number < 1:
        raise InputError("not a number of runs", path="centre_points", value=number, allowed="at least 1")
    return np.vstack([np.stack([half, -half], axis=1).reshape(-1, k), np.zeros((number, k))])


def _star(k: int) -> Floats:
    return np.stack([0.0 - np.eye(k), np.eye(k)], axis=1).reshape(-1, k)


def _centres(given: int | None, default: int) -> int:
    number = default if given is None else whole_number(given)
    if number is None or not 0 <= number <= _MOST_CENTRES:
        allowed = f"0 to {_MOST_CENTRES}"
        raise InputError("not a number of runs", path="centre_points", value=given, allowed=allowed)
    return number
