"""Measures that compare algorithms over many responses and conditions: trees, outliers, spreads (Part D).

The responses are the 45 responses of experiments 1. A mean over too few flows counts as not measured. `without` leaves
out algorithms that the study did not compare. Counts and extremes need all conditions, the other measures those whose
load had settled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mesonet.analysis import Clustering, ConditionResponseSummary, clustering, condition_response_summary
from mesonet.analysis.grubbs import critical_value
from mesonet.responses.sets import SETS
from verification.scorecard.reasons import NotEvaluated
from verification.scorecard.shares import Share, share

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

Floats = npt.NDArray[np.float64]

RESPONSES = SETS["exp-1"].names
OUTLIER = 0.025
"""Two-sided level of Grubbs' test. With seven algorithms it gives the study's threshold, 2.08 (claim A19)."""
CONGESTED = 0.01
"""Loss rate, mean over the algorithms, from which a condition counts as congested: chosen."""


def stands_apart(campaigns: Campaigns, experiment: str, algorithm: str, without: Sequence[str] = ()) -> Share:
    """Return the part of the conditions in whose tree an algorithm is joined last and alone."""
    return share(tree.most_distant == algorithm for tree in _trees(campaigns, experiment, without))


def told_apart(campaigns: Campaigns, experiment: str) -> Share:
    """Return the part of the conditions in which some response differs between two algorithms."""
    return share(bool(tree.distinct) for tree in _trees(campaigns, experiment, ()))


def parted(campaigns: Campaigns, experiment: str, algorithms: Sequence[str], congested: bool = False) -> Share:
    """Return the part of the (congested) conditions whose last join is of these algorithms with all others."""
    trees = _trees(campaigns, experiment, ())
    chosen = _congested(campaigns, experiment) if congested else np.ones(len(trees), dtype=bool)
    return share(set(algorithms) in _last_two(tree) for tree, kept in zip(trees, chosen, strict=True) if kept)


def nearest(campaigns: Campaigns, experiment: str, of: str, to: str) -> Share:
    """Return the part of the conditions in whose tree two algorithms are joined before either joins any other."""
    return share(_pair(tree, {of, to}) for tree in _trees(campaigns, experiment, ()))


def trees_with(
    campaigns: Campaigns,
    experiment: str,
    pairs: Sequence[Sequence[str]],
    last: str,
    without: Sequence[str] = (),
) -> float:
    """Return the conditions in whose tree each pair is joined before all others, and `last` joins last and alone."""
    campaigns.judged(experiment, whole=True)
    trees = _trees(campaigns, experiment, without)
    return float(sum(tree.most_distant == last and all(_pair(tree, set(pair)) for pair in pairs) for tree in trees))


def most_outliers(campaigns: Campaigns, experiment: str, algorithm: str, without: Sequence[str] = ()) -> Share:
    """Return the part of the congested conditions in which an algorithm is outlier of most responses."""
    summary = _summary(campaigns, experiment, tuple(without), 0.0)
    own = _cells_of(summary, algorithm).sum(axis=1)
    others = [_cells_of(summary, each).sum(axis=1) for each in summary.algorithms if each != algorithm]
    return share((own > np.max(others, axis=0))[_congested(campaigns, experiment)].tolist())


def outliers_by_congestion(campaigns: Campaigns, experiment: str, algorithm: str, without: Sequence[str] = ()) -> float:
    """Return the mean number of responses with an algorithm as outlier, in congested less in other conditions."""
    own = _cells_of(_summary(campaigns, experiment, tuple(without), 0.0), algorithm).sum(axis=1)
    congested = _congested(campaigns, experiment)
    if congested.all():
        raise NotEvaluated("all conditions are congested")
    return float(own[congested].mean() - own[~congested].mean())


def outlier_share(
    campaigns: Campaigns, experiment: str, algorithm: str, filter_percent: float, without: Sequence[str] = ()
) -> float:
    """Return an algorithm's share of the cells with an outlier. 0 to 1; NaN without an outlier."""
    summary = _summary(campaigns, experiment, tuple(without), filter_percent)
    return float(_cells_of(summary, algorithm).sum() / summary.flagged.sum())


