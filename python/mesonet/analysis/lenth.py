"""Lenth's pseudo standard error: which effects of an unreplicated experiment exceed noise.

Most effects are assumed to be nothing but noise, so that their median size tells how large noise is. Effects beyond
the margin of error are active one at a time; beyond the simultaneous margin of error, active among all of them.

Source: R. V. Lenth, Quick and easy analysis of unreplicated factorials, Technometrics 31, 1989.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING


@dataclass(frozen=True)
class Lenth:
    """Noise of a set of effects; NaN where there are too few effects to tell."""

    pse: float  #: pseudo standard error of an effect; 0 where more than half of the effects are
    me: float  #: margin of error: a single effect beyond it is more than noise; NaN where the PSE is 0
    sme: float  #: simultaneous margin of error: the largest of all effects beyond it is
    degrees_of_freedom: float  #: m / 3; of replicates those of their scatter
    effects: int  #: m, those that were not NaN
    replicated: bool = False  #: True if the error is that of replicates and not a guess from the effects

    def active(self, effects: ArrayLike) -> NDArray[np.bool_]:
        """Return a mask of the effects that exceed the margin of error."""
        return np.asarray(np.abs(np.asarray(effects, dtype=float)) > self.me)


def lenth(effects: ArrayLike, *, alpha: float = 0.05) -> Lenth:
    """Return the pseudo standard error and margins of error of effects, shape (m,).

    All effects have equal variance. NaN is left out.

    Raises ValueError for effects that are not one-dimensional.
    """
    alpha, values = checked_alpha(alpha), np.asarray(effects, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"effects are one-dimensional; these have shape {values.shape}")
    size = np.abs(values[np.isfinite(values)])
    m = len(size)
    size[size <= ROUNDING * size.max(initial=0.0)] = 0.0
    nan = float("nan")
    if m < 2:
        return Lenth(nan, nan, nan, nan, m)
    s0 = 1.5 * np.median(size)
    # Where more than half of the effects are zero, nothing is below the bound: there is no noise to test against.
    small = size[size < 2.5 * s0]
    pse = float(1.5 * np.median(small)) if len(small) else 0.0
    freedom = m / 3
    if pse == 0:
        return Lenth(0.0, nan, nan, freedom, m)
    me = float(stats.t.ppf(1 - alpha / 2, freedom)) * pse
    sme = float(stats.t.ppf((1 + (1 - alpha) ** (1 / m)) / 2, freedom)) * pse
    return Lenth(pse, me, sme, freedom, m)


def margins_of_error(error: float, freedom: float, effects: int, *, alpha: float = 0.05) -> Lenth:
    """Return the margins of effects whose standard error is known from replicates.

    Parameters
    ----------
    error
        Standard error of every effect.
    freedom
        Degrees of freedom of that error; without any nothing can be tested.
    effects
        Number of effects that the simultaneous margin is for.
    """
    alpha, nan = checked_alpha(alpha), float("nan")
    if not freedom > 0 or effects < 1:
        return Lenth(nan, nan, nan, nan, effects, True)
    me = float(stats.t.ppf(1 - alpha / 2, freedom)) * error
    sme = float(stats.t.ppf((1 + (1 - alpha) ** (1 / effects)) / 2, freedom)) * error
    return Lenth(error, me, sme, freedom, effects, True)
