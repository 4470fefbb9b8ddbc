"""Measures of the FAST evaluation: throughput, fairness, stability and responsiveness over intervals (Part H)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import queued
from mesonet.analysis.flow_metrics import FlowMetrics, flow_metrics
from mesonet.reporting.campaign_view.traced import TracedRun

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

SAMPLE_S = 1.0
"""Distance of the samples of a rate: chosen, five round trips of the longest path."""


def metrics(campaigns: Campaigns, experiment: str, algorithm: str, what: str) -> list[float]:
    """Return a metric of every condition and interval between joins and leaves.

    One value per condition and interval: throughput as a share of the line, fairness and stability as numbers,
    responsiveness in samples.
    """
    conditions = campaigns.load(experiment).rows.conditions
    runs = [campaigns.run(experiment, algorithm, number) for number in range(1, conditions + 1)]
    return [float(getattr(each, what)) for run in runs for each in _of_intervals(run)]


def interval_metric(campaigns: Campaigns, experiment: str, algorithm: str, what: str, percentile: float = 50) -> float:
    """Return a percentile of a metric over all conditions and intervals between joins and leaves.

    `percentile`: 0 to 100.
    """
    return float(np.percentile(metrics(campaigns, experiment, algorithm, what), percentile))


def metric_change(campaigns: Campaigns, experiment: str, of: str, to: str, what: str) -> float:
    """Return the median of a metric for algorithm `of` less that for `to`."""
    return interval_metric(campaigns, experiment, of, what) - interval_metric(campaigns, experiment, to, what)


def gap_ratio(campaigns: Campaigns, experiment: str, other: str, of: str, to: str, what: str) -> float:
    """Return `metric_change` in `experiment` over its value in `other`: above 1 where the difference is amplified."""
    return metric_change(campaigns, experiment, of, to, what) / metric_change(campaigns, other, of, to, what)


def not_best(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the number of the four metrics in which the median of another algorithm is better. 0 to 4."""
    others = [name for name in campaigns.load(experiment).algorithms if name != algorithm]
    worse = 0
    for what, sign in (("throughput", 1), ("fairness", 1), ("stability", -1), ("responsiveness", -1)):
        own = sign * interval_metric(campaigns, experiment, algorithm, what)
        worse += any(sign * interval_metric(campaigns, experiment, other, what) > own for other in others)
    return float(worse)


