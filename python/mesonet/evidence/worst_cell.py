"""Search for the worst cell: a screening design, its foldover, a climb, and the simplest cell that is nearly as bad.

1. *Screen*: a design of resolution IV visits corners of the domain.
2. *Fold*: if a factor is active, the design is folded over on the most active one. Its interactions then have no
   alias among those of two factors.
3. *Corners*: the main effects of each measure predict its worst corner.
4. *Climb*: from the worst cell so far, for each measure, to the worst of the cells one step away, until no step adds
   `GAIN`.
5. *Simplify*: levels go back to plain ones as long as `KEPT` of the harm remains.
6. *Confirm*: the worst and the simplest cell run again with other seeds. The search picked them for high values; only
   new runs show their harm without that bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import harm, main_effects
from mesonet.analysis.decisions.pairs import bounded_harm
from mesonet.analysis.main_effects import MainEffects
from mesonet.designs import Design, by_resolution, foldover
from mesonet.evidence.criterion import Measure
from mesonet.evidence.domain import Domain, SearchPoint

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]
"""A measure with the algorithm and in the reference, each of shape (cells, replicates)."""

REPLICATES = 3
"""Runs of each cell on the way; the end of the way is confirmed with more."""
STEPS = 10
"""Most steps of a climb (chosen: twice the levels of a factor)."""
GAIN = 0.02
"""Part of the score that a step adds at least (chosen)."""
KEPT = 0.9
"""Part of the score that remains in the simplest cell (chosen)."""
SIGNIFICANT = 0.05
"""Chance that a factor is called active by mistake, in all factors and measures together."""
EXPECTED_CELLS = 120
"""Cells of a search for three measures, for plans. Measured: 80 to 160 for `bbr`, `scalable` and `tcp`."""


@dataclass(frozen=True)
class Visit:
    """Worst cell of a stage."""

    stage: str  #: such as ``screen`` or ``climb 2``
    place: SearchPoint  #: the cell
    #: Mean harm in it, or for losses and delays the difference in their unit; 0 without harm beyond the margin.
    score: float


@dataclass(frozen=True)
class Trail:
    """Way of a search for one measure and one incumbent."""

    measure: Measure
    measures: int  #: measures of the search
    cells: int  #: cells that it has looked at for all of them
    #: Main effects on the harm, or for losses and delays on the difference, in the screening design. Their noise is the
    #: scatter of replicates.
    effects: MainEffects
    folded: str | None  #: name of the factor that the design was folded over on; None if no factor was active
    visits: tuple[Visit, ...]  #: worst cell of each stage
    worst: SearchPoint  #: cells at the end: the worst one
    simplest: SearchPoint  #: the simplest one that is nearly as bad

    @property
    def significant(self) -> float:
        """Largest p of a factor that is called active."""
        return SIGNIFICANT / (self.measures * len(self.effects.factors))


@dataclass
class _Known:
    """Cells that were visited, with their score by measure, and what they lose."""

    measured: Callable[[str, Sequence[SearchPoint]], Sequence[Pair]]
    measures: Sequence[Measure]
    scores: dict[SearchPoint, Floats] = field(default_factory=dict)
    losses: dict[SearchPoint, Floats] = field(default_factory=dict)

    def visit(self, stage: str, places: Iterable[SearchPoint]) -> Floats:
        """Run the cells that are new; return what they lose by measure, new cell and replicate."""
        new = [place for place in dict.fromkeys(places) if place not in self.scores]
        if not new:
            return np.empty((len(self.measures), 0, 0))
        pairs = list(zip(self.measured(stage, new), self.measures, strict=True))
        losses = np.array([_loss(*pair, measure) for pair, measure in pairs])
        scores = np.array([_score(*pair, measure, lost) for (pair, measure), lost in zip(pairs, losses, strict=True)])
        self.scores.update(zip(new, scores.T, strict=True))
        self.losses.update(zip(new, np.array([_mean(each) for each in losses]).T, strict=True))
        return losses

    def worst(self, number: int) -> SearchPoint:
        """Return the cell with the highest score by a measure; of equals the one that loses most, or the first."""
        return max(self.scores, key=lambda place: (self.scores[place][number], self.losses[place][number]))


def screening_cells(domain: Domain) -> list[SearchPoint]:
    """Return the cells of the screening design."""
    return [domain.corner(row) for row in _design(domain).matrix.tolist()]


def search(
    domain: Domain, measured: Callable[[str, Sequence[SearchPoint]], Sequence[Pair]], told: Callable[[str], None]
) -> list[Trail]:
    """Search for the worst cell of each measure.

    One trail per measure, in their order. `measured`: runs cells; called with the name of the stage and the cells.
    Returns each measure in them.
    """
    measures = domain.criterion.measures
    known = _Known(measured, measures)
    design = _design(domain)
    screened = known.visit("screen", screening_cells(domain))
    effects = [main_effects(design, each, mode="replicates") for each in screened]
    visits: list[list[Visit]] = [[] for _ in measures]

    def note(stage: str, numbers: Iterable[int]) -> None:
        for number in numbers:
            place = known.worst(number)
            visits[number].append(Visit(stage, place, float(known.scores[place][number])))
            told(f"{stage}: {measures[number].id}, {visits[number][-1].score:.3g} at {domain.label(place)}")

    every = range(len(measures))
    note("screen", every)
    active = _most_active(effects)
    if active is not None:
        folded = foldover(design, [design.factors[active]])
        known.visit("fold", [domain.corner(row) for row in folded.matrix.tolist()])
        note("fold", every)
    known.visit("corners", [domain.corner(np.where(each.effect > 0, 1.0, -1.0).tolist()) for each in effects])
    note("corners", every)
    for number in every:
        _climb(domain, known, number, note)
    note("end", every)
    ends = [_end(domain, known, number) for number in every]
    folded_on = None if active is None else design.factors[active]
    return [
        Trail(
            measure=measures[number],
            measures=len(measures),
            cells=len(known.scores),
            effects=effects[number],
            folded=folded_on,
            visits=tuple(visits[number]),
            worst=ends[number][0],
            simplest=ends[number][1],
        )
        for number in every
    ]


def _climb(domain: Domain, known: _Known, number: int, note: Callable[[str, Iterable[int]], None]) -> None:
    """Go from the worst cell by a measure to the worst of its neighbours, while that adds something."""
    for step in range(1, STEPS + 1):
        before = known.worst(number)
        if not known.scores[before][number]:
            return
        stage = f"climb {number + 1}.{step}"
        known.visit(stage, domain.neighbours(before))
        if known.scores[known.worst(number)][number] <= known.scores[before][number] * (1 + GAIN):
            return
        note(stage, [number])


def _end(domain: Domain, known: _Known, number: int) -> tuple[SearchPoint, SearchPoint]:
    """Return the worst cell by a measure, and the simplest one on a way back to plain levels that keeps enough of it.

    Levels go back in the order of what is left if they go back alone.
    """
    worst = known.worst(number)
    if not known.scores[worst][number]:
        return worst, worst
    alone = domain.plainer(worst)
    known.visit(f"plain {number + 1}.1", alone)
    alone.sort(key=lambda place: -known.scores[place][number])
    chain = [worst]
    for each in alone:
        chain.append(tuple(b if b != a else c for a, b, c in zip(worst, each, chain[-1], strict=True)))
    known.visit(f"plain {number + 1}.2", chain)
    enough = KEPT * known.scores[worst][number]
    return worst, next(each for each in reversed(chain) if known.scores[each][number] >= enough)


def _design(domain: Domain) -> Design:
    return by_resolution([factor.id for factor in domain.factors], "IV")


def _loss(tested: Floats, reference: Floats, measure: Measure) -> Floats:
    """Return what gets worse by cell and replicate: the harm if more is better, else the difference."""
    if not measure.higher_is_better:
        return tested - reference
    with np.errstate(all="ignore"):
        return np.where(reference == tested, 0.0, bounded_harm(np.log(reference) - np.log(tested)))


def _score(tested: Floats, reference: Floats, measure: Measure, loss: Floats) -> Floats:
    """Return what the search raises, by cell, for the `_loss`: 0 where there is no harm beyond the margin.

    Losses and delays grow without bound, but their harm as a part of 1 has no room left above 99 %. They are therefore
    ranked by their difference. Replicates without a value do not count; a cell in which no two have one has no harm.
    """
    harms = harm(reference.T, tested.T, more_is_better=[measure.higher_is_better] * len(tested)).harm
    small = np.abs(_mean(tested - reference)) <= measure.least
    single = (~np.isnan(loss)).sum(axis=1) < 2
    return np.where(single | small | ~(harms > measure.margin), 0.0, _mean(loss))


def _mean(values: Floats) -> Floats:
    """Return the mean over replicates that have a value, by cell; 0 without any."""
    there = ~np.isnan(values)
    mean: Floats = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    return mean


def _most_active(effects: Sequence[MainEffects]) -> int | None:
    """Return the number of the factor with the largest significant effect on any measure."""
    p = np.array([each.p for each in effects])
    t = np.abs(np.array([each.t for each in effects]))
    active = np.where(p < SIGNIFICANT / p.size, t, 0.0).max(axis=0)
    return int(np.argmax(active)) if active.any() else None
