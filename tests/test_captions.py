"""Sentences under figures: gaps beside runners-up, ties, and verbs that go with their numbers."""

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fake_campaign import fake_campaign
from mesonet.analysis import interactions, ordered_data, rank_summary, residuals, terms
from mesonet.designs import two_level
from mesonet.reporting.campaign_view.space import Column
from mesonet.reporting.campaign_view.study import Study, factor_title
from mesonet.reporting.figures.ten_step_figures import ordered_caption
from mesonet.reporting.figures.user_figures import ranks_caption, shares_caption
from mesonet.reporting.text.captions import effects_caption, values_caption
from mesonet.reporting.text.method_captions import interactions_caption, residuals_sentence, terms_caption
from mesonet.words import numbered

COLUMN = Column("loss", "y1", "Loss rate", "1", "measured", "loss_rate", "measured")


@pytest.fixture(scope="module")
def study():
    return Study(fake_campaign(lost=(), missing=()))


def test_a_best_rank_stands_beside_the_next_one():
    # Mean ranks by class: tcp 2.5 and 2, bic 2 and 2, fast 1.5 and 2.
    cells = [[3.0, 2, 1], [2, 3, 1.0], [3, 1, 2], [2, 1, 3], [1, 2, 3], [2, 3, 1]]
    found = rank_summary(cells, classes=["web", "web", "movie", "movie", "movie", "movie"], algorithms=list("tbf"))
    order = np.argsort(-found.overall, kind="stable")
    said = ranks_caption(found)
    assert said.startswith(f"{found.algorithms[order[0]]} has the highest average rank, ")
    assert f"before {found.algorithms[order[1]]} with " in said
    alike = rank_summary([[1.0, 2], [2, 1]], classes=["web", "movie"], algorithms=["tcp", "bic"])
    assert "before bic with 1.5: no gap at all" in ranks_caption(alike)
    close = rank_summary([[1.0, 2, 3], [3, 2, 1], [2, 1, 3]], classes=list("abc"), algorithms=["x", "y", "z"])
    assert ranks_caption(close).startswith("z has the highest average rank, 2.33 of 3 (SD 1.2), before x with 2: a gap")
    assert "a gap of 0.33, less than either's SD" in ranks_caption(close)


def test_shares_name_the_next_algorithm_on_the_same_paths():
    panels, shares = ["fast paths", "fast paths", "slow paths", "slow paths"], [0.5, 0.48, 0.2, 0.1]
    table = pl.DataFrame({"panel": panels, "algorithm": ["tcp", "bic"] * 2, "value": shares})
    assert shares_caption(table) == (
        "The largest share is 50 % on fast paths, of tcp (next bic, 48 %); the smallest is 10 % on slow paths, of bic "
        "(next tcp, 20 %)."
    )


def test_a_verb_goes_with_its_number_and_an_interaction_with_the_next():
    design = two_level(["a", "b", "c", "d"])
    signs, noise = design.matrix.astype(float), 0.1 * np.random.default_rng(4).standard_normal(16)
    one = terms(design, 5 * signs[:, 0] + noise)
    assert "1 term of 15 exceeds the margin" in terms_caption("loss", one)
    both = 5 * signs[:, 0] * signs[:, 1] + 4 * signs[:, 2] * signs[:, 3] + noise
    two = terms(design, both)
    assert "2 terms of 15 exceed the margin" in terms_caption("loss", two)
    said = interactions_caption("loss", interactions(design, both), two)
    assert "is a*b " in said
    assert "; next c*d, 8" in said


def test_equal_values_are_not_called_the_one_smallest(study):
    design = study.campaign.design
    values = np.where(design.matrix[:, 0] > 0, 0.0, np.arange(32) + 1.0)
    said = ordered_caption(study, ordered_data(design, values), COLUMN)
    assert said.startswith("The smallest, 0 %, is in 16 conditions (")
    assert "The 16 smallest all have network speed (X1) at 1600 seg/ms" in said
    half = np.where(design.matrix[:, 0] > 0, 0.0, 1.0)
    half[np.flatnonzero(half == 0)[0]] = 1.0
    tied = ordered_caption(study, ordered_data(design, half), COLUMN)
    assert "largest all have" not in tied, "which of equal values come last says nothing"
    alike = study.values("loss_rate", "measured")
    assert (alike == alike.max()).sum() == 1
    assert "alike" not in values_caption(study, "loss_rate", "measured")
    flat = replace(study.campaign, responses=study.campaign.responses.with_columns(pl.col("value").clip(0, 0.01)))
    assert re.search(
        r"it is highest in \d+ runs alike \(condition", values_caption(Study(flat), "loss_rate", "measured")
    )
    assert [numbered("condition", n) for n in ([4], [4, 7], [1, 2, 3, 4])] == [
        "condition 4", "conditions 4 and 7", "4 conditions (1, 2, 3, ...)",
    ]  # fmt: skip


def test_the_largest_effect_and_the_widest_condition_stand_beside_the_next(study):
    result = study.effects("loss_rate", "measured", "tcp")
    order = np.argsort(-np.abs(result.effect))
    assert f"next is {factor_title(study, result.factors[order[1]])} with" in effects_caption(
        study, result, "loss_rate"
    )
    found = residuals([[1.0, 2, 3], [1, 2, 9], [1, 2, 6]], algorithms=["a", "b", "c"])
    assert "differ most in condition 2, by 8 s, before condition 3, by 5 s." in residuals_sentence(found, "delay", "s")
