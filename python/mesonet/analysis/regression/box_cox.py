"""The power of a response at which a model fits best: a hint to analyse its logarithm or root.

Source: G. E. P. Box and D. R. Cox, An analysis of transformations, Journal of the Royal Statistical Society B 26, 1964.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

Floats = NDArray[np.float64]
_POWERS = (-3.0, 3.0)
"""Powers that are compared (chosen)."""
_WORDS = {0.0: "its logarithm", 0.5: "its square root", -0.5: "the inverse of its square root", -1.0: "its inverse"}


@dataclass(frozen=True)
class BoxCox:
    """The power of the response that makes the noise of a model most equal and normal."""

    power: float
    low: float  #: lower end of its 95 % interval
    high: float
    ratio: float  #: largest value over the smallest

    @property
    def advice(self) -> str:
        """The transformation that the interval suggests; empty if it holds the response as it is."""
        if self.low <= 1 <= self.high:
            return ""
        held = [power for power in _WORDS if self.low <= power <= self.high]
        return _WORDS[min(held, key=lambda power: abs(power - self.power))] if held else f"its power {self.power:.2g}"


def box_cox(x: Floats, y: Floats) -> BoxCox | None:
    """Return the best power; None for a response that is not above 0, or that the model fits exactly.

    `x`: columns of the model, shape (n, p), with the mean.
    """
    if y.min() <= 0 or len(y) - x.shape[1] < 2:
        return None
    scaled = y / np.exp(np.log(y).mean())
    basis = np.linalg.qr(x)[0]

    def rest(power: float) -> float:
        own = special.boxcox(scaled, power)
        left = own - basis @ (basis.T @ own)
        return float(left @ left)

    whole = float(((scaled - scaled.mean()) ** 2).sum())
    if min(rest(power) for power in (0.0, 1.0)) <= 1e-18 * max(whole, 1e-300):
        return None

    def loss(power: float) -> float:
        return 0.5 * len(y) * float(np.log(rest(power)))

    grid = np.linspace(*_POWERS, 61)
    first = grid[int(np.argmin([loss(power) for power in grid]))]
    ends = (max(first - 0.2, _POWERS[0]), min(first + 0.2, _POWERS[1]))
    best = float(optimize.minimize_scalar(loss, bounds=ends, method="bounded").x)
    bound = loss(best) + 0.5 * float(special.chdtri(1, 0.05))
    low, high = (_crossing(lambda power: loss(power) - bound, best, end) for end in _POWERS)
    return BoxCox(best, low, high, float(y.max() / y.min()))


def _crossing(above: Callable[[float], float], best: float, end: float) -> float:
    """Return the power between the best and an end at which the loss exceeds its bound; the end if it never does."""
    return float(optimize.brentq(above, min(best, end), max(best, end))) if above(end) > 0 else end
