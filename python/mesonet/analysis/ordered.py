"""Responses in rising order with the settings that gave them: which settings are best, and which factor decides.

Step 1 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.1). A factor whose setting is the same
in a long run of the largest (or smallest) responses matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.words import own_names

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class OrderedData(AnalysisResult):
    """Runs by rising response; one row of the table per run."""

    factors: tuple[str, ...]
    condition: NDArray[np.int_]  #: numbered from 1
    value: Floats
    signs: NDArray[np.int8]  #: shape (runs, k)
    longest_low: NDArray[np.int_]  #: per factor: equal signs in a row from the smallest response on
    longest_high: NDArray[np.int_]  #: the same from the largest response back

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"rank": range(1, len(self.value) + 1)}

    def _columns(self) -> dict[str, Any]:
        own = {"condition": self.condition, "value": self.value}
        return own | dict(zip(own_names(self.factors, ["rank", *own]), self.signs.T, strict=True))


def ordered_data(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> OrderedData:
    """Return the conditions by rising mean response; ties keep the order of the design.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`; replicates are averaged.

    Returns
    -------
    Conditions with a value, their means and their settings.

    Raises
    ------
    ValueError
        As `main_effects`.
    """
    matrix, names = design_signs(design, factors)
    observed = observations(y, design, algorithm)
    used, mean = observed.used, observed.mean
    order = np.argsort(mean, kind="stable")
    signs = matrix[used][order].astype(np.int8)
    return OrderedData(
        factors=names,
        condition=used[order] + 1,
        value=mean[order],
        signs=signs,
        longest_low=_equal_run(signs),
        longest_high=_equal_run(signs[::-1]),
    )


def _equal_run(signs: NDArray[np.int8]) -> NDArray[np.int_]:
    """Return for each column the number of leading rows that have the sign of row 0."""
    if not len(signs):
        return np.zeros(signs.shape[1], dtype=int)
    other = signs != signs[0]
    return np.where(other.any(axis=0), other.argmax(axis=0), len(signs))
