"""Harm of an algorithm to an incumbent, against the incumbent among flows of its own kind (Ware et al., HotNets 2019).

Harm is the part of its performance that the incumbent loses. It is (solo - beside) / solo if more is better
(throughput), and (beside - solo) / beside if less is better (delay, loss). *Solo* is the incumbent against itself,
*beside* the incumbent with the other algorithm in the same cell. A gain is the harm with both exchanged, below 0. Harm
therefore lies between -1 and 1, and two equal algorithms have the mean harm 0. Both runs of a pair meet the same users
(common random numbers), so that intervals are those of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from mesonet.analysis.means import finite_mean
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Harm(AnalysisResult):
    """Harm by quantity. Arrays have the shape (quantities,), but for `by_condition`; NaN where nothing is known."""

    quantities: tuple[str, ...]
    compared: NDArray[np.int_]  #: units that were compared: conditions, or the replicates of a single condition
    solo: Floats  #: mean of the incumbent against itself
    beside: Floats  #: mean of the incumbent with the other algorithm
    harm: Floats  #: mean harm
    error: Floats  #: its standard error; NaN with fewer than two units
    low: Floats  #: beginning of its confidence interval; NaN with fewer than two units
    high: Floats  #: end of it
    smallest: Floats  #: smallest mean harm that would have been seen with the power asked for
    highest: Floats  #: largest harm of a condition
    confidence: float
    power: float
    by_condition: Floats  #: mean harm by condition and quantity

    UNITS: ClassVar = dict.fromkeys(("harm", "error", "low", "high", "smallest", "highest"), "1")

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"quantity": self.quantities}

    def _columns(self) -> dict[str, Any]:
        names = ("compared", "solo", "beside", "harm", "error", "low", "high", "smallest", "highest")
        return {name: getattr(self, name) for name in names}

    def _attributes(self) -> dict[str, Any]:
        return {"confidence": self.confidence, "power": self.power}


def harm(
    solo: ArrayLike,
    beside: ArrayLike,
    *,
    more_is_better: Sequence[bool],
    quantities: Sequence[str] | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
) -> Harm:
    """Return the harm to an incumbent, its confidence interval, and the smallest harm that would have been seen.

    The harm of a condition is the harm of the means over its replicates. The interval of several conditions is
    Student's t interval of their mean harm. The interval of a single condition is Fieller's interval of the ratio of
    two means of pairs: it excludes 0 where the t test of the paired differences does.

    Parameters
    ----------
    solo, beside
        Quantities of the incumbent against itself and beside the other algorithm, at least 0 and in equal units. Shape
        (conditions, replicates, quantities), or (replicates, quantities) of one condition; NaN where missing.
    more_is_better
        True for throughput, False for delay and loss; one per quantity.
    quantities
        Names; by default ``quantity 1`` and so on.
    confidence
        Level of the interval, between 0 and 1.
    power
        Chance with which a harm of `Harm.smallest` is seen: the interval excludes 0.

    Returns
    -------
    Harm and interval by quantity.

    Raises
    ------
    ValueError
        If the shapes do not fit each other or the names, a value is negative, or a level is not between 0 and 1.

    Notes
    -----
    `Harm.smallest` is the harm for which the t test excludes 0 with the power, by the noncentral t distribution. It
    takes the observed noise for the noise beside a harmful algorithm. Two means of 0 have the harm 0.

    Source: Ware, Mukerjee, Seshan and Sherry, HotNets 2019 (harm); Fieller, Journal of the Royal Statistical Society
    B 16, 1954 (interval of a ratio, recalled).

    Examples
    --------
    >>> found = harm([[10.0, 20.0], [12.0, 20.0]], [[5.0, 40.0], [9.0, 25.0]], more_is_better=[True, False])
    >>> found.harm
    array([0.36363636, 0.38461538])
    """
    alone, mixed = np.asarray(solo, dtype=float), np.asarray(beside, dtype=float)
    if alone.ndim == 2 and mixed.ndim == 2:
        alone, mixed = alone[np.newaxis], mixed[np.newaxis]
    _check(alone, mixed, more_is_better, quantities, (confidence, power))
    names = tuple(quantities or (f"quantity {number}" for number in range(1, alone.shape[2] + 1)))
    there = np.isfinite(alone) & np.isfinite(mixed)
    alone, mixed = np.where(there, alone, np.nan), np.where(there, mixed, np.nan)
    solo_mean, beside_mean = finite_mean(alone, axis=1), finite_mean(mixed, axis=1)
    # What would be equal without harm, the larger value first if the incumbent loses.
    better = np.asarray(more_is_better, dtype=bool)
    by_condition = harm_of(np.where(better, solo_mean, beside_mean), np.where(better, beside_mean, solo_mean))
    several = len(by_condition) > 1
    count = (np.isfinite(by_condition) if several else there[0]).sum(axis=0)
    freedom = np.where(count > 1, count - 1.0, np.nan)
    sides = np.asarray(stats.t.ppf((1 + confidence) / 2, freedom))
    shift = special.nctdtrinc(freedom, 1 - power, sides)  # in standard errors, for the test to have the power
    mean = finite_mean(by_condition, axis=0)
    if several:
        error = _standard_error(by_condition, count)
        low, high, smallest = mean - sides * error, mean + sides * error, shift * error
    else:
        large, little = (np.where(better, *pair) for pair in ((alone[0], mixed[0]), (mixed[0], alone[0])))
        error, low, high = _of_ratio(large, little, count, sides)
        smallest = harm_of_loss(shift * _standard_error(large - little, count), solo_mean[0], better)
    return Harm(
        quantities=names,
        compared=count,
        solo=finite_mean(solo_mean, axis=0),
        beside=finite_mean(beside_mean, axis=0),
        harm=mean,
        error=error,
        low=low,
        high=high,
        smallest=smallest,
        highest=np.fmax.reduce(by_condition),
        confidence=float(confidence),
        power=float(power),
        by_condition=by_condition,
    )


def harm_of_loss(lost: ArrayLike, solo: ArrayLike, more_is_better: ArrayLike) -> Floats:
    """Return the harm of a change for the worse.

    `lost`: change for the worse in the unit of the quantity, at least 0.
    """
    change, base = np.asarray(lost, dtype=float), np.asarray(solo, dtype=float)
    with np.errstate(all="ignore"):
        share = change / np.where(more_is_better, base, base + change)
    share = np.where(share > 1, np.inf, share)
    return np.where((change == 0) & (base == 0), 0.0, share)


def harm_of(large: ArrayLike, little: ArrayLike) -> Floats:
    """Return the harm of two values.

    Harm, from -1 to 1; 0 if both are 0. `large`: the value that is larger if the incumbent loses: of its throughput
    against itself, of its delay beside the other algorithm. At least 0.
    """
    large, little = np.asarray(large, dtype=float), np.asarray(little, dtype=float)
    with np.errstate(all="ignore"):
        return np.where((large == 0) & (little == 0), 0.0, (large - little) / np.maximum(large, little))


def _standard_error(units: Floats, count: NDArray[np.int_]) -> Floats:
    """Return the standard error of means of units, by column; NaN with fewer than two."""
    return np.asarray(np.sqrt(_covariance(units, units, count)))


def _covariance(units: Floats, others: Floats, count: NDArray[np.int_]) -> Floats:
    """Return the covariance of two means of pairs of units, by column; NaN with fewer than two pairs."""
    products = (units - finite_mean(units, axis=0)) * (others - finite_mean(others, axis=0))
    with np.errstate(all="ignore"):
        return np.asarray(np.nansum(products, axis=0) / np.where(count > 1, count - 1, np.nan) / count)


def _of_ratio(large: Floats, little: Floats, count: NDArray[np.int_], sides: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the standard error and the ends of Fieller's interval of the harm of two means of pairs, by column."""
    one, other = finite_mean(large, axis=0), finite_mean(little, axis=0)
    with np.errstate(all="ignore"):
        ratio = np.minimum(other / one, 1.0), np.minimum(one / other, 1.0)
        residual = np.where(one >= other, little - ratio[0] * large, ratio[1] * little - large)
        error = _standard_error(residual, count) / np.maximum(one, other)
    # The interval has all ratios x = little / large with a x^2 - 2 b x + c <= 0; of 1 / x, a and c change places.
    a = one * one - sides**2 * _covariance(large, large, count)
    b = one * other - sides**2 * _covariance(large, little, count)
    c = other * other - sides**2 * _covariance(little, little, count)
    losses, gains = _accepted(a, b, c), _accepted(c, b, a)
    low = np.fmin(gains[0] - 1, 1 - losses[1])
    high = np.fmax(1 - losses[0], gains[1] - 1)
    nothing = (one == 0) & (other == 0)
    return tuple(np.where(nothing, np.where(count > 1, 0.0, np.nan), each) for each in (error, low, high))  # type: ignore[return-value]


