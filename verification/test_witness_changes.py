"""Paths that change beside a real kernel, row by row: ``make verify``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from mesonet.kernel.packets import SAMPLE_S
from mesonet.kernel.replays import Row
from verification.witness.kernel.runs import reference
from verification.witness.kernel.scenarios import changing
from verification.witness.kernel.table import OUTSIDE, mark, read

FILE = Path(__file__).parent / "witness" / "kernel" / "linux-6.18-changes.csv"
LEAST_RUNS = 5
JIFFY_S = 1 / 250
"""CONFIG_HZ of the kernel of the table."""
WHEEL_S = 8 * JIFFY_S
"""Timers of 64 to 511 jiffies expire in steps of 8 jiffies and never early (Linux, kernel/time/timer.c)."""
FIRST = "first delivery after the outage s"
TIMERS = 3
"""Timeouts until the first segment after the outage: 0.28, 0.56 and 1.13 s, all between 64 and 511 jiffies."""


@dataclass(frozen=True)
class Compared:
    """A quantity of a scenario in mesonet and in the kernel."""

    scenario: str
    quantity: str
    ours: Row
    theirs: Row

    @property
    def place(self) -> str:
        """inside, within 10 % or outside."""
        return mark(self.quantity, self.ours.mean, self.theirs)

    @property
    def is_timer(self) -> bool:
        """True if timers that the kernel rounds up explain the difference: it delivers later, by no more than that."""
        later = self.theirs.mean - self.ours.mean
        return self.quantity == FIRST and 0 < later <= TIMERS * (WHEEL_S + JIFFY_S) + SAMPLE_S


def compared() -> list[Compared]:
    """Return every row of the table beside mesonet with the preset linux."""
    return [Compared(*key, reference(key[0])[key[1]], row) for key, row in read(FILE).items()]


def test_every_row_agrees_with_the_kernel_or_is_a_timer() -> None:
    every = compared()
    for each in every:
        ours, theirs = (f"{r.mean:.5g} ({r.least:.5g} to {r.most:.5g})" for r in (each.ours, each.theirs))
        sys.stdout.write(f"{each.scenario:<22} {each.quantity:<36} {ours:<32} {theirs:<32} {each.place}\n")
    assert {each.scenario for each in every} == {scenario.name for scenario in changing()}
    assert all(each.theirs.runs >= LEAST_RUNS for each in every)
    outside = [each for each in every if each.place == OUTSIDE]
    assert not [each for each in outside if not each.is_timer]
    assert outside, "nothing differs any more: remove the cause"


def test_the_change_is_in_the_rows() -> None:
    """Without the change of rate, or without the outage, the rows would not agree."""
    rows = read(FILE)
    for algorithm in ("reno", "cubic", "bbr"):
        assert rows[f"{algorithm} 20 5 20 Mb/s", "goodput 10 to 20 s Mb/s"].most < 5.1
        assert rows[f"{algorithm} outage 2 s", "timeouts"].least >= 3
