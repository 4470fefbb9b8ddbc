"""Effects tested against the scatter of replicates: margins, stars and Psi by hand, coverage by simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from mesonet.analysis import factor_table, main_effects, rank_matrices, terms
from mesonet.analysis.main_effects import replicate_frame
from mesonet.reporting.text.methods import MARGINS

DESIGN = np.array([row[::-1] for row in product((-1, 1), repeat=3)])


def measured(rng: np.random.Generator, effects: dict[int, float], replicates: int = 2, sd: float = 1.0) -> np.ndarray:
    """Values of shape (8, replicates); `effects` by column of the design."""
    mean = np.full(8, 10.0) + sum(effect / 2 * DESIGN[:, column] for column, effect in effects.items())
    return mean[:, None] + sd * rng.standard_normal((len(DESIGN), replicates))


def test_margins_of_terms_by_hand():
    values = measured(np.random.default_rng(1), {0: 5.0})
    found = terms(DESIGN, replicate_frame(values), noise="replicates")
    squares = values.var(axis=1, ddof=1)
    error = np.sqrt(squares.mean()) * 2 / np.sqrt(values.size)
    freedom = squares.sum() ** 2 / (squares**2).sum()
    assert found.noise.replicated
    assert found.noise.pse == pytest.approx(error)
    assert found.noise.me == pytest.approx(stats.t.ppf(0.975, freedom) * error)
    assert "the 97.5 % quantile of t" in MARGINS["replicates"]
    assert found.noise.sme == pytest.approx(stats.t.ppf((1 + 0.95 ** (1 / 7)) / 2, freedom) * error)
    assert found.terms[0] == "x1"
    same = main_effects(DESIGN, replicate_frame(values), mode="replicates")
    assert same.effect_sd[0] == pytest.approx(error)


def test_replicates_find_what_seven_effects_cannot():
    """Five of seven effects of 4 standard errors: Lenth takes them for noise."""
    rng, found, lenth = np.random.default_rng(2), 0, 0
    for _ in range(100):
        values = measured(rng, {}, 4)
        values += 2.0 * np.column_stack([DESIGN, DESIGN[:, :1] * DESIGN[:, 1:]]).sum(axis=1, keepdims=True)
        found += int(terms(DESIGN, replicate_frame(values), noise="replicates").active.sum())
        lenth += int(terms(DESIGN, replicate_frame(values)).active.sum())
    assert found >= 0.95 * 500
    assert lenth < 0.5 * 500


def test_replicates_keep_false_alarms_at_their_level():
    """With equal variances 5 %, or fewer of few replicates; with one noisy condition not more."""
    rng = np.random.default_rng(3)
    for replicates, noisy, least in ((2, 1, 0.01), (6, 1, 0.03), (4, 15, 0.01)):
        scale = np.where(np.arange(8) == 5, noisy, 1)[:, None]
        alarms = [
            int(terms(DESIGN, replicate_frame(scale * values), noise="replicates").active.sum())
            for values in (measured(rng, {}, replicates) - 10 for _ in range(300))
        ]
        assert least < np.sum(alarms) / (300 * 7) < 0.07


def test_stars_of_every_response_from_replicates():
    rng = np.random.default_rng(4)
    cube = np.stack([measured(rng, {0: 6.0}, 4), measured(rng, {}, 4)], axis=2)
    cube[3, 1, 0] = np.nan
    found = factor_table(DESIGN, cube, responses=["strong", "none"], mode="replicates")
    assert found.stars[0, 0] == "**"
    assert found.p[0, 0] == pytest.approx(main_effects(DESIGN, replicate_frame(cube[..., 0]), mode="replicates").p[0])
    with pytest.raises(ValueError, match="shape"):
        factor_table(DESIGN, cube, responses=["one"], mode="replicates")


def test_unknown_noise_is_refused():
    with pytest.raises(ValueError, match="allowed: effects, replicates"):
        terms(DESIGN, np.arange(8.0), noise="lenth")


def test_without_a_replicate_nothing_is_active():
    found = terms(DESIGN, np.arange(8.0), noise="replicates")
    assert not found.active.any()
    assert "No run is replicated" in found.notes[-1]


def test_ranks_of_values_that_differ_by_rounding_are_shared():
    values = np.array([[[1.0, 1.0 + 1e-13, 2.0]], [[5.0, 5.0 - 1e-12, 5.0]]])
    found = rank_matrices(values, algorithms=["a", "b", "c"], columns=["x"])
    assert found.rank[0, 0].tolist() == [1.5, 1.5, 3.0]
    assert found.rank[1, 0].tolist() == [2, 2, 2]


def test_of_two_algorithms_none_is_farther_from_their_mean():
    found = rank_matrices([[[77.41, 102.3]]], algorithms=["a", "b"], columns=["x"])
    assert not found.stands_out.any()
    assert found.side.ravel().tolist() == [-1, 1]
