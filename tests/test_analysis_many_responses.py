"""Correlations, principal components, clusters of algorithms and ranks."""

from __future__ import annotations

import numpy as np
import pytest

from fragments import holds
from mesonet import analysis
from mesonet.reporting.figures.clusters import caption as clusters_caption


def test_a_cluster_is_a_connected_component_not_a_clique() -> None:
    rng = np.random.default_rng(1)
    a, c = rng.standard_normal((2, 400))
    data = np.column_stack([a, a + c, c, rng.standard_normal(400), np.ones(400)])
    found = analysis.correlations(data, responses=["a", "both", "c", "alone", "flat"], threshold=0.6)
    assert found.constant == ("flat",)
    assert found.clusters == (("a", "both", "c"), ("alone",))
    assert found.representatives == ("both", "alone")
    assert abs(found.r[0, 2]) < 0.15
    assert found.r == pytest.approx(np.corrcoef(data[:, :4].T), abs=1e-12)
    assert found.order[0] == 1
    assert len(found.absolute) == 6


def test_the_hint_lies_in_the_gap_of_the_histogram() -> None:
    rng = np.random.default_rng(2)
    groups = rng.standard_normal((500, 3))
    data = np.repeat(groups, 4, axis=1) + 0.2 * rng.standard_normal((500, 12))
    found = analysis.correlations(data, responses=[str(i) for i in range(12)], threshold=None)
    assert 0.2 < found.hint < 0.9
    assert found.threshold == found.hint
    assert [len(cluster) for cluster in found.clusters] == [4, 4, 4]


def test_missing_values_are_left_out_pair_by_pair() -> None:
    rng = np.random.default_rng(3)
    data = rng.standard_normal((50, 2)) + 1e9
    data[:5, 0] = np.nan
    found = analysis.correlations(data, responses=["a", "b"])
    assert found.r[0, 1] == pytest.approx(np.corrcoef(data[5:].T)[0, 1], abs=1e-6)
    assert analysis.correlations(np.full((4, 1), np.nan), responses=["a"]).clusters == ()
    with pytest.raises(ValueError, match="threshold is 2"):
        analysis.correlations(data, responses=["a", "b"], threshold=2)


def test_of_equal_responses_the_first_represents_the_cluster() -> None:
    rng = np.random.default_rng(6)
    for _ in range(50):
        first, other = rng.standard_normal((2, 30))
        # Counts and shares of one event in runs of equal length: the same but for a factor.
        data = np.column_stack([first, other + 3 * first, first / 3, (other + 3 * first) * 0.7])
        found = analysis.correlations(data, responses=["a", "b", "a / 3", "0.7 b"])
        assert (found.representatives, found.order) == (("a",), (0, 1, 2, 3))


def test_a_response_that_is_constant_over_the_shared_runs_has_no_correlation() -> None:
    """Its deviations there from its mean over all runs are rounding, whose r with any response could be 1."""
    rng = np.random.default_rng(4)
    for size in rng.uniform(0.01, 1, size=20):
        flat = np.array([size] * 5 + [5 * size, np.nan])
        other = np.array([*rng.normal(1, 0.2, 5), np.nan, 3.0])
        both_flat = np.array([size / 3] * 5 + [np.nan, size])
        found = analysis.correlations(np.column_stack([flat, other, both_flat]), responses=["f", "o", "b"])
        assert np.isnan(found.r[np.triu_indices(3, 1)]).tolist() == [True, True, False]
        assert {("f",)} < set(found.clusters)


def test_a_value_far_away_in_a_run_that_is_not_shared_does_not_change_a_correlation() -> None:
    data = np.column_stack([[1.0, 2, 3, 4, 5, 1e9], [1.0, 3, 2, 5, 4, np.nan]])
    assert analysis.correlations(data, responses=["a", "b"]).r[0, 1] == pytest.approx(0.8, abs=1e-12)


