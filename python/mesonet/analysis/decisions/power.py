"""Power of a comparison: the runs that would settle a verdict, and the chance that further runs change it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from mesonet.analysis.decisions.decision import BETTER, CANNOT_TELL, FLOOR, NARROW, WORSE, Decision, Flags
from mesonet.analysis.decisions.estimands import OVERALL
from mesonet.analysis.decisions.pairs import Counts, Floats
from mesonet.analysis.decisions.welch import quantiles, satterthwaite

MOST_REPLICATES = 100
"""Further replicates beyond which no number is stated (chosen)."""


@dataclass(frozen=True)
class Needed:
    """Runs that would settle a verdict, if the means stayed as they are."""

    replicates: int  #: further pairs of each of these conditions
    conditions: tuple[int, ...]  #: numbers, from 1


def needed(found: Decision) -> Needed | None:
    """Return the runs that would settle a verdict ``cannot tell`` if all means stayed as they are.

    Parameters
    ----------
    found
        Verdict of `decide`.

    Returns
    -------
    The fewest further runs among: all conditions of open intervals, and the half or the quarter of them that has most
    of the noise. Two replicates of each condition if there is no noise to calculate with. None for another verdict, or
    if 100 replicates would not settle it.

    Examples
    --------
    >>> from mesonet.analysis import decide
    >>> found = decide([[9.0, 12.0, 10.0]] * 4, [[10.0, 10.0, 10.0]] * 4)
    >>> found.verdict, found.why, needed(found)
    ('cannot tell', 'a harm of 13% is not excluded', Needed(replicates=2, conditions=(1, 2, 3, 4)))
    """
    opened, of = found.is_blocking, found.by_condition
    if found.label != CANNOT_TELL or not opened.any():
        return None
    if not of.replicated:
        return Needed(2, tuple((np.flatnonzero(of.known) + 1).tolist()))
    parts = variances(found, opened)
    share = (parts / parts.sum(axis=1, keepdims=True)).max(axis=0)
    ranked = [int(i) for i in np.argsort(-share, kind="stable") if share[i] > 0]
    best: Needed | None = None
    for part in (1, 2, 4):
        chosen = sorted(ranked[: -(-len(ranked) // part)])
        extra = _settling(found, opened, chosen)
        if extra and (best is None or extra * len(chosen) < best.replicates * len(best.conditions)):
            best = Needed(extra, tuple(place + 1 for place in chosen))
    return best


def _settling(found: Decision, opened: Flags, chosen: list[int]) -> int | None:
    """Return the fewest further replicates of some conditions that would decide all open intervals, by bisection."""

    def settles(extra: int) -> bool:
        count = found.by_condition.count.copy()
        count[chosen] += extra
        half, _ = _half_widths(found, opened, count)
        decided = np.abs(found.mean[opened] - found.delta) > half
        return bool((decided | (half <= NARROW * found.delta)).all())

    if not settles(MOST_REPLICATES):
        return None
    least, most = 0, MOST_REPLICATES
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if settles(middle) else (middle, most)
    return most


def variances(found: Decision, chosen: Flags, count: Counts | None = None) -> Floats:
    """Return the variance that each condition adds to some estimands, shape (estimands, conditions).

    `count`: pairs of each condition; None: those of the decision.
    """
    of = found.by_condition
    weights = found.estimands.weights(of.known)[chosen]
    sd = np.where(of.known, np.fmax(of.sd, FLOOR * found.delta), 0.0)
    return np.asarray(weights**2 * sd**2 / np.maximum(of.count if count is None else count, 1))


def _half_widths(found: Decision, chosen: Flags, count: Counts) -> tuple[Floats, Floats]:
    """Return half-widths and squared errors of some estimands with other numbers of pairs."""
    of = found.by_condition
    weights = found.estimands.weights(of.known)[chosen]
    sd = np.where(of.known, np.fmax(of.sd, FLOOR * found.delta), 0.0)
    error, freedom = satterthwaite(weights, sd, count)
    return quantiles(freedom, found.alpha[chosen]) * error, error**2


def chance_of_change(found: Decision, full: int, hopeless: float) -> Floats:
    """Return the chance that the decision on each open interval changes the verdict, with `full` pairs; 0 elsewhere.

    Beyond the margin changes every verdict but the same one. Within it changes a verdict that waits for it, or where a
    mean of the same partition is beyond. The mean of all future pairs has, given the present ones, the variance
    SE(now)^2 - SE(then)^2. `full`: pairs of each condition at the last look. `hopeless`: chance that counts as none.
    """
    opened, of = found.is_open, found.by_condition
    chance = np.zeros(len(opened))
    if not opened.any():
        return chance
    if not of.replicated:
        return opened.astype(float)
    count = np.where(of.known, np.maximum(of.count, full), of.count)
    half, squares = _half_widths(found, opened, count)
    wander = np.sqrt(np.maximum(variances(found, opened).sum(axis=1) - squares, 0.0))
    mean = found.mean[opened]
    narrow = half <= NARROW * found.delta
    beyond, within = (_chance_above(side * (mean - found.delta) - half, wander) for side in (1, -1))
    waits = found.is_blocking[opened] & (found.label == CANNOT_TELL)
    # No harm needs all of them: one without a chance makes the others useless, but for the overall mean at the margin.
    alone = narrow & (found.kinds[opened] == OVERALL)
    waits &= alone | bool((np.where(narrow, 1.0, beyond + within)[waits] >= hopeless).all())
    directions = (
        (found.holds_worse, found.is_worse, mean, WORSE, waits),
        (found.holds_better, found.is_better, -mean, BETTER, np.zeros(len(mean), dtype=bool)),
    )
    for holds, proved, harm, label, waiting in directions:
        beyond, within = (_chance_above(side * (harm - found.delta) - half, wander) for side in (1, -1))
        counts = waiting | (found.label == label) | _has_sibling(found, proved)[opened]
        decided = np.where(waiting & narrow, 1.0, beyond * (found.label != label) + within * counts)
        chance[opened] = np.where(holds[opened], np.maximum(chance[opened], decided), chance[opened])
    return chance


def _has_sibling(found: Decision, flagged: Flags) -> Flags:
    """Return True for estimands of a partition that has a flagged one."""
    partitions = {each.partition for each, is_flagged in zip(found.estimands.each, flagged, strict=True) if is_flagged}
    return np.array([each.partition in partitions for each in found.estimands.each])


def _chance_above(excess: Floats, spread: Floats) -> Floats:
    """Return the chance that a normal number with mean `excess` is above 0."""
    return np.where(spread > 0, special.ndtr(excess / np.where(spread > 0, spread, 1.0)), (excess > 0).astype(float))
