"""Residuals of a response: the distance of every algorithm from the mean of all, by condition.

Source: Mills et al., ASME paper, section 3.2.d and Fig. 14: conditions by rising range of the residuals; under each the
extreme algorithm, its residual in absolute terms and relative to the mean, and Grubbs' G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.condition_response import ConditionResponseSummary, condition_response_summary
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(AnalysisResult):
    """Residuals of one response; conditions in rising order of their range, those without two values last."""

    conditions: tuple[int, ...]
    algorithms: tuple[str, ...]
    residual: Floats  #: shape (conditions, algorithms): value - mean over the algorithms
    spread: Floats  #: per condition: largest - smallest value
    summary: ConditionResponseSummary  #: of this response alone, in the same order of conditions
    lowest: float  #: smallest value of all
    highest: float

    UNITS: ClassVar = {}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"condition": self.conditions, "algorithm": self.algorithms}

    def _columns(self) -> dict[str, Any]:
        return {"residual": self.residual.ravel(), "range": np.repeat(self.spread, len(self.algorithms))}

    def _attributes(self) -> dict[str, Any]:
        return {"lowest": self.lowest, "highest": self.highest}


def residuals(
    values: ArrayLike,
    *,
    algorithms: Sequence[str],
    conditions: Sequence[int] | None = None,
    response: str = "response",
    threshold: float | None = None,
    alpha: float = 0.05,
    too_few: ArrayLike | None = None,
) -> Residuals:
    """Return the distance of every algorithm from the mean of all, by condition.

    Parameters
    ----------
    values
        Shape (conditions, algorithms), NaN where missing.
    algorithms
        Names of the columns.
    conditions
        Numbers of the conditions; by default 1, 2, and so on.
    response
        Name of the response.
    threshold, alpha
        As for `condition_response_summary`, whose verdicts the result holds.
    too_few
        Shape (conditions,): True for values that count so few events that chance differs by as much; they get no
        verdict.

    Returns
    -------
    Residuals in the unit of `values`, shape (conditions, algorithms), conditions by rising range.

    Raises
    ------
    InputError
        If `alpha` is not above 0 and below 1.
    ValueError
        If the values do not fit the names or `too_few`.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 2:
        raise ValueError(f"the values have shape {array.shape}; expected (conditions, {len(algorithms)} algorithms)")
    array = np.where(np.isfinite(array), array, np.nan)
    labels = list(conditions) if conditions is not None else list(range(1, len(array) + 1))
    there = np.isfinite(array)
    count = there.sum(axis=1)
    with np.errstate(all="ignore"):
        mean = np.where(there, array, 0).sum(axis=1) / count
        largest, smallest = (
            np.where(there, array, fill).max(axis=1, initial=fill)
            if fill < 0
            else np.where(there, array, fill).min(axis=1, initial=fill)
            for fill in (-np.inf, np.inf)
        )
        spread = np.where(count >= 2, largest - smallest, np.nan)
    scarce = np.zeros(len(array), dtype=bool) if too_few is None else np.asarray(too_few, dtype=bool)
    if scarce.shape != (len(array),):
        raise ValueError(f"too_few has shape {scarce.shape}; expected ({len(array)},)")
    order = np.argsort(np.where(np.isnan(spread), np.inf, spread), kind="stable")
    summary = condition_response_summary(
        array[order][:, :, None],
        responses=[response],
        algorithms=algorithms,
        conditions=[labels[i] for i in order],
        threshold=threshold,
        alpha=alpha,
        too_few=scarce[order][:, None],
    )
    known = array[there]
    return Residuals(
        conditions=summary.conditions,
        algorithms=tuple(algorithms),
        residual=(array - mean[:, None])[order],
        spread=spread[order],
        summary=summary,
        lowest=float(known.min()) if len(known) else float("nan"),
        highest=float(known.max()) if len(known) else float("nan"),
    )
