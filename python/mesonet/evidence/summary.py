"""Summary of a report: what its HTML page, its Markdown and its XML for drafts have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mesonet import core
from mesonet._version import __version__
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, HARM_FIRST, NO_WORSE, WORSE
from mesonet.evidence.cells import CellComparison
from mesonet.evidence.criterion import Criterion
from mesonet.evidence.measures import unit
from mesonet.evidence.plan import BUDGET_S, SEEDS, EvidencePlan
from mesonet.evidence.sentences import by_factor, count, leading
from mesonet.evidence.setups import algorithm_text, experiment_of_cells, scenarios_of, senders
from mesonet.evidence.verdicts import NOT_RUN, CriterionVerdict
from mesonet.words import capitalised, counted, difference, listed, percent, span


@dataclass(frozen=True)
class Table:
    """Table of texts."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Summary:
    """Parts of a report that no form of it leaves out."""

    title: str
    headline: str  #: what others lose, where, and where not, in a sentence that follows from the cells
    counts: str  #: verdicts by number
    harm: tuple[str, ...]  #: a sentence per criterion with harm, the demands of the document first
    verdicts: Table  #: every criterion of the suite, those that were not run included
    margins: Table  #: rule and margin of each measure
    reading: tuple[str, ...]  #: how to read the verdicts
    provenance: tuple[str, ...]  #: versions, replicates, seeds, senders, algorithms
    command: str  #: command that makes the report again


