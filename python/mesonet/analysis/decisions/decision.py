"""Verdict on one response of two scenarios, in both directions, from simultaneous intervals.

A change is *beyond* the margin if its whole interval is, and *within* if its interval ends before the margin. Both are
proved: neither follows from a point estimate. All intervals of a response hold together with a chance of 95 %, divided
by the number of responses and of looks (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.decisions.estimands import (
    CELL,
    GROUP,
    LEVEL,
    OVERALL,
    Estimands,
    design_levels,
    estimands,
)
from mesonet.analysis.decisions.pairs import Floats, Moments, log_ratios, margin_of, moments
from mesonet.analysis.decisions.welch import quantiles, satterthwaite
from mesonet.analysis.means import finite_mean
from mesonet.analysis.observations import DesignLike
from mesonet.analysis.result import AnalysisResult
from mesonet.errors import InputError

Flags = NDArray[np.bool_]

WORSE, BETTER, NO_WORSE, DEPENDS, AT_MARGIN, CANNOT_TELL = (
    "worse", "better", "no worse", "depends", "at the margin", "cannot tell",
)  # fmt: skip
HARM_FIRST = (WORSE, DEPENDS, CANNOT_TELL, AT_MARGIN, BETTER, NO_WORSE)
"""All labels, the label that rules a verdict on several responses first."""
OWN_LEVEL = "its own level"
"""Name of the level of the response itself, for a verdict that depends on it."""
FLOOR = 0.05
"""Smallest standard deviation of a condition, as a part of the margin: ties in few replicates are no proof of equality
(chosen)."""
NARROW = 1 / 3
"""Half-width of an interval that has the margin in it, as a part of the margin, from which more runs change nothing
that matters (chosen)."""


@dataclass(frozen=True, eq=False, repr=False)
class Decision(AnalysisResult):
    """Verdict on one response. Arrays have an entry per estimand: overall, levels, cells, groups by own level.

    Log ratios are positive where the first scenario is worse.
    """

    label: str  #: `worse`, `better`, `no worse`, `depends`, `at the margin` or `cannot tell`
    depends_on: tuple[str, ...]  #: the factor, or the pair of factors, or `its own level`; empty if nothing
    also: tuple[tuple[str, ...], ...]  #: other factors or pairs that explain the change, too: perhaps aliases
    why: str  #: reason for `cannot tell`; empty otherwise
    mean: Floats  #: mean log ratio
    low: Floats  #: beginning of its interval
    high: Floats
    freedom: Floats  #: degrees of freedom
    margin: float  #: relative change that counts
    atol: float  #: absolute change that does not count, in the unit of the response
    more_is_better: bool
    replicated: bool  #: True if the noise is of replicates, False if of conditions as a sample
    missing: int  #: conditions that only one of the scenarios has
    x: float  #: mean of the response in the first scenario, over the conditions
    y: float  #: mean in the second scenario
    worse_conditions: tuple[int, ...]  #: numbers, from 1, of conditions with a mean beyond the margin for the worse
    better_conditions: tuple[int, ...]
    sides: tuple[int, int] | None  #: places of the estimands behind `depends`: beyond the margin, and within it
    own_levels: tuple[float, ...]  #: levels of the second scenario at the cuts of its own level
    by_condition: Moments  #: log ratios of each condition
    estimands: Estimands
    alpha: Floats  #: error probability of each interval

    UNITS: ClassVar = {"change": "%", "change_low": "%", "change_high": "%", "log_ratio": "1"}

    def _dimensions(self) -> dict[str, Sequence[Any]]:
        return {"estimand": [each.title for each in self.estimands.each]}

    def _columns(self) -> dict[str, Any]:
        change = [100 * self.ratio_less_one(each) for each in (self.mean, self.low, self.high)]
        low, high = np.minimum(change[1], change[2]), np.maximum(change[1], change[2])
        return {
            "conditions": (self.estimands.members & self.by_condition.known).sum(axis=1),
            "change": change[0],
            "change_low": low,
            "change_high": high,
            "log_ratio": self.mean,
            "low": self.low,
            "high": self.high,
            "is_worse": self.is_worse,
            "is_better": self.is_better,
            "is_no_worse": self.is_no_worse,
            "is_no_better": self.is_no_better,
        }

    def _attributes(self) -> dict[str, Any]:
        names = ("margin", "atol", "replicated", "missing", "x", "y")
        return {"verdict": self.verdict, "why": self.why, **{name: getattr(self, name) for name in names}}

    @property
    def verdict(self) -> str:
        """The verdict in words, such as ``depends on X1``."""
        return f"{self.label} on {' and '.join(self.depends_on)}" if self.depends_on else self.label

    @property
    def weighted(self) -> float:
        """Ratio of the means over the conditions, less 1: conditions with large values rule it."""
        return self.x / self.y - 1 if self.y else float("nan")

    @property
    def harm_not_excluded(self) -> float:
        """Largest change for the worse that is not excluded: overall, at levels, and in cells beyond the margin.

        A part of the value: 0.1 for a tenth.
        """
        change = float(self.ratio_less_one(self.high[self._counts].max()))
        return -change if self.more_is_better else change

    @property
    def delta(self) -> float:
        """The margin as a log ratio."""
        return margin_of(self.margin)

    @property
    def is_worse(self) -> Flags:
        """True where the interval is beyond the margin for the worse."""
        return self.low > self.delta

    @property
    def is_better(self) -> Flags:
        """True where the interval is beyond the margin for the better."""
        return self.high < -self.delta

    @property
    def is_no_worse(self) -> Flags:
        """True where the interval excludes a change for the worse beyond the margin."""
        return self.high <= self.delta

    @property
    def is_no_better(self) -> Flags:
        """True where the interval excludes a change for the better beyond the margin."""
        return self.low >= -self.delta

    @property
    def is_open(self) -> Flags:
        """True where a wide interval has an end of the margin in it, and its decision could change the verdict."""
        wide: Flags = ~self.is_narrow & (self.holds_worse | self.holds_better)
        if self.label != DEPENDS:
            return np.asarray(wide & (self.kinds != GROUP))
        # A single factor is the simpler explanation, if it is one: a pair or a level of the response waits for it.
        simpler = [
            each.kind == LEVEL and _could_replace(each.factors[0], self.depends_on) for each in self.estimands.each
        ]
        return np.asarray(wide & np.array(simpler))

    @property
    def is_narrow(self) -> Flags:
        """True where the half-width of the interval is at most a third of the margin."""
        return np.asarray((self.high - self.low) / 2 <= NARROW * self.delta)

    @property
    def is_blocking(self) -> Flags:
        """True where the interval must get narrower for a verdict of no harm."""
        return np.asarray(self._counts & self.holds_worse & ~self.is_narrow)

    @property
    def kinds(self) -> NDArray[np.str_]:
        """Kind of each estimand: ``overall``, ``level``, ``cell`` or ``group``."""
        return np.array([each.kind for each in self.estimands.each])

    @property
    def _counts(self) -> Flags:
        """True where harm must be excluded: overall, at levels, and in cells whose mean is beyond the margin."""
        kinds = self.kinds
        return np.asarray((kinds == OVERALL) | (kinds == LEVEL) | ((kinds == CELL) & (self.mean > self.delta)))

    @property
    def holds_worse(self) -> Flags:
        """True where the interval has the end of the margin for the worse in it."""
        return ~self.is_worse & ~self.is_no_worse

    @property
    def holds_better(self) -> Flags:
        """True where the interval has the end of the margin for the better in it."""
        return ~self.is_better & ~self.is_no_better

    def ratio_less_one(self, log_ratio: ArrayLike) -> Floats:
        """Return the change of the response from the second to the first scenario, from a log ratio for the worse.

        Parameters
        ----------
        log_ratio
            Log ratios, any shape.

        Returns
        -------
        Changes, 1 for twice the value.
        """
        with np.errstate(over="ignore"):
            return np.asarray(np.expm1((-1 if self.more_is_better else 1) * np.asarray(log_ratio)))

    def mirrored(self) -> Decision:
        """Return the verdict with both scenarios exchanged.

        Returns
        -------
        The verdict that `decide` returns for exchanged scenarios, but for the levels at the cuts.
        """
        opposite = replace(self.by_condition, mean=-self.by_condition.mean)
        exchanged = replace(
            self,
            mean=-self.mean,
            low=-self.high,
            high=-self.low,
            x=self.y,
            y=self.x,
            worse_conditions=self.better_conditions,
            better_conditions=self.worse_conditions,
            by_condition=opposite,
        )
        return _labelled(exchanged)


def decide(
    x: ArrayLike,
    y: ArrayLike,
    *,
    design: DesignLike | ArrayLike | None = None,
    factors: Sequence[str] | None = None,
    margin: float = 0.1,
    atol: float = 0.0,
    more_is_better: bool = False,
    responses: int = 1,
    looks: int = 1,
    earlier: Decision | None = None,
) -> Decision:
    """Return the verdict on one response of two scenarios, from pairs of runs with equal random numbers.

    Parameters
    ----------
    x, y
        Response in the scenario in question and in the other, shape (conditions, replicates), at least 0 and in equal
        units; NaN where a run has no value. Columns are pairs.
    design
        Levels of the factors, shape (conditions, factors), of any number and kind; or a design. None: no factors.
    factors
        Names of the columns; by default the design's own, else x1, x2 and so on.
    margin
        Relative change that counts, above 0.
    atol
        Absolute change that never counts, at least 0, in the unit of the response.
    more_is_better
        True for goodput, False for delays and losses.
    responses, looks
        Numbers of responses of the pair, and of planned looks, whose intervals hold together.
    earlier
        The verdict of the look before: intervals are intersected with its intervals.

    Returns
    -------
    Verdict with its intervals.

    Raises
    ------
    InputError
        As `log_ratios`; also if `responses` or `looks` is below 1.
    ValueError
        If the shapes do not fit.

    Notes
    -----
    If a condition has only one pair, there is no noise of its own. The conditions are then taken as a sample, and the
    intervals are about conditions like them.

    ``depends``: the change is proved beyond the margin at one level of a factor and proved within it at another. The
    factor with the largest contrast is named; without such a factor, a pair of factors; without such a pair, the
    level of the response itself. This level is the geometric mean of both scenarios in the first replicate, which the
    intervals of these groups leave out: noise therefore creates no dependence.

    Source: paired log ratios and simultaneous Welch intervals are standard; the verdicts are ours
    (docs/explanation/decisions.md).

    Examples
    --------
    >>> x = [[13.1, 12.9, 13.0], [12.8, 13.1, 13.0], [5.0, 5.1, 5.0], [5.1, 4.9, 5.0]]
    >>> found = decide(x, [[10.0, 10.0, 10.0]] * 4, design=[[-1], [-1], [1], [1]], factors=["speed"])
    >>> found.verdict
    'depends on speed'
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.ndim != 2 or first.shape != second.shape:
        raise ValueError(f"x has shape {first.shape} and y {second.shape}; expected twice (conditions, replicates)")
    for name, number in (("responses", responses), ("looks", looks)):
        if number < 1:
            raise InputError("too low", path=name, value=number, allowed="at least 1")
    d = log_ratios(first, second, margin=margin, atol=atol, more_is_better=more_is_better)
    both = np.isfinite(d)
    by_condition = moments(d)
    any_value = (np.isfinite(first) | np.isfinite(second)).any(axis=1)
    known = by_condition.known
    columns, names = design_levels(design, factors, len(d))
    rest, size = _without_first(d, first, second, atol / margin)
    asked = estimands(columns, names, known, size)
    alpha = asked.alpha() / (responses * looks)
    mean, low, high, freedom = _intervals(asked, by_condition, rest, alpha, margin_of(margin))
    low, high = _intersected(asked, low, high, earlier)
    levels = [finite_mean(finite_mean(np.where(both, each, np.nan), axis=1), axis=0) for each in (first, second)]
    beyond = np.nan_to_num(by_condition.mean)
    return _labelled(
        Decision(
            label=CANNOT_TELL,
            depends_on=(),
            also=(),
            why="",
            mean=mean,
            low=low,
            high=high,
            freedom=freedom,
            margin=float(margin),
            atol=float(atol),
            more_is_better=bool(more_is_better),
            replicated=by_condition.replicated,
            missing=int((any_value & ~known).sum()),
            x=float(levels[0]),
            y=float(levels[1]),
            worse_conditions=tuple((np.flatnonzero(beyond > margin_of(margin)) + 1).tolist()),
            better_conditions=tuple((np.flatnonzero(beyond < -margin_of(margin)) + 1).tolist()),
            sides=None,
            own_levels=_own_levels(asked, second, both),
            by_condition=by_condition,
            estimands=asked,
            alpha=alpha,
        )
    )


