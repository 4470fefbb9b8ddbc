"""Average windows and rates of flows that share a path, in given spans, and the segments that each flow queues.

The average window is the time average of cwnd, as in the figures of the ASME paper (Figs. 3 and 17 to 23).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class AverageWindows(AnalysisResult):
    """Average windows and rates of shape (flows, spans); NaN where the flow has no sample in the span."""

    flows: tuple[str, ...]
    spans: tuple[tuple[float, float], ...]  #: beginning (excluded) and end, s
    window: Floats  #: time average of cwnd, segments
    share: Floats  #: of the sum of the average windows of the span
    rate: Floats  #: segments delivered a second

    UNITS: ClassVar = {"begin": "s", "end": "s", "window": "segments", "share": "1", "rate": "segments/s"}

    @property
    def total(self) -> Floats:
        """Sum of the average windows in each span, segments."""
        return np.asarray(np.nansum(self.window, axis=0))

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"flow": self.flows, "span": [f"{begin:g} to {end:g} s" for begin, end in self.spans]}

    def _columns(self) -> dict[str, Any]:
        begin, end = (np.tile([span[side] for span in self.spans], len(self.flows)) for side in (0, 1))
        return {
            "begin": begin,
            "end": end,
            "window": self.window.ravel(),
            "share": self.share.ravel(),
            "rate": self.rate.ravel(),
        }


def average_windows(
    time: ArrayLike,
    cwnd: ArrayLike,
    delivered: ArrayLike,
    spans: Sequence[tuple[float, float]],
    *,
    flows: Sequence[str] | None = None,
) -> AverageWindows:
    """Return the average windows and rates of flows in each span; all flows are sampled at equally spaced instants.

    Parameters
    ----------
    time
        Instants, s; shape (n,), rising.
    cwnd
        Congestion windows, segments; shape (n, flows), NaN while a flow is not sending.
    delivered
        Segments delivered since the beginning of the flow; shape (n, flows), NaN or 0 before it.
    spans
        Beginning, excluded, and end of each span, s.
    flows
        Names; by default ``flow 1`` and so on.

    Returns
    -------
    Windows, shares and rates of shape (flows, spans).

    Raises
    ------
    ValueError
        If the shapes do not fit each other, the number of names is wrong, or a span holds no instant.
    """
    t, w, d = (np.asarray(values, dtype=float) for values in (time, cwnd, delivered))
    if t.ndim != 1 or w.ndim != 2 or w.shape != d.shape or len(w) != len(t):
        raise ValueError(f"windows of shape {w.shape} and segments of shape {d.shape} for {t.shape} instants")
    names = tuple(flows or (f"flow {number}" for number in range(1, w.shape[1] + 1)))
    if len(names) != w.shape[1]:
        raise ValueError(f"{len(names)} names for {w.shape[1]} flows")
    d = np.nan_to_num(d)
    window, rate = np.full((2, len(names), len(spans)), np.nan)
    for place, (begin, end) in enumerate(spans):
        inside = np.flatnonzero((t > begin) & (t <= end))
        if not len(inside):
            raise ValueError(f"no sample between {begin:g} and {end:g} s")
        there = np.isfinite(w[inside])
        count = there.sum(axis=0)
        window[:, place] = np.where(count, np.nansum(w[inside], axis=0) / np.maximum(count, 1), np.nan)
        last, before = inside[-1], inside[0] - 1
        first = d[before] if before >= 0 else np.zeros(len(names))
        since = t[before] if before >= 0 else 0.0
        rate[:, place] = np.where(count, (d[last] - first) / (t[last] - since), np.nan)
    with np.errstate(invalid="ignore"):
        share = window / np.nansum(window, axis=0)
    return AverageWindows(names, tuple((float(a), float(b)) for a, b in spans), window, share, rate)


def queued(cwnd: ArrayLike, rtt: ArrayLike) -> Floats:
    """Return the segments that a flow holds in queues: cwnd (1 - smallest round trip so far / round trip).

    FAST and Vegas steer by this number: in equilibrium a flow of FAST has its alpha (Jin, Wei and Low, INFOCOM 2004). A
    flow that has never seen the path empty takes the queue of the others for propagation and measures too little.

    Parameters
    ----------
    cwnd, rtt
        Windows, segments, and round-trip times in any unit; shape (n,) or (n, flows), NaN where there is none.

    Returns
    -------
    Segments in queues, in the shape of `cwnd`; NaN until the first round-trip time.

    Examples
    --------
    >>> queued([10.0, 20.0], [0.1, 0.2])
    array([ 0., 10.])
    """
    w, r = np.asarray(cwnd, dtype=float), np.asarray(rtt, dtype=float)
    base = np.fmin.accumulate(np.where(r > 0, r, np.nan), axis=0)
    return np.asarray(w * (1 - base / r))
