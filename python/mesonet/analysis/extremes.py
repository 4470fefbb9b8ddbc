"""Extremes: the most extreme condition of every outlying algorithm, and the algorithm to compare it with.

The algorithm to compare with is the median one of that condition and response. The use is ours: time series of both
show what lies behind a verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.condition_response import ConditionResponseSummary
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Extremes(AnalysisResult):
    """Most extreme condition of each algorithm and response with a flag; rows by falling relative effect."""

    algorithm: tuple[str, ...]
    response: tuple[str, ...]
    side: tuple[str, ...]  #: "high" or "low", in the most extreme condition
    flagged: NDArray[np.int_]  #: conditions in which the algorithm is flagged for the response
    condition: NDArray[np.int_]  #: the one with the largest |relative effect|
    relative_effect: Floats  #: there, in % of the mean of all
    against: tuple[str, ...]  #: the median algorithm there

    UNITS: ClassVar = {"relative_effect": "%"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"place": range(1, len(self.algorithm) + 1)}

    def _columns(self) -> dict[str, Any]:
        names = ("algorithm", "response", "side", "flagged", "condition", "relative_effect", "against")
        return {name: getattr(self, name) for name in names}


def extremes(summary: ConditionResponseSummary, cube: ArrayLike) -> Extremes:
    """Return the most extreme condition of every algorithm and response that is flagged.

    The condition is the one with the largest |relative effect|; where the mean of all is 0, the largest G.

    Parameters
    ----------
    summary
        Verdicts by condition and response.
    cube
        The values that `summary` was made from, shape (conditions, algorithms, responses).

    Returns
    -------
    One row per flagged algorithm and response, by falling relative effect.

    Raises
    ------
    ValueError
        If the cube does not fit the summary.
    """
    values = np.asarray(cube, dtype=float)
    wanted = (len(summary.conditions), len(summary.algorithms), len(summary.responses))
    if values.shape != wanted:
        raise ValueError(f"the cube has shape {values.shape}; expected {wanted}")
    size = np.where(np.isfinite(summary.relative_effect), np.abs(summary.relative_effect), summary.statistic)
    rows: list[tuple[float, str, str, str, int, int, float, str]] = []
    for place, response in enumerate(summary.responses):
        for algorithm in summary.algorithms:
            cells = summary.flagged[:, place] & (summary.extreme[:, place] == algorithm)
            if not cells.any():
                continue
            row = int(np.argmax(np.where(cells, size[:, place], -1.0)))
            effect = float(summary.relative_effect[row, place])
            against = _median(values[row, :, place], summary.algorithms, algorithm)
            side = str(summary.side[row, place])
            rows.append((size[row, place], algorithm, response, side, int(cells.sum()), summary.conditions[row],
                         effect, against))  # fmt: skip
    rows.sort(key=lambda row: -row[0])
    columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) if rows else [()] * 8
    return Extremes(
        algorithm=columns[1],
        response=columns[2],
        side=columns[3],
        flagged=np.array(columns[4], dtype=int),
        condition=np.array(columns[5], dtype=int),
        relative_effect=np.array(columns[6], dtype=float),
        against=columns[7],
    )


def _median(values: Floats, algorithms: Sequence[str], but: str) -> str:
    """Return the other algorithm whose value is nearest to the median of all."""
    others = [i for i, name in enumerate(algorithms) if name != but and np.isfinite(values[i])]
    middle = float(np.median(values[np.isfinite(values)]))
    return algorithms[min(others, key=lambda i: abs(values[i] - middle))] if others else ""
