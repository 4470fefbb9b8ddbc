"""Points between the levels, for follow-ups of the few factors that matter: Latin hypercube and Sobol sequence.

Both fill the space with far fewer points than a grid; both need factors whose values between the levels make sense.

Source: McKay, Beckman and Conover, *Technometrics* 21 (1979) 239; Sobol, *USSR Computational Mathematics* 7 (1967) 86;
scipy.stats.qmc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import checked_factors, whole_number
from mesonet.errors import InputError

_MOST_POINTS = 1_000_000


def latin_hypercube(factors: Sequence[str] | int, runs: int, seed: int = 1) -> npt.NDArray[np.float64]:
    """Return the points of a Latin hypercube: one point in each of `runs` equal slices of every factor.

    Parameters
    ----------
    factors
        Ids, or how many.
    runs
        Number of points, 1 to 1,000,000.
    seed
        Seed of the draws. Equal seeds give equal points.

    Returns
    -------
    Coded settings, -1 for minus to +1 for plus; shape (runs, k).

    Raises
    ------
    InputError
        If the factors are malformed or the number of runs is outside of its range.
    """
    from scipy.stats import qmc

    k, number = _checked(factors, runs)
    return np.asarray(2 * qmc.LatinHypercube(k, rng=np.random.default_rng(seed)).random(number) - 1)


def sobol(factors: Sequence[str] | int, runs: int, seed: int = 1) -> npt.NDArray[np.float64]:
    """Return the first points of a scrambled Sobol sequence.

    Parameters
    ----------
    factors
        Ids, or how many.
    runs
        Number of points, 1 to 1,000,000; best a power of 2.
    seed
        Seed of the scrambling. Equal seeds give equal points.

    Returns
    -------
    Coded settings, -1 for minus to +1 for plus; shape (runs, k).

    Raises
    ------
    InputError
        If the factors are malformed or the number of runs is outside of its range.
    """
    from scipy.stats import qmc

    k, number = _checked(factors, runs)
    sequence = qmc.Sobol(k, rng=np.random.default_rng(seed))
    points = sequence.random_base2((number - 1).bit_length())[:number]
    return np.asarray(2 * points - 1)


def _checked(factors: Sequence[str] | int, runs: int) -> tuple[int, int]:
    """Return the numbers of factors and of runs."""
    number = whole_number(runs)
    if number is None or not 1 <= number <= _MOST_POINTS:
        raise InputError("not a number of runs", path="runs", value=runs, allowed=f"1 to {_MOST_POINTS}")
    return len(checked_factors(factors)), number
