"""Looks at a comparison while it runs: when to stop, and which pairs to run next.

A look is a repeated confidence interval: the error probability is divided by the number of planned looks, and each
interval is intersected with the intervals before. Looks at the data therefore do not raise the rate of false verdicts
(C. Jennison and B. W. Turnbull, Interim analyses: the repeated confidence interval approach, J. R. Stat. Soc. B 51,
1989, recalled). All follows from the values alone: a course that was interrupted continues the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.decisions.decision import (
    AT_MARGIN,
    CANNOT_TELL,
    Decision,
    decide,
)
from mesonet.analysis.decisions.pairs import Counts
from mesonet.analysis.decisions.power import chance_of_change, variances
from mesonet.analysis.observations import DesignLike
from mesonet.errors import InputError

Flags = NDArray[np.bool_]

Allocation = Literal["equal", "adaptive"]
Status = Literal["decided", "futile", "full", "open"]

LOOKS = (3, 4, 5, 6, 8, 12)
"""Replicates at the looks (chosen: two degrees of freedom at first, then steps of a third)."""
FEWEST_ADAPTIVE = 4
"""Replicates of each condition from which noise chooses where the next runs are (chosen)."""
STEP = 1.5
"""Ratio of the replicates at looks beyond `LOOKS` (chosen: the ratio of the last two)."""
HOPELESS = 0.1
"""Chance of a decision at full size below which further runs are futile (chosen)."""


@dataclass(frozen=True)
class Look:
    """Verdicts at one look."""

    counts: Counts  #: replicates that were planned for each condition
    decisions: tuple[Decision, ...]  #: one per response


@dataclass(frozen=True)
class Course:
    """Looks at a comparison up to now."""

    looks: tuple[Look, ...]  #: empty if the first look lacks runs
    status: Status  #: `decided`, `futile`, `full` (no planned runs left), or `open`: the next look lacks runs
    counts: Counts  #: replicates of each condition that the next look needs; those of the last look if none follows

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Verdicts of the last look, one per response; empty without a look."""
        return self.looks[-1].decisions if self.looks else ()


def planned_looks(at_most: int = LOOKS[-1]) -> tuple[int, ...]:
    """Return the replicates at the looks of a course: `LOOKS`, then steps of a half, up to a number.

    `at_most`: replicates at the last look, at least 3.

    Examples
    --------
    >>> planned_looks(7), planned_looks(20)
    ((3, 4, 5, 6, 7), (3, 4, 5, 6, 8, 12, 18, 20))
    """
    found = [each for each in LOOKS if each < at_most]
    while found and (following := round(found[-1] * STEP)) < at_most and following > LOOKS[-1]:
        found.append(following)
    return (*found, at_most)


