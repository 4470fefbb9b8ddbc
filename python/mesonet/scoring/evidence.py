"""A small part of the suite of RFC 9743 for one candidate, looked at until each comparison is decided."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mesonet.analysis.decisions.decision import CANNOT_TELL, WORSE
from mesonet.analysis.decisions.pairs import Floats, bounded_harm
from mesonet.evidence.cells import judged
from mesonet.evidence.criterion import Criterion, Measure
from mesonet.evidence.measures import goodput
from mesonet.evidence.plan import cells_of, plan
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.simulate import simulate_json

LOOKS = (3, 4, 6)
"""Pairs of runs at the looks at a comparison (chosen: a third look decides most of what the first leaves open)."""
_CELLS = {"5.1.2": (1,), "5.1.3": (2,), "5.1.4": (1,), "5.2.1": (2, 5), "6.4": (2,)}
"""Cells of the criteria, from 1 (chosen: of each question the cell that a run of 20 s answers)."""
_SHORT = {"time.duration": "20 s", "time.warmup": "5 s"}
"""Times of the runs in place of the times of the suite (chosen: a run takes 10 ms)."""


@dataclass(frozen=True)
class Case:
    """A measure of a criterion in one of its cells."""

    criterion: Criterion
    cell: str  #: the cell in words
    measure: Measure
    base: Scenario  #: its algorithm is the incumbent

    def value(self, prepared: str, seed: int) -> float:
        """Return the measure of the run of a scenario in canonical form."""
        result = simulate_json(prepared, seed)
        if self.measure.value == "goodput":
            return goodput(result.series.columns, json.loads(prepared), self.measure.of)
        return result.value(self.measure.value)


@cache
def cases(incumbent: str) -> tuple[Case, ...]:
    """Return the comparisons with an incumbent."""
    chosen = plan(incumbent, (incumbent,), LOOKS[-1], ",".join(_CELLS))
    found = []
    for criterion in chosen.criteria:
        experiment = chosen.campaigns[chosen.campaigns_of(criterion)[0]]
        words = cells_of(criterion, experiment)
        for place in _CELLS[criterion.id]:
            base = experiment.condition(place, incumbent).with_values(_SHORT)
            # The first measure alone: it has the largest effect on users.
            found.append(Case(criterion, words[place - 1].label, criterion.measures[0], base))
    return tuple(found)


@cache
def references(incumbent: str, secret: int) -> tuple[Floats, ...]:
    """Return the measure of each case with the incumbent, a value for each pair of runs."""
    return tuple(
        np.array([each.value(each.base.to_json(), seed) for seed in _seeds(secret)[1]]) for each in cases(incumbent)
    )


class Compared:
    """Comparisons of a candidate with an incumbent. Files are read when it is made, not when it runs."""

    def __init__(self, name: str, incumbent: str, secret: int) -> None:
        self._incumbent, self._secret = incumbent, secret
        self._cases = cases(incumbent)
        self._prepared = [each.base.with_values({"algorithm": name}).to_json() for each in self._cases]

    def run(self) -> dict[str, Any]:
        """Return the part of the value for users that remains, and each comparison.

        ``harmless`` is 1 less the mean of the harms beyond their margin.
        """
        seeds = _seeds(self._secret)[0]
        found: dict[int, list[float]] = {place: [] for place in range(len(self._cases))}
        rows: dict[int, dict[str, Any]] = {}
        for look in LOOKS:
            for place in [each for each in found if rows.get(each, {}).get("verdict", CANNOT_TELL) == CANNOT_TELL]:
                case, mine = self._cases[place], found[place]
                mine += [case.value(self._prepared[place], seed) for seed in seeds[len(mine) : look]]
                rows[place] = self._row(place, np.array(mine))
        harms = [row["harm"] if row["verdict"] == WORSE else 0.0 for row in rows.values()]
        return {"harmless": 1 - float(np.mean(harms)), "evidence": [rows[place] for place in sorted(rows)]}

    def _row(self, place: int, mine: Floats) -> dict[str, Any]:
        """Return a comparison as plain data."""
        case = self._cases[place]
        other = references(self._incumbent, self._secret)[place][: len(mine)]
        decision = judged(case.measure, mine, other, len(self._cases), len(LOOKS))
        no_value = not np.all(np.isfinite(mine))
        harms = {
            name: 1.0 if no_value else float(bounded_harm(each[0]))
            for name, each in (("harm", decision.mean), ("harm_low", decision.low), ("harm_high", decision.high))
        }
        return {
            "criterion": case.criterion.id,
            "demand": case.criterion.demand,
            "cell": case.cell,
            "measure": case.measure.title,
            "incumbent": self._incumbent,
            "pairs": len(mine),
            "candidate": None if no_value else float(np.mean(mine)),
            "reference": float(np.mean(other)),
            "margin": case.measure.margin,
            **harms,
            "verdict": WORSE if no_value else decision.label,  # a flow that delivers nothing has no delay
        }


@cache
def _seeds(secret: int) -> tuple[list[int], list[int]]:
    """Return the seeds of the runs with the candidate, and of the runs of the reference."""
    drawn = np.random.default_rng([secret, 2]).choice(2**31 - 1, (2, LOOKS[-1]), replace=False)
    mine, other = drawn.tolist()
    return mine, other
