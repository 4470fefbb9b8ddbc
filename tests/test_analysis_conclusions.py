"""Conclusions under other assumptions: worked cases, noise, lost runs, and the error rates of the test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from mesonet.analysis import conclusion, lenth
from mesonet.analysis.conclusions import DECIDES, FAILS, HOLDS, NONE_SEEN, NOT_TESTED, SHIFTS
from mesonet.analysis.decisions.decision import CANNOT_TELL, DEPENDS
from mesonet.designs import two_level

DESIGN = two_level(["a", "b", "c", "d", "e"], ["e=a*b*c*d"])
SIGNS = np.asarray(DESIGN.matrix, dtype=float)
RNG = np.random.default_rng(5)
NOISE = RNG.normal(size=16)


def equal_replicates(support: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({"condition": np.tile(np.arange(1, 17), 3), "value": np.tile(support, 3)})


def test_a_factor_that_turns_a_conclusion_decides_and_one_that_strengthens_it_shifts() -> None:
    found = conclusion(DESIGN, 20 * SIGNS[:, 1] + NOISE)
    assert found.role == (NONE_SEEN, DECIDES, NONE_SEEN, NONE_SEEN, NONE_SEEN)
    assert (found.verdict, found.deciding) == (DEPENDS, ("b",))
    assert (found.holds, found.known) == (8, 16)
    assert (found.holds_minus[1], found.known_minus[1], found.holds_plus[1], found.known_plus[1]) == (0, 8, 8, 8)
    assert found.effect[1] == pytest.approx(40, abs=2)
    found = conclusion(DESIGN, 50 + 10 * SIGNS[:, 2] + NOISE)
    assert (found.verdict, found.role[2], found.holds) == (HOLDS, SHIFTS, 16)
    assert conclusion(DESIGN, -50 + NOISE).verdict == FAILS
    assert conclusion(DESIGN, NOISE / 2).verdict == CANNOT_TELL


def test_a_level_that_says_nothing_against_one_that_confirms_decides() -> None:
    found = conclusion(DESIGN, 10 + 10 * SIGNS[:, 0] + 0.1 * NOISE)
    assert found.mean_minus[0] == pytest.approx(0, abs=0.1)
    assert (found.role[0], found.verdict) == (DECIDES, DEPENDS)


def test_margins_of_error_come_from_all_terms_with_bonferroni_over_the_factors() -> None:
    support = 3 * SIGNS[:, 0] + NOISE
    found = conclusion(DESIGN, support)
    pairs = [SIGNS[:, i] * SIGNS[:, j] for i in range(5) for j in range(i)]
    effects = [2 * float(column @ support) / 16 for column in [*SIGNS.T, *pairs]]
    alone = lenth(effects, alpha=0.05 / 5)
    assert found.margin_of_error == pytest.approx(alone.me)
    assert found.visible > found.margin_of_error


def test_replicates_give_the_noise() -> None:
    values = 2 + np.outer(SIGNS[:, 3], [1, 1, 1]) + np.random.default_rng(1).normal(0, 0.1, (16, 3))
    frame = pl.DataFrame(
        {
            "condition": np.repeat(np.arange(1, 17), 3),
            "replicate": np.tile([1, 2, 3], 16),
            "value": values.ravel(),
        }
    )
    found = conclusion(DESIGN, frame, noise="replicates")
    squares = values.var(axis=1, ddof=1)
    within = np.sqrt(squares.mean() / 48 * 4)
    freedom = 2 * squares.sum() ** 2 / (squares**2).sum()
    assert found.margin_of_error == pytest.approx(within * stats.t.ppf(0.995, freedom)), "t for 1 %"
    assert (found.verdict, found.role[3]) == (HOLDS, SHIFTS)


def test_lost_runs_are_left_out() -> None:
    support = 20 * SIGNS[:, 1] + NOISE
    support[[2, 9]] = np.nan
    found = conclusion(DESIGN, support)
    assert (found.known, found.known_minus[1] + found.known_plus[1]) == (14, 14)
    assert (found.verdict, found.deciding) == (DEPENDS, ("b",))


@pytest.mark.parametrize(("value", "verdict"), [(0.1, HOLDS), (-3.0, FAILS), (0.0, CANNOT_TELL)])
def test_the_same_support_everywhere_is_a_verdict(value: float, verdict: str) -> None:
    for support, noise in ((np.full(16, value), "effects"), (equal_replicates(np.full(16, value)), "replicates")):
        found = conclusion(DESIGN, support, noise=noise)
        assert (found.verdict, set(found.role)) == (verdict, {NONE_SEEN})
        assert (found.margin_of_error, found.visible) == (0, 0)
        assert found.to_polars()["effect"].to_list() == [0.0] * 5


def test_with_equal_replicates_any_difference_is_an_effect() -> None:
    found = conclusion(DESIGN, equal_replicates(5 + 2 * SIGNS[:, 0]), noise="replicates")
    assert (found.verdict, found.role) == (HOLDS, (SHIFTS, *[NONE_SEEN] * 4))
    found = conclusion(DESIGN, equal_replicates(0.1 + 0.2 * SIGNS[:, 0]), noise="replicates")
    assert (found.verdict, found.deciding) == (DEPENDS, ("a",))
    # The mean at the - level is 0 but for rounding: it confirms nothing.
    found = conclusion(DESIGN, equal_replicates(SIGNS @ [0.3, 0.1, 0.2, 0, 0] + 0.3), noise="replicates")
    assert found.mean_minus[0] != 0
    assert found.role[:3] == (DECIDES, SHIFTS, SHIFTS)


def test_without_noise_nothing_is_tested() -> None:
    found = conclusion(DESIGN, 5 + 2 * SIGNS[:, 0])
    assert (found.verdict, set(found.role)) == (CANNOT_TELL, {NOT_TESTED})
    assert np.isnan(found.margin_of_error)
    alone = conclusion(DESIGN, [5.0, *[np.nan] * 15])
    assert (alone.verdict, set(alone.role)) == (CANNOT_TELL, {NOT_TESTED})
    nothing = conclusion(DESIGN, np.full(16, np.nan))
    assert (nothing.known, nothing.verdict) == (0, CANNOT_TELL)
    with pytest.raises(ValueError, match="needs"):
        conclusion(DESIGN, [1.0, 2.0])


def test_error_rates() -> None:
    """Of conclusions without any effect about one in twenty names a factor, and a visible effect is found in 80 %."""
    rng = np.random.default_rng(2)
    quiet = [conclusion(DESIGN, 0.3 + rng.normal(size=16)) for _ in range(400)]
    false = np.mean([any(role in (DECIDES, SHIFTS) for role in found.role) for found in quiet])
    assert false < 0.08
    visible = float(np.median([found.visible for found in quiet]))
    loud = [conclusion(DESIGN, visible / 2 * SIGNS[:, 0] + rng.normal(size=16)) for _ in range(400)]
    assert 0.65 < np.mean([found.role[0] != NONE_SEEN for found in loud]) < 0.95
