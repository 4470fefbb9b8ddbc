"""Verdicts: harm by cell with its interval, and one finding per criterion.

A cell is harmful if its harm exceeds the margin and its interval excludes 0. The lower ends of the intervals of all
cells, measures, incumbents and looks of a criterion hold together with a chance of 1 - `ALPHA` (Bonferroni). A
criterion that shows harm is run again with other seeds. Harm is what both sets of runs show: a harmless criterion is
called harmful by mistake with a chance of at most the square of `ALPHA`. The ends of a search have one set of runs with
other seeds, and are called harmful by mistake with a chance of at most `ALPHA`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from mesonet.analysis import harm
from mesonet.analysis.decisions.decision import FLOOR
from mesonet.analysis.harm import Harm, harm_of_loss
from mesonet.campaign.data import Campaign
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Criterion, Measure, Observed
from mesonet.evidence.measures import Floats, values
from mesonet.evidence.plan import BUDGET_S, ONLY, Comparison, EvidencePlan, cell_labels
from mesonet.evidence.report_runs import CONFIRMED, Results
from mesonet.words import capitalised

ALPHA = 0.05
"""Largest chance of a false alarm of one set of runs of a criterion."""
POWER = 0.8
"""Chance with which the smallest visible harm is found, by both sets of runs."""
LARGEST_VISIBLE = 0.5
"""Smallest visible harm from which a cell is not judged: a harm of a half could have been missed (chosen)."""
HARM, NO_HARM, NOT_EVALUATED, FOR_THE_AUTHOR, COVERED = (
    "harm", "no harm found", "not evaluated", "question to the author", "see other criteria",
)  # fmt: skip


@dataclass(frozen=True)
class CellComparison:
    """Comparison of one measure with one incumbent in one cell."""

    label: str  #: cell in words
    condition: int  #: its number, from 1
    measure: Measure
    incumbent: str
    #: `tested`, `reference`: mean of the measure with the algorithm and in the reference, in the unit of the measure.
    tested: float
    reference: float
    harm: float  #: harm of the means, from -1 to 1; below 0 a gain
    low: float  #: `low`, `high`: interval of the harm
    high: float
    smallest: float  #: smallest harm whose interval would have excluded 0 with the power `POWER`
    #: Smallest harm that would have been called harm with the power `POWER`: it also exceeds the margin, and what the
    #: measure calls relevant.
    found_from: float
    most_lost: float  #: end of the interval of the change for the worse, in the unit of the measure
    compared: int  #: pairs of runs
    missing: int  #: pairs that have no value
    floor: float = 0.0  #: least half-width of an interval, as a part of the margin: equal pairs prove no equality
    was_harmful: bool = True  #: the runs before, which had other seeds, showed harm; True if there were none
    #: Percentile of the suite over the runs, with the algorithm and in the reference; None if the suite has none.
    percentiles: tuple[float, float] | None = None

    @property
    def is_harmful(self) -> bool:
        """True if the harm exceeds the margin, is more than the measure calls relevant, and is not chance."""
        is_relevant = abs(self.tested - self.reference) > self.measure.least
        return self.was_harmful and is_relevant and self.harm > self.measure.margin and self.low > 0

    @property
    def visible(self) -> float:
        """Smallest harm that would have been called harm; the margin where a larger harm is excluded."""
        return self.measure.margin if self.is_excluded else self.found_from

    @property
    def is_excluded(self) -> bool:
        """True if the interval excludes a harm beyond the margin, or a change that the measure calls relevant."""
        return self.high <= self.measure.margin or self.most_lost <= self.measure.least

    @property
    def is_settled(self) -> bool:
        """True if harm is excluded, also by an interval of the least half-width: no further run would change it."""
        lost = self.reference - self.tested if self.measure.higher_is_better else self.tested - self.reference
        is_small = lost <= (1 - self.floor) * self.measure.least
        within = self.harm <= (1 - self.floor) * self.measure.margin or (self.measure.least > 0 and is_small)
        return not self.missing and self.is_excluded and within

    @property
    def is_judged(self) -> bool:
        """True if harm was found, or a harm of `LARGEST_VISIBLE` would have been: never where a pair has no value."""
        if self.is_harmful or self.missing:
            return self.is_harmful
        return self.is_excluded or (self.smallest <= LARGEST_VISIBLE and self.found_from < 1)  # False for NaN


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
    verdict: str  #: `HARM`, `NO_HARM`, `NOT_EVALUATED`, `FOR_THE_AUTHOR` or `COVERED`
    why: str  #: reason in words
    cells: tuple[CellComparison, ...]  #: comparisons behind it; empty if nothing ran
    searches: tuple[Searched, ...] = ()  #: searches behind it, one per incumbent; empty for other criteria
    observations: tuple[ReportedValue, ...] = ()  #: quantities without a verdict
    confirmed: bool = False  #: the criterion showed harm, and was run again with other seeds

    @property
    def is_decided(self) -> bool:
        """True if harm was found, or a harm beyond the margin is excluded in every cell: no run would change it."""
        return self.verdict == HARM or all(cell.is_settled for cell in self.cells)


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
    count = len(labels) * len(criterion.measures) * len(comparisons) * len(plan.looks)
    percentile = plan.suite.percentile
    cells = [
        cell
        for comparison in comparisons
        for measure in criterion.measures
        for cell in _compared(
            comparison,
            measure=measure,
            algorithm=plan.algorithm,
            campaigns=results.campaigns,
            labels=labels,
            count=count,
            percentile=percentile,
        )
    ]
    observations = [
        each
        for comparison in comparisons
        for observed in criterion.observed
        for each in _observe(comparison, observed, plan, results.campaigns, labels)
    ]
    verdict, why = _verdict(criterion, cells)
    words = [
        f"{capitalised(each.observed.title)} against {each.incumbent}{at(each.label)}: {each.tested:.0%}, {each.word}"
        for each in observations
        if each.word
    ]
    again = confirmed(comparisons[0], results.campaigns) is not None
    if verdict != HARM and again:
        words.append("The first runs showed harm, but runs with other seeds did not")
    if criterion.id in results.ended:
        words.append(f"No further look: the expected processor time of {BUDGET_S / 60:.0f} min was spent")
    why = " ".join([why, *(f"{line}." for line in words)])
    return CriterionVerdict(criterion, verdict, why, tuple(cells), observations=tuple(observations), confirmed=again)


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
    percentile = plan.suite.percentile
    cells = []
    for each in mine:
        labels = [each.domain.label(place) for place in each.confirmed]
        for trail in each.trails:
            found = compare(
                comparison=each.comparison,
                measure=trail.measure,
                algorithm=plan.algorithm,
                campaigns=results.campaigns,
                labels=labels,
                count=count,
                percentile=percentile,
            )
            ends = dict.fromkeys((trail.worst, trail.simplest))
            cells += [found[each.confirmed.index(place)] for place in ends]
    verdict, why = _verdict(criterion, cells)
    visited = sum(each.trails[0].cells for each in mine)
    return CriterionVerdict(
        criterion, verdict, f"{why} The search looked at {visited} cells.", tuple(cells), searches=mine
    )


def compare(
    comparison: Comparison,
    measure: Measure,
    algorithm: str,
    campaigns: Mapping[str, Campaign],
    labels: Sequence[str],
    count: int,
    percentile: float | None = None,
) -> list[CellComparison]:
    """Return the comparison of a measure in each cell."""
    tested = values(campaigns[comparison.tested], measure.value, measure.of, algorithm)
    reference = values(campaigns[comparison.reference], measure.value, measure.of, comparison.incumbent)
    found = []
    for place, label in enumerate(labels):
        mine, other = tested[place], reference[place]
        confidence, power = 1 - 2 * ALPHA / count, POWER**0.5
        result = harm(
            other[:, np.newaxis],
            mine[:, np.newaxis],
            more_is_better=[measure.higher_is_better],
            confidence=confidence,
            power=power,
        )
        found_from, most_lost = _limits(
            tested=mine, reference=other, measure=measure, found=result, confidence=confidence, power=power
        )
        found.append(
            CellComparison(
                label=label,
                condition=place + 1,
                measure=measure,
                incumbent=comparison.incumbent,
                tested=float(result.beside[0]),
                reference=float(result.solo[0]),
                harm=float(result.harm[0]),
                low=float(result.low[0]),
                high=float(result.high[0]),
                smallest=float(result.smallest[0]),
                found_from=found_from,
                most_lost=most_lost,
                compared=int(result.compared[0]),
                floor=_floor(int(result.compared[0]), confidence),
                missing=len(mine) - int(result.compared[0]),
                percentiles=None if percentile is None else (_over(mine, percentile), _over(other, percentile)),
            )
        )
    return found


def _limits(
    tested: Floats, reference: Floats, measure: Measure, found: Harm, confidence: float, power: float
) -> tuple[float, float]:
    """Return `CellComparison.found_from` and `most_lost`."""
    lost = reference - tested if measure.higher_is_better else tested - reference
    lost = lost[np.isfinite(lost)]
    if len(lost) < 2:
        return np.nan, np.nan
    error = lost.std(ddof=1) / len(lost) ** 0.5
    above = stats.t.ppf(power, len(lost) - 1)
    relevant = harm_of_loss(measure.least + above * error, found.solo[0], measure.higher_is_better)
    beyond = measure.margin + above * found.error[0]
    found_from = max(float(found.smallest[0]), float(beyond), float(relevant) if measure.least else 0.0)
    return found_from, float(lost.mean() + stats.t.ppf((1 + confidence) / 2, len(lost) - 1) * error)


def _floor(pairs: int, confidence: float) -> float:
    """Return `CellComparison.floor`: the half-width for a standard deviation of `FLOOR` of the margin."""
    return float(stats.t.ppf((1 + confidence) / 2, pairs - 1) * FLOOR / pairs**0.5) if pairs > 1 else np.inf


def confirmed(comparison: Comparison, campaigns: Mapping[str, Campaign]) -> Comparison | None:
    """Return the comparison of the campaigns that were run again.

    The other comparison; None if nothing was run again.
    """
    if f"{comparison.tested}{CONFIRMED}" not in campaigns:
        return None
    tested, reference = (f"{name}{CONFIRMED}" for name in (comparison.tested, comparison.reference))
    return replace(comparison, tested=tested, reference=reference)


def _compared(comparison: Comparison, campaigns: Mapping[str, Campaign], **about: Any) -> list[CellComparison]:
    """Return the cells of the runs with other seeds if there are such runs, and what the first runs showed."""
    first = compare(comparison, campaigns=campaigns, **about)
    other = confirmed(comparison, campaigns)
    if other is None:
        return first
    again = compare(other, campaigns=campaigns, **about)
    return [replace(cell, was_harmful=before.is_harmful) for before, cell in zip(first, again, strict=True)]


def _over(found: Floats, percentile: float) -> float:
    """Return a percentile over the runs that have a value."""
    there = found[np.isfinite(found)]
    return float(np.percentile(there, percentile)) if len(there) else np.nan


def _verdict(criterion: Criterion, cells: Sequence[CellComparison]) -> tuple[str, str]:
    harmful = [cell for cell in cells if cell.is_harmful]
    open_cells = [cell for cell in cells if not cell.is_judged]
    if harmful:
        worst = max(harmful, key=lambda cell: cell.harm)
        words = f"{len(harmful)} of {len(cells)} comparisons show harm"
        return HARM, f"{words}. The worst: {sentence(worst)}, against {worst.incumbent}{at(worst.label, ',')}."
    if open_cells:
        worst = max(open_cells, key=lambda cell: np.nan_to_num(cell.smallest, nan=np.inf))
        if np.isnan(worst.smallest):
            seen = "no value"
        elif worst.missing:
            seen = f"{worst.missing} of {worst.missing + worst.compared} pairs of runs have no value"
        elif worst.found_from >= 1:  # harm is at most 1
            seen = "no harm would have been seen"
        else:
            seen = f"only a harm of {worst.found_from:.0%} would have been seen"
        words = f"{len(open_cells)} of {len(cells)} comparisons are too noisy or have no value"
        return NOT_EVALUATED, f"{words}; {worst.measure.title}{at(worst.label)}: {seen}. More replicates may decide."
    visible = max(cell.visible for cell in cells)
    found = f"a harm of {visible:.0%} is excluded or would have been found."
    return NO_HARM, f"{len(cells)} comparisons. In each of them {found}" if len(cells) > 1 else f"1 comparison: {found}"


def at(label: str, before: str = "") -> str:
    """Return a cell for use in a sentence, such as ``, at buffer 1 bdp``; empty for the only cell."""
    return "" if label == ONLY else f"{before} at {label}"


def sentence(cell: CellComparison) -> str:
    """Return the harm of a cell in words.

    Such as ``mean goodput of the incumbent's flows is 62% worse (40% to 80%)``.
    """
    interval = f"({cell.low:.0%} to {cell.high:.0%})"
    if cell.measure.higher_is_better:
        return f"{cell.measure.title} is {cell.harm:.0%} lower {interval}"
    times = f"{1 / (1 - cell.harm):.3g} times as high" if cell.harm < 0.995 else "more than 200 times as high"
    return f"{cell.measure.title} is {times} (harm {cell.harm:.0%}, {cell.low:.0%} to {cell.high:.0%})"
