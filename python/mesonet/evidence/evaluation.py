"""A whole report: its runs, its verdicts, and the runs that confirm harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mesonet.evidence.plan import EvidencePlan
from mesonet.evidence.report_runs import Results, confirm, run
from mesonet.evidence.verdicts import HARM, CriterionVerdict, judge


def evaluate(
    plan: EvidencePlan, out: Path, *, told: Callable[[str], None] | None = None, **how: Any
) -> tuple[Results, list[CriterionVerdict]]:
    """Run what is missing of a report, and judge it.

    Criteria that show harm run again with other seeds: harm is what both sets of runs show.
    """
    results = run(plan, out, told=told, **how)
    if how.get("shard") is not None:
        return results, []
    findings = judge(plan, results)
    harmful = [each.criterion for each in findings if each.verdict == HARM and each.criterion.kind != "search"]
    if not harmful:
        return results, findings
    results = confirm(plan, results, harmful, out, told=told, **how)
    again = {each.criterion.id: each for each in judge(replace(plan, criteria=tuple(harmful)), results)}
    return results, [again.get(each.criterion.id, each) for each in findings]
