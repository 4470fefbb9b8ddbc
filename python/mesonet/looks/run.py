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
from mesonet.looks.length import length_ledger, spread_conditions
from mesonet.looks.rule import rule_of
from mesonet.reporting.text.looks_text import comparison_line, cost_sentence, length_lines
from mesonet.reporting.verdicts.looks import LENGTH_LOOKS, CampaignLooks, length_checks, looks_of

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
    """Run a campaign look by look until its comparisons are decided, and then the longer runs of its check.

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
    _check_length(ledger, options, found, progress, say)


def _check_length(ledger: Ledger, options: RunOptions, found: CampaignLooks, progress: bool, say: Told) -> None:
    """Run the longer runs of the comparisons that are decided."""
    document, opened = ledger.document(), [each.name for each in found.decided]
    conditions = spread_conditions(document)
    for replicates in LENGTH_LOOKS:
        if not opened:
            break
        pairs = [both for each in found.decided if each.name in opened for both in each.checked(conditions)]
        scenarios = {name for both in pairs for name in both}
        run_missing(length_ledger(ledger, document, scenarios, replicates), options, progress)
        checks = length_checks(load(ledger.path), found)
        for line in length_lines(checks):
            say(line)
        opened = checks.open_names if checks else []


def _begun(campaign: Campaign) -> list[int]:
    """Return the replicates at the first look, or the finished ones if they are more, by scenario."""
    done = campaign.runs.filter(status="done").group_by("condition", "algorithm").agg(pl.col("replicate").max())
    known = {(condition, algorithm): most for condition, algorithm, most in done.iter_rows()}
    entries = ((each["condition"], each["algorithm"]) for each in campaign.experiment["scenarios"])
    return [max(FEWEST_LOOKED_AT, known.get(entry, 0)) for entry in entries]
