"""Cost of a campaign that runs until its comparisons are decided: of its looks, and of its checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from mesonet.analysis.decisions.course import planned_looks
from mesonet.analysis.decisions.length import CONDITIONS, FACTOR
from mesonet.campaign.data import without_runs
from mesonet.campaign.pilot import Cost
from mesonet.experiments.new_conditions import new_conditions
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.verdicts.checks import CHECK_LOOKS, length_conditions
from mesonet.reporting.verdicts.comparisons import comparisons


@dataclass(frozen=True)
class LookCosts:
    """Runs of a campaign that runs until it is decided."""

    against: str  #: the incumbent
    margin: float  #: relative change that counts
    planned: tuple[int, ...]  #: replicates at the looks
    algorithms: int  #: algorithms of each condition
    conditions: int
    length_conditions: tuple[int, ...]  #: conditions that run longer, from 1
    new_conditions: int  #: conditions beside the design

    @property
    def first_runs(self) -> int:
        """Runs of the first look: the least."""
        return self.conditions * self.algorithms * self.planned[0]

    @property
    def full_runs(self) -> int:
        """Runs of all looks: the most."""
        return self.conditions * self.algorithms * self.planned[-1]

    @property
    def length_runs(self) -> int:
        """Longer runs at the first look at the duration, if all algorithms are decided."""
        return len(self.length_conditions) * self.algorithms * CHECK_LOOKS[0]

    @property
    def new_runs(self) -> int:
        """Runs at the first look at new conditions, if all algorithms are decided."""
        return self.new_conditions * self.algorithms * CHECK_LOOKS[0]

    def cpu_s(self, cost: Cost | None) -> dict[str, float]:
        """Return the processor times of these runs, s; empty without an estimate of the campaign."""
        if cost is None:
            return {}
        one = sum(cost.cpu_s) * self.algorithms
        long = sum(cost.cpu_s[condition - 1] for condition in self.length_conditions) * self.algorithms * FACTOR
        return {
            "first_cpu_s": one * self.planned[0],
            "full_cpu_s": one * self.planned[-1],
            "length_cpu_s": long * CHECK_LOOKS[0],
            "new_cpu_s": fmean(cost.cpu_s) * self.new_runs,
        }


def look_costs(document: Mapping[str, Any], rule: Mapping[str, Any]) -> LookCosts:
    """Return the runs of an experiment with a rule."""
    algorithms = len(document["algorithms"])
    view = view_of(without_runs(Path(), document), rule["against"] or None)
    new = new_conditions(document, [each.pairs for each in comparisons(view)], CONDITIONS)
    return LookCosts(
        against=rule["against"],
        margin=rule["margin"],
        planned=planned_looks(rule["at_most"]),
        algorithms=algorithms,
        conditions=len(document["scenarios"]) // algorithms,
        length_conditions=tuple(sorted(length_conditions(document))),
        new_conditions=len(new["design"]["rows"]) if new else 0,
    )
