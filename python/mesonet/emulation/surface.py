"""Gaussian process through noisy means: an ordinary surface, its noise, and predictions without each condition.

The response at a point is a smooth surface (Matern 5/2, a length for each input), plus a nugget for what no smooth
surface explains, plus the noise of runs. The noise may change over the region: a second Gaussian process goes through
the logarithms of the variances of replicates.

Source: Ankenman, Nelson and Staum, *Operations Research* 58 (2010) 371 (noise from replicates); Rasmussen and Williams,
*Gaussian Processes for Machine Learning* (2006), sections 2.2 and 5.4.2 (prediction, and leaving points out).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from mesonet.errors import needs_extra

Floats = NDArray[np.float64]

SHORTEST, LONGEST = 0.05, 50.0
"""Lengths of inputs, in ranges of an input: shorter ones pass through every point, longer ones are straight."""
SMALLEST_NUGGET = 1e-6
"""Variance that a fit cannot go below, in variances of the response: it keeps the equations solvable."""
LEVEL = 1.0
"""Prior variance of the mean of the surface, in variances of the response: the mean is estimated, too."""
FLOOR = 1e-3
"""Smallest variance of replicates, in mean variances: replicates may be equal by chance."""
FOLDS = 8
"""Parts of the conditions; lengths and variances are estimated without each part (chosen)."""
_RESTARTS = 2


@dataclass(frozen=True, eq=False)
class Shape:
    """Lengths and variances of a surface, in standardised units."""

    lengths: Floats  #: of each input, in ranges of the input
    signal: float  #: variance of the smooth part
    nugget: float  #: variance of what no smooth surface explains, and of noise that is not known

    def covariance(self, a: Floats, b: Floats) -> Floats:
        """Return the covariance of the smooth part between points, shape (len(a), len(b))."""
        apart = np.sqrt(np.maximum(_squares(a / self.lengths, b / self.lengths), 0.0)) * np.sqrt(5.0)
        return np.asarray(LEVEL + self.signal * (1 + apart + apart**2 / 3) * np.exp(-apart))


@dataclass(frozen=True, eq=False)
class Surface:
    """A fitted Gaussian process. Values are standardised by `centre` and `scale`."""

    points: Floats = field(repr=False)  #: shape (n, inputs), from 0 to 1
    centre: float
    scale: float
    values: Floats = field(repr=False)  #: standardised means, shape (n,)
    noise: Floats = field(repr=False)  #: variance of each mean by the noise of its runs, standardised
    shape: Shape

    @cached_property
    def factor(self) -> Floats:
        """Lower Cholesky factor of the covariance of the means."""
        return _factor(self.shape, self.points, self.noise)

    @cached_property
    def weights(self) -> Floats:
        """Weight of each mean in a prediction: prediction = covariance x weights."""
        return np.asarray(linalg.cho_solve((self.factor, True), self.values))

    def at(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the smooth surface and its variance, in units of the response."""
        covariance = self.shape.covariance(points, self.points)
        variance = np.maximum(LEVEL + self.shape.signal - np.sum(explained(self, points) ** 2, axis=0), 0.0)
        return self.centre + self.scale * (covariance @ self.weights), self.scale**2 * variance

    def left_out(self, shapes: Callable[[int], Shape]) -> tuple[Floats, Floats]:
        """Return the prediction of each mean from all others, and its variance without the noise of its runs.

        `shapes`: the lengths and variances by which a point is predicted.
        """
        mean, variance = np.empty(len(self.values)), np.empty(len(self.values))
        for shape in dict.fromkeys(shapes(place) for place in range(len(self.values))):
            inverse = linalg.cho_solve((_factor(shape, self.points, self.noise), True), np.eye(len(self.values)))
            own = np.array([shapes(place) is shape for place in range(len(self.values))])
            mean[own] = (self.values - inverse @ self.values / np.diag(inverse))[own]
            variance[own] = np.maximum(1 / np.diag(inverse) - self.noise - shape.nugget, 0.0)[own]
        return self.centre + self.scale * mean, self.scale**2 * variance

    @property
    def nugget(self) -> float:
        """Variance of the nugget, in squared units of the response."""
        return self.scale**2 * self.shape.nugget


def explained(surface: Surface, points: Floats) -> Floats:
    """Return columns whose products are what the means explain of the covariance of points, standardised."""
    covariance = surface.shape.covariance(surface.points, points)
    return np.asarray(linalg.solve_triangular(surface.factor, covariance, lower=True))


