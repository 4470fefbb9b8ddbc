"""Expected costs of runs: to run the longest first, and to estimate the time that is left.

Before anything ran, a document may hold ``expected_cost``, the relative cost of each condition. Finished runs give
better estimates. A run is expected to take the mean time of the finished runs of its condition, which differ by
algorithm and replicate only. A condition without finished runs is scaled from the others by relative cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from mesonet.campaign.ledger import Ledger, Run

_MOST_READ = 400
"""Most records of finished runs that are read: enough for their mean, few enough to be quick."""


class Expected:
    """Expected wall-clock time of runs, in s where anything is known, else relative."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._relative: Sequence[float] = document.get("expected_cost") or []
        self._seen: dict[int, list[float]] = {}
        self._known_scale: float | None = None

    @property
    def known(self) -> bool:
        """True if at least one run has a known duration."""
        return bool(self._seen)

    def learn(self, condition: int, wall_s: float) -> None:
        """Take note of a run that is done. `condition`: condition of the run, from 1."""
        self._seen.setdefault(condition, []).append(wall_s)
        self._known_scale = None

    def of(self, condition: int) -> float:
        """Return the expected time of a run of a condition.

        Wall-clock time, s; before any run is known, the relative cost. `condition`: from 1.
        """
        if own := self._seen.get(condition):
            return fmean(own)
        return self._hint(condition) * self._scale()

    def _hint(self, condition: int) -> float:
        return max(float(self._relative[condition - 1]), 1e-12) if condition <= len(self._relative) else 1.0

    def _scale(self) -> float:
        """Return the seconds per unit of relative cost, the geometric mean over the conditions that are known."""
        if not self._seen:
            return 1.0
        if self._known_scale is None:
            logs = [math.log(max(fmean(own), 1e-9) / self._hint(condition)) for condition, own in self._seen.items()]
            self._known_scale = math.exp(fmean(logs))
        return self._known_scale


def expected(ledger: Ledger, document: Mapping[str, Any], done: Sequence[Run]) -> Expected:
    """Return expected costs from finished runs; of many runs an even sample is read."""
    costs = Expected(document)
    step = max(1, math.ceil(len(done) / _MOST_READ))
    for run in done[::step]:
        wall = ledger.run_json(run.key)["performance"].get("wall_s")
        if wall is not None:
            costs.learn(run.condition, wall)
    return costs