def outlier_in(
    campaigns: Campaigns,
    experiment: str,
    algorithm: str,
    names: Sequence[str],
    filter_percent: float,
    without: Sequence[str] = (),
) -> float:
    """Return the number of the named responses with an algorithm as outlier in at least one condition."""
    campaigns.judged(experiment, whole=True)
    cells = _cells_of(_summary(campaigns, experiment, tuple(without), filter_percent), algorithm)
    return float(np.count_nonzero(cells[:, [RESPONSES.index(name) for name in names]].any(axis=0)))


def outlier_contrast(
    campaigns: Campaigns,
    experiment: str,
    algorithm: str,
    names: Sequence[str],
    to: Sequence[str],
    filter_percent: float,
    without: Sequence[str] = (),
) -> float:
    """Return the part of the cells of `names` with an algorithm as outlier, less the part of the cells of `to`.

    -1 to 1.
    """
    cells = _cells_of(_summary(campaigns, experiment, tuple(without), filter_percent), algorithm)
    parts = [cells[:, [RESPONSES.index(name) for name in each]].mean() for each in (names, to)]
    return float(parts[0] - parts[1])


def alike(
    campaigns: Campaigns, experiment: str, without: Sequence[str], percent: float, congested: bool = False
) -> Share:
    """Return the part of the (congested) conditions whose median response differs by at most `percent`.

    A difference is the range over the algorithms in % of their mean. Responses that are equal for all algorithms,
    those in `without` included, do not count.

    `percent`: largest difference, %.
    """
    cube, _ = _cube(campaigns, experiment, tuple(without))
    same = np.ptp(_cube(campaigns, experiment, ())[0], axis=1) == 0
    with np.errstate(all="ignore"):
        spread = np.where(same, np.nan, 100 * np.ptp(cube, axis=1) / np.abs(cube.mean(axis=1)))
        median = np.nanmedian(spread, axis=1)
    chosen = _congested(campaigns, experiment) if congested else np.ones(len(median), dtype=bool)
    return share((np.nan_to_num(median[chosen]) <= percent).tolist())


def spread_without(
    campaigns: Campaigns, experiment: str, without: Sequence[str], name: str, most: bool = False
) -> float:
    """Return the largest relative distance of an algorithm from the mean of all, median over congested conditions.

    With `most`, return it in the condition that loses most. Algorithms in `without` are left out.
    """
    others = _others(campaigns, experiment, without, name)[_heavy(campaigns, experiment, most)]
    mean = others.mean(axis=1)
    return float(np.median(np.abs(others - mean[:, None]).max(axis=1) / mean))


def distance_from(
    campaigns: Campaigns, experiment: str, of: Sequence[str], to: str, name: str, most: bool = False
) -> float:
    """Return the largest relative distance of `of` from algorithm `to`, median over congested conditions.

    With `most`, return it in the condition that loses most.
    """
    algorithms = campaigns.load(experiment).algorithms
    table = campaigns.table(experiment, name)[_heavy(campaigns, experiment, most)]
    own, other = table[:, [algorithms.index(each) for each in of]], table[:, algorithms.index(to)]
    return float(np.median(np.abs(own / other[:, None] - 1).max(axis=1)))


def largest_residual(campaigns: Campaigns, experiment: str, algorithm: str, name: str) -> float:
    """Return the most by which an algorithm lies above the mean of all in any condition.

    In the unit of the response.
    """
    campaigns.judged(experiment, whole=True)
    table = campaigns.table(experiment, name)
    residual = table - table.mean(axis=1, keepdims=True)
    return float(residual[:, campaigns.load(experiment).algorithms.index(algorithm)].max())


def low_outliers(campaigns: Campaigns, experiment: str, name: str) -> float:
    """Return the conditions in which Grubbs' test finds an algorithm that lies below the others in a response."""
    campaigns.judged(experiment, whole=True)
    table = campaigns.table(experiment, name)
    mean, spread = table.mean(axis=1), table.std(axis=1, ddof=1)
    threshold = critical_value(table.shape[1], alpha=OUTLIER, sides=2)
    return float(np.count_nonzero(mean - table.min(axis=1) > threshold * np.where(spread > 0, spread, np.inf)))


