"""Evidence report as files: one HTML page without script and network, tables for drafts, and the numbers as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from markupsafe import Markup

from mesonet.analysis.decisions.decision import BETTER, NO_WORSE, WORSE
from mesonet.assets import render
from mesonet.charts.export import to_svg
from mesonet.charts.harm_by_cell import harm_by_cell
from mesonet.evidence import drafts
from mesonet.evidence.cells import CellComparison
from mesonet.evidence.confirmed_search import Searched
from mesonet.evidence.criterion import Measure
from mesonet.evidence.measures import unit
from mesonet.evidence.minimal import scenario_files
from mesonet.evidence.plan import SEEDS, EvidencePlan
from mesonet.evidence.setups import scenarios_of, setup
from mesonet.evidence.summary import Summary, summary
from mesonet.evidence.verdicts import NOT_RUN, CriterionVerdict
from mesonet.files import places
from mesonet.words import capitalised, difference, percent, quantity, span

_MARKS = {WORSE: "harm", NO_WORSE: "none", BETTER: "none"}


def write(plan: EvidencePlan, findings: Sequence[CriterionVerdict], out: Path) -> tuple[Path, ...]:
    """Write the page, the tables for drafts, the numbers, and scenario files of bad cells of a search."""
    common = summary(plan, findings)
    texts = {
        "index.html": html(plan, findings, common),
        "evidence.md": drafts.markdown(common),
        "evidence.xml": drafts.xml(common),
        "verdicts.json": json.dumps(document(plan, findings, common), indent=1, ensure_ascii=False) + "\n",
    }
    searches = [search for each in findings for search in each.searches]
    scenarios = {name: text for search in searches for name, text, _ in scenario_files(plan, search)}
    for name, text in {**texts, **scenarios}.items():
        with places.file(places.inside(out, name)) as aside:
            aside.write_text(text, encoding="utf-8")
    return tuple(places.inside(out, name) for name in texts)


def html(plan: EvidencePlan, findings: Sequence[CriterionVerdict], common: Summary) -> str:
    """Return the page."""
    return render(
        "mesonet.evidence",
        "evidence.html",
        suite=plan.suite,
        algorithm=plan.algorithm,
        summary=common,
        marks=[_MARKS.get(each.verdict, "open") for each in findings],
        findings=[_entry(plan, each) for each in findings if each.verdict != NOT_RUN],
    )


def document(plan: EvidencePlan, findings: Sequence[CriterionVerdict], common: Summary) -> dict[str, Any]:
    """Return the report as plain data: its sentences, and the numbers behind every verdict."""
    return {
        **plan.document(),
        "title": common.title,
        "headline": common.headline,
        "provenance": list(common.provenance),
        "command": common.command,
        "findings": [
            {
                plan.suite.case: each.criterion.id,
                "title": each.criterion.title,
                "demand": each.criterion.demand,
                "verdict": each.verdict,
                "why": each.why,
                "comparisons": [_comparison(cell) for cell in each.cells],
                "observed": [
                    {
                        "cell": value.label,
                        "against": value.incumbent,
                        "quantity": value.observed.title,
                        "unit": unit(value.observed.value),
                        "tested": _finite(value.tested),
                        "reference": _finite(value.reference),
                    }
                    for value in each.observations
                ],
            }
            for each in findings
        ],
    }


def _comparison(cell: CellComparison) -> dict[str, Any]:
    """Return a comparison as plain data, with everything that its verdict follows from."""
    return {
        "cell": cell.label,
        "against": cell.incumbent,
        "measure": cell.measure.title,
        "unit": unit(cell.measure.value),
        "more_is_better": cell.measure.higher_is_better,
        "margin": cell.measure.margin,
        "shift": cell.shift,
        "pairs": cell.pairs.T.tolist(),
        "missing": cell.missing,
        **{name: _finite(getattr(cell, name)) for name in ("tested", "reference", "harm", "low", "high")},
        "verdict": cell.verdict,
    }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _entry(plan: EvidencePlan, finding: CriterionVerdict) -> dict[str, Any]:
    criterion = finding.criterion
    folders = plan.campaigns_of(criterion)
    seeds = {plan.campaigns[name].seed for name in folders}
    for each in finding.searches:
        folders += dict.fromkeys((each.comparison.tested, each.comparison.reference))
        seeds.add(SEEDS["confirmed"])
    return {
        "id": criterion.id,
        "title": criterion.title,
        "demand": criterion.demand.upper(),
        "question": criterion.question,
        "reading": criterion.reading,
        "setup": setup(criterion, scenarios_of(plan, criterion)) if criterion.runs else "",
        "text": criterion.text if criterion.runs else "",
        "verdict": finding.verdict,
        "mark": _MARKS.get(finding.verdict, "open"),
        "why": finding.why,
        "numbers": criterion.numbers,
        "observed": _observed(plan, finding),
        "measures": [_measure(plan, finding, id) for id in dict.fromkeys(cell.measure.id for cell in finding.cells)],
        "command": plan.command([criterion.id]) if folders else "",
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
    if measure.higher_is_better:
        return f"harm {percent(100 * score)}"
    return f"{difference(score, unit(measure.value))} more"


def _measure(plan: EvidencePlan, finding: CriterionVerdict, id: str) -> dict[str, Any]:
    cells = [cell for cell in finding.cells if cell.measure.id == id]
    measure = cells[0].measure
    of = unit(measure.value)
    better = "More is better" if measure.higher_is_better else "Less is better"
    shift = f"c = {quantity(cells[0].shift, of)}" if measure.least else "c = 0 unless a run has a value of 0"
    least = f" A difference up to {difference(measure.least, of)} never counts." if measure.least else ""
    rows = pl.DataFrame(
        {
            "cell": [cell.label for cell in cells],
            "algorithm": [cell.incumbent for cell in cells],
            **{name: [getattr(cell, name) for cell in cells] for name in ("harm", "low", "high")},
        }
    )
    return {
        "title": capitalised(measure.title),
        "rule": f"{better}. Margin {percent(100 * measure.margin)}, {shift}.{least} {measure.reason}",
        "figure": Markup(to_svg(harm_by_cell(rows, plan.against, margin=measure.margin))),
        "rows": [(_MARKS.get(cell.verdict, "open"), _row(cell)) for cell in cells],
    }


def _row(cell: CellComparison) -> list[str]:
    shown = (cell.tested, cell.reference, *(cell.percentiles or ()))
    interval = span(cell.low, cell.high, "1") if cell.compared > 1 else "none"
    return [
        cell.label, cell.incumbent, *(quantity(value, unit(cell.measure.value)) for value in shown),
        percent(100 * cell.harm), interval, cell.verdict, str(cell.compared),
    ]  # fmt: skip


def _observed(plan: EvidencePlan, finding: CriterionVerdict) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for observed in finding.criterion.observed:
        bands = observed.value in plan.suite.bands
        of = unit(observed.value)
        rows = [
            [each.label, each.incumbent, quantity(each.tested, of), quantity(each.reference, of)]
            + ([each.word] if bands else [])
            for each in finding.observations
            if each.observed is observed
        ]
        found.append({"title": capitalised(observed.title), "bands": plan.suite.words(observed.value), "rows": rows})
    return found
