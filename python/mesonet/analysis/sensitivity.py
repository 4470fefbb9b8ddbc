"""Sensitivity of one response to factors that take values between their levels, as in a Latin hypercube.

Runs between two levels have no main effects as differences of means. A linear model of all factors gives instead

* SRC, the standardised regression coefficient: by how many of its standard deviations the response changes when the
  factor changes by one of its own and the others stay. With independent factors its square is the share of the variance
  that the factor explains. It is as good as the model, whose R^2 is given.
* SRRC, the same of ranks, for responses that only rise or only fall, straight or not.
* PRCC, the partial rank correlation coefficient: the correlation of the ranks of response and factor, after the other
  factors are regressed out of both. Its test is t = r sqrt(d / (1 - r^2)) on d = n - 1 - k degrees of freedom.

None of them sees a response that rises and falls again: look at the scatter plots.

Source: A. Saltelli and others, *Sensitivity Analysis* (2000), chapter 6; R. L. Iman and W. J. Conover, The use of the
rank transform in regression, *Technometrics* 21 (1979) 499; S. Marino and others, *Journal of Theoretical Biology* 254
(2008) 178.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import factor_names
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.observations import observations
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(AnalysisResult):
    """Coefficients of k factors on one response. Arrays have one entry per factor; NaN where not computable."""

    factors: tuple[str, ...]
    runs: int  #: conditions that had a value
    src: Floats
    srrc: Floats
    prcc: Floats
    p: Floats  #: of prcc, two-sided
    r_squared: float  #: share of the variance that the linear model of all factors explains
    r_squared_ranks: float  #: the same of ranks
    notes: tuple[str, ...]  #: remarks for readers: too few runs, a constant response, ...

    UNITS: ClassVar = {"src": "1", "srrc": "1", "prcc": "1", "p": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("src", "srrc", "prcc", "p")}

    def _attributes(self) -> dict[str, Any]:
        facts = {"r_squared": self.r_squared, "r_squared_ranks": self.r_squared_ranks}
        return {"runs": self.runs, **facts, "notes": " ".join(self.notes)}


def sensitivity(
    points: ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> Sensitivity:
    """Return SRC, SRRC and PRCC of the factors on one response.

    All coefficients are NaN, with a note, for a constant response, for fewer than k + 2 conditions with a value, and
    where factors depend on each other.

    Parameters
    ----------
    points
        Value of each factor in each condition, in any unit; shape (n, k).
    y
        n values or a frame, as for `main_effects`; replicates of a condition are averaged.
    factors
        Names of the columns; by default x1 ... xk.
    algorithm
        As for `main_effects`.

    Returns
    -------
    Coefficients and p, shape (k,).

    Raises
    ------
    ValueError
        For points that are not finite numbers, a wrong number of names or values, or several algorithms.
    """
    x = np.asarray(points, dtype=float)
    if x.ndim != 2 or not x.shape[1] or not np.isfinite(x).all():
        raise ValueError("the points must be an (n, k) array of numbers")
    names = factor_names(factors, x.shape[1])
    observed = observations(y, points, algorithm)
    used, value = observed.used, observed.mean
    x, value = x / unit(x, axis=0), value / unit(value)
    notes = observed.notes
    x, (n, k) = x[used], (len(used), x.shape[1])
    nothing = np.full(k, np.nan)
    problem = _problem(x, value)
    if problem:
        nan = float("nan")
        return Sensitivity(
            factors=names,
            runs=n,
            src=nothing,
            srrc=nothing,
            prcc=nothing,
            p=nothing,
            r_squared=nan,
            r_squared_ranks=nan,
            notes=(*notes, problem),
        )
    src, r_squared = _standardised(x, value)
    ranked, ranks = _ranks(x), _ranks(value)
    srrc, r_squared_ranks = _standardised(ranked, ranks)
    prcc = np.array([_partial(ranked, ranks, j) for j in range(k)])
    freedom = n - 1 - k
    with np.errstate(divide="ignore"):
        t = np.abs(prcc) * np.sqrt(freedom / np.maximum(1 - prcc**2, 0))
    p = np.asarray(2 * special.stdtr(freedom, -t))
    return Sensitivity(
        factors=names,
        runs=n,
        src=src,
        srrc=srrc,
        prcc=prcc,
        p=p,
        r_squared=r_squared,
        r_squared_ranks=r_squared_ranks,
        notes=tuple(notes),
    )


def _ranks(values: Floats) -> Floats:
    """Return the ranks of each column, means for equal values."""
    from scipy import stats  # takes longer to import than a report of most campaigns needs it

    return np.asarray(stats.rankdata(values, axis=0))


def _problem(x: Floats, y: Floats) -> str:
    """Return the reason why coefficients cannot be computed, or an empty text."""
    n, k = x.shape
    if n < k + 2:
        return f"{k} factors need at least {k + 2} conditions with a value; there are {n}."
    if np.ptp(y) <= ROUNDING * np.max(np.abs(y)):
        return "The response is the same in all runs: there is nothing to explain."
    varies = np.ptp(x, axis=0) > ROUNDING * np.max(np.abs(x), axis=0)
    for of in (x, _ranks(x)):
        # Standardised, so that factors in small units do not vanish beside others.
        if not varies.all() or np.linalg.matrix_rank((of - of.mean(axis=0)) / of.std(axis=0)) < k:
            return "A factor does not vary, or some depend on each other: they cannot be separated."
    return ""


def _standardised(x: Floats, y: Floats) -> tuple[Floats, float]:
    """Return the coefficients of the least-squares fit of standardised values, and R^2."""
    scaled = (x - x.mean(axis=0)) / x.std(axis=0)
    target = (y - y.mean()) / y.std()
    beta = np.linalg.lstsq(scaled, target)[0]
    return np.asarray(beta), float(1 - np.mean((target - scaled @ beta) ** 2))


def _partial(x: Floats, y: Floats, place: int) -> float:
    """Return the correlation of column `place` with y after the other columns are regressed out of both."""
    others = np.column_stack([np.ones(len(y)), np.delete(x, place, axis=1)])
    own, answer = (v - others @ np.linalg.lstsq(others, v)[0] for v in (x[:, place], y))
    size = float(np.sqrt((own @ own) * (answer @ answer)))
    # If the other factors explain all of the response, the rest is rounding.
    if float(answer @ answer) <= ROUNDING * float(y @ y):
        return 0.0
    return float(np.clip(own @ answer / size, -1, 1))
