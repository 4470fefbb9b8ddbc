"""Curvature: the response at the centre of the factors against the mean over the corners of the design.

Main effects and interactions of two levels describe how a response changes along straight lines. With centre points,
runs with all factors half-way, the difference

    mean of the two-level runs - mean of the centre points

estimates the sum of the coefficients of all squared factors, which is zero where the lines are straight. It is tested
by t = difference / its standard deviation, whose square is the usual F with one degree of freedom in the numerator.
The noise is pure error: the scatter between replicated centre points and between replicates of one condition. Each has
its own variance, with the degrees of freedom of Satterthwaite; a condition with one value has the mean of the others. A
difference shows that some factor is curved, not which one; no difference can also be two curves of opposite sign.

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
from mesonet.analysis.observations import observations
from mesonet.analysis.overflow_units import in_unit, unit
from mesonet.analysis.pure_error import pure_error
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
    observed = observations(y, matrix, algorithm)
    scale = unit(observed.value)
    observed = observed.per(scale)
    settings, mean, count = rows[observed.used], observed.moments.mean, observed.moments.count
    at_corner, at_centre = np.all(np.abs(settings) == 1, axis=1), np.all(settings == 0, axis=1)
    notes = []
    whole, corners, centres = len(np.unique(rows[corner], axis=0)), int(at_corner.sum()), int(count[at_centre].sum())
    if lost := whole - corners:
        notes.append(f"{lost} of {whole} two-level conditions {'has' if lost == 1 else 'have'} no value.")

    if not corners or not centres:
        notes.append("No centre point has a value." if corners else "No two-level condition has a value.")
        return _result(corners, centres, notes)
    mean_factorial, mean_centre = float(mean[at_corner].mean()), float(mean[at_centre][0])
    difference = mean_factorial - mean_centre
    part = at_corner | at_centre
    noise = pure_error(settings, observed).part(part)
    error, freedom = noise.of((at_corner / corners - at_centre)[None, part])
    size = float(np.max(np.abs(mean[part])))
    if abs(difference) <= ROUNDING * size:
        difference = 0.0
    # No difference is relative to a mean that is zero but for rounding.
    if abs(mean_factorial) <= ROUNDING * size:
        mean_factorial = 0.0
    if not noise.known:
        notes.append("No run and no centre point is replicated: there is no pure error to test against.")
        untested = _result(
            corners=corners,
            centres=centres,
            notes=notes,
            mean_factorial=mean_factorial,
            mean_centre=mean_centre,
            difference=difference,
        )
        return in_unit(untested, scale, *_IN_UNITS)
    sd, difference_sd = noise.pooled, float(error[0])
    if sd <= ROUNDING * size:
        sd = difference_sd = 0.0
        notes.append("Replicates are all the same: any difference is curvature.")
    t = (
        0.0
        if difference == 0
        else difference / difference_sd
        if difference_sd
        else float(np.copysign(np.inf, difference))
    )
    found = _result(
        corners=corners,
        centres=centres,
        notes=notes,
        mean_factorial=mean_factorial,
        mean_centre=mean_centre,
        difference=difference,
        sd=sd,
        difference_sd=difference_sd,
        t=t,
        freedom=float(freedom[0]),
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
