"""Set-ups of the kernel: its flows, its hosts, and one bottleneck on a path that follows the time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Course = tuple[tuple[float, float], ...]
"""Instants, s, and values; a value holds from its instant to the next one, the first value before its instant, too."""

STOPPED_NS = 10**18
"""Service at a rate of 0: longer than any run."""


def constant(value: float) -> Course:
    """Return the course of a value that never changes."""
    return ((0.0, value),)


NONE = constant(0.0)


@dataclass(frozen=True)
class Bottleneck:
    """A drop-tail queue, and the ways from it and back."""

    rate: Course  #: full segments per second
    places: Course  #: most segments that wait, without the one in service
    forth_s: Course  #: delay from the queue to the receiver, s
    back_s: Course  #: delay of acknowledgements, s
    loss: Course = NONE  #: probability that a segment is lost behind the queue
    outage: Course = NONE  #: 1 while all segments that leave the queue are lost, else 0

    @property
    def service_s(self) -> float:
        """Time that a segment takes at the first rate."""
        return 1 / self.rate[0][1]

    def text(self, since_s: float) -> str:
        """Return the file that `bottleneck.c` reads. `since_s`: instant at which the first flow starts."""
        return "".join(f"{name} {round((at - since_s) * 1e9)} {value!r}\n" for name, at, value in self._lines())

    def _lines(self) -> Iterator[tuple[str, float, float]]:
        for at, rate in self.rate:
            yield "service", at, min(1e9 / rate, STOPPED_NS) if rate else STOPPED_NS
        for name, course, unit in (
            ("places", self.places, 1), ("forth", self.forth_s, 1e9), ("back", self.back_s, 1e9),
            ("loss", self.loss, 1), ("outage", self.outage, 1),
        ):  # fmt: skip
            for at, value in course:
                yield name, at, value * unit


@dataclass(frozen=True)
class Setup:
    """Flows from one host to another through a bottleneck."""

    algorithms: tuple[str, ...]  #: names in the kernel, a flow each
    starts_s: tuple[float, ...]
    duration_s: float
    bottleneck: Bottleneck
    segments: int | None = None  #: size of each transfer; None for flows without an end
    floor_s: float = 0.2  #: smallest retransmission timeout (`rto_min` of the route), s
    gso_segments: int | None = None  #: most segments that the kernel sends in one piece; None for its own choice
    #: Flows, from 0, that the kernel paces, although their algorithm sets no rate (`SO_MAX_PACING_RATE`).
    paced: frozenset[int] = frozenset()
    #: True: the receiver may answer several segments behind a gap with one acknowledgement (`tcp_comp_sack_nr`).
    compressed_sacks: bool = True
    delayed_acks: bool = True  #: False: the receiver acknowledges every segment at once (`quickack` of the route)
