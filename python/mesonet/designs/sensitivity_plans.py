"""Plans for global sensitivity analysis: Sobol' indices by Saltelli's scheme, and elementary effects of Morris.

Source: Saltelli and others, *Computer Physics Communications* 181 (2010) 259; Sobol', *Mathematics and Computers in
Simulation* 55 (2001) 271; Morris, *Technometrics* 33 (1991) 161.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mesonet.designs.two_level import checked_factors, whole_number
from mesonet.errors import InputError

_LEVELS = 4
"""Levels of a plan of Morris; a step is two thirds of the range."""
_MOST_RUNS = 1_000_000


def saltelli(factors: Sequence[str] | int, runs: int, seed: int = 1) -> npt.NDArray[np.float64]:
    """Return the points for Sobol' indices: two samples, and the first with each column of the second.

    Parameters
    ----------
    factors
        Ids, or how many: 1 to 32.
    runs
        Number of points, N (k + 2) for k factors; N is a power of 2. N of 256 or more gives useful intervals.
    seed
        Seed of the scrambled Sobol' sequence. Equal seeds give equal points.

    Returns
    -------
    Coded settings, -1 for minus to +1 for plus; shape (runs, k), in blocks of N rows. `mesonet.analysis.sobol_indices`
    analyses them.

    Raises
    ------
    InputError
        If the factors are malformed, or there is no such number of runs; the message has the nearest numbers.

    Examples
    --------
    >>> saltelli(3, 5 * 8).shape
    (40, 3)
    """
    from scipy.stats import qmc

    k = len(checked_factors(factors))
    base = _base(runs, k + 2, "N (k + 2), N a power of 2", powers=True)
    points = 2 * qmc.Sobol(2 * k, rng=np.random.default_rng(seed)).random_base2(base.bit_length() - 1) - 1
    first, second = points[:, :k], points[:, k:]
    mixed = [np.where(np.arange(k) == place, second, first) for place in range(k)]
    return np.vstack([first, second, *mixed])


def morris(factors: Sequence[str] | int, runs: int, seed: int = 1) -> npt.NDArray[np.float64]:
    """Return the points for elementary effects: random paths on four levels that change one factor at each step.

    Parameters
    ----------
    factors
        Ids, or how many: 1 to 32.
    runs
        Number of points, r (k + 1) for r paths of k factors. Ten to fifty paths are usual.
    seed
        Seed of the paths. Equal seeds give equal points.

    Returns
    -------
    Coded settings, -1 for minus to +1 for plus; shape (runs, k), path after path. `mesonet.analysis.morris_effects`
    analyses them.

    Raises
    ------
    InputError
        If the factors are malformed, or there is no such number of runs; the message has the nearest numbers.

    Examples
    --------
    >>> morris(3, 4 * 10).shape
    (40, 3)
    """
    k = len(checked_factors(factors))
    paths = _base(runs, k + 1, "r (k + 1), r at least 2", powers=False)
    rng = np.random.default_rng(seed)
    levels = np.linspace(-1, 1, _LEVELS)
    rows = []
    for _ in range(paths):
        low = rng.integers(0, _LEVELS // 2, k)
        rises = rng.integers(0, 2, k).astype(bool)
        at = np.where(rises, low, low + _LEVELS // 2)
        rows.append(levels[at])
        for place in rng.permutation(k):
            at[place] += _LEVELS // 2 if rises[place] else -(_LEVELS // 2)
            rows.append(levels[at])
    return np.array(rows)


def _base(runs: int, each: int, form: str, *, powers: bool) -> int:
    """Return the number of base points or paths of a number of runs. `each`: runs of one of them."""
    number = whole_number(runs)
    base = 0 if number is None or number % each or number > _MOST_RUNS else number // each
    if base < 2 or (powers and base.bit_count() != 1):
        near = max(2, round((number or 0) / each))
        below = 1 << near.bit_length() - 1 if powers else near
        allowed = f"{form}, such as {below * each} or {(2 * below if powers else below + 1) * each}"
        raise InputError("not a number of runs", path="runs", value=runs, allowed=allowed)
    return base
