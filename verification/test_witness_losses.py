"""Recovery from random losses and bursts beside ns-3, number by number: ``make verify``."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verification.witness.ns3 import losses, run_ns3
from verification.witness.ns3.setups import SEEDS

FOLDER = Path(__file__).parent / "witness" / "ns3"

COPIES = 0.02
"""Share of segments that arrive twice above which a run of ns-3 counts as defective."""
BUFFERED = 200
"""Segments behind holes in the receiver, which wait at the ends of the measured span: at most two windows of 100."""


def copies(run: dict[str, float]) -> float:
    """Return the share of the segments on the link that arrived and were no new data."""
    return (run["sent"] - run["lost"] - run["received"]) / run["sent"]


def is_explained(each: losses.Pair, runs: list[dict[str, float]]) -> bool:
    """Return True for a difference that LOSSES.md explains."""
    if each.setup.recovery != "newreno":
        return False
    # Bursts: ns-3 sends segments that arrived, in windows that are too large.
    if each.setup.bursts:
        return any(copies(run) > COPIES for run in runs)
    # Random losses: a loss right behind `recover` needs a timeout in mesonet. There is one such segment per reduction.
    more = each.ours - each.theirs
    return each.number == "timeouts" and 0 < more <= 3 * each.error + each.setup.rate


def test_recovery_agrees_or_has_a_named_cause() -> None:
    theirs = losses.read()
    every = losses.pairs()
    sys.stdout.write(losses.comparison(every))
    assert len(every) == len(losses.SETUPS) * len(losses.NAMES)
    assert all(len(theirs[setup.name]) == len(setup.seeds) for setup in losses.SETUPS)
    outside = [each for each in every if not each.within]
    assert not [each for each in outside if not is_explained(each, theirs[each.setup.name])]
    assert outside, "nothing differs any more: remove the causes"


def test_runs_of_ns3_are_sound_with_selective_acknowledgements() -> None:
    theirs = losses.read()
    for setup in losses.SETUPS:
        if setup.recovery == "sack" or not setup.bursts:
            assert all(abs(copies(run)) * run["sent"] <= BUFFERED for run in theirs[setup.name]), setup.name


def test_ns3_repeats_a_row_of_each_recovery(tmp_path: Path) -> None:
    if not shutil.which("g++"):
        pytest.skip("no g++")
    try:
        program = run_ns3.build(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("ns-3 is not installed")
    with losses.TABLE.open(newline="", encoding="utf-8") as file:
        rows = {row["arguments"]: row for row in csv.DictReader(file)}
    for setup in losses.SETUPS[:: len(losses.SETUPS) // 2]:
        arguments = setup.arguments(SEEDS[0])
        row = rows[" ".join(arguments)]
        assert losses.printed(program, arguments) == {name: row[name] for name in losses.QUANTITIES}
