"""Effects tested against the scatter of replicates: margins, stars and Psi by hand, coverage by simulation."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from fragments import holds
from mesonet.analysis import factor_table, main_effects, rank_matrices, terms
from mesonet.reporting.text.methods import MARGINS

DESIGN = np.array([row[::-1] for row in product((-1, 1), repeat=3)])


def measured(rng: np.random.Generator, effects: dict[int, float], replicates: int = 2, sd: float = 1.0) -> np.ndarray:
    """Values of shape (8, replicates); `effects` by column of the design."""
    mean = np.full(8, 10.0) + sum(effect / 2 * DESIGN[:, column] for column, effect in effects.items())
    return mean[:, None] + sd * rng.standard_normal((len(DESIGN), replicates))


def test_margins_of_terms_by_hand():
    values = measured(np.random.default_rng(1), {0: 5.0})
    found = terms(DESIGN, values, noise="replicates")
    squares = values.var(axis=1, ddof=1)
    error = np.sqrt(squares.mean()) * 2 / np.sqrt(values.size)
    freedom = squares.sum() ** 2 / (squares**2).sum()
    assert found.noise.replicated
    assert found.noise.pse == pytest.approx(error)
    assert found.noise.me == pytest.approx(stats.t.ppf(0.975, freedom) * error)
    assert "the 97.5 % quantile of t" in MARGINS["replicates"]
    assert found.noise.sme == pytest.approx(stats.t.ppf((1 + 0.95 ** (1 / 7)) / 2, freedom) * error)
    assert found.terms[0] == "x1"
    same = main_effects(DESIGN, values, mode="replicates")
    assert same.effect_sd[0] == pytest.approx(error)


def test_replicates_find_what_seven_effects_cannot():
    """Five of seven effects of 4 standard errors: Lenth takes them for noise."""
    rng, found, lenth = np.random.default_rng(2), 0, 0
    for _ in range(100):
        values = measured(rng, {}, 4)
        values += 2.0 * np.column_stack([DESIGN, DESIGN[:, :1] * DESIGN[:, 1:]]).sum(axis=1, keepdims=True)
        found += int(terms(DESIGN, values, noise="replicates").active.sum())
        lenth += int(terms(DESIGN, values).active.sum())
    assert found >= 0.95 * 500
    assert lenth < 0.5 * 500


def test_replicates_keep_false_alarms_at_their_level():
    """With equal variances 5 %, or fewer of few replicates; with one noisy condition not more."""
    rng = np.random.default_rng(3)
    for replicates, noisy, least in ((2, 1, 0.01), (6, 1, 0.03), (4, 15, 0.01)):
        scale = np.where(np.arange(8) == 5, noisy, 1)[:, None]
        alarms = [
            int(terms(DESIGN, scale * values, noise="replicates").active.sum())
            for values in (measured(rng, {}, replicates) - 10 for _ in range(300))
        ]
        assert least < np.sum(alarms) / (300 * 7) < 0.07


def test_stars_of_every_response_from_replicates():
    rng = np.random.default_rng(4)
    cube = np.stack([measured(rng, {0: 6.0}, 4), measured(rng, {}, 4)], axis=2)
    cube[3, 1, 0] = np.nan
    found = factor_table(DESIGN, cube, responses=["strong", "none"], mode="replicates")
    assert found.stars[0, 0] == "**"
    assert found.p[0, 0] == pytest.approx(main_effects(DESIGN, cube[..., 0], mode="replicates").p[0])
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


def test_rows_of_equal_settings_are_replicates_of_a_frame():
    """48 rows of 16 conditions, and the same values as a frame of three replicates."""
    design = np.array([row[::-1] for row in product((-1, 1), repeat=4)])
    y = 5 * design[:, 0] + np.random.default_rng(5).normal(size=(3, 16))
    rows = terms(np.tile(design, (3, 1)), y.ravel(), noise="replicates")
    frame = terms(design, y.T, noise="replicates")
    assert rows.noise == frame.noise
    assert rows.effect.tolist() == frame.effect.tolist()
    assert rows.active[0]
    assert rows.notes == frame.notes == ()


def test_one_repeated_row_hides_no_term():
    design = np.array([row[::-1] for row in product((-1, 1), repeat=4)])
    y = 50 + 10 * design[:, 0] + 20 * design[:, :3].prod(axis=1)
    found = terms(np.vstack([design, design[3]]), np.append(y, y[3]), noise="replicates")
    assert len(found.terms) == 15
    assert dict(zip(found.terms[:2], found.effect[:2], strict=True)) == pytest.approx({"x1*x2*x3": 40, "x1": 20})
    assert found.notes == ("15 of 16 conditions have one value and take the mean noise of the others.",)


def test_a_condition_with_one_value_unbalances_nothing():
    values = measured(np.random.default_rng(6), {0: 5.0})
    values[2, 1] = np.nan
    found = main_effects(DESIGN, values, mode="replicates")
    mean = np.nanmean(values, axis=1)
    assert found.effect == pytest.approx(DESIGN.T @ mean / 4)
    variance = np.delete(values, 2, axis=0).var(axis=1, ddof=1)
    # Squared weights 1/16 of seven means of two values, and of a single value whose variance is their mean.
    parts = variance / 16 / 2 + variance / 7 / 16
    assert found.effect_sd == pytest.approx(np.sqrt(parts.sum()))
    assert found.degrees_of_freedom == pytest.approx(parts.sum() ** 2 / (parts**2).sum())


def test_replicates_that_run_as_blocks_are_the_error():
    """Each replicate of a 2^3 is a block: noise is what settings and blocks leave, on 7 degrees of freedom."""
    values = measured(np.random.default_rng(7), {0: 5.0})
    own = np.linalg.norm(values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean())
    blocked = SimpleNamespace(matrix=np.tile(DESIGN, (2, 1)), factors=("a", "b", "c"), block=[1] * 8 + [2] * 8)
    found = main_effects(blocked, np.add(values, [0, 1000]).T.ravel(), mode="replicates")
    assert found.effect == pytest.approx(DESIGN.T @ values.mean(axis=1) / 4)
    assert found.effect_sd == pytest.approx([own / np.sqrt(7) / 2] * 3)
    assert found.p[0] < 0.01


def test_one_condition_with_most_of_the_noise_is_noted():
    values = measured(np.random.default_rng(8), {}, 4)
    assert main_effects(DESIGN, values, mode="replicates").notes == ()
    values[5] *= 30
    notes = main_effects(DESIGN, values, mode="replicates").notes
    assert holds(notes[0], "One condition", "of the noise of 8", "logarithm")
