"""The interaction effects matrix: how the response changes with every factor and every product of two.

Step 4 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.4): main effects on the diagonal,
two-factor interactions above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.estimable import is_regular
from mesonet.analysis.observations import DesignLike, design_signs
from mesonet.analysis.one_model import model
from mesonet.analysis.overflow_units import in_unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Interactions(AnalysisResult):
    """Arrays have the shape (k, k); entry (i, j) is about x_i x_j, and on the diagonal about x_i. Symmetric."""

    factors: tuple[str, ...]
    mean_minus: Floats  #: mean response where the product is -1; NaN where it never is
    mean_plus: Floats
    effect: Floats
    runs: int
    grand_mean: float
    notes: tuple[str, ...] = ()  #: lost runs, blocks, columns that overlap

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors, "other": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).ravel() for name in ("mean_minus", "mean_plus", "effect")}

    def _attributes(self) -> dict[str, Any]:
        return {"runs": self.runs, "grand_mean": self.grand_mean, "notes": " ".join(self.notes)}


def interactions(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> Interactions:
    """Return means and effects of every factor and of every product of two.

    Effects of runs that are not balanced are fitted together by least squares; a product that the runs cannot estimate
    is NaN. A product that is the same in every run has one mean and no effect.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`; replicates are averaged.

    Returns
    -------
    Arrays of shape (k, k), in the unit of `y`.

    Raises
    ------
    ValueError
        As `main_effects`.
    """
    matrix, names = design_signs(design, factors)
    k = matrix.shape[1]
    of = model(design, y, factors=names, algorithm=algorithm, order=None if is_regular(matrix) else min(2, k))
    mean, found = of.mean, of.fit
    products = of.settings[:, :, None] * of.settings[:, None, :]
    products[:, range(k), range(k)] = of.settings
    plus = products > 0
    with np.errstate(all="ignore"):
        mean_plus = np.where(plus, mean[:, None, None], 0).sum(axis=0) / plus.sum(axis=0)
        mean_minus = np.where(plus, 0, mean[:, None, None]).sum(axis=0) / (~plus).sum(axis=0)
    effect = mean_plus - mean_minus
    for string, *values in zip(of.signs.strings, of.effect, found.mean_minus, found.mean_plus, strict=True):
        for alias in string:
            if alias.count("*") > 1:
                continue
            i, j = _places(alias.removeprefix("-"), names)
            same = not alias.startswith("-")
            low, high = (values[1], values[2]) if same else (values[2], values[1])
            effect[i, j] = effect[j, i] = values[0] if same else -values[0]
            mean_minus[i, j] = mean_minus[j, i] = low
            mean_plus[i, j] = mean_plus[j, i] = high
    result = Interactions(
        factors=names,
        mean_minus=mean_minus,
        mean_plus=mean_plus,
        effect=effect,
        runs=len(mean),
        grand_mean=of.grand_mean,
        notes=of.notes,
    )
    return in_unit(result, of.by, "mean_minus", "mean_plus", "effect", "grand_mean")


def _places(term: str, names: tuple[str, ...]) -> tuple[int, int]:
    """Return the places of both factors of a product; for a single factor its place twice."""
    if term in names:
        return names.index(term), names.index(term)
    first, second = term.split("*")
    return names.index(first), names.index(second)
