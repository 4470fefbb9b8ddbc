"""Measures of networks with many users (Parts D and I)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from verification.scorecard.reasons import NotEvaluated
from verification.scorecard.shares import Share, share

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns


def response(
    campaigns: Campaigns, experiment: str, algorithm: str, condition: int, name: str, period: str = "measured"
) -> float:
    """Return a response of a run. The value, in the unit of the response; NaN where nothing was measured."""
    return campaigns.value(experiment, algorithm, condition, name, period)


def response_ratio(
    campaigns: Campaigns, experiment: str, of: str, to: str, condition: int, name: str, period: str = "measured"
) -> float:
    """Return a response under algorithm `of` over that under algorithm `to`."""
    return campaigns.value(experiment, of, condition, name, period) / campaigns.value(
        experiment, to, condition, name, period
    )


def condition_ratio(
    campaigns: Campaigns, experiment: str, algorithm: str, condition: int, to: int, name: str, period: str = "measured"
) -> float:
    """Return a response in one condition over the response in another."""
    return campaigns.value(experiment, algorithm, condition, name, period) / campaigns.value(
        experiment, algorithm, to, name, period
    )


def period_ratio(
    campaigns: Campaigns, experiment: str, algorithm: str, condition: int, names: Sequence[str], period: str, to: str
) -> float:
    """Return the sum of some responses in one period over the sum in another."""
    sums = [
        sum(campaigns.value(experiment, algorithm, condition, name, each) for name in names) for each in (period, to)
    ]
    return sums[0] / sums[1]


def sum_ratio(
    campaigns: Campaigns, experiment: str, of: str, to: str, condition: int, names: Sequence[str], period: str
) -> float:
    """Return the sum of some responses under algorithm `of` over the sum under algorithm `to`."""
    sums = [sum(campaigns.value(experiment, each, condition, name, period) for name in names) for each in (of, to)]
    return sums[0] / sums[1]


def spread_over_algorithms(campaigns: Campaigns, experiment: str, condition: int, name: str) -> float:
    """Return the largest less the smallest value of a response over the algorithms, as a part of their mean.

    The spread, as a part of the mean; 0 where the mean is 0.
    """
    algorithms = campaigns.load(experiment).algorithms
    values = np.array([campaigns.value(experiment, each, condition, name) for each in algorithms])
    return float(np.ptp(values) / values.mean()) if values.mean() else 0.0


def highest_in_congested(campaigns: Campaigns, experiment: str, algorithm: str, name: str, least_loss: float) -> Share:
    """Return the part of the conditions that lose `least_loss` or more in which an algorithm has the highest value.

    `least_loss`: lowest loss rate of a congested condition, 0 to 1.
    """
    table, algorithms = campaigns.table(experiment, name), campaigns.load(experiment).algorithms
    congested = campaigns.table(experiment, "loss_rate").mean(axis=1) >= least_loss
    congested &= np.isfinite(table).all(axis=1)
    if not congested.any():
        raise NotEvaluated(f"no condition loses {least_loss:g} or more")
    return share((table[congested].argmax(axis=1) == algorithms.index(algorithm)).tolist())


def congested(campaigns: Campaigns, experiment: str, least_loss: float) -> float:
    """Return the part of the conditions in which the mean loss rate over the algorithms is at least `least_loss`.

    0 to 1. `least_loss`: lowest loss rate, 0 to 1.
    """
    campaigns.judged(experiment, whole=True)
    return float(np.mean(campaigns.table(experiment, "loss_rate").mean(axis=1) >= least_loss))


def extreme(campaigns: Campaigns, experiment: str, name: str, which: str) -> float:
    """Return the ``least`` or ``most`` of a response over conditions and algorithms.

    The value, in the unit of the response.
    """
    campaigns.judged(experiment, whole=True)
    table = campaigns.table(experiment, name)
    return float({"least": np.min, "most": np.max}[which](table))


def window_variation(
    campaigns: Campaigns, experiment: str, algorithm: str, condition: int, span: Sequence[float]
) -> float:
    """Return the standard deviation of cwnd over its mean within a span, mean over the traced flows."""
    run = campaigns.run(experiment, algorithm, condition)
    inside = (run.time > span[0]) & (run.time <= span[1])
    window = run.cwnd[inside]
    return float(np.mean(np.nanstd(window, axis=0) / np.nanmean(window, axis=0)))


def variation_change(
    campaigns: Campaigns, experiment: str, algorithm: str, condition: int, to: int, span: Sequence[float]
) -> float:
    """Return the variation of cwnd in one condition over the variation in another."""
    return window_variation(campaigns, experiment, algorithm, condition, span) / window_variation(
        campaigns, experiment, algorithm, to, span
    )


MEASURES = (
    response, response_ratio, condition_ratio, period_ratio, sum_ratio, spread_over_algorithms, highest_in_congested,
    congested, extreme, window_variation, variation_change,
)  # fmt: skip
