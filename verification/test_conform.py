"""Slow checks of ``mesonet conform``: the baselines of the package, and their false alarms with other seeds."""

from __future__ import annotations

import pytest

from mesonet import core
from mesonet.conform.baseline import CHECKED, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.finding import FAIL, PASS

OTHER_SEEDS = (1001, 2001)


@pytest.mark.parametrize("name", core.algorithms())
def test_the_baseline_has_the_numbers_of_this_version(name: str) -> None:
    found = list(check_baseline(read_baseline(name), Bench(name)))
    changed = [f"{each.about.name}: {each.why}" for each in found if not each.why.endswith("numbers equal")]
    assert not changed, f"{changed}; if a change of results is intended: make baselines"


def test_other_seeds_hardly_ever_give_an_alarm() -> None:
    alarms, comparisons = [], 0
    for name in core.algorithms():
        for seed in OTHER_SEEDS:
            comparisons += 1
            found = list(check_baseline(read_baseline(name), Bench(name), range(seed, seed + CHECKED)))
            assert {each.verdict for each in found} <= {PASS, FAIL}
            failures = [f"{each.about.name}: {each.why}" for each in found if each.verdict == FAIL]
            alarms += [f"{name} {seed}: {failures}"] if failures else []
    # If numbers are normal, a comparison has an alarm with a probability of 1 %, and 32 have more than three with a
    # probability of 3e-4.
    assert comparisons == 32
    assert len(alarms) <= 3, alarms
