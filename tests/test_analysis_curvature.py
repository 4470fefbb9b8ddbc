"""Curvature by centre points: the textbook example, other ways to the same numbers, and degenerate cases."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from mesonet.analysis import curvature, sensitivity
from mesonet.designs import centre_points, latin_hypercube, two_level

SQUARE = centre_points(two_level(2).matrix, 5)


def test_the_example_of_montgomery() -> None:
    """Yield of a chemical process: a 2^2 with five centre points (Design and Analysis of Experiments, example 6.7)."""
    result = curvature(SQUARE, [39.3, 40.9, 40.0, 41.5, 40.3, 40.5, 40.7, 40.2, 40.6])
    assert (result.mean_factorial, result.mean_centre) == pytest.approx((40.425, 40.46))
    assert result.difference == pytest.approx(-0.035)
    assert result.pure_error_sd**2 == pytest.approx(0.0430)
    assert result.degrees_of_freedom == 4
    assert result.t**2 * result.pure_error_sd**2 == pytest.approx(0.0027, abs=5e-5), "sum of squares of curvature"
    assert result.t**2 == pytest.approx(0.0633, abs=5e-4)
    assert result.p == pytest.approx(0.8137, abs=5e-4)


def test_replicates_of_corners_add_to_pure_error() -> None:
    """The t test of Welch: each corner and the centre have their own variance."""
    rng = np.random.default_rng(3)
    matrix = centre_points(two_level(3).matrix, 4)
    y = 5 + matrix @ [1, -2, 0.5] + 1.5 * (matrix[:, 0] == 0) + rng.normal(0, 0.3, (2, len(matrix)))
    frame = pl.DataFrame({"condition": list(range(1, 13)) * 2, "value": y.ravel()})
    result = curvature(matrix, frame)
    corners, centre = y[:, :8], y[:, 8:].ravel()
    parts = np.append(corners.var(axis=0, ddof=1) / 2 / 8**2, centre.var(ddof=1) / 8)
    freedom = parts.sum() ** 2 / (parts**2 / np.append(np.ones(8), 7)).sum()
    assert result.degrees_of_freedom == pytest.approx(freedom)
    assert result.t == pytest.approx((corners.mean() - centre.mean()) / np.sqrt(parts.sum()))
    assert result.p == pytest.approx(2 * stats.t.sf(abs(result.t), freedom))
    assert result.p < 1e-6
    assert result.centre_points == 8
    assert result.difference == pytest.approx(-1.5, abs=0.3)


def test_the_test_holds_its_level() -> None:
    rng = np.random.default_rng(1)
    straight = [curvature(SQUARE, SQUARE @ [2, -1] + rng.normal(size=9)).p for _ in range(2000)]
    assert np.mean(np.array(straight) < 0.05) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("y", "p", "message"),
    [
        ([1, 2, 3, 4] + [np.nan] * 5, np.nan, "No centre point has a value"),
        ([np.nan] * 4 + [1, 2, 3, 4, 5], np.nan, "No two-level condition has a value"),
        ([1, 2, 3, 4, 5] + [np.nan] * 4, np.nan, "no pure error"),
        ([7] * 9, 1.0, "any difference is curvature"),
        ([1, 2, 3, 4] + [2.5] * 5, 1.0, "any difference is curvature"),
        ([1, 2, 3, 4] + [3.5] * 5, 0.0, "any difference is curvature"),
        ([np.nan, 2, 3, 4, 1, 2, 3, 4, 5], None, "1 of 4 two-level conditions has no value"),
    ],
)
def test_degenerate_responses_say_so(y: list[float], p: float | None, message: str) -> None:
    result = curvature(SQUARE, y)
    assert message in " ".join(result.notes)
    if p is not None:
        assert result.p == pytest.approx(p, nan_ok=True)
    table = result.to_polars()
    assert table.height == 1
    assert (table["p"].null_count() == 1) == np.isnan(result.p)


@pytest.mark.parametrize("matrix", [two_level(2).matrix, np.zeros((3, 2)), np.ones(4), np.full((3, 2), 0.5)])
def test_designs_without_corners_or_centre_are_refused(matrix: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"curvature needs|an \(n, k\) array"):
        curvature(matrix, np.ones(len(matrix)))


def test_coefficients_of_a_linear_model() -> None:
    points = latin_hypercube(3, 200, seed=4)
    y = points @ [3.0, -1.0, 0.0]
    result = sensitivity(points, y, factors=["a", "b", "c"])
    expected = np.array([3.0, -1.0, 0.0]) * points.std(axis=0) / y.std()
    assert result.src == pytest.approx(expected, abs=1e-9)
    assert result.r_squared == pytest.approx(1)
    assert np.sign(result.prcc[:2]).tolist() == [1, -1]
    assert (result.p[:2] < 1e-30).all()
    assert result.to_polars()["factor"].to_list() == ["a", "b", "c"]


def test_coefficients_do_not_depend_on_units_and_offsets() -> None:
    points = latin_hypercube(2, 40, seed=4)
    y = points @ [1.0, 2.0]
    plain = sensitivity(points, y)
    other = sensitivity(points * [1e-6, 1e9] + [0, 1e15], y)
    assert other.src == pytest.approx(plain.src, abs=1e-6)
    assert other.prcc == pytest.approx(plain.prcc, abs=1e-6)


def test_ranks_see_what_rises_in_a_curve() -> None:
    points = latin_hypercube(2, 300, seed=4)
    result = sensitivity(points, np.exp(6 * points[:, 0]))
    assert result.prcc[0] == pytest.approx(1)
    assert result.r_squared_ranks == pytest.approx(1)
    assert result.r_squared < 0.6
    assert abs(result.prcc[1]) < 0.2


def test_partial_rank_correlation_from_the_inverse_of_the_correlation_matrix() -> None:
    """The other textbook way: -C_iy / sqrt(C_ii C_yy) with C the inverse of the rank correlation matrix."""
    rng = np.random.default_rng(7)
    points = latin_hypercube(4, 60, seed=2)
    y = points[:, 0] ** 3 - 0.5 * points[:, 1] + 0.3 * rng.normal(size=60)
    inverse = np.linalg.inv(stats.spearmanr(np.column_stack([points, y])).statistic)
    result = sensitivity(points, y)
    expected = -inverse[:4, 4] / np.sqrt(np.diag(inverse)[:4] * inverse[4, 4])
    assert result.prcc == pytest.approx(expected)
    t = np.abs(expected) * np.sqrt(55 / (1 - expected**2))
    assert result.p == pytest.approx(2 * stats.t.sf(t, 55))


@pytest.mark.parametrize(
    ("points", "y", "message"),
    [
        (np.eye(3), [1, 2, 3], "3 factors need at least 5 conditions with a value; there are 3"),
        (latin_hypercube(2, 9), [4.0] * 9, "the same in all runs"),
        (latin_hypercube(1, 9) @ [[1, 2]], list(range(9)), "depend on each other"),
        (np.column_stack([latin_hypercube(1, 9), np.ones(9)]), list(range(9)), "does not vary"),
    ],
)
def test_what_has_no_coefficients_says_so(points: np.ndarray, y: list[float], message: str) -> None:
    result = sensitivity(points, y)
    assert message in " ".join(result.notes)
    assert np.isnan(result.src).all()
    assert np.isnan(result.prcc).all()


def test_lost_runs_and_replicates() -> None:
    points = latin_hypercube(2, 12, seed=1)
    y = points @ [1.0, 2.0]
    frame = pl.DataFrame({"condition": [*range(1, 12), *range(1, 12)], "value": [*(y[:11] - 1), *(y[:11] + 1)]})
    result = sensitivity(points, frame)
    assert result.runs == 11
    assert "1 of 12 conditions" in result.notes[0]
    assert result.src == pytest.approx(sensitivity(points[:11], y[:11]).src)
    with pytest.raises(ValueError, match="3 factor names"):
        sensitivity(points, y, factors=["a", "b", "c"])
