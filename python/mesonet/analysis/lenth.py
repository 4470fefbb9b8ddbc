"""Lenth's pseudo standard error: which effects of an unreplicated experiment exceed noise.

Most effects are assumed to be nothing but noise, so that their median size estimates the noise. Effects beyond
the margin of error are active one at a time; beyond the simultaneous margin of error, active among all of them.

Source: R. V. Lenth, Quick and easy analysis of unreplicated factorials, Technometrics 31, 1989.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.lenth_limits import simulated_limits
from mesonet.errors import unknown

Limits = Literal["t", "simulated"]


@dataclass(frozen=True)
class Lenth:
    """Noise of a set of effects; NaN where there are too few effects."""

    pse: float  #: pseudo standard error of an effect; 0 where more than half of the effects are
    me: float  #: margin of error: a single effect beyond it is more than noise; NaN where the PSE is 0
    sme: float  #: simultaneous margin of error: the largest of all effects beyond it is
    degrees_of_freedom: float  #: m / 3; with replicates, the degrees of freedom of their scatter
    effects: int  #: m, the number of effects that were not NaN
    replicated: bool = False  #: True if the error comes from replicates and is not a guess from the effects

    def active(self, effects: ArrayLike) -> NDArray[np.bool_]:
        """Return a mask of the effects that exceed the margin of error.

        Parameters
        ----------
        effects
            Any shape, in the unit of the margin.

        Returns
        -------
        The shape of `effects`; False for NaN, and everywhere if there is no margin.
        """
        return np.asarray(np.abs(np.asarray(effects, dtype=float)) > self.me)


def lenth(effects: ArrayLike, *, alpha: float = 0.05, limits: Limits = "t") -> Lenth:
    """Return the pseudo standard error and margins of error of effects.

    Parameters
    ----------
    effects
        Shape (m,), of equal variance; values that are not finite are left out.
    alpha
        Level of significance of the margins, above 0 and below 1.
    limits
        ``t``: quantiles of Student's t as Lenth proposed, which are cautious for few effects. ``simulated``: exact for
        effects that are all noise (Ye and Hamada 2000).

    Returns
    -------
    Error and margins in the unit of the effects.

    Raises
    ------
    InputError
        If `alpha` or `limits` is none of its values.
    ValueError
        For effects that are not one-dimensional.

    Examples
    --------
    >>> found = lenth([0.1, -0.2, 0.15, 0.05, -0.1, 0.2, 9.0])
    >>> found.active([0.1, 9.0]).tolist()
    [False, True]
    """
    alpha, values = checked_alpha(alpha), np.asarray(effects, dtype=float)
    if limits not in get_args(Limits):
        raise unknown("kind of limits", str(limits), get_args(Limits), path="limits")
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
    if limits == "simulated":
        single, largest = simulated_limits(m, alpha)
        return Lenth(pse, single * pse, largest * pse, freedom, m)
    me = float(special.stdtrit(freedom, 1 - alpha / 2)) * pse
    sme = float(special.stdtrit(freedom, (1 + (1 - alpha) ** (1 / m)) / 2)) * pse
    return Lenth(pse, me, sme, freedom, m)


def margins_of_error(error: float, freedom: float, effects: int, *, alpha: float = 0.05) -> Lenth:
    """Return the margins of effects whose standard error is known from replicates.

    Margins in the unit of `error`; NaN if nothing can be tested. `freedom`: degrees of freedom of the error; if not
    above 0, nothing can be tested. `alpha`: level of significance, above 0 and below 1.
    """
    alpha, nan = checked_alpha(alpha), float("nan")
    if not freedom > 0 or effects < 1:
        return Lenth(pse=nan, me=nan, sme=nan, degrees_of_freedom=nan, effects=effects, replicated=True)
    me = float(special.stdtrit(freedom, 1 - alpha / 2)) * error
    sme = float(special.stdtrit(freedom, (1 + (1 - alpha) ** (1 / effects)) / 2)) * error
    return Lenth(pse=error, me=me, sme=sme, degrees_of_freedom=freedom, effects=effects, replicated=True)