def summary(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> Summary:
    """Return the summary of a report. `findings`: of all criteria of the suite, as `judge` returns them."""
    return Summary(
        title=f"Evidence about {plan.algorithm}, by {plan.suite.title}",
        headline=_headline(plan, findings),
        counts=_counts(plan, findings),
        harm=tuple(
            f"{each.criterion.id} {each.criterion.title}{_demand(each, ' ({})')}: {count(WORSE, each.cells)}"
            for each in _harmful(findings)
        ),
        verdicts=_verdicts(plan, findings),
        margins=_margins(plan),
        reading=tuple(_reading(plan)),
        provenance=tuple(_provenance(plan)),
        command=plan.command(),
    )


def _verdicts(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> Table:
    """Return the table of all criteria, with demands if the document has any."""
    demands = ["Demand"] if any(each.criterion.demand for each in findings) else []
    return Table(
        "Verdicts",
        (plan.suite.case.capitalize(), plan.suite.cases[0].capitalize(), *demands, "Verdict", "Why"),
        [
            (each.criterion.id, each.criterion.title, *(_demand(each) for _ in demands), each.verdict, each.why)
            for each in findings
        ],
    )


def _demand(finding: CriterionVerdict, form: str = "{}") -> str:
    """Return the word of the document, such as MUST; empty without one."""
    return form.format(finding.criterion.demand.upper()) if finding.criterion.demand else ""


def _harmful(findings: Sequence[CriterionVerdict]) -> list[CriterionVerdict]:
    """Return the findings with harm: first what the document demands with MUST, then what others lose."""
    found = [each for each in findings if each.verdict == WORSE]
    return sorted(found, key=lambda each: (each.criterion.demand != "must", each.criterion.kind == "alone"))


def _headline(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    """Return one sentence that follows from the cells."""
    left = sum(each.verdict == NOT_RUN for each in findings)
    partial = f" Not run: {left} of {counted(len(findings), *plan.suite.cases)}." if left else ""
    harmful = _harmful(findings)
    if not harmful:
        judged = [each for each in findings if each.cells]
        still_open = sum(each.verdict == CANNOT_TELL for each in judged)
        also = f", and {still_open} cannot tell" if still_open else ""
        text = f"{plan.algorithm} is worse than {listed(plan.against)} by no {plan.suite.cases[0]}"
        return f"{text} of {len(judged)} judged{also}.{partial}"
    first = leading(harmful[0].cells)
    measured = [cell for cell in harmful[0].cells if cell.measure is first.measure]
    worse = [cell for cell in measured if cell.verdict == WORSE]
    of = unit(first.measure.value)
    values = (
        span(min(sides), max(sides), of)
        for sides in ([cell.tested for cell in worse], [cell.reference for cell in worse])
    )
    harm = span(min(cell.harm for cell in worse), max(cell.harm for cell in worse), "1")
    incumbents = listed(list(dict.fromkeys(cell.incumbent for cell in worse)))
    still_open = sum(cell.verdict == CANNOT_TELL for cell in measured)
    free = _free(measured)
    free += [
        f"{name} ({each.criterion.id})"
        for each in findings
        if each.verdict == WORSE and each is not harmful[0]
        for name in _free([cell for cell in each.cells if _is_alike(cell, first)])
    ]
    extent = _extent(measured, worse)
    against = "" if "against" in extent else f"against {incumbents}, "
    return (
        f"With {plan.algorithm}, {first.measure.title} is {' instead of '.join(values)} (a harm of {harm}) "
        f"{against}{extent}{f'; not worse {listed(free)}' if free else ''}"
        f"{f'; “{CANNOT_TELL}” in {still_open} of {len(measured)}' if still_open else ''}.{partial}"
    )


def _is_alike(cell: CellComparison, first: CellComparison) -> bool:
    """Return True if a comparison is about the quantity of another one."""
    return (cell.measure.value, cell.measure.of) == (first.measure.value, first.measure.of)


def _extent(measured: Sequence[CellComparison], worse: Sequence[CellComparison]) -> str:
    """Return where comparisons of a measure are worse, such as ``at buffer 1 bdp`` or ``in 3 of 12 comparisons``."""
    groups = by_factor(measured, lambda cell: cell.verdict == WORSE)
    whole = [name for name, group in groups if all(cell.verdict == WORSE for cell in group)]
    parts = [
        f"in {sum(cell.verdict == WORSE for cell in group)} of {len(group)} {name}"
        for name, group in groups
        if name not in whole and any(cell.verdict == WORSE for cell in group)
    ]
    return listed([*whole, *parts]) or f"in {len(worse)} of {counted(len(measured), 'comparison')}"


def _free(measured: Sequence[CellComparison]) -> list[str]:
    """Return the levels at which every comparison of a measure excludes harm."""
    groups = by_factor(measured, lambda cell: cell.verdict == WORSE) if measured else []
    return [name for name, group in groups if all(cell.verdict in (NO_WORSE, BETTER) for cell in group)]


def _counts(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    verdicts = [each.verdict for each in findings]
    order = [*(each for each in HARM_FIRST if each in verdicts), *sorted(set(verdicts) - set(HARM_FIRST))]
    parts = [f"“{verdict}” {verdicts.count(verdict)}" for verdict in order]
    return (
        f"{counted(len(findings), *plan.suite.cases)} of {plan.suite.document}: {', '.join(parts)}. Evidence is not "
        "certification: it holds for the cells and incumbents of this report."
    )


def _margins(plan: EvidencePlan) -> Table:
    rows = []
    for each in plan.criteria:
        for measure in each.measures:
            of = unit(measure.value)
            least = difference(measure.least, of) if measure.least else "–"
            better = "more" if measure.higher_is_better else "less"
            rows.append(
                (each.id, capitalised(measure.title), better, percent(100 * measure.margin), least, measure.reason)
            )
    columns = (
        plan.suite.case.capitalize(), "Measure", "Better", "Margin of harm", "Difference that never counts", "Reason",
    )  # fmt: skip
    return Table("Margins", columns, rows)


def _reading(plan: EvidencePlan) -> list[str]:
    case = plan.suite.cases[0]
    return [
        f"Each {case} compares runs with {plan.algorithm} and runs with an incumbent ({', '.join(plan.against)}) in "
        "the same cell: the same network, the same seeds, the same starts. A comparison is one measure in one cell "
        "against one incumbent; the tables have the verdict on each.",
        "Harm (Ware et al., HotNets 2019) is the part of the performance that is lost. Of x with the algorithm and y "
        "in the reference it is (y - x) / (y + c) if more is better, and (x - y) / (x + c) if less is better. A gain "
        "is the harm with x and y exchanged, below 0. The values are geometric means over the pairs of runs, of the "
        "values plus c.",
        "The shift c is the difference that never counts, times (1 - margin) / margin. No ratio is formed of values "
        "near 0: with c, a harm is beyond the margin only if the difference is beyond what counts. If a measure has "
        "no such difference, c is 0, or 1 % of the mean if a run has a value of 0.",
        f"“{WORSE}”: the interval of the harm is beyond the margin in some comparison. “{NO_WORSE}”: it ends before "
        f"the margin in every comparison. “{BETTER}”: in some comparison the gain is beyond the margin, and none is "
        f"open. “{AT_MARGIN}”: the margin is inside a narrow interval. “{CANNOT_TELL}”: none of these, or a pair of "
        f"runs has no value. All intervals of a {case} hold together with 95 %.",
        "Harm of a value where more is better ranks the cells of a measure; else the difference ranks them. Measures "
        "are listed by their effect on users.",
        *_reading_of_looks(plan),
        *_reading_of_durations(plan),
        f"{plan.suite.thresholds} Margins are choices.{f' {plan.suite.demands}' if plan.suite.demands else ''}",
    ]


def _reading_of_looks(plan: EvidencePlan) -> list[str]:
    if len(plan.looks) == 1:
        return []
    after, case = listed([str(each) for each in plan.looks]), plan.suite.cases[0]
    return [
        f"A {case} is looked at after {after} replicates. Its runs end with the first look without “{CANNOT_TELL}”. "
        f"The error probability is divided by the number of looks. No {case} gets a further look if the expected "
        f"processor time of the looks and of a search would exceed {BUDGET_S / 60:.0f} min.",
    ]


def _reading_of_durations(plan: EvidencePlan) -> list[str]:
    longest = {each.id: max(run["time"]["duration"] for run in scenarios_of(plan, each)) for each in _run(plan)}
    if not longest:
        return []
    most = max(longest.values())
    those = listed([id for id, length in longest.items() if length == most])
    return [
        f"Runs end after {span(min(longest.values()), most, 's')}; the longest have {plan.suite.case} {those}. What an "
        "algorithm does only later in the life of a flow is not seen."
    ]


def _run(plan: EvidencePlan) -> list[Criterion]:
    """Return the criteria that simulations answer."""
    return [each for each in plan.criteria if each.runs]


def _provenance(plan: EvidencePlan) -> list[str]:
    few = f"{plan.looks[0]} to " if len(plan.looks) > 1 else ""
    seeds = ", ".join(f"{number} ({name})" for name, number in SEEDS.items())
    lines = [f"mesonet {__version__}, code {core.code_version()}, {few}{plan.replicates} replicates, seeds {seeds}."]
    if plan.values:
        lines += [f"Set in every scenario: {listed([f'{path} = {value}' for path, value in plan.values.items()])}."]
    run = _run(plan)
    if run:
        chosen = experiment_of_cells(plan, run[0])
        names = dict.fromkeys([plan.algorithm, *plan.against])
        lines += [senders([chosen.canonical(1, plan.algorithm)])]
        lines += [algorithm_text(chosen.canonical(1, name)) for name in names]
    return lines
