"""Slow checks of ``mesonet conform``: defects that the contract finds, the baselines, and their false alarms."""

from __future__ import annotations

import pytest

from mesonet import core
from mesonet.conform.baseline import CHECKED, check_baseline, read_baseline
from mesonet.conform.bench import Bench
from mesonet.conform.finding import FAIL, PASS
from verification.conform_power import PAGE, contract_row
from verification.defects import DEFECTS, UNSEEN

OTHER_SEEDS = (1001, 2001)


@pytest.mark.parametrize("defect", [*DEFECTS, *UNSEEN])
def test_the_contract_finds_the_defect_as_the_page_shows(defect: str) -> None:
    row = contract_row(defect)
    assert ("| x |" in row) == (defect in DEFECTS)
    assert row in PAGE.read_text(encoding="utf-8").splitlines(), "python -m verification.conform_power contract"


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
