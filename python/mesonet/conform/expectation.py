"""Expectations: what a case expects of the samples of a flow, with bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mesonet.conform.samples import Samples
from mesonet.errors import InputError, unknown

QUANTITIES: Mapping[str, tuple[str, Callable[[Samples], np.ndarray]]] = {
    "cwnd": ("segments", lambda s: s.flow()["cwnd"]),
    "cwnd / bdp": ("BDP", lambda s: s.flow()["cwnd"] / _bdp(s)),
    "cwnd / estimate": (
        "BDP as the flow estimates it",
        lambda s: s.flow()["cwnd"] / (_estimate(s) * s.round_trip),
    ),
    "in_flight": ("segments", lambda s: s.flow()["in_flight"].astype(float)),
    "in_flight / bdp": ("BDP", lambda s: s.flow()["in_flight"] / _bdp(s)),
    "bandwidth / link": ("of the link", lambda s: s.flow()["bandwidth"] / _link(s)),
    "pacing / bandwidth": ("of the estimate", lambda s: s.flow()["pacing_rate"] / _estimate(s)),
    "pacing / link": ("of the link", lambda s: s.flow()["pacing_rate"] / _link(s)),
    "delivered / link": ("of the link", lambda s: s.delivered_rate() / _link(s)),
}
"""Quantities of a sample: unit, and function of the samples of a run."""
TAKES = ("first", "last", "min", "max", "mean")
MEASURES = {
    "samples": "a quantity of the samples",
    "visits": "number of visits to modes",
    "duration": "duration of each visit, s",
    "rounds": "duration of each visit, round trips",
    "interval": "times from visit to visit, s",
    "followed_by": "1 for each visit that another mode follows, else 0",
    "plateau": "round trips from the last growth of the estimate by a quarter to the end of each visit",
    "share": "part of the time in modes",
    "loss_share": "losses per segment sent",
    "utilisation": "segments delivered per segment that the link could carry",
    "loss_interval": "median time between loss events, s",
    "count": "growth of a count of the trace, such as loss_events",
    "decrease": "threshold after each loss event over the window before it",
    "seconds_until": "time from an instant until a quantity reaches a level, s",
    "rounds_until": "the same in round trips without a queue",
}
"""Measures and their meanings."""
_KEYS = {
    "text", "measure", "quantity", "take", "modes", "visit", "start", "end", "next", "before", "level", "at_least",
    "at_most", "only", "reason",
}  # fmt: skip
COUNTS = ("loss_events", "losses", "timeouts")
"""Counts of the trace, for the measure ``count``."""
_GROWTH = 1.25
"""Growth of the estimate that counts as growth (draft-ietf-ccwg-bbr: less than 25 % is a plateau)."""


@dataclass(frozen=True)
class Expectation:
    """Bounds on a measure of the samples."""

    text: str  #: the measure in words
    measure: str = "samples"  #: one of `MEASURES`
    #: `quantity`, `take`: one of `QUANTITIES`, or of `COUNTS` for the measure ``count``; and one of `TAKES`, for the
    #: measure ``samples``.
    quantity: str = "cwnd"
    take: str = "mean"
    modes: tuple[str, ...] = ()  #: modes of the algorithm in which samples count; empty: all samples
    visit: str = "each"  #: ``each``, ``first`` or ``last`` visit to the modes
    #: `start`, `end`: seconds, after the event of the case if it has one: samples and visits outside do not count.
    start: float = 0.0
    end: float = float("inf")
    #: `next`, `before`: modes that may follow, for ``followed_by``; and modes that must follow, for a visit to count.
    next: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    level: float = 0.0  #: level, for ``seconds_until`` and ``rounds_until``; a negative one must be undercut
    at_least: float = -float("inf")  #: `at_least`, `at_most`: bounds, in the unit of the measure
    at_most: float = float("inf")
    only: tuple[str, ...] = ()  #: algorithms that the expectation is about; empty: all
    reason: str = ""  #: reason for the bounds

    def holds(self, values: np.ndarray) -> bool:
        """Return True if all values are within the bounds, and there is at least one."""
        return bool(len(values) and np.all((values >= self.at_least) & (values <= self.at_most)))

    def bounds(self) -> str:
        """Return the bounds as text, such as ``0.98 to 1.02``."""
        if np.isinf(self.at_most):
            return f"at least {self.at_least:g}"
        if np.isinf(self.at_least):
            return f"at most {self.at_most:g}"
        return f"{self.at_least:g}" if self.at_least == self.at_most else f"{self.at_least:g} to {self.at_most:g}"

    def values(self, samples: Samples, event: float = 0.0) -> np.ndarray:
        """Return the values of the measure.

        A value, or a value for each visit; empty if nothing was observed. `event`: time of the event of the case, s.
        """
        start, end = event + self.start, event + self.end
        flow = samples.flow()
        time = flow["time_s"]
        if self.measure in ("loss_share", "utilisation", "loss_interval", "count"):
            name = self.quantity if self.measure == "count" else self.measure
            return np.atleast_1d(_of_span(samples, name, start, min(end, samples.duration)))
        if self.measure in ("seconds_until", "rounds_until"):
            return self._until(samples, start)
        if self.measure == "decrease":
            return _decreases(flow, start, end)
        visits = self._visits(flow, start, end)
        if self.measure == "visits":
            return np.array([float(len(visits))])
        if self.measure == "share":
            inside = (time >= start) & (time <= end)
            return np.array([float(np.mean(np.isin(flow["mode"][inside], self.modes)))]) if inside.any() else time[:0]
        if self.measure == "interval":
            gaps: np.ndarray = np.diff([time[first] for first, _ in visits])
            return gaps
        if self.measure == "samples":
            series = QUANTITIES[self.quantity][1](samples)
            return np.array([_taken(series[first : last + 1], self.take) for first, last in visits])
        # A visit that the end of the run cuts short has no duration and no next mode.
        whole = [(first, last) for first, last in visits if last + 1 < len(time)]
        if self.measure == "followed_by":
            return np.array([float(flow["mode"][last + 1] in self.next) for _, last in whole])
        if self.measure == "plateau":
            return np.array([_plateau(flow, first, last) for first, last in whole])
        lengths = np.array([time[last + 1] - time[first] for first, last in whole])
        if self.measure == "duration":
            return lengths
        trips = np.array([float(np.nanmean(flow["rtt_ms"][first : last + 1])) / 1e3 for first, last in whole])
        rounds: np.ndarray = lengths / trips
        return rounds

    def _until(self, samples: Samples, start: float) -> np.ndarray:
        time, series = samples.flow()["time_s"], QUANTITIES[self.quantity][1](samples)
        reached = series >= self.level if self.level >= 0 else series <= -self.level
        found = time[(time > start) & reached]
        if not len(found):
            return found
        took = float(found[0]) - start
        return np.array([took if self.measure == "seconds_until" else took / samples.round_trip])

    def _visits(self, flow: Mapping[str, np.ndarray], start: float, end: float) -> list[tuple[int, int]]:
        """Return first and last sample of the visits that begin within the time; without modes, the whole time."""
        time = flow["time_s"]
        inside = (time >= start) & (time <= end)
        if not self.modes:
            where = np.flatnonzero(inside)
            return [(int(where[0]), int(where[-1]))] if len(where) else []
        there = np.isin(flow["mode"], self.modes)
        edges = np.diff(np.concatenate([[0], there.astype(int), [0]]))
        pairs = zip(np.flatnonzero(edges == 1).tolist(), (np.flatnonzero(edges == -1) - 1).tolist(), strict=True)
        found = [(first, last) for first, last in pairs if inside[first]]
        if self.before:
            found = [each for each in found if each[1] + 1 < len(time) and flow["mode"][each[1] + 1] in self.before]
        return {"first": found[:1], "last": found[-1:]}.get(self.visit, found)


def expectation(given: Mapping[str, Any], file: str, path: str) -> Expectation:
    """Return the expectation of a table of a case."""
    for key in given:
        if key not in _KEYS:
            raise unknown("key of an expectation", key, sorted(_KEYS), file=file, path=f"{path}.{key}")
    if not isinstance(given.get("text"), str):
        raise InputError("missing", file, f"{path}.text", given.get("text"), "text in quotes")
    quantities = COUNTS if given.get("measure") == "count" else QUANTITIES
    for key, known in (("measure", MEASURES), ("quantity", quantities), ("take", TAKES)):
        if key in given and given[key] not in known:
            raise unknown(key, str(given[key]), known, file=file, path=f"{path}.{key}")
    if given.get("visit", "each") not in ("each", "first", "last"):
        raise InputError("not allowed", file, f"{path}.visit", given["visit"], "each, first, last")
    for key in ("start", "end", "level", "at_least", "at_most"):
        if key in given and (isinstance(given[key], bool) or not isinstance(given[key], int | float)):
            raise InputError("not a number", file, f"{path}.{key}", given[key], "a bare number")
    if not {"at_least", "at_most"} & set(given):
        raise InputError("no bounds", file, path, allowed="at_least, at_most or both")
    lists = {key: tuple(given[key]) for key in ("modes", "next", "before", "only") if key in given}
    return Expectation(**{**given, **lists})


def _of_span(samples: Samples, measure: str, start: float, end: float) -> float:
    if measure in COUNTS:
        return samples.grown(measure, start, end)
    if measure == "loss_share":
        return samples.loss_share(start, end)
    if measure == "utilisation":
        return samples.utilisation(start, end)
    flow = samples.flow()
    inside = (flow["time_s"] >= start) & (flow["time_s"] <= end)
    events = flow["time_s"][inside][1:][np.diff(flow["loss_events"][inside].astype(int)) > 0]
    return float(np.median(np.diff(events))) if len(events) > 1 else float("nan")


def _decreases(flow: Mapping[str, np.ndarray], start: float, end: float) -> np.ndarray:
    """Return threshold over window for each loss event; the window is of the sample before."""
    time, events = flow["time_s"], flow["loss_events"].astype(int)
    after = np.flatnonzero(np.diff(events) > 0) + 1
    after = after[(time[after] >= start) & (time[after] <= end)]
    found: np.ndarray = flow["ssthresh"][after] / flow["cwnd"][after - 1]
    return found


def _plateau(flow: Mapping[str, np.ndarray], first: int, last: int) -> float:
    """Return the round trips since the estimate passed its last value less a growth that counts."""
    estimate, time = flow["bandwidth"][first : last + 1], flow["time_s"][first : last + 1]
    grown = float(time[int(np.argmax(estimate >= estimate[-1] / _GROWTH))])
    trips = flow["rtt_ms"][first : last + 1][time >= grown] / 1e3
    return (float(flow["time_s"][last + 1]) - grown) / float(np.mean(trips))


def _taken(series: np.ndarray, take: str) -> float:
    if take in ("first", "last"):
        return float(series[0 if take == "first" else -1])
    if take == "mean":
        return float(np.mean(series))
    return float(np.min(series) if take == "min" else np.max(series))


def _link(samples: Samples) -> np.ndarray:
    return samples.link(samples.flow()["time_s"])


def _estimate(samples: Samples) -> np.ndarray:
    """Return the estimate of the bandwidth; NaN before the first sample of it."""
    estimate = samples.flow()["bandwidth"]
    return np.where(estimate > 0, estimate, np.nan)


def _bdp(samples: Samples) -> np.ndarray:
    return _link(samples) * samples.round_trip
