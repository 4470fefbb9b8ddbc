"""Simulated limits and power of Lenth's test: what t quantiles only approximate, for few effects badly.

Source: K. Q. Ye and M. Hamada, Critical values of the Lenth method for unreplicated factorial designs, Journal of
Quality Technology 32, 2000.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_MOST_EFFECTS, _LEAST_SAMPLES = 4_000_000, 4_000
_MOST_SAMPLES = 100_000
_SEED = 1


@lru_cache
def simulated_limits(effects: int, alpha: float) -> tuple[float, float]:
    """Return the multipliers of the PSE that one effect, and the largest of all, exceed by chance with `alpha`."""
    ratio = _ratios(effects, 0.0)
    return float(np.quantile(ratio, 1 - alpha)), float(np.quantile(ratio.max(axis=1), 1 - alpha))


@lru_cache
def lenth_power(effects: int, shift: float, alpha: float) -> float:
    """Return the chance that one effect exceeds the margin of error, if all others are noise.

    `shift`: the effect in its standard errors. The margin is that of t quantiles.
    """
    from scipy import special

    quantile = float(special.stdtrit(effects / 3, 1 - alpha / 2))
    return float((_ratios(effects, shift)[:, 0] > quantile).mean())


def _ratios(effects: int, shift: float) -> Floats:
    """Return sizes of effects over their PSE in simulated experiments, shape (samples, effects)."""
    samples = int(np.clip(_MOST_EFFECTS // effects, _LEAST_SAMPLES, _MOST_SAMPLES))
    values = np.random.default_rng(_SEED).standard_normal((samples, effects))
    values[:, 0] += shift
    size = np.abs(values)
    bound = 2.5 * 1.5 * np.median(size, axis=1, keepdims=True)
    pse = 1.5 * np.nanmedian(np.where(size < bound, size, np.nan), axis=1, keepdims=True)
    return np.asarray(size / pse)
