"""Means and changes over levels: exact values, intervals that hold, and what has none."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mesonet.analysis import level_changes, level_means

LEVELS = np.array(list(product(range(3), range(2))))
NAMES = ["flows", "queue"]


def values(noise: float, replicates: int = 3, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    means = 10.0 * LEVELS[:, 0] + 3.0 * LEVELS[:, 1]
    return means[:, None] + noise * random.standard_normal((len(LEVELS), replicates))


def test_means_of_two_levels_and_their_interval_are_of_welch() -> None:
    y = np.array([[1.0, 2.0, 3.0], [10.0, 14.0, 18.0]])
    found = level_changes(y, [[0], [1]], factors=["a"])
    expected = stats.ttest_ind(y[1], y[0], equal_var=False).confidence_interval(0.95)
    assert found.change[0] == pytest.approx(12.0)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))
    means = level_means(y, [[0], [1]], factors=["a"])
    own = stats.t.interval(0.95, 2, loc=2.0, scale=1 / np.sqrt(3))
    assert (means.low[0], means.high[0]) == pytest.approx(own)


def test_changes_are_means_over_the_other_factors() -> None:
    found = level_changes(values(0.0, 1), LEVELS, factors=NAMES)
    assert list(zip(found.factor, found.first, found.second, found.change, strict=True)) == [
        ("flows", 0, 1, 10.0), ("flows", 0, 2, 20.0), ("flows", 1, 2, 10.0), ("queue", 0, 1, 3.0),
    ]  # fmt: skip
    assert found.cells.tolist() == [2, 2, 2, 3]
    row = found.largest("flows")
    assert row == 1
    assert found.largest("nothing") is None
    assert np.isnan(found.low).all()
    assert found.notes == ("There is one run of each cell: no interval is known.",)


def test_directions_count_the_combinations_that_show_one() -> None:
    y = values(0.01)
    y[(LEVELS[:, 1] == 1) & (LEVELS[:, 0] == 2)] -= 40
    found = level_changes(y, LEVELS, factors=NAMES)
    assert (found.rises[1], found.falls[1]) == (1, 1)
    assert (found.rises[3], found.falls[3]) == (2, 1)


def test_equal_replicates_have_no_interval() -> None:
    found = level_changes(np.repeat(values(0.0, 1), 3, axis=1), LEVELS, factors=NAMES)
    assert np.isnan(found.high).all()
    assert "nothing in the runs is random" in found.notes[0]


def test_lost_runs_leave_what_is_known() -> None:
    y = values(0.1)
    y[0] = np.nan  # no run of flows 0, queue 0
    y[1, 1:] = np.nan
    found = level_changes(y, LEVELS, factors=NAMES)
    assert found.cells.tolist() == [1, 1, 1, 2]
    assert found.replicates.tolist() == [1, 1, 3, 3]
    assert np.isfinite(found.low).all()
    means = level_means(y, LEVELS, factors=NAMES)
    assert np.isnan(means.mean[0])
    assert np.isfinite(means.low[1:]).all()
    assert np.isnan(level_means(y, LEVELS, keep=["flows"], factors=NAMES).mean[0])


def test_intervals_of_a_factor_hold_together() -> None:
    held = dict.fromkeys(NAMES, 0)
    true = {"flows": lambda row: 10.0 * (row[2] - row[1]), "queue": lambda row: 3.0}
    many = 600
    for seed in range(many):
        spread = np.linspace(0.5, 5.0, len(LEVELS))[:, None]
        y = values(0.0) + spread * np.random.default_rng(seed).standard_normal((len(LEVELS), 3))
        found = level_changes(y, LEVELS, factors=NAMES)
        for name in NAMES:
            rows = [n for n, factor in enumerate(found.factor) if factor == name]
            held[name] += all(
                found.low[n] <= true[name]((name, found.first[n], found.second[n])) <= found.high[n] for n in rows
            )
    assert all(0.93 <= count / many <= 1 for count in held.values()), held


def test_pairs_take_out_what_replicates_share() -> None:
    shared = 100 * np.random.default_rng(2).standard_normal((1, 3))
    y = values(0.1) + shared
    apart, paired = (level_changes(y, LEVELS, factors=NAMES, paired=paired) for paired in (False, True))
    assert paired.high[3] - paired.low[3] < 0.02 * (apart.high[3] - apart.low[3])
    assert paired.low[3] <= 3 <= paired.high[3]


@pytest.mark.parametrize(
    ("given", "levels", "what"),
    [
        ([[1.0], [2.0]], [[0], [0]], "two cells have the same levels"),
        ([[1.0], [2.0]], [[0.5], [1]], "whole numbers from 0"),
        ([1.0, 2.0], [[0], [1]], "allowed: .cells, replicates."),
    ],
)
def test_what_is_no_grid_is_refused(given: list[float], levels: list[list[float]], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        level_means(given, levels)
    with pytest.raises(ValueError, match="no factor 'b'; allowed: a"):
        level_means([[1.0], [2.0]], [[0], [1]], factors=["a"], keep=["b"])


def test_names_are_texts_in_every_place() -> None:
    found = level_means(values(1.0), LEVELS, factors=[2, "mean"], keep=[2])
    assert found.factors == ("2",)
    assert level_means(values(1.0), LEVELS, factors=[2, "mean"]).to_polars().columns[1:4] == [
        "2",
        "mean (factor)",
        "mean",
    ]
    changes = level_changes(values(1.0), LEVELS, factors=[2, "x" * 80])
    assert changes.largest(2) == changes.largest("2") == 1
