"""Condition-response summary: outlying algorithms by condition and response.

For each condition and response the values of the algorithms are compared with one another. The extreme value is the
value farthest from their mean; Grubbs' test decides if it is an outlier (figures 15 and 16 of Mills et al.,
ASME 2011). A table of many cells flags some by chance; their expected number is part of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.checks import checked_alpha
from mesonet.analysis.estimable import ROUNDING
from mesonet.analysis.false_discovery import adjusted
from mesonet.analysis.grubbs import all_but_one_equal, indistinct, p_value
from mesonet.analysis.overflow_units import unit
from mesonet.analysis.result import AnalysisResult

Floats = NDArray[np.float64]
Adjustment = Literal["none", "benjamini-hochberg"]

#: With fewer algorithms there is no verdict: with three, the largest possible G is 1.15.
FEWEST_ALGORITHMS = 5
ALONE = "all other values are equal: there is no variance to judge one by"
TOO_FEW_EVENTS = "too few events"
FEWEST_STATEMENT = f"Grubbs' test needs at least {FEWEST_ALGORITHMS} algorithms"


@dataclass(frozen=True, eq=False, repr=False)
class ConditionResponseSummary(AnalysisResult):
    """Extreme algorithm of each condition and response.

    Arrays have the shape (conditions, responses); NaN where a value cannot be computed.
    """

    conditions: tuple[int, ...]
    responses: tuple[str, ...]
    algorithms: tuple[str, ...]
    extreme: NDArray[np.object_]  #: algorithm farthest from the mean of all; None without two different values
    mean: Floats  #: mean over the algorithms
    residual: Floats  #: value of the extreme algorithm - mean
    relative_effect: Floats  #: 100 x residual / mean
    statistic: Floats  #: Grubbs' G
    p: Floats  #: of G, two-sided
    q: Floats  #: p adjusted for the number of cells tested (Benjamini and Hochberg)
    count: NDArray[np.int_]  #: algorithms that had a value
    side: NDArray[np.object_]  #: "high" or "low"; None without an extreme
    flagged: NDArray[np.bool_]
    statement: NDArray[np.object_]  #: why a cell has no verdict; empty where it has one
    threshold: float | None  #: G above which a cell is flagged; None: p below alpha
    alpha: float
    min_relative_effect: float  #: in %
    cells_tested: int
    expected_by_chance: float  #: flagged cells to expect if no algorithm differed (before the relative-effect filter);
    #: with an adjustment, of those flagged the number expected to be by chance, at most
    adjust: Adjustment
    notes: tuple[str, ...]

    UNITS: ClassVar = {"relative_effect": "%", "statistic": "1", "p": "1", "q": "1"}

    @property
    def cells_flagged(self) -> int:
        """Number of flagged cells."""
        return int(self.flagged.sum())

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"condition": self.conditions, "response": self.responses}

    def _columns(self) -> dict[str, Any]:
        names = ("extreme", "mean", "residual", "relative_effect", "statistic", "p", "q", "count")
        columns = {name: getattr(self, name).ravel() for name in (*names, "side", "flagged", "statement")}
        # Polars takes an array of objects that begins with None for objects, a list for text.
        return {name: values.tolist() if values.dtype == object else values for name, values in columns.items()}

    def _attributes(self) -> dict[str, Any]:
        return {
            "algorithms": ", ".join(self.algorithms),
            "threshold": "" if self.threshold is None else self.threshold,
            "alpha": self.alpha,
            "adjust": self.adjust,
            "min_relative_effect": self.min_relative_effect,
            "cells_tested": self.cells_tested,
            "cells_flagged": self.cells_flagged,
            "expected_by_chance": self.expected_by_chance,
            "notes": " ".join(self.notes),
        }


def condition_response_summary(
    cube: ArrayLike,
    *,
    responses: Sequence[str],
    algorithms: Sequence[str],
    conditions: Sequence[int] | None = None,
    threshold: float | None = None,
    alpha: float = 0.05,
    min_relative_effect: float = 0.0,
    adjust: Adjustment = "none",
    too_few: ArrayLike | None = None,
) -> ConditionResponseSummary:
    """Test in each condition and response if one algorithm is an outlier among all.

    A cell with fewer than five algorithms gets no verdict, only its extreme and relative effect. The same holds for
    cells in which all values but one are equal, and for cells marked in `too_few`.

    Parameters
    ----------
    cube
        Shape (conditions, algorithms, responses), NaN where missing.
    responses, algorithms
        Names along the last and the second axis.
    conditions
        Numbers of the conditions; by default 1, 2, and so on.
    threshold
        Grubbs' G above which a cell is flagged. The published study used 2.08 for seven algorithms, which is the
        two-sided level 0.025. None: a cell is flagged if its exact two-sided p is below `alpha`.
    alpha
        Level of significance, above 0 and below 1. Not used with a threshold.
    min_relative_effect
        Distance from the mean, in %, that a flagged extreme exceeds; 0 or less: any.
    adjust
        ``none``: p is compared with `alpha`. ``benjamini-hochberg``: q takes the place of p, so that at most a share of
        `alpha` of the flagged cells is expected by chance. It excludes a `threshold`.
    too_few
        Shape (conditions, responses): True for values that count so few events that chance differs by as much.

    Returns
    -------
    Extreme, test and verdict of each cell, shape (conditions, responses).

    Raises
    ------
    InputError
        If `alpha` is outside of its range.
    ValueError
        If the cube does not fit the names or `too_few`, for an unknown adjustment, and for an adjustment with a
        threshold.

    Examples
    --------
    >>> values = [[[10.0], [10.2], [9.9], [10.1], [10.0], [9.8], [14.0]]]
    >>> found = condition_response_summary(values, responses=["rtt"], algorithms=list("abcdefg"))
    >>> found.extreme.tolist(), found.side.tolist(), found.flagged.tolist()
    ([['g']], [['high']], [[True]])
    """
    if adjust not in get_args(Adjustment):
        raise ValueError(f"adjust is {adjust!r}; allowed: {', '.join(get_args(Adjustment))}")
    if adjust != "none" and threshold is not None:
        raise ValueError("an adjustment works on p; leave out the threshold on G")
    alpha, values = checked_alpha(alpha), np.asarray(cube, dtype=float)
    if values.ndim != 3 or values.shape[1:] != (len(algorithms), len(responses)):
        raise ValueError(
            f"the cube has shape {values.shape}; expected (conditions, {len(algorithms)} algorithms, "
            f"{len(responses)} responses)"
        )
    labels = tuple(conditions) if conditions is not None else tuple(range(1, len(values) + 1))
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} condition numbers for a cube of {len(values)} conditions")
    values = np.where(np.isfinite(values), values, np.nan).transpose(0, 2, 1)
    count = np.isfinite(values).sum(axis=-1)
    some = np.where((count > 0)[..., None], values, 0.0)
    same = indistinct(some) & (count > 0)
    comparable = (count >= 2) & ~same
    scarce = np.zeros(count.shape, dtype=bool) if too_few is None else np.asarray(too_few, dtype=bool)
    if scarce.shape != count.shape:
        raise ValueError(f"too_few has shape {scarce.shape}; expected {count.shape}")
    scarce = scarce & comparable
    alone = comparable & ~scarce & all_but_one_equal(values)
    tested = comparable & (count >= FEWEST_ALGORITHMS) & ~scarce & ~alone

    mean = np.where(count > 0, np.nanmean(some, axis=-1), np.nan)
    position = _extreme(some, mean)
    with np.errstate(all="ignore"):
        extreme_value = np.take_along_axis(values, position[..., None], axis=-1)[..., 0]
        residual = np.where(comparable, extreme_value - mean, np.nan)
        # No residual is relative to a mean that is zero but for rounding.
        zero = np.abs(mean) <= ROUNDING * np.nanmax(np.abs(some), axis=-1)
        relative = np.where(zero, np.nan, 100 * residual / mean)
        scale = unit(some, axis=-1)
        sd = np.sqrt(np.nansum(((some - mean[..., None]) / scale) ** 2, axis=-1) / (count - 1))
        statistic = np.where(tested, np.abs(residual / scale[..., 0]) / sd, np.nan)
        p = np.where(tested, p_value(statistic, count), np.nan)
    q = np.full(p.shape, np.nan)
    if tested.any():
        q[tested] = adjusted(p[tested])
    with np.errstate(invalid="ignore"):
        flagged = statistic > threshold if threshold is not None else (q if adjust != "none" else p) < alpha
        if min_relative_effect > 0:
            flagged &= np.abs(relative) > min_relative_effect
    if adjust != "none":
        by_chance = np.array([alpha * np.count_nonzero(q < alpha)])
    elif tested.any():
        by_chance = p_value(threshold, count[tested]) if threshold is not None else np.full(tested.sum(), alpha)
    else:
        by_chance = np.zeros(0)
    names = np.array([*algorithms, None], dtype=object)
    sides = np.array(["low", "high", None], dtype=object)
    statement = _statements(count, same, len(algorithms))
    statement[alone & (count >= FEWEST_ALGORITHMS)] = ALONE
    statement[scarce & (count >= FEWEST_ALGORITHMS)] = TOO_FEW_EVENTS
    return ConditionResponseSummary(
        conditions=labels, responses=tuple(responses), algorithms=tuple(algorithms),
        extreme=names[np.where(comparable, position, len(algorithms))],
        mean=mean, residual=residual, relative_effect=relative, statistic=statistic, p=p, q=q, count=count,
        side=sides[np.where(comparable, residual > 0, 2).astype(int)],
        flagged=flagged, statement=statement, threshold=threshold, alpha=alpha,
        min_relative_effect=min_relative_effect, cells_tested=int(tested.sum()),
        expected_by_chance=float(by_chance.sum()), adjust=adjust,
        notes=_notes(count, same, alone, scarce, len(algorithms)),
    )  # fmt: skip


def _extreme(values: Floats, mean: Floats) -> NDArray[np.intp]:
    """Return the position of the value farthest from the mean; of two equally far ones the higher, then the first."""
    residual = np.where(np.isfinite(values), values - np.nan_to_num(mean)[..., None], 0.0)
    farthest = np.max(np.abs(residual), axis=-1, keepdims=True)
    candidate = np.abs(residual) >= farthest * (1 - 1e-12)
    return np.asarray(np.argmax(np.where(candidate, residual, -np.inf), axis=-1))


def _statements(count: NDArray[np.int_], same: NDArray[np.bool_], algorithms: int) -> NDArray[np.object_]:
    statement = np.full(count.shape, "", dtype=object)
    statement[count < FEWEST_ALGORITHMS] = FEWEST_STATEMENT
    if algorithms >= FEWEST_ALGORITHMS:
        few = (count > 1) & (count < FEWEST_ALGORITHMS)
        statement[few] = [f"only {n} algorithms have a value; {FEWEST_STATEMENT}" for n in count[few]]
    statement[same] = "not distinguishable"
    statement[count == 1] = "only one algorithm has a value"
    statement[count == 0] = "nothing measured"
    return statement


def _notes(
    count: NDArray[np.int_],
    same: NDArray[np.bool_],
    alone: NDArray[np.bool_],
    scarce: NDArray[np.bool_],
    algorithms: int,
) -> tuple[str, ...]:
    notes = []
    if algorithms < FEWEST_ALGORITHMS:
        plural = "algorithm is" if algorithms == 1 else "algorithms are"
        notes.append(f"{algorithms} {plural} compared; {FEWEST_STATEMENT}, so only relative effects are shown.")
    if (empty := int((count == 0).sum())) > 0:
        notes.append(f"{empty} of {count.size} cells have nothing measured.")
    if (alike := int((same & (count > 1)).sum())) > 0:
        notes.append(f"In {alike} of {count.size} cells the algorithms are not distinguishable.")
    enough = count >= FEWEST_ALGORITHMS
    if (single := int((alone & enough).sum())) > 0:
        notes.append(f"In {single} of {count.size} cells all values but one are equal: no verdict.")
    if (few := int((scarce & enough).sum())) > 0:
        notes.append(f"{few} of {count.size} cells count too few events: no verdict.")
    short = (count > 1) & ~same & ~enough
    if algorithms >= FEWEST_ALGORITHMS and short.any():
        notes.append(f"{int(short.sum())} cells have values of fewer than {FEWEST_ALGORITHMS} algorithms: no verdict.")
    return tuple(notes)
