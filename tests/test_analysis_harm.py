"""Harm to an incumbent, with its interval and the smallest harm that would have been seen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mesonet.analysis import harm

RNG = np.random.default_rng(5)


def test_harm_is_the_lost_part_of_what_the_better_side_has() -> None:
    """Throughput 10 to 4 loses .6 of 10; delay 20 to 80 ms is .75 of 80."""
    found = harm([[10.0, 20.0]], [[4.0, 80.0]], more_is_better=[True, False], quantities=["throughput", "delay"])
    assert found.harm == pytest.approx([0.6, 0.75])
    assert np.isnan(found.low).all()
    assert np.isnan(found.smallest).all()
    assert found.to_polars()["quantity"].to_list() == ["throughput", "delay"]
    gain = harm([[10.0, 20.0]], [[15.0, 10.0]], more_is_better=[True, False])
    assert gain.harm == pytest.approx([-0.5, -1.0])
    equal = harm([[10.0, 0.0]], [[10.0, 0.0]], more_is_better=[True, False])
    assert equal.harm == pytest.approx([0.0, 0.0])


def test_the_interval_of_one_condition_is_the_paired_t_interval_over_replicates() -> None:
    solo = RNG.uniform(5, 10, (8, 1))
    beside = solo * RNG.uniform(0.5, 1.1, (8, 1))
    found = harm(solo, beside, more_is_better=[True], confidence=0.9)
    paired = stats.ttest_1samp((solo - beside)[:, 0] / solo[:, 0], 0.0)
    interval = paired.confidence_interval(0.9)
    assert found.low[0] == pytest.approx(interval.low)
    assert found.high[0] == pytest.approx(interval.high)
    assert found.compared[0] == 8


def test_replicates_are_averaged_before_conditions_are_compared() -> None:
    solo = np.full((3, 4, 1), 10.0)
    beside = solo - np.array([1.0, 2.0, 6.0])[:, np.newaxis, np.newaxis] * np.array([0.5, 1.0, 1.5, 1.0])[:, np.newaxis]
    found = harm(solo, beside, more_is_better=[True])
    assert found.by_condition[:, 0] == pytest.approx([0.1, 0.2, 0.6])
    assert found.compared[0] == 3
    assert found.highest[0] == pytest.approx(0.6)
    interval = stats.ttest_1samp([0.1, 0.2, 0.6], 0.0).confidence_interval()
    assert (found.low[0], found.high[0]) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("runs", [4, 10, 40])
def test_the_smallest_harm_is_seen_with_the_power_asked_for(runs: int) -> None:
    """Power of the two-sided t test at this harm, by the noncentral t distribution."""
    solo = np.full((runs, 1), 10.0)
    found = harm(solo, solo - RNG.normal(0, 1, (runs, 1)), more_is_better=[True])
    harms = found.harm[0] - found.low[0]
    error = harms / stats.t.ppf(0.975, runs - 1)
    beyond = stats.nct.sf(stats.t.ppf(0.975, runs - 1), runs - 1, found.smallest[0] / error)
    assert beyond == pytest.approx(0.8, abs=0.03)


def test_missing_runs_and_zeros_are_left_out() -> None:
    solo = np.array([[10.0, 0.1], [np.nan, 0.2], [20.0, 0.1], [0.0, 0.0]])
    beside = np.array([[5.0, 0.2], [9.0, 0.4], [15.0, 0.0], [4.0, 0.0]])
    found = harm(solo, beside, more_is_better=[True, False])
    assert found.harm == pytest.approx([(0.5 + 0.25) / 2, (0.5 + 0.5 + 0) / 3])
    assert found.compared.tolist() == [2, 3]
    assert found.undefined.tolist() == [1, 1]
    nothing = harm(np.full((2, 1), np.nan), np.ones((2, 1)), more_is_better=[True])
    assert np.isnan(nothing.harm).all()
    assert np.isnan(nothing.highest).all()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"beside": np.ones((3, 2))}, "shape"),
        ({"solo": np.ones(2), "beside": np.ones(2)}, "shape"),
        ({"more_is_better": [True]}, "1 directions for 2"),
        ({"quantities": ["a"]}, "1 names for 2"),
        ({"solo": np.full((2, 2), -1.0)}, "-1; allowed: at least 0"),
        ({"confidence": 1.0}, "confidence is 1"),
        ({"power": 0.0}, "power is 0"),
    ],
)
def test_bad_arguments_are_refused(changed: dict, message: str) -> None:
    good = {"solo": np.ones((2, 2)), "beside": np.ones((2, 2)), "more_is_better": [True, False]}
    with pytest.raises(ValueError, match=message):
        harm(**(good | changed))
