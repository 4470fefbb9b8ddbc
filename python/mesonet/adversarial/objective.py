"""Objectives of a search: the harm of an algorithm on a path that a reference serves well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mesonet.adversarial.space import DIMENSIONS, JOIN
from mesonet.errors import InputError, unknown

DUEL_REFERENCE = "cubic"
"""Algorithm in the place of the tested flow of a duel."""
LEAST = 0.05
"""Score from which a path counts as found (chosen)."""
_SLOPE = 3.0
"""Score that a reference loses for each unit that it is short of serving the path (chosen)."""


@dataclass(frozen=True)
class Lineup:
    """Flows on a path."""

    tested: str  #: algorithm of the first flow
    incumbent: str | None  #: algorithm of a second flow, which begins at 0 s; None: no such flow


@dataclass(frozen=True)
class Outcome:
    """Measurements of a run, while the tested flow is there."""

    used: float  #: part of the capacity that cross traffic leaves which the tested flow delivers
    share: float  #: its part of what it and the incumbent deliver
    delay: float  #: queueing delay at the link, mean over the time, s
    late: float  #: part of its frames that are late


@dataclass(frozen=True)
class Judged:
    """Comparison of an algorithm with the reference that shows most harm."""

    score: float  #: what the search raises
    tested: float  #: `tested`, `reference`: value of the objective with the algorithm and with the reference
    reference: float
    against: str  #: the reference; of a duel, the incumbent


@dataclass(frozen=True)
class Objective:
    """Quantity in which an algorithm can do worse than a reference."""

    name: str  #: name in options
    title: str  #: name for use in a sentence
    value: Callable[[Outcome], float]  #: the quantity
    #: Part by which a reference misses what shows that the path can be served; 0 or less if it does not.
    missed: Callable[[Outcome], float]
    served: str  #: what the reference must reach, in words
    unit: str = "1"  #: unit of the quantity, ``1`` for a part of 1
    more_is_better: bool = False
    is_duel: bool = False  #: the tested flow joins a flow of an incumbent
    has_frames: bool = False  #: the tested flow sends frames

    def comparisons(self, algorithm: str, against: Sequence[str]) -> list[tuple[Lineup, Lineup]]:
        """Return the flows with the algorithm and with the reference, for each of `against`."""
        if self.is_duel:
            return [(Lineup(algorithm, each), Lineup(DUEL_REFERENCE, each)) for each in against]
        return [(Lineup(algorithm, None), Lineup(each, None)) for each in against]

    def judged(self, against: str, tested: Outcome, reference: Outcome) -> Judged:
        """Return the comparison of two outcomes."""
        mine, other = self.value(tested), self.value(reference)
        harm = other - mine if self.more_is_better else mine - other
        return Judged(harm - _SLOPE * max(0.0, self.missed(reference)), mine, other, against)

    def dimensions(self, given: Sequence[str] | None) -> tuple[str, ...]:
        """Return the dimensions to search: the given ones in their order, by default all that matter."""
        if given is None:
            return tuple(each for each in DIMENSIONS if self.is_duel or each != JOIN)
        if JOIN in given and not self.is_duel:
            allowed = ", ".join(each for each in DIMENSIONS if each != JOIN)
            raise InputError(
                f"no second flow with the objective {self.name}", path="space", value=JOIN, allowed=allowed
            )
        return tuple(given)


def _missed_rate(reference: Outcome) -> float:
    return 0.8 - reference.used


_SERVED = "a reference delivers 80 % of what the link can carry"
OBJECTIVES = {
    each.name: each
    for each in (
        Objective(
            "utilisation",
            "part of the capacity",
            lambda run: run.used,
            more_is_better=True,
            missed=_missed_rate,
            served=_SERVED,
        ),
        Objective(
            "delay",
            "queueing delay",
            lambda run: run.delay,
            unit="s",
            missed=_missed_rate,
            served=_SERVED,
        ),
        Objective(
            "starves",
            "share of the incumbent",
            lambda run: 1 - run.share,
            more_is_better=True,
            missed=lambda run: 0.3 - (1 - run.share),
            served=f"{DUEL_REFERENCE} in its place leaves the incumbent at least 30 %",
            is_duel=True,
        ),
        Objective(
            "starved",
            "share of the tested flow",
            lambda run: run.share,
            more_is_better=True,
            missed=lambda run: 0.3 - run.share,
            served=f"{DUEL_REFERENCE} in its place gets at least 30 %",
            is_duel=True,
        ),
        Objective(
            "frames",
            "late frames",
            lambda run: run.late,
            missed=lambda run: run.late - 0.2,
            served="with a reference at most 20 % of the frames are late",
            has_frames=True,
        ),
    )
}
"""Objectives by name."""


def objective_of(name: str) -> Objective:
    """Return the objective of a name."""
    if name not in OBJECTIVES:
        raise unknown("objective", name, OBJECTIVES, path="objective")
    return OBJECTIVES[name]
