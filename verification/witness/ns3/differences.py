"""Comparison of mesonet with ns-3: one number of a set-up, over seeds."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from verification.witness.ns3.setups import QUANTITIES, SECONDS, WARMUP, SetUp

NAMES = {
    "utilisation": "utilisation",
    "delay_p50_ms": "delay p50 ms",
    "delay_p95_ms": "delay p95 ms",
    "queue_mean": "mean queue",
    "signal_rate": "signals %",
    "signals_per_s": "signals/s",
    "timeouts_per_signal": "timeouts/signal",
    "reductions_per_signal": "reductions/signal",
}
"""Compared numbers. A signal is a drop or a mark."""
BOUND = 0.05
"""Part of ns-3's mean by which mesonet may differ, besides chance."""

Numbers = dict[str, float]


@dataclass(frozen=True)
class Difference:
    """A number of a set-up in both simulators: the mean over seeds, and largest less smallest value."""

    setup: SetUp
    number: str
    ours: float
    theirs: float
    our_range: float
    their_range: float

    @property
    def resolution(self) -> float:
        """Differences up to this count as none.

        Delays: the service of a packet, the step in which they come. Queue: half of a packet. Others: chosen, small
        beside what a reader would notice.
        """
        return {
            "utilisation": 0.005,
            "delay_p50_ms": self.setup.service_ms,
            "delay_p95_ms": self.setup.service_ms,
            "queue_mean": 0.5,
            "signal_rate": 0.02,
            "signals_per_s": 0.2,
            "timeouts_per_signal": 0.01,
            "reductions_per_signal": 0.02,
        }[self.number]

    @property
    def allowed(self) -> float:
        """The distance of the means that counts as agreement: `BOUND`, a range over seeds or the resolution."""
        return max(BOUND * abs(self.theirs), self.our_range, self.their_range, self.resolution)

    @property
    def within(self) -> bool:
        """True if both agree."""
        return abs(self.ours - self.theirs) <= self.allowed + 1e-12


@dataclass(frozen=True)
class Cause:
    """Reason why numbers of set-ups differ."""

    because: str  #: the reason, and how it is known
    disciplines: tuple[str, ...]
    numbers: tuple[str, ...] = tuple(NAMES)  #: numbers that it covers
    #: `flows`, `rtts_ms`, `spread`: numbers of flows, round trips, and equal or unequal round trips that it covers.
    flows: tuple[int, ...] = (1, 4, 16)
    rtts_ms: tuple[int, ...] = (20, 100)
    spread: tuple[bool, ...] = (False, True)
    ecn: bool = False  #: True: it is about marks

    def covers(self, difference: Difference) -> bool:
        """Return True if the cause explains a difference."""
        setup = difference.setup
        return (
            setup.discipline in self.disciplines
            and setup.ecn == self.ecn
            and setup.flows in self.flows
            and setup.rtt_ms in self.rtts_ms
            and setup.spread in self.spread
            and difference.number in self.numbers
        )


def numbers(run: Mapping[str, float]) -> Numbers:
    """Return the compared numbers of a run, from its quantities."""
    signals = run["drops"] + run["marks"]
    return {
        "utilisation": run["utilisation"],
        "delay_p50_ms": run["delay_p50_ms"],
        "delay_p95_ms": run["delay_p95_ms"],
        "queue_mean": run["queue_mean"],
        "signal_rate": 100 * signals / (run["sent"] + run["drops"]),
        "signals_per_s": signals / (SECONDS - WARMUP),
        "timeouts_per_signal": run["timeouts"] / signals if signals else math.nan,
        "reductions_per_signal": run["reductions"] / signals if signals else math.nan,
    }


def read(path: Path) -> dict[SetUp, list[Numbers]]:
    """Return the compared numbers of the runs of a table, by set-up and seed."""
    found: dict[SetUp, list[Numbers]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            setup = SetUp(
                discipline=row["discipline"],
                mbps=int(row["mbps"]),
                rtt_ms=int(row["rtt_ms"]),
                flows=int(row["flows"]),
                spread=row["spread"] == "1",
                ecn=row["ecn"] == "1",
                variant=row["variant"],
            )
            run = {name: float(row[name]) for name in QUANTITIES}
            found.setdefault(setup, []).append(numbers(run))
    return found


def values(runs: Iterable[Numbers], number: str) -> list[float]:
    """Return a number of runs, without runs that have no value."""
    return [run[number] for run in runs if not math.isnan(run[number])]


def differences(ours: Mapping[SetUp, Sequence[Numbers]], theirs: Mapping[SetUp, Sequence[Numbers]]) -> list[Difference]:
    """Return the numbers of the set-ups that both have; numbers without a value are left out."""
    found = []
    for setup, runs in ours.items():
        for number in NAMES:
            our, their = values(runs, number), values(theirs[setup], number)
            if our and their:
                ranges = (max(our) - min(our), max(their) - min(their))
                found.append(Difference(setup, number, fmean(our), fmean(their), *ranges))
    return found
