"""Verdicts: each measure in each cell against each incumbent, and one finding per criterion.

`mesonet.analysis.decide` judges each cell. The intervals of all cells, measures, incumbents and looks of a criterion
hold together with a chance of 95 % (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mesonet.analysis.decisions.decision import (
    AT_MARGIN,
    CANNOT_TELL,
    HARM_FIRST,
    NO_WORSE,
    WORSE,
    Decision,
    decide,
)
from mesonet.analysis.decisions.pairs import bounded_harm, shift_at_zero
from mesonet.analysis.decisions.power import needed
from mesonet.campaign.data import Campaign
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Criterion, Measure, Observed
from mesonet.evidence.measures import Floats, unit, values
from mesonet.evidence.plan import BUDGET_S, ONLY, Comparison, EvidencePlan, cell_labels
from mesonet.evidence.report_runs import Results
from mesonet.words import capitalised, counted, number

NOT_EVALUATED, FOR_THE_AUTHOR, COVERED = "not evaluated", "question to the author", "see other criteria"


@dataclass(frozen=True)
class CellComparison:
    """Comparison of one measure with one incumbent in one cell."""

    label: str  #: cell in words
    condition: int  #: its number, from 1
    measure: Measure
    incumbent: str
    decision: Decision  #: of the algorithm, against the incumbent
    missing: int  #: pairs of runs that have no value
    #: Percentile of the suite over the runs, with the algorithm and in the reference; None if the suite has none.
    percentiles: tuple[float, float] | None = None

    @property
    def verdict(self) -> str:
        """A verdict of `decide`; where a pair has no value, only harm is a verdict."""
        found = self.decision.label
        return CANNOT_TELL if self.missing and found != WORSE else found

    @property
    def harm(self) -> float:
        """Harm, from -1 to 1; below 0 a gain."""
        return float(bounded_harm(self.decision.mean[0]))

    @property
    def low(self) -> float:
        """Beginning of the interval of the harm."""
        return float(bounded_harm(self.decision.low[0]))

    @property
    def high(self) -> float:
        """End of the interval of the harm: a larger harm is excluded."""
        return float(bounded_harm(self.decision.high[0]))

    @property
    def compared(self) -> int:
        """Pairs of runs that were compared."""
        return int(self.decision.by_condition.count[0])


@dataclass(frozen=True)
class ReportedValue:
    """Value of a quantity that is reported without a verdict, in one cell."""

    label: str  #: cell in words
    observed: Observed  #: the quantity
    incumbent: str
    tested: float  #: `tested`, `reference`: mean with the algorithm and in the reference; NaN if no run has a value
    reference: float
    word: str  #: word of the suite for the mean with the algorithm, a part of 1; empty if it has none


@dataclass(frozen=True)
class CriterionVerdict:
    """Verdict on a criterion."""

    criterion: Criterion
    verdict: str  #: worst verdict on a cell, or `NOT_EVALUATED`, `FOR_THE_AUTHOR` or `COVERED`
    why: str  #: reason in words
    cells: tuple[CellComparison, ...]  #: comparisons behind it; empty if nothing ran
    searches: tuple[Searched, ...] = ()  #: searches behind it, one per incumbent; empty for other criteria
    observations: tuple[ReportedValue, ...] = ()  #: quantities without a verdict

    @property
    def is_decided(self) -> bool:
        """True if further runs would hardly change the verdict."""
        return self.verdict != CANNOT_TELL


def judge(plan: EvidencePlan, results: Results) -> list[CriterionVerdict]:
    """Return the finding of each criterion. Findings in the order of the criteria."""
    return [_finding(each, plan, results) for each in plan.criteria]


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
    labels = cell_labels(criterion, plan.campaigns[comparisons[0].tested])
    cells = [
        cell
        for comparison in comparisons
        for measure in criterion.measures
        for cell in compare(
            comparison,
            measure,
            algorithm=plan.algorithm,
            campaigns=results.campaigns,
            labels=labels,
            count=len(labels) * len(criterion.measures) * len(comparisons),
            looks=len(plan.looks),
            percentile=plan.suite.percentile,
        )
    ]
    observations = [
        each
        for comparison in comparisons
        for observed in criterion.observed
        for each in _observe(comparison, observed, plan, results.campaigns, labels)
    ]
    verdict, why = _verdict(cells)
    words = [
        f"{capitalised(each.observed.title)} against {each.incumbent}{at(each.label)}: {each.tested:.0%}, {each.word}"
        for each in observations
        if each.word
    ]
    if criterion.id in results.ended:
        words.append(f"No further look: the expected processor time of {BUDGET_S / 60:.0f} min was spent")
    why = " ".join([why, *(f"{line}." for line in words)])
    return CriterionVerdict(criterion, verdict, why, tuple(cells), observations=tuple(observations))


def _observe(
    comparison: Comparison,
    observed: Observed,
    plan: EvidencePlan,
    campaigns: Mapping[str, Campaign],
    labels: Sequence[str],
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
            label=label,
            observed=observed,
            incumbent=comparison.incumbent,
            tested=mine,
            reference=other,
            word=plan.suite.word(observed.value, mine),
        )
        for label, mine, other in zip(labels, tested, reference, strict=True)
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
    cells = []
    for each in mine:
        labels = [each.domain.label(place) for place in each.confirmed]
        for trail in each.trails:
            found = compare(
                each.comparison,
                trail.measure,
                algorithm=plan.algorithm,
                campaigns=results.campaigns,
                labels=labels,
                count=count,
                percentile=plan.suite.percentile,
            )
            ends = dict.fromkeys((trail.worst, trail.simplest))
            cells += [found[each.confirmed.index(place)] for place in ends]
    verdict, why = _verdict(cells)
    visited = sum(each.trails[0].cells for each in mine)
    return CriterionVerdict(
        criterion, verdict, f"{why} The search looked at {visited} cells.", tuple(cells), searches=mine
    )


def compare(
    comparison: Comparison,
    measure: Measure,
    *,
    algorithm: str,
    campaigns: Mapping[str, Campaign],
    labels: Sequence[str],
    count: int,
    looks: int = 1,
    percentile: float | None = None,
) -> list[CellComparison]:
    """Return the comparison of a measure in each cell. `count`: comparisons whose intervals hold together."""
    tested = values(campaigns[comparison.tested], measure.value, measure.of, algorithm)
    reference = values(campaigns[comparison.reference], measure.value, measure.of, comparison.incumbent)
    found = []
    for place, label in enumerate(labels):
        mine, other = tested[place], reference[place]
        margin = measure.margin / (1 - measure.margin)  # a harm of a half is a value twice as high, or half as high
        decision = decide(
            mine[np.newaxis],
            other[np.newaxis],
            margin=margin,
            atol=measure.least or margin * shift_at_zero(mine, other),
            more_is_better=measure.higher_is_better,
            responses=count,
            looks=looks,
        )
        found.append(
            CellComparison(
                label=label,
                condition=place + 1,
                measure=measure,
                incumbent=comparison.incumbent,
                decision=decision,
                missing=len(mine) - int(decision.by_condition.count[0]),
                percentiles=None if percentile is None else (_over(mine, percentile), _over(other, percentile)),
            )
        )
    return found


def _over(found: Floats, percentile: float) -> float:
    """Return a percentile over the runs that have a value."""
    there = found[np.isfinite(found)]
    return float(np.percentile(there, percentile)) if len(there) else np.nan


def _verdict(cells: Sequence[CellComparison]) -> tuple[str, str]:
    """Return the worst verdict on a cell, and its reason in words."""
    verdict = next(label for label in HARM_FIRST if any(cell.verdict == label for cell in cells))
    those = [cell for cell in cells if cell.verdict == verdict]
    part = f"{len(those)} of {counted(len(cells), 'comparison')}"
    if verdict == WORSE:
        worst = max(those, key=lambda cell: cell.low)
        left = sum(cell.verdict == CANNOT_TELL for cell in cells)
        part += f", {left} cannot tell" if left else ""
        return verdict, f"{part}. The worst: {sentence(worst)}, against {worst.incumbent}{at(worst.label, ',')}."
    if verdict == CANNOT_TELL:
        worst = max(those, key=lambda cell: (not cell.compared, cell.missing > 0, cell.high))
        return verdict, f"{part}. The widest: {worst.measure.title}{at(worst.label)}: {_open(worst)}."
    if verdict == AT_MARGIN:
        worst = max(those, key=lambda cell: cell.harm)
        ends = f"({worst.low:.0%} to {worst.high:.0%}, margin {worst.measure.margin:.0%})"
        return verdict, f"{part}: {worst.measure.title}{at(worst.label)} has a harm of {worst.harm:.0%} {ends}."
    excluded = f"A harm of more than {max(max(cell.high for cell in cells), 0.0):.0%} is excluded in each."
    if verdict == NO_WORSE:
        return verdict, f"{part}. {excluded}"
    best = min(those, key=lambda cell: cell.high)
    where = f"against {best.incumbent}{at(best.label, ',')}"
    return verdict, f"{part}, none is worse. The best: {sentence(best)}, {where}. {excluded}"


def _open(cell: CellComparison) -> str:
    """Return why a cell has no verdict, and what would settle it."""
    if not cell.compared:
        return "no value"
    if cell.missing:
        return f"{cell.missing} of {cell.missing + cell.compared} pairs of runs have no value"
    more = needed(cell.decision)
    why = cell.decision.why if cell.high > 0.99 else f"a harm of {cell.high:.0%} is not excluded"
    return f"{why}; {counted(more.replicates, 'more replicate')} would settle it" if more else why


def at(label: str, before: str = "") -> str:
    """Return a cell for use in a sentence, such as ``, at buffer 1 bdp``; empty for the only cell."""
    return "" if label == ONLY else f"{before} at {label}"


def sentence(cell: CellComparison) -> str:
    """Return the change of a cell in words.

    Such as ``goodput of the incumbent is 38 instead of 100 segments/s, a harm of 62% (40% to 80%)``.
    """
    x, y = (number(value, 3) for value in (cell.decision.x, cell.decision.y))
    of = "" if unit(cell.measure.value) == "1" else f" {unit(cell.measure.value)}"
    harm = f"{'a harm' if cell.harm >= 0 else 'a gain'} of {abs(cell.harm):.0%}"
    ends = (-cell.high, -cell.low) if cell.harm < 0 else (cell.low, cell.high)
    return f"{cell.measure.title} is {x} instead of {y}{of}, {harm} ({ends[0]:.0%} to {ends[1]:.0%})"
