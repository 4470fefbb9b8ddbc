"""mesonet beside ns-2, number by number.

python -m verification.witness.way_back.beside_ns2   # prints the table of RESULTS.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import Any

import click

from verification.witness.way_back import way_back
from verification.witness.way_back.way_back import SECONDS, SEEDS, SETUPS, WARMUP, WayBack

NAMES = {
    "goodput": "goodput/s",
    "acks": "ACKs per segment",
    "acks_lost": "ACKs lost %",
    "loss": "loss %",
    "reductions": "reductions",
    "timeouts": "timeouts",
    "queue": "queue there",
    "acks_queue": "queue back",
}
"""Compared numbers. Reductions and timeouts are those of the measured span."""
BOUND = 0.1
"""Part of the other number by which mesonet may differ, besides chance."""
DEVIATIONS = 3
"""Standard errors of the difference of both means that count as chance."""
RESOLUTION = {"acks_lost": 1.0, "loss": 0.02, "reductions": 2.0, "timeouts": 2.0, "queue": 1.0, "acks_queue": 1.0}
"""Differences up to this count as none."""


@dataclass(frozen=True)
class Pair:
    """A number of a set-up in both simulators: means over seeds, and the standard error of the difference."""

    setup: WayBack
    number: str
    ours: float
    theirs: float
    error: float

    @property
    def within(self) -> bool:
        """True if both agree: within `BOUND`, within chance, or within the resolution."""
        allowed = max(BOUND * abs(self.theirs), DEVIATIONS * self.error, RESOLUTION.get(self.number, 0))
        return abs(self.ours - self.theirs) <= allowed


def numbers(run: Mapping[str, float]) -> dict[str, float]:
    """Return the compared numbers of a run."""
    acks = run["acks"] + run["acks_dropped"]
    return {
        "goodput": run["received"] / (SECONDS - WARMUP),
        "acks": acks / run["sent"],
        "acks_lost": 100 * run["acks_dropped"] / acks,
        "loss": 100 * run["drops"] / (run["sent"] + run["drops"]),
        "reductions": run["reductions"],
        "timeouts": run["timeouts"],
        "queue": run["queue"],
        "acks_queue": run["acks_queue"],
    }


@cache
def pairs() -> tuple[Pair, ...]:
    """Return all numbers of all set-ups, from runs of mesonet and the table of ns-2."""
    return tuple(pair for setup in SETUPS for pair in of_setup(setup))


def of_setup(setup: WayBack, **values: Any) -> list[Pair]:
    """Return all numbers of a set-up; values of mesonet by path come last."""
    rows = way_back.read()
    theirs = [numbers({name: float(rows[setup.name, seed][name]) for name in way_back.QUANTITIES}) for seed in SEEDS]
    ours = [numbers(way_back.mesonet(setup, seed, **values)) for seed in SEEDS]
    found = []
    for name in NAMES:
        sides = [[run[name] for run in runs] for runs in (ours, theirs)]
        error = sum(stdev(side) ** 2 / len(side) for side in sides) ** 0.5
        found.append(Pair(setup, name, fmean(sides[0]), fmean(sides[1]), error))
    return found


def comparison(every: Sequence[Pair]) -> str:
    """Return a table: a row per set-up, mesonet / ns-2; numbers outside of the bounds are bold."""
    lines = [f"| set-up | {' | '.join(NAMES.values())} |", "|---" * (1 + len(NAMES)) + "|"]
    for setup in SETUPS:
        cells = []
        for each in (pair for pair in every if pair.setup == setup):
            text = f"{each.ours:.3g} / {each.theirs:.3g}"
            cells.append(text if each.within else f"**{text}**")
        lines.append(f"| {setup.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    click.echo(comparison(pairs()), nl=False)
