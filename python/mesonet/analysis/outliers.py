"""Several outliers among normal values: the generalised extreme Studentised deviate test.

The most extreme value leaves again and again. The largest number of values beyond their critical value are outliers, so
that outliers which hide each other are found.

Source: B. Rosner, Percentage points for a generalized ESD many-outlier procedure, Technometrics 25, 1983;
NIST/SEMATECH e-Handbook, section 1.3.5.17.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.result import AnalysisResult
from mesonet.designs.two_level import whole_number
from mesonet.errors import InputError

Floats = NDArray[np.float64]
_RELIABLE = 15
"""Fewest values for which the error probability is right (Rosner 1983: from 25, and acceptable from 15)."""


@dataclass(frozen=True, eq=False, repr=False)
class Outliers(AnalysisResult):
    """The steps of the test. Arrays have one entry per step, the most extreme value first."""

    index: tuple[int, ...]  #: position of the value in the input, from 0
    value: Floats
    statistic: Floats  #: distance from the mean of the values left, in their standard deviations
    critical: Floats
    number: int  #: of outliers: the first steps
    notes: tuple[str, ...]

    @property
    def outliers(self) -> tuple[int, ...]:
        """Positions of the outliers in the input, from 0."""
        return self.index[: self.number]

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"step": list(range(1, len(self.index) + 1))}

    def _columns(self) -> dict[str, Any]:
        own = {name: getattr(self, name) for name in ("value", "statistic", "critical")}
        is_outlier = np.arange(len(self.index)) < self.number
        return {"index": np.array(self.index, dtype=int), **own, "is_outlier": is_outlier}

    def _attributes(self) -> dict[str, Any]:
        return {"number": self.number, "notes": " ".join(self.notes)}


def outliers(values: ArrayLike, *, most: int, alpha: float = 0.05) -> Outliers:
    """Return the outliers among normal values, by the generalised extreme Studentised deviate test.

    Parameters
    ----------
    values
        Shape (n,); NaN and infinite values take no part.
    most
        Most outliers to look for, 1 to n - 3. It is chosen before the values are seen.
    alpha
        Probability of an outlier where there is none, above 0 and below 1.

    Returns
    -------
    The steps of the test, and the number of outliers.

    Raises
    ------
    InputError
        If a number is outside of its range.
    ValueError
        For values that are not one-dimensional.

    Examples
    --------
    >>> outliers([9.8, 10.0, 10.1, 10.2, 10.0, 9.9, 10.1, 14.0, 14.1], most=3).outliers
    (8, 7)
    """
    alpha, y = checked_alpha(alpha), np.asarray(values, dtype=float)
    if y.ndim != 1:
        raise ValueError(f"values are one-dimensional; these have shape {y.shape}")
    left = np.flatnonzero(np.isfinite(y))
    n, steps = len(left), whole_number(most)
    if n < 4:
        raise InputError("too few values", path="values", value=n, allowed="at least 4 numbers")
    if steps is None or not 1 <= steps <= n - 3:
        raise InputError("not a number of outliers", path="most", value=most, allowed=f"1 to {n - 3} for {n} values")
    index, statistic, critical = [], [], []
    for step in range(1, steps + 1):
        own = y[left] - y[left].mean()
        sd = float(own.std(ddof=1))
        place = int(np.argmax(np.abs(own)))
        flat = sd <= ROUNDING * float(np.abs(y[left]).max())
        statistic.append(0.0 if flat else float(np.abs(own[place])) / sd)
        t = float(special.stdtrit(n - step - 1, 1 - alpha / (2 * (n - step + 1))))
        critical.append((n - step) * t / np.sqrt((n - step - 1 + t**2) * (n - step + 1)))
        index.append(int(left[place]))
        left = np.delete(left, place)
    beyond = np.flatnonzero(np.array(statistic) > np.array(critical))
    notes = [f"Below {_RELIABLE} values the error probability is not reliable."] if n < _RELIABLE else []
    return Outliers(
        index=tuple(index),
        value=y[index],
        statistic=np.array(statistic),
        critical=np.array(critical),
        number=int(beyond[-1]) + 1 if len(beyond) else 0,
        notes=tuple(notes),
    )