def _without_first(d: Floats, x: Floats, y: Floats, shift: float) -> tuple[Moments, Floats | None]:
    """Return the moments without the first pair of each condition, and the level of the response in these pairs.

    The level is the mean of both logarithms, equal for exchanged scenarios; None if a condition has fewer than three.
    """
    there = np.isfinite(d)
    count = there.sum(axis=1)
    if not count.any() or (count[count > 0] < 3).any():
        return moments(d), None
    first = there.argmax(axis=1)
    rows = np.arange(len(d))
    rest = d.copy()
    rest[rows, first] = np.nan
    with np.errstate(all="ignore"):
        size = np.log(x[rows, first] + shift) + np.log(y[rows, first] + shift)
    return moments(rest), np.where(count > 0, size, np.nan)


def _intervals(
    asked: Estimands, by_condition: Moments, rest: Moments, alpha: Floats, delta: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return means, ends of the intervals and degrees of freedom; infinite ends where nothing is known of the noise."""
    groups = np.array([each.kind == GROUP for each in asked.each])
    mean, error, freedom = (np.full(len(groups), np.nan) for _ in range(3))
    for chosen, of in ((~groups, by_condition), (groups, rest)):
        if chosen.any():
            weights = asked.weights(of.known)[chosen]
            mean[chosen], error[chosen], freedom[chosen] = _means(weights, of, delta)
    with np.errstate(all="ignore"):
        half = quantiles(freedom, alpha) * error
    half = np.where(np.isfinite(half), half, np.inf)
    centre = np.where(np.isfinite(mean), mean, 0.0)
    return mean, centre - half, centre + half, freedom


def _means(weights: Floats, of: Moments, delta: float) -> tuple[Floats, Floats, Floats]:
    """Return weighted means, their errors and degrees of freedom, shape (estimands,)."""
    values = np.where(of.known, of.mean, 0.0)
    mean = np.where(weights.any(axis=1), weights @ values, np.nan)
    if of.replicated:
        sd = np.where(of.known, np.maximum(of.sd, FLOOR * delta), 0.0)
        error, freedom = satterthwaite(weights, sd, of.count)
        return mean, error, freedom
    number = (weights > 0).sum(axis=1)
    with np.errstate(all="ignore"):
        squares = ((weights > 0) * (values - mean[:, None]) ** 2).sum(axis=1) / (number - 1)
    sd = np.maximum(np.sqrt(squares), FLOOR * delta)
    with np.errstate(all="ignore"):
        return mean, np.where(number > 1, sd / np.sqrt(number), np.nan), np.where(number > 1, number - 1.0, np.nan)


def _intersected(asked: Estimands, low: Floats, high: Floats, earlier: Decision | None) -> tuple[Floats, Floats]:
    """Return intervals inside the earlier ones; the middle of the gap where both do not meet."""
    if earlier is None:
        return low, high
    before = {each: (earlier.low[i], earlier.high[i]) for i, each in enumerate(earlier.estimands.each)}
    ends = np.array([before.get(each, (-np.inf, np.inf)) for each in asked.each])
    low, high = np.maximum(low, ends[:, 0]), np.minimum(high, ends[:, 1])
    with np.errstate(invalid="ignore"):
        middle = (low + high) / 2
    return np.where(low > high, middle, low), np.where(low > high, middle, high)


def _own_levels(asked: Estimands, y: Floats, both: Flags) -> tuple[float, ...]:
    """Return the level of the second scenario between both groups of each cut: the middle of their nearest means."""
    with np.errstate(all="ignore"):
        level = np.where(both, y, 0.0).sum(axis=1) / both.sum(axis=1)
    found = []
    for place, each in enumerate(asked.each):
        if each.kind == GROUP and each.levels[1] < 0:
            lower, upper = level[asked.members[place]], level[asked.members[place + 1]]
            found.append(float((np.nanmax(lower) + np.nanmin(upper)) / 2))
    return tuple(found)


def _labelled(found: Decision) -> Decision:
    """Return the decision with label, factors and reason that follow from its intervals."""
    contrasts = _contrasts(found)
    if not contrasts:
        label, why = _label(found)
        return replace(found, label=label, depends_on=(), also=(), sides=None, why=why)
    depends_on, *also = dict.fromkeys(factors for _, factors, _ in contrasts)
    return replace(found, label=DEPENDS, depends_on=depends_on, also=tuple(also), sides=contrasts[0][2], why="")


def _label(found: Decision) -> tuple[str, str]:
    """Return label and reason of a change that depends on nothing."""
    judged = found.kinds != GROUP
    if found.is_worse[0] and not found.is_better[judged].any():
        return WORSE, ""
    if found.is_better[0] and not found.is_worse[judged].any():
        return BETTER, ""
    if not found.by_condition.known.any():
        return CANNOT_TELL, "no pair of runs has values"
    if not np.isfinite(found.high[0]):
        return CANNOT_TELL, "a single pair of runs has no noise to compare with"
    if found.missing:
        verb = "condition has" if found.missing == 1 else "conditions have"
        return CANNOT_TELL, f"{found.missing} {verb} values in one scenario only"
    counts = found._counts
    at_margin = found.holds_worse & found.is_narrow
    if found.is_no_worse[counts].all():
        return NO_WORSE, ""
    if at_margin[0] or (found.is_no_worse | found.is_worse | at_margin)[counts].all():
        return AT_MARGIN, ""
    harm = found.harm_not_excluded
    return CANNOT_TELL, f"a harm of {harm:.0%} is not excluded" if harm < 10 else "hardly any harm is excluded"


def _could_replace(factor: str, explanation: tuple[str, ...]) -> bool:
    """Return True if a single factor would be a simpler explanation than a pair with it, or the response's level."""
    return explanation == (OWN_LEVEL,) or (len(explanation) == 2 and factor in explanation)


def _contrasts(found: Decision) -> list[tuple[float, tuple[str, ...], tuple[int, int]]]:
    """Return contrasts on which the change depends, largest first: difference, factors, places beyond and within.

    Single factors, or else pairs, or else the level of the response. A contrast counts if a mean is proved beyond the
    margin and another of its partition is proved within it.
    """
    if not (found.is_worse | found.is_better)[found.kinds != OVERALL].any():
        return []
    partitions: dict[tuple[Any, ...], list[int]] = {}
    for place, each in enumerate(found.estimands.each):
        partitions.setdefault(each.partition, []).append(place)
    contrasts: dict[str, list[tuple[float, tuple[str, ...], tuple[int, int]]]] = {LEVEL: [], CELL: [], GROUP: []}
    directions = ((found.mean, found.is_worse, found.is_no_worse), (-found.mean, found.is_better, found.is_no_better))
    for (kind, *factors), places in partitions.items():
        for mean, beyond, within in directions:
            inside, outside = [i for i in places if within[i]], [i for i in places if beyond[i]]
            if inside and outside:
                sides = max(outside, key=lambda i: mean[i]), min(inside, key=lambda i: mean[i])
                names = (OWN_LEVEL,) if kind == GROUP else tuple(factors)
                contrasts[kind].append((float(mean[sides[0]] - mean[sides[1]]), names, sides))
    best = next((each for each in contrasts.values() if each), [])
    return sorted(best, key=lambda each: -each[0])
