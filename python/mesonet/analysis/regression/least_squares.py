"""Least squares with chosen terms: coefficients, their covariance, partial tests of terms, lack of fit.

Source: D. C. Montgomery, Design and Analysis of Experiments, chapters 10 and 11; J. G. MacKinnon and H. White, Some
heteroskedasticity-consistent covariance matrix estimators, Journal of Econometrics 29, 1985 (HC3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mesonet.analysis.estimable import ROUNDING
from mesonet.errors import InputError

Floats = NDArray[np.float64]
Errors = Literal["equal", "hc3"]
_INDEPENDENT = 1e-9
"""Part of a column that others must leave for it to be estimated, relative to its length."""


@dataclass(frozen=True, eq=False)
class Part:
    """A term of the model, or the blocks."""

    name: str
    columns: Floats  #: shape (n, d)
    labels: tuple[str, ...]  #: of each column


@dataclass(frozen=True)
class Test:
    """A row of the analysis of variance."""

    source: str
    squares: float  #: sum of squares
    freedom: int
    f: float  #: NaN without a test
    p: float


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """A fitted model of the mean and parts."""

    parts: tuple[Part, ...]
    y: Floats
    errors: Errors
    settings: NDArray[np.intp]  #: number of the settings of each run; equal for replicates

    @cached_property
    def x(self) -> Floats:
        """Columns of the model, the mean first."""
        return np.column_stack([np.ones(len(self.y)), *(part.columns for part in self.parts)])

    @cached_property
    def _basis(self) -> tuple[Floats, Floats]:
        q, r = np.linalg.qr(self.x)
        return q, r

    @cached_property
    def inverse(self) -> Floats:
        """Inverse of the information matrix."""
        inner = np.linalg.inv(self._basis[1])
        return np.asarray(inner @ inner.T)

    @cached_property
    def coefficient(self) -> Floats:
        """Coefficients, the mean first."""
        base = float(self.y.mean())  # values far from 0 lose nothing
        q, r = self._basis
        found = np.linalg.solve(r, q.T @ (self.y - base))
        found[0] += base
        return np.asarray(found)

    @cached_property
    def residual(self) -> Floats:
        """Values less the model. Rounding counts as zero."""
        base = float(self.y.mean())
        q, _ = self._basis
        rest = self.y - base - q @ (q.T @ (self.y - base))
        size = np.abs(self.y).max()
        return np.where(np.abs(rest) <= ROUNDING * size, 0.0, rest)

    @cached_property
    def leverage(self) -> Floats:
        """Share of each run in its own prediction."""
        return np.asarray((self._basis[0] ** 2).sum(axis=1))

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the residuals."""
        return int(len(self.y) - self.x.shape[1])

    @property
    def squares(self) -> float:
        """Sum of squares of the residuals."""
        return float(self.residual @ self.residual)

    @property
    def total(self) -> float:
        """Sum of squares about the mean."""
        return float(((self.y - self.y.mean()) ** 2).sum())

    @property
    def variance(self) -> float:
        """Variance of a run; NaN without freedom."""
        return self.squares / self.freedom if self.freedom > 0 else float("nan")

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the coefficients; NaN without freedom."""
        if self.errors == "equal" or self.freedom <= 0:
            return self.inverse * self.variance
        spare = 1 - self.leverage
        scaled = np.where(spare > _INDEPENDENT, self.residual / np.maximum(spare, _INDEPENDENT), 0.0)
        outer = self.inverse @ self.x.T * scaled
        return np.asarray(outer @ outer.T)

    @property
    def press(self) -> float:
        """Sum of squares of the errors of runs that the others predict; NaN if a run is alone in some term."""
        spare = 1 - self.leverage
        return float(((self.residual / spare) ** 2).sum()) if spare.min() > _INDEPENDENT else float("nan")

    def places(self, number: int) -> slice:
        """Return the places of the coefficients of a part."""
        begin = 1 + sum(part.columns.shape[1] for part in self.parts[:number])
        return slice(begin, begin + self.parts[number].columns.shape[1])

    def tests(self) -> list[Test]:
        """Return the test of each part, given all others."""
        found = []
        for number, part in enumerate(self.parts):
            at = self.places(number)
            own, d = self.coefficient[at], part.columns.shape[1]
            squares = float(own @ np.linalg.solve(self.inverse[at, at], own))
            if self.errors == "equal":
                f = _ratio(squares / d, self.variance)
            else:
                covariance = self.covariance[at, at]
                usable = self.freedom > 0 and np.linalg.matrix_rank(covariance) == d
                f = float(own @ np.linalg.solve(covariance, own)) / d if usable else float("nan")
            found.append(Test(part.name, squares, d, f, tail(f, d, self.freedom)))
        return found

    def lack_of_fit(self, block: Floats | None) -> tuple[Test, Test] | None:
        """Return lack of fit and pure error; None if no run is replicated. `block`: columns of the blocks."""
        cells = np.eye(int(self.settings.max()) + 1)[self.settings]
        pure = cells if block is None else np.column_stack([cells, block])
        rest = self.y - self.y.mean()
        rest = rest - pure @ np.linalg.lstsq(pure, rest)[0]
        rest = np.where(np.abs(rest) <= ROUNDING * np.abs(self.y).max(), 0.0, rest)
        freedom = len(self.y) - int(np.linalg.matrix_rank(pure))
        if freedom < 1:
            return None
        squares = float(rest @ rest)
        lack, spare = max(self.squares - squares, 0.0), self.freedom - freedom
        f = _ratio(lack / spare, squares / freedom) if spare > 0 else float("nan")
        nan = float("nan")
        return Test("lack of fit", lack, spare, f, tail(f, spare, freedom)), Test(
            "pure error", squares, freedom, nan, nan
        )


def tail(f: float, above: int, below: int) -> float:
    """Return the probability of a larger F; NaN without one."""
    if np.isnan(f) or above < 1 or below < 1:
        return float("nan")
    return 0.0 if np.isinf(f) else float(special.fdtrc(above, below, f))


def _ratio(above: float, below: float) -> float:
    if np.isnan(below):
        return float("nan")
    return above / below if below > 0 else (float("inf") if above > 0 else float("nan"))


def refuse_dependent(parts: Sequence[Part], runs: int) -> None:
    """Raise InputError for the first part that the runs cannot separate from those before it."""
    number = 1 + sum(part.columns.shape[1] for part in parts)
    if number > runs:
        problem = f"{runs} runs cannot estimate {number} coefficients"
        raise InputError(problem, path="terms", allowed='fewer terms, such as terms="linear", or more runs')
    known = np.ones((runs, 1)) / np.sqrt(runs)
    for part in parts:
        for column in part.columns.T:
            rest = column
            for _ in range(2):
                rest = rest - known @ (known.T @ rest)
            size = np.linalg.norm(rest)
            if size <= _INDEPENDENT * max(float(np.linalg.norm(column)), 1.0):
                problem = "cannot be distinguished from the terms before it in these runs"
                raise InputError(problem, path="terms", value=part.name, allowed="terms without it")
            known = np.column_stack([known, rest / size])
