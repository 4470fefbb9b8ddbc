"""Where to go next: the response as a function of the two most important factors.

Step 10 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.10): y = mean + (e1 x1 + e2 x2 + e12 x1
x2) / 2 with the two largest main effects, even where an interaction is larger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.interactions import interactions
from mesonet.analysis.main_effects import DesignLike, condition_means, design_signs
from mesonet.analysis.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Contour(Result):
    """The fitted surface on a grid of coded settings; one row of the table per point."""

    factors: tuple[str, str]  #: across, up: the largest and the second largest main effect
    grid: Floats  #: coded settings of both axes, -2 to 2
    surface: Floats  #: shape (grid, grid): prediction at (up, across)
    corners: Floats  #: shape (2, 2): mean response at - and + of (up, across); NaN without a run
    effects: tuple[float, float, float]  #: of both factors and of their product
    grand_mean: float  #: prediction at the centre

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {self.factors[1]: list(self.grid), self.factors[0]: list(self.grid)}

    def _columns(self) -> dict[str, Any]:
        return {"prediction": self.surface.ravel()}

    def _attributes(self) -> dict[str, Any]:
        return {"grand_mean": self.grand_mean, "effects": ", ".join(f"{e:.6g}" for e in self.effects)}


def contour(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
    points: int = 41,
) -> Contour:
    """The surface over the two largest main effects; arguments and errors as `main_effects`.

    Raises ValueError also for a design of fewer than two factors.
    """
    signs, _ = design_signs(design, factors)
    if signs.shape[1] < 2:
        raise ValueError("a contour plot needs at least two factors")
    matrix = interactions(design, y, factors=factors, algorithm=algorithm)
    row, mean = condition_means(y, len(signs), algorithm)
    main = np.nan_to_num(np.abs(np.diag(matrix.effect)), nan=-1.0)
    first, second = (int(i) for i in np.argsort(-main, kind="stable")[:2])
    e1, e2, e12 = matrix.effect[first, first], matrix.effect[second, second], matrix.effect[first, second]
    grid = np.linspace(-2.0, 2.0, points)
    x1, x2 = np.meshgrid(grid, grid)
    surface = matrix.grand_mean + (e1 * x1 + e2 * x2 + e12 * x1 * x2) / 2
    corners = np.full((2, 2), np.nan)
    for up, across in product((0, 1), repeat=2):
        there = (signs[row][:, [second, first]] == (2 * up - 1, 2 * across - 1)).all(axis=1)
        if there.any():
            corners[up, across] = mean[there].mean()
    names = (matrix.factors[first], matrix.factors[second])
    return Contour(names, grid, surface, corners, (float(e1), float(e2), float(e12)), matrix.grand_mean)
