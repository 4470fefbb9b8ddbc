"""The point at which a quadratic model has no slope, and what it is: a maximum, a minimum or a saddle.

Each eigenvalue of the matrix of squares and products has an interval, as the coefficient of the square along its own
axis. A kind is proven if no interval has zero.

Source: Box and Wilson 1951; S. Bisgaard and B. Ankenman, Standard errors for the eigenvalues in second-order response
surface models, Technometrics 38, 1996.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_FLAT = 1e-9
"""Eigenvalues below this share of the largest are a ridge: there is no single point."""


@dataclass(frozen=True)
class Stationary:
    """The stationary point of a quadratic model of numbers."""

    settings: Mapping[str, float]  #: in the units of the factors
    value: float  #: predicted there
    kind: str  #: ``maximum``, ``minimum`` or ``saddle``
    is_proven: bool  #: True if all intervals of the eigenvalues exclude zero
    is_inside: bool  #: True if the point lies in the region of the runs
    eigenvalues: tuple[float, ...]  #: curvatures along the axes, for coded settings, falling
    low: tuple[float, ...]  #: lower ends of their 95 % intervals
    high: tuple[float, ...]


def stationary(
    names: Sequence[str],
    linear: Floats,
    squares: Floats,
    covariance: Floats,
    quantile: float,
) -> tuple[Floats, Floats, Floats] | None:
    """Return the coded point, the eigenvalues and the half-widths of their intervals; None for a ridge.

    `linear`: coefficients, shape (k,). `squares`: the symmetric matrix of squares and halved products. `covariance`: of
    the k squares and then the products, in the order of the upper triangle.
    """
    values, axes = np.linalg.eigh(squares)
    if not np.abs(values).min() > _FLAT * np.abs(values).max():
        return None
    order = np.argsort(-values)
    values, axes = values[order], axes[:, order]
    point = -np.linalg.solve(squares, linear) / 2
    k = len(names)
    upper = np.triu_indices(k, 1)
    weights = np.array([[*(axis**2), *(axis[upper[0]] * axis[upper[1]])] for axis in axes.T])
    with np.errstate(invalid="ignore"):
        half = quantile * np.sqrt(np.einsum("ij,jk,ik->i", weights, covariance, weights))
    return point, values, half


def kind_of(values: Floats) -> str:
    """Return the kind of a stationary point by its eigenvalues."""
    if (values < 0).all():
        return "maximum"
    return "minimum" if (values > 0).all() else "saddle"
