"""Grubbs' test against the published critical values and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mesonet.analysis import critical_value, grubbs, p_value


@pytest.mark.parametrize(
    ("n", "sides", "alpha", "published"),
    [(7, 1, 0.05, 1.938), (7, 2, 0.05, 2.0200), (7, 2, 0.025, 2.0811), (8, 2, 0.05, 2.1266)],
)
def test_published_critical_values(n, sides, alpha, published):
    digits = len(str(published).split(".")[1])
    assert round(float(critical_value(n, alpha=alpha, sides=sides)), digits) == published
    assert p_value(critical_value(n, alpha=alpha, sides=sides), n, sides=sides) == pytest.approx(alpha)


def test_the_threshold_of_the_study_is_the_two_and_a_half_percent_level():
    assert p_value(2.08, 7) == pytest.approx(0.025, abs=5e-4)


def test_an_outlier_by_hand():
    # 0, 0, 0, 0, 10: mean 2, residual 8, s^2 = (4 * 4 + 64) / 4 = 20.
    result = grubbs([0, 0, 0, 0, 10])
    assert (result.index, result.value, result.residual, result.side, result.n) == (4, 10, 8, "high", 5)
    assert result.statistic == pytest.approx(8 / np.sqrt(20))
    assert result.is_outlier


def test_the_largest_possible_statistic_of_three_values():
    # It is (n - 1) / sqrt(n) = 1.1547, hardly above the critical value: three values are too few for a verdict.
    result = grubbs([1.0, 1.0, 1000.0])
    assert result.statistic == pytest.approx(2 / np.sqrt(3))
    assert result.critical == pytest.approx(1.1543, abs=1e-4)


def test_p_is_capped_at_one():
    assert grubbs([-1, -1, 0, 1, 1.01]).p == 1


def test_low_side_and_missing_values():
    result = grubbs([np.nan, 5.0, 5.1, -3.0, 5.2, np.nan, 5.05, 4.9])
    assert (result.index, result.side, result.n) == (3, "low", 6)
    assert result.p < 0.01


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [1.0, np.nan, 2.0]])
def test_fewer_than_three_values(values):
    result = grubbs(values)
    assert result.index is None
    assert result.side is None
    assert "too few values" in result.note
    assert not result.is_outlier


@pytest.mark.parametrize("values", [[0.0] * 5, [0.1] * 5, [1e6, 1e6, 1e6, 1e6, 1e6 + 1e-4]])
def test_not_distinguishable(values):
    result = grubbs(values)
    assert (result.index, result.note) == (None, "not distinguishable")
    assert not result.is_outlier


def test_a_spread_just_above_the_limit_is_distinguishable():
    assert grubbs([1e6, 1e6, 1e6, 1e6, 1e6 + 0.01]).index == 4


@pytest.mark.parametrize("options", [{"sides": 3}, {"alpha": 0.0}, {"alpha": 1.0}])
def test_unusable_options(options):
    with pytest.raises(ValueError, match=r"sides must be 1 or 2|not a level of significance"):
        grubbs([1, 2, 3], **options)
    with pytest.raises(ValueError, match="one-dimensional"):
        grubbs([[1, 2, 3]])


@given(
    st.lists(st.integers(-1000, 1000), min_size=3, max_size=12).filter(lambda v: len(set(v)) > 1),
    st.floats(0.01, 100),
    st.floats(-100, 100),
)
@example([1, 2, 4, 900], 1e200, 0.0)  # squares that overflowed
@example([1, 2, 4, 900], 1e-200, 0.0)  # squares that vanished
def test_the_verdict_does_not_depend_on_the_unit(values, scale, shift):
    one, other = grubbs(values), grubbs(np.array(values) * scale + shift)
    assert other.statistic == pytest.approx(one.statistic, rel=1e-6)
    assert other.p == pytest.approx(one.p, rel=1e-4, abs=1e-6)


def test_the_level_holds_in_simulation():
    samples = np.random.default_rng(20110801).normal(size=(20_000, 7))
    residual = np.abs(samples - samples.mean(axis=1, keepdims=True)).max(axis=1)
    rate = np.mean(residual / samples.std(axis=1, ddof=1) > critical_value(7))
    assert rate == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("values", [[1, 2, 3, np.inf, -np.inf], [1, 2, 3, np.nan, np.inf]])
def test_values_that_are_not_finite_take_no_part(values):
    result = grubbs(values)
    assert (result.n, result.note) == (3, "")
    assert result.statistic == grubbs([1, 2, 3]).statistic
    assert grubbs([1, 2, 3, 4, np.inf]).statistic == grubbs([1, 2, 3, 4]).statistic
