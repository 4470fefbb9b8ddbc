"""Curvature: the response at the centre of the factors against the mean over the corners of the design.

Main effects and interactions of two levels describe how a response changes along straight lines. With centre points,
runs with all factors half-way, the difference

    mean of the two-level runs - mean of the centre points

estimates the sum of the coefficients of all squared factors, which is zero where the lines are straight. It is tested
by t = difference / its standard deviation, whose square is the usual F with one degree of freedom in the numerator.
The noise is pure error: the scatter between replicated centre points and between replicates of one condition, with
their degrees of freedom added. A difference shows that some factor is curved, not which one; no difference can also be
two curves of opposite sign.

Source: D. C. Montgomery, *Design and Analysis of Experiments*, section 6.8 (addition of centre points to a 2^k
design); NIST/SEMATECH e-Handbook, sections 5.3.3.7 and 5.5.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike
from scipy import special

from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.main_effects import observations
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.result import AnalysisResult


@dataclass(frozen=True, eq=False, repr=False)
class Curvature(AnalysisResult):
    """The test of one response; NaN where not computable."""

    factorial_conditions: int  #: two-level rows of the design that had a value
    centre_points: int  #: values at the centre, replicates included
    mean_factorial: float
    mean_centre: float
    difference: float  #: mean_factorial - mean_centre
    relative_difference: float  #: in % of mean_factorial
    pure_error_sd: float  #: standard deviation of one run
    difference_sd: float  #: standard deviation of the difference
    t: float
    degrees_of_freedom: float  #: of the pure error
    p: float  #: two-sided
    notes: tuple[str, ...]  #: remarks for readers: no replicates, a constant response, ...

    UNITS: ClassVar = {"relative_difference": "%", "t": "1", "p": "1", "degrees_of_freedom": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"term": ("curvature",)}

    def _columns(self) -> dict[str, Any]:
        names = ("factorial_conditions", "centre_points", "mean_factorial", "mean_centre", "difference")
        more = ("relative_difference", "pure_error_sd", "difference_sd", "t", "degrees_of_freedom", "p")
        return {name: [getattr(self, name)] for name in names + more}

    def _attributes(self) -> dict[str, Any]:
        return {"notes": " ".join(self.notes)}


def curvature(matrix: ArrayLike, y: pl.DataFrame | ArrayLike, *, algorithm: str | None = None) -> Curvature:
    """Return the test of curvature of one response in a two-level design with centre points.

    Degenerate cases are explained in `notes`. Without replicates there is no pure error, and the difference has no
    test. Without a value at the centre or at two levels nothing is computed. If all replicates are equal, as in a model
    without chance, any difference is curvature (p = 0) and no difference is none (p = 1).

    Parameters
    ----------
    matrix
        Shape (n, k): rows of -1 and +1, and rows of 0, the centre points. Other rows, such as axial points, are left
        out.
    y
        n values, or a frame, as for `main_effects`; several values for one condition are replicates. NaN or null marks
        a lost run.
    algorithm
        As for `main_effects`.

    Returns
    -------
    The difference of the means and its t test.

    Raises
    ------
    ValueError
        For a matrix without rows of both kinds, a wrong number of values, or several algorithms.

    Examples
    --------
    >>> found = curvature([[-1], [1], [0], [0]], [10.0, 14.0, 15.0, 15.2])
    >>> round(found.difference, 3)
    -3.1
    """
    rows = np.asarray(matrix, dtype=float)
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError("the design must be an (n, k) array")
    corner, centre = np.all(np.abs(rows) == 1, axis=1), np.all(rows == 0, axis=1)
    if not corner.any() or not centre.any():
        raise ValueError("curvature needs rows of -1 and +1, and rows of 0 (centre points)")
    row, value = observations(y, len(rows), algorithm)
    scale = unit(value)
    value = value / scale
    notes = []
    if lost := int(corner.sum()) - len(np.unique(row[corner[row]])):
        notes.append(f"{lost} of {int(corner.sum())} two-level conditions {'has' if lost == 1 else 'have'} no value.")

    used, within, count = np.unique(row[corner[row]], return_inverse=True, return_counts=True)
    at_corner, at_centre = value[corner[row]], value[centre[row]]
    if not len(used) or not len(at_centre):
        notes.append("No centre point has a value." if len(used) else "No two-level condition has a value.")
        return _result(len(used), len(at_centre), notes)
    means = np.bincount(within, at_corner, len(used)) / count
    mean_factorial, mean_centre = float(means.mean()), float(at_centre.mean())
    difference = mean_factorial - mean_centre
    scatter = float(np.sum((at_corner - means[within]) ** 2) + np.sum((at_centre - mean_centre) ** 2))
    freedom = len(at_corner) - len(used) + len(at_centre) - 1
    size = float(np.max(np.abs(value[corner[row] | centre[row]])))
    if abs(difference) <= ROUNDING * size:
        difference = 0.0
    # No difference is relative to a mean that is zero but for rounding.
    if abs(mean_factorial) <= ROUNDING * size:
        mean_factorial = 0.0
    if freedom == 0:
        notes.append("Nothing is replicated, no centre point either: there is no pure error to test against.")
        untested = _result(
            corners=len(used),
            centres=len(at_centre),
            notes=notes,
            mean_factorial=mean_factorial,
            mean_centre=mean_centre,
            difference=difference,
        )
        return in_unit(untested, scale, *_IN_UNITS)
    sd = float(np.sqrt(scatter / freedom))
    if sd <= ROUNDING * size:
        sd = 0.0
        notes.append("Replicates are all the same: any difference is curvature.")
    difference_sd = sd * float(np.sqrt(np.sum(1 / count) / len(used) ** 2 + 1 / len(at_centre)))
    t = 0.0 if difference == 0 else difference / difference_sd if sd else float(np.copysign(np.inf, difference))
    found = _result(
        corners=len(used),
        centres=len(at_centre),
        notes=notes,
        mean_factorial=mean_factorial,
        mean_centre=mean_centre,
        difference=difference,
        sd=sd,
        difference_sd=difference_sd,
        t=t,
        freedom=freedom,
    )
    return in_unit(found, scale, *_IN_UNITS)


_IN_UNITS = ("mean_factorial", "mean_centre", "difference", "pure_error_sd", "difference_sd")


def _result(
    corners: int,
    centres: int,
    notes: list[str],
    mean_factorial: float = float("nan"),
    mean_centre: float = float("nan"),
    difference: float = float("nan"),
    sd: float = float("nan"),
    difference_sd: float = float("nan"),
    t: float = float("nan"),
    freedom: float = float("nan"),
) -> Curvature:
    return Curvature(
        factorial_conditions=corners,
        centre_points=centres,
        mean_factorial=mean_factorial,
        mean_centre=mean_centre,
        difference=difference,
        relative_difference=100 * difference / mean_factorial if mean_factorial else float("nan"),
        pure_error_sd=sd,
        difference_sd=difference_sd,
        t=t,
        degrees_of_freedom=float(freedom),
        p=float(2 * special.stdtr(freedom, -abs(t))),
        notes=tuple(notes),
    )
