"""Measurements: numbers of claims over the seeds, before the comparison with published values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from verification.measures import MEASURES
from verification.scorecard.claims import Number
from verification.scorecard.reasons import NotEvaluated, NotRun
from verification.scorecard.shares import Share

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Measurement:
    """Measurement of a number."""

    #: `mean`, `low`, `high`: mean over the seeds and its 95 % confidence interval (Student's t). The interval is None
    #: for one seed or if nothing depends on the seed, but for a part of the conditions
    #: (`verification.scorecard.shares`). The mean is None if the number cannot be measured.
    mean: float | None
    low: float | None = None
    high: float | None = None
    seeds: int = 0  #: number of seeds; 0 if nothing depends on them
    conditions: int = 0  #: number of conditions behind the interval; 0 if it is over the seeds
    reason: str = ""  #: reason why there is no mean
    #: Conditions whose load had not settled, by name of the campaign; None if a campaign has no record of it.
    unsettled: Mapping[str, Sequence[int]] | None = None


def measure(number: Number, campaigns: Campaigns) -> Measurement:
    """Return a number over the seeds of its campaigns.

    Conditions whose load had not settled are left out, unless the number is about any load.
    """
    unsettled = _unsettled(number, campaigns)
    if number.any_load:
        campaigns = campaigns.of_any_load()
    try:
        random = [name for name in number.campaigns if campaigns.is_random(name)]
        seeds = min((campaigns.seeds(name) for name in random), default=1)
        found = [MEASURES[number.measure](campaigns.of(seed), **number.of) for seed in range(1, seeds + 1)]
    except NotRun:
        raise
    except NotEvaluated as error:
        return Measurement(None, reason=str(error), unsettled=unsettled)
    values = [float(each) for each in found]
    mean = float(np.mean(values))
    if not math.isfinite(mean):
        reason = f"{number.measure} gives no number here: nothing to measure in the run"
        return Measurement(None, reason=reason, unsettled=unsettled)
    if seeds == 1 and random and isinstance(found[0], Share):
        return Measurement(mean, *found[0].interval(CONFIDENCE), seeds, found[0].of, unsettled=unsettled)
    return Measurement(mean, *_interval(values), seeds if random else 0, unsettled=unsettled)


def _unsettled(number: Number, campaigns: Campaigns) -> dict[str, list[int]] | None:
    found: dict[str, list[int]] = {}
    for name in number.campaigns:
        unsettled = campaigns.unsettled(name)
        if unsettled is None:
            return None
        found[name] = list(unsettled)
    return found


def _interval(values: list[float]) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values)))
    return float(np.mean(values)) - half, float(np.mean(values)) + half
