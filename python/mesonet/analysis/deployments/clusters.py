"""Contrasts of cell means with an interval that holds for few clusters.

A cell is one arm at one share: its mean is a weighted mean of values, and each value belongs to a cluster. The error
follows from sums over clusters, so that a cluster with values in several cells is a pair. CR2 corrects the residuals
for the mean that was taken from them, and the degrees of freedom follow Satterthwaite, with the variance of each cell.
Pairs give the paired t interval, and clusters that share no cell nearly the interval of Welch. The plain sandwich is
too narrow for few clusters: `verification/test_deployment_coverage.py` measures both.

Source: R. M. Bell and D. F. McCaffrey, Survey Methodology 28, 2002 (CR2); J. E. Pustejovsky and E. Tipton, Journal of
Business & Economic Statistics 36, 2018 (degrees of freedom).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from mesonet.analysis.decisions.welch import p_values, quantiles

Floats = NDArray[np.float64]

POOLED = 1.0
"""Degrees of freedom of the variance of all cells in the variance of each. Chosen: with 0, as in Welch's interval, a
cell of 2 in 100 clusters covers 88 % of 95 %; with 1, 97 to 99 %; cells of 10 clusters do not notice."""


@dataclass(frozen=True, eq=False)
class Cell:
    """Values of one arm at one share. Arrays have an entry per cluster."""

    clusters: NDArray[np.int64]  #: number of the cluster, each once
    values: Floats
    parts: Floats  #: part of each value in the mean; their sum is 1

    @property
    def mean(self) -> float:
        """The weighted mean."""
        return float(self.parts @ self.values)

    def among(self, clusters: NDArray[np.int64]) -> Cell:
        """Return the cell with these clusters only."""
        kept = np.isin(self.clusters, clusters)
        return Cell(self.clusters[kept], self.values[kept], self.parts[kept] / self.parts[kept].sum())


@dataclass(frozen=True)
class Contrast:
    """Weighted sum of cell means, or of their logarithms, with its noise."""

    value: float
    error: float  #: standard error; NaN if a cell has one cluster
    freedom: float  #: degrees of freedom
    clusters: int

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the truth with probability `alpha`; NaN without noise."""
        half = float(quantiles(np.array([self.freedom]), np.array([alpha]))[0]) * self.error
        return self.value - half, self.value + half

    def p(self) -> float:
        """Return the two-sided p-value of the contrast 0; NaN without noise."""
        return float(p_values(*(np.array([each]) for each in (self.value, self.error, self.freedom)))[0])

    def smallest(self, alpha: float, power: float) -> float:
        """Return the contrast at which the test at level `alpha` excludes 0 with this power, by noncentral t."""
        if not (self.freedom > 0 and np.isfinite(self.error)):
            return float("nan")
        sides = float(quantiles(np.array([self.freedom]), np.array([alpha]))[0])
        return float(special.nctdtrinc(self.freedom, 1 - power, sides)) * self.error


def cell(clusters: NDArray[np.int64], values: Floats, weights: Floats | None = None) -> Cell:
    """Return a cell. `weights`: above 0, in any unit; None for equal weights."""
    weights = np.ones(len(values)) if weights is None else weights
    return Cell(clusters, values, weights / weights.sum())


def contrast(cells: Sequence[Cell], signs: Sequence[float], *, log: bool = False) -> Contrast:
    """Return the sum of the means, each with its sign. `log`: of the logarithms of the means.

    The residual of a value with the part a is divided by the root of 1 - 2 a + (sum of a^2): its variance is then right
    on average for values of equal variance. With equal parts, this is 1 - 1/n.
    """
    means = np.array([each.mean for each in cells])
    with np.errstate(all="ignore"):
        slopes = np.asarray(signs) / means if log else np.asarray(signs, dtype=float)
        value = float(np.asarray(signs) @ (np.log(means) if log else means))
    found, places = np.unique(np.concatenate([each.clusters for each in cells]), return_inverse=True)
    ends = np.cumsum([0, *(len(each.clusters) for each in cells)])
    alone = np.array([len(each.clusters) < 2 for each in cells])
    if alone.any() or not np.isfinite(value):
        return Contrast(value, np.nan, np.nan, len(found))
    pull, part = np.zeros((2, len(found), len(cells)))
    total, variance, squares = np.zeros(len(found)), np.zeros(len(cells)), np.zeros(len(cells))
    own = np.array([len(each.clusters) - 1.0 for each in cells])
    for k, each in enumerate(cells):
        at = places[ends[k] : ends[k + 1]]
        squares[k] = each.parts @ each.parts
        scale = 1 / np.sqrt(1 - 2 * each.parts + squares[k])
        residual = scale * (each.values - each.values @ each.parts)
        pull[at, k], part[at, k] = slopes[k] * each.parts * scale, each.parts
        total[at] += slopes[k] * each.parts * residual
        variance[k] = np.mean(residual**2)
    square = float(total @ total)
    variance = (own * variance + POOLED * (own @ variance) / own.sum()) / (own + POOLED)
    freedom = _freedom(pull, part, squares, variance if square > 0 else np.ones(len(cells)))
    return Contrast(value, float(np.sqrt(square)), freedom, len(found))


def _freedom(pull: Floats, part: Floats, squares: Floats, variance: Floats) -> float:
    """Return Satterthwaite's degrees of freedom of the sum over clusters: tr(G)^2 / tr(G^2).

    G = D + U C U' is the covariance of the clusters' sums, if values are independent with the variance of their cell.
    D is diagonal, and U has two columns per cell. So no matrix of all clusters is made where there are many.
    """
    diagonal = pull**2 @ variance
    low = np.concatenate([pull, part * pull], axis=1)
    cross = -variance * part * pull
    times = np.concatenate([variance * squares * pull + cross, -variance * pull], axis=1)  # U C
    if len(pull) <= low.shape[1]:
        whole = np.diag(diagonal) + times @ low.T
        return float(np.trace(whole) ** 2 / np.sum(whole**2))
    product = low.T @ times
    trace = diagonal.sum() + np.trace(product)
    of_square = diagonal @ diagonal + 2 * diagonal @ np.sum(times * low, axis=1) + np.sum(product * product.T)
    return float(trace**2 / of_square)
