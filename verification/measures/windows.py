"""Measures of a few traced flows: windows, shares, rates, convergence, latencies.

Averages are over the samples of a span.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mesonet.analysis import AverageWindows, average_windows, queued
from mesonet.reporting.campaign_view.traced import TracedRun

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

Span = Sequence[float]

MEAN = 25.0
"""Seconds over which shares are averaged before they count as equal."""


def average_window(
    campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span, condition: int = 1
) -> float:
    """Return the time average of cwnd."""
    return float(_averages(campaigns.run(experiment, algorithm, condition), span).window[flow - 1, 0])


def total_window(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the sum of the average windows of all flows."""
    return float(_averages(campaigns.run(experiment, algorithm, condition), span).total[0])


def share(campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span, condition: int = 1) -> float:
    """Return a flow's part of the sum of the average windows. 0 to 1."""
    return float(_averages(campaigns.run(experiment, algorithm, condition), span).share[flow - 1, 0])


def window_ratio(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the average window of the second flow over the average window of the first."""
    window = _averages(campaigns.run(experiment, algorithm, condition), span).window[:, 0]
    return float(window[1] / window[0])


def rate_ratio(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the rate of the second flow over the rate of the first."""
    rate = _averages(campaigns.run(experiment, algorithm, condition), span).rate[:, 0]
    return float(rate[1] / rate[0])


def utilisation(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the segments delivered to all flows, as a part of the capacity of the slowest router. 0 to 1."""
    run = campaigns.run(experiment, algorithm, condition)
    return float(np.nansum(_averages(run, span).rate) / run.speed)


def buffered(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the sum of the average windows less the segments that the path holds without queues."""
    run = campaigns.run(experiment, algorithm, condition)
    return float(total_window(campaigns, experiment, algorithm, span, condition) - run.speed * run.path["max_rtt"])


def more_buffered(campaigns: Campaigns, of: str, to: str, experiment: str, span: Span) -> float:
    """Return `buffered` of algorithm `of` less `buffered` of algorithm `to`."""
    return buffered(campaigns, experiment, of, span) - buffered(campaigns, experiment, to, span)


def share_change(
    campaigns: Campaigns, of: str, to: str, experiment: str, flow: int, span: Span, condition: int = 1
) -> float:
    """Return `share` of a flow under algorithm `of` less its `share` under algorithm `to`."""
    own, other = (
        share(campaigns=campaigns, experiment=experiment, algorithm=name, flow=flow, span=span, condition=condition)
        for name in (of, to)
    )
    return own - other


def own_queue(
    campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span, condition: int = 1
) -> float:
    """Return the mean number of segments that a flow holds in queues by its own measure.

    It is the alpha of a flow of FAST that has settled.
    """
    run = campaigns.run(experiment, algorithm, condition)
    inside = (run.time > span[0]) & (run.time <= span[1])
    return float(np.nanmean(queued(run.cwnd, run.rtt)[inside, flow - 1]))


def swing(campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span, condition: int = 1) -> float:
    """Return the largest less the smallest cwnd."""
    window = _window(campaigns.run(experiment, algorithm, condition), flow, span)
    return float(np.nanmax(window) - np.nanmin(window))


def relative_swing(campaigns: Campaigns, of: str, to: str, experiment: str, flow: int, span: Span) -> float:
    """Return the swing of algorithm `of` over the swing of algorithm `to`."""
    return swing(campaigns, experiment, of, flow, span) / swing(campaigns, experiment, to, flow, span)


def approach(
    campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span, near: float, condition: int = 1
) -> float:
    """Return the growth rate of cwnd far from its last value over its growth rate near that value.

    Far: from the start of the span up to half of the last value. Near: from `near` segments below the last value to
    one below.
    """
    run = campaigns.run(experiment, algorithm, condition)
    window = _window(run, flow, span)
    time = run.time[(run.time > span[0]) & (run.time <= span[1])]
    last = float(window[-1])
    half, close, there = (int(np.argmax(window >= level)) for level in (last / 2, last - near, last - 1))
    far_slope = (window[half] - window[0]) / (time[half] - time[0])
    return float(far_slope / ((window[there] - window[close]) / (time[there] - time[close])))


def reductions(campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span) -> float:
    """Return how often cwnd falls by more than 5 % within a sample; a fall of several samples counts once."""
    return float(len(_falls(_window(campaigns.run(experiment, algorithm), flow, span))))


def reduction(campaigns: Campaigns, experiment: str, algorithm: str, flow: int, span: Span) -> float:
    """Return the median part of cwnd that a flow gives up when it falls. 0 to 1."""
    window = _window(campaigns.run(experiment, algorithm), flow, span)
    return float(np.median([1 - window[after] / window[before] for before, after in _falls(window)]))


def convergence(campaigns: Campaigns, experiment: str, algorithm: str, span: Span, condition: int = 1) -> float:
    """Return the time into the span after which both flows keep shares of 40 to 60 %, in means over 25 s."""
    run = campaigns.run(experiment, algorithm, condition)
    ends = np.arange(span[0] + MEAN, span[1] + 1, MEAN)
    shares = [_averages(run, (end - MEAN, end)).share[0, 0] for end in ends]
    apart = [place for place, part in enumerate(shares) if not 0.4 <= part <= 0.6]
    return MEAN * (apart[-1] + 1) if apart else 0.0


def earlier_convergence(campaigns: Campaigns, of: str, to: str, experiment: str, span: Span) -> float:
    """Return the convergence time of `of` over the time of `to`, which is at least the span of a mean."""
    first, second = convergence(campaigns, experiment, of, span), convergence(campaigns, experiment, to, span)
    return first / max(second, MEAN)


def goodput_latency(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the time from ssthresh to the full rate."""
    return float(campaigns.latencies(experiment)[algorithm]["goodput"])


def latency_change(campaigns: Campaigns, experiment: str, of: str, to: str) -> float:
    """Return `goodput_latency` of algorithm `of` less `goodput_latency` of algorithm `to`."""
    return goodput_latency(campaigns, experiment, of) - goodput_latency(campaigns, experiment, to)


def out_of_order(campaigns: Campaigns, experiment: str, algorithms: Sequence[str]) -> float:
    """Return the number of pairs of algorithms whose goodput latencies are not in the order given.

    A count; 0 in the order given. `algorithms`: algorithms by rising latency.
    """
    values = [goodput_latency(campaigns, experiment, name) for name in algorithms]
    return float(sum(a > b for place, a in enumerate(values) for b in values[place + 1 :]))


MEASURES = (
    average_window, total_window, share, window_ratio, rate_ratio, utilisation, buffered, more_buffered,
    share_change, own_queue, swing, relative_swing, approach, reductions, reduction, convergence, earlier_convergence,
    goodput_latency, latency_change, out_of_order,
)  # fmt: skip


def _averages(run: TracedRun, span: Span) -> AverageWindows:
    return average_windows(run.time, run.cwnd, run.delivered, [(span[0], span[1])], flows=run.flows)


def _window(run: TracedRun, flow: int, span: Span) -> np.ndarray:
    return np.asarray(run.cwnd[(run.time > span[0]) & (run.time <= span[1]), flow - 1])


def _falls(window: np.ndarray) -> list[tuple[int, int]]:
    """Return the places of the sample before and of the lowest sample of each fall."""
    falling = np.flatnonzero(window[1:] < 0.95 * window[:-1])
    falls: list[tuple[int, int]] = []
    for place in falling.tolist():
        if falls and falls[-1][1] == place:
            falls[-1] = (falls[-1][0], place + 1)
        else:
            falls.append((place, place + 1))
    return falls
