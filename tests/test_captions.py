"""Sentences under figures: gaps beside runners-up, ties, and verbs that go with their numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from fake_campaign import fake_campaign
from fragments import holds
from mesonet.analysis import (
    Groupings,
    condition_classes,
    correlations,
    group_rules,
    interactions,
    ordered_data,
    rank_summary,
    residuals,
    terms,
)
from mesonet.designs import two_level
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.available_share import caption as shares_caption
from mesonet.reporting.figures.congestion import caption as classes_caption
from mesonet.reporting.figures.correlations import caption as correlations_caption
from mesonet.reporting.figures.groupings import caption as groupings_caption
from mesonet.reporting.figures.half_normal import caption as terms_caption
from mesonet.reporting.figures.half_normal import margins_table
from mesonet.reporting.figures.interactions import caption as interactions_caption
from mesonet.reporting.figures.main_effects import caption as effects_caption
from mesonet.reporting.figures.ordered import caption as ordered_caption
from mesonet.reporting.figures.rank_table import caption as ranks_caption
from mesonet.reporting.figures.residuals import residuals_sentence
from mesonet.reporting.figures.responses import caption as values_caption
from mesonet.reporting.figures.run_groups import caption as scores_caption
from mesonet.words import difference, fall, numbered


@pytest.fixture(scope="module")
def view():
    return CampaignView(fake_campaign(lost=(), missing=()))


def test_a_best_rank_stands_beside_the_next_one():
    # Mean ranks by class: tcp 2.5 and 2, bic 2 and 2, fast 1.5 and 2.
    cells = [[3.0, 2, 1], [2, 3, 1.0], [3, 1, 2], [2, 1, 3], [1, 2, 3], [2, 3, 1]]
    found = rank_summary(cells, classes=["web", "web", "movie", "movie", "movie", "movie"], algorithms=list("tbf"))
    order = np.argsort(-found.overall, kind="stable")
    printed = ranks_caption(found)
    assert printed.startswith(f"{found.algorithms[order[0]]} has the highest average rank, ")
    assert f"before {found.algorithms[order[1]]} with " in printed
    alike = rank_summary([[1.0, 2], [2, 1]], classes=["web", "movie"], algorithms=["tcp", "bic"])
    assert holds(ranks_caption(alike), "before bic", "1.5", "no gap")
    close = rank_summary([[1.0, 2, 3], [3, 2, 1], [2, 1, 3]], classes=list("abc"), algorithms=["x", "y", "z"])
    assert holds(
        ranks_caption(close),
        "z has the highest",
        "2.33 of 3 (SD 1.2)",
        "before x with 2:",
        "gap of 0.33",
        "less than either's SD",
    )


def test_shares_name_the_next_algorithm_on_the_same_paths():
    panels, shares = ["fast paths", "fast paths", "slow paths", "slow paths"], [0.5, 0.48, 0.2, 0.1]
    table = pl.DataFrame({"panel": panels, "algorithm": ["tcp", "bic"] * 2, "value": shares})
    printed = shares_caption(table)
    assert holds(printed, "largest", "50 % on fast paths", "tcp", "next bic, 48 %")
    assert holds(printed, "smallest", "10 % on slow paths", "bic", "next tcp, 20 %")


def test_a_verb_goes_with_its_number_and_an_interaction_with_the_next():
    design = two_level(["a", "b", "c", "d"])
    signs, noise = design.matrix.astype(float), 0.1 * np.random.default_rng(4).standard_normal(16)
    one = terms(design, 5 * signs[:, 0] + noise)
    assert holds(terms_caption("loss", "s", one), "1 of 15 effects on loss", "exceeds", "margin")
    both = 5 * signs[:, 0] * signs[:, 1] + 4 * signs[:, 2] * signs[:, 3] + noise
    two = terms(design, both)
    printed = terms_caption("loss", "s", two)
    assert holds(
        printed, "2 of 15 effects on loss", "exceed the margin", "chance", "0.75", "2 exceed the simultaneous margin"
    )
    assert "string" not in printed, "nothing is aliased"
    printed = interactions_caption("loss", "s", interactions(design, both), two)
    assert "is a*b: 10" in printed
    assert "; next c*d, 8" in printed
    assert "Orange: beyond the margin." in printed


def test_conditions_of_one_class_are_counted():
    found = condition_classes([0.0, 0.0], names=["all"])
    assert classes_caption(found) == "There is one class of congestion, with 2 conditions."


def test_equal_values_are_not_called_the_one_smallest(view):
    design = view.campaign.design
    values = np.where(design.matrix[:, 0] > 0, 0.0, np.arange(32) + 1.0)
    printed = ordered_caption(view, ordered_data(design, values), "loss_rate")
    assert holds(printed, "smallest, 0 %", "16 conditions (", "16 smallest all", "network speed (X1) at 1600 seg/ms")
    half = np.where(design.matrix[:, 0] > 0, 0.0, 1.0)
    half[np.flatnonzero(half == 0)[0]] = 1.0
    tied = ordered_caption(view, ordered_data(design, half), "loss_rate")
    assert "largest all have" not in tied, "which of equal values come last says nothing"
    alike = view.values("loss_rate", "measured")
    assert (alike == alike.max()).sum() == 1
    assert "alike" not in values_caption(view, "loss_rate", view.long("loss_rate", "measured"))
    flat = replace(view.campaign, responses=view.campaign.responses.with_columns(pl.col("value").clip(0, 0.01)))
    table = CampaignView(flat).long("loss_rate", "measured")
    for rows in (table, table.reverse()):
        first = rows.filter(pl.col("value") == 0.01).row(0, named=True)
        named = rf"alike \(condition {first['condition']} with {first['algorithm']} is one\)"
        assert re.search(rf"highest in \d+ combinations .* {named}", values_caption(view, "loss_rate", rows))
    assert [numbered("condition", n) for n in ([4], [4, 7], [1, 2, 3, 4])] == [
        "condition 4", "conditions 4 and 7", "4 conditions (1, 2, 3, ...)",
    ]  # fmt: skip


def test_the_largest_effect_and_the_widest_condition_stand_beside_the_next(view):
    result = view.effects("loss_rate", "measured", "tcp")
    order = np.argsort(-np.abs(result.effect))
    assert f"next is {factor_title(view, result.factors[order[1]])} with" in effects_caption(view, result, "loss_rate")
    found = residuals([[1.0, 2, 3], [1, 2, 9], [1, 2, 6]], algorithms=["a", "b", "c"])
    sentence = residuals_sentence(found, "delay", "s")
    assert holds(sentence, "differ most in condition 2", "by 8 s", "before condition 3", "by 5 s.")


def test_few_effects_tell_no_noise_and_no_margin_is_drawn():
    design = two_level(["a", "b"])
    y = np.array([0.13, 0.09, 0.11, 0.06])
    found = terms(design, y)
    assert np.isfinite(found.noise.me)
    assert margins_table(found).is_empty()
    too_few = ("3 effects", "too few", "noise")
    assert holds(terms_caption("loss", "1", found), *too_few)
    printed = interactions_caption("loss", "1", interactions(design, y), found)
    assert holds(printed, "largest interaction on loss", "a*b", "−0.5 percentage points", *too_few)


def test_replicates_tell_the_noise_of_few_effects():
    design = two_level(["a", "b"])
    value = [0.131, 0.089, 0.109, 0.061, 0.129, 0.091, 0.111, 0.059]
    y = pl.DataFrame({"condition": [1, 2, 3, 4] * 2, "value": value, "replicate": [1] * 4 + [2] * 4})
    found = terms(design, y, noise="replicates")
    assert margins_table(found).height == 2
    printed = terms_caption("loss", "1", found)
    assert holds(
        printed, "3 of 3 effects on loss", "exceed the margin of error of 0.28 percentage points", "scatter between"
    )
    assert "Lenth" not in printed


def test_a_chain_of_pairs_is_not_called_one_behaviour():
    rng = np.random.default_rng(1)
    a, b, c = rng.standard_normal((3, 400))
    data = np.column_stack([a, a + b, b, c, 2 * c])
    names = ["a", "ab", "b", "c", "cc"]
    printed = correlations_caption({name: name for name in names}, correlations(data, responses=names))
    assert holds(printed, "5 responses that vary", "2 groups")
    assert holds(
        printed, "Ab and a and b", "chains", "2 of the 3 pairs", "above 0.65", "2 of the 2 with ab", "|r| goes down"
    )
    assert holds(printed, "C and cc", "every pair")


def rules_of(groups, view):
    signs = view.campaign.design.matrix[:, :3].astype(float)
    rules = group_rules(signs, groups, factors=["X1", "X2", "X3"])
    return SimpleNamespace(view=view, run_rules=rules, run_groups=np.asarray(groups, dtype=object))


def test_rules_no_better_than_the_largest_group_explain_nothing(view):
    groups = [1] * 32
    groups[5], groups[9] = 2, 2
    printed = scores_caption(rules_of(groups, view))
    assert "No rule of up to 3 settings" in printed
    assert holds(printed, "No rule", "largest group alone", "30 of 32 combinations")


def test_rules_name_levels_and_the_question_that_another_factor_answers_as_well(view):
    x1, x2, x3 = view.campaign.design.matrix[:, :3].T
    groups = np.where(x1 < 0, 1, np.where((x2 > 0) == (x3 > 0), 2, 3)).tolist()
    printed = scores_caption(rules_of(groups, view))
    assert "Group 1: network speed (X1) at 800 seg/ms." in printed, "the branches of one group are one rule"
    exact = np.where(x1 < 0, 1, np.where(x2 > 0, 2, 1)).tolist()
    printed = scores_caption(rules_of(exact, view))
    assert "In place of network speed (X1), " in printed
    assert "right for 32 of 32 combinations" in printed


def test_significance_is_said_at_the_level_reached_and_against_what(view):
    strong = view.effects("loss_rate", "measured", "tcp")
    assert "Significant at 99 %: network speed (X1)" in effects_caption(view, strong, "loss_rate")
    none = replace(strong, stars=("",) * len(strong.stars))
    for mode, against in (("nist", "variation between the conditions"), ("replicates", "scatter between replicates")):
        printed = effects_caption(view, replace(none, mode=mode), "loss_rate")
        assert holds(printed, "No effect", "significant", "95 %", f"against the {against}")
    untested = replace(none, p=np.full(len(none.p), np.nan))
    assert "ignificant" not in effects_caption(view, untested, "loss_rate")


def test_groupings_count_the_components_that_are_followed():
    shown = {"responses": tuple("abcd"), "left_out": (), "representative": tuple("aacc"), "weight": np.ones(4)}
    found = Groupings(
        cluster=np.array([1, 1, 2, 2]), component=np.array([1, 1, 3, 3]), components=4, agreement=1.0, **shown
    )
    assert holds(groupings_caption(found), "2 groups", "2 components", "Both agree")
    one = replace(found, component=np.ones(4, dtype=int))
    assert groupings_caption(one).endswith("follow 1 component: nothing to compare.")


def test_units_of_differences():
    assert difference(0.0061, "1") == "0.61 percentage points"
    assert difference(0.01, "1") == "1 percentage point"
    assert difference(3.0, "ms") == "3 ms"
    assert fall(0.025, 0.01, "1") == "2.5 down to 1 percentage points"
