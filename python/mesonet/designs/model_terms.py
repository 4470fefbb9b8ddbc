"""Terms of a polynomial model in words, and their columns: ``heat``, ``heat*salt``, ``heat^2``, and sets of such terms.

A number is one column, from -1 to +1. A factor of words has a column less than it has levels, and they sum to zero, so
that its effects are deviations from the mean of all levels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mesonet.errors import InputError, unknown

Floats = npt.NDArray[np.float64]
MODELS = ("linear", "interactions", "quadratic")
"""Sets of terms: single factors; products of two, too; squares, too."""
_MOST_POWER = 4


def terms_of(model: str, factors: Sequence[str], curved: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of a set. `curved`: factors with at least three levels that are numbers: they have squares."""
    if model not in MODELS:
        raise unknown("model", str(model), MODELS, path="model")
    pairs = [f"{one}*{other}" for one, other in combinations(factors, 2)] if model != "linear" else []
    squares = [f"{name}^2" for name in factors if name in curved] if model == "quadratic" else []
    return (*factors, *pairs, *squares)


def powers(term: str, factors: Sequence[str]) -> dict[str, int]:
    """Return the power of each factor in a term.

    Examples
    --------
    >>> powers("heat^2*salt", ["heat", "salt"])
    {'heat': 2, 'salt': 1}
    """
    found: dict[str, int] = {}
    for part in (each.strip() for each in term.split("*")):
        match = None if part in factors else re.fullmatch(r"(.+)\^(\d)", part)
        name = match.group(1).strip() if match else part
        if name not in factors:
            raise unknown("factor", name, factors, path=f"terms, {term}")
        found[name] = found.get(name, 0) + (int(match.group(2)) if match else 1)
        if not 1 <= found[name] <= _MOST_POWER:
            raise InputError("not a power", path=f"terms, {term}", value=found[name], allowed=f"1 to {_MOST_POWER}")
    return found


def named(power: Mapping[str, int], factors: Sequence[str]) -> str:
    """Return the term of the powers, its factors in their order: the same text for equal terms."""
    return "*".join(name if power[name] == 1 else f"{name}^{power[name]}" for name in factors if name in power)


def sum_coded(place: npt.NDArray[np.intp], levels: int) -> Floats:
    """Return the columns of a factor of words: the last level is the negative sum. `place`: its level in each run."""
    return np.vstack([np.eye(levels - 1), -np.ones(levels - 1)])[place]


def columns(power: Mapping[str, int], coded: Mapping[str, Floats]) -> Floats:
    """Return the columns of a term, shape (n, d). `coded`: columns of each factor."""
    found = np.ones((len(next(iter(coded.values()))), 1))
    for name, exponent in power.items():
        own = coded[name]
        if exponent > 1 and own.shape[1] > 1:
            raise InputError("a factor of words has no powers", path="terms", value=f"{name}^{exponent}")
        found = (found[:, :, None] * (own**exponent)[:, None, :]).reshape(len(own), -1)
    return found
