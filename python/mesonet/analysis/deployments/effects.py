"""Table of effects: every estimand with its interval, its verdict, and the smallest effect that would be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.decisions.decision import CANNOT_TELL, NARROW
from mesonet.analysis.decisions.pairs import bounded_harm, margin_of
from mesonet.analysis.deployments.cells import DIFFERENCE, LOG, UNIT, Sample, sample
from mesonet.analysis.deployments.clusters import Contrast
from mesonet.analysis.deployments.estimands import (
    EFFECTS,
    HARM,
    MU_C,
    MU_T,
    SPILL_OVER,
    STARVED_C,
    STARVED_T,
    TOTAL,
    Measured,
    Statement,
    measured,
    starved,
    statements,
)
from mesonet.analysis.deployments.outcomes import Outcomes
from mesonet.analysis.deployments.words import needed, verdict
from mesonet.deployment_tests import SWEEP

SCHEMA = {
    "outcome": pl.String, "group": pl.String, "level": pl.String, "share": pl.Float64, "estimand": pl.String,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "low_together": pl.Float64,
    "high_together": pl.Float64, "smallest": pl.Float64, "verdict": pl.String, "needed": pl.Int64,
    "needed_of": pl.String, "scale": pl.String, "weights": pl.String, "units": pl.Int64, "clusters": pl.Int64,
    "seeds": pl.Int64, "method": pl.String, "why": pl.String,
}  # fmt: skip
WHOLE, BY_SHARE, BY_LEVEL = "total", "share", "level"
ALPHA = {WHOLE: 0.02, BY_SHARE: 0.02, BY_LEVEL: 0.01}
"""Error probability of all intervals of a kind, in parts of the whole, as `decide` shares it: total effects, other
effects on all units, effects on levels of groups."""
ALL = "all"
"""Level of a row about all units; its group is empty."""
CONDITION = "condition"


@dataclass(frozen=True)
class Asked:
    """Choices of the user that all tables need."""

    scales: tuple[str, ...]
    weights: tuple[str, ...]
    confidence: float
    power: float
    margin: float
    precision: float
    starved: float
    burn_in: int

    @property
    def alpha(self) -> float:
        """Error probability of one interval."""
        return 1 - self.confidence

    @property
    def lead(self) -> tuple[str, str]:
        """Scale and weights of verdicts on tests, equilibria and groups."""
        return self.scales[0], self.weights[0]


@dataclass(frozen=True)
class Row:
    """Measured statement with its labels."""

    part: Part
    scale: str
    weights: str
    shift: float  #: added to values before a logarithm
    of: Measured

    @property
    def kind(self) -> str:
        """Kind of the statement, for the intervals that hold together."""
        if self.part.group:
            return BY_LEVEL
        return WHOLE if self.of.statement.estimand == TOTAL else BY_SHARE

    @property
    def key(self) -> tuple[Any, ...]:
        """The statement, whatever the group."""
        return self.part.outcome, self.of.statement, self.scale, self.weights

    @property
    def is_relative(self) -> bool:
        """True for an effect that has a verdict: the margin is a relative change."""
        return self.of.statement.estimand in EFFECTS and self.scale != DIFFERENCE

    @property
    def is_effect(self) -> bool:
        """True for a contrast that has an interval."""
        return self.of.statement.estimand in EFFECTS and self.of.found is not None and not self.of.why


@dataclass(frozen=True, eq=False)
class Part:
    """Units of an outcome: all, or a level of a group."""

    outcome: str
    group: str  #: empty for all
    level: str
    more_is_better: bool
    sample: Sample


def parts(read: Outcomes) -> Iterator[Part]:
    """Yield the parts of each outcome in runs of the sweep: all units, each of several conditions, levels of groups."""
    by = [*([CONDITION] if len(read.conditions) > 1 else []), *(each for each in read.groups if each != CONDITION)]
    for outcome in read.names:
        rows, better = read.of(outcome, SWEEP), read.more_is_better[outcome]
        if not rows.is_empty():
            yield Part(outcome, "", ALL, better, sample(rows, read.by_seed))
            for group in by:
                for level in sorted(rows[group].drop_nulls().unique().to_list()):
                    yield Part(outcome, group, level, better, sample(rows.filter(pl.col(group) == level), read.by_seed))


def effect_rows(of: Sequence[Part], asked: Asked) -> list[Row]:
    """Return all statements on all parts, in all scales and weights."""
    found: list[Row] = []
    for part in of:
        asks = list(statements(part.sample))
        for weights in asked.weights:
            for scale in asked.scales:
                cells = part.sample.cells(scale, weights)
                plain = cells if scale == LOG else part.sample.cells(DIFFERENCE, weights)
                for ask in asks:
                    used = plain if ask.estimand in (MU_T, MU_C) else cells
                    found.append(Row(part, scale, weights, used.shift, measured(part.sample, used, ask)))
        if part.more_is_better:
            found += _starved(part, asked)
    return found


def _starved(part: Part, asked: Asked) -> Iterator[Row]:
    """Yield the share of units, by arm, whose value is below a part of their own value at share 0."""
    flags = starved(part.sample, asked.starved)
    if flags is None:
        share = part.sample.shares[0]
        ask = Statement(STARVED_C, share, ((share, False, 1),))
        why = "no unit has a value at share 0 in the run of equal seed"
        yield Row(part, DIFFERENCE, UNIT, 0.0, Measured(ask, None, why))
        return
    cells = flags.cells(DIFFERENCE, UNIT)
    for share in flags.shares:
        for estimand, treated in ((STARVED_T, True), (STARVED_C, False)):
            if any(arm[1:] == (share, treated) for arm in flags.counts):
                ask = Statement(estimand, share, ((share, treated, 1),))
                yield Row(part, DIFFERENCE, UNIT, 0.0, measured(flags, cells, ask))


def together(rows: Sequence[Row], asked: Asked) -> Counter[str]:
    """Return the numbers of effects that hold together, by kind: with an interval, in the leading scale and weights."""
    return Counter(row.kind for row in rows if row.is_effect and (row.scale, row.weights) == asked.lead)


def shared(counts: Counter[str], asked: Asked) -> dict[str, float]:
    """Return the error probability of one interval of each kind; kinds that are absent leave theirs to the others."""
    there = sum(ALPHA[kind] for kind in counts) or 1.0
    return {kind: asked.alpha * ALPHA[kind] / there / max(counts[kind], 1) for kind in ALPHA}


def effects_table(rows: Sequence[Row], asked: Asked) -> pl.DataFrame:
    """Return the table of effects."""
    alpha = shared(together(rows, asked), asked)
    of_all = {row.key: row.of.found for row in rows if row.is_effect and not row.part.group}
    lines = []
    for row in rows:
        line = _line(row, asked, alpha[row.kind])
        if row.is_relative:
            line |= _judged(row, of_all.get(row.key), alpha[row.kind], margin_of(asked.margin))
        lines.append(line)
        if row.is_relative and row.of.statement.estimand == SPILL_OVER:
            lines.append(_harm(row, line))
    return pl.DataFrame(lines, schema=SCHEMA, orient="row")


def log_worse(row: Row) -> float:
    """Return the sign with which a log ratio is positive for the worse."""
    return -1.0 if row.part.more_is_better else 1.0


def _line(row: Row, asked: Asked, alpha: float) -> dict[str, Any]:
    """Return a row of the table. `alpha`: error probability of an interval that holds together with all others."""
    of, statement = row.of, row.of.statement
    line: dict[str, Any] = dict.fromkeys(SCHEMA)
    line |= {"outcome": row.part.outcome, "group": row.part.group, "level": row.part.level, "share": statement.share}
    line |= {"estimand": statement.estimand, "scale": row.scale, "weights": row.weights, "why": of.why}
    line |= {"units": of.units, "seeds": of.seeds, "method": of.method, "clusters": 0}
    if of.found is None:
        return line
    line |= {"clusters": of.found.clusters, "value": _shown(row, of.found.value)}
    intervals = {("low", "high"): asked.alpha}
    if statement.estimand in EFFECTS:
        intervals[("low_together", "high_together")] = alpha
        line["smallest"] = _shown(row, of.found.smallest(asked.alpha, asked.power))
    for names, level in intervals.items():
        line |= {name: _shown(row, end) for name, end in zip(names, of.found.ends(level), strict=True)}
    return line


def _shown(row: Row, value: float) -> float | None:
    """Return a value of a contrast as the table has it; None where it is not known."""
    if not np.isfinite(value):
        return None
    if row.of.statement.estimand in EFFECTS:
        return value if row.scale == DIFFERENCE else _change(value)
    return float(np.exp(value)) - row.shift if row.scale == LOG else value


def _change(log_ratio: float) -> float:
    """Return a log ratio as a relative change; it is limited where floating point is."""
    return float(np.expm1(min(log_ratio, 700.0)))


def _judged(row: Row, of_all: Contrast | None, alpha: float, delta: float) -> dict[str, Any]:
    """Return the verdict, and the runs or units that would settle a verdict that cannot be given.

    `of_all`: the effect on all units, whose noise is taken for a level that has none of its own.
    """
    found, target = row.of.found, NARROW * delta
    if row.is_effect and found is not None:
        low, high = sorted(log_worse(row) * end for end in found.ends(alpha))
        word = verdict(low, high, delta)
        if word != CANNOT_TELL:
            return {"verdict": word}
        target = max(abs(log_worse(row) * found.value - delta), target)
    else:
        found = of_all
    line: dict[str, Any] = {"verdict": CANNOT_TELL}
    if found is not None:
        by_seed = row.part.sample.by_seed
        line["needed"] = needed(found, found.clusters, alpha=alpha, target=target, by_seed=by_seed)
        line["needed_of"] = "seeds" if by_seed else "units"
    return line


def _harm(row: Row, spill_over: dict[str, Any]) -> dict[str, Any]:
    """Return the spill-over as the part of its performance that the incumbent loses: -1 to 1, a gain below 0."""

    def lost(change: float | None) -> float | None:
        return None if change is None else float(bounded_harm(log_worse(row) * np.log1p(max(change, -1 + 1e-15))))

    line = spill_over | {"estimand": HARM, "value": lost(spill_over["value"])}
    for low, high in (("low", "high"), ("low_together", "high_together")):
        ends = [lost(spill_over[low]), lost(spill_over[high])]
        line |= dict(zip((low, high), ends[::-1] if row.part.more_is_better else ends, strict=True))
    worst = spill_over["smallest"]
    return line | {"smallest": None if worst is None else float(bounded_harm(np.log1p(worst)))}
