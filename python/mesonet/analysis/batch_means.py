"""Batch means: the interval of the mean of one long run whose values depend on each other.

The run is cut into batches. Their means are nearly independent if batches are long enough, which von Neumann's ratio
tests.

Source: A. M. Law, Simulation Modeling and Analysis, section 9.5.3; B. Schmeiser, Batch size effects in the analysis of
simulation output, Operations Research 30, 1982.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.result import AnalysisResult
from mesonet.designs.two_level import whole_number
from mesonet.errors import InputError
from mesonet.words import counted

Floats = NDArray[np.float64]
_FEWEST, _SHORTEST = 5, 10
"""Fewest batches, and fewest values of a batch (chosen)."""


@dataclass(frozen=True, eq=False, repr=False)
class BatchMeans(AnalysisResult):
    """Means of the batches of one run, and the interval of the mean of all."""

    means: Floats  #: of each batch
    length: int  #: values of a batch
    mean: float
    half_width: float  #: of the interval of the mean
    correlation: float  #: of successive batches
    p: float  #: probability of a correlation as high, if batches are independent
    dropped: int  #: first values that belong to no batch
    notes: tuple[str, ...]

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"batch": list(range(1, len(self.means) + 1))}

    def _columns(self) -> dict[str, Any]:
        return {"mean": self.means}

    def _attributes(self) -> dict[str, Any]:
        facts = {"mean": self.mean, "half_width": self.half_width, "correlation": self.correlation, "p": self.p}
        return {**facts, "length": self.length, "notes": " ".join(self.notes)}


def batch_means(values: ArrayLike, *, batches: int = 20, warm_up: int = 0, alpha: float = 0.05) -> BatchMeans:
    """Return the mean of one long run with its interval, from means of batches.

    Parameters
    ----------
    values
        Values at equal steps of time, shape (n,), all finite.
    batches
        Number of batches, at least 5. Each has at least 10 values.
    warm_up
        Number of first values to leave out.
    alpha
        Error probability of the interval, above 0 and below 1.

    Returns
    -------
    Mean and half-width in the unit of the values. A note names batches that are too short to be independent: their
    interval is too narrow.

    Raises
    ------
    InputError
        If a number is outside of its range, or the run is too short for the batches.
    ValueError
        For values that are not one-dimensional and finite.

    Examples
    --------
    >>> found = batch_means([1.0, 2.0] * 100, batches=10)
    >>> found.mean, found.length, found.half_width
    (1.5, 20, 0.0)
    """
    alpha, y = checked_alpha(alpha), np.asarray(values, dtype=float)
    if y.ndim != 1 or not np.isfinite(y).all():
        raise ValueError(f"values are one-dimensional and finite; these have shape {y.shape}")
    number, first = whole_number(batches), whole_number(warm_up)
    if number is None or number < _FEWEST:
        raise InputError("not a number of batches", path="batches", value=batches, allowed=f"at least {_FEWEST}")
    if first is None or not 0 <= first <= len(y):
        raise InputError("not a number of values", path="warm_up", value=warm_up, allowed=f"0 to {len(y)}")
    length = (len(y) - first) // number
    if length < _SHORTEST:
        allowed = f"at least {number * _SHORTEST} values behind the warm-up, or fewer batches"
        raise InputError("too short a run", path="values", value=len(y) - first, allowed=allowed)
    dropped = len(y) - number * length
    base = y[-1]
    means = (y[dropped:] - base).reshape(number, length).mean(axis=1) + base
    mean, centred = float(means.mean()), means - means.mean()
    squares = float(centred @ centred)
    half = float(special.stdtrit(number - 1, 1 - alpha / 2)) * np.sqrt(squares / (number - 1) / number)
    correlation = p = float("nan")
    notes = []
    if dropped > first:
        notes.append(f"{counted(dropped - first, 'value')} behind the warm-up belong to no batch and are left out.")
    if squares > 0:
        correlation = float(centred[1:] @ centred[:-1]) / squares
        # Ratio of von Neumann, normal for independent means.
        ratio = 1 - float((np.diff(means) ** 2).sum()) / (2 * squares)
        p = float(special.ndtr(-ratio * np.sqrt((number**2 - 1) / (number - 2))))
        if p < alpha:
            notes.append(
                f"Successive batches are alike (correlation {correlation:.2f}, p {p:.2g}): they are too short, and the "
                "interval is too narrow. Take fewer batches, or a longer run."
            )
    return BatchMeans(
        means=means,
        length=length,
        mean=mean,
        half_width=float(half),
        correlation=correlation,
        p=p,
        dropped=dropped,
        notes=tuple(notes),
    )
