"""Interactions in designs that alias effects partially, such as Plackett-Burman designs.

A few active factors can be found with their interactions, though the design was made for main effects: each interaction
overlaps many main effects a little. Terms enter one after another, the one that explains most first. An interaction
needs a parent among the terms (effect heredity). A term that the others have made needless leaves again.

Source: M. Hamada and C. F. J. Wu, Analysis of designed experiments with complex aliasing, Journal of Quality Technology
24, 1992; C. F. J. Wu and M. Hamada, Experiments, chapter 9 (method I).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING, shifts
from mesonet.analysis.observations import DesignLike, design_blocks, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError, unknown
from mesonet.words import listed, signed, verb

Floats = NDArray[np.float64]
Heredity = Literal["weak", "strong"]
_MOST_ALTERNATIVES = 8
_NEAR = 0.8
"""Share of the explained variation of the model from which an alternative is named (chosen)."""
_MOST_MODELS = 200_000
"""Most models of as many terms that are compared (chosen)."""
_INDEPENDENT = 1e-9
"""Part of a column that others must leave for it to be another column."""
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

    def sentences(self, unit: str = "") -> list[str]:
        """Return the answer in sentences.

        Parameters
        ----------
        unit
            Unit of the response.

        Returns
        -------
        The terms that were found with their effects, their share of the variation, and the part of chance in it.
        """
        if not self.terms:
            return ["A stepwise search with interactions finds no term beyond chance."]
        tail = f" {unit}" if unit else ""
        named = [f"{term} ({signed(float(each), 4)}{tail})" for term, each in zip(self.terms, self.effect, strict=True)]
        explain = f"{verb(len(named), 'explain')} {self.r_squared[-1]:.0%} of the variation"
        return [
            f"A stepwise search with interactions finds {listed(named)}, which {explain}. Such a search explains as "
            f"much in {self.chance:.0%} of random orders of the values."
        ]


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
    >>> noise = np.random.default_rng(2).normal(size=12)
    >>> partial_aliasing(x, 10 + 3 * x[:, 0] + 2 * x[:, 0] * x[:, 1] + noise).terms
    ('x1', 'x1*x2')
    """
    if heredity not in get_args(Heredity):
        raise unknown("heredity", str(heredity), get_args(Heredity), path="heredity")
    alpha = checked_alpha(alpha)
    matrix, names = design_signs(design, factors)
    block = design_blocks(design, len(matrix))
    observed = observations(y, design, algorithm, block)
    x, value = matrix[observed.used], observed.mean
    first = shifts(None if block is None else block[observed.used], len(value))
    if len(value) < 4:
        raise InputError("too few runs with a value", path="y", value=len(value), allowed="at least 4")
    centred = value - value.mean()
    centred = centred - first @ np.linalg.lstsq(first, centred)[0]
    whole = float(centred @ centred)
    columns = {name: x[:, place] for place, name in enumerate(names)}
    parents: dict[str, tuple[str, ...]] = dict.fromkeys(names, ())
    for one, other in combinations(names, 2):
        columns[f"{one}*{other}"] = columns[one] * columns[other]
        parents[f"{one}*{other}"] = (one, other)
    notes = list(observed.notes)
    of = _Candidates(first, columns, parents, heredity)
    chosen: list[str] = []
    if np.ptp(value) <= ROUNDING * np.abs(value).max():
        notes.append("The response is the same in all runs: no term is active.")
    else:
        chosen = _forward(of, centred, alpha)
    model = _fit(of, chosen, centred)
    chance = _chance(of, chosen, centred, alpha=alpha, seed=seed) if chosen else float("nan")
    shares = np.array([1 - _fit(of, chosen[: place + 1], centred).squares / whole for place in range(len(chosen))])
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
        alternatives=_alternatives(of, chosen, centred),
        notes=tuple(notes),
    )


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Terms that may enter."""

    first: Floats  #: columns of the mean or the blocks
    columns: Mapping[str, Floats]  #: of each term
    parents: Mapping[str, tuple[str, ...]]  #: factors of each interaction
    heredity: str

    def may(self, term: str, chosen: Sequence[str]) -> bool:
        """Return True if a term has the parents that it needs."""
        own = self.parents[term]
        return not own or (all if self.heredity == "strong" else any)(each in chosen for each in own)

    def matrix(self, terms: Sequence[str]) -> Floats:
        """Return the columns of a model."""
        return np.column_stack([self.first, *(self.columns[term] for term in terms)])


@dataclass(frozen=True)
class _Fit:
    mean: float  #: less the mean of the values
    own: Floats
    error: Floats
    p: Floats
    squares: float
    usable: bool


def _fit(of: _Candidates, terms: Sequence[str], centred: Floats) -> _Fit:
    """Return the least-squares fit of the mean or the blocks, and some terms."""
    base, x = of.first.shape[1], of.matrix(terms)
    nothing = np.full(len(terms), np.nan)
    if np.linalg.matrix_rank(x) < x.shape[1]:
        squares = float(centred @ centred)
        return _Fit(mean=0.0, own=nothing, error=nothing, p=nothing, squares=squares, usable=False)
    inverse = np.linalg.inv(x.T @ x)
    found = inverse @ x.T @ centred
    rest = centred - x @ found
    squares, freedom = float(rest @ rest), len(centred) - x.shape[1]
    if squares <= (ROUNDING * np.abs(centred).max()) ** 2 * len(centred):
        squares = 0.0
    with np.errstate(all="ignore"):
        error = np.sqrt(np.diag(inverse) * squares / freedom) if freedom > 0 else np.full(x.shape[1], np.nan)
        p = 2 * special.stdtr(max(freedom, 1), -np.abs(found / error))
    p = np.where(np.isnan(error), np.nan, p)[base:]
    mean = float((of.first @ found[:base]).mean())
    return _Fit(mean=mean, own=found[base:], error=error[base:], p=p, squares=squares, usable=True)


def _forward(of: _Candidates, centred: Floats, alpha: float) -> list[str]:
    """Return the terms that enter and stay."""
    chosen: list[str] = []
    seen: set[frozenset[str]] = set()
    while len(chosen) < len(centred) - of.first.shape[1] - 1 and frozenset(chosen) not in seen:
        seen.add(frozenset(chosen))
        best, p = _best_addition(of, chosen, centred)
        if not p < alpha:
            break
        chosen.append(best)
        while (needless := _needless(of, chosen, centred, alpha)) is not None:
            chosen.remove(needless)
    return chosen


def _best_addition(of: _Candidates, chosen: Sequence[str], centred: Floats) -> tuple[str, float]:
    """Return the term that explains most beside the chosen ones, and its p-value."""
    allowed = [term for term in of.columns if term not in chosen and of.may(term, chosen)]
    if not allowed:
        return "", 1.0
    basis = np.linalg.qr(of.matrix(chosen))[0]
    candidates = np.column_stack([of.columns[term] for term in allowed])
    rest = centred - basis @ (basis.T @ centred)
    own = candidates - basis @ (basis.T @ candidates)
    length = (own**2).sum(axis=0)
    gain = np.where(length > _INDEPENDENT * len(centred), (own.T @ rest) ** 2 / np.maximum(length, 1e-300), 0.0)
    best, freedom = int(np.argmax(gain)), len(centred) - basis.shape[1] - 1
    left = max(float(rest @ rest) - float(gain[best]), 0.0)
    if left <= ROUNDING * float(centred @ centred):
        return allowed[best], 0.0
    return allowed[best], float(special.fdtrc(1, freedom, float(gain[best]) * freedom / left))


def _needless(of: _Candidates, chosen: Sequence[str], centred: Floats, alpha: float) -> str | None:
    """Return the term that is least beyond chance and that no other term needs as a parent; None if all are."""
    p = _fit(of, chosen, centred).p
    place: int
    for place in np.argsort(-p).tolist():
        rest = [term for term in chosen if term != chosen[place]]
        if p[place] >= alpha and all(of.may(term, rest) for term in rest):
            return chosen[place]
    return None


def _chance(of: _Candidates, chosen: Sequence[str], centred: Floats, *, alpha: float, seed: int) -> float:
    """Return the share of random orders of the values in which the search leaves as little variance."""
    rng, hits = np.random.default_rng(seed), 0
    own = _variance(of, chosen, centred)
    for _ in range(_ORDERS):
        order = rng.permutation(centred)
        hits += _variance(of, _forward(of, order, alpha), order) <= own * (1 + ROUNDING)
    return float((hits + 1) / (_ORDERS + 1))


def _variance(of: _Candidates, terms: Sequence[str], centred: Floats) -> float:
    """Return the residual variance of a model."""
    return float(_fit(of, terms, centred).squares / (len(centred) - of.first.shape[1] - len(terms)))


def _alternatives(of: _Candidates, chosen: Sequence[str], centred: Floats) -> tuple[tuple[tuple[str, ...], float], ...]:
    """Return other models of as many terms that explain nearly as much, for up to three terms."""
    size, whole = len(chosen), float(centred @ centred)
    if not 1 <= size <= 3 or len(of.columns) ** size > _MOST_MODELS:
        return ()
    own = _fit(of, chosen, centred).squares
    found = []
    for terms in combinations(of.columns, size):
        if set(terms) == set(chosen) or not all(of.may(term, terms) for term in terms):
            continue
        fit = _fit(of, terms, centred)
        if fit.usable and whole - fit.squares >= _NEAR * (whole - own):
            found.append((terms, 1 - fit.squares / whole))
    return tuple(sorted(found, key=lambda each: -each[1])[:_MOST_ALTERNATIVES])
