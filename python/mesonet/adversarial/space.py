"""Space of paths: how a search draws a path, changes it a little, and shakes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mesonet.adversarial.path import ChangingPath, Episode, Phase, is_rate, is_time
from mesonet.errors import InputError, unknown

DIMENSIONS = ("rate", "delay", "buffer", "loss", "outage", "cross", "join")
"""Parts of a path that a search can vary."""
JOIN = "join"
PHASES = 4
ROUND_TRIP_MS = 40.0
"""Smallest round trip of a path whose delay does not vary (chosen)."""
_ROUND_TRIPS_MS = (10.0, 100.0)
_ADDED_MS = (5.0, 100.0)
_SLOWEST = 1 / 20  # of the fastest rate
_BUFFERS = (0.3, 5.0)  # bandwidth-delay products
_SMALLEST_BUFFER = 10.0  # segments
_LOSSES = (0.005, 0.3)
_LOSSES_S = (0.05, 2.0)
_OUTAGES_S = (0.05, 1.0)
_CROSS = (0.1, 0.9)  # of the fastest rate
_CROSS_S = (0.2, 4.0)
_OFF = 0.4
"""Part of the draws in which a loss, an outage, cross traffic or an added delay is absent (chosen)."""
_NEW = 0.3
"""Chance that a change draws a gene anew in place of a step (chosen)."""
_STEP = 0.15
"""Standard deviation of a step (chosen)."""
_SEGMENT_MBIT = 1500 * 8 / 1e6
_GAP_S = 0.01

Genes = tuple[float, ...]
"""Numbers from 0 to 1 that a path is made from, in the order of `Space.names`."""


@dataclass(frozen=True)
class Space:
    """Paths that a search can visit."""

    dimensions: tuple[str, ...]  #: some of `DIMENSIONS`
    duration: float  #: of a run, s
    rate_limit: float  #: fastest rate of the link, Mbit/s

    def __post_init__(self) -> None:
        for each in self.dimensions:
            if each not in DIMENSIONS:
                raise unknown("dimension", each, DIMENSIONS, path="space")
        if not self.dimensions:
            raise InputError("empty", path="space", allowed=", ".join(DIMENSIONS))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the genes."""
        places = range(1, PHASES + 1)
        genes = {
            "rate": [f"rate {place}" for place in places],
            "delay": ["round trip", *(f"delay {place}" for place in places)],
            "buffer": ["buffer"],
            "loss": ["loss start", "loss length", "loss"],
            "outage": [f"outage {place} {word}" for place in (1, 2) for word in ("start", "length")],
            "cross": ["cross start", "cross length", "cross"],
            "join": ["join"],
        }
        times = [f"time {place}" for place in places[1:]] if {"rate", "delay"} & set(self.dimensions) else []
        return (*times, *(name for each in DIMENSIONS if each in self.dimensions for name in genes[each]))

    def drawn(self, rng: np.random.Generator) -> Genes:
        """Return genes drawn at random."""
        return tuple(rng.random(len(self.names)).tolist())

    def changed(self, genes: Genes, rng: np.random.Generator) -> Genes:
        """Return genes of which one to three differ: most of the change of a path is in few numbers."""
        found = list(genes)
        for place in rng.choice(len(found), size=min(len(found), int(rng.integers(1, 4))), replace=False).tolist():
            moved = rng.random() if rng.random() < _NEW else found[place] + _STEP * rng.standard_normal()
            found[place] = float(np.clip(moved, 0.0, 1.0))
        return tuple(found)

    def path(self, genes: Genes) -> ChangingPath:
        """Return the path of genes. Numbers have three digits, times milliseconds."""
        of = dict(zip(self.names, genes, strict=True))

        def scaled(name: str, low: float, high: float, otherwise: float = 0.0) -> float:
            return _digits(low * (high / low) ** of[name]) if name in of else otherwise

        def switched(name: str, low: float, high: float) -> float:
            on = (of.get(name, 0.0) - _OFF) / (1 - _OFF)
            return _digits(low * (high / low) ** on) if on > 0 else 0.0

        def time(name: str, share: float = 1.0) -> float:
            return round(of[name] * share * self.duration, 3)

        limit = self.rate_limit
        starts = [0.0, *sorted(time(name, 0.9) for name in of if name.startswith("time"))]
        phases: list[Phase] = []
        for place, start in enumerate(starts, start=1):
            rate = scaled(f"rate {place}", limit * _SLOWEST, limit, limit)
            phase = Phase(start, rate, switched(f"delay {place}", *_ADDED_MS))
            if not phases or (start > phases[-1].start + _GAP_S and phase != replace(phases[-1], start=start)):
                phases.append(phase)
        round_trip = scaled("round trip", *_ROUND_TRIPS_MS, ROUND_TRIP_MS)
        product = max(each.rate for each in phases) * round_trip / 1e3 / _SEGMENT_MBIT
        buffer = max(_SMALLEST_BUFFER, round(product * scaled("buffer", *_BUFFERS, 1.0)))

        def episode(name: str, lengths: tuple[float, float], value: float) -> tuple[Episode, ...]:
            if not value:
                return ()
            length = scaled(f"{name} length", *lengths)
            start = min(time(f"{name} start"), self.duration - length - _GAP_S)
            return (Episode(max(0.0, round(start, 3)), length, value),)

        lost = switched("loss", *_LOSSES)
        outages = sorted(
            (
                Episode(round(time(f"outage {place} start", 0.85), 3), length, 0.0)
                for place in (1, 2)
                if (length := switched(f"outage {place} length", *_OUTAGES_S))
            ),
            key=lambda each: each.start,
        )
        apart = len(outages) < 2 or outages[0].start + outages[0].length + _GAP_S < outages[1].start
        return ChangingPath(
            round_trip=round_trip,
            buffer=buffer,
            phases=tuple(phases),
            losses=episode("loss", _LOSSES_S, lost) if lost else (),
            outages=tuple(
                replace(each, length=round(min(each.length, self.duration - each.start - _GAP_S), 3))
                for each in (outages if apart else outages[:1])
            ),
            cross=episode("cross", _CROSS_S, switched("cross", _CROSS[0] * limit, _CROSS[1] * limit)),
            join=time(JOIN, 0.6) if JOIN in of else 0.0,
        )


def shaken(path: ChangingPath, duration: float, rng: np.random.Generator) -> ChangingPath:
    """Return a copy with rates 2 % higher or lower at most, and times a fiftieth of the run earlier or later at most.

    What holds on one path only, because of the phase of some cycle, does not hold on its copies.
    """
    found = path
    for name, value in path.numbers().items():
        if is_rate(name):
            found = found.with_number(name, _digits(value * (1 + rng.uniform(-0.02, 0.02)), 4))
        elif is_time(name):
            moved = found.with_number(name, round(max(_GAP_S, value + rng.uniform(-0.02, 0.02) * duration), 3))
            found = moved if moved.is_ordered(duration) else found
    return found


def dimensions(text: str) -> tuple[str, ...]:
    """Return the dimensions of a list with commas."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _digits(value: float, digits: int = 3) -> float:
    return float(f"{value:.{digits}g}")
