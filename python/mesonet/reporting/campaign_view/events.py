"""Values that count so few events that chance alone makes them differ; they are not judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Rates and ratios below this value in all algorithms count too few events to be called better or worse.
NEGLIGIBLE = 1e-3
#: Counts below this value in all algorithms are too few to be compared. A count of n events has a standard deviation of
#: about sqrt(n) (Poisson), 18 % at n = 30: equal algorithms can have counts that differ by tens of percent.
FEWEST_EVENTS = 30
#: Share that is added to both values of a ratio, so that 10 % of it, .05 %, is a change that never counts (chosen; the
#: value with which paired ratios of loss rates had intervals of the stated coverage).
SHARE_WITHOUT_RATIO = 0.005
#: Queueing delay, ms, that is added to both values of a ratio: 10 % of it is 1 ms (chosen; coverage as above).
DELAY_WITHOUT_RATIO = 10.0
#: Units of responses that count events.
_EVENTS = ("flows", "failures", "timeouts", "segments", "acks", "increases", "reductions")


def too_few_events(values: Floats, unit: str, experiment: dict[str, Any], period: str) -> NDArray[np.bool_]:
    """Return a mask by condition: True where no algorithm reaches the smallest number of events.

    Counts per interval are multiplied by the intervals of the period. Values in units other than counts and shares are
    False, and so are conditions in which the length of the period is not known.

    Shape (conditions,). `values`: shape (conditions, algorithms), in `unit`; NaN where missing. `unit`: such as ``1``,
    ``flows`` or ``flows/interval``.
    """
    largest = np.where(np.isfinite(values), np.abs(values), 0.0).max(axis=1, initial=0.0)
    if unit == "1":
        return np.asarray(largest < NEGLIGIBLE)
    what, _, per = unit.partition("/")
    if what not in _EVENTS or per not in ("", "interval"):
        return np.zeros(len(values), dtype=bool)
    intervals = _intervals(len(values), experiment, period) if per else np.ones(len(values))
    with np.errstate(invalid="ignore"):
        return np.asarray(largest * intervals < FEWEST_EVENTS)


def level_without_ratio(unit: str, experiment: dict[str, Any], period: str) -> float:
    """Return the level that is added to both values of a ratio, in the unit of a response; 0 for units without one.

    Counts near `FEWEST_EVENTS` are chance. Counts per interval are divided by the intervals of the period.
    """
    if unit == "1":
        return SHARE_WITHOUT_RATIO
    what, _, per = unit.partition("/")
    if what not in _EVENTS or per not in ("", "interval"):
        return 0.0
    conditions = max((entry["condition"] for entry in experiment.get("scenarios") or []), default=0)
    intervals = _intervals(conditions, experiment, period) if per else np.ones(1)
    known = intervals[np.isfinite(intervals)]
    return FEWEST_EVENTS / float(known.mean()) if len(known) else 0.0


def _intervals(conditions: int, experiment: dict[str, Any], period: str) -> Floats:
    """Return the measurement intervals of the period by condition; NaN where the scenario does not define them."""
    found = np.full(conditions, np.nan)
    for entry in experiment.get("scenarios") or []:
        scenario = entry.get("scenario", {})
        time, interval = scenario.get("time", {}), scenario.get("measurement", {}).get("interval")
        if entry["condition"] <= conditions and interval and {"duration", "warmup", "periods"} <= set(time):
            measured = float(time["duration"]) - float(time["warmup"])
            parts = int(time["periods"]) if period.isdigit() else 1
            found[entry["condition"] - 1] = measured / parts / float(interval)
    return found
