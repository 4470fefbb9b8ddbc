"""Algorithms side by side: the mean of each response over the conditions in which all of them have a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class AlgorithmComparison(AnalysisResult):
    """Comparison of algorithms by mean response. Arrays have the shape (algorithms, responses)."""

    algorithms: tuple[str, ...]
    responses: tuple[str, ...]
    mean: Floats  #: over the conditions compared
    difference: Floats  #: from the median over the algorithms, in % of it
    conditions_compared: NDArray[np.int_]  #: conditions in which every algorithm with any value has one

    UNITS: ClassVar = {"difference": "%"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"algorithm": self.algorithms, "response": self.responses}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).ravel() for name in ("mean", "difference", "conditions_compared")}


def compare_algorithms(cube: ArrayLike, *, responses: Sequence[str], algorithms: Sequence[str]) -> AlgorithmComparison:
    """Return the mean of each response per algorithm, and its difference from the median algorithm.

    A mean counts only conditions in which all algorithms have a value. A lost run of one algorithm therefore makes the
    others look neither better nor worse. An algorithm without any value does not count, and gets NaN. One algorithm far
    from the others does not move the median.

    Parameters
    ----------
    cube
        Shape (conditions, algorithms, responses), NaN where missing.
    responses, algorithms
        Names along the last and the second axis.

    Returns
    -------
    Arrays of shape (algorithms, responses).

    Raises
    ------
    ValueError
        If the cube does not fit the names.
    """
    values = np.asarray(cube, dtype=float)
    if values.ndim != 3 or values.shape[1:] != (len(algorithms), len(responses)):
        raise ValueError(f"the cube has shape {values.shape}; expected (conditions, algorithms, responses)")
    there = np.isfinite(values)
    absent = ~there.any(axis=0)
    complete = (there | absent).all(axis=1, keepdims=True) & there
    compared = complete.sum(axis=0)
    with np.errstate(all="ignore"):
        mean = np.where(complete, values, 0).sum(axis=0) / compared
        masked: Any = np.ma
        middle = masked.median(masked.masked_invalid(mean), axis=0).filled(np.nan)
        difference = np.where(middle == 0, np.nan, 100 * (mean - middle) / middle)
    return AlgorithmComparison(tuple(algorithms), tuple(responses), mean, difference, compared)
