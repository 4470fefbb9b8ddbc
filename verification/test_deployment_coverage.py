"""Coverage of the intervals of `mesonet.analysis.deployment` with 5, 20 and 100 clusters, on outcomes with known truth.

Outcomes are normal, log-normal, or Student's t with four degrees of freedom. 93 to 97 % of 4,000 intervals at 95 % hold
the truth; with heavy tails and five clusters up to 98 %. `make verify` runs this.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from scipy import stats

from mesonet.analysis import deployment
from mesonet.analysis.deployments.clusters import Cell, Contrast, cell, contrast

TRIALS = 4000
CLUSTERS = (5, 20, 100)
SPREAD = 0.24
"""Coefficient of variation of the goodput of users in simulated networks."""

NOISES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, size: 1 + SPREAD * rng.normal(size=size),
    "log-normal": lambda rng, size: np.exp(SPREAD * rng.normal(size=size) - SPREAD**2 / 2),
    "t4": lambda rng, size: 1 + SPREAD * rng.standard_t(4, size=size) / np.sqrt(2),
}


#: Largest part of the intervals that may hold the truth.
MOST = {"normal": 0.97, "log-normal": 0.97, "t4": 0.98}


def coverage(draw: Callable[[np.random.Generator], list[Cell]], truth: float, *, log: bool = False) -> float:
    """Return the part of the intervals of the difference of two cells that hold the truth."""
    rng = np.random.default_rng(2)
    ends = [contrast(draw(rng), [1, -1], log=log).ends(0.05) for _ in range(TRIALS)]
    return float(np.mean([low <= truth <= high for low, high in ends]))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("log", [False, True])
def test_pairs_cover(noise: str, clusters: int, log: bool) -> None:
    """Clusters in both arms: runs of equal seed at two shares, or users whose flows have both controls."""
    numbers = np.arange(clusters)

    def draw(rng: np.random.Generator) -> list[Cell]:
        own = np.exp(SPREAD * rng.normal(size=clusters) - SPREAD**2 / 2)
        return [cell(numbers, mean * own * NOISES[noise](rng, clusters)) for mean in (1.1, 1.0)]

    assert 0.93 <= coverage(draw, np.log(1.1) if log else 0.1, log=log) <= MOST[noise]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("clusters", CLUSTERS)
@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_users_in_two_arms_cover(noise: str, clusters: int, log: bool, weighted: bool) -> None:
    """An A/B test with this many users in each arm; weights are flows per user."""

    def draw(rng: np.random.Generator) -> list[Cell]:
        weights = [1.0 + rng.poisson(8, clusters) if weighted else None for _ in range(2)]
        numbers = np.arange(clusters)
        return [
            cell(numbers + clusters * k, mean * NOISES[noise](rng, clusters), weights[k])
            for k, mean in enumerate((1.1, 1.0))
        ]

    assert 0.93 <= coverage(draw, np.log(1.1) if log else 0.1, log=log) <= MOST[noise]


@pytest.mark.parametrize(("treated", "others"), [(2, 3), (2, 18), (5, 95), (10, 90)])
def test_small_arms_cover(treated: int, others: int) -> None:
    """5, 20 and 100 users in all. An arm of two errs to the safe side: it knows little of its own noise."""

    def draw(rng: np.random.Generator) -> list[Cell]:
        sizes = {1.1: np.arange(treated), 1.0: np.arange(treated, treated + others)}
        return [cell(own, mean * NOISES["normal"](rng, len(own))) for mean, own in sizes.items()]

    assert 0.93 <= coverage(draw, 0.1) <= (0.97 if treated > 2 else 0.99)


def test_the_plain_sandwich_is_too_narrow_for_five_clusters() -> None:
    rng = np.random.default_rng(1)
    held = []
    for _ in range(TRIALS):
        x, y = NOISES["normal"](rng, 5), NOISES["normal"](rng, 5)
        error = np.sqrt(x.var() / 5 + y.var() / 5)
        held.append(abs(x.mean() - y.mean()) <= stats.norm.ppf(0.975) * error)
    assert np.mean(held) < 0.9


def outcomes(rng: np.random.Generator, seeds: int, users: int, effect: float, share: float) -> pl.DataFrame:
    """Return goodputs of nested shares that have noise of the user, of the run, and of the user in the run."""
    parts = []
    for seed in range(seeds):
        rank = rng.permutation(users)
        own = np.exp(SPREAD * rng.normal(size=users) + 0.05 * rng.normal())
        for each in (0.0, share, 1.0):
            treated = rank < round(each * users)
            value = own * np.exp(0.1 * rng.normal(size=users) + effect * treated - 0.2 * each)
            columns = {"unit": np.arange(users), "treated": treated, "value": value}
            parts.append(pl.DataFrame(columns).with_columns(seed=pl.lit(seed), share=pl.lit(each)))
    return pl.concat(parts).with_columns(outcome=pl.lit("goodput"))


@pytest.mark.parametrize(("seeds", "trials"), [(5, 400), (20, 400), (100, 200)])
def test_estimands_of_a_sweep_cover(seeds: int, trials: int) -> None:
    """Units gain exp(.3) by the new control and lose exp(-.2 share) by interference: all truths are known."""
    rng = np.random.default_rng(seeds)
    truth = {"total": 0.1, "naive": 0.3, "spill-over": -0.1, "partial": 0.2}
    held: dict[str, list[bool]] = {estimand: [] for estimand in truth}
    for _ in range(trials):
        found = deployment(outcomes(rng, seeds, 12, 0.3, 0.5), scales=["log"]).effects
        for estimand, effect in truth.items():
            row = found.filter(estimand=estimand).row(0, named=True)
            held[estimand].append(row["low"] <= np.expm1(effect) <= row["high"])
    for estimand, each in held.items():
        assert 0.915 <= np.mean(each) <= 0.98, f"{estimand}: {trials} trials have a standard error of 1 to 1.5 %"
    assert 0.93 <= np.mean([hit for each in held.values() for hit in each]) <= 0.97


def test_contrasts_without_noise_are_exact() -> None:
    found = contrast([cell(np.arange(4), np.full(4, 2.0)), cell(np.arange(4), np.full(4, 1.0))], [1, -1])
    assert isinstance(found, Contrast)
    assert (found.value, found.error) == (1.0, 0.0)