def _accepted(a: Floats, b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Return the least and the largest x from 0 to 1 with a x^2 - 2 b x + c <= 0; NaN where there is none."""
    with np.errstate(all="ignore"):
        root = b + np.copysign(np.sqrt(np.maximum(b * b - a * c, 0.0)), b)
        roots = np.array([root / a, c / root])
        at_ends = np.array([np.where(c <= 0, 0.0, np.nan), np.where(a - 2 * b + c <= 0, 1.0, np.nan)])
    candidates = np.concatenate([np.where((roots >= 0) & (roots <= 1), roots, np.nan), at_ends])
    return np.fmin.reduce(candidates), np.fmax.reduce(candidates)


def _check(
    alone: Floats,
    mixed: Floats,
    more_is_better: Sequence[bool],
    quantities: Sequence[str] | None,
    levels: tuple[float, float],
) -> None:
    """Raise a `ValueError` for arguments of `harm` that do not fit."""
    if alone.ndim != 3 or alone.shape != mixed.shape:
        shapes = f"solo has shape {alone.shape} and beside {mixed.shape}"
        raise ValueError(f"{shapes}; expected twice (conditions, replicates, quantities)")
    for what, given in (("directions", more_is_better), ("names", quantities)):
        if given is not None and len(given) != alone.shape[2]:
            raise ValueError(f"{len(given)} {what} for {alone.shape[2]} quantities")
    for what, values in (("solo", alone), ("beside", mixed)):
        if np.any(values < 0):
            raise ValueError(f"{what} has the value {np.nanmin(values):g}; allowed: at least 0")
    for what, level in zip(("confidence", "power"), levels, strict=True):
        if not 0 < level < 1:
            raise ValueError(f"{what} is {level:g}; allowed: more than 0 and less than 1")
