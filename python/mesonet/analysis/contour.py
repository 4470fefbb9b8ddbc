"""The response as a function of the two most important factors, between their levels.

Step 10 of Filliben's ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.10): y = mean + (e1 x1 + e2 x2 + e12 x1
x2) / 2. The axes are drawn from the first items of the ranked list of terms (section 5.5.9.10.1): a main effect gives
its factor, and an interaction of two factors gives its factors that are not on an axis yet, the larger main effect
first. Beyond the levels and between the levels of a categorical factor nothing was measured: the surface ends at the
levels, and a categorical factor takes no axis.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.interactions import interactions
from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.terms import terms

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Contour(AnalysisResult):
    """The fitted surface on a grid of coded settings; one row of the table per point."""

    factors: tuple[str, str]  #: across, up
    grid: Floats  #: coded settings of both axes, -1 to 1
    surface: Floats  #: shape (grid, grid): prediction at (up, across)
    corners: Floats  #: shape (2, 2): mean response at - and + of (up, across); NaN without a run
    effects: tuple[float, float, float]  #: of both factors and of their product
    grand_mean: float  #: prediction at the centre
    limits: tuple[float, float]  #: smallest and largest value of the runs: predictions beyond are cut off

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
    axes: tuple[str, str] | None = None,
    categorical: Collection[str] = (),
    points: int = 41,
) -> Contour:
    """Return the fitted surface over two factors.

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`; replicates are averaged.
    axes
        The factors across and up. None: chosen by the ranked list of terms.
    categorical
        Factors without settings between their levels. They take no axis.
    points
        Points of each axis, at least 2.

    Returns
    -------
    Predictions on the grid, in the unit of `y`, shape (points, points).

    Raises
    ------
    ValueError
        As `main_effects`; also for fewer than two factors that are not categorical, fewer than two points, and axes
        that are unknown, equal or categorical.
    """
    signs, names = design_signs(design, factors)
    allowed = [name for name in names if name not in categorical]
    if len(allowed) < 2:
        raise ValueError("a contour plot needs at least two factors that are not categorical")
    if points < 2:
        raise ValueError(f"points is {points}; allowed: at least 2")
    matrix = interactions(design, y, factors=factors, algorithm=algorithm)
    if axes is None:
        ranked = terms(design, y, factors=factors, algorithm=algorithm)
        pairs = [term for term, order in zip(ranked.terms, ranked.order, strict=True) if order <= 2]
        chosen = _axes(pairs, names, np.abs(np.diag(matrix.effect)), allowed)
    else:
        chosen = tuple(axes)
        if len(set(chosen)) != 2 or not set(chosen) <= set(allowed):
            raise ValueError(f"axes is {axes!r}; allowed: two of {', '.join(allowed)}")
    observed = observations(y, design, algorithm)
    row, mean = observed.used, observed.mean
    first, second = (names.index(name) for name in chosen)
    e1, e2, e12 = matrix.effect[first, first], matrix.effect[second, second], matrix.effect[first, second]
    grid = np.linspace(-1.0, 1.0, points)
    x1, x2 = np.meshgrid(grid, grid)
    limits = (float(mean.min()), float(mean.max())) if len(mean) else (float("nan"), float("nan"))
    # Effects that were fitted together may predict what no run has, such as a negative rate.
    surface = np.clip(matrix.grand_mean + (e1 * x1 + e2 * x2 + e12 * x1 * x2) / 2, *limits)
    corners = np.full((2, 2), np.nan)
    for up, across in product((0, 1), repeat=2):
        there = (signs[row][:, [second, first]] == (2 * up - 1, 2 * across - 1)).all(axis=1)
        if there.any():
            corners[up, across] = mean[there].mean()
    about = (float(e1), float(e2), float(e12))
    return Contour(
        factors=(chosen[0], chosen[1]),
        grid=grid,
        surface=surface,
        corners=corners,
        effects=about,
        grand_mean=matrix.grand_mean,
        limits=limits,
    )


def _axes(ranked: Sequence[str], names: Sequence[str], main: Floats, allowed: Collection[str]) -> tuple[str, ...]:
    """Return the factors of the first terms that can be on an axis."""
    size = dict(zip(names, np.nan_to_num(main, nan=-1.0), strict=True))
    found: list[str] = []
    for term in ranked:
        parts = [term] if term in size else sorted(term.split("*"), key=lambda name: -size[name])
        found += [name for name in parts if name in allowed and name not in found]
        if len(found) >= 2:
            return tuple(found[:2])
    return tuple([*found, *(name for name in allowed if name not in found)][:2])
