"""Main effects against a textbook example, hand arithmetic and SciPy's analysis of variance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fragments import holds
from mesonet.analysis import interactions, main_effects, terms

# Full 2^3 in Yates order; yields of the pilot plant of Box, Hunter and Hunter, Statistics for Experimenters.
CUBE = np.array([[a, b, c] for c in (-1, 1) for b in (-1, 1) for a in (-1, 1)])
YIELD = np.array([60.0, 72, 54, 68, 52, 83, 45, 80])


def half_fraction_of_six() -> np.ndarray:
    base = np.array([[1 if run >> bit & 1 else -1 for bit in range(5)] for run in range(32)])
    return np.column_stack([base, base.prod(axis=1)])


def test_textbook_effects():
    result = main_effects(CUBE, YIELD, factors=["temperature", "concentration", "catalyst"])
    assert result.effect == pytest.approx([23.0, -5.0, 1.5])
    assert result.grand_mean == 64.25
    assert result.mean_minus == pytest.approx([52.75, 66.75, 63.5])
    assert result.mean_plus == pytest.approx([75.75, 61.75, 65.0])
    assert result.relative_effect == pytest.approx([100 * 23 / 64.25, -500 / 64.25, 150 / 64.25])


def test_noise_of_the_single_factor_model_by_hand():
    # SST = 1317.5; without temperature 1317.5 - 8 * 23^2 / 4 = 259.5 remains on 6 degrees of freedom: s^2 = 43.25.
    result = main_effects(CUBE, YIELD)
    assert result.residual_sd[0] == pytest.approx(np.sqrt(43.25))
    assert result.effect_sd[0] == pytest.approx(2 * np.sqrt(43.25) / np.sqrt(8))
    assert result.t[0] == pytest.approx(23 / np.sqrt(43.25 / 2))
    assert result.degrees_of_freedom.tolist() == [6, 6, 6]
    assert result.stars == ("**", "", "")
    assert result.notes == ()


def test_noise_of_the_full_model_by_hand():
    # 259.5 - 8 * 5^2 / 4 - 8 * 1.5^2 / 4 = 205 remains on 8 - 1 - 3 = 4 degrees of freedom.
    result = main_effects(CUBE, YIELD, mode="full")
    assert result.residual_sd == pytest.approx(np.sqrt([51.25] * 3))
    assert result.degrees_of_freedom.tolist() == [4, 4, 4]
    assert result.effect == pytest.approx([23.0, -5.0, 1.5])
    assert result.stars == ("*", "", ""), "the two idle factors cost it two degrees of freedom"


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=32, max_size=32).filter(lambda y: np.ptp(y) > 1e-3))
def test_single_factor_t_is_the_one_way_analysis_of_variance(y):
    design = half_fraction_of_six()
    result = main_effects(design, y)
    for j, signs in enumerate(design.T):
        oracle = stats.f_oneway(np.array(y)[signs > 0], np.array(y)[signs < 0])
        assert result.t[j] ** 2 == pytest.approx(oracle.statistic, rel=1e-6, abs=1e-9)
        assert result.p[j] == pytest.approx(oracle.pvalue, rel=1e-6, abs=1e-12)
        assert result.f_cdf[j] == pytest.approx(100 * (1 - oracle.pvalue), rel=1e-6, abs=1e-7)


def test_a_full_model_flags_what_one_large_effect_hides():
    design = half_fraction_of_six()
    noise = np.random.default_rng(7).normal(size=32)
    y = 100 * design[:, 0] + 2 * design[:, 1] + noise
    assert main_effects(design, y).stars[1] == ""
    assert main_effects(design, y, mode="full").stars[1] == "**"


@pytest.mark.parametrize(("f_target", "stars"), [(99.01, "**"), (98.99, "*"), (95.01, "*"), (94.99, "")])
def test_stars_begin_at_95_and_99(f_target, stars):
    # Two levels of four values each: residuals +-1 within a level, the distance chosen to meet the wanted F.
    f = stats.f.isf(1 - f_target / 100, 1, 6)
    distance = np.sqrt(f * (8 / 6) / 2)
    y = np.array([1.0, -1, 1, -1, 1, -1, 1, -1]) + np.repeat([0, distance], 4)
    result = main_effects(np.repeat([-1, 1], 4)[:, None], y, mode="replicates")
    assert result.f_cdf[0] == pytest.approx(f_target, abs=1e-9)
    assert result.stars == (stars,)


def test_a_lost_run_is_left_out_and_said_so():
    y = YIELD.copy()
    y[3] = np.nan
    result = main_effects(CUBE, y)
    assert result.runs == 7
    assert holds(result.notes[0], "1 of 8 conditions", "no value", "left out")
    assert "least squares" in result.notes[1]
    # Mean, main effects and pairs take the 7 runs that are left: an exact fit.
    kept = ~np.isnan(y)
    pairs = np.column_stack([CUBE[:, i] * CUBE[:, j] for i, j in ((0, 1), (0, 2), (1, 2))])
    beta = np.linalg.solve(np.column_stack([np.ones(8), CUBE, pairs])[kept], y[kept])
    assert result.effect == pytest.approx(2 * beta[1:4])
    assert result.mean_plus == pytest.approx(beta[0] + beta[1:4])
    # The noise is what the mean and that one factor leave.
    for j in range(3):
        rest = y[kept] - y[kept].mean() - beta[1 + j] * (CUBE[kept, j] - CUBE[kept, j].mean())
        assert result.residual_sd[j] == pytest.approx(np.sqrt(rest @ rest / 5))


def test_full_model_with_a_lost_run_has_the_effects_of_the_one_model_and_its_own_noise():
    y = YIELD.copy()
    y[3] = np.nan
    kept = ~np.isnan(y)
    model = np.column_stack([np.ones(7), CUBE[kept]])
    _, residual, *_ = np.linalg.lstsq(model, y[kept])
    result = main_effects(CUBE, y, mode="full")
    assert result.effect == pytest.approx(main_effects(CUBE, y).effect)
    assert result.residual_sd == pytest.approx([np.sqrt(residual[0] / 3)] * 3)


def test_a_lost_run_lends_no_interaction_to_a_main_effect():
    """Run 6 of a 2^4 is lost: the saturated model without the interaction of all four is exact."""
    design = np.array([[1 if run >> bit & 1 else -1 for bit in range(4)] for run in range(16)])
    y = 50.0 + 10 * design[:, 0] + 20 * design[:, :3].prod(axis=1)
    y[5] = np.nan
    found = terms(design, y)
    for mode in ("nist", "full"):
        assert main_effects(design, y, mode=mode).effect == pytest.approx([20, 0, 0, 0])
    assert np.diag(interactions(design, y).effect) == pytest.approx([20, 0, 0, 0])
    assert dict(zip(found.terms[:2], found.effect[:2], strict=True)) == pytest.approx({"x1*x2*x3": 40, "x1": 20})
    assert any(holds(note, "taken to be zero", "x1*x2*x3*x4") for note in main_effects(design, y).notes)


def test_no_error_grows_to_more_than_twice_with_lost_runs():
    design = np.array([[1 if run >> bit & 1 else -1 for bit in range(5)] for run in range(32)])
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = rng.normal(size=32)
        y[rng.permutation(32)[:5]] = np.nan
        found = main_effects(design, y)
        assert (found.effect_sd <= 2 * found.residual_sd * 2 / np.sqrt(27) * (1 + 1e-9)).all()


def test_rows_of_equal_settings_are_replicates():
    """Both level means of x1 are 3, but x1 is + in two of the three runs in which x2 raises the response."""
    design, y = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [1, 1]]), np.array([0.0, 0, 3, 6, 6])
    found = main_effects(design, y, mode="full")
    assert found.runs == 4
    assert found.effect == pytest.approx([-0.75, 5.25])
    assert found.effect == pytest.approx(main_effects(design[:4], [0, 0, 4.5, 6], mode="full").effect)


def test_a_full_model_without_freedom_still_separates_the_effects():
    """As many runs as coefficients: 0 + 1 (x1) + 4 (x2), which a difference of level means would mix."""
    found = main_effects([[-1, -1], [1, -1], [1, 1]], [0.0, 1, 5], mode="full")
    assert found.effect == pytest.approx([1, 4])
    assert np.isnan(found.p).all()


def test_a_factor_with_one_level_left_has_no_effect():
    y = np.where(CUBE[:, 2] > 0, np.nan, YIELD)
    for mode in ("nist", "full"):
        result = main_effects(CUBE, y, mode=mode)
        assert np.isnan(result.effect[2])
        assert result.effect[:2] == pytest.approx([13.0, -5.0])
        assert any("Only one level" in note and "x3" in note for note in result.notes)
        assert result.stars[2] == ""


@pytest.mark.parametrize("mode", ["nist", "full"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_response_has_no_effects(mode, value):
    result = main_effects(CUBE, np.full(8, value), mode=mode)
    assert result.effect.tolist() == [0, 0, 0]
    assert result.stars == ("", "", "")
    assert any("same in all runs" in note for note in result.notes)


def test_an_effect_without_any_noise_is_certain():
    result = main_effects(CUBE, 3.0 + CUBE[:, 1])
    assert result.effect.tolist() == [0, 2, 0]
    assert result.stars == ("", "**", "")
    assert result.p[1] == 0


def test_nothing_measured():
    result = main_effects(CUBE, np.full(8, np.nan))
    assert result.runs == 0
    assert np.isnan(result.effect).all()
    assert any("Nothing was measured" in note for note in result.notes)


def test_relative_effect_of_a_response_with_mean_zero_is_missing():
    result = main_effects(CUBE, CUBE[:, 0].astype(float))
    assert np.isnan(result.relative_effect).all()
    assert result.to_polars()["relative_effect"].null_count() == 3


def frame(values, algorithm="tcp", replicate=1):
    return pl.DataFrame(
        {"condition": range(1, 9), "algorithm": algorithm, "replicate": replicate, "value": values},
        schema_overrides={"value": pl.Float64},
    )


def test_a_frame_is_read_in_condition_order():
    shuffled = frame(YIELD).sample(fraction=1, shuffle=True, seed=3)
    assert main_effects(CUBE, shuffled).effect == pytest.approx([23.0, -5.0, 1.5])


def test_a_frame_with_an_absent_and_a_null_row_has_lost_runs():
    lost = frame(YIELD).filter(pl.col("condition") != 4).with_columns(value=pl.col("value").replace(52.0, None))
    assert main_effects(CUBE, lost).notes[0].startswith("2 of 8 conditions have no value")


def test_algorithms_are_never_pooled():
    both = pl.concat([frame(YIELD), frame(2 * YIELD, "cubic")])
    with pytest.raises(ValueError, match=r"2 algorithms .cubic, tcp.*algorithm="):
        main_effects(CUBE, both)
    assert main_effects(CUBE, both, algorithm="cubic").effect == pytest.approx([46.0, -10.0, 3.0])
    with pytest.raises(ValueError, match="no values of algorithm 'bbr'"):
        main_effects(CUBE, both, algorithm="bbr")


def test_replicates_are_averaged_unless_they_are_the_noise():
    pairs = pl.concat([frame(YIELD - 1, replicate=1), frame(YIELD + 1, replicate=2)])
    averaged = main_effects(CUBE, pairs)
    assert averaged.t == pytest.approx(main_effects(CUBE, YIELD).t)
    assert any("averaged" in note for note in averaged.notes)
    # Pure error: 8 conditions with residuals -1 and +1: 16 / 8 = 2; SD of an effect 2 sqrt(2) / sqrt(16).
    pure = main_effects(CUBE, pairs, mode="replicates")
    assert pure.residual_sd == pytest.approx([np.sqrt(2)] * 3)
    assert pure.effect_sd == pytest.approx([2 * np.sqrt(2) / 4] * 3)
    assert pure.degrees_of_freedom == pytest.approx([8, 8, 8])


def test_pure_error_needs_replicates():
    result = main_effects(CUBE, YIELD, mode="replicates")
    assert np.isnan(result.p).all()
    assert any("No run is replicated" in note for note in result.notes)


def test_a_design_object_brings_its_factor_names():
    design = SimpleNamespace(matrix=CUBE.astype(np.int8), factors=("A", "B", "C"))
    assert main_effects(design, YIELD).factors == ("A", "B", "C")


@pytest.mark.parametrize(
    ("design", "y", "options", "message"),
    [
        (CUBE * 2, YIELD, {}, "-1 and \\+1"),
        (CUBE, YIELD[:7], {}, "shape \\(7,\\)"),
        (CUBE, YIELD, {"factors": ["a"]}, "1 factor names"),
        (CUBE, YIELD, {"mode": "anova"}, "nist, full, replicates"),
        (CUBE, pl.DataFrame({"condition": [9], "value": [1.0]}), {}, "conditions must be 1 to 8"),
        (CUBE, pl.DataFrame({"condition": [0], "value": [1.0]}), {}, "conditions must be 1 to 8"),
        (CUBE, pl.DataFrame({"value": [1.0]}), {}, "lacks the column condition"),
    ],
)
def test_unusable_input_is_refused(design, y, options, message):
    with pytest.raises(ValueError, match=message):
        main_effects(design, y, **options)


def test_the_four_forms_of_the_table_agree():
    result = main_effects(CUBE, YIELD)
    table = result.to_polars()
    assert table.columns[:4] == ["factor", "mean_minus", "mean_plus", "effect"]
    assert result.to_pandas()["effect"].tolist() == table["effect"].to_list()
    arrow = result.to_arrow()
    assert arrow.column("effect").to_pylist() == table["effect"].to_list()
    assert arrow.schema.field("relative_effect").metadata[b"unit"] == b"%"
    data = result.to_xarray()
    assert data["effect"].sel(factor="x2").item() == pytest.approx(-5.0)
    assert data.attrs["grand_mean"] == 64.25


def test_prints_as_a_table():
    design = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])
    text = repr(main_effects(design, [1.0, 2.0, 3.0, 5.0], factors=["heat", "time"]))
    assert text.startswith("MainEffects: ")
    assert "heat" in text
    assert "effect" in text
