"""Measures against theory: response functions, queueing, additive increase, buffers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from verification.scorecard.reasons import NotEvaluated

if TYPE_CHECKING:
    from verification.scorecard.campaigns import Campaigns

LAWS: dict[str, Callable[[float, float], float]] = {
    # Mathis, Semke, Mahdavi and Ott 1997: every segment acknowledged, equal distances of losses.
    "mathis": lambda p, rtt: math.sqrt(1.5 / p),
    # RFC 3649, section 5; valid where the window is more than 38.
    "hstcp": lambda p, rtt: 0.12 / p**0.835,
    # Kelly 2003: 0.08 / p with a = 0.01 and b = 1/8.
    "scalable": lambda p, rtt: 0.08 / p,
    # RFC 9438, section 5.1, equation (6), with C = 0.4 and beta = 0.7.
    "cubic": lambda p, rtt: (0.4 * 3.7 / (4 * 0.3)) ** 0.25 * rtt**0.75 / p**0.75,
}
"""Mean window, segments, by loss indications per segment and the round trip in s."""

LOSSES: dict[str, Callable[[float], float]] = {
    # Jin, Wei and Low 2004, as cited there for large windows; the first is `mathis` solved for p.
    "tcp": lambda w: 1.5 / w**2,
    "hstcp": lambda w: 0.078 / w**1.2,
    "scalable": lambda w: 0.08 / w,
}
"""Loss indications per segment by mean window, segments."""

FEWEST_CYCLES = 3


def window_over_law(campaigns: Campaigns, experiment: str, algorithm: str, condition: int, law: str) -> float:
    """Return the mean window over whole cycles in the second half of a run, over the window of a law at its loss rate.

    `law`: key of `LAWS`.
    """
    p, window = _cycles(campaigns, experiment, algorithm, condition)
    return window / LAWS[law](p, _round_trip(campaigns, experiment, algorithm, condition))


def loss_exponent(campaigns: Campaigns, experiment: str, algorithm: str, conditions: Sequence[int]) -> float:
    """Return the slope of log window over log loss rate, through the points of some conditions.

    `conditions`: from 1.
    """
    points = [_cycles(campaigns, experiment, algorithm, number) for number in conditions]
    losses, windows = np.log(np.array(points)).T
    return float(np.polyfit(losses, windows, 1)[0])


def loss_over_law(campaigns: Campaigns, experiment: str, algorithm: str, condition: int) -> float:
    """Return the loss rate over the loss rate that a law gives for the mean window found."""
    p, window = _cycles(campaigns, experiment, algorithm, condition)
    return p / LOSSES[algorithm](window)


def loss_on_path(campaigns: Campaigns, experiment: str, of: str, to: str, condition: int) -> float:
    """Return the loss rate of algorithm `of` on a path that it fills alone, over the loss rate of algorithm `to`.

    Windows differ only by how far below the path they fall.
    """
    return _cycles(campaigns, experiment, of, condition)[0] / _cycles(campaigns, experiment, to, condition)[0]


def queue_over_theory(campaigns: Campaigns, experiment: str, condition: int, router: str) -> float:
    """Return the mean number at a router, with the segment in service, over the M/D/1 mean at the utilisation found.

    Pollaczek and Khinchine: L = rho + rho^2 / (2 (1 - rho)).
    """
    (algorithm,) = campaigns.load(experiment).algorithms
    table = campaigns.load(experiment).kept("routers", condition, algorithm, campaigns.seed_of(experiment))
    row = table.filter(period="measured", router=router)
    rho, length = float(row["utilisation"][0]), float(row["queue_mean"][0])
    return length / (rho + rho**2 / (2 * (1 - rho)))


def difference_kept(campaigns: Campaigns, experiment: str, algorithm: str) -> float:
    """Return the part of the difference of two windows that is left after both fall together, median over the falls."""
    run = campaigns.run(experiment, algorithm)
    window = run.cwnd
    falls = np.flatnonzero((window[1:] < 0.7 * window[:-1]).any(axis=1))
    kept = []
    for before in falls.tolist():
        after = min(before + 10, len(window) - 1)  # a second later, by the 0.1 s of the traces
        if before < 1 or not np.isfinite(window[[before, after]]).all():
            continue
        together = (window[after] < 0.7 * window[before]).all()
        gap = abs(window[before, 0] - window[before, 1])
        if together and gap > 4:
            kept.append(abs(window[after, 0] - window[after, 1]) / gap)
    if not kept:
        raise NotEvaluated("the flows never lose together")
    return float(np.median(kept))


def difference_between_falls(campaigns: Campaigns, experiment: str, algorithm: str, span: Sequence[float]) -> float:
    """Return the change of the difference of two windows in a span in which neither falls."""
    run = campaigns.run(experiment, algorithm)
    inside = (run.time > span[0]) & (run.time <= span[1])
    gap = run.cwnd[inside, 0] - run.cwnd[inside, 1]
    return float(abs(gap[-1] - gap[0]))


def line_use(campaigns: Campaigns, experiment: str, condition: int, speed: float) -> float:
    """Return the rate of segments that leave the line, as a share of its speed.

    0 to 1. `speed`: speed of the line, segments/s.
    """
    (algorithm,) = campaigns.load(experiment).algorithms
    return campaigns.value(experiment, algorithm, condition, "segment_rate") / speed


MEASURES = (
    window_over_law, loss_exponent, loss_over_law, loss_on_path, queue_over_theory, difference_kept,
    difference_between_falls, line_use,
)  # fmt: skip


def _cycles(campaigns: Campaigns, experiment: str, algorithm: str, condition: int) -> tuple[float, float]:
    """Return loss indications per segment and the mean window outside recovery, over whole cycles."""
    series = campaigns.load(experiment).kept("series", condition, algorithm, campaigns.seed_of(experiment))
    series = series.slice(series.height // 2)
    events = series["loss_events"].to_numpy() + series["timeouts"].to_numpy()
    ends = np.flatnonzero(events)
    if len(ends) < FEWEST_CYCLES + 1:
        raise NotEvaluated(f"{max(len(ends) - 1, 0)} cycles in half a run; {FEWEST_CYCLES} are the fewest")
    whole = slice(ends[0] + 1, ends[-1] + 1)
    growing = series["recovery"].to_numpy()[whole] == 0
    delivered = np.diff(series["flow_1_delivered"].to_numpy()[ends[0] : ends[-1] + 1].astype(float))
    window = series["flow_1_cwnd"].to_numpy()[whole][growing]
    return float(events[whole].sum() / delivered[growing].sum()), float(window.mean())


def _round_trip(campaigns: Campaigns, experiment: str, algorithm: str, condition: int) -> float:
    rows = (
        campaigns.load(experiment)
        .response("rtt")
        .filter(
            pl.col("condition") == condition,
            pl.col("algorithm") == algorithm,
            pl.col("replicate") == campaigns.seed_of(experiment),
        )
    )
    return float(rows["value"][0]) / 1e3