@pytest.mark.parametrize("form", ["correlation", "covariance"])
def test_components_are_the_eigenvectors(form: str) -> None:
    rng = np.random.default_rng(4)
    data = rng.standard_normal((60, 5)) @ rng.standard_normal((5, 5)) * [1, 5, 1, 2, 1]
    data = np.column_stack([data, np.full(60, 4.0)])
    data[7, 2] = np.nan
    found = analysis.principal_components(data, responses=list("abcdef"), form=form)
    rows = np.delete(data, 7, axis=0)[:, :5]
    matrix = np.corrcoef(rows.T) if form == "correlation" else np.cov(rows.T)
    assert found.variance == pytest.approx(np.sort(np.linalg.eigvalsh(matrix))[::-1])
    assert found.share.sum() == pytest.approx(1)
    assert (found.constant, found.left_out) == (("f",), (7,))
    assert np.isnan(found.scores[7]).all()
    scores = np.delete(found.scores, 7, axis=0)
    assert np.cov(scores.T) == pytest.approx(np.diag(found.variance), abs=1e-9)
    assert (found.loadings.max(axis=1) >= -found.loadings.min(axis=1)).all()


def test_a_response_without_values_takes_no_run_away() -> None:
    rng = np.random.default_rng(6)
    data = rng.standard_normal((20, 3))
    wider = np.column_stack([data[:, 0], np.full(20, np.nan), data[:, 1:], np.ones(20)])
    found = analysis.principal_components(wider, responses=["a", "gone", "b", "c", "flat"])
    assert found.responses == ("a", "b", "c")
    assert (found.empty, found.constant, found.left_out) == (("gone",), ("flat",), ())
    assert found.notes == ("Without any value: gone.", "The same in all runs: flat.")
    assert found.to_polars().height == 9
    np.testing.assert_allclose(found.variance, analysis.principal_components(data, responses=list("abc")).variance)
    alike = analysis.correlations(wider, responses=["a", "gone", "b", "c", "flat"])
    assert (alike.scarce, alike.constant) == (("gone",), ("flat",))


def test_runs_that_all_lack_something_are_not_called_constant() -> None:
    found = analysis.principal_components([[1, np.nan], [2, np.nan], [np.nan, 3], [np.nan, 5]], responses=["a", "b"])
    assert (found.constant, found.empty, found.left_out) == ((), (), (0, 1, 2, 3))
    [note] = found.notes
    assert holds(note, "No run", "every response", "no components")


def test_components_of_nothing() -> None:
    found = analysis.principal_components(np.full((3, 2), np.nan), responses=["a", "b"])
    assert len(found.variance) == 0
    assert (found.empty, found.constant) == (("a", "b"), ())
    with pytest.raises(ValueError, match="form is 'x'"):
        analysis.principal_components(np.ones((3, 2)), responses=["a", "b"], form="x")


def test_the_algorithm_apart_joins_last() -> None:
    rng = np.random.default_rng(5)
    data = rng.normal(1, 0.01, (7, 10))
    data[2] = 2
    names = ["tcp", "bic", "fast", "hstcp", "htcp", "scalable", "ctcp"]
    found = analysis.clustering(data, algorithms=names, responses=[str(i) for i in range(10)])
    assert found.most_distant == "fast"
    assert found.distinct
    assert len(set(found.group[[0, 1, 3, 4, 5, 6]])) == 1
    assert found.group[2] not in found.group[[0, 1, 3]]
    assert sorted(found.leaves) == list(range(7))
    table = found.to_polars()
    assert table["place"].to_list() == [found.leaves.index(i) + 1 for i in range(7)]


def test_a_response_that_one_algorithm_lacks_is_named() -> None:
    data = np.array([[1.0, 2.0, 3.0], [1.1, np.nan, 4.0], [5.0, 2.0, 9.0], [np.nan] * 3])
    found = analysis.clustering(data, algorithms=list("abcd"), responses=["loss", "rtt", "goodput"])
    assert (found.responses_used, found.incomplete, found.absent) == (("loss", "goodput"), ("rtt",), ("d",))
    assert found._attributes()["responses left out"] == "rtt"
    titles = {"loss": "loss rate", "rtt": "round-trip time", "goodput": "goodput"}
    shown = clusters_caption({3: found}, tuple("abcd"), titles)
    assert holds(shown, "lacks it", "round-trip time in 1 of 1")
    assert "Without values: d in 1 condition." in shown


