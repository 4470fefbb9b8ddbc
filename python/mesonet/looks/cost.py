"""Cost of a campaign that runs until its comparisons are decided: of the first look, of all looks, of longer runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mesonet.analysis.decisions.course import planned_looks
from mesonet.analysis.decisions.length import FACTOR
from mesonet.campaign.pilot import Cost
from mesonet.looks.length import spread_conditions
from mesonet.reporting.verdicts.looks import LENGTH_LOOKS


@dataclass(frozen=True)
class LookCosts:
    """Runs of a campaign that runs until it is decided."""

    against: str  #: the incumbent
    margin: float  #: relative change that counts
    planned: tuple[int, ...]  #: replicates at the looks
    algorithms: int  #: algorithms of each condition
    conditions: int
    length_conditions: tuple[int, ...]  #: conditions that run longer, from 1

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
        return len(self.length_conditions) * self.algorithms * LENGTH_LOOKS[0]

    def cpu_s(self, cost: Cost | None) -> dict[str, float]:
        """Return the processor times of these runs, s; empty without an estimate of the campaign."""
        if cost is None:
            return {}
        one = sum(cost.cpu_s) * self.algorithms
        long = sum(cost.cpu_s[condition - 1] for condition in self.length_conditions) * self.algorithms * FACTOR
        return {
            "first_cpu_s": one * self.planned[0],
            "full_cpu_s": one * self.planned[-1],
            "length_cpu_s": long * LENGTH_LOOKS[0],
        }


def look_costs(document: Mapping[str, Any], rule: Mapping[str, Any]) -> LookCosts:
    """Return the runs of an experiment with a rule."""
    algorithms = len(document["algorithms"])
    return LookCosts(
        against=rule["against"],
        margin=rule["margin"],
        planned=planned_looks(rule["at_most"]),
        algorithms=algorithms,
        conditions=len(document["scenarios"]) // algorithms,
        length_conditions=tuple(sorted(spread_conditions(document))),
    )
