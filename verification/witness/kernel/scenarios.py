"""The scenarios that the kernel and mesonet run: 20 Mb/s, a round trip of 40 ms, segments of 1500 bytes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from mesonet.kernel.setups import NONE, Bottleneck, Setup, constant
from mesonet.units import SEGMENT_BYTES

RATE_MBPS = 20.0
SERVICE_S = SEGMENT_BYTES * 8 / (RATE_MBPS * 1e6)
PROPAGATION_S = 0.02
"""One way."""
START_S = 3.0
"""Length of the start of a run, in which drops are counted apart."""

SINGLE = ("reno", "cubic", "bbr")
PAIRS = (("cubic", "cubic"), ("reno", "cubic"), ("bbr", "cubic"), ("bbr", "bbr"))
"""The newcomer, and the flow that was there."""
PLACES = (33, 67, 133, 267)
"""0.5, 1, 2 and 4 times the product of bandwidth and delay, 66.7 segments."""
SIZES = (10, 100, 1000)
LOSSES = (0.001, 0.01)
FLOORS_S = {"": 1.0, " floor 200 ms": 0.2}


@dataclass(frozen=True)
class KernelScenario:
    """Experiment on a single queue."""

    name: str
    algorithms: tuple[str, ...]  #: algorithms of the flows, by their start
    places: int  #: most segments that wait in the queue, without the one in service
    duration_s: float  #: `duration_s`, `span_s`: length of the run, and its measured span, s
    span_s: tuple[float, float]
    starts_s: tuple[float, ...] = (0.0,)  #: start of each flow, s
    segments: int | None = None  #: size of a transfer; None for flows without an end
    loss: float = 0.0  #: probability that a segment is lost at random
    floor_s: float = 1.0  #: smallest retransmission timeout (`rto_min` of the route), s
    gso_segments: int | None = 1  #: most segments that the kernel sends in one piece; None for the kernel's own choice
    #: Flows, from 0, that the kernel paces, although their algorithm sets no rate (`SO_MAX_PACING_RATE`).
    paced: frozenset[int] = frozenset()
    #: True: the receiver may answer several segments behind a gap with one acknowledgement (`tcp_comp_sack_nr`).
    compressed_sacks: bool = True
    delayed_acks: bool = True  #: False: the receiver acknowledges every segment at once (`quickack` of the route)
    rate_mbps: float = RATE_MBPS  #: `rate_mbps`, `rtt_s`: rate of the queue, Mb/s, and round trip without it, s
    rtt_s: float = 2 * PROPAGATION_S
    changes: tuple[tuple[float, float], ...] = ()  #: instants, s, with the rate of the queue from then on, Mb/s
    #: Beginning and length of an outage, in which all packets that leave the queue are lost, s; None without.
    outage_s: tuple[float, float] | None = None
    #: Spans of a path that changes, s, for each of which goodput and round trip are measured.
    spans_s: tuple[tuple[float, float], ...] = ()

    @property
    def service_s(self) -> float:
        """Time that a full segment takes at the rate of the queue."""
        return SEGMENT_BYTES * 8 / (self.rate_mbps * 1e6)

    @property
    def setup(self) -> Setup:
        """Set-up of the kernel."""
        rates = ((0.0, self.rate_mbps), *self.changes)
        start, length = self.outage_s or (0.0, 0.0)
        path = Bottleneck(
            rate=tuple((at, mbps * 1e6 / (8 * SEGMENT_BYTES)) for at, mbps in rates),
            places=constant(self.places),
            forth_s=constant(self.rtt_s / 2),
            back_s=constant(self.rtt_s / 2),
            loss=constant(self.loss),
            outage=((0.0, 0.0), (start, 1.0), (start + length, 0.0)) if self.outage_s else NONE,
        )
        return Setup(
            algorithms=self.algorithms,
            starts_s=self.starts_s,
            duration_s=self.duration_s,
            bottleneck=path,
            segments=self.segments,
            floor_s=self.floor_s,
            gso_segments=self.gso_segments,
            paced=self.paced,
            compressed_sacks=self.compressed_sacks,
            delayed_acks=self.delayed_acks,
        )

    def rate_at(self, time_s: float) -> float:
        """Return the rate of the queue at an instant. The rate, Mb/s."""
        return [self.rate_mbps, *(rate for at, rate in self.changes if at <= time_s)][-1]


def single(algorithm: str, places: int, suffix: str = "", gso_segments: int | None = 1) -> KernelScenario:
    """Return a flow alone for 20 s, measured from 3 s on.

    `suffix`: a key of `FLOORS_S`, which becomes part of the name.
    """
    name = f"{algorithm} buffer {places}{suffix}{'' if gso_segments else ' gso'}"
    floor = FLOORS_S[suffix]
    return KernelScenario(name, (algorithm,), places, 20.0, (START_S, 20.0), floor_s=floor, gso_segments=gso_segments)


def pair(newcomer: str, first: str, places: int, suffix: str = "", gso_segments: int | None = 1) -> KernelScenario:
    """Return two flows for 45 s, the newcomer from 5 s on, measured from 10 s on.

    `suffix`: a key of `FLOORS_S`, which becomes part of the name.
    """
    name = f"{newcomer}+{first} buffer {places}{suffix}{'' if gso_segments else ' gso'}"
    span, starts = (10.0, 45.0), (0.0, 5.0)
    floor = FLOORS_S[suffix]
    return KernelScenario(
        name=name,
        algorithms=(first, newcomer),
        places=places,
        duration_s=45.0,
        span_s=span,
        starts_s=starts,
        floor_s=floor,
        gso_segments=gso_segments,
    )


def with_every(kind: Literal["ack", "sack"], scenario: KernelScenario) -> KernelScenario:
    """Return a scenario in which the receiver acknowledges every segment.

    `kind`: ``ack``: segments in order, too; ``sack``: segments behind a gap.
    """
    return replace(
        scenario,
        name=f"{scenario.name} every {kind}",
        delayed_acks=scenario.delayed_acks and kind != "ack",
        compressed_sacks=scenario.compressed_sacks and kind != "sack",
    )


def short(algorithm: str, segments: int) -> KernelScenario:
    """Return a transfer that ends, in a queue of 1 BDP."""
    return KernelScenario(f"{algorithm} {segments} segments", (algorithm,), 67, 4.0, (0.0, 4.0), segments=segments)


def lossy(algorithm: str, loss: float) -> KernelScenario:
    """Return a flow with random loss for 15 s, in a queue of 4 BDP. `loss`: probability of a loss, 0 to 1."""
    return KernelScenario(f"{algorithm} loss {100 * loss:g} %", (algorithm,), 267, 15.0, (0.0, 15.0), loss=loss)


def steps(algorithm: str) -> KernelScenario:
    """Return a flow through a queue of 1 BDP whose rate falls to a quarter after 10 s and rises again after 20 s."""
    return KernelScenario(
        f"{algorithm} 20 5 20 Mb/s",
        (algorithm,),
        67,
        30.0,
        (START_S, 30.0),
        floor_s=0.2,
        changes=((10.0, RATE_MBPS / 4), (20.0, RATE_MBPS)),
        spans_s=((START_S, 10.0), (10.0, 20.0), (20.0, 22.0), (22.0, 30.0)),
    )


def black_hole(algorithm: str) -> KernelScenario:
    """Return a flow through a queue of 1 BDP that loses all data for 2 s after 8 s."""
    return KernelScenario(
        f"{algorithm} outage 2 s",
        (algorithm,),
        67,
        18.0,
        (START_S, 18.0),
        floor_s=0.2,
        outage_s=(8.0, 2.0),
        spans_s=((START_S, 8.0), (10.0, 12.0), (12.0, 18.0)),
    )


def changing() -> list[KernelScenario]:
    """Return the scenarios in which the path changes."""
    return [make(algorithm) for make in (steps, black_hole) for algorithm in SINGLE]


def every() -> list[KernelScenario]:
    """Return the full set."""
    found = [single(algorithm, places, suffix) for suffix in FLOORS_S for algorithm in SINGLE for places in PLACES]
    found += [pair(*algorithms, places) for algorithms in PAIRS for places in PLACES]
    found += [pair("bbr", "cubic", places, " floor 200 ms") for places in PLACES]
    found += [single("bbr", places, gso_segments=None) for places in PLACES]
    found += [pair("bbr", "cubic", places, gso_segments=None) for places in PLACES]
    found += [with_every("sack", pair("bbr", "cubic", places)) for places in PLACES]
    found += [short(algorithm, segments) for algorithm in SINGLE for segments in SIZES]
    found += [lossy(algorithm, loss) for algorithm in SINGLE for loss in LOSSES]
    found += [with_every("ack", single(algorithm, places)) for algorithm in ("reno", "cubic") for places in PLACES]
    return found
