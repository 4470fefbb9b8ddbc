"""Check in new conditions: whether a verdict holds in conditions that it does not come from.

Replicates make a verdict certain in the conditions that were run. They do not show what happens between the levels of
the factors, or in combinations of levels that a fraction lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from mesonet.analysis.decisions.decision import (
    BETTER,
    CANNOT_TELL,
    DEPENDS,
    NO_WORSE,
    WORSE,
    Decision,
    decide,
)
from mesonet.analysis.decisions.estimands import GROUP, OVERALL, Estimand, design_levels
from mesonet.analysis.decisions.length import AGREES, OBJECTS
from mesonet.analysis.observations import DesignLike

NO_BETTER = "no better"


@dataclass(frozen=True)
class NewHarm:
    """Harm that is proved in a new condition, against the verdict. Log ratios are positive for the worse."""

    condition: int  #: number of the new condition, from 1
    mean: float
    low: float  #: interval of the mean, beyond the margin
    high: float


@dataclass(frozen=True)
class ConditionCheck:
    """Verdict on one response, checked in new conditions. Log ratios are positive for the worse."""

    label: str  #: `agrees`, `objects` or `cannot tell`
    expected: (
        str  #: `worse`, `better`, `no worse` or `no better`, by the verdict; empty if it is about no new condition
    )
    conditions: tuple[int, ...]  #: numbers, from 1, of the new conditions that decide the label
    mean: float  #: mean log ratio in these conditions
    low: float  #: interval of the mean
    high: float
    harms: tuple[NewHarm, ...]  #: harm that is proved in single conditions

    @property
    def is_open(self) -> bool:
        """True if further replicates could settle the check."""
        return self.label == CANNOT_TELL and bool(self.expected)


def condition_check(
    found: Decision,
    x: ArrayLike,
    y: ArrayLike,
    *,
    design: DesignLike | ArrayLike | None = None,
    factors: Sequence[str] | None = None,
    responses: int = 1,
    looks: int = 1,
) -> ConditionCheck:
    """Return whether the verdict on a response holds in new conditions, from these conditions alone.

    It *objects* if the interval of the mean is on the other side of the margin than the verdict. It *agrees* if the
    mean is on the side of the verdict, unless the interval has both ends of the margin in it. Otherwise more replicates
    are needed. ``depends on X`` is checked in new conditions at both of its levels of X, and states nothing about
    others.

    Parameters
    ----------
    found
        The verdict.
    x, y
        Response in both scenarios in the new conditions, shape (conditions, replicates), as for `decide`.
    design, factors
        Levels of the new conditions, as for `decide`: levels are the same if they are equal.
    responses, looks
        Numbers of responses of the pair, and of planned looks at new conditions, whose intervals hold together.

    Returns
    -------
    Verdict and interval, and the harm that is proved in single conditions.

    Raises
    ------
    InputError
        As `decide`.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> from mesonet.analysis import decide
    >>> found = decide([[10.0, 10.1, 9.9]] * 4, [[10.0, 10.0, 10.0]] * 4)
    >>> check = condition_check(found, [[14.0, 14.2, 14.1]] * 4, [[10.0, 10.0, 10.0]] * 4)
    >>> found.verdict, check.label, len(check.harms)
    ('no worse', 'objects', 4)
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    columns, names = design_levels(design, factors, len(first))
    levels = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or [{}] * len(first)
    sides = [_expected(found, own) for own in levels]
    parts: list[ConditionCheck] = []
    for side in dict.fromkeys(sides):
        rows = [place for place, each in enumerate(sides) if each == side]
        decision = decide(
            first[rows],
            second[rows],
            design=np.array(rows)[:, None],
            factors=["condition"],
            margin=found.margin,
            atol=found.atol,
            more_is_better=found.more_is_better,
            responses=responses * len(set(sides)),
            looks=looks,
        )
        parts.append(_part(decision, side, rows))
    harms = tuple(harm for each in parts for harm in each.harms)
    ruling = next(
        (each for label in (OBJECTS, CANNOT_TELL, AGREES) for each in parts if each.label == label and each.expected),
        parts[0],
    )
    return replace(ruling, harms=harms)


def _part(decision: Decision, side: str, rows: list[int]) -> ConditionCheck:
    """Return the check of the conditions for which the verdict states the same. `rows`: their places, from 0."""
    mean, low, high = (float(each[0]) for each in (decision.mean, decision.low, decision.high))
    delta = decision.delta
    holds, denied = {
        WORSE: (mean > delta, high <= delta),
        NO_WORSE: (mean <= delta, low > delta),
        BETTER: (mean < -delta, low >= -delta),
        NO_BETTER: (mean >= -delta, high < -delta),
    }.get(side, (False, False))
    too_wide = low < -delta and high > delta
    label = OBJECTS if denied else AGREES if holds and not too_wide else CANNOT_TELL
    harms = []
    for place, each in enumerate(decision.estimands.each):
        row = rows[0] if len(rows) == 1 else None if each.kind in (OVERALL, GROUP) else each.levels[0]
        if row is not None and decision.is_worse[place] and side != WORSE:
            harms.append(
                NewHarm(int(row) + 1, *(float(v[place]) for v in (decision.mean, decision.low, decision.high)))
            )
    numbers = tuple(row + 1 for row in rows)
    return ConditionCheck(label, side, numbers, mean=mean, low=low, high=high, harms=tuple(harms))


def _expected(found: Decision, levels: dict[str, object]) -> str:
    """Return the side of the margin on which a verdict is in a condition; empty if it states nothing about it."""
    if found.label == DEPENDS:
        assert found.sides is not None
        beyond, within = (found.estimands.each[place] for place in found.sides)
        is_harm = bool(found.is_worse[found.sides[0]])
        if _has(beyond, levels):
            return WORSE if is_harm else BETTER
        return (NO_WORSE if is_harm else NO_BETTER) if _has(within, levels) else ""
    return {WORSE: WORSE, BETTER: BETTER, NO_WORSE: NO_WORSE}.get(found.label, "")


def _has(estimand: Estimand, levels: dict[str, object]) -> bool:
    """Return True if a condition has the levels of an estimand."""
    named = zip(estimand.factors, estimand.levels, strict=True) if estimand.kind != GROUP else ()
    return bool(estimand.factors) and all(levels.get(factor) == level for factor, level in named)
