"""Paths that change in time: as numbers, which a search varies, and as values of a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

LINK = "A -> B"
"""Port at which segments queue."""
TITLES = {
    "round_trip": ("smallest round trip", "ms"),
    "buffer": ("buffer", "segments"),
    "join": ("start of the tested flow", "s"),
    "phases.start": ("start", "s"),
    "phases.rate": ("rate", "Mbit/s"),
    "phases.delay": ("added delay", "ms"),
    "losses.start": ("start", "s"),
    "losses.length": ("length", "s"),
    "losses.value": ("loss", ""),
    "outages.start": ("start", "s"),
    "outages.length": ("length", "s"),
    "cross.start": ("start", "s"),
    "cross.length": ("length", "s"),
    "cross.value": ("rate", "Mbit/s"),
}
"""Title and unit of each number of a path."""
_PARTS = {"phases": "phase", "losses": "burst of losses", "outages": "outage", "cross": "cross traffic"}
EPISODES = ("losses", "outages", "cross")
"""Parts of a path that are lists of episodes."""
_NUMBER = re.compile(r"(\w+)\[(\d+)\]\.(\w+)")


@dataclass(frozen=True)
class Phase:
    """Part of the time in which rate and delay are constant; it ends with the next phase."""

    start: float  #: s
    rate: float  #: Mbit/s
    delay: float  #: addition to the round trip, ms


@dataclass(frozen=True)
class Episode:
    """Losses, an outage or cross traffic, for a time."""

    start: float  #: `start`, `length`: s
    length: float
    value: float  #: part of the segments that is lost, 0 for an outage, rate of cross traffic in Mbit/s


@dataclass(frozen=True)
class ChangingPath:
    """Path between two hosts through one queue."""

    round_trip: float  #: without queue and added delay, ms
    buffer: float  #: segments
    phases: tuple[Phase, ...]  #: at least one; the first begins at 0 s
    losses: tuple[Episode, ...] = ()
    outages: tuple[Episode, ...] = ()
    cross: tuple[Episode, ...] = ()  #: UDP at a constant rate
    join: float = 0.0  #: start of the tested flow, s

    def values(self) -> dict[str, Any]:
        """Return the values of the scenario by path, without its flows."""
        found: dict[str, Any] = {
            "network.speed": _text(self.phases[0].rate, "Mbit/s"),
            "network.delay_multiplier": self.round_trip,  # the link of the scenario has half a millisecond one way
            "network.buffer": _text(self.buffer, "segments"),
        }
        if any(each.rate != self.phases[0].rate for each in self.phases):
            found["impairments.capacity"] = [
                [_text(each.start, "s"), _text(each.rate, "Mbit/s")] for each in self.phases
            ]
        if any(each.delay for each in self.phases):
            found["impairments.delays"] = [[_text(each.start, "s"), _text(each.delay, "ms")] for each in self.phases]
        if self.losses:
            found["impairments.loss"] = [["0 s", 0.0]]
            for each in self.losses:
                ends = [[_text(each.start, "s"), each.value], [_text(each.start + each.length, "s"), 0.0]]
                found["impairments.loss"] += ends
        if self.outages:
            found["impairments.outages"] = [[_text(each.start, "s"), _text(each.length, "s")] for each in self.outages]
        return found

    def cross_flows(self) -> list[dict[str, Any]]:
        """Return the flows of the cross traffic."""
        return [
            {
                "from": "A",
                "to": "B",
                "start": _text(each.start, "s"),
                "stop": _text(each.start + each.length, "s"),
                "interface": "1 Gbit/s",
                "transport": "udp",
                "application": "constant",
                "rate": _text(each.value, "Mbit/s"),
            }
            for each in self.cross
        ]

    def at(self, time: float) -> Phase:
        """Return the phase at a time in s."""
        return [each for each in self.phases if each.start <= time][-1]

    def capacity(self, start: float, end: float) -> float:
        """Return what the link can deliver between two times in s, without losses and outages, Mbit."""
        marks = {start, end, *(each.start for each in self.phases)}
        for each in (*self.losses, *self.outages):
            marks |= {each.start, each.start + each.length}
        times = sorted(time for time in marks if start <= time <= end)
        total = 0.0
        for first, last in pairwise(times):
            if not any(_holds(each, first) for each in self.outages):
                lost = max((each.value for each in self.losses if _holds(each, first)), default=0.0)
                total += self.at(first).rate * (1 - lost) * (last - first)
        return total

    def still(self) -> list[ChangingPath]:
        """Return each phase as a path that does not change, and on which all flows start at once."""
        return [
            ChangingPath(self.round_trip + each.delay, self.buffer, (Phase(0.0, each.rate, 0.0),))
            for each in self.phases
        ]

    def numbers(self) -> dict[str, float]:
        """Return all numbers by name, such as ``phases[1].rate``, without those that a path always has at 0."""
        found = {name: getattr(self, name) for name in ("round_trip", "buffer", "join") if getattr(self, name)}
        for part in _PARTS:
            for place, entry in enumerate(getattr(self, part)):
                found |= {f"{part}[{place}].{key}": value for key, value in asdict(entry).items() if value}
        return found

    def with_number(self, name: str, value: float) -> ChangingPath:
        """Return the path with another number."""
        inside = _NUMBER.fullmatch(name)
        if not inside:
            return replace(self, **{name: value})  # type: ignore[arg-type]
        part, place, key = inside[1], int(inside[2]), inside[3]
        entries = list(getattr(self, part))
        entries[place] = replace(entries[place], **{key: value})
        changed: Any = {part: tuple(entries)}
        return replace(self, **changed)

    def without(self, part: str, place: int) -> ChangingPath:
        """Return the path without an episode. `part`: one of `EPISODES`."""
        entries = getattr(self, part)
        changed: Any = {part: (*entries[:place], *entries[place + 1 :])}
        return replace(self, **changed)

    def is_ordered(self, duration: float) -> bool:
        """Return True if phases and episodes follow one another within the duration of a run, s."""
        starts = [each.start for each in self.phases]
        episodes = [[(each.start, each.start + each.length) for each in getattr(self, part)] for part in EPISODES]
        return (
            all(first < last for first, last in pairwise(starts))
            and all(a[1] < b[0] for part in episodes for a, b in pairwise(part))
            and max([self.join, *starts, *(end for part in episodes for _, end in part)]) < duration
        )

    def document(self) -> dict[str, Any]:
        """Return the path as plain data."""
        return asdict(self)

    def words(self) -> str:
        """Return the path in words, such as ``20 Mbit/s, round trip 20 ms; from 3 s on round trip 60 ms``."""
        parts, before = [], None
        for each in self.phases:
            new = [f"{each.rate:g} Mbit/s"] if before is None or before.rate != each.rate else []
            if before is None or before.delay != each.delay:
                new.append(f"round trip {self.round_trip + each.delay:g} ms")
            parts.append(", ".join(new) if before is None else f"from {each.start:g} s on {', '.join(new)}")
            before = each
        parts[0] += f", buffer {self.buffer:g} segments"
        parts += [f"{each.value:.3g} lost from {each.start:g} s for {each.length:g} s" for each in self.losses]
        parts += [f"no link from {each.start:g} s for {each.length:g} s" for each in self.outages]
        parts += [f"{each.value:g} Mbit/s of UDP from {each.start:g} s for {each.length:g} s" for each in self.cross]
        return "; ".join([*parts, *([f"the tested flow starts at {self.join:g} s"] if self.join else [])])


def path_of(document: Mapping[str, Any]) -> ChangingPath:
    """Return the path of plain data."""
    parts = {part: tuple(Episode(**each) for each in document[part]) for part in EPISODES}
    phases = tuple(Phase(**each) for each in document["phases"])
    return ChangingPath(document["round_trip"], document["buffer"], phases, **parts, join=document["join"])


def title(name: str) -> tuple[str, str]:
    """Return title and unit of a number of a path, such as ``phase 2, rate`` and ``Mbit/s``."""
    inside = _NUMBER.fullmatch(name)
    if not inside:
        return TITLES[name]
    words, unit = TITLES[f"{inside[1]}.{inside[3]}"]
    return f"{_PARTS[inside[1]]} {int(inside[2]) + 1}, {words}", unit


def is_rate(name: str) -> bool:
    """Return True for the name of a number that is a rate."""
    return title(name)[1] == "Mbit/s"


def is_time(name: str) -> bool:
    """Return True for the name of an instant."""
    return name.endswith((".start", "join"))


def _holds(episode: Episode, time: float) -> bool:
    return episode.start <= time < episode.start + episode.length


def _text(value: float, unit: str) -> str:
    return f"{round(value, 6):.10g} {unit}"
