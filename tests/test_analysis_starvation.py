"""Starvation: the ratio of goodputs over horizons that double."""

from __future__ import annotations

import numpy as np
import pytest

from mesonet.analysis import starvation


def ratios(slow: np.ndarray, fast: np.ndarray) -> list[float]:
    """Ratios of two flows over an eighth, a quarter, a half and the whole, from what they get in equal steps."""
    ends = [len(slow) // 8, len(slow) // 4, len(slow) // 2, len(slow)]
    return [float(slow[:end].sum() / fast[:end].sum()) for end in ends]


def test_a_flow_that_gets_nothing_after_its_start_starves() -> None:
    """The ratio halves with each doubling, eight times from the shortest horizon to the longest."""
    found = starvation(ratios(np.r_[np.full(10, 5.0), np.zeros(790)], np.full(800, 10.0)))
    assert found.factor == pytest.approx([8.0])
    assert found.grows.tolist() == [True]


def test_a_constant_disadvantage_is_no_starvation() -> None:
    found = starvation(ratios(np.full(800, 1.0), np.full(800, 50.0)))
    assert found.factor == pytest.approx([1.0])
    assert found.grows.tolist() == [False]


def test_a_rate_that_falls_with_time_to_the_power_of_a_third_starves_slowly() -> None:
    """The ratio falls as the horizon to the power of -1/3: a factor of 2 over three doublings."""
    steps = np.arange(1, 80001) ** (2 / 3)
    slow = np.diff(steps, prepend=0.0)
    found = starvation(ratios(slow, np.ones(80000)))
    assert found.factor == pytest.approx([2.0], rel=1e-6)


@pytest.mark.parametrize(
    ("values", "grows"),
    [
        ([0.8, 0.5, 0.6, 0.1], False),  # not with each doubling
        ([0.8, 0.7, 0.6, 0.5], False),  # less than a half
        ([0.4, 0.2, 0.0, 0.0], True),
        ([0.0, 0.0, 0.0, 0.0], True),
        ([0.8, np.nan, 0.2, 0.1], False),
    ],
)
def test_the_rule(values: list[float], grows: bool) -> None:
    assert starvation(values).grows.tolist() == [grows]


@pytest.mark.parametrize("bad", [[0.5], [[0.5], [0.4]], [0.5, 1.2], [0.5, -0.1], [np.inf, 0.5]])
def test_bad_ratios_are_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        starvation(bad)
