"""Designs for a chosen model: the runs among candidates that estimate its terms best (D-optimal).

The determinant of the information matrix is the inverse of the volume of the confidence region of all coefficients. A
search exchanges single runs for better candidates until none is left, from many starts.

Source: Fedorov, *Theory of Optimal Experiments* (1972); Cook and Nachtsheim, *Technometrics* 22 (1980) 315.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from mesonet.designs.model_terms import columns, powers, sum_coded, terms_of
from mesonet.designs.two_level import checked_factors, whole_number
from mesonet.errors import InputError, unknown

Floats = npt.NDArray[np.float64]
_MOST_CANDIDATES, _MOST_RUNS = 20_000, 1_000
_MOST_STARTS, _LEAST_STARTS, _MOST_ROUNDS = 12, 2, 100
_WORK = 3_000_000
"""Runs times candidates times coefficients of all starts beyond the least, so that large searches take seconds."""
_RIDGE = 1e-9
_GAIN = 1e-9
"""Least relative growth of the determinant that an exchange is made for."""


@dataclass(frozen=True, eq=False)
class Optimal:
    """A design for a model. It goes wherever a design goes that has points between the levels.

    Attributes
    ----------
    factors
        Ids of the k factors.
    matrix
        Coded settings, -1 to +1; shape (runs, k). Equal runs are replicates, and stand beside each other.
    terms
        Terms of the model, such as ``heat``, ``heat*salt`` and ``heat^2``.
    parameters
        Number of coefficients, the mean included.
    efficiency
        The p-th root of the determinant of the information matrix of p coefficients, for each run: 1 for an orthogonal
        design at the limits, and less for models with squares.
    """

    factors: tuple[str, ...]
    matrix: npt.NDArray[np.float64] = field(repr=False)
    terms: tuple[str, ...]
    parameters: int
    efficiency: float

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.matrix)


def d_optimal(
    factors: Mapping[str, int] | Sequence[str] | int,
    runs: int,
    *,
    model: str | Sequence[str] = "quadratic",
    categorical: Sequence[str] = (),
    candidates: npt.ArrayLike | None = None,
    seed: int = 1,
) -> Optimal:
    """Return the best runs found for a model.

    Parameters
    ----------
    factors
        Numbers of levels by id; or ids, or how many, of three levels each (two for a model without squares). Levels
        stand at equal distances from -1 to +1.
    runs
        Number of runs, up to 1000: at least one for each coefficient. Fewer would be supersaturated, and are refused.
    model
        ``linear``, ``interactions`` (single factors and products of two), ``quadratic`` (also squares), or terms such
        as ``["heat", "salt", "heat*salt", "heat^2"]``.
    categorical
        Factors whose levels have no order; they have no squares.
    candidates
        Runs to choose from, coded, shape (number, k), for a region with corners that cannot run. By default all
        combinations of levels, at most 20,000.
    seed
        Seed of the starts. Equal seeds give equal designs.

    Returns
    -------
    The design with the largest determinant of 12 searches; of 2 or more where there are many candidates.

    Raises
    ------
    InputError
        If the runs are fewer than the coefficients, or the candidates cannot estimate the model.

    Examples
    --------
    >>> found = d_optimal({"heat": 3, "mould": 2}, 6, model=["heat", "mould", "heat^2"], categorical=["mould"])
    >>> found.runs, found.parameters, sorted(found.matrix[:, 0].tolist())
    (6, 4, [-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
    """
    counts = _counts(factors, model)
    ids = tuple(counts)
    for name in categorical:
        if name not in ids:
            raise unknown("factor", str(name), ids, path="categorical")
    words = [name for name in ids if name in categorical and counts[name] > 2]
    numbers = [name for name in ids if name not in categorical and counts[name] > 2]
    terms = terms_of(model, ids, numbers) if isinstance(model, str) else tuple(str(term) for term in model)
    points = _candidates(counts, candidates)
    coded = {name: points[:, [place]] for place, name in enumerate(ids)}
    for name in words:
        at = np.rint((coded[name][:, 0] + 1) / 2 * (counts[name] - 1)).astype(np.intp)
        coded[name] = sum_coded(at, counts[name])
    blocks = [columns(powers(term, ids), coded) for term in terms]
    x = np.column_stack([np.ones(len(points)), *blocks])
    number, p = whole_number(runs), x.shape[1]
    if number is None or not 1 <= number <= _MOST_RUNS:
        raise InputError("not a number of runs", path="runs", value=runs, allowed=f"{p} to {_MOST_RUNS}")
    if number < p:
        problem = f"supersaturated: {number} runs cannot estimate {p} coefficients, each would be biased by others"
        raise InputError(problem, path="runs", value=runs, allowed=f"at least {p}, or fewer terms")
    if np.linalg.matrix_rank(x) < p:
        problem = "the candidates cannot distinguish the terms of the model"
        raise InputError(problem, path="model", value=", ".join(terms), allowed="more levels, or fewer terms")
    rng = np.random.default_rng(seed)
    starts = min(max(_WORK // (number * len(x) * p), _LEAST_STARTS), _MOST_STARTS)
    best = max((_searched(x, number, rng) for _ in range(starts)), key=lambda found: found[0])
    chosen = sorted(best[1])
    return Optimal(ids, points[chosen], terms, p, float(np.exp(best[0] / p) / number))


def _searched(x: Floats, runs: int, rng: np.random.Generator) -> tuple[float, list[int]]:
    """Return the logarithm of the determinant, and the rows of one search."""
    rows = rng.integers(0, len(x), runs).tolist()
    ridge = _RIDGE * np.eye(x.shape[1])
    for _ in range(_MOST_ROUNDS):
        changed = False
        for place in range(runs):
            inverse = np.linalg.inv(x[rows].T @ x[rows] + ridge)
            toward = x @ inverse
            own = toward[rows[place]]
            shared = x @ own
            gain = (1 + (toward * x).sum(axis=1)) * (1 - own @ x[rows[place]]) + shared**2
            best = int(np.argmax(gain))
            if gain[best] > 1 + _GAIN:
                rows[place], changed = best, True
        if not changed:
            break
    sign, size = np.linalg.slogdet(x[rows].T @ x[rows])
    return (float(size) if sign > 0 else -np.inf), rows


def _counts(factors: Mapping[str, int] | Sequence[str] | int, model: str | Sequence[str]) -> dict[str, int]:
    if not isinstance(factors, Mapping):
        return dict.fromkeys(checked_factors(factors), 2 if model in ("linear", "interactions") else 3)
    ids = checked_factors(list(factors))
    for name in ids:
        count = whole_number(factors[name])
        if count is None or count < 2:
            problem = "not a number of levels"
            raise InputError(problem, path=f"factors, {name}", value=factors[name], allowed="at least 2")
    return {name: int(factors[name]) for name in ids}


def _candidates(counts: Mapping[str, int], given: npt.ArrayLike | None) -> Floats:
    if given is None:
        if prod(counts.values()) > _MOST_CANDIDATES:
            allowed = f"at most {_MOST_CANDIDATES} combinations of levels, or candidates of yours"
            raise InputError("too many candidates", path="factors", value=prod(counts.values()), allowed=allowed)
        places = [np.linspace(-1.0, 1.0, count).tolist() for count in reversed(list(counts.values()))]
        return np.array([row[::-1] for row in product(*places)])
    points = np.asarray(given, dtype=float)
    if points.ndim != 2 or points.shape[1] != len(counts) or not len(points) or not (np.abs(points) <= 1).all():
        allowed = f"an array of shape (number, {len(counts)}) of numbers from -1 to 1"
        raise InputError("not candidates", path="candidates", allowed=allowed)
    if len(points) > _MOST_CANDIDATES:
        raise InputError("too many candidates", path="candidates", value=len(points), allowed=str(_MOST_CANDIDATES))
    return points
