"""Harm of an algorithm to an incumbent, against the incumbent among flows of its own kind (Ware et al., HotNets 2019).

Harm is the part of its performance that the incumbent loses. It is (solo - beside) / solo if more is better
(throughput), and (beside - solo) / beside if less is better (delay, loss). *Solo* is the incumbent against itself,
*beside* the incumbent with the other algorithm in the same cell. A gain is the harm with both exchanged, below 0. Harm
therefore lies between -1 and 1, and two equal algorithms have the mean harm 0. Both runs of a pair meet the same users
(common random numbers): means and intervals are those of the log ratios of pairs, as in `mesonet.analysis.decide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.decisions.pairs import bounded_harm, log_ratios, moments, shift_at_zero
from mesonet.analysis.decisions.welch import quantiles, satterthwaite
from mesonet.analysis.means import finite_mean
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Harm(AnalysisResult):
    """Harm by quantity. Arrays have the shape (quantities,), but for `by_condition`; NaN where nothing is known."""

    quantities: tuple[str, ...]
    compared: NDArray[np.int_]  #: conditions that were compared, or the pairs of a single condition
    solo: Floats  #: mean of the incumbent against itself
    beside: Floats  #: mean of the incumbent with the other algorithm
    harm: Floats  #: harm of the geometric mean of all ratios
    error: Floats  #: standard error of the mean log ratio; NaN where nothing is known of the noise
    low: Floats  #: beginning of the confidence interval of the harm; NaN where nothing is known of the noise
    high: Floats  #: end of it
    smallest: Floats  #: smallest harm that would have been seen with the power asked for
    highest: Floats  #: largest harm of a condition
    confidence: float
    power: float
    by_condition: Floats  #: harm by condition and quantity

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

    Every condition has the same weight. The interval is that of the mean log ratio, with the noise of each condition's
    own replicates (Welch, Satterthwaite). If conditions have a single pair, they are a sample: the interval is then
    about conditions like them.

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
    takes the observed noise for the noise beside a harmful algorithm. If a pair of a quantity has a value of 0, 1 % of
    the mean is added to all values. Two values of 0 have the harm 0.

    Source: Ware, Mukerjee, Seshan and Sherry, HotNets 2019 (harm); the intervals are those of `decide`.

    Examples
    --------
    >>> found = harm([[10.0, 20.0], [12.0, 20.0]], [[5.0, 40.0], [9.0, 25.0]], more_is_better=[True, False])
    >>> found.harm.round(3)
    array([0.388, 0.368])
    """
    alone, mixed = np.asarray(solo, dtype=float), np.asarray(beside, dtype=float)
    if alone.ndim == 2 and mixed.ndim == 2:
        alone, mixed = alone[np.newaxis], mixed[np.newaxis]
    _check(alone, mixed, more_is_better, quantities, (confidence, power))
    names = tuple(quantities or (f"quantity {number}" for number in range(1, alone.shape[2] + 1)))
    there = np.isfinite(alone) & np.isfinite(mixed)
    alone, mixed = np.where(there, alone, np.nan), np.where(there, mixed, np.nan)
    each = [
        _of_quantity(alone[:, :, place], mixed[:, :, place], better, confidence, power)
        for place, better in enumerate(more_is_better)
    ]
    mean, error, half, shift, compared = (np.array(part) for part in zip(*(found[1:] for found in each), strict=True))
    by_condition = bounded_harm(np.stack([found[0] for found in each], axis=1))
    return Harm(
        quantities=names,
        compared=compared,
        solo=finite_mean(finite_mean(alone, axis=1), axis=0),
        beside=finite_mean(finite_mean(mixed, axis=1), axis=0),
        harm=bounded_harm(mean),
        error=error,
        low=bounded_harm(mean - half),
        high=bounded_harm(mean + half),
        smallest=bounded_harm(shift * error),
        highest=np.fmax.reduce(by_condition),
        confidence=float(confidence),
        power=float(power),
        by_condition=by_condition,
    )


def _of_quantity(
    solo: Floats, beside: Floats, more_is_better: bool, confidence: float, power: float
) -> tuple[Floats, float, float, float, float, int]:
    """Return log ratios by condition, their mean, its error, half the interval, the visible shift, and what counts."""
    atol = shift_at_zero(solo, beside)
    found = moments(log_ratios(beside, solo, margin=1.0, atol=atol, more_is_better=more_is_better))
    known = found.known
    several = len(known) > 1
    compared = int(known.sum() if several else found.count.sum())
    if several and not found.replicated:  # conditions are a sample
        found = moments(found.mean[np.newaxis])
        known = found.known
    weights = np.where(known, 1 / max(int(known.sum()), 1), 0.0)[np.newaxis]
    (error,), (freedom,) = satterthwaite(weights, np.where(known, found.sd, 0.0), np.maximum(found.count, 1))
    if not (known.any() and freedom > 0):
        error = freedom = np.nan
    sides = float(quantiles(np.array([freedom]), np.array([1 - confidence]))[0])
    shift = float(special.nctdtrinc(freedom, 1 - power, sides))  # in standard errors, for the test to have the power
    mean = float(weights[0] @ np.where(known, found.mean, 0.0)) if known.any() else np.nan
    return found.mean, mean, float(error), sides * float(error), shift, compared


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
