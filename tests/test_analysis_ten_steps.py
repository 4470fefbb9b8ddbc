"""Steps of the graphical analysis on a textbook experiment and on fractions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from fragments import holds
from mesonet import analysis, designs
from mesonet.designs.rows import from_document, rows

# Filtration rate of a pilot plant, 2^4 in Yates order: D. C. Montgomery, Design and Analysis of Experiments.
RATE = np.array([45, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96], dtype=float)
PLANT = designs.two_level(["A", "B", "C", "D"])


def test_terms_of_a_full_factorial_are_all_its_effects() -> None:
    found = analysis.terms(PLANT, RATE)
    effects = dict(zip(found.terms, found.effect, strict=True))
    assert len(effects) == 15
    for name, value in {"A": 21.625, "A*C": -18.125, "A*D": 16.625, "D": 14.625, "C": 9.875, "A*B*D": 4.125}.items():
        assert effects[name] == pytest.approx(value)
    assert found.terms[:5] == ("A", "A*C", "A*D", "D", "C")
    assert found.grand_mean == pytest.approx(70.0625)
    # Published: PSE 2.625, ME 6.748, SME 13.699; the five largest effects are active.
    assert (found.noise.pse, found.noise.me, found.noise.sme) == pytest.approx((2.625, 6.748, 13.699), abs=5e-4)
    assert found.active.sum() == 5
    # The mean alone leaves the standard deviation of the response; all terms leave no freedom.
    assert found.sd == pytest.approx(RATE.std(ddof=1))
    assert np.isnan(found.residual_sd[-1])
    rest = np.sum((found.effect[5:] / 2) ** 2) * 16
    assert found.residual_sd[4] == pytest.approx(np.sqrt(rest / 10))


def test_terms_of_a_fraction_are_its_alias_strings_each_once() -> None:
    design = designs.two_level(["A", "B", "C", "D"], ["D=A*B*C"])
    y = design.matrix @ np.array([1.0, 0.0, 0.0, 0.5]) + design.matrix[:, 0] * design.matrix[:, 1]
    found = analysis.terms(design, y)
    strings = dict(zip(found.terms, found.strings, strict=True))
    assert len(strings) == 7
    assert strings["A*B"] == "A*B = C*D"
    assert {strings[name] for name in ("A*C", "A*D")} == {"A*C = B*D", "A*D = B*C"}
    assert found.effect[:3] == pytest.approx([2.0, 2.0, 1.0])
    negative = designs.two_level(["A", "B", "C"], ["C=-A*B"])
    assert set(analysis.terms(negative, [1.0, 2.0, 3.0, 5.0]).strings) == {"A = -B*C", "B = -A*C", "C = -A*B"}


def test_the_study_s_large_fraction_has_every_estimable_string() -> None:
    generators = [f"X{n}=" + "*".join(f"X{d}" for d in word) for n, word in zip(
        range(9, 21), ("123", "124", "125", "126", "127", "128", "234", "235", "236", "237", "238", "345"), strict=True
    )]  # fmt: skip
    design = designs.two_level([f"X{i}" for i in range(1, 21)], generators)
    found = analysis.terms(design, np.arange(256.0) % 17)
    assert sum(order == 1 for order in found.order) == 20
    assert sum(order == 2 for order in found.order) == 72


def test_half_normal_medians_rise_and_centre_on_the_median() -> None:
    medians = analysis.half_normal_medians(15)
    assert np.all(np.diff(medians) > 0)
    assert medians[7] == pytest.approx(0.6745, abs=1e-3)
    assert len(analysis.half_normal_medians(0)) == 0
    assert analysis.half_normal_medians(1)[0] == pytest.approx(0.6745, abs=1e-3)


def test_lenth_says_when_there_is_nothing_to_tell() -> None:
    assert np.isnan(analysis.lenth([3.0]).me)
    assert np.isnan(analysis.lenth([0.0, 0.0, 0.0, 5.0]).me)
    assert analysis.lenth([1.0, np.nan, 2.0]).effects == 2
    with pytest.raises(ValueError, match="one-dimensional"):
        analysis.lenth([[1.0]])


def test_interactions_hold_means_and_effects_of_every_pair() -> None:
    found = analysis.interactions(PLANT, RATE)
    assert found.effect[0, 0] == pytest.approx(21.625)
    assert found.effect[0, 2] == found.effect[2, 0] == pytest.approx(-18.125)
    assert found.mean_plus[0, 0] == pytest.approx(RATE[1::2].mean())
    lost = RATE.copy()
    lost[3] = np.nan
    assert analysis.interactions(PLANT, lost).runs == 15


def test_ordered_data_counts_equal_settings_at_both_ends() -> None:
    found = analysis.ordered_data(PLANT, RATE)
    assert (found.value[0], found.value[-1]) == (43, 104)
    assert found.condition[-1] == 12
    # The five largest have A at +, the six smallest have it at - but for the fourth.
    assert found.longest_high[0] == 4
    assert list(found.signs[-1]) == [1, 1, -1, 1]
    table = found.to_polars()
    assert table["rank"].to_list() == list(range(1, 17))


def test_blocks_show_whether_a_factor_matters_everywhere() -> None:
    found = analysis.blocks(PLANT, RATE, target="A")
    assert found.robustness == ("D", "C", "B")
    assert len(found.mean_plus) == 8
    assert (found.higher_plus, found.higher_minus) == (6, 2)
    assert found.p == pytest.approx(0.2890625)
    with pytest.raises(ValueError, match="there is no factor 'Z'"):
        analysis.blocks(PLANT, RATE, target="Z")


def test_contour_goes_through_the_corner_means() -> None:
    found = analysis.contour(PLANT, RATE)
    # A, then A*C: the axes are A and the other component.
    assert found.factors == ("A", "C")
    assert (found.grid[0], found.grid[-1]) == (-1, 1)
    at = {point: int(np.argmin(np.abs(found.grid - point))) for point in (-1, 0, 1)}
    assert found.surface[at[0], at[0]] == pytest.approx(70.0625)
    for up, across in ((0, 0), (0, 1), (1, 0), (1, 1)):
        point = (at[2 * up - 1], at[2 * across - 1])
        assert found.surface[point] == pytest.approx(found.corners[up, across])
    with pytest.raises(ValueError, match="at least two factors"):
        analysis.contour(designs.two_level(["A"]), [1.0, 2.0])


def test_axes_of_a_contour_follow_the_ranked_list_or_the_argument() -> None:
    a, b, c, d = PLANT.matrix.T.astype(float)
    for y, axes in (
        (4 * a + 3 * d + 2 * b * c, ("A", "D")),
        (4 * a + 3 * a * c + 2 * b, ("A", "C")),
        (4 * a + 3 * b * c + 2 * c + d, ("A", "C")),
        (4 * b * d + d, ("D", "B")),
    ):
        assert analysis.contour(PLANT, 10 + y).factors == axes
    assert analysis.contour(PLANT, RATE, axes=("D", "B")).factors == ("D", "B")
    assert analysis.contour(PLANT, RATE, categorical={"C"}).factors == ("A", "D")
    for axes in (("A", "A"), ("A", "Z"), ("A", "C")):
        with pytest.raises(ValueError, match="axes is"):
            analysis.contour(PLANT, RATE, axes=axes, categorical={"C"})
    assert analysis.ten_steps(PLANT, RATE, categorical={"A", "B", "C"}).contour is None


def test_a_contour_shows_no_impossible_value() -> None:
    """Rates of lost runs: least squares alone would predict a negative rate."""
    y = np.array([0.0, 0.4, 0.0, 0.0, 0.0, 0.3, 0.0, np.nan, 0.0, np.nan, np.nan, 0.0, 0.0, 0.2, 0.0, 0.0])
    found = analysis.contour(PLANT, y)
    assert found.surface.min() >= 0
    assert found.surface.max() <= 0.4


def test_psi_counts_stars() -> None:
    rng = np.random.default_rng(1)
    matrix = PLANT.matrix.astype(float)
    strong = 10 * matrix[:, 0] + 0.1 * rng.standard_normal(16)
    data = np.column_stack([strong, -strong, np.ones(16), np.full(16, np.nan)])
    found = analysis.factor_table(PLANT, data, responses=["up", "down", "flat", "lost"])
    assert found.sign[:2, 0].tolist() == [1, -1]
    assert found.stars[0, 0] == "**"
    stars = np.isfinite(found.p)
    weight = np.where(found.p < 0.01, 1, np.where(found.p < 0.05, 0.5, 0))
    assert found.psi == pytest.approx((weight * stars).sum(axis=0) / stars.sum(axis=0))
    assert found.sign[2].tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="expected"):
        analysis.factor_table(PLANT, data[:5], responses=["a", "b", "c", "d"])


@pytest.mark.parametrize(
    "method", [analysis.terms, analysis.interactions, analysis.ordered_data, analysis.contour], ids=lambda m: m.__name__
)
def test_degenerate_responses_give_results(method) -> None:
    for y in (np.full(16, 3.0), np.full(16, np.nan), np.r_[1.0, np.full(15, np.nan)]):
        assert method(PLANT, y).to_polars() is not None


def test_effects_that_cannot_be_computed_rank_last() -> None:
    lost = np.full(16, np.nan)
    lost[[0, 1, 2, 3]] = [0.1, 0.2, 0.15, 0.3]  # only A and B have both settings
    found = analysis.terms(PLANT, lost)
    assert np.isnan(found.effect[-1])
    assert np.isfinite(found.effect[: np.isfinite(found.effect).sum()]).all()
    assert set(analysis.contour(PLANT, lost).factors) == {"A", "B"}


def test_a_single_factor_has_one_block() -> None:
    found = analysis.blocks(designs.two_level(["A"]), [1.0, 3.0], target="A")
    assert (found.higher_plus, len(found.mean_plus), found.robustness) == (1, 1, ())


def test_residual_sd_is_that_of_least_squares_with_and_without_lost_runs() -> None:
    rng = np.random.default_rng(1)
    for lost in ((), (3,), (0, 1, 2, 3, 4, 5, 6, 7)):
        y = RATE + rng.normal(0, 1, 16)
        y[list(lost)] = np.nan
        found = analysis.terms(PLANT, y)
        there = np.isfinite(y)
        columns = [np.ones(16)]
        for term, sd in zip(found.terms, found.residual_sd, strict=True):
            columns.append(PLANT.column(term).astype(float))
            model = np.column_stack(columns)[there]
            rest = y[there] - model @ np.linalg.lstsq(model, y[there])[0]
            freedom = there.sum() - np.linalg.matrix_rank(model)
            assert sd == pytest.approx(np.sqrt(rest @ rest / freedom)) if freedom > 0 else np.isnan(sd)


def test_spread_of_a_worked_case() -> None:
    y = np.array([1.0, 10, 3, 30, 2, 20, 4, 100])
    found = analysis.factor_scatter(designs.two_level(["A", "B", "C"]), y)
    assert found.mean[0].tolist() == [2.5, 40]
    assert found.sd[0] == pytest.approx([np.std([1, 3, 2, 4], ddof=1), np.std([10, 30, 20, 100], ddof=1)])
    assert found.spread_p[0] == pytest.approx(stats.levene([1, 3, 2, 4], [10, 30, 20, 100], center="median").pvalue)
    assert found.to_polars().height == 6
    flat = analysis.factor_scatter(PLANT, np.full(16, 3.0))
    assert np.isnan(flat.spread_p).all()
    [note] = flat.notes
    assert holds(note, "same", "all runs")


def test_rounding_is_no_spread_and_not_far_out() -> None:
    """Two values of a level are equally far from their median: nothing to compare spreads with."""
    pairs = analysis.factor_scatter(designs.two_level(["A", "B"]), [0.8, 0.4, 0.6, 0.4])
    assert np.isnan(pairs.spread_p).all()
    flat = analysis.factor_scatter(PLANT, [0.1] * 15 + [(0.1 + 0.1 + 0.1) / 3])
    assert flat.far_out.sum() == 0
    assert flat.notes


def test_rounding_is_no_difference_of_a_block() -> None:
    """Without an effect of a, both of its levels have the same values in each block, in another order."""
    design = designs.two_level(["a", "b", "c", "d", "e", "f"])
    a, e, f = design.matrix[:, [0, 4, 5]].T.astype(float)
    found = analysis.blocks(design, 0.6 + 0.1 * e * f + 0.7 * f * a + 0.3 * e * a, target="a")
    assert found.robustness == ("b", "c", "d")
    assert (found.mean_plus != found.mean_minus).any()
    assert (found.higher_plus, found.higher_minus) == (0, 0)


def test_ten_steps_hold_the_result_of_each() -> None:
    found = analysis.ten_steps(PLANT, RATE)
    assert found.effects.effect[0] == pytest.approx(21.625)
    assert list(found.blocks) == ["A", "B", "C", "D"]
    assert found.contour is not None
    assert analysis.ten_steps(designs.two_level(["A"]), [1.0, 2.0]).contour is None


def test_false_discoveries_can_be_held_down() -> None:
    rng = np.random.default_rng(5)
    cube = rng.normal(10, 1, (40, 6, 10))
    cube[0, 2, 0] = 60
    about = {"responses": [str(i) for i in range(10)], "algorithms": list("abcdef")}
    plain, held = (analysis.condition_response_summary(cube, adjust=a, **about) for a in ("none", "benjamini-hochberg"))
    assert held.flagged[0, 0]
    assert held.cells_flagged < plain.cells_flagged
    assert (held.flagged == (held.q < 0.05)).all()
    assert held.expected_by_chance == pytest.approx(0.05 * held.cells_flagged)
    with pytest.raises(ValueError, match="leave out the threshold"):
        analysis.condition_response_summary(cube, adjust="benjamini-hochberg", threshold=2.0, **about)
    with pytest.raises(ValueError, match="adjust is 'x'"):
        analysis.condition_response_summary(cube, adjust="x", **about)


def test_terms_of_runs_that_are_lost_say_how_far_they_overlap() -> None:
    design = designs.two_level(["a", "b", "c"])
    rng = np.random.default_rng(8)
    y = rng.standard_normal(8)
    whole = analysis.terms(design, y)
    assert whole.notes == ()
    y[0] = np.nan
    # Of two orthogonal columns of 8 signs, one run less: |cosine| = (1 + 1 / 7) / (7 - 1 / 7) = 1 / 6.
    assert "correlation up to 0.17" in analysis.terms(design, y).notes[1]
    y[design.matrix[:, 0] != design.matrix[:, 1]] = np.nan
    y[0] = 1.0
    assert "Cannot be estimated" in analysis.terms(design, y).notes[-1]


def test_a_difference_between_blocks_is_no_effect() -> None:
    design = designs.blocks(designs.two_level(["a", "b", "c"]), 2).design
    day = np.where(np.array(design.block) == 2, 10.0, 0.0)
    found = analysis.terms(design, day + design.matrix[:, 0])
    assert (found.terms[0], found.terms[-1]) == ("a", "a*b*c")
    assert found.effect == pytest.approx([2, 0, 0, 0, 0, 0, np.nan], nan_ok=True)
    assert found.notes[1] == "Cannot be distinguished from differences between blocks: a*b*c."
    assert found.notes[1] in analysis.ten_steps(design, day).terms.notes
    assert found.notes[1] in analysis.conclusion(design, day).notes
    assert "blocks" not in " ".join(analysis.terms(designs.two_level(["a", "b", "c"]), day).notes)


def test_blocks_that_differ_by_a_hundred_sigma_hide_no_effect() -> None:
    design = designs.blocks(designs.two_level(5), 2).design
    rng = np.random.default_rng(2)
    y = rng.normal(size=32) + 5 * design.matrix[:, 0]
    day = 100.0 * np.array(design.block)
    for mode in ("nist", "full"):
        plain, blocked = (analysis.main_effects(design, each, mode=mode) for each in (y, y + day))
        assert blocked.p == pytest.approx(plain.p)
        assert blocked.p[0] < 1e-9
        assert blocked.degrees_of_freedom[0] == {"nist": 32 - 2 - 1, "full": 32 - 2 - 5}[mode]


def test_effects_of_a_semifold_are_free_of_its_halves() -> None:
    table = {"runs": 8, "foldover": ["d"], "half": "-c"}
    again = from_document(rows(["a", "b", "c", "d"], table).document()).design
    day = np.where(np.array(again.block) == 2, 10.0, 0.0)
    # The added runs have the - level of c, so that a difference of means would take their day for an effect of c.
    steps = analysis.ten_steps(again, day + 3 * again.matrix[:, 2])
    assert steps.effects.effect == pytest.approx([0, 0, 6, 0])
    assert np.diag(steps.interactions.effect) == pytest.approx([0, 0, 6, 0])
    assert steps.terms.terms[0] == "c"


def test_lost_runs_bias_no_effect() -> None:
    """13 of 16 runs without noise: effects of the truth, and zero elsewhere."""
    rng = np.random.default_rng(3)
    a, b, c, d = PLANT.matrix.T.astype(float)
    y = 50 + 4 * a - 3 * b + 6 * a * c + 5 * c * d
    truth = {"A": 8.0, "B": -6.0, "A*C": 12.0, "C*D": 10.0}
    for _ in range(5):
        lost = y.copy()
        lost[rng.choice(16, 3, replace=False)] = np.nan
        found = analysis.terms(PLANT, lost)
        for term, effect in zip(found.terms, found.effect, strict=True):
            assert np.isnan(effect) or effect == pytest.approx(truth.get(term, 0.0), abs=1e-9)
        assert any("least squares" in note for note in found.notes)
        pairs = analysis.interactions(PLANT, lost)
        assert pairs.effect[0, 2] == pytest.approx(12)
        assert pairs.effect[0, 3] == pytest.approx(0, abs=1e-9)
        main = analysis.main_effects(PLANT, lost)
        assert main.effect == pytest.approx([8, -6, 0, 0], abs=1e-9)
        assert any("least squares" in note for note in main.notes)


def test_pairs_of_a_plackett_burman_design_are_fitted_together() -> None:
    signs = designs.plackett_burman(11).astype(float)[:, :4]
    design, names = signs, ["a", "b", "c", "d"]
    y = 10 + 3 * signs[:, 0] + 2 * signs[:, 0] * signs[:, 1]
    found = analysis.terms(design, y, factors=names)
    effects = dict(zip(found.terms, found.effect, strict=True))
    assert effects["a"] == pytest.approx(6)
    assert effects["a*b"] == pytest.approx(4)
    assert effects["c"] == pytest.approx(0, abs=1e-9)
    saturated = designs.plackett_burman(11)
    found = analysis.terms(saturated, np.arange(12.0) ** 2)
    assert len(found.terms) == 11
    assert "not regular" in found.notes[0]


def test_every_string_of_a_fraction_is_a_term_even_of_three_factors() -> None:
    design = designs.two_level(["A", "B", "C", "D", "E"], ["E=A*B*C*D"])
    assert len(analysis.terms(design, np.arange(16.0)).terms) == 15
    design = designs.two_level(["A", "B", "C", "D", "E", "F"], ["F=A*B*C*D*E"])
    found = analysis.terms(design, np.arange(32.0))
    assert len(found.terms) == 31
    strings = dict(zip(found.terms, found.strings, strict=True))
    assert strings["A*B*C"] == "A*B*C = D*E*F"
    assert strings["A*B"] == "A*B"


def test_five_effects_of_four_sigma_are_found_and_noise_seldom() -> None:
    """2^4, one run each: power of at least 90 % for every five effects of 4 standard errors, and few false alarms."""
    rng = np.random.default_rng(1)
    signs = PLANT.matrix.astype(float)
    seen = wrong = 0
    for _ in range(200):
        chosen = rng.choice(15, 5, replace=False)
        columns = analysis.terms(PLANT, np.arange(16.0)).terms
        y = rng.standard_normal(16)
        for place in chosen:
            y += 2 * 4 / np.sqrt(16) * np.prod(signs[:, ["ABCD".index(f) for f in columns[place].split("*")]], axis=1)
        found = analysis.terms(PLANT, y)
        on = {term for term, active in zip(found.terms, found.active, strict=True) if active}
        real = {columns[place] for place in chosen}
        seen += len(on & real)
        wrong += len(on - real)
    assert seen / 1000 > 0.9
    assert wrong / 2000 < 0.05


def test_rounding_is_never_active() -> None:
    """Four replicated conditions of a response that depends on A alone, computed with rounding."""
    a = PLANT.matrix[:, 0].astype(float)
    y = 0.1 + 0.2 * a + 1e-16 * np.random.default_rng(2).standard_normal(16)
    found = analysis.terms(PLANT, y)
    assert not found.active.any()
    assert "no noise" in found.notes[-1]
    assert (found.effect[1:] == 0).all()
    constant = analysis.terms(PLANT, 1e6 + 1e-9 * a)
    assert not constant.active.any()
    full = analysis.main_effects(PLANT, y, mode="full")
    assert full.stars[1:] == ("", "", "")
    assert not analysis.lenth([3.0, *[1e-16, -2e-16, 1.5e-16] * 5]).active([3.0, 1e-16]).any()
