"""Windows of a few flows over time: use of the path, shares, and convergence.

Source of the figures: ASME paper, Figs. 3 and 17 to 23; mean windows are over the time that a flow is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Last part of the time in which all flows are there, over which their shares are called final: chosen.
FINAL = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class WindowShares(AnalysisResult):
    """Mean windows and shares of flows; the table has a row per flow."""

    flows: tuple[str, ...]
    mean: Floats  #: segments, while the flow is there; NaN for a flow that never is
    alone: Floats  #: segments, while no other flow is there; NaN where that never is
    together: Floats  #: segments, while all flows are there
    share: Floats  #: of the sum of the windows in the last quarter of the time in which all flows are there
    total: float  #: mean of the sum of the windows while all flows are there
    filled: float  #: the same in % of the capacity; NaN without one
    jain: float  #: fairness index of the final shares: 1 if equal, 1 / flows if one has everything

    UNITS: ClassVar = {"mean": "segments", "alone": "segments", "together": "segments", "share": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"flow": self.flows}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("mean", "alone", "together", "share")}

    def _attributes(self) -> dict[str, Any]:
        return {"total": self.total, "filled": self.filled, "jain": self.jain}


def window_shares(
    windows: ArrayLike, *, flows: Sequence[str] | None = None, capacity: float | None = None
) -> WindowShares:
    """Return the mean windows and the shares of flows.

    Parameters
    ----------
    windows
        Congestion windows, segments, shape (samples, flows); samples evenly spaced in time, NaN while a flow is not
        there.
    flows
        Names; by default ``flow 1`` and so on.
    capacity
        Segments that the path holds without a queue, above 0.

    Returns
    -------
    Windows in segments, shares and fairness.

    Raises
    ------
    ValueError
        If the windows do not fit the names, or for a capacity that is not positive.

    Examples
    --------
    >>> nan = float("nan")
    >>> window_shares([[10.0, nan], [10.0, 30.0], [10.0, 30.0]]).share
    array([0.25, 0.75])
    """
    array = np.asarray(windows, dtype=float)
    names = tuple(flows or (f"flow {i + 1}" for i in range(array.shape[-1])))
    if array.ndim != 2 or array.shape[1] != len(names):
        raise ValueError(f"the windows have shape {array.shape}; expected (samples, {len(names)} flows)")
    if capacity is not None and not capacity > 0:
        raise ValueError(f"the capacity is {capacity}; allowed: above 0")
    there = np.isfinite(array)
    every = array[there.all(axis=1)] if array.shape[1] else array[:0]
    single = there & (there.sum(axis=1) == 1)[:, None]
    final = every[-max(1, round(FINAL * len(every))) :].sum(axis=0) if len(every) else np.full(len(names), np.nan)
    with np.errstate(all="ignore"):
        share = final / final.sum()
        jain = float(final.sum() ** 2 / (len(final) * (final**2).sum())) if len(final) else float("nan")
        total = float(every.sum(axis=1).mean()) if len(every) else float("nan")
        return WindowShares(
            flows=names,
            mean=_mean(array, there),
            alone=_mean(array, single),
            together=every.mean(axis=0) if len(every) else np.full(len(names), np.nan),
            share=share,
            total=total,
            filled=100 * total / capacity if capacity else float("nan"),
            jain=jain,
        )


def _mean(array: Floats, chosen: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(chosen, array, 0).sum(axis=0) / chosen.sum(axis=0))
