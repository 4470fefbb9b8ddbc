"""Noise of the deployment verdicts: pairs of runs, variances that differ, ratios, missing replicates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from fake_campaign import fake_campaign
from fragments import holds
from mesonet.analysis.decisions.decision import BETTER, CANNOT_TELL, NO_WORSE
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.verdict_text import verdict_html
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
    return CampaignView(replace(campaign, responses=responses, runs=pl.concat(runs)), against="tcp")


def noisy(campaign, spread, *, common=0.0, replicates=3, seed=1):
    """Values of 100 with noise: `spread` of an algorithm (all have the same if one number), `common` to all."""
    rng = np.random.default_rng(seed)
    shape = (len(campaign.design.matrix), len(campaign.algorithms), replicates)
    own = rng.normal(size=shape) * np.broadcast_to(np.asarray(spread, dtype=float), shape[1])[:, None]
    return 100 + own + common * rng.normal(size=(shape[0], 1, replicates))


def change_of(view, algorithm="fast"):
    (change,) = next(each for each in verdicts(view) if each.name == algorithm).changes
    assert change.response == RESPONSE
    return change


def test_other_algorithms_do_not_change_the_noise_of_a_pair(campaign):
    values = noisy(campaign, 20)
    pair = [campaign.algorithms.index(name) for name in ("fast", "tcp")]
    quiet = np.where(np.isin(np.arange(values.shape[1]), pair)[:, None], values, 100 + 1e-3 * (values - 100))
    assert change_of(with_runs(campaign, values)) == change_of(with_runs(campaign, quiet))


def test_a_ratio_that_all_replicates_share_has_next_to_no_noise(campaign):
    values = noisy(campaign, 10)
    fast, tcp = (campaign.algorithms.index(name) for name in ("fast", "tcp"))
    values[:, fast] = 3 * values[:, tcp]
    change = change_of(with_runs(campaign, values))
    assert (change.low, change.high) == pytest.approx((200, 200), abs=1)
    assert change.verdict == BETTER


def test_replicates_count_in_pairs(campaign):
    """The common part of replicates cancels, also if one algorithm lacks some of them."""
    values = noisy(campaign, 1, common=40)
    fast, tcp = (campaign.algorithms.index(name) for name in ("fast", "tcp"))
    values[::2, tcp, 2] = np.nan
    values[1::2, fast, 0] = np.nan
    both = np.where(np.isfinite(values[:, fast] - values[:, tcp])[:, None], values, np.nan)
    change, paired = (change_of(with_runs(campaign, each)) for each in (values, both))
    assert (change.mean, change.low, change.high) == pytest.approx((paired.mean, paired.low, paired.high))
    assert change.high - change.low < 2


def test_intervals_cover_the_truth(campaign):
    """The other algorithms are quiet, so that noise pooled over all of them would be too small."""
    spread = [20 if name in ("fast", "tcp") else 1 for name in campaign.algorithms]
    found = [change_of(with_runs(campaign, noisy(campaign, spread, seed=seed))) for seed in range(20)]
    assert all(change.verdict in (NO_WORSE, CANNOT_TELL) for change in found)
    assert sum(change.low <= 0 <= change.high for change in found) >= 18


def test_a_condition_without_a_second_replicate_makes_the_conditions_a_sample(campaign):
    """The interval then follows from the scatter of conditions."""
    values = noisy(campaign, 2)
    fast = campaign.algorithms.index("fast")
    values[:14, fast] *= 0.6
    known = with_runs(campaign, values)
    assert change_of(known).replicated
    assert "take the conditions as a sample of networks" not in verdict_html(known)
    values[20, fast, 1:] = np.nan
    lacking = with_runs(campaign, values)
    change = change_of(lacking)
    assert change.high - change.low > 10 * (change_of(known).high - change_of(known).low)
    assert not change.replicated
    assert change_of(lacking, "cubic").replicated
    assert holds(verdict_html(lacking), "Some responses of fast have a condition", "take the conditions as a sample")


def test_replicates_that_are_planned_are_no_noise(campaign):
    values = noisy(campaign, 2)
    values[:, :, 1:] = np.nan
    text = verdict_html(with_runs(campaign, values))
    assert "Each run was made once" in text
    assert "noise is estimated" not in text


def test_a_factor_is_named_only_beyond_chance_over_all_factors(campaign):
    """With one run each, 9 of 16 conditions at a level and 2 at the other are no evidence for any of nine factors."""
    first = campaign.design.matrix[:, 0]
    order = np.random.default_rng(0).permutation(32)
    low, high = (order[first[order] == level] for level in (-1, 1))
    once = np.full((32, len(campaign.algorithms), 1), 100.0)
    fast = campaign.algorithms.index("fast")
    for at_low, at_high, named in ((9, 2, ""), (16, 0, "network speed (X1)")):
        values = once.copy()
        values[np.concatenate([low[:at_low], high[:at_high]]), fast] = 50
        change = change_of(with_runs(campaign, values))
        assert change.worse == at_low + at_high
        assert change.depends_on == named
