"""Processor time of a whole run from its beginning, where the load of the network may still grow.

The processor time of a simulated second is about proportional to the number of transmitting sources: their segments
cross routers, and their states displace each other from the caches of the processor. A pilot that ends before the load
has settled saw the cheap part of the run. The number of transmitting sources then grows on as a power of time, with the
exponent of the second half of the pilot. A power below 1 is slower than a constant surplus of new flows, because slow
flows keep their users from new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mesonet.simulation import settling

_BATCHES = 10
_SURE = 2.896
"""Slope over its standard error from which a load surely rises: 99 % of Student's t with 8 degrees of freedom, so that
one steady load in a hundred seems to rise (chosen). A number, because SciPy would add to the memory of a pilot."""


@dataclass(frozen=True)
class WholeRun:
    """An estimate for a whole run."""

    cpu_s: float  #: processor time, s
    least_cpu_s: float  #: processor time, s, if the load stays as it was in the second half of the pilot
    growth: float  #: exponent of the number of transmitting sources over time, 0 to 1; 0 if it does not rise
    settled: bool  #: False if the load rises, or had not settled when the pilot ended


def whole_run(
    marks: Sequence[tuple[float, float]], series: Mapping[str, Sequence[float]], duration_s: float, *, users: bool
) -> WholeRun:
    """Return the processor time of a whole run from a pilot.

    `marks`: simulated time and processor time so far, s, from (0, 0) on; both ascend. `series`: columns time_s and
    those of the load, of the table ``series`` of the pilot. `duration_s`: simulated time of the whole run, s, at least
    that of the pilot. `users`: True if the network has users or open-loop arrivals; the load of explicit flows is
    given.
    """
    times, costs = np.array(marks, dtype=float).T
    end, used = float(times[-1]), float(costs[-1])
    half = used - float(np.interp(end / 2, times, costs))
    left = max(duration_s - end, 0.0)
    least = used + half * left / (end / 2)
    if not users or not left:
        return WholeRun(least, least, 0.0, True)
    growth = _exponent(np.asarray(series["time_s"], dtype=float), np.asarray(series["sending"], dtype=float), end)
    rise = (duration_s ** (growth + 1) - end ** (growth + 1)) / (end ** (growth + 1) - (end / 2) ** (growth + 1))
    known = {name: settling.settling_time(series["time_s"], series[name], end) for name in settling.LOAD}
    drifts = {name: settling.drift(series["time_s"], series[name], end / 2, end) for name in settling.LOAD}
    settled = not growth and not settling.unsettled(known, drifts, end)
    return WholeRun(used + half * rise, least, growth, settled)


def _exponent(time_s: npt.NDArray[np.float64], active: npt.NDArray[np.float64], end: float) -> float:
    """Return the slope of the logarithm of the load over that of time in the second half; 0 unless it surely rises."""
    kept = time_s > end / 2
    length = int(kept.sum()) // _BATCHES
    if not length:
        return 0.0
    at, load = (each[kept][-length * _BATCHES :].reshape(_BATCHES, length).mean(axis=1) for each in (time_s, active))
    if load.min() <= 0:
        return 0.0
    x, y = (np.log(each) - np.log(each).mean() for each in (at, load))
    slope = float(x @ y / (x @ x))
    error = float(np.sqrt(np.sum((y - slope * x) ** 2) / (_BATCHES - 2) / (x @ x)))
    return min(slope, 1.0) if slope > _SURE * error else 0.0
