"""On-off flows beside ns-3, ns-2 and closed forms, number by number: ``make verify``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from verification.witness.ns3 import run_ns3
from verification.witness.on_off import closed_forms, compare, onoff, tools

FOLDER = Path(__file__).parent / "witness" / "on_off"

MOST_EXPLAINED = 8
"""Numbers that causes may cover, of some 180."""


def is_explained(each: compare.Pair) -> bool:
    """Return True for a difference that README.md explains; the explanation is checked by a run."""
    if each.number == "window" and each.setup.grows_if_limited:
        # RFC 7661, section 4.3: a window grows if the flow uses half of it. ns-2 wants all of it used.
        return replace(each, theirs=2 * each.theirs).within
    if each.number in ("loss", "reductions") and each.setup.law == "exponential":
        # What recovery sends: with conservative rate reduction all these numbers agree.
        return next(
            pair.within
            for pair in compare.of_setup(each.setup, **{"transport.prr": "crb"})
            if (pair.tool, pair.number) == (each.tool, each.number)
        )
    return False


def test_every_number_agrees_or_has_a_checked_cause() -> None:
    every = compare.pairs()
    sys.stdout.write(compare.comparison(every))
    sides = {(each.setup.name, each.tool) for each in every}
    assert {(setup.name, tool) for setup in onoff.SETUPS for tool in setup.tools} <= sides
    outside = [each for each in every if not each.within]
    assert not [each for each in outside if not is_explained(each)]
    assert 0 < len(outside) <= MOST_EXPLAINED


def test_closed_forms_agree_without_any_cause() -> None:
    """Loss and queue of one flow of datagrams, at a constant rate and on and off."""
    found = [each for each in compare.pairs() if each.tool == compare.FORM]
    assert (
        len({each.setup.name for each in found}) == sum(bool(closed_forms.numbers(each)) for each in onoff.SETUPS) > 4
    )
    assert not [each for each in found if not each.within]


def test_windows_restart_by_the_chosen_rule() -> None:
    """Windows of bursts after 4 s without data: as before, the initial window, or halved for each timeout."""
    windows = {
        each.setup.restart: each.ours
        for each in compare.pairs()
        if each.number == "window" and each.tool == "ns2" and each.setup.pps == 1e5 and not each.setup.grows_if_limited
    }
    assert set(windows) == {"keep", "rfc5681", "linux"}
    assert windows["rfc5681"] == 1 < windows["linux"] < 0.1 * windows["keep"]


def test_runs_of_the_table_are_those_of_the_set_ups() -> None:
    theirs = tools.read()
    for setup in onoff.SETUPS:
        for tool in setup.tools:
            assert len(theirs[tool, setup.name]) == len(tools.seeds(setup, tool))


@pytest.mark.parametrize("tool", onoff.TOOLS)
def test_a_tool_repeats_its_rows(tool: str, tmp_path: Path) -> None:
    program = Path()
    if not shutil.which({"ns3": "g++", "ns2": "ns"}[tool]):
        pytest.skip(f"{tool} is not installed")
    if tool == "ns3":
        try:
            program = run_ns3.build(tmp_path)
        except subprocess.CalledProcessError:
            pytest.skip("ns-3 is not installed")
    rows = run_ns3.finished(tools.TABLE)
    for setup in [setup for setup in onoff.SETUPS if tool in setup.tools][::4]:
        words = tools.arguments(setup, tool, onoff.SEEDS[0])
        row = rows[" ".join(words)]
        assert tools.printed(tool, program, words) == {name: row[name] for name in onoff.QUANTITIES}
