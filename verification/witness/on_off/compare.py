"""mesonet beside ns-3, ns-2 and closed forms, number by number.

python -m verification.witness.on_off.compare   # prints the tables of RESULTS.md
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev
from typing import Any

import click

from verification.witness.on_off import closed_forms, tools
from verification.witness.on_off.onoff import OUR_SEEDS, SECONDS, SETUPS, WARMUP, OnOff, mesonet

NAMES = {
    "offered": "offered/s",
    "on": "share on",
    "delivered": "delivered/s",
    "loss": "loss %",
    "queue_mean": "mean queue",
    "queue_p95": "queue p95",
    "reductions": "reductions/loss",
    "timeouts": "timeouts/loss",
    "window": "window",
}
"""Compared numbers."""
FORM = "closed form"
BOUND = 0.1
"""Part of the other number by which mesonet may differ, besides chance."""
DEVIATIONS = 3
"""Standard errors of the difference of both means that count as chance."""
RESOLUTION = {"queue_mean": 0.5, "queue_p95": 1.0, "loss": 0.02, "reductions": 0.02, "timeouts": 0.01, "window": 1.0}
"""Differences up to this count as none: half a segment, a segment, and as of the queue disciplines (../ns3)."""
FEWEST = 20
"""Losses of all runs from which numbers per loss are compared."""


@dataclass(frozen=True)
class Pair:
    """A number of a set-up in mesonet and another tool: means over runs, and the standard error of their difference."""

    setup: OnOff
    tool: str
    number: str
    ours: float
    theirs: float
    error: float

    @property
    def within(self) -> bool:
        """True if both agree: within `BOUND`, within chance, or within the resolution."""
        allowed = max(BOUND * abs(self.theirs), DEVIATIONS * self.error, RESOLUTION.get(self.number, 0))
        return abs(self.ours - self.theirs) <= allowed + 1e-12


def _numbers(setup: OnOff, runs: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """Return the compared numbers of runs: mean and standard error. Numbers that the runs do not have are left out.

    Numbers per loss are ratios of sums; their error is that of a ratio estimator.
    """
    span = SECONDS - WARMUP
    found = {}

    def add(name: str, values: Sequence[float]) -> None:
        found[name] = (fmean(values), stdev(values) / len(values) ** 0.5)

    def ratio(name: str, above: str, below: Sequence[str], factor: float = 1) -> None:
        tops = [run[above] for run in runs]
        bases = [sum(run[each] for each in below) for run in runs]
        value = sum(tops) / sum(bases)
        rest = [top - value * base for top, base in zip(tops, bases, strict=True)]
        error = stdev(rest) / (len(runs) ** 0.5 * fmean(bases))
        # One event more or less is chance even where no run has one.
        found[name] = (factor * value, factor * max(error, 1 / sum(bases)))

    if "offered" in runs[0]:
        add("offered", [run["offered"] / span for run in runs])
        add("on", [run["offered"] / (span * setup.flows * setup.pps) for run in runs])
    add("delivered", [run["received"] / span for run in runs])
    for name in ("queue_mean", "queue_p95"):
        add(name, [run[name] for run in runs])
    ratio("loss", "drops", ("sent", "drops"), 100)
    if setup.transport == "tcp" and sum(run["drops"] for run in runs) >= FEWEST:
        ratio("reductions", "reductions", ("drops",))
        ratio("timeouts", "timeouts", ("drops",))
    if setup.has_windows:
        add("window", [run["window"] for run in runs])
    return found


@cache
def pairs() -> tuple[Pair, ...]:
    """Return all numbers of all set-ups, from runs of mesonet, the table of both tools and closed forms."""
    return tuple(pair for setup in SETUPS for pair in of_setup(setup))


def of_setup(setup: OnOff, **values: Any) -> list[Pair]:
    """Return all numbers of a set-up; values of mesonet by path come last."""
    theirs = tools.read()
    ours = _numbers(setup, [mesonet(setup, seed, **values) for seed in OUR_SEEDS])
    sides = {tool: _numbers(setup, theirs[tool, setup.name]) for tool in setup.tools}
    sides[FORM] = {name: (value, 0.0) for name, value in closed_forms.numbers(setup).items()}
    found = []
    for tool, numbers in sides.items():
        for name in NAMES:
            if name in ours and name in numbers:
                error = (ours[name][1] ** 2 + numbers[name][1] ** 2) ** 0.5
                found.append(
                    Pair(setup=setup, tool=tool, number=name, ours=ours[name][0], theirs=numbers[name][0], error=error)
                )
    return found


def comparison(every: Sequence[Pair]) -> str:
    """Return a table: a row per set-up and tool, mesonet / other; numbers outside of the bounds are bold."""
    lines = [f"| | set-up | beside | {' | '.join(NAMES.values())} |", "|---" * (3 + len(NAMES)) + "|"]
    for place, setup in enumerate(SETUPS, start=1):
        text = setup.name
        for tool in (*setup.tools, FORM):
            own = {each.number: each for each in every if each.setup == setup and each.tool == tool}
            if own:
                cells = (_cell(own[name]) if name in own else "" for name in NAMES)
                lines.append(f"| {place} | {text} | {tool} | {' | '.join(cells)} |")
                text = ""
    return "\n".join(lines) + "\n"


def _cell(each: Pair) -> str:
    text = f"{each.ours:.4g} / {each.theirs:.4g}"
    return text if each.within else f"**{text}**"


if __name__ == "__main__":
    click.echo(comparison(pairs()), nl=False)
