"""Responses at both settings of every factor: changes of location and spread, and outliers.

Step 2 of Filliben's ten-step analysis, the multi-factor scatter plot (NIST/SEMATECH e-Handbook, section 5.5.9.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.observations import DesignLike, design_signs, observations
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]

#: Quartile ranges beyond the quartiles from which a value is far out (J. W. Tukey, Exploratory Data Analysis, 1977).
FENCE = 1.5


@dataclass(frozen=True, eq=False, repr=False)
class FactorScatter(AnalysisResult):
    """Responses by factor and setting; the table has a row per pair. Arrays of two columns hold - first, + second."""

    factors: tuple[str, ...]
    condition: NDArray[np.int_]  #: of each run that has a value, from 1
    value: Floats  #: in the order of the design, means over replicates
    signs: NDArray[np.int8]  #: shape (runs, k)
    runs: NDArray[np.int_]  #: shape (k, 2)
    mean: Floats  #: shape (k, 2); NaN without a run
    sd: Floats  #: shape (k, 2), n - 1; NaN for fewer than two runs
    far_out: NDArray[np.int_]  #: shape (k, 2): values beyond Tukey's fences of that setting
    spread_p: Floats  #: per factor: Brown and Forsythe's test of equal spread; NaN where it cannot be made
    grand_mean: float
    notes: tuple[str, ...]

    UNITS: ClassVar = {"spread_p": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"factor": self.factors, "level": (-1, 1)}

    def _columns(self) -> dict[str, Any]:
        columns = {name: getattr(self, name).ravel() for name in ("runs", "mean", "sd", "far_out")}
        return {**columns, "spread_p": np.repeat(self.spread_p, 2)}

    def _attributes(self) -> dict[str, Any]:
        return {"grand_mean": self.grand_mean, "notes": " ".join(self.notes)}


def factor_scatter(
    design: DesignLike | ArrayLike,
    y: pl.DataFrame | ArrayLike,
    *,
    factors: Sequence[str] | None = None,
    algorithm: str | None = None,
) -> FactorScatter:
    """Return the responses by factor and setting.

    The spreads of both settings are compared by an analysis of variance of the distances from the median of the
    setting (M. B. Brown and A. B. Forsythe, Journal of the American Statistical Association 69, 1974).

    Parameters
    ----------
    design, y, factors, algorithm
        As for `main_effects`; replicates are averaged.

    Returns
    -------
    Values, means, spreads and far values of both settings of every factor.

    Raises
    ------
    ValueError
        As `main_effects`.
    """
    matrix, names = design_signs(design, factors)
    observed = observations(y, design, algorithm)
    used, value = observed.used, observed.mean
    scale = float(unit(value))
    signs = matrix[used].astype(np.int8)
    k = len(names)
    tiny = ROUNDING * float(np.max(np.abs(value), initial=0.0))
    runs, far_out = np.zeros((k, 2), dtype=int), np.zeros((k, 2), dtype=int)
    mean, sd, p = np.full((k, 2), np.nan), np.full((k, 2), np.nan), np.full(k, np.nan)
    for place in range(k):
        sides = [value[signs[:, place] == sign] for sign in (-1, 1)]
        for side, there in enumerate(sides):
            runs[place, side] = len(there)
            if len(there):
                mean[place, side] = there.mean()
                low, high = np.quantile(there, [0.25, 0.75])
                reach = max(FENCE * (high - low), tiny)
                far_out[place, side] = int(((there < low - reach) | (there > high + reach)).sum())
            if len(there) > 1:
                sd[place, side] = (there / scale).std(ddof=1) * scale
        p[place] = _equal_spread(sides[0] / scale, sides[1] / scale, tiny / scale)
    notes = []
    if lost := len(matrix) - len(used):
        notes.append(f"{lost} of {len(matrix)} conditions have no value and are left out.")
    if len(value) and np.ptp(value) <= tiny:
        notes.append("The response is the same in all runs.")
    grand = float(value.mean()) if len(value) else float("nan")
    return FactorScatter(
        factors=names,
        condition=used + 1,
        value=value,
        signs=signs,
        runs=runs,
        mean=mean,
        sd=sd,
        far_out=far_out,
        spread_p=p,
        grand_mean=grand,
        notes=tuple(notes),
    )


def _equal_spread(first: Floats, second: Floats, tiny: float) -> float:
    """Return p; NaN where the distances of each side are equal but for rounding, as those of two values always are."""
    if min(len(first), len(second)) < 2:
        return float("nan")
    a, b = (np.abs(side - np.median(side)) for side in (first, second))
    within = float(((a - a.mean()) ** 2).sum() + ((b - b.mean()) ** 2).sum())
    freedom = len(a) + len(b) - 2
    if np.sqrt(within) <= tiny or freedom < 1:
        return float("nan")
    both = np.concatenate([a, b])
    between = len(a) * (a.mean() - both.mean()) ** 2 + len(b) * (b.mean() - both.mean()) ** 2
    return float(special.fdtrc(1, freedom, between / (within / freedom)))
