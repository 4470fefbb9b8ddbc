"""Checks of decided comparisons by longer runs and in new conditions, each in a folder of the first campaign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mesonet.analysis import ConditionCheck, LengthCheck, condition_check, length_check
from mesonet.analysis.decisions.decision import CANNOT_TELL
from mesonet.analysis.decisions.estimands import WHOLE
from mesonet.analysis.decisions.length import CONDITIONS as NUMBER
from mesonet.analysis.decisions.length import OBJECTS
from mesonet.campaign.data import Campaign, load
from mesonet.campaign.ledger import CONDITIONS, EXPERIMENT, LENGTH, replicates_of
from mesonet.designs.rows import from_document
from mesonet.designs.spread import spread
from mesonet.errors import InputError
from mesonet.experiments.comparands import Pairs as PairsOfConditions
from mesonet.experiments.new_conditions import level_text, new_pairs
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.verdicts.looks import CampaignLooks, ComparisonLooks, Floats, Pairs, compared
from mesonet.units import with_bits
from mesonet.words import uncapitalised

CHECK_LOOKS = (3, 6)
"""Replicates at the looks at a check (chosen: as at the first look, then twice as many)."""


@dataclass(frozen=True)
class ResponseCheck:
    """Check of one response of a comparison."""

    comparison: int  #: place of the comparison among the looks, from 0
    name: str  #: of the scenario in question
    title: str  #: of the response
    label: str  #: `agrees`, `objects` or `cannot tell`
    is_open: bool  #: True if further replicates could settle it
    more_is_better: bool

    def change(self, log_ratio: float) -> float:
        """Return a change of the response against the incumbent, in %. `log_ratio`: positive for the worse."""
        return 100 * float(np.expm1(-log_ratio if self.more_is_better else log_ratio))

    def interval(self, low: float, high: float) -> tuple[float, float]:
        """Return an interval of changes, in %, the lower end first. `low`, `high`: log ratios."""
        one, other = sorted((self.change(low), self.change(high)))
        return one, other


@dataclass(frozen=True)
class LengthOf(ResponseCheck):
    """Check of the duration for one response of a comparison."""

    found: LengthCheck


@dataclass(frozen=True)
class ConditionOf(ResponseCheck):
    """Check in new conditions for one response of a comparison."""

    verdict: str  #: verdict of the looks
    found: ConditionCheck
    where: tuple[str, ...]  #: the new conditions in words, by number


@dataclass(frozen=True)
class Checks:
    """Check of all decided comparisons."""

    conditions: tuple[int, ...]  #: conditions that were run
    runs: int
    missing: int  #: runs that are not finished
    each: Sequence[ResponseCheck]  #: empty while runs are missing

    @property
    def objected(self) -> set[int]:
        """Places of the comparisons that have an objection."""
        return {each.comparison for each in self.each if each.label == OBJECTS}

    @property
    def opened(self) -> set[int]:
        """Places of the comparisons without an objection that further replicates could settle."""
        return {each.comparison for each in self.each if each.is_open} - self.objected

    @property
    def unknown(self) -> list[ResponseCheck]:
        """Responses of which nothing is known."""
        return [each for each in self.each if each.label == CANNOT_TELL]


@dataclass(frozen=True)
class LengthChecks(Checks):
    """Checks of the duration: four conditions, run four times as long."""

    each: tuple[LengthOf, ...]
    short_s: float  #: duration of the campaign's runs, s: the shortest of the conditions

    @property
    def objections(self) -> list[LengthOf]:
        """Responses whose change differs in longer runs."""
        return [each for each in self.each if each.label == OBJECTS]

    @property
    def needed_s(self) -> float | None:
        """Duration that the objections need, s; None without an objection."""
        return max((each.found.needed * self.short_s for each in self.objections), default=None)


@dataclass(frozen=True)
class ConditionChecks(Checks):
    """Checks in four new conditions."""

    each: tuple[ConditionOf, ...]
    where: tuple[str, ...]  #: the conditions in words
    without: tuple[str, ...]  #: decided comparisons that have no new condition

    @property
    def objections(self) -> list[ConditionOf]:
        """Responses whose verdict does not hold in new conditions."""
        return [each for each in self.each if each.label == OBJECTS]


def length_conditions(document: Mapping[str, Any]) -> set[int]:
    """Return the conditions, from 1, that run longer: they lie far from each other in the design."""
    rows = from_document(document["design"])
    matrix = np.asarray(rows.design.matrix if rows.design.runs else rows.matrix, dtype=float)
    return {place + 1 for place in spread(matrix, NUMBER)}


def length_pairs(pairs: PairsOfConditions, document: Mapping[str, Any]) -> PairsOfConditions:
    """Return the pairs of a comparison that run longer: those that have one of `length_conditions`, at most four."""
    conditions = length_conditions(document)
    both = zip(*pairs.conditions, strict=True)
    places = [place for place, each in enumerate(both) if conditions & {int(side) + 1 for side in each}][:NUMBER]
    one, other = (side[places] for side in pairs.conditions)
    return replace(pairs, conditions=(one, other), levels=pairs.levels[places])


def length_checks(campaign: Campaign, found: CampaignLooks) -> LengthChecks | None:
    """Return the checks of the duration for the comparisons that are decided; None if there are no longer runs."""
    side = _side(campaign, LENGTH)
    if side is None:
        return None
    pairs = [length_pairs(each.pairs.comparison.pairs, campaign.experiment) for each in found.each]
    checks = []
    for number, looked, place, other, at in _responses(side, campaign, found, pairs):
        short, both = looked.pairs, zip(*looked.pairs.comparison.pairs.conditions, strict=True)
        wanted = set(zip(*pairs[number].conditions, strict=True))
        rows = [row for row, each in enumerate(both) if each in wanted]
        check = length_check(
            (looked.values(short.x, place)[rows], looked.values(short.y, place)[rows]),
            (other.x[:, :, at], other.y[:, :, at]),
            margin=found.margin,
            atol=short.atol[place],
            more_is_better=short.more_is_better[place],
            alpha=WHOLE / len(short.titles) / len(CHECK_LOOKS),
        )
        checks.append(
            LengthOf(
                comparison=number,
                name=looked.name,
                title=short.titles[place],
                label=check.label,
                is_open=check.label == CANNOT_TELL,
                more_is_better=short.more_is_better[place],
                found=check,
            )
        )
    used = zip(campaign.experiment["scenarios"], replicates_of(side.experiment), strict=True)
    run = [entry for entry, number in used if number]
    return LengthChecks(
        conditions=tuple(sorted({entry["condition"] for entry in run})),
        runs=sum(side.counts.values()),
        missing=side.counts["missing"],
        each=tuple(checks),
        short_s=min(float(entry["scenario"]["time"]["duration"]) for entry in run),
    )


def condition_checks(campaign: Campaign, found: CampaignLooks) -> ConditionChecks | None:
    """Return the checks in new conditions for the comparisons that are decided; None if there are no runs in such."""
    side = _side(campaign, CONDITIONS)
    if side is None:
        return None
    pairs = [
        new_pairs(each.pairs.comparison.pairs, campaign.experiment, side.experiment, NUMBER) for each in found.each
    ]
    checks = []
    for number, looked, place, other, at in _responses(side, campaign, found, pairs):
        decision = looked.course.decisions[place]
        check = condition_check(
            decision,
            other.x[:, :, at],
            other.y[:, :, at],
            design=pairs[number].levels if pairs[number].factors else None,
            factors=pairs[number].factors or None,
            responses=len(looked.pairs.titles),
            looks=len(CHECK_LOOKS),
        )
        checks.append(
            ConditionOf(
                comparison=number,
                name=looked.name,
                title=looked.pairs.titles[place],
                label=check.label,
                is_open=check.is_open,
                more_is_better=looked.pairs.more_is_better[place],
                verdict=decision.verdict,
                found=check,
                where=tuple(
                    _where(side, side.rows.matrix[condition], pairs[number].factors)
                    for condition in pairs[number].conditions[0]
                ),
            )
        )
    return ConditionChecks(
        conditions=tuple(range(1, side.rows.conditions + 1)),
        runs=sum(side.counts.values()),
        missing=side.counts["missing"],
        each=tuple(checks),
        where=tuple(_where(side, row, side.design.factors) for row in side.rows.matrix),
        without=tuple(
            each.name
            for each, own in zip(found.each, pairs, strict=True)
            if each.is_decided and not len(own.conditions[0])
        ),
    )


def _side(campaign: Campaign, folder: str) -> Campaign | None:
    """Return the campaign of a check; None if there is none, or if it has no runs."""
    if not (campaign.path / folder / EXPERIMENT).exists():
        return None
    found = load(campaign.path / folder)
    if found.algorithms != campaign.algorithms or found.design.factors != campaign.design.factors:
        allowed = "the folder as it was written; without the folder, the same command makes its runs again"
        raise InputError("not of this campaign", file=str(campaign.path / folder), allowed=allowed)
    return found if sum(found.counts.values()) else None


def _responses(
    side: Campaign, campaign: Campaign, found: CampaignLooks, pairs: Sequence[PairsOfConditions]
) -> Iterator[tuple[int, ComparisonLooks, int, Pairs, int]]:
    """Yield what a check compares, if its runs are finished: each response of each decided comparison that has pairs.

    Place and looks of the comparison, place of the response, runs of the check, place of the response in these.
    """
    if side.counts["missing"]:
        return
    others = compared(side, found.against, found.margin, first=campaign, chosen_pairs=pairs)
    for number, (looked, other) in enumerate(zip(found.each, others, strict=False)):
        if looked.is_decided and other.finished.any():
            for place, name in enumerate(looked.pairs.names):
                if name in other.names:
                    yield number, looked, place, other, other.names.index(name)


def _where(side: Campaign, row: Floats, ids: Sequence[str]) -> str:
    """Return a condition in words: its levels of some factors."""
    size = view_of(side).segment_bytes
    named = [(factor, place) for factor, place in zip(side.factors, row.tolist(), strict=True) if factor.id in ids]
    texts = (f"{uncapitalised(factor.name)} {with_bits(level_text(factor, place), size)}" for factor, place in named)
    return ", ".join(texts)
