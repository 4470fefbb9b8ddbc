"""Posterior probabilities of active factors in designs that alias effects partially, such as Plackett-Burman designs.

A model is a set of active factors with all their interactions up to an order. Effects of a model have a normal prior
with standard deviation gamma times the noise. Every model has a posterior probability. The probability of a factor is
the sum over the models that have the factor.

Source: G. E. P. Box and R. D. Meyer, Finding the active factors in fractionated screening experiments, Journal of
Quality Technology 25, 1993.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet import units
from mesonet.analysis.estimable import ROUNDING, shifts
from mesonet.analysis.observations import DesignLike, design_blocks, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError
from mesonet.words import counted, listed, number

Floats = NDArray[np.float64]
_MOST_MODELS = 40_000
"""Most models that are compared (chosen): all sets of 15 factors, and sets of up to 4 of 30 factors."""
_MOST_KEPT = 10
_DIGITS = 9  # of a probability: models that differ by rounding alone keep their order
_AT_ONCE = 4096
#: Values of gamma whose likelihoods are compared (chosen): published examples lie between 0.4 and 3.
_GAMMAS = np.geomspace(0.25, 8, 51)
_SUPPORTED = 0.1
"""Least likelihood of a gamma, as a share of the largest, that counts in the range of a probability (chosen)."""
_LIKELY = 0.5
_INDEPENDENT = 1e-9
"""Size of a direction, as a share of the largest, above which the terms reach it."""
_PARTIAL = (0.15, 0.95)
"""Overlap of a factor with an interaction that is a partial alias (chosen): lost runs of a fraction overlap less."""


@dataclass(frozen=True, eq=False, repr=False)
class BoxMeyer(AnalysisResult):
    """Probabilities that factors are active. Arrays have one entry per factor."""

    factors: tuple[str, ...]
    probability: Floats
    low: Floats  #: least over the values of gamma that the response supports
    high: Floats  #: largest over these values
    none: float  #: probability that no factor is active
    gamma: float  #: standard deviation of an effect, as a coefficient, relative to the noise
    models: tuple[tuple[tuple[str, ...], float], ...]  #: sets of active factors with their probabilities, falling
    prior: float
    order: int  #: highest order of interactions
    notes: tuple[str, ...]

    UNITS: ClassVar = {"probability": "1", "low": "1", "high": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("probability", "low", "high")}

    def _attributes(self) -> dict[str, Any]:
        likely = "; ".join(f"{', '.join(names) or 'none'}: {number(p)}" for names, p in self.models[:3])
        return {"none": self.none, "gamma": self.gamma, "models": likely, "notes": " ".join(self.notes)}

    def sentences(self) -> list[str]:
        """Return the answer in sentences.

        Returns
        -------
        Sentences on the factors that are more likely active than not, on the others, and on the likeliest models.
        """
        order = np.argsort(-self.probability, kind="stable")
        likely = [place for place in order if self.probability[place] >= _LIKELY]
        others = [place for place in order if self.probability[place] < _LIKELY]
        named = [f"{self.factors[place]} ({_probability(self.probability[place])})" for place in likely]
        if not likely:
            first = order[0]
            most = _probability(self.probability[first])
            return [f"No factor is likely active: {self.factors[first]} has the largest probability, {most}."]
        lines = [f"Likely active, by posterior probability: {listed(named)}."]
        if others:
            lines.append(f"The largest of the others: {_probability(self.probability[others[0]])}.")
        names, share = self.models[0]
        beside = self.models[1] if len(self.models) > 1 else None
        text = f"The likeliest set of active factors is {listed(names) if names else 'none'} ({_probability(share)})"
        if beside is not None:
            text += f", then {listed(beside[0]) if beside[0] else 'none'} ({_probability(beside[1])})"
        return [*lines, f"{text}."]


def box_meyer(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    prior: float = 0.25,
    gamma: float | None = None,
    order: int = 2,
) -> BoxMeyer:
    """Return the probability that each factor of a two-level design is active.

    A factor is active if any of its effects is. The design may alias effects, in part or in full.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`. Replicates count as runs.
    prior
        Probability that a factor is active before any run, above 0 and below 1.
    gamma
        Standard deviation of the coefficient of an effect relative to the noise, above 0. None: the value between 0.25
        and 8 at which the response is likeliest.
    order
        Highest order of the interactions of active factors: 1 (none), 2 or 3.

    Returns
    -------
    Posterior probabilities, with their range over the values of `gamma` that the response supports, and the likeliest
    sets of active factors.

    Raises
    ------
    InputError
        If an argument is outside of its range, or fewer than four runs have a value.
    ValueError
        As for `main_effects`.

    Examples
    --------
    >>> from mesonet.designs import plackett_burman
    >>> x = plackett_burman(7, 12)
    >>> noise = np.random.default_rng(2).normal(size=12)
    >>> found = box_meyer(x, 10 + 3 * x[:, 0] + 3 * x[:, 0] * x[:, 1] + noise)
    >>> found.models[0][0], bool(found.probability[:2].min() > 0.9)
    (('x1', 'x2'), True)
    """
    if not 0 < float(prior) < 1:
        raise InputError("not a probability", path="prior", value=prior, allowed="above 0 and below 1")
    if gamma is not None and not 0 < float(gamma) < np.inf:
        raise InputError("not a ratio", path="gamma", value=gamma, allowed="above 0")
    order = units.integer(order, "order", 1, 3)
    matrix, names = design_signs(design, factors)
    block = design_blocks(design, len(matrix))
    observed = observations(y, design, algorithm, block)
    runs = len(observed.value)
    if runs < 4:
        raise InputError("too few runs with a value", path="y", value=runs, allowed="at least 4")
    first = shifts(None if block is None else block[observed.row], runs)
    notes = list(observed.notes)
    y_free = _without(first, observed.value - observed.value[0])
    total = float(y_free @ y_free)
    if np.sqrt(total) <= ROUNDING * np.abs(observed.value).max() * runs:
        problem = "the same in all runs: no factor is active"
        raise InputError(problem, path="y", value=float(observed.value[0]), allowed="values that differ")
    products, places = _terms(matrix[observed.row], order)
    space = _Space.of(_without(first, products), y_free / np.sqrt(total))
    most = _most_active(len(names))
    if most < len(names):
        notes.append(f"Sets of at most {counted(most, 'active factor')} are compared.")
    tried = _GAMMAS if gamma is None else np.array([float(gamma)])
    sets: list[tuple[int, ...]] = []
    parts = []
    for chosen in _sets(len(names), most):
        sets += chosen
        size = len(chosen[0])
        odds = size * np.log(prior / (1 - prior))
        parts.append(odds + _evidence(space, _columns_of(chosen, places), tried, runs - first.shape[1]))
    log = np.vstack(parts)
    likelihood = special.logsumexp(log, axis=0)
    shares = np.exp(log - likelihood)
    member = np.array([[place in each for place in range(len(names))] for each in sets], dtype=float)
    by_gamma = member.T @ shares
    best = int(np.argmax(likelihood))
    if gamma is None and best in (0, len(tried) - 1):
        end = "smallest" if best == 0 else "largest"
        notes.append(f"The response is likeliest at the {end} gamma that is tried, {tried[best]:g}.")
    supported = likelihood >= likelihood[best] + np.log(_SUPPORTED)
    ranked = np.argsort(-np.round(shares[:, best], _DIGITS), kind="stable")[:_MOST_KEPT]
    return BoxMeyer(
        factors=names,
        probability=by_gamma[:, best],
        low=by_gamma[:, supported].min(axis=1),
        high=by_gamma[:, supported].max(axis=1),
        none=float(shares[0, best]),
        gamma=float(tried[best]),
        models=tuple((tuple(names[at] for at in sets[place]), float(shares[place, best])) for place in ranked),
        prior=float(prior),
        order=order,
        notes=tuple(notes),
    )


def has_partial_aliases(design: DesignLike | ArrayLike) -> bool:
    """Return True if interactions overlap factors in part, and not all effects of two factors can be estimated."""
    matrix = np.asarray(design.matrix if isinstance(design, DesignLike) else design, dtype=float)
    if matrix.shape[1] < 3 or matrix.shape[1] > len(matrix):
        return False
    runs, k = np.unique(matrix, axis=0), matrix.shape[1]
    products, _ = _terms(runs, 2)
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(runs)), products])) > products.shape[1]:
        return False
    overlap = np.abs(products[:, :k].T @ products[:, k:]) / len(runs)
    return bool(((overlap > _PARTIAL[0]) & (overlap < _PARTIAL[1])).any())


def _probability(value: float) -> str:
    return "above 0.995" if value > 0.995 else "below 0.005" if value < 0.005 else number(float(value), 2)


def _without(first: Floats, columns: Floats) -> Floats:
    """Return columns less their projection on the mean or the blocks."""
    return np.asarray(columns - first @ np.linalg.lstsq(first, columns)[0])


def _terms(matrix: Floats, order: int) -> tuple[Floats, dict[tuple[int, ...], int]]:
    """Return the columns of factors and interactions, and the place of each."""
    k = matrix.shape[1]
    terms = [each for size in range(1, order + 1) for each in combinations(range(k), size)]
    columns = np.column_stack([matrix[:, list(each)].prod(axis=1) for each in terms])
    return columns, {each: place for place, each in enumerate(terms)}


def _most_active(factors: int) -> int:
    """Return the largest size of the sets that are compared."""
    models = 1
    for size in range(1, factors + 1):
        models += comb(factors, size)
        if models > _MOST_MODELS:
            return size - 1
    return factors


def _sets(factors: int, most: int) -> Iterator[list[tuple[int, ...]]]:
    """Yield sets of factors, in parts of equal size; the empty set first."""
    for size in range(most + 1):
        found = list(combinations(range(factors), size))
        yield from (found[start : start + _AT_ONCE] for start in range(0, len(found), _AT_ONCE))


def _columns_of(sets: Sequence[tuple[int, ...]], places: dict[tuple[int, ...], int]) -> NDArray[np.intp]:
    """Return the places of all effects of each set, shape (sets, effects)."""
    order = max(len(each) for each in places)
    found = [[places[each] for size in range(1, order + 1) for each in combinations(chosen, size)] for chosen in sets]
    return np.array(found, dtype=np.intp).reshape(len(sets), -1)


@dataclass(frozen=True, eq=False)
class _Space:
    """Columns of all terms and the response, of length 1, in coordinates of the space that the terms span."""

    columns: Floats  #: shape (dimensions, terms)
    gram: Floats  #: products of the columns
    response: Floats

    @classmethod
    def of(cls, columns: Floats, response: Floats) -> _Space:
        basis, size, _ = np.linalg.svd(columns, full_matrices=False)
        basis = basis[:, size > _INDEPENDENT * size[0]]
        own = basis.T @ columns
        return cls(own, own.T @ own, basis.T @ response)

    def spectra(self, chosen: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return eigenvalues of models, and squares of the response along their axes times the eigenvalues."""
        if chosen.shape[1] <= len(self.columns):
            values, axes = np.linalg.eigh(self.gram[chosen[:, :, None], chosen[:, None, :]])
            return values, np.einsum("mij,mi->mj", axes, (self.columns.T @ self.response)[chosen]) ** 2
        own = self.columns[:, chosen].transpose(1, 0, 2)
        values, axes = np.linalg.eigh(own @ own.transpose(0, 2, 1))
        return values, np.maximum(values, 0) * np.einsum("mij,i->mj", axes, self.response) ** 2


def _evidence(space: _Space, columns: NDArray[np.intp], gammas: Floats, freedom: int) -> Floats:
    """Return the log likelihood of models at values of gamma, shape (models, gammas), but for a constant."""
    if not columns.shape[1]:
        return np.zeros((len(columns), len(gammas)))
    values, squares = space.spectra(columns)
    grown = gammas**2 * np.maximum(values, 0)[:, :, None]
    left = 1 - (squares[:, :, None] * gammas**2 / (1 + grown)).sum(axis=1)
    return np.asarray(-0.5 * np.log1p(grown).sum(axis=1) - 0.5 * freedom * np.log(left))
