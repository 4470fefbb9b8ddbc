"""Comparisons by cell: each measure in each cell against each incumbent, judged by `mesonet.analysis.decide`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mesonet.analysis.decisions.decision import CANNOT_TELL, WORSE, Decision, decide
from mesonet.analysis.decisions.pairs import bounded_harm, shift_at_zero
from mesonet.campaign.data import Campaign
from mesonet.evidence.criterion import Measure, Observed
from mesonet.evidence.measures import Floats, values
from mesonet.evidence.plan import Cell, Comparison


@dataclass(frozen=True)
class CellComparison:
    """Comparison of one measure with one incumbent in one cell."""

    cell: Cell
    condition: int  #: number of the cell, from 1
    measure: Measure
    incumbent: str
    decision: Decision  #: of the algorithm, against the incumbent
    pairs: Floats  #: values with the algorithm and in the reference, shape (2, pairs), without missing pairs
    shift: float  #: c of the rule, in the unit of the measure: harm of lower values is (x - y) / (x + c)
    missing: int  #: pairs of runs that have no value
    #: Percentile of the suite over the runs, with the algorithm and in the reference; None if the suite has none.
    percentiles: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """The cell in words."""
        return self.cell.label

    @property
    def verdict(self) -> str:
        """A verdict of `decide`; where a pair has no value, only harm is a verdict."""
        found = self.decision.label
        return CANNOT_TELL if self.missing and found != WORSE else found

    @property
    def tested(self) -> float:
        """Geometric mean with the algorithm, from which the harm follows."""
        return self._mean(0)

    @property
    def reference(self) -> float:
        """Geometric mean in the reference."""
        return self._mean(1)

    def _mean(self, side: int) -> float:
        """Return the geometric mean of values plus the shift, less the shift."""
        with np.errstate(divide="ignore"):  # a value of 0 without a shift
            logs = np.log(self.pairs[side] + self.shift)
        return max(float(np.exp(logs.mean()) - self.shift), 0.0) if self.compared else np.nan

    @property
    def harm(self) -> float:
        """Harm, from -1 to 1; below 0 a gain."""
        return float(bounded_harm(self.decision.mean[0]))

    @property
    def low(self) -> float:
        """Beginning of the interval of the harm."""
        return float(bounded_harm(self.decision.low[0]))

    @property
    def high(self) -> float:
        """End of the interval of the harm: a larger harm is excluded."""
        return float(bounded_harm(self.decision.high[0]))

    @property
    def compared(self) -> int:
        """Pairs of runs that were compared."""
        return int(self.pairs.shape[1])

    @property
    def effect(self) -> float:
        """Size for users, to rank cells of one measure: the harm if more is better, else the difference.

        A loss of 0.7 % instead of 0.005 % is a high ratio that no user notices.
        """
        return self.harm if self.measure.higher_is_better else self.tested - self.reference


@dataclass(frozen=True)
class ReportedValue:
    """Value of a quantity that is reported without a verdict, in one cell."""

    label: str  #: cell in words
    observed: Observed  #: the quantity
    incumbent: str
    tested: float  #: `tested`, `reference`: mean with the algorithm and in the reference; NaN if no run has a value
    reference: float
    word: str  #: word of the suite for the mean with the algorithm, a part of 1; empty if it has none


def compare(
    comparison: Comparison,
    measure: Measure,
    *,
    algorithm: str,
    campaigns: Mapping[str, Campaign],
    cells: Sequence[Cell],
    count: int,
    looks: int = 1,
    percentile: float | None = None,
) -> list[CellComparison]:
    """Return the comparison of a measure in each cell. `count`: comparisons whose intervals hold together."""
    tested = values(campaigns[comparison.tested], measure.value, measure.of, algorithm)
    reference = values(campaigns[comparison.reference], measure.value, measure.of, comparison.incumbent)
    found = []
    for place, cell in enumerate(cells):
        mine, other = tested[place], reference[place]
        decision = judged(measure, mine, other, count, looks)
        pairs = np.array([mine, other])[:, np.isfinite(mine) & np.isfinite(other)]
        found.append(
            CellComparison(
                cell=cell,
                condition=place + 1,
                measure=measure,
                incumbent=comparison.incumbent,
                decision=decision,
                pairs=pairs,
                shift=decision.atol / measure.relative_margin,
                missing=len(mine) - pairs.shape[1],
                percentiles=None if percentile is None else (_over(mine, percentile), _over(other, percentile)),
            )
        )
    return found


def judged(measure: Measure, tested: Floats, reference: Floats, count: int, looks: int) -> Decision:
    """Return the verdict on pairs of runs in one cell. `count`: comparisons whose intervals hold together."""
    return decide(
        tested[np.newaxis],
        reference[np.newaxis],
        margin=measure.relative_margin,
        atol=measure.least or measure.relative_margin * shift_at_zero(tested, reference),
        more_is_better=measure.higher_is_better,
        responses=count,
        looks=looks,
    )


def _over(found: Floats, percentile: float) -> float:
    """Return a percentile over the runs that have a value."""
    there = found[np.isfinite(found)]
    return float(np.percentile(there, percentile)) if len(there) else np.nan
