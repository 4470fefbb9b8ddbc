"""Campaigns that run until they are decided, on real runs: rates, mirrors, equal scenarios, harm, durations.

A small experiment runs with three algorithms and twelve replicates of 10 s: about ten minutes on two cores.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mesonet as mn
from mesonet.analysis import Course, decide, length_check, until_decided
from mesonet.analysis.decisions.course import LOOKS
from mesonet.analysis.decisions.decision import BETTER, DEPENDS, NO_WORSE, WORSE
from mesonet.analysis.decisions.length import OBJECTS
from mesonet.campaign.runner import run_missing
from mesonet.reporting.verdicts.checks import length_conditions
from mesonet.reporting.verdicts.looks import Pairs, compared, looks_of

SMALL = Path(__file__).parent / "experiments" / "exp-1a-small.toml"
ALGORITHMS = ("tcp", "cubic", "bbr3")
MARGIN = 0.1
SHUFFLES = 40


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> mn.load:
    """The campaign, made once."""
    chosen = mn.experiment(SMALL, algorithms=ALGORITHMS, duration="10 s", replicates=LOOKS[-1])
    return chosen.run(tmp_path_factory.mktemp("real") / "campaign", workers=2, progress=False)


def design(pairs: Pairs) -> dict[str, Any]:
    """Return factors and levels of a comparison."""
    return {"design": pairs.comparison.pairs.levels, "factors": pairs.comparison.pairs.factors}


def course(pairs: Pairs, x, y, place: int | None = None) -> Course:
    """Return the looks at all responses of a pair of algorithms, or at one."""
    chosen = slice(None) if place is None else slice(place, place + 1)
    return until_decided(
        x[:, :, chosen],
        y[:, :, chosen],
        **design(pairs),
        margin=MARGIN,
        atol=pairs.atol[chosen],
        more_is_better=pairs.more_is_better[chosen],
        allocation="adaptive",
    )


def test_shuffled_replicates_have_the_verdict_of_all(campaign, record_testsuite_property):
    """Real replicates in random order: the verdict of all twelve in 95 %, with at most 42 % of the runs.

    Each response is a comparison of its own. Together, the noisiest response would set the runs of all.
    """
    rng = np.random.default_rng(1)
    same, used = [], []
    for pairs in compared(campaign, "tcp", MARGIN):
        for place in range(len(pairs.names)):
            full = decide(
                pairs.x[:, :, place],
                pairs.y[:, :, place],
                **design(pairs),
                margin=MARGIN,
                atol=pairs.atol[place],
                more_is_better=pairs.more_is_better[place],
            )
            for _ in range(SHUFFLES):
                order = np.argsort(rng.random(pairs.x.shape[:2]), axis=1)[:, :, None]
                x, y = (np.take_along_axis(each, order, axis=1) for each in (pairs.x, pairs.y))
                found = course(pairs, x, y, place)
                same.append(found.decisions[0].label == full.label)
                used.append(found.looks[-1].counts.mean() / LOOKS[-1])
    record_testsuite_property("shuffled", f"{np.mean(same):.3f} equal, {np.mean(used):.3f} of the runs")
    assert np.mean(same) >= 0.95
    assert np.mean(used) <= 0.42


def test_exchanged_scenarios_have_mirrored_verdicts(campaign):
    """For every ordered pair of the algorithms, and for every response and look."""
    for one, other in permutations(ALGORITHMS, 2):
        (pairs,) = (each for each in compared(campaign, other, MARGIN) if each.comparison.name == one)
        here = course(pairs, pairs.x, pairs.y)
        there = course(pairs, pairs.y, pairs.x)
        assert len(here.looks) == len(there.looks)
        for look, back in zip(here.looks, there.looks, strict=True):
            assert (look.counts == back.counts).all()
            for a, b in zip(look.decisions, back.decisions, strict=True):
                assert (a.verdict, a.mirrored().verdict) == (b.mirrored().verdict, b.verdict)
                np.testing.assert_allclose(a.low, -b.high)


def test_equal_scenarios_are_no_worse_after_three_replicates(campaign):
    for pairs in compared(campaign, "tcp", MARGIN):
        found = course(pairs, pairs.y, pairs.y)
        assert (found.status, len(found.looks)) == ("decided", 1)
        assert {each.verdict for each in found.decisions} == {NO_WORSE}


def test_nearly_equal_scenarios_are_no_worse_soon(tmp_path: Path):
    """An increase that is 1 % larger changes no response by 10 %: decided early, and its duration agrees."""
    chosen = mn.experiment(SMALL, algorithms=["tcp", "tcp(increase=1.01)"], duration="10 s")
    campaign = mn.run_until_decided(chosen, tmp_path / "campaign", workers=2, progress=False)
    found = looks_of(campaign)
    assert found is not None
    labels = {each.label for each in found.each[0].course.decisions}
    assert not labels & {WORSE, BETTER, DEPENDS}, labels


def test_a_harmful_algorithm_is_found_before_the_last_look(tmp_path: Path):
    chosen = mn.experiment("harmful-control")
    campaign = mn.run_until_decided(chosen, tmp_path / "campaign", workers=2, progress=False)
    found = looks_of(campaign)
    assert found is not None
    labels = [each.label for each in found.each[0].course.looks[-1].decisions]
    assert WORSE in labels or DEPENDS in labels
    assert found.runs < found.full


def test_the_check_of_the_duration_objects_to_runs_of_ten_seconds(campaign, tmp_path: Path):
    """The losses of bbr3 in runs of 10 s and of 100 s, in the conditions of the check."""
    chosen = mn.experiment(SMALL, algorithms=ALGORITHMS, duration="100 s")
    ledger, asked = chosen.begin(tmp_path / "long", workers=2)
    document = ledger.document()
    conditions = length_conditions(document)
    ledger.grow(
        [
            6 * (each["condition"] in conditions and each["algorithm"] in ("tcp", "bbr3"))
            for each in document["scenarios"]
        ]
    )
    run_missing(ledger, asked, progress=False)
    rows = np.array(sorted(conditions)) - 1
    (short,) = (each for each in compared(campaign, "tcp", MARGIN) if each.comparison.name == "bbr3")
    (longer,) = (
        each for each in compared(mn.load(ledger.path), "tcp", MARGIN, first=campaign) if each.comparison.name == "bbr3"
    )
    place = short.names.index("loss_rate")
    sides = [(each.x[rows, :, place], each.y[rows, :, place]) for each in (short, longer)]
    found = length_check(*sides, margin=MARGIN, atol=short.atol[place])
    assert found.label == OBJECTS
    assert found.needed > 1
