"""Long flows over a link that loses packets, in ns-3 and in mesonet.

python -m verification.witness.ns3.losses            # ns-3: writes losses.csv
python -m verification.witness.ns3.losses --compare  # mesonet beside the table
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import click

from mesonet.simulation.simulate import simulate
from verification.witness.ns3 import ours, run_ns3
from verification.witness.ns3.setups import SEEDS, SEGMENT_BYTES, SetUp

TABLE = Path(__file__).with_name("losses.csv")
SECONDS, WARMUP = 220, 20
MBPS, RTT_MS = 50, 100
BUFFER_SEGMENTS = 1000
"""Buffer of the sender in ns-3, which bounds what is outstanding. No window of a sound sender reaches it."""
LIMIT_S = 60
"""Longest run of ns-3, of wall-clock time; a usual one takes a second."""
RATES = (0.003, 0.01, 0.03)
BURST = 2
"""Mean number of packets in a burst."""
OUR_SEEDS = tuple(range(1, 31))
MANY_SEEDS = tuple(range(1, 18))
"""Of ns-3 where bursts are frequent: timeouts that double make the goodput of five runs a matter of chance."""
QUANTITIES = ("received", "sent", "lost", "reductions", "timeouts")
"""Of the measured span: segments that the application gets, packets on the link, packets that it loses, reductions
that are no timeouts, timeouts."""
NAMES = ("goodput", "reductions", "timeouts")
BOUND = 0.05
"""Part of ns-3's mean by which mesonet may differ, besides chance."""
DEVIATIONS = 3
"""Standard errors of the difference of both means that count as chance."""


@dataclass(frozen=True)
class Losses:
    """Losses of a link, and the recovery of the sender."""

    recovery: str  #: sack or newreno
    rate: float  #: share of the packets that the link loses
    #: True: losses come in bursts (Gilbert and Elliott), whose bad state loses all. False: independent losses.
    bursts: bool

    @property
    def name(self) -> str:
        """Recovery and losses in words."""
        return f"{self.recovery}, {self.rate:g} {f'in bursts of {BURST}' if self.bursts else 'at random'}"

    @property
    def to_good(self) -> float:
        """Probability that a packet ends the bad state."""
        return 1 / BURST if self.bursts else 1

    @property
    def to_bad(self) -> float:
        """Probability that a packet ends the good state: rate = to_bad / (to_bad + to_good)."""
        return round(self.to_good * self.rate / (1 - self.rate), 6) if self.bursts else 0

    @property
    def loss(self) -> float:
        """Probability of a loss in the good state."""
        return 0 if self.bursts else self.rate

    @property
    def seeds(self) -> Sequence[int]:
        """Seeds of ns-3."""
        return MANY_SEEDS if self.bursts and self.rate == max(RATES) else SEEDS

    def arguments(self, seed: int, **attributes: str) -> list[str]:
        """Return the arguments of the program of ns-3."""
        chosen = {
            "ns3::TcpSocket::SndBufSize": str(BUFFER_SEGMENTS * (SEGMENT_BYTES - 40)),
            "ns3::TcpSocketBase::Sack": str(self.recovery == "sack").lower(),
            # Without SACK the window of ns-3 grows beyond all bounds: LOSSES.md.
            "ns3::TcpSocketBase::LimitedTransmit": str(self.recovery == "sack").lower(),
            **attributes,
        }
        return [
            "tcp", "--discipline=drop_tail", f"--mbps={MBPS}", f"--rttMs={RTT_MS}", "--limit=10000",
            f"--seconds={SECONDS}", f"--warmup={WARMUP}", f"--seed={seed}", f"--loss={self.loss:g}",
            f"--toBad={self.to_bad:g}", f"--toGood={self.to_good:g}",
            *(f"--{name}={value}" for name, value in chosen.items()),
        ]  # fmt: skip

    def scenario(self, seed: int, **values: Any) -> Any:
        """Return the scenario of mesonet."""
        flow = {"from": "A", "to": "B", "interface": "1 Gbit/s", "algorithm": "tcp"}
        return ours.scenario(SetUp("drop_tail", MBPS, RTT_MS, 1), seed).with_values(
            {
                "flows": [flow],
                "network.buffer": "10000 segments",
                "transport.recovery": self.recovery,
                "transport.limited_transmit": self.recovery == "sack",
                "transport.undo": False,
                "impairments.at": [ours.PORT],
                "impairments.of": "data",
                "impairments.loss": self.loss,
                "impairments.to_bad": self.to_bad,
                "impairments.to_good": self.to_good,
                "measurement.interval": "1 s",
                "time.duration": f"{SECONDS} s",
                "time.warmup": f"{WARMUP} s",
                **values,
            }
        )


