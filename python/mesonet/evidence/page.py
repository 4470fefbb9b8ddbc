"""Evidence report as one HTML file that needs no script and no network, and as a table in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup

from mesonet import core
from mesonet._version import __version__
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, NO_WORSE, WORSE
from mesonet.assets import asset, render
from mesonet.charts.export import to_svg
from mesonet.charts.harm_by_cell import harm_by_cell
from mesonet.evidence import xml2rfc
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Measure
from mesonet.evidence.measures import unit
from mesonet.evidence.minimal import scenario_files
from mesonet.evidence.plan import BUDGET_S, ONLY, SEEDS, EvidencePlan
from mesonet.evidence.suite import DEFAULT
from mesonet.evidence.verdicts import CellComparison, CriterionVerdict
from mesonet.files import places
from mesonet.words import capitalised, counted, listed

_MARKS = {WORSE: "harm", NO_WORSE: "none", BETTER: "none"}


def write(plan: EvidencePlan, findings: Sequence[CriterionVerdict], out: Path) -> tuple[Path, ...]:
    """Write ``index.html``, ``evidence.md``, ``evidence.xml``, and scenario files of bad cells of a search."""
    found = tuple(places.inside(out, name) for name in ("index.html", "evidence.md", "evidence.xml"))
    texts = html(plan, findings), markdown(plan, findings), xml2rfc.table(plan, findings)
    for path, text in zip(found, texts, strict=True):
        with places.file(path) as aside:
            aside.write_text(text, encoding="utf-8")
    for search in (search for each in findings for search in each.searches):
        for name, text, _ in scenario_files(plan, search):
            with places.file(places.inside(out, name)) as aside:
                aside.write_text(text, encoding="utf-8")
    return found


def html(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    """Return the page."""
    return render(
        "mesonet.evidence",
        "evidence.html",
        title=_title(plan),
        style=Markup(asset("mesonet.evidence", "templates/evidence.css")),
        suite=plan.suite,
        algorithm=plan.algorithm,
        summary=_summary(plan, findings),
        findings=[_entry(plan, each) for each in findings],
        harmful=_environments(findings),
        reading=_reading(plan),
        provenance=f"mesonet {__version__}, code {core.code_version()}, {_replicates(plan)}.",
    )


def _replicates(plan: EvidencePlan) -> str:
    few = f"{plan.looks[0]} to " if len(plan.looks) > 1 else ""
    return f"{few}{plan.replicates} replicates"


def markdown(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    """Return the table of verdicts, to paste into a draft."""
    lines = [
        f"# {_title(plan)}",
        "",
        _summary(plan, findings),
        "",
        f"| {plan.suite.case} | {plan.suite.cases[0]} | verdict | why |",
        "|---|---|---|---|",
    ]
    for each in findings:
        cells = (each.criterion.id, each.criterion.title, each.verdict, each.why.replace("|", "\\|"))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *_reading(plan), ""])


def _title(plan: EvidencePlan) -> str:
    return f"Evidence about {plan.algorithm}, by {plan.suite.title}"


def _summary(plan: EvidencePlan, findings: Sequence[CriterionVerdict]) -> str:
    words = (WORSE, CANNOT_TELL, AT_MARGIN, NO_WORSE, BETTER)
    counts = {word: sum(each.verdict == word for each in findings) for word in words}
    rest = len(findings) - sum(counts.values())
    parts = [f"“{word}” in {count}" for word, count in counts.items() if count]
    if rest:
        parts.append(f"{rest} not evaluated, or a question to the author")
    return (
        f"Verdicts on {counted(len(findings), *plan.suite.cases)}: {listed(parts)}. Evidence is not certification: it "
        "holds for the cells and incumbents below."
    )


def _reading(plan: EvidencePlan) -> list[str]:
    case = plan.suite.cases[0]
    return [
        f"Each {case} compares runs with {plan.algorithm} and runs with an incumbent ({', '.join(plan.against)}) in "
        "the same cell: the same network, the same seeds, the same starts. Harm is the part of its performance that is "
        "lost (Ware et al., HotNets 2019): 0% is no difference, 100% is everything. A gain is the harm with both "
        "exchanged, below 0. It is the harm of the geometric mean over the pairs of runs.",
        f"“{WORSE}”: the interval of the harm is beyond the margin in some cell. “{NO_WORSE}”: it ends before the "
        f"margin in every cell. “{BETTER}”: in some cell the gain is beyond the margin, and no cell is open. "
        f"“{AT_MARGIN}”: the margin is inside a narrow interval. “{CANNOT_TELL}”: none of these, or a pair of runs "
        f"has no value. All intervals of a {case} hold together with 95%.",
        *_reading_of_looks(plan),
        f"{plan.suite.thresholds} Margins are choices; each figure has the reason of its margin.",
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


def _environments(findings: Sequence[CriterionVerdict]) -> list[str]:
    """Return a line per criterion with harm: what gets worse, and in which cells."""
    lines = []
    for each in findings:
        cells: dict[str, dict[str, None]] = {}
        for cell in each.cells:
            if cell.verdict == WORSE:
                cells.setdefault(cell.measure.title, {})[cell.label] = None
        every = list(dict.fromkeys(cell.label for cell in each.cells))
        words = []
        for title, labels in cells.items():
            where = "in all cells" if len(labels) == len(every) > 1 else f"at {'; '.join(labels)}"
            words.append(title if every == [ONLY] else f"{title} {where}")
        if words:
            lines.append(f"{each.criterion.id} {each.criterion.title}: {', and '.join(words)}.")
    return lines


def _entry(plan: EvidencePlan, finding: CriterionVerdict) -> dict[str, Any]:
    criterion = finding.criterion
    folders = plan.campaigns_of(criterion)
    seeds = {plan.campaigns[name].seed for name in folders}
    for each in finding.searches:
        folders += dict.fromkeys((each.comparison.tested, each.comparison.reference))
        seeds.add(SEEDS["confirmed"])
    suite = "" if plan.suite.name == DEFAULT else f" --suite {plan.suite.name}"
    command = f"mesonet evidence {quote(plan.algorithm)}{suite} --against {quote(','.join(plan.against))}"
    size = "" if len(plan.looks) > 1 else f" --replicates {plan.replicates}"
    return {
        "id": criterion.id,
        "title": criterion.title,
        "demand": criterion.demand.upper() if criterion.runs else "",
        "question": criterion.question,
        "setup": criterion.reading,
        "text": criterion.text if criterion.runs else "",
        "verdict": finding.verdict,
        "mark": _MARKS.get(finding.verdict, "open"),
        "why": finding.why,
        "numbers": criterion.numbers,
        "observed": _observed(plan, finding),
        "measures": [_measure(plan, finding, id) for id in dict.fromkeys(cell.measure.id for cell in finding.cells)],
        "command": f"{command}{size} --only {criterion.id}" if folders else "",
        "folders": folders,
        "seeds": ", ".join(str(seed) for seed in sorted(seeds)),
        "searches": [_search(plan, each) for each in finding.searches],
    }


def _search(plan: EvidencePlan, search: Searched) -> dict[str, Any]:
    """Return the way of a search, its active factors, and how to repeat its end."""
    names = {factor.id: factor.name or factor.id for factor in search.domain.factors}
    active = []
    for trail in search.trails:
        p = dict(zip(trail.effects.factors, trail.effects.p, strict=True))
        words = [names[id] for id in sorted(p, key=lambda id: p[id]) if p[id] < trail.significant]
        active.append(f"{trail.measure.title}: {', '.join(words) or 'no factor'}")
    return {
        "incumbent": search.comparison.incumbent,
        "plain": search.domain.plain,
        "cells": search.trails[0].cells,
        "active": active,
        "folded": next((names[trail.folded] for trail in search.trails if trail.folded), ""),
        "stages": [
            [trail.measure.title, visit.stage, search.domain.label(visit.place), _score(trail.measure, visit.score)]
            for trail in search.trails
            for visit in trail.visits
        ],
        "files": [(name, commands) for name, _, commands in scenario_files(plan, search)],
    }


def _score(measure: Measure, score: float) -> str:
    if not score:
        return "no harm"
    return f"harm {score:.0%}" if measure.higher_is_better else f"{score:.3g} more"


def _measure(plan: EvidencePlan, finding: CriterionVerdict, id: str) -> dict[str, Any]:
    cells = [cell for cell in finding.cells if cell.measure.id == id]
    measure = cells[0].measure
    better = "More is better" if measure.higher_is_better else "Less is better"
    least = f" Differences up to {measure.least:g} do not count." if measure.least else ""
    rows = pl.DataFrame(
        {
            "cell": [cell.label for cell in cells],
            "algorithm": [cell.incumbent for cell in cells],
            **{name: [getattr(cell, name) for cell in cells] for name in ("harm", "low", "high")},
        }
    )
    return {
        "title": capitalised(measure.title),
        "unit": unit(measure.value),
        "rule": f"{better}. Margin {measure.margin:.0%}.{least} {measure.reason}",
        "figure": Markup(to_svg(harm_by_cell(rows, plan.against, margin=measure.margin))),
        "rows": [_row(cell) for cell in cells],
    }


def _observed(plan: EvidencePlan, finding: CriterionVerdict) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for observed in finding.criterion.observed:
        bands = observed.value in plan.suite.bands
        form = ".0%" if bands else ".4g"
        rows = [
            [each.label, each.incumbent, format(each.tested, form), format(each.reference, form)]
            + ([each.word] if bands else [])
            for each in finding.observations
            if each.observed is observed
        ]
        found.append({"title": capitalised(observed.title), "bands": plan.suite.words(observed.value), "rows": rows})
    return found


def _row(cell: CellComparison) -> list[Any]:
    shown = (cell.decision.x, cell.decision.y, *(cell.percentiles or ()))
    numbers = [f"{value:.4g}" for value in shown]
    harm = f"{cell.harm:.0%}" if np.isfinite(cell.harm) else "no value"
    interval = f"{cell.low:.0%} to {cell.high:.0%}" if cell.compared > 1 else "none"
    return [
        cell.verdict == WORSE, cell.label, cell.incumbent, *numbers, harm, interval, cell.verdict, str(cell.compared)
    ]  # fmt: skip
