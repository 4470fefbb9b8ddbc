"""Pairs of runs: log ratios above a tolerance, and their moments in each condition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.means import finite_mean
from mesonet.analysis.pandas_data import by_label
from mesonet.errors import InputError

Floats = NDArray[np.float64]
Counts = NDArray[np.int_]


LEAST_OF_MEAN = 0.01
"""Part of the mean that is added to both values where one is 0 and no tolerance is given. Chosen: a value of 0 is then
a change by a factor of 100, and no infinite one."""


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation and number of the values of each condition. Arrays have the shape (conditions,)."""

    mean: Floats  #: NaN without a value
    sd: Floats  #: n - 1 in the divisor; NaN with fewer than two values
    count: Counts

    @property
    def known(self) -> NDArray[np.bool_]:
        """True for conditions with a value."""
        return self.count > 0

    @property
    def replicated(self) -> bool:
        """True if every condition with a value has two, so that each has its own noise."""
        return bool(self.known.any() and (self.count[self.known] > 1).all())


def moments(values: Floats) -> Moments:
    """Return the moments of the finite values of each condition. `values`: shape (conditions, replicates)."""
    count = np.isfinite(values).sum(axis=1)
    mean = finite_mean(values, axis=1)
    with np.errstate(all="ignore"):
        squares = np.nansum(np.where(np.isfinite(values), values - mean[:, None], 0.0) ** 2, axis=1)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    return Moments(mean, sd, count)


def moments_without_replicates(values: Floats) -> Moments:
    """Return the moments of each condition without what a replicate has in common in all conditions.

    The residuals of a two-way table, fitted by least squares where values are missing. `values`: shape (conditions,
    replicates).
    """
    there = np.isfinite(values)
    kept = there.sum(axis=1) > 1
    count = int(there[kept].sum())
    replicate = np.eye(values.shape[1])[np.nonzero(there[kept])[1]]
    rows = np.nonzero(there[kept])[0]
    inside = np.eye(int(kept.sum()))[rows]
    share = inside / np.maximum(inside.sum(axis=0), 1)
    shifted = replicate - inside @ (share.T @ replicate)  # within conditions
    target = values[kept][there[kept]]
    shift, _, rank, _ = np.linalg.lstsq(shifted, target - inside @ (share.T @ target), rcond=None)
    found = moments(values - shift)
    freedom = count - len(share.T)
    # The replicates take some of the degrees of freedom.
    scale = np.sqrt(freedom / (freedom - int(rank))) if freedom > rank else np.nan
    return Moments(found.mean, found.sd * scale, found.count)


def shift_at_zero(x: Floats, y: Floats) -> float:
    """Return what is added to both values for their ratio: a part of the mean if a pair has a value of 0, else 0."""
    both = np.isfinite(x) & np.isfinite(y)
    if not (both & ((x == 0) | (y == 0))).any():
        return 0.0
    return LEAST_OF_MEAN * float((x[both].mean() + y[both].mean()) / 2)


def margin_of(margin: float) -> float:
    """Return the margin as a log ratio. `margin`: relative change, such as 0.1."""
    if not 0 < margin < np.inf:
        raise InputError("not a margin", path="margin", value=margin, allowed="a relative change above 0, such as 0.1")
    return float(np.log1p(margin))


def log_ratios(
    x: ArrayLike, y: ArrayLike, *, margin: float = 0.1, atol: float = 0.0, more_is_better: bool = False
) -> Floats:
    """Return the log ratios of pairs of runs: positive where x is worse than y.

    The log ratio is d = log((x + c) / (y + c)) with c = atol / margin, or -d if more is better. Then d exceeds
    log(1 + margin) exactly where x - y exceeds margin * y + atol. Differences below the tolerance therefore never look
    large because both values are nearly 0.

    Parameters
    ----------
    x, y
        Response in both scenarios, at least 0, in equal shapes and units; NaN where missing. Series of pandas are
        aligned by their labels.
    margin
        Relative change that counts, above 0.
    atol
        Absolute change that never counts, at least 0, in the unit of the response.
    more_is_better
        True for goodput, False for delays and losses.

    Returns
    -------
    Log ratios in the shape of `x`; NaN where either value is missing, 0 where both values are 0.

    Raises
    ------
    InputError
        If `margin` or `atol` is out of range, if a value is negative, or if one value of a pair is 0 and `atol` is 0.
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> log_ratios([110.0, 0.002], [100.0, 0.0], atol=1e-3).round(4)
    array([0.0953, 0.1823])
    """
    first, second = np.asarray(by_label(x, y, "x"), dtype=float), np.asarray(y, dtype=float)
    if first.shape != second.shape:
        raise ValueError(f"x has shape {first.shape} and y {second.shape}; expected equal shapes")
    margin_of(margin)
    if not 0 <= atol < np.inf:
        raise InputError("not a tolerance", path="atol", value=atol, allowed="at least 0, in the unit of the response")
    for name, values in (("x", first), ("y", second)):
        if np.any(values < 0):
            raise InputError("negative", path=name, value=float(np.nanmin(values)), allowed="at least 0")
    there = np.isfinite(first) & np.isfinite(second)
    if atol == 0 and np.any(there & ((first == 0) != (second == 0))):
        problem = "a pair of 0 and another value has no ratio without a tolerance"
        raise InputError(problem, path="atol", value=atol, allowed="above 0 for a response that can be 0")
    shift = atol / margin
    with np.errstate(all="ignore"):
        # A difference of logarithms, so that exchanged scenarios give exactly the opposite sign.
        ratio = np.log(first + shift) - np.log(second + shift)
    ratio = np.where(first == second, 0.0, ratio)
    return np.where(there, -ratio if more_is_better else ratio, np.nan)


def bounded_harm(log_ratio: ArrayLike) -> Floats:
    """Return the part of the performance that is lost, from -1 to 1; below 0 a gain.

    1 - exp(-d) for a loss, and the same with both scenarios exchanged for a gain (Ware et al., HotNets 2019).
    `log_ratio`: d, positive for the worse.
    """
    d = np.asarray(log_ratio, dtype=float)
    return np.asarray(np.sign(d) * -np.expm1(-np.abs(d)))
