"""Noise of the deployment verdicts: pairs of runs, variances that differ, ratios, missing replicates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fake_campaign import fake_campaign
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.verdict import verdicts

RESPONSE, PERIOD = "goodput_dd", "measured"


@pytest.fixture(scope="module")
def campaign():
    return fake_campaign(lost=(), missing=())


def with_runs(campaign, values):
    """The campaign with the values of one response in every run: shape (conditions, algorithms, replicates)."""
    first = campaign.responses.filter((pl.col("response") == RESPONSE) & (pl.col("period") == PERIOD))
    places = first.with_columns(
        pl.Series("at", [campaign.algorithms.index(name) for name in first["algorithm"]], dtype=pl.Int64)
    )
    rows, runs = [], []
    for replicate in range(values.shape[2]):
        found = values[places["condition"].to_numpy() - 1, places["at"].to_numpy(), replicate]
        rows.append(first.with_columns(value=pl.Series(found), replicate=pl.lit(replicate + 1, pl.Int64)))
        done = np.isfinite(values[campaign.runs["condition"].to_numpy() - 1, :, replicate])
        done = done[np.arange(len(done)), [campaign.algorithms.index(name) for name in campaign.runs["algorithm"]]]
        status = np.where(done, "done", "missing")
        runs.append(campaign.runs.with_columns(status=pl.Series(status), replicate=pl.lit(replicate + 1, pl.Int64)))
    responses = pl.concat(rows).filter(pl.col("value").is_finite())
    return CampaignView(replace(campaign, responses=responses, runs=pl.concat(runs)))


def change_of(view, algorithm="fast"):
    (change,) = next(each for each in verdicts(view) if each.algorithm == algorithm).changes
    assert change.response == RESPONSE
    return change


def test_a_factor_is_named_only_beyond_chance_over_all_factors(campaign):
    """Of nine factors the best has p = 0.02, which is no evidence for any of them."""
    first = campaign.design.matrix[:, 0]
    order = np.random.default_rng(0).permutation(32)
    low, high = (order[first[order] == level] for level in (-1, 1))
    once = np.full((32, len(campaign.algorithms), 1), 100.0)
    fast = campaign.algorithms.index("fast")
    for at_low, named in ((9, False), (16, True)):
        values = once.copy()
        values[np.concatenate([low[:at_low], high[:2]]), fast] = 50
        change = change_of(with_runs(campaign, values))
        assert change.worse == at_low + 2
        assert (change.settings is not None) == named
