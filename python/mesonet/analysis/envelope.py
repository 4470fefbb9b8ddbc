"""Envelopes of series with more samples than a figure has points: the extremes of every bin."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def envelope(values: ArrayLike, most: int) -> NDArray[np.intp]:
    """Return the places of samples that look like the whole series when drawn.

    The series is cut into bins of equal numbers of samples. The smallest and the largest sample of each bin remain, and
    the first and the last of all, so that no peak is lost.

    Parameters
    ----------
    values
        Shape (n,). A NaN has no place in the result.
    most
        Samples to keep, about; a series with at most this number keeps all.

    Returns
    -------
    Places in `values`, rising, shape (m,).

    Examples
    --------
    >>> envelope([0, 1, 9, 1, 0, 1, -9, 1], 4).tolist()
    [0, 2, 5, 6, 7]
    """
    y = np.asarray(values, dtype=float)
    there = np.flatnonzero(np.isfinite(y))
    if len(there) <= most:
        return there
    bins = np.array_split(there, max(1, most // 2))
    extremes = [place for part in bins for place in (part[np.argmin(y[part])], part[np.argmax(y[part])])]
    return np.unique([there[0], *extremes, there[-1]])
