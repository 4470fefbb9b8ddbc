"""The gate: the captured control, replayed on the fitted path, must have the outcome of the capture."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mesonet.fitting.estimates import PathEstimate
from mesonet.fitting.paths import DROP_TAIL, FittedPath, with_codel
from mesonet.fitting.recording import Recording
from mesonet.fitting.replays import Outcome, Replay, recorded, replays
from mesonet.words import percent

GOODPUT, ROUND_TRIP = 0.05, 0.10
"""Largest relative errors of a replay (chosen): what-ifs of fits that pass were within 7 % in 9 of 10."""
CONTROLS = ("cubic", "bbr", "tcp")
"""Controls of Linux that a capture without a name may have."""
SEEDS = 9
"""Replays of a path with random loss, of which the median counts (chosen)."""
_CERTAIN = 4
"""Random losses of a recording without any in the replay that are no chance: 4 expected, none seen with 2 %."""

_FACTOR = 2.0
"""Ratio of drops by a discipline, in the capture and in the replay, that is allowed (chosen)."""


@dataclass(frozen=True)
class Gate:
    """Verdict on a fitted path."""

    control: str
    tried: tuple[str, ...]  #: controls of which its replay came closest; the given one alone if one was given
    recorded: Outcome
    replay: Replay
    reason: str  #: why the path does not reproduce the capture; empty: it does
    #: Paths with another discipline of the queue that reproduce it, too.
    others: tuple[FittedPath, ...] = ()

    @property
    def is_guessed(self) -> bool:
        """True if no control was given."""
        return len(self.tried) > 1

    @property
    def passed(self) -> bool:
        """True if the path reproduces the capture."""
        return not self.reason

    @property
    def errors(self) -> tuple[float, float]:
        """Relative errors of goodput and round trip."""
        return errors(self.recorded, self.replay.outcome)


def errors(wanted: Outcome, got: Outcome) -> tuple[float, float]:
    """Return the relative errors of goodput and round trip."""
    return got.goodput / wanted.goodput - 1, got.round_trip_s / wanted.round_trip_s - 1


def chosen(recording: Recording, found: PathEstimate, path: FittedPath, control: str | None) -> tuple[FittedPath, Gate]:
    """Return the path whose replay reproduces a recording, and its verdict: with a drop-tail queue, else with CoDel."""
    first = judge(recording, found, path, control)
    if not found.lost or found.suspected:
        return path, first
    codel = with_codel(path, found)
    second = judge(recording, found, codel, control)
    if second.passed and not first.passed:
        return codel, second
    return path, replace(first, others=(codel,) if second.passed else ())


def judge(recording: Recording, found: PathEstimate, path: FittedPath, control: str | None) -> Gate:
    """Return the verdict on a path. `control`: None: the control whose replay comes closest."""
    wanted = recorded(recording, found.lost_at_full)
    names = CONTROLS if control is None else (control,)
    tried = [(name, median(path, name)) for name in names]
    name, replay = min(tried, key=lambda each: _distance(wanted, each[1].outcome))
    reason = "; ".join((*found.suspected, *differences(wanted, replay.outcome, path)))
    return Gate(name, names, wanted, replay, reason)


def differences(wanted: Outcome, got: Outcome, path: FittedPath) -> list[str]:
    """Return what an outcome on a path does not reproduce, in words."""
    goodput, trip = errors(wanted, got)
    found = [
        f"{name} {percent(100 * error, sign=True)}, of which {percent(100 * most)} is allowed"
        for name, error, most in (("goodput", goodput, GOODPUT), ("median round trip", trip, ROUND_TRIP))
        if abs(error) > most
    ]
    if path.discipline != DROP_TAIL:  # which drops at any length of its queue
        if not wanted.lost / _FACTOR - _CERTAIN <= got.lost <= wanted.lost * _FACTOR + _CERTAIN:
            found.append(f"losses: {wanted.lost} in the capture, {got.lost} in the replay")
        return found
    if bool(wanted.lost_full) != bool(got.lost_full):
        found.append(f"losses at a full queue: {wanted.lost_full} in the capture, {got.lost_full} in the replay")
    if wanted.lost_random >= _CERTAIN and not got.lost_random:
        found.append(f"random losses: {wanted.lost_random} in the capture, none in the replay")
    return found


def median(path: FittedPath, control: str) -> Replay:
    """Return the replay of a control on a path; with random loss the median one of `SEEDS` by goodput."""
    found = replays((path, control, seed) for seed in range(1, (SEEDS if path.random_loss else 1) + 1))
    return sorted(found, key=lambda each: each.outcome.goodput)[len(found) // 2]


def _distance(wanted: Outcome, got: Outcome) -> float:
    """Return the error over what is allowed, and the error of the losses."""
    goodput, trip = errors(wanted, got)
    return abs(goodput) / GOODPUT + abs(trip) / ROUND_TRIP + abs(got.lost - wanted.lost) / max(1, got.lost, wanted.lost)
