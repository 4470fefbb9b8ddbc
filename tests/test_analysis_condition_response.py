"""The condition-response summary: flags, sides, what has no verdict, and how many flags chance would give."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from fragments import holds
from mesonet.analysis import (
    compare_algorithms,
    condition_response_summary,
    curvature,
    extremes,
    grubbs,
    rank_matrices,
    residuals,
)
from mesonet.analysis.condition_response import ALONE, TOO_FEW_EVENTS
from mesonet.reporting.campaign_view.events import too_few_events
from mesonet.reporting.figures.residuals import points_table, verdicts_table

SEVEN = ("tcp", "bic", "ctcp", "fast", "hstcp", "htcp", "scalable")


def summary(cells, algorithms=SEVEN, **options):
    """Summary of one condition whose cells are given as {response: values of the algorithms}."""
    cube = np.array(list(cells.values()), dtype=float).T[None]
    return condition_response_summary(cube, responses=list(cells), algorithms=algorithms, **options)


HIGH = [1.0, 1.1, 0.9, 5.0, 1.0, 1.05, 0.95]
LOW = [-value for value in HIGH]
LEVEL = [1.0, 1.1, 0.9, 1.2, 0.8, 1.05, 0.95]


def test_extreme_algorithm_side_and_size():
    result = summary({"high": HIGH, "low": [10 + v for v in LOW], "level": LEVEL})
    assert result.extreme[0].tolist()[:2] == ["fast", "fast"]
    assert result.side[0].tolist()[:2] == ["high", "low"]
    assert result.flagged[0].tolist() == [True, True, False]
    mean = np.mean(HIGH)
    assert result.residual[0, 0] == pytest.approx(5 - mean)
    assert result.relative_effect[0, 0] == pytest.approx(100 * (5 - mean) / mean)
    assert result.relative_effect[0, 1] < 0


def test_each_cell_is_the_grubbs_test_of_its_values():
    cube = np.random.default_rng(5).lognormal(size=(6, 7, 4))
    cube[2, 3, 1] = np.nan
    result = condition_response_summary(cube, responses="abcd", algorithms=SEVEN)
    for c in range(6):
        for r in range(4):
            single = grubbs(cube[c, :, r])
            assert result.extreme[c, r] == SEVEN[single.index]
            assert result.statistic[c, r] == pytest.approx(single.statistic)
            assert result.p[c, r] == pytest.approx(single.p)
            assert result.side[c, r] == single.side
            assert result.flagged[c, r] == single.is_outlier


def test_the_fixed_threshold_of_the_study_is_stricter_than_five_percent():
    between = [0.0, 1, 2, 3, 4, 2, 9.15]
    g = summary({"y": between}).statistic[0, 0]
    assert 2.02 < g < 2.08
    assert summary({"y": between}).flagged[0, 0]
    assert not summary({"y": between}, threshold=2.08).flagged[0, 0]


def test_expected_by_chance():
    cube = np.random.default_rng(1).normal(size=(32, 7, 48))
    options = {"responses": [f"y{i}" for i in range(48)], "algorithms": SEVEN}
    published = condition_response_summary(cube, threshold=2.08, **options)
    assert published.cells_tested == 1536
    assert published.expected_by_chance == pytest.approx(39, abs=0.5)
    assert published.cells_flagged == pytest.approx(39, abs=20)
    exact = condition_response_summary(cube, alpha=0.05, **options)
    assert exact.expected_by_chance == pytest.approx(0.05 * 1536)


def test_adjusted_p_is_that_of_benjamini_and_hochberg():
    result = summary({"a": HIGH, "b": LEVEL, "c": [0.0, 1, 2, 3, 4, 2, 9.15], "none": [1.0] * 7})
    p = np.sort(result.p[0, :3])
    by_hand = np.minimum.accumulate((p * 3 / np.array([1, 2, 3]))[::-1])[::-1]
    assert np.sort(result.q[0, :3]) == pytest.approx(np.minimum(by_hand, 1))
    assert np.isnan(result.q[0, 3])


def test_filter_by_relative_effect():
    near = [100 + v for v in HIGH]
    result = summary({"far": HIGH, "near": near}, min_relative_effect=10.0)
    assert result.flagged[0].tolist() == [True, False]
    assert summary({"far": HIGH, "near": near}).flagged[0].tolist() == [True, True]
    assert result.cells_tested == 2, "the filter does not change what was tested"


def test_indistinguishable_and_empty_cells_have_no_extreme():
    result = summary({"same": [0.1] * 7, "zero": [0.0] * 7, "empty": [np.nan] * 7, "one": [3.0] + [np.nan] * 6})
    assert result.extreme[0].tolist() == [None] * 4
    assert result.side[0].tolist() == [None] * 4
    assert result.statement[0].tolist() == [
        "not distinguishable",
        "not distinguishable",
        "nothing measured",
        "only one algorithm has a value",
    ]
    assert result.cells_tested == 0
    assert result.expected_by_chance == 0
    assert not result.flagged.any()


def test_no_effect_is_relative_to_a_mean_that_is_zero_but_for_rounding() -> None:
    values = np.array([0.1, 0.2, -0.3, 0.1, 0.2, -0.3])
    assert values.mean() != 0
    names = list("abcdef")
    found = condition_response_summary(values[None, :, None], responses=["r"], algorithms=names)
    assert np.isnan(found.relative_effect).all()
    assert np.isnan(rank_matrices(values[None, None], algorithms=names, columns=["r"]).relative).all()
    square = [[-1, -1], [-1, 1], [1, -1], [1, 1], [0, 0], [0, 0]]
    assert np.isnan(curvature(square, [0.1, 0.2, -0.3, 0.0, 1.0, 1.1]).relative_difference)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_fewer_than_five_algorithms_show_the_relative_effect_only(count):
    values = [1.0] * (count - 1) + [1000.0]
    result = summary({"y": values}, SEVEN[:count])
    assert result.extreme[0, 0] == SEVEN[count - 1]
    mean = np.mean(values)
    assert result.relative_effect[0, 0] == pytest.approx(100 * (1000 - mean) / mean)
    assert not result.flagged.any()
    assert np.isnan(result.statistic).all()
    assert result.statement[0, 0] == "Grubbs' test needs at least 5 algorithms"
    assert any(f"{count} algorithms are compared" in note for note in result.notes)


def test_of_two_equally_far_algorithms_the_higher_is_named():
    for values in ([1.0, 2.0], [2.0, 1.0], [0.1, 0.3], [0.3, 0.1]):
        result = summary({"y": values}, SEVEN[:2])
        assert result.extreme[0, 0] == SEVEN[int(np.argmax(values))]
        assert result.side[0, 0] == "high"


def test_five_algorithms_of_which_one_run_failed_have_no_verdict_there():
    cube = np.random.default_rng(2).normal(10, 1, size=(2, 5, 1))
    cube[1, 2, 0] = np.nan
    result = condition_response_summary(cube, responses=["y"], algorithms=SEVEN[:5])
    assert result.cells_tested == 1
    assert result.statement[0, 0] == ""
    assert result.statement[1, 0].startswith("only 4 algorithms have a value")
    assert any(holds(note, "1 cells", "fewer than 5") for note in result.notes)


def test_one_algorithm():
    result = summary({"y": [3.0]}, SEVEN[:1])
    assert result.extreme[0, 0] is None
    assert any("1 algorithm is compared" in note for note in result.notes)


def test_names_that_do_not_fit_the_cube():
    with pytest.raises(ValueError, match=r"expected .conditions, 7 algorithms, 1 responses"):
        condition_response_summary(np.zeros((2, 3, 1)), responses=["y"], algorithms=SEVEN)
    with pytest.raises(ValueError, match="3 condition numbers"):
        condition_response_summary(np.zeros((2, 7, 1)), responses=["y"], algorithms=SEVEN, conditions=[1, 2, 3])


def test_the_table_has_one_row_per_cell_in_the_order_given():
    cube = np.random.default_rng(3).normal(10, 1, size=(3, 7, 2))
    result = condition_response_summary(cube, responses=["zeta", "alpha"], algorithms=SEVEN, conditions=[4, 7, 9])
    table = result.to_polars()
    assert table.select("condition", "response").rows() == [(c, r) for c in (4, 7, 9) for r in ("zeta", "alpha")]
    cell = table.filter(condition=7, response="alpha")
    assert cell["residual"].item() == pytest.approx(result.residual[1, 1])
    data = result.to_xarray()
    assert data["statistic"].dims == ("condition", "response")
    assert data["statistic"].sel(condition=7, response="alpha").item() == pytest.approx(result.statistic[1, 1])
    assert table.schema["flagged"] == pl.Boolean
    assert result.to_arrow().num_rows == 6


def test_comparison_leaves_out_conditions_in_which_one_algorithm_is_missing():
    cube = np.array([[[1.0], [3.0]], [[2.0], [6.0]], [[100.0], [np.nan]]])
    result = compare_algorithms(cube, responses=["y"], algorithms=["a", "b"])
    assert result.mean[:, 0].tolist() == [1.5, 4.5]
    assert result.difference[:, 0].tolist() == [-50.0, 50.0]
    assert result.conditions_compared[:, 0].tolist() == [2, 2]


def test_comparison_without_an_algorithm_that_has_nothing():
    cube = np.array([[[1.0], [np.nan]], [[2.0], [np.nan]]])
    result = compare_algorithms(cube, responses=["y"], algorithms=["a", "b"])
    assert result.mean[0, 0] == 1.5
    assert np.isnan(result.mean[1, 0])
    nothing = compare_algorithms(np.full((2, 2, 1), np.nan), responses=["y"], algorithms=["a", "b"])
    assert np.isnan(nothing.mean).all()


def test_one_value_beside_equal_ones_is_no_finding():
    """One failed connection: G is then (n - 1) / sqrt(n) however small the difference, and its p is 0."""
    names = ("a", "b", "c", "d", "e")
    cells = [[0, 0, 0, 0, 1], [5, 5, 4, 5, 5], [7, 7, 7, 7, 7], [0, 0, 0, 1, 1], [1, 2, 3, 4, 50]]
    for adjust in ("none", "benjamini-hochberg"):
        result = condition_response_summary(
            np.array(cells, dtype=float)[:, :, None], responses=["failed"], algorithms=names, adjust=adjust
        )
        assert result.flagged[:, 0].tolist() == [False, False, False, False, True]
        assert np.isnan(result.p[:2, 0]).all()
        assert result.statement[0, 0] == result.statement[1, 0] == ALONE
        assert result.statement[2, 0] == "not distinguishable"
        assert result.cells_tested == 2
        assert any(holds(note, "2 of 5 cells", "all values but one", "no verdict") for note in result.notes)
        assert extremes(result, np.array(cells, dtype=float)[:, :, None]).condition.tolist() == [5]
    # The test itself is as published.
    alone = grubbs([0, 0, 0, 0, 1])
    assert alone.statistic == pytest.approx(4 / np.sqrt(5))


def test_cells_of_too_few_events_have_no_verdict():
    cube = np.array([[1.0, 2, 1, 2, 29], [100, 102, 101, 99, 290]])[:, :, None]
    result = condition_response_summary(
        cube, responses=["failed"], algorithms=("a", "b", "c", "d", "e"), too_few=[[True], [False]]
    )
    assert result.flagged[:, 0].tolist() == [False, True]
    assert result.statement[0, 0] == TOO_FEW_EVENTS
    assert too_few_events(cube[:, :, 0], "failures", {}, "measured").tolist() == [True, False]
    assert too_few_events(cube[:, :, 0], "ms", {}, "measured").tolist() == [False, False]
    time = {"duration": 40, "warmup": 10, "periods": 3}
    scenarios = [{"condition": c, "scenario": {"time": time, "measurement": {"interval": 10}}} for c in (1, 2)]
    rates = np.array([[0.0, 9.0], [0.0, 11.0]])
    for period, expected in (("measured", [True, False]), ("1", [True, True])):
        found = too_few_events(rates, "failures/interval", {"scenarios": scenarios}, period)
        assert found.tolist() == expected
    assert too_few_events(rates / 1e4, "1", {}, "measured").tolist() == [True, False]


def test_residuals_that_count_too_few_events_have_no_verdict():
    rng = np.random.default_rng(3)
    values = rng.normal(10, 0.1, size=(3, 7))
    values[:, 4] = [40, 30, 20]
    free = residuals(values, algorithms=SEVEN)
    assert free.summary.flagged.all()
    scarce = residuals(values, algorithms=SEVEN, too_few=[True, False, False])
    place = scarce.conditions.index(1)
    assert place == 2, "the widest condition stands last, and takes its mark along"
    assert scarce.summary.statement[:, 0].tolist() == ["", "", TOO_FEW_EVENTS]
    assert scarce.summary.flagged[:, 0].tolist() == [True, True, False]
    assert scarce.summary.cells_tested == 2
    assert points_table(scarce).height == values.size
    verdicts = dict(verdicts_table(scarce).select("condition", "verdict").iter_rows())
    assert (verdicts[1], verdicts[2]) == ("no verdict", "stands out high")
    with pytest.raises(ValueError, match=r"too_few has shape \(2,\)"):
        residuals(values, algorithms=SEVEN, too_few=[True, False])