def not_steadiest(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the number of the four metrics whose SD over the intervals is smaller for another algorithm. 0 to 4."""
    names = campaigns.load(experiment).algorithms
    wider = 0
    for what in ("throughput", "fairness", "stability", "responsiveness"):
        spread = {name: float(np.std(metrics(campaigns, experiment, name, what))) for name in names}
        wider += any(spread[name] < spread[algorithm] for name in names)
    return float(wider)


def line_share(campaigns: Campaigns, experiment: str, algorithm: str, condition: int) -> float:
    """Return the rate of all flows of a condition after the warm-up, as a share of the speed of the line. 0 to 1."""
    run = campaigns.run(experiment, algorithm, condition)
    inside = run.time >= run.scenario["time"]["warmup"]
    delivered = np.nan_to_num(run.delivered[inside])
    return float((delivered[-1] - delivered[0]).sum() / (run.time[inside][-1] - run.time[inside][0]) / run.speed)


def line_share_change(campaigns: Campaigns, experiment: str, algorithm: str, condition: int, to: int) -> float:
    """Return `line_share` in `condition` less `line_share` in condition `to`. -1 to 1."""
    return line_share(campaigns, experiment, algorithm, condition) - line_share(campaigns, experiment, algorithm, to)


def falls_more(campaigns: Campaigns, experiment: str, algorithm: str, condition: int, to: int) -> float:
    """Return the number of other algorithms whose share of the line falls by more from `to` to `condition`."""
    own = line_share_change(campaigns, experiment, algorithm, condition, to)
    others = [name for name in campaigns.load(experiment).algorithms if name != algorithm]
    return float(sum(line_share_change(campaigns, experiment, name, condition, to) < own for name in others))


def largest_queue(campaigns: Campaigns, experiment: str, condition: int, algorithm: str = "fast") -> float:
    """Return the most that all flows hold in the queue by their own measure after the warm-up, over the buffer."""
    run = campaigns.run(experiment, algorithm, condition)
    inside = run.time >= run.scenario["time"]["warmup"]
    (classed,) = run.path["classes"]
    return float(np.nanmax(np.nansum(queued(run.cwnd, run.rtt)[inside], axis=1)) / classed["buffer"][0])


def queue_over_alphas(campaigns: Campaigns, experiment: str, condition: int, algorithm: str = "fast") -> float:
    """Return the segments of all flows in the queue, by their windows, over the sum of alphas, in the last third."""
    run = campaigns.run(experiment, algorithm, condition)
    inside = run.time > run.time[-1] * 2 / 3
    held = np.nanmean(run.cwnd[inside].sum(axis=1)) - run.speed * run.path["max_rtt"]
    alphas = next(each for each in run.scenario["algorithms"] if each["name"] == algorithm)["parameters"]["alpha"]
    return float(held / (alphas * run.cwnd.shape[1]))


def rate_spread(campaigns: Campaigns, experiment: str, algorithm: str, condition: int) -> float:
    """Return the largest difference of a flow's rate from the mean rate, as a part of it, in the last third."""
    run = campaigns.run(experiment, algorithm, condition)
    inside = run.time > run.time[-1] * 2 / 3
    rates = run.delivered[inside][-1] - run.delivered[inside][0]
    return float(np.abs(rates / rates.mean() - 1).max())


def rate_by_round_trip(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the rate of the flow with the longest round trip over the shortest's, while all flows are there."""
    run = campaigns.run(experiment, algorithm)
    delivered = run.delivered[_all_there(run)]
    return _longest_over_shortest(run, delivered[-1] - delivered[0])


def queue_by_round_trip(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the mean own queue of the flow with the longest round trip over the shortest's, by their own measure."""
    run = campaigns.run(experiment, algorithm)
    return _longest_over_shortest(run, np.nanmean(queued(run.cwnd, run.rtt)[_all_there(run)], axis=0))


def wait_by_round_trip(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the mean wait of the flow with the longest round trip over the shortest's.

    The wait in the queue is the round trip less the shortest round trip that the flow has seen.
    """
    run = campaigns.run(experiment, algorithm)
    return _longest_over_shortest(run, np.nanmean(run.rtt[_all_there(run)], axis=0) - np.nanmin(run.rtt, axis=0))


def mean_queue(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the largest own queue of any flow by its own measure, mean over the samples."""
    run = campaigns.run(experiment, algorithm)
    return float(np.nanmean(np.nanmax(queued(run.cwnd, run.rtt), axis=1)))


def mean_queue_ratio(campaigns: Campaigns, experiment: str, of: str, to: str) -> float:
    """Return `mean_queue` of algorithm `of` over `mean_queue` of algorithm `to`."""
    return mean_queue(campaigns, experiment, of) / mean_queue(campaigns, experiment, to)


MEASURES = (
    interval_metric, metric_change, gap_ratio, not_best, not_steadiest, line_share, line_share_change, falls_more,
    largest_queue, queue_over_alphas, rate_spread, rate_by_round_trip, queue_by_round_trip, wait_by_round_trip,
    mean_queue, mean_queue_ratio,
)  # fmt: skip


def _all_there(run: TracedRun) -> NDArray[np.bool_]:
    """Return a mask of the samples at which all flows are there."""
    starts, stops = ([flow[key] for flow in run.given if flow[key] is not None] for key in ("start", "stop"))
    return np.asarray((run.time > max(starts)) & (run.time <= min([*stops, run.time[-1]])))


def _longest_over_shortest(run: TracedRun, values: NDArray[np.float64]) -> float:
    extra = [flow["extra_delay"] for flow in run.given]
    return float(values[int(np.argmax(extra))] / values[int(np.argmin(extra))])


@cache
def _of_intervals(run: TracedRun) -> tuple[FlowMetrics, ...]:
    """Return metrics of the intervals between changes of the flows there; throughput as a share of the line."""
    found = []
    warmup = float(run.scenario["time"]["warmup"])
    for begin, end in run.spans:
        rates = _rates(run, max(begin, warmup), end)
        if len(rates) > 2:
            found.append(flow_metrics(rates / run.speed))
    return tuple(found)


def _rates(run: TracedRun, begin: float, end: float) -> NDArray[np.float64]:
    """Return rates of the flows that are there all the time, shape (samples, flows), segments/s."""
    inside = (run.time >= begin) & (run.time <= end)
    delivered = run.delivered[inside]
    there = [
        place
        for place, flow in enumerate(run.given)
        if flow["start"] <= begin and (flow["stop"] is None or flow["stop"] >= end)
    ]
    step = max(1, round(SAMPLE_S / float(np.median(np.diff(run.time)))))
    return np.asarray(np.diff(np.nan_to_num(delivered[::step, there]), axis=0) / (step * np.median(np.diff(run.time))))
