"""A whole report: its runs and its verdicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mesonet.campaign.data import Campaign
from mesonet.evidence.plan import BUDGET_S, EvidencePlan, look_cpu_s, search_cpu_s
from mesonet.evidence.report_runs import Results, begin, run, run_look, run_searches
from mesonet.evidence.verdicts import CriterionVerdict, judge
from mesonet.files import places
from mesonet.words import counted


def evaluate(
    plan: EvidencePlan, out: Path, *, told: Callable[[str], None] | None = None, **how: Any
) -> tuple[Results, list[CriterionVerdict]]:
    """Run what is missing of a report, and judge it."""
    if len(plan.looks) > 1:
        results = _until_decided(plan, out, told or (lambda line: None), **how)
        if how.get("shard") is None:
            results = run_searches(plan, results, out, told=told, **how)
    else:
        results = run(plan, out, told=told, **how)
    if how.get("shard") is not None:
        return results, []
    return results, judge(plan, results)


def _until_decided(plan: EvidencePlan, out: Path, told: Callable[[str], None], **how: Any) -> Results:
    """Run each criterion up to the look that decides it, as far as the budget reaches; the first look always runs.

    The budget is of expected processor time, so that it ends a report at the same look on every machine.
    """
    begin(plan, out)
    opened = [each for each in plan.criteria if each.kind in ("alone", "beside")]
    found: dict[str, Campaign] = {}
    spent, before = search_cpu_s(plan), 0
    for replicates in plan.looks:
        cost = look_cpu_s(plan, opened, replicates - before)
        if before and spent + cost > BUDGET_S:
            told(f"{counted(len(opened), plan.suite.cases[0], plan.suite.cases[1])} not decided: the budget is spent")
            return Results(found, ended=tuple(each.id for each in opened))
        spent, before = spent + cost, replicates
        names = [name for each in opened for name in plan.campaigns_of(each)]
        for number, name in enumerate(names, start=1):
            chosen = plan.campaigns[name]
            told(f"look after {replicates} replicates, {number} of {len(names)}: {chosen.title}, {name}")
            found[name] = run_look(chosen, places.inside(out, name), replicates, **how)
        if any(found[name].counts["missing"] for name in names):
            break  # other parts of the runs are missing
        judged = judge(replace(plan, criteria=tuple(opened)), Results(found))
        opened = [each.criterion for each in judged if not each.is_decided]
        if not opened:
            break
    return Results(found)
