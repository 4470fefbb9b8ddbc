"""What is associated with a verdict, with groups of runs, and which runs would break aliases."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mesonet import analysis, designs

DESIGN = designs.two_level(9, ["X6=X2*X3*X4*X5", "X7=X1*X3*X4*X5", "X8=X1*X2*X4*X5", "X9=X1*X2*X3*X5"])


def test_the_setting_that_parts_flagged_from_unflagged():
    flagged = DESIGN.matrix[:, 2] > 0
    flagged[np.flatnonzero(flagged)[0]] = False
    found = analysis.separating_settings(DESIGN, flagged)
    assert found.terms[0] == "X3"
    assert (found.flagged_plus[0], found.runs_plus[0], found.flagged_minus[0], found.runs_minus[0]) == (15, 16, 0, 16)
    assert found.level[0] == 1
    assert found.p[0] == pytest.approx(stats.fisher_exact([[15, 1], [0, 16]]).pvalue)
    assert found.q[0] >= found.p[0]
    pairs = analysis.separating_settings(DESIGN, DESIGN.matrix[:, 0] * DESIGN.matrix[:, 1] < 0, order=2)
    assert pairs.strings[0] == "X1*X2 = X6*X7"
    assert pairs.level[0] == -1


def test_separation_says_where_there_is_nothing_to_part():
    for flags in (np.zeros(32), np.ones(32)):
        found = analysis.separating_settings(DESIGN, flags)
        assert (found.p == 1).all()
        assert "nothing to part" in found.notes[0]
    unknown = analysis.separating_settings(DESIGN, np.zeros(32), known=DESIGN.matrix[:, 0] > 0)
    assert np.isnan(unknown.p[-1])
    assert unknown.terms[-1] == "X1"
    assert "16 of 32 conditions have no verdict" in unknown.notes[0]
    for wrong in ({"flagged": np.zeros(3)}, {"flagged": np.zeros(32), "order": 3}):
        with pytest.raises(ValueError, match=r"flags|order"):
            analysis.separating_settings(DESIGN, **wrong)


def test_rules_explain_groups_by_settings():
    signs = DESIGN.matrix
    groups = np.where(signs[:, 0] < 0, "A", np.where(signs[:, 1] > 0, "B", "C")).astype(object)
    found = analysis.group_rules(signs, groups, factors=DESIGN.factors)
    shown = {rule.text: rule.group for rule in found.rules}
    assert shown == {"X1 at −": "A", "X1 at + and X2 at −": "C", "X1 at + and X2 at +": "B"}
    assert (found.right, found.largest, found.runs) == (32, 16, 32)
    one = analysis.group_rules(signs, ["A"] * 32)
    assert one.rules[0].text == "all runs"
    assert "nothing to explain" in one.notes[0]
    none = analysis.group_rules(signs, [None] * 32)
    assert none.rules == ()
    assert none.to_polars().height == 0
    mixed = analysis.group_rules([[1], [1], [1], [1]], ["A", "B", "A", "B"])
    assert mixed.notes == ("No setting parts the groups.",)
    with pytest.raises(ValueError, match="depth"):
        analysis.group_rules(signs, groups, depth=4)


def test_equally_good_questions_are_named():
    signs = np.array([[-1, -1], [-1, -1], [1, 1], [1, 1]])
    assert analysis.group_rules(signs, [1, 1, 2, 2]).equally_good == (("x2",),)


def test_groups_of_points():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal(5, 0.1, (10, 2)), [[np.nan, 0.0]]])
    found = analysis.score_groups(points)
    assert found[:20].tolist() == [1] * 20
    assert found[20:30].tolist() == [2] * 10
    assert found[30] is None
    assert set(analysis.score_groups(np.ones((5, 2)))) == {1}
    assert set(analysis.score_groups(rng.normal(size=(2, 2)))) == {1}
    with pytest.raises(ValueError, match="shape"):
        analysis.score_groups([1.0])


def summary_of(cube, names):
    return analysis.condition_response_summary(cube, responses=["loss", "rtt"], algorithms=names)


def test_the_most_extreme_condition_and_the_median_algorithm():
    rng = np.random.default_rng(2)
    names = ["tcp", "bic", "fast", "htcp", "cubic", "illinois"]
    cube = 100 + rng.normal(0, 0.01, (8, 6, 2))
    cube[3, 2, 0] = 130
    cube[5, 2, 0] = 180
    found = analysis.extremes(summary_of(cube, names), cube)
    assert (found.algorithm[0], found.response[0], found.side[0], found.condition[0]) == ("fast", "loss", "high", 6)
    assert found.flagged[0] >= 2
    middle = np.median(cube[5, :, 0])
    assert abs(cube[5, names.index(found.against[0]), 0] - middle) < 0.02
    calm = analysis.extremes(summary_of(np.ones((8, 6, 2)), names), np.ones((8, 6, 2)))
    assert calm.to_polars().height == 0
    with pytest.raises(ValueError, match="expected"):
        analysis.extremes(summary_of(cube, names), cube[:3])


def test_follow_up_runs_separate_the_strings():
    strings = ["X1*X2 = X6*X7", "X1*X6 = X2*X7 = X3*X8 = X4*X9"]
    for runs in (8, 16):
        found = analysis.follow_up(DESIGN, strings, runs=runs)
        assert found.matrix.shape == (runs, 9)
        assert found.separated == found.effects
        assert found.still_aliased == ()
    both = np.concatenate([DESIGN.matrix, found.matrix]).astype(float)
    columns = [np.ones(48), np.r_[np.zeros(32), np.ones(16)], *both.T]
    columns += [both[:, [int(n[1:]) - 1 for n in e.split("*")]].prod(axis=1) for e in found.effects]
    model = np.column_stack(columns)
    assert np.linalg.matrix_rank(model) == model.shape[1]
    variance = 4 * np.diag(np.linalg.inv(model.T @ model))[11:]
    assert found.standard_error == pytest.approx(np.sqrt(variance))
    again = analysis.follow_up(DESIGN, strings, runs=16)
    assert (again.matrix == found.matrix).all()


def test_too_few_follow_up_runs_say_what_stays_aliased():
    strings = [" = ".join(each) for each in DESIGN.alias_strings]
    found = analysis.follow_up(DESIGN, strings, runs=4)
    assert found.still_aliased
    assert np.isnan(found.standard_error[[found.effects.index(e) for e in found.still_aliased]]).all()
    clear = analysis.follow_up(DESIGN, ["X1*X5"])
    assert "nothing is aliased" in clear.notes[0]
    with pytest.raises(ValueError, match="no factor 'Z'"):
        analysis.follow_up(DESIGN, ["X1*Z"])
    with pytest.raises(ValueError, match="3 follow-up runs"):
        analysis.follow_up(DESIGN, strings, runs=3)


def test_follow_up_of_twenty_factors():
    design = designs.named("min-aberration")
    strings = [" = ".join(each) for each in design.alias_strings][:3]
    found = analysis.follow_up(design, strings, runs=8)
    assert found.separated == found.effects
