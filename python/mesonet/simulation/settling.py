"""Settling times of a run by MSER-5, and the rule that its load has settled.

The load is the number of transmitting sources and their traffic. It decides if the numbers of a run can be judged. A
series of the load has settled if MSER-5 truncates it within the warm-up, or if its mean moves by at most `TOLERANCE`
from one half of the measured time to the other. MSER-5 alone does not suffice. It truncated 47 % of 109 runs of the
demo after the warm-up or not at all, while their loads moved no more than those of the other runs. Numbers of flows
with heavy-tailed sizes wander for as long as a run lasts.

Flows completed and drops are for information. Both are counts of events: a rule for the mean of a stationary series
finds no end of the transient where events are rare or come in bursts.

The rule applies to networks with users or open-loop arrivals, whose number of active flows follows from the network.
The load of explicit flows is part of the scenario.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mesonet.simulation.warm_up import warm_up

SETTLING = {
    "sending": "transmitting sources",
    "segments_leaving": "traffic",
    "flows_completed": "flows completed",
    "segments_dropped": "drops",
}
"""Series with a settling time, columns of the table ``series``, and their names in sentences."""
LOAD = ("sending", "segments_leaving")
"""Series of the load. Traffic lags behind the number of transmitting sources while windows grow."""
TOLERANCE = 0.05
"""Largest drift of a load that counts as settled. Chosen: the load of the demo moves by 2 %, whatever MSER-5 finds, and
of the overloaded conditions of experiment 2a by 8 % and more."""

Times = Mapping[str, float | None]
"""Settling time by series, s; None: not before the end."""
Drifts = Mapping[str, float | None]
"""Drift by series of the load; None: nothing to compare."""


def steady_until(scenario: Mapping[str, Any]) -> float:
    """Return the end of the span in which the scenario does not change the load on purpose.

    Seconds from the beginning: the first change of the network after the warm-up, the period with jumbo files, or the
    end of the run.
    """
    time, users = scenario["time"], scenario["users"]
    warmup, end = float(time["warmup"]), float(time["duration"])
    changes = [float(change["time"]) for change in scenario["network"].get("changes", [])]
    if users["base_sources"] > 0 and users["jumbo_period"] >= 1 and users["jumbo_factor"] != 1:
        changes.append(warmup + (users["jumbo_period"] - 1) * (end - warmup) / time["periods"])
    return min([end, *(at for at in changes if at >= warmup)])


def settling_time(time_s: Sequence[float], values: Sequence[float], until_s: float) -> float | None:
    """Return the time after which a series has left its initial transient, by MSER-5.

    Source: see `mesonet.simulation.warm_up`.

    Seconds from the beginning; None where the span is too short for a verdict. `time_s`: instants of the samples, s,
    ascending.
    """
    kept = sum(at <= until_s * (1 + 1e-9) for at in time_s)
    samples = warm_up(values[:kept]).samples
    if samples is None:
        return None
    return float(time_s[samples - 1]) if samples else 0.0


def drift(time_s: Sequence[float], values: Sequence[float], from_s: float, until_s: float) -> float | None:
    """Return the relative change of the mean of a series from the first to the second half of a span.

    Above 0 for a rise; None without samples, or if the first mean is 0. `time_s`: instants of the samples, s,
    ascending. `from_s`, `until_s`: beginning, excluded, and end of the span, s.
    """
    at = np.asarray(time_s, dtype=float)
    kept = np.asarray(values, dtype=float)[(at > from_s) & (at <= until_s * (1 + 1e-9))]
    first, second = np.split(kept, [len(kept) // 2])
    if not first.size or not first.mean():
        return None
    return float(second.mean() / first.mean() - 1)


def of_load(times: Times) -> float | None:
    """Return the settling time of the load.

    The latest of the series of the load, s; None if one of them had not settled before the end. `times`: settling
    times, of one series of `LOAD` at least.
    """
    known = [times[name] for name in LOAD if name in times]
    return None if None in known else max(at for at in known if at is not None)


def late(times: Times, warmup_s: float) -> list[str]:
    """Return the series that MSER-5 does not truncate within the warm-up. Keys of `SETTLING`, the load first."""
    return [name for name in SETTLING if name in times and not _within(times[name], warmup_s)]


def unsettled(times: Times, drifts: Drifts, warmup_s: float) -> list[str]:
    """Return the series of the load that had not settled when the warm-up ended. Names of `LOAD`."""
    return [name for name in late(times, warmup_s) if name in LOAD and not _steady(drifts.get(name))]


def is_given(scenario: Mapping[str, Any]) -> bool:
    """Return True without users and arrivals, where the load is part of the scenario."""
    return not scenario["users"]["base_sources"] > 0 and not scenario.get("arrivals")


def load_settled(times: Times | None, drifts: Drifts, scenario: Mapping[str, Any]) -> bool | None:
    """Return True if the load of a run had settled when the warm-up ended.

    True without users and arrivals, where the load is part of the scenario; None if it is not known.
    """
    if is_given(scenario):
        return True
    if times is None or not set(LOAD).intersection(times):
        return None
    return not unsettled(times, drifts, float(scenario["time"]["warmup"]))


def _within(settled: float | None, warmup_s: float) -> bool:
    return settled is not None and settled <= warmup_s


def _steady(change: float | None) -> bool:
    return change is not None and abs(change) <= TOLERANCE
