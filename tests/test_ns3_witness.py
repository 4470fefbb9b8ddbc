"""The arithmetic of the ns-3 witness; its comparison is part of ``make verify``."""

from __future__ import annotations

from pathlib import Path

import pytest

from verification.witness.ns3 import differences, setups
from verification.witness.ns3.causes import CAUSES

FOLDER = Path(__file__).parents[1] / "verification" / "witness" / "ns3"

CODEL = setups.SetUp("codel", 10, 20, 4)
RUN = dict(zip(setups.QUANTITIES, (0.9, 6, 5, 12, 8, 30_000, 600, 0, 6, 450), strict=True))


def difference(number: str, ours: float, theirs: float, spread: float = 0.0) -> differences.Difference:
    """A number of both, with a range over the seeds of ns-3."""
    return differences.Difference(CODEL, number, ours, theirs, 0.0, spread)


def test_numbers_of_a_run() -> None:
    found = differences.numbers(RUN)
    assert found["signal_rate"] == pytest.approx(100 * 600 / 30_600)
    assert found["signals_per_s"] == pytest.approx(600 / 40)
    assert (found["timeouts_per_signal"], found["reductions_per_signal"]) == pytest.approx((0.01, 0.75))


@pytest.mark.parametrize(
    ("number", "ours", "theirs", "spread", "within"),
    [
        ("utilisation", 0.52, 0.5, 0.0, True),  # 4 %
        ("utilisation", 0.53, 0.5, 0.0, False),
        ("utilisation", 0.53, 0.5, 0.04, True),  # the range over seeds
        ("delay_p50_ms", 1.2, 0.0, 0.0, True),  # a service time
        ("delay_p50_ms", 1.3, 0.0, 0.0, False),
        ("timeouts_per_signal", 0.009, 0.0, 0.0, True),
        ("timeouts_per_signal", 0.011, 0.0, 0.0, False),
    ],
)
def test_what_counts_as_agreement(number: str, ours: float, theirs: float, spread: float, within: bool) -> None:
    assert difference(number, ours, theirs, spread).within is within


def test_drop_tail_has_no_cause() -> None:
    """The control must agree without excuse, or differences of disciplines mean nothing."""
    controls = [setup for setup in setups.compared() if setup.discipline == "drop_tail"]
    assert len(controls) == len(setups.CONTROLS) + len(setups.SPREAD)
    for setup in controls:
        for number in differences.NAMES:
            anything = differences.Difference(setup, number, 0.0, 100.0, 0.0, 0.0)
            assert not anything.within
            assert not any(cause.covers(anything) for cause in CAUSES)


def test_starts_and_commands_repeat_and_differ_between_seeds() -> None:
    commands = {" ".join(setup.arguments(seed)) for setup in setups.compared() for seed in setups.SEEDS}
    assert len(commands) == len(setups.compared()) * len(setups.SEEDS)
    assert CODEL.starts(1) == CODEL.starts(1) != CODEL.starts(2)
    assert all(0 <= start <= 1 for start in CODEL.starts(3))


def test_the_table_has_every_run_of_the_set_ups() -> None:
    found = differences.read(FOLDER / "runs.csv")
    assert list(found) == [*setups.compared(), *setups.varied()]
    assert {len(runs) for runs in found.values()} == {len(setups.SEEDS)}
