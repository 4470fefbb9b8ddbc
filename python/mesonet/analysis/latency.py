"""Latencies of flows: the time to the full rate at first, and again after congestion.

* *Rate*: segments delivered over the `WINDOW` before an instant.
* *Full rate*: the largest rate at which the flow can send, mostly the rate of its interface. A flow has reached it
at
  the first instant at which its rate is at least `REACHED` of it.
* *Goodput latency*: from the instant at which the window first reaches the initial slow-start threshold to the full
  rate, in a network without congestion.
* *Recovery latency*: from the end of a period of congestion to the full rate.

The terms are from NIST SP 500-282, chapter 10 (Table 10-1), which gives no formula. The definitions use only windows
and segments, so that they hold for every algorithm, with or without a slow start of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

#: Seconds over which a rate is taken: the measurement interval of the study (ASME paper, Table 11, X18).
WINDOW = 0.2
#: Part of the full rate that counts as all of it: paced algorithms keep 1 % below (BBR), and a rate has a resolution.
REACHED = 0.98


@dataclass(frozen=True)
class Latencies:
    """Latencies of a flow; NaN where the full rate or its start was not reached."""

    entered: float  #: when the window first reached the initial slow-start threshold, s
    goodput: float  #: goodput latency, s
    recovery: float  #: recovery latency, s; NaN without congestion
    during: float  #: mean rate during the congestion, as a part of the full rate; NaN without


def rates(time: ArrayLike, delivered: ArrayLike, window: float = WINDOW) -> Floats:
    """Return the delivery rate of a flow at each instant, over a window that ends there.

    Parameters
    ----------
    time
        Instants, s; shape (n,), rising.
    delivered
        Segments delivered since the beginning of the flow; shape (n,).
    window
        Length of the window, s, above 0.

    Returns
    -------
    Segments/s, shape (n,); NaN before the series spans a window.

    Raises
    ------
    ValueError
        If the shapes differ or the window is not positive.

    Examples
    --------
    >>> rates([0.0, 1.0, 2.0], [0, 10, 40], window=1.0)
    array([nan, 10., 30.])
    """
    t, d = np.asarray(time, dtype=float), np.asarray(delivered, dtype=float)
    if t.ndim != 1 or t.shape != d.shape:
        raise ValueError(f"segments of shape {d.shape} for {t.shape} instants")
    if not window > 0:
        raise ValueError("window is positive")
    if not len(t):
        return t
    before = np.interp(t - window, t, d)
    # Half a sample of grace: instants are sums of intervals.
    known = t - window >= t[0] - 1e-9
    return np.where(known, (d - before) / window, np.nan)


def latencies(
    time: ArrayLike,
    cwnd: ArrayLike,
    delivered: ArrayLike,
    *,
    ssthresh: float,
    full: float,
    congestion: tuple[float, float] | None = None,
    window: float = WINDOW,
    reached: float = REACHED,
) -> Latencies:
    """Return the latencies of one flow.

    Parameters
    ----------
    time, cwnd, delivered
        Instants in s, windows in segments, segments delivered since the beginning; shape (n,). The flow begins with
        the series.
    ssthresh
        Initial slow-start threshold, segments, above 0.
    full
        Full rate, segments/s, above 0.
    congestion
        Beginning and end of the period of congestion, s, if there is one.
    window, reached
        See `WINDOW` and `REACHED`: s, above 0; part of the full rate, above 0 and at most 1.

    Returns
    -------
    Latencies in s; NaN where the full rate or its start was not reached.

    Raises
    ------
    ValueError
        If the arrays do not fit each other, or a number is out of range.
    """
    t, w = np.asarray(time, dtype=float), np.asarray(cwnd, dtype=float)
    rate = rates(t, delivered, window)
    if w.shape != t.shape:
        raise ValueError(f"windows of shape {w.shape} for {t.shape} instants")
    if not (ssthresh > 0 and full > 0 and window > 0 and 0 < reached <= 1):
        raise ValueError("ssthresh, full, window and reached are positive, reached at most 1")
    begin, end = congestion or (np.inf, np.inf)
    calm = t <= begin
    entered = _first(t, calm & (w >= ssthresh))
    goodput = _first(t, calm & (t >= entered) & (rate >= reached * full)) - entered
    after = _first(t, (t >= end) & (rate >= reached * full)) - end
    if not congestion:
        return Latencies(entered, goodput, np.nan, np.nan)
    begun, ended = np.interp([begin, end], t, np.asarray(delivered, dtype=float))
    return Latencies(entered, goodput, after, (ended - begun) / (end - begin) / full)


def _first(time: Floats, where: NDArray[np.bool_]) -> float:
    return float(time[np.argmax(where)]) if where.any() else float("nan")
