"""Looks at a campaign that runs until its comparisons are decided: verdicts, and the replicates to run next.

All follows from the finished runs, never from their order. The first look chooses the responses that are judged and
their tolerances, so that later runs change no earlier look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import Course, Decision, Look, until_decided
from mesonet.analysis.decisions.course import live, planned_looks
from mesonet.analysis.decisions.decision import AT_MARGIN, CANNOT_TELL, HARM_FIRST
from mesonet.analysis.decisions.pairs import LEAST_OF_MEAN, shift_at_zero
from mesonet.campaign.data import Campaign
from mesonet.campaign.documents import FEWEST_LOOKED_AT
from mesonet.campaign.ledger import UNTIL, replicates_of
from mesonet.errors import InputError
from mesonet.experiments.comparands import Pairs as PairsOfConditions
from mesonet.reporting.campaign_view.flow_groups import numbers_of_conditions
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.verdicts.comparisons import Comparison, comparisons
from mesonet.reporting.verdicts.quantities import Quantity, judged, quantities

Floats = NDArray[np.float64]
Counts = NDArray[np.int_]

ScenarioName = tuple[int, str]  # condition, from 1, and algorithm


@dataclass(frozen=True)
class Pairs:
    """Runs of both scenarios of a comparison. Runs have the shape (pairs of conditions, replicates, responses)."""

    comparison: Comparison
    names: tuple[str, ...]  #: of the responses
    titles: tuple[str, ...]
    x: Floats
    y: Floats
    atol: tuple[float, ...]
    more_is_better: tuple[bool, ...]
    finished: Counts  #: replicates of each pair that are finished in both scenarios

    @property
    def scenarios(self) -> list[tuple[ScenarioName, ScenarioName]]:
        """Condition, from 1, and algorithm of both sides of each pair."""
        return scenarios_of_pairs(self.comparison.pairs)


def scenarios_of_pairs(pairs: PairsOfConditions) -> list[tuple[ScenarioName, ScenarioName]]:
    """Return condition, from 1, and algorithm of both sides of each pair."""
    one, other = pairs.algorithms
    sides = zip(*pairs.conditions, strict=True)
    return [((int(here) + 1, one), (int(there) + 1, other)) for here, there in sides]


@dataclass(frozen=True)
class ComparisonLooks:
    """Looks at a comparison."""

    pairs: Pairs
    course: Course
    planned: tuple[int, ...]  #: replicates at the looks

    @property
    def name(self) -> str:
        """Name of the scenario in question."""
        return self.pairs.comparison.name

    def values(self, runs: Floats, place: int) -> Floats:
        """Return the runs of a response that the last look has, shape (conditions, replicates); NaN for others."""
        here = np.arange(runs.shape[1]) < self.course.counts[:, None]
        return np.where(here, runs[:, :, place], np.nan)

    @property
    def undecided(self) -> list[str]:
        """Responses that could not be decided; all of them before the first look."""
        if not self.course.looks:
            return list(self.pairs.titles)
        decisions = zip(self.pairs.titles, self.course.decisions, strict=True)
        return [title for title, each in decisions if each.label in (CANNOT_TELL, AT_MARGIN) and each.is_open.any()]

    @property
    def is_decided(self) -> bool:
        """True if no run is left to make, and every response has a verdict."""
        return self.course.status != "open" and not self.undecided

    def open_at(self, look: Look) -> list[str]:
        """Return the responses with an interval that was open at a look: further runs could change their verdict."""
        decisions = zip(self.pairs.titles, look.decisions, strict=True)
        return [title for title, decision in decisions if live(decision, self.planned[-1]).any()]

    @property
    def next_conditions(self) -> list[int]:
        """Conditions, from 1, that get further replicates before the next look; empty without one."""
        known = self.course.looks[-1].counts if self.course.looks else 0
        more = np.flatnonzero(self.course.counts > known)
        return sorted({condition for place in more for condition, _ in self.pairs.scenarios[place]})


@dataclass(frozen=True)
class CampaignLooks:
    """Looks at all comparisons of a campaign."""

    against: str  #: the incumbent; empty: the comparisons of the experiment
    margin: float  #: relative change that counts
    planned: tuple[int, ...]  #: replicates at the looks
    each: tuple[ComparisonLooks, ...]  #: empty before the first look
    replicates: tuple[int, ...]  #: replicates of each scenario of the campaign that are needed now
    runs: int  #: runs that the looks need, up to now
    full: int  #: runs of all looks

    @property
    def is_open(self) -> bool:
        """True if a comparison needs further runs."""
        return not self.each or any(each.course.status == "open" for each in self.each)

    @property
    def decided(self) -> list[ComparisonLooks]:
        """Comparisons whose every response has a verdict."""
        return [each for each in self.each if each.is_decided]


@lru_cache(maxsize=2)
def looks_of(campaign: Campaign) -> CampaignLooks | None:
    """Return the looks at a campaign; None if it has no rule for them."""
    rule = campaign.experiment.get(UNTIL)
    if rule is None:
        return None
    looks = planned_looks(rule["at_most"])
    found = [
        ComparisonLooks(
            each,
            until_decided(
                each.x,
                each.y,
                design=each.comparison.pairs.levels if each.comparison.pairs.factors else None,
                factors=each.comparison.pairs.factors or None,
                margin=rule["margin"],
                atol=each.atol,
                more_is_better=each.more_is_better,
                looks=looks,
                allocation="adaptive",
                finished=each.finished,
            ),
            looks,
        )
        for each in compared(campaign, rule["against"], rule["margin"])
    ]
    needed = _needed(campaign, found)
    conditions = len(numbers_of_conditions(campaign))
    return CampaignLooks(
        against=rule["against"],
        margin=rule["margin"],
        planned=looks,
        each=tuple(found),
        replicates=tuple(max(pair) for pair in zip(needed, replicates_of(campaign.experiment), strict=True)),
        runs=sum(needed),
        full=sum(
            looks[-1] if entry["condition"] <= conditions else FEWEST_LOOKED_AT
            for entry in campaign.experiment["scenarios"]
        ),
    )


def look_decision(wanted: Comparison, name: str) -> Decision | None:
    """Return the decision of the last look on a response of a comparison; None if no look had it."""
    found = looks_of(wanted.view.campaign) if wanted.view.campaign is wanted.other.campaign else None
    for each in found.each if found else ():
        mine, other = each.pairs.comparison.pairs, wanted.pairs
        same = all(np.array_equal(*places) for places in zip(mine.conditions, other.conditions, strict=True))
        if same and mine.algorithms == other.algorithms and each.course.looks and name in each.pairs.names:
            return each.course.decisions[each.pairs.names.index(name)]
    return None


def _needed(campaign: Campaign, found: Sequence[ComparisonLooks]) -> list[int]:
    """Return the replicates that the looks need, by scenario; without a comparison, those of the first."""
    counts: dict[ScenarioName, int] = {}
    for each in found:
        for both, number in zip(each.pairs.scenarios, each.course.counts.tolist(), strict=True):
            counts |= {scenario: max(number, counts.get(scenario, 0)) for scenario in both}
    names = ((each["condition"], each["algorithm"]) for each in campaign.experiment["scenarios"])
    return [counts.get(name, FEWEST_LOOKED_AT) for name in names]


def compared(
    campaign: Campaign,
    against: str,
    margin: float,
    first: Campaign | None = None,
    chosen_pairs: Sequence[PairsOfConditions] | None = None,
) -> list[Pairs]:
    """Return the pairs of runs of each comparison; empty unless the first look has all its runs.

    `against`: the incumbent; empty: the comparisons of the experiment. `first`: the campaign whose first look chooses
    responses and tolerances; None: this campaign. `chosen_pairs`: the pairs of each comparison in this campaign, if
    they are others than those of `first`.
    """
    chosen = _at_first_look(first or campaign)
    if chosen is None:
        return []
    view, finished = view_of(campaign, against or None), _finished(campaign)
    first_view = view_of(chosen, against or None)
    wanted = quantities(first_view)
    if not wanted:
        allowed = "a response with values that is better high or better low"
        raise InputError("no response can be judged", value=campaign.name, allowed=allowed)
    known = {each.name: each for each in quantities(view, judged(first_view)) if not each.neutral}
    both = [(each, known[each.name]) for each in wanted if each.name in known]
    found = []
    for number, origin in enumerate(comparisons(first_view)):
        each = replace(origin, view=view, other=view, pairs=chosen_pairs[number] if chosen_pairs else origin.pairs)
        places = zip(each.pairs.conditions, each.places, strict=True)
        counts = np.minimum(*(finished[conditions, algorithm] for conditions, algorithm in places))
        found.append(_pairs(each, origin, both, finished=counts, margin=margin))
    return found


def _pairs(
    compared: Comparison,
    origin: Comparison,
    both: Sequence[tuple[Quantity, Quantity]],
    *,
    finished: Counts,
    margin: float,
) -> Pairs:
    """Return the pairs of a comparison.

    `origin`: the comparison at the first look. `both`: each quantity there, and in all runs.
    """
    x: list[Floats] = []
    y: list[Floats] = []
    atol = []
    for first, every in both:
        at_first = origin.values(first, first)
        shift = first.floor or shift_at_zero(*at_first)
        atol.append(margin * shift)
        for into, values in zip((x, y), compared.values(every, every), strict=True):
            # A later 0 has a ratio, too: a change by a factor of 100.
            into.append(values if shift else np.where(values == 0, LEAST_OF_MEAN * _mean(*at_first), values))
    return Pairs(
        comparison=compared,
        names=tuple(first.name for first, _ in both),
        titles=tuple(first.title for first, _ in both),
        x=np.stack(x, axis=-1),
        y=np.stack(y, axis=-1),
        atol=tuple(atol),
        more_is_better=tuple(not first.lower_is_better for first, _ in both),
        finished=finished,
    )


def _mean(x: Floats, y: Floats) -> float:
    both = np.isfinite(x) & np.isfinite(y)
    return float((x[both].mean() + y[both].mean()) / 2) if both.any() else 0.0


def _at_first_look(campaign: Campaign) -> Campaign | None:
    """Return the campaign with the runs of the first look; None unless all of them are finished, or if none is done."""
    if not campaign.counts["done"] or _finished(campaign).min(initial=FEWEST_LOOKED_AT) < FEWEST_LOOKED_AT:
        return None
    within = pl.col("replicate") <= FEWEST_LOOKED_AT
    return replace(campaign, runs=campaign.runs.filter(within), responses=campaign.responses.filter(within))


def _finished(campaign: Campaign) -> Counts:
    """Return the replicates, from the first on, that are done or failed; shape (conditions, algorithms)."""
    places = {name: place for place, name in enumerate(campaign.algorithms)}
    found = np.zeros((len(numbers_of_conditions(campaign)), len(places)), dtype=int)
    rows = campaign.runs.filter(pl.col("status") != "missing").select("condition", "algorithm", "replicate")
    for condition, algorithm, replicate in rows.sort("replicate").iter_rows():
        if condition <= len(found) and found[condition - 1, places[algorithm]] == replicate - 1:
            found[condition - 1, places[algorithm]] = replicate
    return found


def label_of(decisions: Sequence[Decision]) -> str:
    """Return the verdict on all responses: harm first, then what may be harm."""
    for label in HARM_FIRST:
        if found := next((each for each in decisions if each.label == label), None):
            return found.verdict
    return CANNOT_TELL