def until_decided(
    x: ArrayLike,
    y: ArrayLike,
    *,
    design: DesignLike | ArrayLike | None = None,
    factors: Sequence[str] | None = None,
    margin: float = 0.1,
    atol: Sequence[float] = (0.0,),
    more_is_better: Sequence[bool] = (False,),
    looks: Sequence[int] = LOOKS,
    allocation: Allocation = "equal",
    finished: ArrayLike | None = None,
) -> Course:
    """Return the looks at a comparison, as far as its runs reach, and the pairs to run next.

    An interval is open while its decision could change the verdict, for these or for exchanged scenarios, with a chance
    of at least 10 % at full size. If none is open, the comparison is decided, or futile where a verdict is ``cannot
    tell`` or ``at the margin``.

    Parameters
    ----------
    x, y
        Responses in both scenarios, shape (conditions, replicates, responses). NaN is a lost run. Replicates without a
        column are not run yet.
    design, factors, margin
        As for `decide`.
    atol, more_is_better
        As for `decide`, one per response.
    looks
        Replicates at the planned looks, rising, at least 2.
    allocation
        ``equal``: each condition has as many replicates as the look. ``adaptive``: as many runs in all, but from four
        replicates on they go to the conditions with the largest share of the variance of open intervals. No condition
        gets more replicates than the last look.
    finished
        Finished replicates of each condition, shape (conditions,): a look needs as many. None: all columns.

    Returns
    -------
    Looks, status, and the replicates that the next look needs.

    Raises
    ------
    InputError
        As `decide`; also for looks that do not rise, and another allocation.
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> y = np.full((8, 3, 1), 10.0)
    >>> found = until_decided(y, y)
    >>> found.status, found.decisions[0].verdict, len(found.looks)
    ('decided', 'no worse', 1)
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    wanted = (len(atol), len(more_is_better))
    if first.ndim != 3 or first.shape != second.shape or wanted != (first.shape[2],) * 2:
        shapes = f"x has shape {first.shape} and y {second.shape}, with {wanted[0]} atol and {wanted[1]} more_is_better"
        raise ValueError(f"{shapes}; expected twice (conditions, replicates, responses), and one value per response")
    if not looks or any(b <= a for a, b in zip((1, *looks), looks, strict=False)):
        raise InputError("not looks", path="looks", value=list(looks), allowed="rising whole numbers from 2")
    if allocation not in get_args(Allocation):
        raise InputError("unknown", path="allocation", value=allocation, allowed=", ".join(get_args(Allocation)))
    most = np.full(len(first), first.shape[1])
    there = most if finished is None else np.minimum(np.asarray(finished), most)
    counts = np.full(len(first), looks[0])
    seen: list[Look] = []
    while True:
        if (counts > there).any():
            return Course(tuple(seen), "open", counts)
        here = np.arange(first.shape[1]) < counts[:, None]
        decisions = tuple(
            decide(
                np.where(here, first[:, :, place], np.nan),
                np.where(here, second[:, :, place], np.nan),
                design=design,
                factors=factors,
                margin=margin,
                atol=atol[place],
                more_is_better=more_is_better[place],
                responses=first.shape[2],
                looks=len(looks),
                earlier=seen[-1].decisions[place] if seen else None,
            )
            for place in range(first.shape[2])
        )
        seen.append(Look(counts, decisions))
        opened = [live(each, looks[-1]) for each in decisions]
        undecided = any(each.label in (CANNOT_TELL, AT_MARGIN) and each.is_open.any() for each in decisions)
        hopeless = not any(each.any() for each in opened)
        if hopeless and not undecided:
            return Course(tuple(seen), "decided", counts)
        if len(seen) == len(looks):
            return Course(tuple(seen), "full", counts)
        if hopeless:
            return Course(tuple(seen), "futile", counts)
        following = next_counts(decisions, opened, counts, looks[len(seen) - 1 :], allocation)
        if (following == counts).all():
            return Course(tuple(seen), "full", counts)
        counts = following


def live(decision: Decision, full: int) -> Flags:
    """Return True for open intervals whose decision may change the verdict, for these or for exchanged scenarios.

    `full`: replicates at the last look.
    """
    chances = [chance_of_change(each, full, HOPELESS) for each in (decision, decision.mirrored())]
    return np.maximum(*chances) >= HOPELESS


def next_counts(
    decisions: Sequence[Decision], opened: Sequence[Flags], counts: Counts, looks: Sequence[int], allocation: Allocation
) -> Counts:
    """Return the replicates of each condition at the next look.

    `opened`: open intervals of each decision. `looks`: replicates at this look, at the next, and so on.
    """
    if allocation == "equal" or counts.min(initial=looks[-1]) < FEWEST_ADAPTIVE:
        return np.full(len(counts), looks[1])
    following = counts.copy()
    shares = []
    for decision, chosen in zip(decisions, opened, strict=True):
        if chosen.any() and decision.by_condition.replicated:
            single = variances(decision, chosen, np.ones(len(counts), dtype=int))
            shares.append(single / variances(decision, chosen).sum(axis=1, keepdims=True))
    if not shares:
        return np.full(len(counts), looks[1])
    variance = np.concatenate(shares).sum(axis=0)  # of a mean of one pair, as a share of each open variance
    for _ in range(len(counts) * (looks[1] - looks[0])):
        gain = np.where(following < looks[-1], variance / following - variance / (following + 1), 0.0)
        if not gain.max() > 0:
            break
        following[int(np.argmax(gain))] += 1
    return following
