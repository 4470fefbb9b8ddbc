"""Acknowledgements over a narrow way back beside ns-2, number by number: ``make verify``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from verification.witness.way_back import beside_ns2, way_back

FOLDER = Path(__file__).parent / "witness" / "way_back"

MOST_EXPLAINED = 3
"""Numbers of SACK that may differ because its acknowledgements have one size here, of 72."""


def test_every_number_of_newreno_agrees() -> None:
    every = beside_ns2.pairs()
    sys.stdout.write(beside_ns2.comparison(every))
    newreno = [each for each in every if each.setup.recovery == "newreno"]
    assert len(newreno) == 192
    assert not [each for each in newreno if not each.within]


def test_sack_agrees_where_blocks_do_not_fill_the_way_back() -> None:
    outside = [each for each in beside_ns2.pairs() if each.setup.recovery == "sack" and not each.within]
    assert len(outside) <= MOST_EXPLAINED
    assert all(each.setup.acks == 700 and each.setup.delayed for each in outside)


def test_other_receivers_do_not_agree() -> None:
    """The control: without delayed acknowledgements numbers differ from those of ns-2 with them."""
    setup = way_back.WayBack(4, 700, True, "newreno")
    outside = {
        each.number for each in beside_ns2.of_setup(setup, **{"transport.delayed_acks": False}) if not each.within
    }
    assert {"acks", "acks_lost", "acks_queue"} < outside


def test_ns2_repeats_its_rows() -> None:
    rows = way_back.read()
    assert len(rows) == len(way_back.SETUPS) * len(way_back.SEEDS)
    if not shutil.which("ns"):
        pytest.skip("ns-2 is not installed")
    for setup in way_back.SETUPS[::8]:
        row = rows[setup.name, way_back.SEEDS[0]]
        assert way_back.ns2(setup, way_back.SEEDS[0]) == {name: row[name] for name in way_back.QUANTITIES}
