"""The queue disciplines beside those of ns-3, number by number: ``make verify``."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verification.witness.ns3 import run_ns3, setups, side_by_side
from verification.witness.ns3.causes import CAUSES
from verification.witness.ns3.differences import NAMES, differences, read

FOLDER = Path(__file__).parent / "witness" / "ns3"

REPEATED = (
    setups.SetUp("codel", 10, 20, 4), setups.SetUp("fq_codel", 10, 20, 4, ecn=False, spread=True),
    setups.SetUp("pie", 10, 20, 4, ecn=True), setups.SetUp("red", 10, 20, 4, variant="wait"),
)  # fmt: skip
"""Rows that ns-3 makes again where it is installed."""
MOST_EXPLAINED = 55
"""Numbers that causes may cover, of 416."""


def test_every_number_agrees_or_has_a_named_cause() -> None:
    theirs = read(FOLDER / "runs.csv")
    every = differences(side_by_side.found(setups.compared()), theirs)
    sys.stdout.write(side_by_side.comparison(every))
    # Numbers per signal are missing where a discipline signals nothing; all others are there.
    assert len(every) >= len(setups.compared()) * (len(NAMES) - 2)
    outside = [each for each in every if not each.within]
    unexplained = [each for each in outside if not any(cause.covers(each) for cause in CAUSES)]
    assert not unexplained
    assert len(outside) <= MOST_EXPLAINED
    for cause in CAUSES:
        assert any(cause.covers(each) for each in outside), f"nothing differs any more: {cause.because}"


def test_ns3_repeats_its_rows(tmp_path: Path) -> None:
    if not shutil.which("g++"):
        pytest.skip("no g++")
    try:
        program = run_ns3.build(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("ns-3 is not installed")
    with (FOLDER / "runs.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["arguments"]: row for row in csv.DictReader(file)}
    for setup in REPEATED:
        arguments = setup.arguments(setups.SEEDS[0])
        printed = dict(line.split() for line in run_ns3.output(program, arguments).splitlines())
        assert printed == {name: rows[" ".join(arguments)][name] for name in printed}
