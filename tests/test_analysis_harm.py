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
    assert gain.harm == pytest.approx([-1 / 3, -0.5]), "the harm if both are exchanged"
    equal = harm([[10.0, 0.0]], [[10.0, 0.0]], more_is_better=[True, False])
    assert equal.harm == pytest.approx([0.0, 0.0])


@pytest.mark.parametrize("more_is_better", [True, False])
@pytest.mark.parametrize("factor", [0.2, 0.9, 1.1, 5.0])
def test_the_ends_of_an_interval_are_where_the_paired_t_test_just_rejects(more_is_better: bool, factor: float) -> None:
    solo = RNG.uniform(5, 10, 8)
    beside = factor * solo * RNG.uniform(0.8, 1.2, 8)
    found = harm(solo[:, np.newaxis], beside[:, np.newaxis], more_is_better=[more_is_better], confidence=0.9)
    large, little = (solo, beside) if more_is_better else (beside, solo)
    for end in (found.low[0], found.high[0]):
        ratio = 1 - end if end > 0 else 1 / (1 + end)
        difference = np.log(large * ratio / little)
        assert abs(stats.ttest_1samp(difference, 0.0).statistic) == pytest.approx(stats.t.ppf(0.95, 7))
    assert -1 <= found.low[0] < found.harm[0] < found.high[0] <= 1
    assert found.compared[0] == 8


def test_intervals_of_one_condition_hold_as_often_as_stated() -> None:
    for factor in (1.0, 1.4):
        solo, beside = np.exp(0.5 * RNG.standard_normal((2, 10, 1000)))
        found = harm(solo, beside * factor, more_is_better=[False] * 1000)
        truth = 1 - 1 / factor
        held = (found.low <= truth) & (truth <= found.high)
        assert held.mean() == pytest.approx(0.95, abs=0.02)
        assert found.harm.mean() == pytest.approx(truth, abs=0.03)


def test_exchanged_sides_have_the_opposite_harm() -> None:
    solo, beside = np.exp(RNG.standard_normal((2, 3, 4, 2)))
    one, other = (harm(*both, more_is_better=[True, False]) for both in ((solo, beside), (beside, solo)))
    assert one.harm == pytest.approx(-other.harm)
    assert one.low == pytest.approx(-other.high)


def test_rare_values_of_equal_algorithms_are_no_harm() -> None:
    """Four of ten runs have a loss: what pairs gain counts as much as what pairs lose."""
    solo, beside = np.where(RNG.uniform(size=(2, 50, 2000)) < 0.4, RNG.exponential(1.0, (2, 50, 2000)), 0.0)
    found = harm(solo, beside, more_is_better=[False] * 2000)
    assert found.harm.mean() == pytest.approx(0.0, abs=0.02)
    assert (found.low > 0).mean() < 0.035, "half of 5 %"


def test_values_of_zero_are_a_hundredth_of_the_mean() -> None:
    none = np.zeros((5, 1))
    nothing = harm(none, none, more_is_better=[False])
    assert (nothing.harm[0], nothing.low[0], nothing.high[0], nothing.smallest[0]) == (0.0, 0.0, 0.0, 0.0)
    new = harm(none, none + 1, more_is_better=[False])
    assert new.harm[0] == pytest.approx(1 - 0.005 / 1.005)
    assert harm(none + 1, none, more_is_better=[False]).harm[0] == pytest.approx(-new.harm[0])


def test_conditions_have_equal_weights_and_their_own_noise() -> None:
    ratios = np.array([[0.9, 0.8, 0.85], [0.5, 0.7, 0.6], [1.0, 1.1, 0.9]])
    found = harm(np.full((3, 3, 1), 10.0), 10 * ratios[:, :, np.newaxis], more_is_better=[True])
    d = -np.log(ratios)
    assert found.by_condition[:, 0] == pytest.approx(
        np.where(d.mean(axis=1) > 0, 1, -1) * -np.expm1(-abs(d.mean(axis=1)))
    )
    assert found.compared[0] == 3
    assert found.harm[0] == pytest.approx(-np.expm1(-d.mean()))
    parts = d.var(axis=1, ddof=1) / 3 / 9
    freedom = parts.sum() ** 2 / (parts**2 / 2).sum()
    half = stats.t.ppf(0.975, freedom) * parts.sum() ** 0.5
    assert found.high[0] == pytest.approx(-np.expm1(-d.mean() - half))


def test_conditions_with_one_pair_are_a_sample() -> None:
    ratios = np.array([0.9, 0.8, 0.6, 0.7])
    found = harm(np.full((4, 1, 1), 10.0), 10 * ratios[:, np.newaxis, np.newaxis], more_is_better=[True])
    interval = stats.ttest_1samp(-np.log(ratios), 0.0).confidence_interval()
    assert [found.low[0], found.high[0]] == pytest.approx([-np.expm1(-interval.low), -np.expm1(-interval.high)])
    assert found.compared[0] == 4


@pytest.mark.parametrize("runs", [4, 10, 40])
def test_the_smallest_harm_is_seen_with_the_power_asked_for(runs: int) -> None:
    """Power of the two-sided t test at this harm, by the noncentral t distribution."""
    solo, noise = np.full((runs, 2), 10.0), np.exp(RNG.normal(0, 0.1, (runs, 1)))
    found = harm(solo, solo * noise, more_is_better=[True, False])
    error = np.log(noise).std(ddof=1) / runs**0.5
    beyond = stats.nct.sf(stats.t.ppf(0.975, runs - 1), runs - 1, -np.log1p(-found.smallest) / error)
    assert beyond == pytest.approx([0.8, 0.8], abs=1e-6)


def test_missing_runs_are_left_out() -> None:
    solo = np.array([[10.0, 0.1], [np.nan, 0.2], [20.0, 0.1], [8.0, 0.3]])
    beside = np.array([[5.0, 0.2], [9.0, 0.4], [15.0, 0.1], [4.0, 0.3]])
    found = harm(solo, beside, more_is_better=[True, False])
    assert found.harm == pytest.approx([1 - (0.5 * 0.75 * 0.5) ** (1 / 3), 1 - (1 / 4) ** (1 / 4)])
    assert found.compared.tolist() == [3, 4]
    assert found.solo == pytest.approx([38 / 3, 0.175])
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
