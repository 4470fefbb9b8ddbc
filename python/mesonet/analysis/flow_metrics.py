"""Metrics of flows that share a line over an interval: throughput, fairness, stability, responsiveness.

The four metrics of C. Jin, D. X. Wei and S. H. Low, "FAST TCP: Motivation, Architecture, Algorithms, Performance",
INFOCOM 2004. The 10 % of responsiveness is recalled, not checked against the paper.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

SETTLED = 0.1
"""Responsiveness: the running average is within this part of the mean of the interval from then on."""


@dataclass(frozen=True)
class FlowMetrics:
    """Metrics of an interval."""

    throughput: float  #: mean of the sum of all rates, in the unit of the rates
    fairness: float  #: Jain's index of the mean rates, from 1/n to 1
    stability: float  #: mean over the flows of sample standard deviation over mean; 0 is perfectly stable
    responsiveness: float  #: samples until the running average of the slowest flow stays within 10 % of its mean


def jain_index(rates: ArrayLike) -> float:
    """Return Jain's fairness index, (sum x)^2 / (n sum x^2).

    From 1/n, one flow has everything, to 1, all are equal; NaN if all rates are 0. `rates`: n rates in any unit.

    Examples
    --------
    >>> jain_index([1.0, 1.0, 0.0, 0.0])
    0.5
    """
    x = np.asarray(rates, dtype=float)
    squares = float((x**2).sum())
    return float(x.sum() ** 2 / (x.size * squares)) if squares else float("nan")


def flow_metrics(rates: ArrayLike) -> FlowMetrics:
    """Return the metrics of an interval.

    Throughput in the unit of the rates, fairness, stability, and responsiveness in samples. `rates`: rates at equal
    distances in time, shape (samples, flows); two samples or more, no NaN.
    """
    x = np.asarray(rates, dtype=float)
    if x.ndim != 2 or len(x) < 2 or not np.isfinite(x).all():
        raise ValueError("rates of shape (samples, flows) with at least two samples and no gaps")
    mean = x.mean(axis=0)
    moving = mean > 0
    running = np.cumsum(x, axis=0) / np.arange(1, len(x) + 1)[:, None]
    away = np.abs(running - mean) > SETTLED * mean
    last = np.where(away.any(axis=0), len(x) - np.argmax(away[::-1], axis=0), 0)
    spread = x.std(axis=0, ddof=1)[moving] / mean[moving]
    return FlowMetrics(
        throughput=float(x.sum(axis=1).mean()),
        fairness=jain_index(mean),
        stability=float(spread.mean()) if moving.any() else float("nan"),
        responsiveness=float(last.max()),
    )
