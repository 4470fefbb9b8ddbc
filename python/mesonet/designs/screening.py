"""Two other ways to vary factors between two levels: Plackett-Burman and one at a time.

A Plackett-Burman design distinguishes up to n - 1 main effects in n runs, n a multiple of 4. A regular design needs a
power of 2. Every two-factor interaction biases many main effects a little. One factor at a time is to compare: its
effects are differences of two runs, with n / 2 times the variance of a design of n runs, and no interaction shows.

Source: Plackett and Burman, *Biometrika* 33 (1946) 305; Paley, *Journal of Mathematics and Physics* 12 (1933) 311.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import checked_factors, whole_number
from mesonet.errors import InputError


def plackett_burman(factors: Sequence[str] | int, runs: int | None = None) -> npt.NDArray[np.int8]:
    """Return the rows of a Plackett-Burman design.

    Parameters
    ----------
    factors
        Ids, or how many.
    runs
        A multiple of 4 above the number of factors, up to 48; by default the smallest.

    Returns
    -------
    Rows of -1 and +1, shape (runs, k).

    Raises
    ------
    InputError
        If the factors are malformed or there is no such number of runs.
    """
    k = len(checked_factors(factors))
    least = 4 * (k // 4 + 1)
    number = least if runs is None else whole_number(runs)
    if number is None or number not in range(least, 49, 4):
        raise InputError("not a number of runs", path="runs", value=runs, allowed=f"a multiple of 4, {least} to 48")
    return _hadamard(number)[:, 1 : k + 1].copy()


def one_at_a_time(factors: Sequence[str] | int) -> npt.NDArray[np.int8]:
    """Return the rows that change one factor at a time.

    Parameters
    ----------
    factors
        Ids, or how many.

    Returns
    -------
    Rows of -1 and +1, shape (k + 1, k): first all factors at -, then one factor after another at +.

    Raises
    ------
    InputError
        If the factors are malformed.

    Examples
    --------
    >>> one_at_a_time(2).tolist()
    [[-1, -1], [1, -1], [-1, 1]]
    """
    k = len(checked_factors(factors))
    matrix = np.full((k + 1, k), -1, np.int8)
    matrix[np.arange(1, k + 1), np.arange(k)] = 1
    return matrix


def conference(least: int) -> npt.NDArray[np.float64]:
    """Return the smallest known conference matrix of at least `least` columns: 0 on the diagonal, C'C = (n - 1) I."""
    q = next(q for q in range(max(least, 4) - 1, 2 * least + 8) if q % 2 and _prime(q))
    step = (np.arange(q)[:, None] - np.arange(q)[None, :]) % q
    inner = np.where(step == 0, 0, np.where(np.isin(step, _squares(q)), 1, -1))
    below = np.full((q, 1), 1 if q % 4 == 1 else -1)
    return np.block([[np.zeros((1, 1)), np.ones((1, q))], [below, inner]]).astype(np.float64)


def _hadamard(n: int) -> npt.NDArray[np.int8]:
    """Return a Hadamard matrix whose first column is +1: by squares modulo a prime (Paley), else by doubling."""
    if n == 1:
        return np.ones((1, 1), np.int8)
    if _prime(n - 1) and n % 4 == 0:  # the cyclic rows of Plackett and Burman, the last row all -
        q = n - 1
        step = (np.arange(q)[None, :] - np.arange(q)[:, None]) % q
        cyclic = np.where(np.isin(step, [0, *_squares(q)]), 1, -1)
        rows = np.vstack([cyclic, np.full(q, -1)])
        return np.hstack([np.ones((n, 1)), rows]).astype(np.int8)
    if n % 2 == 0 and _prime(n // 2 - 1) and (n // 2 - 1) % 4 == 1:  # Paley's second kind
        q = n // 2 - 1
        step = (np.arange(q)[:, None] - np.arange(q)[None, :]) % q
        jacobsthal = np.where(step == 0, 0, np.where(np.isin(step, _squares(q)), 1, -1))
        conference = np.block([[np.zeros((1, 1)), np.ones((1, q))], [np.ones((q, 1)), jacobsthal]])
        one = np.eye(q + 1)
        matrix = np.kron(conference, [[1, 1], [1, -1]]) + np.kron(one, [[1, -1], [-1, -1]])
        return np.asarray(matrix * matrix[:, :1], dtype=np.int8)
    half = _hadamard(n // 2)
    return np.block([[half, half], [half, -half]]).astype(np.int8)


def _squares(q: int) -> list[int]:
    return sorted({i * i % q for i in range(1, q)})


def _prime(q: int) -> bool:
    return q > 1 and all(q % d for d in range(2, int(q**0.5) + 1))
