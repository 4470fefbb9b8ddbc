"""Verdicts on effects, and the runs or units that would settle them."""

from __future__ import annotations

import numpy as np

from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, NARROW, NO_WORSE, WORSE
from mesonet.analysis.decisions.power import MOST_REPLICATES
from mesonet.analysis.decisions.welch import quantiles
from mesonet.analysis.deployments.clusters import Contrast

MOST_UNITS = 10**9
"""Number of units beyond which none is stated (chosen)."""


def verdict(low: float, high: float, delta: float) -> str:
    """Return the verdict on an interval of log ratios, positive for the worse, as `mesonet.analysis.decide` words it.

    `delta`: the margin, a log ratio.
    """
    if low > delta:
        return WORSE
    if high < -delta:
        return BETTER
    if high <= delta:
        return NO_WORSE
    return AT_MARGIN if (high - low) / 2 <= NARROW * delta else CANNOT_TELL


def needed(found: Contrast, count: int, *, alpha: float, target: float, by_seed: bool) -> int | None:
    """Return the number of seeds or units at which half of the interval is at most `target`, if the noise stays.

    None without noise, or beyond 100 further seeds. `count`: seeds or units now. Errors fall with the root of the
    number, and degrees of freedom grow in proportion to the number less 1.
    """
    if not (found.freedom > 0 and np.isfinite(found.error) and target > 0 and count > 1):
        return None

    def half(number: int) -> float:
        freedom = found.freedom * (number - 1) / (count - 1)
        quantile = float(quantiles(np.array([freedom]), np.array([alpha]))[0])
        return quantile * found.error * float(np.sqrt(count / number))

    least, most = 1, count + MOST_REPLICATES if by_seed else MOST_UNITS
    if not half(most) <= target:
        return None
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if half(middle) <= target else (middle, most)
    return most
