"""Grubbs' test of the most extreme of a few values.

G = |extreme residual| / s, with the residual from the mean of all n values and s their sample standard deviation
(n - 1). Exact critical values and p-values follow from the t distribution with n - 2 degrees of freedom
(F. E. Grubbs, Annals of Mathematical Statistics 21, 1950; NIST/SEMATECH e-Handbook, section 1.3.5.17.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.overflow_units import unit

Floats = NDArray[np.float64]
Side = Literal["high", "low"]

#: Values whose spread is below this share of their mean are the same for any practical purpose.
INDISTINCT = 1e-9
#: Fewer values than this have no extreme one: with two, both lie equally far from the mean.
FEWEST = 3


@dataclass(frozen=True)
class Grubbs:
    """The extreme value of a sample and its test. `index` is None, and the numbers NaN, where there is none."""

    index: int | None  #: position of the extreme value in the input
    value: float
    residual: float  #: value - mean
    statistic: float  #: G
    critical: float  #: G above which the value is an outlier at level alpha
    p: float  #: at most 1
    side: Side | None
    n: int  #: number of values that were finite
    alpha: float
    note: str  #: why there is no extreme value, else empty

    @property
    def is_outlier(self) -> bool:
        """True if p is below alpha."""
        return self.p < self.alpha


def critical_value(n: ArrayLike, *, alpha: float = 0.05, sides: int = 2) -> Floats:
    """Return the G above which the extreme of n values is an outlier.

    Parameters
    ----------
    n
        Number of values, any shape.
    alpha
        Level of significance, above 0 and below 1.
    sides
        1 if the direction of the extreme was named before the data were seen, else 2.

    Returns
    -------
    Critical G, in the shape of `n`; NaN below three values.

    Raises
    ------
    InputError
        If `alpha` is outside of its range.

    Examples
    --------
    >>> round(float(critical_value(7)), 3)
    2.02
    """
    alpha, n = checked_alpha(alpha), np.asarray(n, dtype=float)
    with np.errstate(all="ignore"):
        squared = special.stdtrit(n - 2, alpha / (sides * n)) ** 2
        critical = (n - 1) / np.sqrt(n) * np.sqrt(squared / (n - 2 + squared))
    return np.where(n >= FEWEST, critical, np.nan)


def p_value(statistic: ArrayLike, n: ArrayLike, *, sides: int = 2) -> Floats:
    """Return the probability of a G of at least `statistic` among n normal values.

    It is the inverse of `critical_value`: a Bonferroni bound, exact where G is large, and capped at 1.

    Parameters
    ----------
    statistic
        G, any shape.
    n
        Number of values, a shape that broadcasts with `statistic`.
    sides
        As for `critical_value`.

    Returns
    -------
    Probabilities, 0 to 1; NaN below three values.
    """
    g, n = np.asarray(statistic, dtype=float), np.asarray(n, dtype=float)
    with np.errstate(all="ignore"):
        room = np.maximum((n - 1) ** 2 - n * g**2, 0)
        t = np.sqrt(n * (n - 2) * g**2 / room)
        p = np.minimum(1.0, sides * n * special.stdtr(n - 2, -t))
    return np.where(n >= FEWEST, p, np.nan)


def indistinct(values: Floats, axis: int = -1) -> NDArray[np.bool_]:
    """Return True where values are the same for any practical purpose.

    True where the spread is at most 1e-9 of the size of the mean; the shape of `values` without `axis`. `values`:
    numbers, at least one along `axis`; NaN is ignored.
    """
    spread = np.nanmax(values, axis=axis) - np.nanmin(values, axis=axis)
    return np.asarray(spread <= INDISTINCT * np.abs(np.nanmean(values, axis=axis)))


def all_but_one_equal(values: Floats) -> NDArray[np.bool_]:
    """Return True where at least two of the values along the last axis are equal and one other is not.

    G is then (n - 1) / sqrt(n), the largest possible, however near the other value lies. The equal values have no
    variance against which it can be judged.

    The shape of `values` without the last axis. `values`: numbers; NaN is ignored.
    """
    ordered = np.sort(values, axis=-1)  # NaN last
    n = np.isfinite(values).sum(axis=-1)
    low = np.take_along_axis(ordered, np.minimum(1, np.maximum(n - 1, 0))[..., None], axis=-1)[..., 0]
    last, before = (np.take_along_axis(ordered, np.maximum(n - back, 0)[..., None], axis=-1)[..., 0] for back in (1, 2))
    with np.errstate(invalid="ignore"):
        highest = np.abs(before - ordered[..., 0]) <= INDISTINCT * np.abs(before)
        lowest = np.abs(last - low) <= INDISTINCT * np.abs(last)
    same = indistinct(np.where((n > 0)[..., None], values, 0.0))
    return np.asarray((n >= FEWEST) & (highest | lowest) & ~same)


def grubbs(values: ArrayLike, *, alpha: float = 0.05, sides: Literal[1, 2] = 2) -> Grubbs:
    """Test the value that lies farthest from the mean of a sample.

    Parameters
    ----------
    values
        Shape (n,); NaN and infinite values take no part.
    alpha
        Level of significance, above 0 and below 1.
    sides
        1 if the direction of the extreme (high or low) was named before the data were seen, else 2.

    Returns
    -------
    The extreme value and its test. Fewer than three values, or equal values, have none.

    Raises
    ------
    InputError
        If `alpha` is outside of its range.
    ValueError
        For values that are not one-dimensional, or another number of sides.

    Examples
    --------
    >>> found = grubbs([9.8, 10.0, 10.1, 10.2, 14.0])
    >>> found.index, found.side, found.is_outlier
    (4, 'high', True)
    """
    sample = np.asarray(values, dtype=float)
    sample = np.where(np.isfinite(sample), sample, np.nan)
    if sample.ndim != 1:
        raise ValueError(f"values must be one-dimensional, not of shape {sample.shape}")
    if sides not in (1, 2):
        raise ValueError("sides must be 1 or 2")
    alpha = checked_alpha(alpha)
    n = int(np.isfinite(sample).sum())
    critical = float(critical_value(n, alpha=alpha, sides=sides))
    note = ""
    if n < FEWEST:
        note = f"too few values: {n}, at least {FEWEST} are needed"
    elif indistinct(sample):
        note = "not distinguishable"
    if note:
        nan = float("nan")
        return Grubbs(
            index=None,
            value=nan,
            residual=nan,
            statistic=nan,
            critical=critical,
            p=nan,
            side=None,
            n=n,
            alpha=alpha,
            note=note,
        )
    scale = unit(sample)
    residual = sample / scale - np.nanmean(sample / scale)
    index = int(np.nanargmax(np.abs(residual)))
    statistic = abs(float(residual[index])) / float(np.nanstd(sample / scale, ddof=1))
    extreme = float(residual[index] * scale)
    p = float(p_value(statistic, n, sides=sides))
    side: Side = "high" if extreme > 0 else "low"
    return Grubbs(
        index=index,
        value=float(sample[index]),
        residual=extreme,
        statistic=statistic,
        critical=critical,
        p=p,
        side=side,
        n=n,
        alpha=alpha,
        note=note,
    )