def fit(points: Floats, means: Floats, noise: Floats, *, known_noise: bool) -> Surface:
    """Return the surface through means. `noise`: variance of each mean by its runs, in squared units.

    `known_noise`: False if there is no replicate, so that the nugget has the noise, too.
    """
    centre, scale = float(np.mean(means)), float(np.std(means))
    values, own = (means - centre) / scale, noise / scale**2
    shape = _shape(points, values, own, _start(points, known_noise), True)
    return Surface(points, centre, scale, values=values, noise=own, shape=shape)


def without_parts(surface: Surface) -> Callable[[int], Shape]:
    """Return the lengths and variances that are estimated without a point and its part of the points."""
    place = np.arange(len(surface.values))
    found = []
    for part in range(FOLDS):
        kept = place % FOLDS != part
        found.append(_shape(surface.points[kept], surface.values[kept], surface.noise[kept], surface.shape, False))
    return lambda number: found[number % FOLDS]


@dataclass(frozen=True, eq=False)
class Noise:
    """Variance of one run over the region: the exponential of a surface through logarithms, or one number."""

    level: float  #: mean of the logarithm of the variance
    surface: Surface | None = field(repr=False)

    def at(self, points: Floats) -> Floats:
        """Return the variance of one run at points."""
        log = np.full(len(points), self.level) if self.surface is None else self.surface.at(points)[0]
        return np.exp(log)


def noise_of(points: Floats, variances: Floats, runs: NDArray[np.int64]) -> Noise:
    """Return the noise of one run from the variances of replicates. `runs`: replicates of each point.

    The logarithm of a variance of d degrees of freedom has a known bias and a known variance of its own.

    Source: Bartlett and Kendall, *Supplement to the Journal of the Royal Statistical Society* 8 (1946) 128.
    """
    there = runs > 1
    freedom = runs[there] - 1.0
    pooled = float(np.sum(freedom * variances[there]) / np.sum(freedom))
    if pooled <= 0:
        return Noise(-np.inf, None)
    floored = np.maximum(variances[there], FLOOR * pooled)
    logs = np.log(floored) - (special.digamma(freedom / 2) - np.log(freedom / 2))
    own = special.polygamma(1, freedom / 2)
    if len(logs) < 10 or np.std(logs) < 1e-9:
        return Noise(float(np.log(pooled)), None)
    scale = float(np.std(logs))
    values, about = (logs - logs.mean()) / scale, np.asarray(own / scale**2)
    shape = _shape(points[there], values, about, _start(points, True), True)
    surface = Surface(points[there], float(logs.mean()), scale, values=values, noise=about, shape=shape)
    if surface.shape.signal * surface.scale**2 < 0.05:  # a factor of 1.25 in the standard deviation at 2 sigma
        return Noise(float(np.log(pooled)), None)
    return Noise(float(logs.mean()), surface)


def _start(points: Floats, known_noise: bool) -> Shape:
    return Shape(np.full(points.shape[1], 1.0), 1.0, 1e-3 if known_noise else 1e-1)


def _shape(points: Floats, values: Floats, noise: Floats, start: Shape, restart: bool) -> Shape:
    """Return the most likely lengths and variances."""
    process, kernels = _library()
    kernel = (
        kernels.ConstantKernel(LEVEL, "fixed")
        + kernels.ConstantKernel(np.clip(start.signal, 1e-3, 1e2), (1e-3, 1e2))
        * kernels.Matern(np.clip(start.lengths, SHORTEST, LONGEST), (SHORTEST, LONGEST), nu=2.5)
        + kernels.WhiteKernel(np.clip(start.nugget, SMALLEST_NUGGET, 2.0), (SMALLEST_NUGGET, 2.0))
    )
    regression = process(
        kernel=kernel, alpha=np.maximum(noise, 1e-12), n_restarts_optimizer=_RESTARTS if restart else 0, random_state=1
    )
    with _one_thread():
        regression.fit(points, values)
    found = regression.kernel_
    smooth = found.k1.k2
    lengths = np.broadcast_to(np.asarray(smooth.k2.length_scale, dtype=np.float64), (points.shape[1],)).copy()
    return Shape(lengths, float(smooth.k1.constant_value), float(found.k2.noise_level))


def _library() -> tuple[Any, Any]:
    try:
        from sklearn.gaussian_process import GaussianProcessRegressor, kernels
    except ImportError as error:
        raise needs_extra("an emulator", "emulate") from error
    return GaussianProcessRegressor, kernels


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let the libraries use one thread, so that sums have one order, and say nothing of lengths at their bounds."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _factor(shape: Shape, points: Floats, noise: Floats) -> Floats:
    matrix = shape.covariance(points, points) + np.diag(noise + shape.nugget)
    return np.asarray(linalg.cholesky(matrix, lower=True))


def _squares(a: Floats, b: Floats) -> Floats:
    """Return squared distances between points."""
    return np.asarray(np.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2))
