"""Set-ups that ns-3 and mesonet run: one bottleneck, long flows of standard TCP, a queue discipline."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

SEEDS = (1, 2, 3, 4, 5)
SECONDS, WARMUP = 60, 20
SEGMENT_BYTES = 1500
PLACES = 10_000
"""Packets that may wait where a discipline keeps queues short: more than any run has."""

KEYS = ("discipline", "mbps", "rtt_ms", "flows", "spread", "ecn", "variant")
QUANTITIES = (
    "utilisation", "delay_mean_ms", "delay_p50_ms", "delay_p95_ms", "queue_mean", "sent", "drops", "marks", "timeouts",
    "reductions",
)  # fmt: skip
"""Numbers of a run, after the warm-up. Delays: from the arrival to the first bit on the wire, of packets that leave.
``queue_mean``: packets that wait or are in service, every 10 ms. ``reductions``: of windows, without timeouts."""

CONDITIONS = (
    (10, 20, 1), (10, 20, 4), (10, 20, 16), (10, 100, 1), (10, 100, 4), (10, 100, 16),
    (50, 20, 16), (50, 100, 4),
)  # fmt: skip
"""Mbit/s, round trip in ms without queues, flows."""
DISCIPLINES = ("codel", "fq_codel", "pie", "red")
ALL = ("drop_tail", *DISCIPLINES)
CONTROLS = ((10, 20, 4), (10, 100, 1), (10, 100, 16), (50, 100, 4))
"""Conditions of drop-tail, with a buffer of a bandwidth-delay product."""
MARKED = ((10, 20, 4), (10, 100, 4), (10, 100, 16))
"""Conditions with marks, for CoDel and PIE."""
SPREAD = ((10, 20, 4), (10, 100, 16))
"""Conditions whose flows have unequal round trips, for all disciplines."""
VARIED = ((10, 20, 1), (10, 20, 4), (10, 100, 4))
"""Conditions of variants of ns-3."""


@dataclass(frozen=True)
class Variant:
    """One change of the set-up of ns-3 alone."""

    arguments: tuple[str, ...]  #: arguments of the program
    meaning: str  #: what they change
    disciplines: tuple[str, ...] = DISCIPLINES  #: disciplines whose runs show it
    ecn: bool = False  #: True: it matters with marks, and runs in the conditions `MARKED`


VARIANTS = {
    "device": Variant(("--device=1",), "a packet waits in the device behind the queue disc, as in ns-3 by default"),
    "pipe": Variant(("--reduceFrom=pipe",), "reductions start from the pipe, as in ns-3 by default"),
    "thresholds": Variant(
        ("--ns3::RedQueueDisc::MinTh=4", "--ns3::RedQueueDisc::MaxTh=14"),
        "thresholds one lower: as if the packet in service counted",
        ("red",),
    ),
    "wait": Variant(("--ns3::RedQueueDisc::Wait=true",), "signals wait, as in ns-3 by default and in ns-2", ("red",)),
    "rate": Variant(
        ("--ns3::PieQueueDisc::UseDequeueRateEstimator=true",),
        "delay by the bytes that wait over an estimate of the rate, instead of the time that the last packet waited",
        ("pie",),
    ),
    "burst": Variant(
        ("--ns3::PieQueueDisc::MaxBurstAllowance=15ms",),
        "a burst of 15 ms passes, as in ns-3 by default",
        ("pie",),
    ),
    "growth": Variant(
        ("--growAfterMark=1",),
        "windows grow in the round trip after a mark, too",
        ("codel", "pie"),
        ecn=True,
    ),
    "bytes": Variant(
        ("--ns3::CoDelQueueDisc::MinBytes=1500",),
        "a drop needs 1500 bytes in the queue instead of 1501, as in ns-3 by default",
        ("codel",),
    ),
}


@dataclass(frozen=True)
class SetUp:
    """A condition with a discipline."""

    discipline: str  #: name of the discipline in mesonet
    mbps: int  #: `mbps`, `rtt_ms`, `flows`: rate of the bottleneck, round trip without queues, number of flows
    rtt_ms: int
    flows: int
    #: True: round trips differ, up to half more. Equal flows in turn fall into a pattern that the start decides.
    spread: bool = False
    ecn: bool = False  #: True: marks instead of drops
    variant: str = ""  #: a key of `VARIANTS`, or empty

    @property
    def places(self) -> int:
        """Packets that may wait, without the packet in service."""
        product = self.mbps * 1e6 * self.rtt_ms / 1e3 / (8 * SEGMENT_BYTES)
        return round(product) if self.discipline == "drop_tail" else PLACES

    @property
    def service_ms(self) -> float:
        """Time that a packet takes at the bottleneck."""
        return 8 * SEGMENT_BYTES / (self.mbps * 1e3)

    @property
    def key(self) -> tuple[str | int, ...]:
        """Columns of a table that name the set-up: `KEYS`."""
        return (
            self.discipline,
            self.mbps,
            self.rtt_ms,
            self.flows,
            int(self.spread),
            int(self.ecn),
            self.variant,
        )

    @property
    def name(self) -> str:
        """Discipline and condition in words."""
        marks = " marks" if self.ecn else ""
        flows = f"{self.flows} flow{'s' if self.flows > 1 else ''}"
        longest = f" to {self.rtt_ms * 3 // 2}" if self.spread else ""
        return f"{self.discipline}{marks}, {self.mbps} Mbit/s, {self.rtt_ms}{longest} ms, {flows}"

    def starts(self, seed: int) -> list[float]:
        """Return the starts of the flows: uniform in the first second, equal in both simulators."""
        draw = random.Random(1000 * seed + self.flows)
        return [round(draw.random(), 3) for _ in range(self.flows)]

    @property
    def extra_ms(self) -> list[float]:
        """What the round trip of each flow is longer."""
        return [self.rtt_ms * flow / (2 * self.flows) if self.spread else 0.0 for flow in range(self.flows)]

    def arguments(self, seed: int) -> list[str]:
        """Return the arguments of the program of ns-3."""
        changed: Sequence[str] = VARIANTS[self.variant].arguments if self.variant else ()
        return [
            "tcp",
            f"--discipline={self.discipline}",
            f"--mbps={self.mbps}",
            f"--rttMs={self.rtt_ms}",
            f"--starts={','.join(f'{start:g}' for start in self.starts(seed))}",
            f"--limit={self.places}",
            f"--ecn={int(self.ecn)}",
            f"--seconds={SECONDS}",
            f"--warmup={WARMUP}",
            f"--seed={seed}",
            *([f"--extraMs={','.join(f'{extra:g}' for extra in self.extra_ms)}"] if self.spread else []),
            *changed,
        ]


def compared() -> list[SetUp]:
    """Return the set-ups that both simulators run."""
    found = [SetUp("drop_tail", *condition) for condition in CONTROLS]
    found += [SetUp(discipline, *condition) for discipline in DISCIPLINES for condition in CONDITIONS]
    found += [SetUp(discipline, *condition, spread=True) for discipline in ALL for condition in SPREAD]
    found += [SetUp(discipline, *condition, ecn=True) for discipline in ("codel", "pie") for condition in MARKED]
    return found


def varied() -> list[SetUp]:
    """Return the variants, which only ns-3 runs."""
    return [
        SetUp(discipline, *condition, ecn=variant.ecn, variant=name)
        for name, variant in VARIANTS.items()
        for discipline in variant.disciplines
        for condition in (MARKED if variant.ecn else VARIED)
    ]
