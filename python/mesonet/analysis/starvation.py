"""Starvation over growing horizons: the ratio of two goodputs that has no bound in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Starvation(AnalysisResult):
    """Lowest / highest goodput by run and horizon, and whether it keeps falling. Arrays have the shape (runs, ...)."""

    ratio: Floats  #: shape (runs, horizons), the shortest horizon first
    factor: Floats  #: shape (runs,): ratio of the shortest horizon / ratio of the longest; infinite if the latter is 0
    grows: NDArray[np.bool_]  #: shape (runs,): the disadvantage grows with the horizon

    UNITS: ClassVar = {"ratio_shortest": "1", "ratio_longest": "1", "factor": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"run": range(1, len(self.ratio) + 1)}

    def _columns(self) -> dict[str, Any]:
        return {
            "ratio_shortest": self.ratio[:, 0],
            "ratio_longest": self.ratio[:, -1],
            "factor": self.factor,
            "grows": self.grows,
        }


def starvation(ratios: ArrayLike) -> Starvation:
    """Return whether the disadvantage of the slowest flow grows with the horizon.

    It grows if the ratio falls with every doubling of the horizon, and to at most a half from the shortest to the
    longest. A flow that gets nothing any more halves its ratio with each doubling. A flow that always gets the same
    smaller share keeps its ratio: that is unfair, but no starvation.

    Parameters
    ----------
    ratios
        Lowest / highest goodput, 0 to 1, over horizons that double; shape (runs, horizons) or (horizons,), the shortest
        first: the responses ``goodput_ratio_eighth``, ``_quarter``, ``_half`` and ``goodput_ratio``. NaN if missing.

    Returns
    -------
    Ratios, their change, and the verdict by run. With a missing ratio, the factor is NaN and the verdict False. A ratio
    that stays 0 counts as growing disadvantage.

    Raises
    ------
    ValueError
        If there are fewer than two horizons, or a ratio is not between 0 and 1.

    Notes
    -----
    Source: Arun, Alizadeh and Balakrishnan, SIGCOMM 2022 (starvation: the ratio of throughputs has no bound in time).
    The half is chosen: a bounded ratio also varies from horizon to horizon.

    Examples
    --------
    >>> starvation([[0.8, 0.4, 0.2, 0.1], [0.3, 0.31, 0.3, 0.3]]).grows
    array([ True, False])
    """
    values = np.atleast_2d(np.asarray(ratios, dtype=float))
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"ratios have the shape {values.shape}; expected (runs, horizons) with two horizons or more")
    known = values[np.isfinite(values)]
    if np.any((known < 0) | (known > 1)) or np.any(np.isinf(values)):
        raise ValueError("a ratio is not between 0 and 1; expected lowest / highest goodput")
    whole = np.isfinite(values).all(axis=1)
    with np.errstate(all="ignore"):
        zero = values[:, -1] == 0
        factor = np.where(whole, np.where(zero, np.inf, values[:, 0] / values[:, -1]), np.nan)
        falls = ((np.diff(values, axis=1) < 0) | (values[:, 1:] == 0)).all(axis=1)
    return Starvation(values, factor, np.asarray(whole & falls & (factor >= 2)))