def beyond_others(campaigns: Campaigns, experiment: str, algorithm: str, name: str) -> Share:
    """Return the part of the congested conditions in which an algorithm is farthest from the mean of the others."""
    congested = _congested(campaigns, experiment)
    others = _others(campaigns, experiment, (algorithm,), name)[congested]
    place = campaigns.load(experiment).algorithms.index(algorithm)
    own = campaigns.table(experiment, name)[congested, place]
    mean = others.mean(axis=1)
    return share((np.abs(own - mean) > np.abs(others - mean[:, None]).max(axis=1)).tolist())


def sum_larger(
    campaigns: Campaigns, experiment: str, of: str, to: Sequence[str], names: Sequence[str], period: str
) -> Share:
    """Return the part of the conditions in which the sum of responses is larger under `of` than under all of `to`."""
    algorithms = campaigns.load(experiment).algorithms
    sums = np.sum([np.nan_to_num(campaigns.table(experiment, name, period)) for name in names], axis=0)
    own, others = sums[:, algorithms.index(of)], sums[:, [algorithms.index(each) for each in to]]
    return share((own > others.max(axis=1)).tolist())


MEASURES = (
    stands_apart, told_apart, parted, nearest, trees_with, most_outliers, outliers_by_congestion, outlier_share,
    outlier_in, outlier_contrast, alike, spread_without, distance_from, largest_residual, low_outliers, beyond_others,
    sum_larger,
)  # fmt: skip


def _congested(campaigns: Campaigns, experiment: str) -> npt.NDArray[np.bool_]:
    found = np.asarray(campaigns.table(experiment, "loss_rate").mean(axis=1) >= CONGESTED)
    if not found.any():
        raise NotEvaluated(f"no condition loses {CONGESTED:g} or more")
    return found


def _heavy(campaigns: Campaigns, experiment: str, most: bool) -> npt.NDArray[np.intp]:
    """Return the places of the congested conditions, or of the one that loses most."""
    if most:
        campaigns.judged(experiment, whole=True)
        return np.array([campaigns.table(experiment, "loss_rate").mean(axis=1).argmax()])
    return np.flatnonzero(_congested(campaigns, experiment))


def _others(campaigns: Campaigns, experiment: str, without: Sequence[str], name: str) -> Floats:
    algorithms = campaigns.load(experiment).algorithms
    return campaigns.table(experiment, name)[:, [place for place, each in enumerate(algorithms) if each not in without]]


def _cube(campaigns: Campaigns, experiment: str, without: tuple[str, ...]) -> tuple[Floats, tuple[str, ...]]:
    """Return values of the shape (conditions, algorithms, responses), and the algorithms."""
    algorithms = campaigns.load(experiment).algorithms
    kept = [place for place, each in enumerate(algorithms) if each not in without]
    cube = np.stack([campaigns.table(experiment, name) for name in RESPONSES], axis=-1)
    return cube[:, kept], tuple(algorithms[place] for place in kept)


def _trees(campaigns: Campaigns, experiment: str, without: Sequence[str]) -> list[Clustering]:
    cube, algorithms = _cube(campaigns, experiment, tuple(without))
    return [clustering(each, algorithms=algorithms, responses=RESPONSES) for each in cube]


def _summary(
    campaigns: Campaigns, experiment: str, without: tuple[str, ...], filter_percent: float
) -> ConditionResponseSummary:
    cube, algorithms = _cube(campaigns, experiment, without)
    return condition_response_summary(
        cube, responses=RESPONSES, algorithms=algorithms, alpha=OUTLIER, min_relative_effect=filter_percent
    )


def _cells_of(summary: ConditionResponseSummary, algorithm: str) -> npt.NDArray[np.bool_]:
    """Return a mask of the cells whose outlier is an algorithm, shape (conditions, responses)."""
    return np.asarray(summary.flagged & (summary.extreme == algorithm))


def _members(tree: Clustering) -> list[set[str]]:
    """Return the algorithms below each node: first the leaves, then the joins in their order."""
    found = [{name} for name in tree.algorithms]
    for first, second in tree.linkage[:, :2].astype(int).tolist():
        found.append(found[first] | found[second])
    return found


def _last_two(tree: Clustering) -> list[set[str]]:
    """Return the two groups of the last join; nothing where no two algorithms differ."""
    members = _members(tree)
    return [members[int(place)] for place in tree.linkage[-1, :2]] if tree.distinct else []


def _pair(tree: Clustering, pair: set[str]) -> bool:
    return pair in _members(tree)[len(tree.algorithms) :]
