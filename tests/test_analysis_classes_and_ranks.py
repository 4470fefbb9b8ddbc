"""Classes of conditions, rank matrices, windows, Psi over sets, groupings: small cases worked by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mesonet import analysis, designs


def test_natural_breaks_part_at_the_gaps():
    assert analysis.natural_breaks([1, 2, 3, 20, 21, 50], 3) == (20, 50)
    assert analysis.natural_breaks([0, 0, 0, 5], 4) == (5,)
    assert analysis.natural_breaks([2, 2, 2], 3) == ()
    assert analysis.natural_breaks([], 3) == ()
    with pytest.raises(ValueError, match="finite"):
        analysis.natural_breaks([1, np.nan], 2)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=9), st.integers(1, 4))
def test_natural_breaks_are_the_best_of_all_cuts(values, classes):
    found = analysis.natural_breaks(values, classes)
    different = sorted(set(values))
    assert len(found) == min(classes, len(different)) - 1

    def within(cuts):
        parts = np.searchsorted(np.array(cuts, dtype=float), values, side="right")
        return sum(np.var(np.array(values)[parts == p]) * (parts == p).sum() for p in set(parts.tolist()))

    best = min(within(cuts) for cuts in combinations(different[1:], len(found)))
    assert within(found) == pytest.approx(best, abs=1e-9)


def test_classes_of_conditions_with_lost_ones():
    found = analysis.condition_classes([0.3, np.nan, 0.0, 0.31, 0.01], classes=2, names=["calm", "busy"])
    assert found.conditions == (3, 5, 1, 4)
    assert found.members(1) == (3, 5)
    assert found.typical(2) == 1
    assert found.absent == (2,)
    assert found.to_polars()["class"].to_list() == ["calm", "calm", "busy", "busy"]
    given = analysis.condition_classes([0.3, 0.0, 0.01], limits=[0.005, 0.5])
    assert given.number.tolist() == [1, 2, 2]
    assert given.members(3) == ()
    assert given.typical(3) is None
    assert analysis.condition_classes([np.nan]).conditions == ()
    assert analysis.condition_classes([1.0, 1.0]).limits == ()
    for wrong in ({"limits": [2, 1]}, {"names": ["a"], "limits": [0.1]}, {"classes": 0}, {"conditions": [1]}):
        with pytest.raises(ValueError, match=r"rise|names|classes|shape"):
            analysis.condition_classes([0.1, 0.2], **wrong)


def test_rank_matrix_of_a_worked_case():
    values = np.array([[[10.0, 12.0, 20.0], [5.0, 5.0, 5.0]], [[1.0, 9.0, 8.0], [np.nan, 3.0, np.nan]]])
    found = analysis.rank_matrices(values, algorithms=["a", "b", "c"], columns=["M", "W"])
    assert found.rank[0, 0].tolist() == [1, 2, 3]
    assert found.rank[0, 1].tolist() == [2, 2, 2]
    assert found.side[0, 0].tolist() == [-1, -1, 1]
    # Mean 14: the highest is 6 above, the lowest 4 below.
    assert found.stands_out[0, 0].tolist() == [0, 0, 1]
    # Mean 6: the highest is 3 above, the lowest 5 below.
    assert found.stands_out[1, 0].tolist() == [-1, 0, 0]
    assert not found.stands_out[0, 1].any()
    assert np.isnan(found.rank[1, 1]).all(), "nothing to compare with"
    assert found.relative[0, 0, 2] == pytest.approx(100 * 6 / 14)
    assert found.to_polars().height == 12
    low = analysis.rank_matrices(values, algorithms=["a", "b", "c"], columns=["M", "W"], ties="min")
    assert low.rank[0, 1].tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="expected"):
        analysis.rank_matrices(values, algorithms=["a"], columns=["M", "W"])


@pytest.mark.parametrize("ties", ["average", "min"])
@pytest.mark.parametrize("last", [30.0, np.nan])
def test_ranks_are_floats(ties, last):
    assert analysis.ranks([30.0, 10.0, last], ties=ties).dtype == np.float64


def test_windows_of_two_flows():
    windows = np.full((100, 2), np.nan)
    windows[:, 0] = np.r_[np.full(50, 300.0), np.full(50, 100.0)]
    windows[50:, 1] = 300.0
    found = analysis.window_shares(windows, flows=["red", "blue"], capacity=500)
    assert found.mean.tolist() == [200, 300]
    assert found.alone[0] == 300
    assert np.isnan(found.alone[1])
    assert found.total == 400
    assert found.filled == 80
    assert found.share.tolist() == [0.25, 0.75]
    assert found.jain == pytest.approx(400**2 / (2 * (100**2 + 300**2)))
    never = analysis.window_shares(np.full((3, 2), np.nan))
    assert np.isnan(never.total)
    assert never.to_polars()["mean"].null_count() == 2
    with pytest.raises(ValueError, match="capacity"):
        analysis.window_shares(windows, capacity=0)


def test_psi_of_sets_and_its_weighted_average():
    design = designs.two_level(["A", "B", "C", "D"])
    rng = np.random.default_rng(3)
    strong = 10 * design.matrix[:, [0]] + rng.normal(0, 0.1, (16, 2))
    noise = rng.normal(0, 1, (16, 2))
    lost = np.full((16, 1), np.nan)
    tables = {
        name: analysis.factor_table(design, data, responses=[f"{name}{i}" for i in range(data.shape[1])])
        for name, data in (("one", strong), ("two", noise), ("none", lost))
    }
    found = analysis.psi_table(tables, weights={"one": 3, "two": 1, "none": 7})
    assert found.psi[0].tolist() == [1, 0, 0, 0]
    assert found.weight.tolist() == [0.75, 0.25, 0]
    assert found.average == pytest.approx(0.75 * found.psi[0] + 0.25 * found.psi[1])
    assert found.order[0] == 0
    assert found.to_polars().height == 12
    assert analysis.psi_table({"none": tables["none"]}).to_polars()["average"].null_count() == 4
    with pytest.raises(ValueError, match="weight of 'two'"):
        analysis.psi_table(tables, weights={"one": 1, "none": 1})
    with pytest.raises(ValueError, match="at least one"):
        analysis.psi_table({})


def test_adjusted_rand_of_worked_cases():
    assert analysis.adjusted_rand([1, 1, 2, 2], [5, 5, 9, 9]) == 1
    # Pairs together in both: 1 (of 3 and 3, 15 pairs); expected 0.6: (1 - 0.6) / (3 - 0.6).
    assert analysis.adjusted_rand([1, 1, 2, 2, 3, 3], [1, 1, 2, 3, 2, 3]) == pytest.approx(0.4 / 2.4)
    assert analysis.adjusted_rand([1, 1], [1, 1]) == 1
    assert np.isnan(analysis.adjusted_rand([], []))
    with pytest.raises(ValueError, match="equal"):
        analysis.adjusted_rand([1], [1, 2])


def test_groupings_of_two_kinds_of_responses():
    rng = np.random.default_rng(1)
    base = rng.standard_normal((60, 2))
    data = np.column_stack([base[:, [0, 0, 0, 1, 1]] + 0.1 * rng.standard_normal((60, 5)), np.ones(60)])
    names = ["a", "b", "c", "d", "e", "flat"]
    alike = analysis.correlations(data, responses=names)
    parts = analysis.principal_components(data, responses=names)
    found = analysis.groupings(alike, parts)
    assert found.responses == ("a", "b", "c", "d", "e")
    assert found.cluster.tolist() == [1, 1, 1, 2, 2]
    assert len(set(found.component[:3])) == len(set(found.component[3:])) == 1
    assert found.agreement == 1
    assert found.components == 2
    nothing = analysis.groupings(
        analysis.correlations(np.ones((4, 1)), responses=["x"]),
        analysis.principal_components(np.ones((4, 1)), responses=["x"]),
    )
    assert nothing.to_polars().height == 0
