"""Initial transient of a time series, by the marginal standard error rule, MSER-5.

The series is reduced to means of five samples. The truncation point minimises the standard error of the mean of the
rest (K. P. White, Simulation 69, 1997; White, Cobb and Spratt, Winter Simulation Conference 2000). A minimum in the
second half means that the series is too short for a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

#: Samples in a batch.
BATCH = 5
#: Fewer batches than this have no minimum worth the name.
FEWEST = 10


@dataclass(frozen=True)
class WarmUp:
    """The transient of one series."""

    samples: int | None  #: samples to discard; None if the series is too short for a verdict
    mean: float  #: mean of what remains; of everything where there is no verdict
    before: float  #: mean of the discarded samples; NaN without any

    @property
    def settled(self) -> bool:
        """True if there is a verdict."""
        return self.samples is not None


def warm_up(series: ArrayLike) -> WarmUp:
    """Return the initial transient of a series, and the means before and after its end.

    Parameters
    ----------
    series
        Numbers at equal distances in time, shape (n,).

    Returns
    -------
    Samples to discard, and means; no verdict for fewer than 50 samples or a minimum in the second half.

    Raises
    ------
    ValueError
        If the series is not one-dimensional or holds something that is not a finite number.

    Examples
    --------
    >>> warm_up([5.0] * 10 + [1.0] * 60).samples
    10
    """
    values = np.asarray(series, dtype=float)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("a series is one-dimensional and finite")
    batches = values[: len(values) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    everything = WarmUp(None, float(values.mean()) if len(values) else float("nan"), float("nan"))
    if len(batches) < FEWEST:
        return everything
    # Sums of what remains from each batch on, of deviations from the last batch so that large means cancel.
    deviations = (batches - batches[-1])[::-1]
    count = np.arange(1, len(batches) + 1)
    total, squares = np.cumsum(deviations), np.cumsum(deviations**2)
    error = ((squares - total**2 / count) / count**2)[::-1]
    # The last few batches would win by chance: the rule leaves out the last five.
    start = int(np.argmin(error[: len(batches) - BATCH]))
    if start > len(batches) // 2:
        return everything
    cut = start * BATCH
    return WarmUp(cut, float(values[cut:].mean()), float(values[:cut].mean()) if cut else float("nan"))