SETUPS = tuple(
    Losses(recovery, rate, bursts) for recovery in ("sack", "newreno") for bursts in (False, True) for rate in RATES
)


def mesonet(setup: Losses, seed: int, **values: Any) -> dict[str, float]:
    """Return the quantities of a run of mesonet."""
    result = simulate(setup.scenario(seed, **values), seed)
    series = result.series.to_polars()
    series = series.filter(series["time_s"] > WARMUP + 1e-9)
    columns = ("segments_leaving", "lost_on_links", "loss_events", "timeouts")
    received, lost, reductions, timeouts = (float(series[column].sum()) for column in columns)
    # Segments that arrive twice count twice, with fast retransmit none.
    return dict(zip(QUANTITIES, (received, received + lost, lost, reductions, timeouts), strict=True))


def read() -> dict[str, list[dict[str, float]]]:
    """Return the runs of ns-3 by the name of their set-up."""
    found: dict[str, list[dict[str, float]]] = {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["setup"], []).append({name: float(row[name]) for name in QUANTITIES})
    return found


def rates(run: Mapping[str, float]) -> dict[str, float]:
    """Return the compared numbers: goodput in Mbit/s, reductions and timeouts for each lost packet."""
    return {
        "goodput": run["received"] * 8 * SEGMENT_BYTES / (1e6 * (SECONDS - WARMUP)),
        "reductions": run["reductions"] / run["lost"],
        "timeouts": run["timeouts"] / run["lost"],
    }


@dataclass(frozen=True)
class Pair:
    """A number of a set-up in both simulators: means over seeds, and the standard error of their difference."""

    setup: Losses
    number: str
    ours: float
    theirs: float
    error: float

    @property
    def within(self) -> bool:
        """True if both agree: within `BOUND` of ns-3 or within chance."""
        allowed = max(BOUND * self.theirs, DEVIATIONS * self.error)
        return abs(self.ours - self.theirs) <= allowed


def pairs() -> list[Pair]:
    """Return all numbers of all set-ups, from runs of mesonet and the table of ns-3."""
    theirs = read()
    found = []
    for setup in SETUPS:
        counts = [[mesonet(setup, seed) for seed in OUR_SEEDS], theirs[setup.name]]
        # One timeout more or less is chance even where no run has one.
        least = [1 / sum(run["lost"] for run in runs) for runs in counts]
        for number in NAMES:
            sides = [[rates(run)[number] for run in runs] for runs in counts]
            errors = [stdev(side) / len(side) ** 0.5 for side in sides]
            if number == "timeouts":
                errors = [max(pair) for pair in zip(errors, least, strict=True)]
            error = sum(each**2 for each in errors) ** 0.5
            found.append(Pair(setup, number, fmean(sides[0]), fmean(sides[1]), error))
    return found


def comparison(every: Sequence[Pair]) -> str:
    """Return the table of both simulators; numbers outside of the bounds are bold."""
    lines = ["| set-up | goodput, Mbit/s | reductions per loss | timeouts per loss |", "|---|---|---|---|"]
    for setup in SETUPS:
        own = [each for each in every if each.setup == setup]
        texts = (f"{each.ours:.3f} / {each.theirs:.3f}" for each in own)
        cells = (text if each.within else f"**{text}**" for text, each in zip(texts, own, strict=True))
        lines.append(f"| {setup.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def printed(program: Path, arguments: list[str]) -> dict[str, str]:
    """Return the quantities that a run of ns-3 prints."""
    words = dict(line.split() for line in run_ns3.output(program, arguments, limit_s=LIMIT_S).splitlines())
    return {name: words[name] for name in QUANTITIES}


def write() -> None:
    """Run all set-ups in ns-3."""
    with tempfile.TemporaryDirectory() as folder, TABLE.open("w", newline="", encoding="utf-8") as file:
        program = run_ns3.build(Path(folder))
        writer = csv.DictWriter(file, ("setup", "seed", *QUANTITIES, "arguments"), lineterminator="\n")
        writer.writeheader()
        for setup in SETUPS:
            for seed in setup.seeds:
                arguments = setup.arguments(seed)
                row = {"setup": setup.name, "seed": seed, "arguments": " ".join(arguments)}
                writer.writerow(row | printed(program, arguments))
                file.flush()
            click.echo(setup.name)


def main() -> None:
    parser = argparse.ArgumentParser(description="Long flows over a link that loses packets.")
    parser.add_argument("--compare", action="store_true", help="run mesonet beside the table of ns-3")
    if parser.parse_args().compare:
        click.echo(comparison(pairs()), nl=False)
    else:
        write()


if __name__ == "__main__":
    main()