def test_identical_algorithms_are_one_flat_group() -> None:
    found = analysis.clustering(np.ones((5, 3)), algorithms=list("abcde"), responses=list("xyz"))
    assert not found.distinct
    assert (found.group == 1).all()
    assert found.most_distant is None
    lost = np.array([[1.0, 2.0], [np.nan, np.nan], [1.0, 3.0], [1.0, np.nan]])
    found = analysis.clustering(lost, algorithms=list("abcd"), responses=list("xy"))
    assert found.absent == ("b",)
    assert found.responses_used == ()


def test_ranks_with_ties_and_their_summary() -> None:
    values = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 1.0], [np.nan, 1.0, 2.0]])
    assert analysis.ranks(values[:2], ties="min").tolist() == [[3, 1, 2], [2, 2, 1]]
    assert analysis.ranks(values[1]).tolist() == [2.5, 2.5, 1]
    assert np.isnan(analysis.ranks(values[2])[0])
    found = analysis.rank_summary(values, classes=["M", "M", "WO"], algorithms=["a", "b", "c"], ties="min")
    assert found.classes == ("M", "WO")
    assert found.mean[0, 0] == 2.5
    assert np.isnan(found.mean[0, 1])
    assert found.overall[1] == pytest.approx((1.5 + 1) / 2)
    # The spread is that of the class means, as the published table has it.
    assert found.sd[1] == pytest.approx(np.std([1.5, 1.0], ddof=1))
    with pytest.raises(ValueError, match="ties is 'max'"):
        analysis.ranks(values, ties="max")


def test_goodput_ranges() -> None:
    among, over = analysis.goodput_ranges([[100.0, 150.0, 125.0], [np.nan] * 3], [[90.0, 80.0, 80.0], [np.nan] * 3])
    assert among[0] == pytest.approx(50)
    assert over[0] == pytest.approx(100 * (125 / (250 / 3) - 1))
    assert np.isnan(among[1])
    assert np.isnan(over[1])


def test_the_sign_of_a_component_does_not_depend_on_the_order_of_rows() -> None:
    """Both loadings of two responses are equally large but for rounding."""
    data = np.random.default_rng(4).normal(size=(12, 2)) @ [[1, -0.6], [0, 1]]
    signs = set()
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(12)
        found = analysis.principal_components(data[order], responses=["a", "b"])
        signs.add(tuple(np.sign(found.loadings[:, 0])))
    assert signs == {(1.0, 1.0)}


def test_a_response_with_a_single_value_takes_no_run_away() -> None:
    data = np.random.default_rng(5).normal(size=(10, 3))
    data[1:, 2] = np.nan
    found = analysis.principal_components(data, responses=["a", "b", "rare"])
    assert (found.responses, found.sparse, found.left_out) == (("a", "b"), ("rare",), ())
    assert found.notes == ("Left out without a value in most of the runs: rare.",)
    data[:6, 2] = 1.0 + np.arange(6)
    assert len(analysis.principal_components(data, responses=["a", "b", "c"]).left_out) == 4


@pytest.mark.parametrize("offset", [0.0, 1e12])
def test_a_large_mean_is_no_constant_response(offset: float) -> None:
    data = offset + np.random.default_rng(6).normal(size=(30, 2))
    assert analysis.principal_components(data, responses=["a", "b"]).constant == ()
    assert analysis.correlations(data, responses=["a", "b"]).constant == ()
    design = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]])
    effect = analysis.main_effects(design, offset + np.array([0.0, 0.25, 0.5, 0.875])).effect
    assert effect.tolist() == [0.3125, 0.5625]
    rounded = np.nextafter(offset + 0.1, [np.inf, 0.0, np.inf, 0.0])
    assert (analysis.terms(design, rounded).effect == 0).all()


def test_ties_that_decide_a_tree_are_noted() -> None:
    about = {"algorithms": ["a", "b", "c"], "responses": ["r"]}
    assert analysis.clustering([[0.0], [1.0], [3.0]], **about).notes == ()
    tied = analysis.clustering([[0.0], [1.0], [2.0]], **about)
    assert holds(tied.notes[0], "equal", "order of the algorithms")
