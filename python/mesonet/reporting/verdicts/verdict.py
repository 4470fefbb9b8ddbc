"""Verdicts: the changes from one scenario of a campaign to another, for the worse and for the better.

Scenarios are algorithms, mixes, levels of a factor, or campaigns (`comparisons`). A further question is what happens to
the flows that keep the incumbent and compete with a newcomer (the terms follow RFC 9743, section 5.2, on whether a
newcomer does harm). A verdict is evidence, not certification. `mesonet.analysis.decide` judges each quantity, in pairs
of runs with equal random numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import Decision, decide, needed
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, HARM_FIRST, WORSE
from mesonet.analysis.decisions.estimands import GROUP, Estimand
from mesonet.analysis.decisions.pairs import shift_at_zero
from mesonet.campaign.ledger import UNTIL
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.explicit_flows import explicit_flows
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.comparisons import LEVEL, Comparison, choices, comparisons
from mesonet.reporting.verdicts.looks import look_decision
from mesonet.reporting.verdicts.quantities import (
    Quantity,
    by_user,
    of_incumbent,
    of_others,
    quantities,
)
from mesonet.responses.definitions import BY_NAME
from mesonet.words import number

Floats = NDArray[np.float64]

NOT_JUDGED = "not judged"
COMPETITION = "competition"
#: Verdicts on a response of which neither direction is better: it changes by more than the margin, or by less.
HIGHER, LOWER, ALIKE = "higher", "lower", "alike"
#: Change in % of the incumbent's value that counts (chosen).
MARGIN = 10.0


@dataclass(frozen=True)
class Part:
    """Change in the conditions at a level of a factor, of two factors, or of the quantity itself."""

    level: str  #: factors and their levels, in words
    conditions: int
    mean: float  #: geometric mean relative to the other scenario, in %
    low: float  #: interval of `mean`, in %
    high: float


@dataclass(frozen=True)
class Change:
    """Change of a quantity from the second to the first scenario. Conditions have equal weights."""

    response: str
    title: str
    topic: str  #: one of `quantities.topics`
    unit: str
    lower_is_better: bool
    verdict: str  #: worse, better, no worse, depends, at the margin, cannot tell, higher, lower, alike, or `NOT_JUDGED`
    why: str  #: reason for `cannot tell`; empty otherwise
    mean: float  #: geometric mean over the conditions that both have, relative to the other scenario, in %
    low: float  #: interval of `mean`, in %: all quantities and levels of an algorithm hold together with 95 %
    high: float
    own: float  #: mean over these conditions, in the unit of the response
    reference: float  #: mean of the other scenario
    weighted: float  #: change of the mean over the conditions, in %: conditions with large values rule it
    possible: float  #: largest harm, in %, that is not excluded: overall, at levels, and in cells beyond the margin
    worse: int  #: conditions in which it is worse by more than the margin, by chance or not
    better: int
    compared: int  #: conditions that both have
    missing: int  #: conditions that only one of both has
    replicated: bool  #: True if the interval follows from replicates, False if from the scatter of conditions
    harmful: bool = False  #: True if it is worse overall, at a level or in a cell of two factors
    depends_on: str = ""  #: factors in words
    beyond: Part | None = None  #: conditions with a change beyond the margin, if it depends
    within: Part | None = None  #: conditions in which such a change is excluded
    replicates: int = 0  #: further replicates that would settle it, if the means stayed as they are; 0: not known
    conditions: int = 0  #: conditions that need these replicates
    cost: float = 0.0  #: processor time of these runs of both scenarios, s; 0: not known
    neutral: bool = False  #: True if neither direction is better

    @property
    def harm(self) -> float:
        """The mean, in %, positive if it is for the worse."""
        return self.mean if self.lower_is_better else -self.mean


@dataclass(frozen=True)
class Verdict:
    """Verdict on a comparison, with the changes behind it."""

    name: str  #: the scenario in question, such as an algorithm
    against: str  #: the other scenario
    question: str  #: replacement, level, campaign or competition
    verdict: str  #: worse, better, no worse, depends, at the margin, cannot tell, or `NOT_JUDGED`
    changes: tuple[Change, ...]
    short_only: bool = False  #: True if only short flows were compared, so that nothing can be excluded
    without_throughput: bool = False  #: True if explicit flows were not compared, so that nothing can be excluded
    shares_numbers: bool = True  #: True if both runs of each pair met the same random numbers
    users: tuple[Change, ...] = ()  #: changes by size and group of flows, beside the verdict
    margin: float = MARGIN  #: change that counts, in %

    @property
    def split(self) -> Change | None:
        """Change that depends on a factor and is largest where it does, harm first; None without one."""
        found = [change for change in self.changes if change.beyond and not change.neutral]
        return max(found, key=lambda c: (c.harmful, abs(c.beyond.mean) if c.beyond else 0.0), default=None)

    @property
    def words(self) -> str:
        """The verdict, and the factors on which it depends."""
        on = self.split if self.verdict == DEPENDS else None
        return f"{self.verdict} on {on.depends_on}" if on else self.verdict

    @property
    def gainers(self) -> list[Change]:
        """Users with a proved gain, the largest first."""
        return sorted((each for each in self.users if each.verdict == BETTER), key=lambda change: change.harm)

    @property
    def payers(self) -> list[Change]:
        """Users with a proved loss, the largest first."""
        return sorted((each for each in self.users if each.verdict == WORSE), key=lambda change: -change.harm)


def margin_of(view: CampaignView) -> float:
    """Return the change that counts, in %: of the rule of a campaign that ran until it was decided, else `MARGIN`."""
    rule = view.campaign.experiment.get(UNTIL)
    return 100 * float(rule["margin"]) if rule else MARGIN


@cached
def verdicts(view: CampaignView) -> list[Verdict]:
    """Return the verdict on each comparison of the campaign, see `comparisons`."""
    compared = comparisons(view)
    if not (view.has_results and compared):
        return []
    pairs, by_users = judged_pairs(view), _both(by_user(view), by_user(compared[0].other))
    kept = [(each, each) for each in of_incumbent(view)]
    found = []
    for each in compared:
        # Groups of few flows are not compared.
        beside = [both for both in kept if each.has_both(*both).all()] if each.question == LEVEL else []
        verdict = _verdict(each, [*pairs, *beside])
        found.append(replace(verdict, users=tuple(_changes(each, by_users))))
    if not explicit_flows(view):
        return found
    names = {quantity.name for quantity, _ in pairs if quantity.name not in BY_NAME}
    return [
        each
        if any(change.compared for change in each.changes if change.response in names)
        else _without_exclusion(each, without_throughput=True)
        for each in found
    ]


@cached
def judged_pairs(view: CampaignView) -> list[tuple[Quantity, Quantity]]:
    """Return the quantities that are judged, of the first and of the second scenarios."""
    mine = quantities(view)
    return _both(mine, mine if view.beside is None else quantities(CampaignView(view.beside)))


def _both(mine: Sequence[Quantity], others: Sequence[Quantity]) -> list[tuple[Quantity, Quantity]]:
    there = {each.name: each for each in others}
    return [(each, there[each.name]) for each in mine if each.name in there]


def competitor(view: CampaignView) -> str | None:
    """Return the algorithm whose flows compete with the algorithms under test.

    Name of the algorithm; None if there is none, if there is only one algorithm, or if flow groups were not kept.
    """
    other = view.campaign.experiment.get("mixed_with")
    return str(other) if other and len(view.algorithms) > 1 and view.campaign.has_groups else None


@cached
def harm_to_competitors(view: CampaignView) -> list[Verdict]:
    """Return the verdict on each algorithm as a competitor of other flows: their throughput by kind of file.

    These flows are compared with the same flows when they compete with flows of their own kind. If this was not run,
    they are compared with the same flows when they compete with the median algorithm of each condition.
    """
    other = competitor(view)
    if other is None:
        return []
    found_quantities = of_others(view, other)
    own = choices(view)
    reference = other if other in view.algorithms else ""
    compared = [pairs for pairs in own.against(reference) if pairs.name != other]
    found = []
    for pairs in compared if found_quantities else []:
        # With a reference by condition, the second algorithm is not used.
        sides = pairs if reference else replace(pairs, algorithms=(pairs.name, pairs.name))
        each = Comparison(sides, COMPETITION, view, view)
        found.append(_verdict(each, [(quantity, quantity) for quantity in found_quantities], against=other))
    if not any(quantity.of_long_flows for quantity in found_quantities):
        found = [_without_exclusion(each, short_only=True) for each in found]
    return found


def _without_exclusion(verdict: Verdict, **why: Any) -> Verdict:
    """Return a verdict without the important quantity: harm was seen, or nothing was judged."""
    if any(change.harmful for change in verdict.changes):
        return verdict
    return replace(verdict, verdict=NOT_JUDGED, **why)


def _verdict(compared: Comparison, quantities: Sequence[tuple[Quantity, Quantity]], against: str = "") -> Verdict:
    changes = _changes(compared, quantities)
    return Verdict(
        name=compared.name,
        against=against or compared.against,
        question=compared.question,
        verdict=_word(changes),
        changes=tuple(changes),
        shares_numbers=compared.shares_numbers,
        margin=margin_of(compared.view),
    )


def _changes(compared: Comparison, quantities: Sequence[tuple[Quantity, Quantity]]) -> list[Change]:
    found = (_change(compared, *each, len(quantities)) for each in quantities)
    return [change for change in found if change is not None]


def decision(compared: Comparison, quantity: Quantity, other: Quantity, responses: int) -> Decision:
    """Return the decision on a quantity: of the last look, if the campaign ran until it was decided.

    `responses`: number of quantities that are judged together.
    """
    if looked := look_decision(compared, quantity.name):
        return looked
    x, y = compared.values(quantity, other)
    factors, margin = compared.pairs.factors, margin_of(compared.view) / 100
    return decide(
        x,
        y,
        design=compared.pairs.levels if factors else None,
        factors=factors or None,
        margin=margin,
        atol=margin * (quantity.floor or shift_at_zero(x, y)),
        more_is_better=not quantity.lower_is_better,
        responses=responses,
    )


def _change(compared: Comparison, quantity: Quantity, other: Quantity, responses: int) -> Change | None:
    """Return the change of a quantity; None if neither side has a value."""
    if not any(np.isfinite(side).any() for side in compared.values(quantity, other)):
        return None
    found = decision(compared, quantity, other, responses)
    factors = compared.pairs.factors
    both = int(found.by_condition.known.sum())
    more = needed(found)
    sides = [_part(compared.view, found, place) for place in found.sides] if found.sides else [None, None]
    mean, low, high = _percents(found, 0)
    return Change(
        response=quantity.name,
        title=quantity.title,
        topic=quantity.topic,
        unit=quantity.unit,
        lower_is_better=quantity.lower_is_better,
        verdict=(_direction(found) if quantity.neutral else found.label) if both else NOT_JUDGED,
        why=found.why,
        mean=mean,
        low=low,
        high=high,
        own=found.x,
        reference=found.y,
        weighted=100 * found.weighted,
        possible=100 * found.harm_not_excluded,
        worse=len(found.worse_conditions),
        better=len(found.better_conditions),
        compared=both,
        missing=found.missing,
        replicated=found.replicated,
        harmful=bool(found.is_worse.any()) and not quantity.neutral,
        neutral=quantity.neutral,
        depends_on=" and ".join(
            factor_title(compared.view, each) if each in factors else each for each in found.depends_on
        ),
        beyond=sides[0],
        within=sides[1],
        replicates=more.replicates if more else 0,
        conditions=len(more.conditions) if more else 0,
        cost=more.replicates * len(more.conditions) * _cost(compared) if more else 0.0,
    )


def _direction(found: Decision) -> str:
    """Return the verdict on a response of which neither direction is better; it was decided as better low."""
    if found.is_worse[0] or found.is_better[0]:
        return HIGHER if found.is_worse[0] else LOWER
    if found.label == DEPENDS:
        return DEPENDS
    if found.is_no_worse[0] and found.is_no_better[0]:
        return ALIKE
    return found.label if found.label == AT_MARGIN else CANNOT_TELL


def _cost(compared: Comparison) -> float:
    """Return the mean processor time of a pair of runs, s; 0 if it is not known."""
    total = 0.0
    for view, algorithm in zip((compared.view, compared.other), compared.pairs.algorithms, strict=True):
        spent = view.campaign.runs.filter(algorithm=algorithm)["cpu_s"].mean()
        total += spent if isinstance(spent, float) else 0.0
    return total


def _percents(found: Decision, place: int) -> tuple[float, float, float]:
    """Return the change of an estimand and the ends of its interval, in %."""
    ends = [100 * float(found.ratio_less_one(each[place])) for each in (found.mean, found.low, found.high)]
    return ends[0], min(ends[1:]), max(ends[1:])


def _part(view: CampaignView, found: Decision, place: int) -> Part:
    inside = found.estimands.members[place] & found.by_condition.known
    return Part(_level(view, found, found.estimands.each[place]), int(inside.sum()), *_percents(found, place))


def _level(view: CampaignView, found: Decision, each: Estimand) -> str:
    """Return the levels of an estimand in words."""
    if each.kind == GROUP:
        cuts = list(dict.fromkeys(other.levels[0] for other in found.estimands.each if other.kind == GROUP))
        level = number(found.own_levels[cuts.index(each.levels[0])])
        return f"a level {'above' if each.levels[1] > 0 else 'below'} {level}"
    named = zip(each.factors, each.levels, strict=True)
    return " and ".join(f"{factor_title(view, factor)} at {level}" for factor, level in named)


def _word(changes: list[Change]) -> str:
    """Return the verdict on all quantities that have a direction: harm first, then what may be harm."""
    directed = [change for change in changes if not change.neutral]
    labels = {change.verdict for change in directed}
    found = next((label for label in HARM_FIRST if label in labels), NOT_JUDGED)
    if found not in (WORSE, DEPENDS) and any(change.missing for change in directed):
        return NOT_JUDGED
    return found
