"""Interactions in designs that alias effects partially, such as Plackett-Burman designs.

A few active factors can be found with their interactions, though the design was made for main effects: each interaction
overlaps many main effects a little. Terms enter one after another, the one that explains most first. An interaction
needs a parent among the terms (effect heredity). A term that the others have made needless leaves again.

Source: M. Hamada and C. F. J. Wu, Analysis of designed experiments with complex aliasing, Journal of Quality Technology
24, 1992; C. F. J. Wu and M. Hamada, Experiments, chapter 9 (method I).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError, unknown

Floats = NDArray[np.float64]
Heredity = Literal["weak", "strong"]
_MOST_ALTERNATIVES = 8
_NEAR = 0.8
"""Share of the explained variation of the model from which an alternative is named (chosen)."""
_ORDERS = 199
"""Random orders of the values (chosen)."""


@dataclass(frozen=True, eq=False, repr=False)
class PartialAliasing(AnalysisResult):
    """The model of the active terms. Arrays have one entry per term."""

    terms: tuple[str, ...]  #: in the order in which they entered
    effect: Floats  #: mean at + less mean at -, given the other terms
    error: Floats  #: standard error
    p: Floats
    r_squared: Floats  #: share that the terms up to this one explain
    mean: float
    chance: float  #: that the search leaves as little variance if no factor has an effect
    alternatives: tuple[tuple[tuple[str, ...], float], ...]  #: other models of as many terms, with their r_squared
    notes: tuple[str, ...]

    UNITS: ClassVar = {"p": "1", "r_squared": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": self.terms}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("effect", "error", "p", "r_squared")}

    def _attributes(self) -> dict[str, Any]:
        others = "; ".join(f"{', '.join(terms)}: {share:.0%}" for terms, share in self.alternatives)
        return {"mean": self.mean, "chance": self.chance, "alternatives": others, "notes": " ".join(self.notes)}


def partial_aliasing(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    heredity: Heredity = "weak",
    alpha: float = 0.05,
    seed: int = 1,
) -> PartialAliasing:
    """Return the active main effects and two-factor interactions of a design with partial aliasing.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`.
    heredity
        ``weak``: an interaction may enter if one of its factors is a term. ``strong``: if both are.
    alpha
        Level of significance at which a term enters and stays, above 0 and below 1.
    seed
        Seed of the orders of the values that show what chance explains.

    Returns
    -------
    The terms with effects in the unit of `y`, and other models of as many terms that explain nearly as much. The
    p-values are those of terms that were chosen for their size: `chance` is the test of the whole model.

    Raises
    ------
    InputError
        If `heredity` or `alpha` is none of its values, or fewer than four runs have a value.
    ValueError
        As for `main_effects`.

    Examples
    --------
    >>> from mesonet.designs import plackett_burman
    >>> x = plackett_burman(7, 12)
    >>> noise = [0.1, -0.1, 0.2, -0.2, 0, 0, 0.1, -0.1, 0.2, -0.1, -0.1, 0]
    >>> partial_aliasing(x, 10 + 3 * x[:, 0] + 2 * x[:, 0] * x[:, 1] + noise).terms
    ('x1', 'x1*x2')
    """
    if heredity not in get_args(Heredity):
        raise unknown("heredity", str(heredity), get_args(Heredity), path="heredity")
    alpha = checked_alpha(alpha)
    matrix, names = design_signs(design, factors)
    observed = observations(y, design, algorithm)
    x, value = matrix[observed.used], observed.mean
    if len(value) < 4:
        raise InputError("too few runs with a value", path="y", value=len(value), allowed="at least 4")
    centred = value - value.mean()
    whole = float(centred @ centred)
    columns = {name: x[:, place] for place, name in enumerate(names)}
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for one, other in combinations(names, 2):
        columns[f"{one}*{other}"] = columns[one] * columns[other]
        parents[f"{one}*{other}"] = (one, other)
    notes = list(observed.notes)
    chosen: list[str] = []
    if np.ptp(value) <= ROUNDING * np.abs(value).max():
        notes.append("The response is the same in all runs: no term is active.")
    else:
        chosen = _forward(columns, parents, centred, heredity=heredity, alpha=alpha)
    model = _fit(columns, chosen, centred)
    search = partial(_forward, columns, parents, heredity=heredity, alpha=alpha)
    chance = _chance(columns, chosen, centred, search=search, seed=seed) if chosen else float("nan")
    shares = np.array([1 - _fit(columns, chosen[: place + 1], centred).squares / whole for place in range(len(chosen))])
    if not chosen and whole > 0:
        notes.append("No term is beyond chance.")
    if chance > alpha:
        notes.append(f"Without any effect, {chance:.0%} of such searches explain as much: run the design again.")
    return PartialAliasing(
        terms=tuple(chosen),
        effect=2 * model.own,
        error=2 * model.error,
        p=model.p,
        r_squared=shares,
        mean=float(value.mean() + model.mean),
        chance=chance,
        alternatives=_alternatives(columns, parents, chosen, heredity, centred),
        notes=tuple(notes),
    )


@dataclass(frozen=True)
class _Fit:
    mean: float  #: less the mean of the values
    own: Floats
    error: Floats
    p: Floats
    squares: float
    usable: bool


def _fit(columns: dict[str, Floats], terms: Sequence[str], centred: Floats) -> _Fit:
    """Return the least-squares fit of the mean and some terms."""
    x = np.column_stack([np.ones(len(centred)), *(columns[term] for term in terms)])
    nothing = np.full(len(terms), np.nan)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return _Fit(0.0, nothing, nothing, nothing, float(centred @ centred), False)
    inverse = np.linalg.inv(x.T @ x)
    found = inverse @ x.T @ centred
    rest = centred - x @ found
    squares, freedom = float(rest @ rest), len(centred) - x.shape[1]
    if squares <= (ROUNDING * np.abs(centred).max()) ** 2 * len(centred):
        squares = 0.0
    with np.errstate(all="ignore"):
        error = np.sqrt(np.diag(inverse) * squares / freedom) if freedom > 0 else np.full(x.shape[1], np.nan)
        p = 2 * special.stdtr(max(freedom, 1), -np.abs(found / error))
    return _Fit(float(found[0]), found[1:], error[1:], np.where(np.isnan(error[1:]), np.nan, p[1:]), squares, True)


def _may(term: str, parents: dict[str, tuple[str, ...]], chosen: Sequence[str], heredity: str) -> bool:
    own = parents[term]
    return not own or (all if heredity == "strong" else any)(each in chosen for each in own)


def _forward(
    columns: dict[str, Floats], parents: dict[str, tuple[str, ...]], centred: Floats, *, heredity: str, alpha: float
) -> list[str]:
    """Return the terms that enter and stay."""
    chosen: list[str] = []
    seen: set[frozenset[str]] = set()
    while len(chosen) < len(centred) - 2 and frozenset(chosen) not in seen:
        seen.add(frozenset(chosen))
        allowed = [t for t in columns if t not in chosen and _may(t, parents, chosen, heredity)]
        best, p = _best_addition(columns, chosen, centred, allowed)
        if p < alpha:
            chosen.append(best)
        elif not chosen and heredity == "weak" and (pair := _first_pair(columns, parents, centred, alpha)):
            chosen = pair
        else:
            break
        while (needless := _needless(columns, parents, centred, chosen, heredity=heredity, alpha=alpha)) is not None:
            chosen.remove(needless)
    return chosen


def _best_addition(
    columns: dict[str, Floats], chosen: Sequence[str], centred: Floats, allowed: Sequence[str]
) -> tuple[str, float]:
    """Return the term that explains most beside the chosen ones, and its p-value."""
    basis = np.linalg.qr(np.column_stack([np.ones(len(centred)), *(columns[term] for term in chosen)]))[0]
    candidates = np.column_stack([columns[term] for term in allowed])
    rest = centred - basis @ (basis.T @ centred)
    own = candidates - basis @ (basis.T @ candidates)
    length = (own**2).sum(axis=0)
    gain = np.where(length > 1e-9 * len(centred), (own.T @ rest) ** 2 / np.maximum(length, 1e-300), 0.0)
    best, freedom = int(np.argmax(gain)), len(centred) - basis.shape[1] - 1
    left = max(float(rest @ rest) - float(gain[best]), 0.0)
    if left <= ROUNDING * float(centred @ centred):
        return allowed[best], 0.0
    return allowed[best], float(special.fdtrc(1, freedom, float(gain[best]) * freedom / left))


def _needless(
    columns: dict[str, Floats],
    parents: dict[str, tuple[str, ...]],
    centred: Floats,
    chosen: Sequence[str],
    *,
    heredity: str,
    alpha: float,
) -> str | None:
    """Return the term that is least beyond chance and that no other term needs as a parent; None if all are."""
    p = _fit(columns, chosen, centred).p
    for place in np.argsort(-p).tolist():
        rest = [term for term in chosen if term != chosen[place]]
        if p[place] >= alpha and all(_may(term, parents, rest, heredity) for term in rest):
            return chosen[place]
    return None


def _chance(
    columns: dict[str, Floats],
    chosen: Sequence[str],
    centred: Floats,
    *,
    search: Callable[[Floats], list[str]],
    seed: int,
) -> float:
    """Return the share of random orders of the values in which the search leaves as little variance."""
    rng, hits = np.random.default_rng(seed), 0
    own = _variance(columns, chosen, centred)
    for _ in range(_ORDERS):
        order = rng.permutation(centred)
        hits += _variance(columns, search(order), order) <= own * (1 + ROUNDING)
    return (hits + 1) / (_ORDERS + 1)


def _variance(columns: dict[str, Floats], terms: Sequence[str], centred: Floats) -> float:
    """Return the residual variance of a model."""
    return _fit(columns, terms, centred).squares / (len(centred) - 1 - len(terms))


def _first_pair(
    columns: dict[str, Floats], parents: dict[str, tuple[str, ...]], centred: Floats, alpha: float
) -> list[str] | None:
    """Return the best factor with one of its interactions, if both are beyond chance where no factor alone is."""
    best: tuple[float, list[str]] | None = None
    for term, own in parents.items():
        for parent in own:
            fit = _fit(columns, [parent, term], centred)
            if fit.usable and (fit.p < alpha / 2).all() and (best is None or fit.squares < best[0]):
                best = (fit.squares, [parent, term])
    return None if best is None else best[1]


def _alternatives(
    columns: dict[str, Floats],
    parents: dict[str, tuple[str, ...]],
    chosen: Sequence[str],
    heredity: str,
    centred: Floats,
) -> tuple[tuple[tuple[str, ...], float], ...]:
    """Return other models of as many terms that explain nearly as much, for up to three terms."""
    size, whole = len(chosen), float(centred @ centred)
    if not 1 <= size <= 3 or len(columns) ** size > 200_000:
        return ()
    own = _fit(columns, chosen, centred).squares
    found = []
    for terms in combinations(columns, size):
        if set(terms) == set(chosen) or not all(_may(term, parents, terms, heredity) for term in terms):
            continue
        fit = _fit(columns, terms, centred)
        if fit.usable and whole - fit.squares >= _NEAR * (whole - own):
            found.append((terms, 1 - fit.squares / whole))
    return tuple(sorted(found, key=lambda each: -each[1])[:_MOST_ALTERNATIVES])
