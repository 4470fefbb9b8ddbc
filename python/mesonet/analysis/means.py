"""Means of values of which some are missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def finite_mean(values: Floats, axis: int) -> Floats:
    """Return means of the finite values along an axis.

    The shape without that axis; NaN where no value is finite. `values`: any shape; NaN or infinite where missing.
    """
    there = np.isfinite(values)
    with np.errstate(all="ignore"):
        return np.asarray(np.where(there, values, 0.0).sum(axis=axis) / there.sum(axis=axis))
