"""Campaigns that check decided comparisons: longer runs, then new conditions. Each has a folder in the first campaign.

All of them follows from the folder of the first campaign, so that any runner makes the same runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.analysis.decisions.length import CONDITIONS as NUMBER
from mesonet.analysis.decisions.length import FACTOR
from mesonet.campaign.data import Campaign
from mesonet.campaign.ledger import CONDITIONS, LENGTH, REPLICATES, UNTIL, Ledger
from mesonet.experiments.comparands import Pairs
from mesonet.experiments.new_conditions import new_conditions, new_pairs
from mesonet.files.places import inside
from mesonet.reporting.text.looks_text import condition_lines, length_lines
from mesonet.reporting.verdicts.checks import Checks, condition_checks, length_checks, length_pairs
from mesonet.reporting.verdicts.looks import CampaignLooks, scenarios_of_pairs
from mesonet.scenarios.timeline import longer


@dataclass(frozen=True)
class Check:
    """Check of decided comparisons by a campaign."""

    folder: str  #: of its campaign, in the folder of the first
    document: Mapping[str, Any]  #: experiment of its campaign
    pairs: Sequence[Pairs]  #: pairs that each comparison needs there
    checks: Callable[[Campaign, CampaignLooks], Checks | None]  #: results, from the first campaign
    lines: Callable[[Any], list[str]]  #: the results in words

    def ledger(self, ledger: Ledger, comparisons: Collection[int], replicates: int) -> Ledger:
        """Return the folder of the check, with the replicates that some comparisons need.

        `ledger`: the first campaign. `comparisons`: their places among the looks.
        """
        wanted = {name for place in comparisons for both in scenarios_of_pairs(self.pairs[place]) for name in both}
        about = {key: value for key, value in self.document.items() if key not in (REPLICATES, UNTIL, "keep")}
        about["name"] = f"{about['name']}-{self.folder}"
        place = Ledger.create(inside(ledger.path, self.folder), about)
        place.grow([replicates * ((each["condition"], each["algorithm"]) in wanted) for each in about["scenarios"]])
        return place


def longer_runs(document: Mapping[str, Any], found: Sequence[Pairs]) -> Check:
    """Return the check of the duration. `document`: the experiment. `found`: pairs of its comparisons."""
    scenarios = [{**each, "scenario": longer(each["scenario"], FACTOR)} for each in document["scenarios"]]
    return Check(
        LENGTH,
        {**document, "scenarios": scenarios},
        [length_pairs(each, document) for each in found],
        length_checks,
        length_lines,
    )


def other_conditions(document: Mapping[str, Any], found: Sequence[Pairs]) -> Check | None:
    """Return the check in new conditions; None if there are none. Parameters as for `longer_runs`."""
    new = new_conditions(document, found, NUMBER)
    if new is None:
        return None
    pairs = [new_pairs(each, document, new, NUMBER) for each in found]
    return Check(CONDITIONS, new, pairs, condition_checks, condition_lines)
