"""Noise of the deployment verdicts: pairs of runs, variances that differ, ratios, missing replicates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from fake_campaign import fake_campaign
from fragments import holds
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.verdict_text import verdict_html
from mesonet.reporting.verdicts.noise import chance_of_conditions, error_of_mean
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


def noisy(campaign, spread, *, common=0.0, replicates=3, seed=1):
    """Values of 100 with noise: `spread` of an algorithm (all have the same if one number), `common` to all."""
    rng = np.random.default_rng(seed)
    shape = (len(campaign.design.matrix), len(campaign.algorithms), replicates)
    own = rng.normal(size=shape) * np.broadcast_to(np.asarray(spread, dtype=float), shape[1])[:, None]
    return 100 + own + common * rng.normal(size=(shape[0], 1, replicates))


def change_of(view, algorithm="fast"):
    (change,) = next(each for each in verdicts(view) if each.algorithm == algorithm).changes
    assert change.response == RESPONSE
    return change


def interval(own, other):
    """Interval of the mean change in %, by its formula: shapes (conditions, replicates)."""
    ratio = own.mean() / other.mean()
    squares = (own - ratio * other).var(axis=1, ddof=1) / own.shape[1]
    freedom = squares.sum() ** 2 / (squares**2 / (own.shape[1] - 1)).sum()
    width = stats.t.ppf(0.975, freedom) * np.sqrt(squares.sum()) / len(own) / other.mean()
    return 100 * (ratio - 1 - width), 100 * (ratio - 1 + width)


def test_the_noise_leaves_out_what_replicates_have_in_common():
    common = np.array([0.0, 100.0, 7.0])
    rest = np.array([[5.0, 2.0, 2.0], [6.0, 0.0, 0.0]])
    quiet, loud = rest + common, np.zeros((2, 3)) + common
    # Variances of the differences: 3 and 12, of their means: 1 and 4, on 2 degrees of freedom each.
    error, freedom = error_of_mean(quiet - loud)
    assert error == pytest.approx(np.sqrt(1 + 4) / 2)
    assert freedom == pytest.approx((1 + 4) ** 2 / (1**2 / 2 + 4**2 / 2))
    assert chance_of_conditions(quiet - loud) == pytest.approx(stats.ttest_1samp(rest, 0, axis=1).pvalue)
    assert np.isnan(error_of_mean(np.array([[1.0, 2.0], [1.0, np.nan]]))[0])
    assert error_of_mean(np.ones((2, 3))) == (0.0, 4.0)
    assert np.isnan(chance_of_conditions(np.array([[1.0, np.nan], [0.0, 0.0]]))).all()


def test_other_algorithms_do_not_change_the_noise_of_a_pair(campaign):
    values = noisy(campaign, 20)
    pair = [campaign.algorithms.index(name) for name in ("fast", "tcp")]
    quiet = np.where(np.isin(np.arange(values.shape[1]), pair)[:, None], values, 100 + 1e-3 * (values - 100))
    assert change_of(with_runs(campaign, values)) == change_of(with_runs(campaign, quiet))


def test_the_interval_is_that_of_the_ratio_with_the_noise_of_each_condition(campaign):
    values = noisy(campaign, 5, common=30) * np.linspace(0.1, 3, 32)[:, None, None]
    fast, tcp = (campaign.algorithms.index(name) for name in ("fast", "tcp"))
    values[:, fast] *= 3
    change = change_of(with_runs(campaign, values))
    assert change.replicated
    assert change.interval == pytest.approx(interval(values[:, fast], values[:, tcp]))


def test_a_ratio_that_all_replicates_share_has_no_noise(campaign):
    values = noisy(campaign, 10)
    fast, tcp = (campaign.algorithms.index(name) for name in ("fast", "tcp"))
    values[:, fast] = 3 * values[:, tcp]
    change = change_of(with_runs(campaign, values))
    assert change.interval == pytest.approx((200, 200))
    assert change.certain


def test_replicates_count_in_pairs(campaign):
    """The common part of replicates cancels, also if one algorithm lacks some of them."""
    values = noisy(campaign, 1, common=40)
    fast, tcp = (campaign.algorithms.index(name) for name in ("fast", "tcp"))
    values[::2, tcp, 2] = np.nan
    values[1::2, fast, 0] = np.nan
    both = np.where(np.isfinite(values[:, fast] - values[:, tcp])[:, None], values, np.nan)
    change, paired = (change_of(with_runs(campaign, each)) for each in (values, both))
    assert (change.mean, *change.interval) == pytest.approx((paired.mean, *paired.interval))
    assert change.high - change.low < 2


def test_intervals_cover_the_truth_where_variances_differ():
    """The noise of conditions spans a factor of 100: with the sum of all degrees of freedom, 90 % are covered."""
    rng = np.random.default_rng(4)
    spreads = np.logspace(-2, 0, 16)[:, None]
    hits = with_sum = 0
    for _ in range(400):
        values = spreads * rng.normal(size=(16, 2))
        error, freedom = error_of_mean(values)
        hits += abs(values.mean()) <= stats.t.ppf(0.975, freedom) * error
        with_sum += abs(values.mean()) <= stats.t.ppf(0.975, 16) * error
    assert hits / 400 > 0.95
    assert with_sum / 400 < 0.92


def test_chance_makes_conditions_differ_in_a_twentieth_of_campaigns(campaign):
    """The other algorithms are quiet, so that noise pooled over all of them would be too small."""
    spread = [20 if name in ("fast", "tcp") else 1 for name in campaign.algorithms]
    found = [change_of(with_runs(campaign, noisy(campaign, spread, seed=seed))) for seed in range(20)]
    assert sum(change.worse + change.better > 0 for change in found) <= 2
    assert sum(change.low <= 0 <= change.high for change in found) >= 18


def test_conditions_are_judged_by_their_false_discovery_rate(campaign):
    """Three replicates show the fall of 15 % in each of 20 conditions, but not in a condition that falls alone."""
    fast = campaign.algorithms.index("fast")
    alone, many = noisy(campaign, 1), noisy(campaign, 1)
    alone[1, fast] *= 0.85
    many[:20, fast] *= 0.85
    change = change_of(with_runs(campaign, alone))
    assert (change.worse, change.unclear) == (0, 1)
    assert change_of(with_runs(campaign, many)).worse >= 18


def test_a_condition_without_a_second_replicate_makes_the_conditions_a_sample(campaign):
    """The interval then follows from the scatter of conditions, and a sign test must agree."""
    values = noisy(campaign, 2)
    fast = campaign.algorithms.index("fast")
    values[:14, fast] *= 0.6
    known = with_runs(campaign, values)
    assert change_of(known).replicated
    assert change_of(known).certain
    assert "take the conditions as a sample of networks" not in verdict_html(known)
    values[20, fast, 1:] = np.nan
    lacking = with_runs(campaign, values)
    change = change_of(lacking)
    assert change.high > change.low > 0
    assert not change.replicated
    assert not change.certain, "18 of 32 conditions differ to either side by chance"
    assert change_of(lacking, "cubic").replicated
    assert holds(verdict_html(lacking), "Some responses of fast have a condition", "take the conditions as a sample")


def test_replicates_that_are_planned_are_no_noise(campaign):
    values = noisy(campaign, 2)
    values[:, :, 1:] = np.nan
    text = verdict_html(with_runs(campaign, values))
    assert "Each run was made once" in text
    assert "noise is estimated" not in text


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
