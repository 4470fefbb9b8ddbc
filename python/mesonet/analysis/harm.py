"""Harm of an algorithm to an incumbent, against the incumbent among flows of its own kind (Ware et al., HotNets 2019).

Harm is the part of its performance that the incumbent loses. It is (solo - beside) / solo if more is better
(throughput), and (beside - solo) / beside if less is better (delay, loss). *Solo* is the incumbent against itself,
*beside* the incumbent with the other algorithm in the same cell. Harm is at most 1; less than 0 is a gain. Both runs of
a pair meet the same users (common random numbers). Therefore pairs are compared, not means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from mesonet.analysis.means import finite_mean
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Harm(AnalysisResult):
    """Harm by quantity. Arrays have the shape (quantities,), but for `by_condition`; NaN where nothing is known."""

    quantities: tuple[str, ...]
    compared: NDArray[np.int_]  #: units that were compared: conditions, or the replicates of a single condition
    undefined: NDArray[np.int_]  #: pairs whose harm is not defined: only the denominator is 0
    solo: Floats  #: mean of the incumbent against itself
    beside: Floats  #: mean of the incumbent with the other algorithm
    harm: Floats  #: mean harm
    low: Floats  #: beginning of its confidence interval; NaN with fewer than two units
    high: Floats  #: end of it
    smallest: Floats  #: smallest mean harm that would have been seen with the power asked for
    highest: Floats  #: largest harm of a unit
    confidence: float
    power: float
    by_condition: Floats  #: mean harm by condition and quantity

    UNITS: ClassVar = dict.fromkeys(("harm", "low", "high", "smallest", "highest"), "1")

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"quantity": self.quantities}

    def _columns(self) -> dict[str, Any]:
        names = ("compared", "undefined", "solo", "beside", "harm", "low", "high", "smallest", "highest")
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

    The interval is Student's t interval of paired differences. Its units are conditions: replicates of a condition are
    averaged first, because they share its settings. With a single condition, the units are its replicates.

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
    With the standard error e of the mean of n units, ``smallest = e (t(1 - (1 - confidence) / 2) + t(power))``. The
    quantiles are of Student's t with n - 1 degrees of freedom. Pairs of two zeros have the harm 0. If the denominator
    alone is 0, harm is not defined: the pair counts as `Harm.undefined`, and in `Harm.solo` and `Harm.beside`.

    Source: Ware, Mukerjee, Seshan and Sherry, HotNets 2019 (harm); Zar, Biostatistical Analysis, section 7.6 (smallest
    detectable difference, recalled).

    Examples
    --------
    >>> found = harm([[10.0, 20.0], [12.0, 20.0]], [[5.0, 40.0], [9.0, 25.0]], more_is_better=[True, False])
    >>> found.harm
    array([0.375, 0.35 ])
    """
    alone, mixed = np.asarray(solo, dtype=float), np.asarray(beside, dtype=float)
    if alone.ndim == 2 and mixed.ndim == 2:
        alone, mixed = alone[np.newaxis], mixed[np.newaxis]
    _check(alone, mixed, more_is_better, quantities, (confidence, power))
    names = tuple(quantities or (f"quantity {number}" for number in range(1, alone.shape[2] + 1)))
    better = np.asarray(more_is_better, dtype=bool)
    there = np.isfinite(alone) & np.isfinite(mixed)
    base = np.where(better, alone, mixed)
    lost = np.where(better, alone - mixed, mixed - alone)
    with np.errstate(all="ignore"):
        harms = np.where(base > 0, lost / base, np.where(lost == 0, 0.0, np.nan))
    harms = np.where(there, harms, np.nan)
    by_condition = finite_mean(harms, axis=1)
    units = by_condition if len(by_condition) > 1 else harms[0]
    count = np.isfinite(units).sum(axis=0)
    mean = finite_mean(units, axis=0)
    with np.errstate(all="ignore"):
        square = np.nansum((units - mean) ** 2, axis=0) / np.where(count > 1, count - 1, np.nan)
        error = np.sqrt(square / count)
        freedom = np.where(count > 1, count - 1, np.nan)
        sides = stats.t.ppf((1 + confidence) / 2, freedom)
        smallest = error * (sides + stats.t.ppf(power, freedom))
    highest = np.where(count, np.max(np.where(np.isfinite(units), units, -np.inf), axis=0, initial=-np.inf), np.nan)
    return Harm(
        names,
        count,
        (there & ~np.isfinite(harms)).sum(axis=(0, 1)),
        finite_mean(finite_mean(np.where(there, alone, np.nan), axis=1), axis=0),
        finite_mean(finite_mean(np.where(there, mixed, np.nan), axis=1), axis=0),
        mean,
        mean - sides * error,
        mean + sides * error,
        smallest,
        highest,
        float(confidence),
        float(power),
        by_condition,
    )  # fmt: skip


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
