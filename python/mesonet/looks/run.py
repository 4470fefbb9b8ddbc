"""Runs a campaign until its comparisons are decided: a look, the runs that it needs, the next look.

The replicates that a look needs are in ``replicates.json`` before their runs begin. They follow from the finished runs,
so that any runner, and any part of the runs after a kill, comes to equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.campaign.backlog import RunOptions
from mesonet.campaign.data import Campaign, load
from mesonet.campaign.documents import FEWEST_LOOKED_AT
from mesonet.campaign.ledger import UNTIL, Ledger
from mesonet.campaign.runner import run_missing
from mesonet.experiments.base import Designed
from mesonet.files import places
from mesonet.looks.checks import Check, longer_runs, other_conditions
from mesonet.looks.rule import rule_of
from mesonet.reporting.text.looks_text import NO_CONDITION, comparison_line, cost_sentence
from mesonet.reporting.verdicts.checks import CHECK_LOOKS
from mesonet.reporting.verdicts.looks import CampaignLooks, looks_of

Told = Callable[[str], None]


def run_until_decided(
    chosen: Designed,
    out: str | Path,
    *,
    margin: float | None = None,
    at_most: int | None = None,
    against: str | None = None,
    told: Told | None = None,
    progress: bool = True,
    **how: Any,
) -> Path:
    """Run an experiment until its comparisons are decided; return its folder. `how`: as for `Designed.run`."""
    rule_of(chosen.document(), margin, at_most, against)  # refused before anything is written
    with places.folder(out):
        ledger, asked = chosen.begin(out, **how)
        run_looks(ledger, asked, rule_of(ledger.document(), margin, at_most, against), progress=progress, told=told)
    return Path(out)


def run_looks(
    ledger: Ledger, options: RunOptions, rule: dict[str, Any], *, progress: bool = True, told: Told | None = None
) -> None:
    """Run a campaign look by look until its comparisons are decided, and then the checks of what is decided.

    `rule`: as `rule_of` returns it. `told`: called with a line about each look.
    """
    say = told or (lambda line: None)
    if UNTIL not in ledger.document():
        ledger.grow(_begun(load(ledger.path)), rule)
    seen = 0
    while True:
        run_missing(ledger, options, progress)
        found = looks_of(load(ledger.path))
        assert found is not None, "the folder has a rule"
        if (count := sum(len(each.course.looks) for each in found.each)) > seen:
            seen = count
            for line in (*map(comparison_line, found.each), cost_sentence(found)):
                say(line)
        if not ledger.grow(found.replicates):
            break
    if found.is_open:
        say("the next look waits for runs that other runners make")
        return
    _check(ledger, options, found, progress, say)


def _check(ledger: Ledger, options: RunOptions, found: CampaignLooks, progress: bool, say: Told) -> None:
    """Run what checks the comparisons that are decided: longer runs, then new conditions unless these object."""
    document, pairs = ledger.document(), [each.pairs.comparison.pairs for each in found.each]

    def without_objection(check: Check, comparisons: set[int]) -> set[int]:
        """Run a check; return the comparisons without an objection, or none if other runners make its runs."""
        opened = comparisons
        for replicates in CHECK_LOOKS:
            if opened:
                run_missing(check.ledger(ledger, opened, replicates), options, progress)
                checks = check.checks(load(ledger.path), found)
                for line in check.lines(checks):
                    say(line)
                if checks is None or checks.missing:
                    return set()
                comparisons, opened = comparisons - checks.objected, checks.opened & comparisons
        return comparisons

    decided = {place for place, each in enumerate(found.each) if each.is_decided}
    if asked := without_objection(longer_runs(document, pairs), decided):
        check = other_conditions(document, pairs)
        if check is None:
            say(NO_CONDITION)
        else:
            without_objection(check, asked)


def _begun(campaign: Campaign) -> list[int]:
    """Return the replicates at the first look, or the finished ones if they are more, by scenario."""
    done = campaign.runs.filter(status="done").group_by("condition", "algorithm").agg(pl.col("replicate").max())
    known = {(condition, algorithm): most for condition, algorithm, most in done.iter_rows()}
    entries = ((each["condition"], each["algorithm"]) for each in campaign.experiment["scenarios"])
    return [max(FEWEST_LOOKED_AT, known.get(entry, 0)) for entry in entries]
