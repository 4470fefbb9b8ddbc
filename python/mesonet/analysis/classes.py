"""Classes of conditions in rising order of a response, such as the level of congestion.

The cuts minimise the variance within the classes (natural breaks: W. D. Fisher, Journal of the American Statistical
Association 53, 1958), unless they are given. Source of the figure: SP 500-282 ch. 9, Fig. 1; its cuts are not printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Default number of classes: chosen.
CLASSES = 4


@dataclass(frozen=True, eq=False, repr=False)
class ConditionClasses(AnalysisResult):
    """Conditions with a value, by rising value; the table has a row per condition."""

    conditions: tuple[int, ...]
    value: Floats
    number: NDArray[np.int_]  #: class of each condition, from 1, the lowest
    limits: tuple[float, ...]  #: smallest value of each class but the first
    names: tuple[str, ...]  #: of the classes
    absent: tuple[int, ...]  #: conditions without a value

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"condition": self.conditions}

    def _columns(self) -> dict[str, Any]:
        return {"value": self.value, "number": self.number, "class": [self.names[n - 1] for n in self.number]}

    def _attributes(self) -> dict[str, Any]:
        left_out = {"without a value": ", ".join(map(str, self.absent))} if self.absent else {}
        return {"limits": ", ".join(f"{limit:.6g}" for limit in self.limits), **left_out}

    def members(self, number: int) -> tuple[int, ...]:
        """Return the conditions of a class, by rising value.

        Parameters
        ----------
        number
            Class, from 1, the lowest.

        Returns
        -------
        Numbers of the conditions; empty for a class without conditions.
        """
        return tuple(c for c, n in zip(self.conditions, self.number, strict=True) if n == number)

    def typical(self, number: int) -> int | None:
        """Return the condition in the middle of a class.

        Parameters
        ----------
        number
            Class, from 1, the lowest.

        Returns
        -------
        Number of the condition, the lower of two in the middle; None where the class is empty.
        """
        members = self.members(number)
        return members[(len(members) - 1) // 2] if members else None


def condition_classes(
    values: ArrayLike,
    *,
    conditions: Sequence[int] | None = None,
    classes: int = CLASSES,
    limits: Sequence[float] | None = None,
    names: Sequence[str] | None = None,
) -> ConditionClasses:
    """Return classes of conditions from a value for each.

    Parameters
    ----------
    values
        Shape (conditions,); NaN where a condition has no value.
    conditions
        Numbers of the conditions; by default 1, 2, and so on.
    classes
        Number of classes, at least 1; fewer different values give fewer classes. Not used with `limits`.
    limits
        Smallest value of each class but the first, rising. None: natural breaks.
    names
        One per class, the lowest first; by default ``class 1`` and so on. Surplus names are ignored.

    Returns
    -------
    Conditions with a value, by rising value, and the class of each.

    Raises
    ------
    ValueError
        For values that are not one-dimensional, fewer than one class, limits that do not rise, too few names, or
        another number of conditions than of values.

    Examples
    --------
    >>> found = condition_classes([5.0, 1.0, 1.2, 9.0], classes=2)
    >>> found.conditions, found.number.tolist()
    ((2, 3, 1, 4), [1, 1, 2, 2])
    """
    array = np.asarray(values, dtype=float)
    labels = np.arange(1, len(array) + 1) if conditions is None else np.asarray(conditions, dtype=int)
    if array.ndim != 1 or labels.shape != array.shape:
        raise ValueError(f"the values have shape {array.shape}; expected one per condition")
    if classes < 1:
        raise ValueError(f"{classes} classes; allowed: at least 1")
    there = np.isfinite(array)
    order = np.argsort(array[there], kind="stable")
    value, known = array[there][order], labels[there][order]
    cuts = natural_breaks(value, classes) if limits is None else tuple(map(float, limits))
    if any(b <= a for a, b in pairwise(cuts)):
        raise ValueError(f"the limits {', '.join(map(str, cuts))} do not rise")
    called = tuple(names or (f"class {i + 1}" for i in range(len(cuts) + 1)))
    if len(called) <= len(cuts):
        raise ValueError(f"{len(called)} names for {len(cuts) + 1} classes")
    number = np.searchsorted(np.asarray(cuts), value, side="right") + 1
    return ConditionClasses(
        conditions=tuple(map(int, known)),
        value=value,
        number=number,
        limits=cuts,
        names=called[: len(cuts) + 1],
        absent=tuple(map(int, labels[~there])),
    )


def natural_breaks(values: ArrayLike, classes: int) -> tuple[float, ...]:
    """Return the smallest value of each class but the first, for the smallest variance within classes.

    Equal values are never separated. The result is exact: dynamic programming over the sorted different values.

    Parameters
    ----------
    values
        Finite numbers in any shape.
    classes
        Number of classes; fewer different values give fewer classes.

    Returns
    -------
    Limits, rising; empty for one class.

    Raises
    ------
    ValueError
        For values that are not finite.

    Examples
    --------
    >>> natural_breaks([1, 2, 10, 11, 50], 3)
    (10.0, 50.0)
    """
    array = np.asarray(values, dtype=float).ravel()
    if not np.isfinite(array).all():
        raise ValueError("natural breaks need finite values")
    different, count = np.unique(array, return_counts=True)
    n, classes = len(different), min(classes, len(different))
    if classes < 2:
        return ()
    # Sums of deviations from the first value, so that large values cancel.
    x = (different - different[0]) / unit(different)
    total, squares, number = (np.r_[0.0, np.cumsum(s)] for s in (count * x, count * x**2, count))

    def within(first: NDArray[np.int_] | int, last: int) -> Floats:
        """Return the sum of squares about the mean of the values first ... last - 1."""
        s = total[last] - total[first]
        return np.asarray(squares[last] - squares[first] - s**2 / (number[last] - number[first]))

    best = np.array([np.inf, *(within(0, last) for last in range(1, n + 1))])
    cut = np.zeros((classes, n + 1), dtype=int)
    for level in range(1, classes):
        new = np.full(n + 1, np.inf)
        for last in range(level + 1, n + 1):
            first = np.arange(level, last)
            cost = best[first] + within(first, last)
            place = int(np.argmin(cost))
            new[last], cut[level, last] = cost[place], first[place]
        best = new
    places, last = [], n
    for level in range(classes - 1, 0, -1):
        last = int(cut[level, last])
        places.append(last)
    return tuple(float(different[place]) for place in reversed(places))
