"""Envelopes of series with more samples than a figure has points: the extremes of every bin."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def envelope(values: ArrayLike, most: int) -> NDArray[np.intp]:
    """Return the places of at most about `most` samples that look like all of them, in order; shape (m,).

    The series, shape (n,), is cut into bins of equal numbers of samples; the smallest and the largest sample of each
    remain, with the first and the last of all, so that no peak is lost. Samples that are NaN have no place.
    """
    y = np.asarray(values, dtype=float)
    there = np.flatnonzero(np.isfinite(y))
    if len(there) <= most:
        return there
    bins = np.array_split(there, max(1, most // 2))
    extremes = [place for part in bins for place in (part[np.argmin(y[part])], part[np.argmax(y[part])])]
    return np.unique([there[0], *extremes, there[-1]])
