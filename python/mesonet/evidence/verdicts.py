"""Verdicts: each measure in each cell against each incumbent, and one finding per criterion.

`mesonet.analysis.decide` judges each cell. The intervals of all cells, measures, incumbents and looks of a criterion
hold together with a chance of 95 % (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mesonet.analysis.decisions.decision import CANNOT_TELL, HARM_FIRST
from mesonet.campaign.data import Campaign
from mesonet.evidence.cells import CellComparison, ReportedValue, compare
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Criterion, Observed
from mesonet.evidence.measures import Floats, values
from mesonet.evidence.plan import BUDGET_S, Cell, Comparison, EvidencePlan, cells_of
from mesonet.evidence.report_runs import Results
from mesonet.evidence.sentences import at, reason
from mesonet.evidence.suite import criteria
from mesonet.words import capitalised

NOT_EVALUATED, FOR_THE_AUTHOR, COVERED = "not evaluated", "question to the author", "see other criteria"
NOT_RUN = "not run"
"""Verdict on a criterion that the report leaves out: its table has all criteria of the document."""


@dataclass(frozen=True)
class CriterionVerdict:
    """Verdict on a criterion."""

    criterion: Criterion
    verdict: str  #: worst verdict on a cell, or `NOT_EVALUATED`, `FOR_THE_AUTHOR`, `COVERED` or `NOT_RUN`
    why: str  #: reason in words; empty for `NOT_RUN`
    cells: tuple[CellComparison, ...]  #: comparisons behind it; empty if nothing ran
    searches: tuple[Searched, ...] = ()  #: searches behind it, one per incumbent; empty for other criteria
    observations: tuple[ReportedValue, ...] = ()  #: quantities without a verdict

    @property
    def is_decided(self) -> bool:
        """True if further runs would hardly change the verdict."""
        return self.verdict != CANNOT_TELL


def judge(plan: EvidencePlan, results: Results) -> list[CriterionVerdict]:
    """Return the finding of every criterion of the suite, in the order of its document."""
    chosen = {each.id: each for each in plan.criteria}
    return [
        _finding(chosen[each.id], plan, results) if each.id in chosen else CriterionVerdict(each, NOT_RUN, "", ())
        for each in criteria(plan.suite)
    ]


def _finding(criterion: Criterion, plan: EvidencePlan, results: Results) -> CriterionVerdict:
    if criterion.kind == "question":
        return CriterionVerdict(criterion, FOR_THE_AUTHOR, criterion.question, ())
    if criterion.kind == "covered":
        return CriterionVerdict(
            criterion, COVERED, f"See {', '.join(criterion.covered_by)}. {criterion.reason}".strip(), ()
        )
    if criterion.kind == "missing":
        return CriterionVerdict(criterion, NOT_EVALUATED, criterion.reason, ())
    if criterion.kind == "search":
        return _finding_of_search(criterion, plan, results)
    comparisons = [each for each in plan.comparisons if each.criterion is criterion]
    places = cells_of(criterion, plan.campaigns[comparisons[0].tested])
    found = [
        cell
        for comparison in comparisons
        for measure in criterion.measures
        for cell in compare(
            comparison,
            measure,
            algorithm=plan.algorithm,
            campaigns=results.campaigns,
            cells=places,
            count=len(places) * len(criterion.measures) * len(comparisons),
            looks=len(plan.looks),
            percentile=plan.suite.percentile,
        )
    ]
    observations = [
        each
        for comparison in comparisons
        for observed in criterion.observed
        for each in _observe(comparison, observed, plan, results.campaigns, places)
    ]
    verdict = _worst(found)
    words = [
        f"{capitalised(each.observed.title)} against {each.incumbent}{at(each.label)}: {each.tested:.0%}, {each.word}"
        for each in observations
        if each.word
    ]
    if criterion.id in results.ended:
        words.append(f"No further look: the expected processor time of {BUDGET_S / 60:.0f} min was spent")
    why = " ".join([reason(verdict, found, observations), *(f"{line}." for line in words)])
    return CriterionVerdict(criterion, verdict, why, tuple(found), observations=tuple(observations))


def _observe(
    comparison: Comparison,
    observed: Observed,
    plan: EvidencePlan,
    campaigns: Mapping[str, Campaign],
    places: Sequence[Cell],
) -> list[ReportedValue]:
    """Return the means of a quantity, an entry per cell."""
    tested, reference = (
        _mean_of_runs(values(campaigns[name], observed.value, observed.of, algorithm))
        for name, algorithm in (
            (comparison.tested, plan.algorithm),
            (comparison.reference, comparison.incumbent),
        )
    )
    return [
        ReportedValue(
            label=place.label,
            observed=observed,
            incumbent=comparison.incumbent,
            tested=mine,
            reference=other,
            word=plan.suite.word(observed.value, mine),
        )
        for place, mine, other in zip(places, tested, reference, strict=True)
    ]


def _mean_of_runs(found: Floats) -> list[float]:
    there = np.isfinite(found)
    with np.errstate(invalid="ignore"):
        means = np.where(there, found, 0.0).sum(axis=1) / there.sum(axis=1)
    return [float(mean) for mean in means]


def _finding_of_search(criterion: Criterion, plan: EvidencePlan, results: Results) -> CriterionVerdict:
    """Return the finding of the cells at the ends of the searches, from their runs with other seeds."""
    mine = tuple(each for each in results.searches if each.comparison.criterion is criterion)
    count = 2 * len(criterion.measures) * len(mine)  # the worst and the simplest cell of each
    cells: list[CellComparison] = []
    for each in mine:
        for trail in each.trails:
            found = compare(
                each.comparison,
                trail.measure,
                algorithm=plan.algorithm,
                campaigns=results.campaigns,
                cells=[Cell(each.domain.label(place), ()) for place in each.confirmed],
                count=count,
                percentile=plan.suite.percentile,
            )
            ends = dict.fromkeys((trail.worst, trail.simplest))
            cells += [found[each.confirmed.index(place)] for place in ends]
    verdict = _worst(cells)
    visited = sum(each.trails[0].cells for each in mine)
    why = f"{reason(verdict, cells, ())} The search looked at {visited} cells."
    return CriterionVerdict(criterion, verdict, why, tuple(cells), searches=mine)


def _worst(found: Sequence[CellComparison]) -> str:
    """Return the verdict on a cell that rules the criterion."""
    return next(label for label in HARM_FIRST if any(cell.verdict == label for cell in found))
