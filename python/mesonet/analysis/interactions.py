"""The interaction effects matrix: how the response changes with every factor and every product of two.

Step 4 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.4): main effects on the diagonal,
two-factor interactions above it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.main_effects import DesignLike, condition_means, design_signs
from mesonet.analysis.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Interactions(Result):
    """Arrays have the shape (k, k); entry (i, j) is about x_i x_j, and on the diagonal about x_i. Symmetric."""

    factors: tuple[str, ...]
    mean_minus: Floats  #: mean response where the product is -1; NaN where it never is
    mean_plus: Floats
    effect: Floats
    runs: int
    grand_mean: float

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors, "other": self.factors}

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name).ravel() for name in ("mean_minus", "mean_plus", "effect")}

    def _attributes(self) -> dict[str, Any]:
        return {"runs": self.runs, "grand_mean": self.grand_mean}


def interactions(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> Interactions:
    """Means and effects of every factor and of every product of two; arguments and errors as `main_effects`."""
    matrix, names = design_signs(design, factors)
    used, mean = condition_means(y, len(matrix), algorithm)
    signs = matrix[used]
    k = signs.shape[1]
    products = signs[:, :, None] * signs[:, None, :]
    products[:, range(k), range(k)] = signs
    plus = products > 0
    with np.errstate(all="ignore"):
        mean_plus = np.where(plus, mean[:, None, None], 0).sum(axis=0) / plus.sum(axis=0)
        mean_minus = np.where(plus, 0, mean[:, None, None]).sum(axis=0) / (~plus).sum(axis=0)
    grand = float(mean.mean()) if len(mean) else float("nan")
    return Interactions(names, mean_minus, mean_plus, mean_plus - mean_minus, len(mean), grand)
