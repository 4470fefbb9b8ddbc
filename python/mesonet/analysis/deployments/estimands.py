"""Estimands of a deployment by share: mean outcomes of both arms, and the effects that are contrasts of them.

mu_T(p) and mu_C(p) are the mean outcomes of units with and without the new control at share p. Naive effect:
mu_T(p) - mu_C(p), the result of an A/B test. Total: mu_T(1) - mu_C(0). Spill-over: mu_C(p) - mu_C(0). Partial:
mu_T(p) - mu_C(0). Without interference between units all but the spill-over agree, and the spill-over is 0.

Source: B. Spang, V. Hannan, S. Kunamalla, T.-Y. Huang, N. McKeown and R. Johari, Unbiased experiments in congested
networks, IMC 2021.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import polars as pl

from mesonet.analysis.deployments.cells import ARMS, Arm, Cells, Sample
from mesonet.analysis.deployments.clusters import Cell, Contrast, contrast

MU_T, MU_C, NAIVE, TOTAL, SPILL_OVER, PARTIAL, HARM = "mu_T", "mu_C", "naive", "total", "spill-over", "partial", "harm"
STARVED_T, STARVED_C = "starved_T", "starved_C"
EFFECTS = (NAIVE, TOTAL, SPILL_OVER, PARTIAL)
"""Estimands that are contrasts, each of them a statement; `harm` is the spill-over as a lost part."""


@dataclass(frozen=True)
class Statement:
    """Estimand at a share: arms of a share with their signs."""

    estimand: str
    share: float
    terms: tuple[tuple[float, bool, int], ...]  #: share, arm, sign


@dataclass(frozen=True)
class Measured:
    """Contrast of a statement, or the reason why there is none."""

    statement: Statement
    found: Contrast | None
    why: str = ""  #: the reason why there is no value, or no interval
    units: int = 0  #: of the smallest arm
    seeds: int = 0
    method: str = ""
    left_out: int = 0  #: runs without their pair
    conditions_left: int = 0  #: conditions that lack an arm


def statements(sample: Sample) -> Iterator[Statement]:
    """Yield the statements on a sample: all effects, and the means that it has."""
    have = {(arm.share, arm.treated) for arm in sample.counts}
    for share in sample.shares:
        for estimand, treated in ((MU_T, True), (MU_C, False)):
            if (share, treated) in have:
                yield Statement(estimand, share, ((share, treated, 1),))
        inside = 0 < share < 1
        if inside or {(share, True), (share, False)} <= have:
            yield Statement(NAIVE, share, ((share, True, 1), (share, False, -1)))
        if inside:
            yield Statement(SPILL_OVER, share, ((share, False, 1), (0.0, False, -1)))
            yield Statement(PARTIAL, share, ((share, True, 1), (0.0, False, -1)))
    yield total()


def total() -> Statement:
    """Return the total effect."""
    return Statement(TOTAL, 1.0, ((1.0, True, 1), (0.0, False, -1)))


@dataclass(frozen=True)
class Terms:
    """Cells and signs of a statement: the mean over the conditions that have all of its arms."""

    cells: list[Cell]
    signs: list[float]
    arms: list[Arm]
    left_out: int  #: runs without their pair
    conditions_left: int  #: conditions that lack an arm


def terms(sample: Sample, cells: Cells, statement: Statement) -> Terms | None:
    """Return the terms of a statement; None if no condition has all of its arms, or the scale has no values."""
    have = [[Arm(condition, *term[:2]) for term in statement.terms] for condition in sample.conditions]
    whole = [arms for arms in have if all(arm in cells.of for arm in arms)]
    if not whole or cells.why:
        return None
    chosen, left = [], 0
    for arms in whole:
        own, out = _paired([cells.of[arm] for arm in arms], sample.by_seed)
        chosen += own
        left += out
    signs = [term[2] / len(whole) for _ in whole for term in statement.terms]
    return Terms(chosen, signs, [arm for arms in whole for arm in arms], left, len(have) - len(whole))


def measured(sample: Sample, cells: Cells, statement: Statement) -> Measured:
    """Return a statement as measured."""
    of = terms(sample, cells, statement)
    if of is None:
        return Measured(statement, None, _absent(sample, statement) or cells.why)
    found = contrast(of.cells, of.signs, log=cells.log)
    return Measured(
        statement,
        found,
        why=_without_noise(sample) if np.isnan(found.error) else "",
        units=min(sample.counts[arm] for arm in of.arms),
        seeds=found.clusters if sample.by_seed else 1,
        method=_method(sample, of.cells),
        left_out=of.left_out,
        conditions_left=of.conditions_left,
    )


def starved(sample: Sample, part: float) -> Sample | None:
    """Return 1 for units below a part of their own value at share 0 in the run of equal seed, else 0.

    Units without this value are left out; None if there are none. The own value, because units differ by path and
    access: below a part of the mean, slow paths would starve without a new control.
    """
    keys = ["condition", "seed", "unit"]
    own = sample.units.filter((pl.col("share") == 0) & ~pl.col("treated")).select(*keys, own="value")
    both = sample.units.join(own, on=keys, how="inner").filter(pl.col("own") > 0)
    if both.is_empty():
        return None
    flags = both.with_columns((pl.col("value") < part * pl.col("own")).cast(pl.Float64).alias("value"))
    return Sample(flags.select(*ARMS, "unit", "value", "weight").sort([*ARMS, "unit"]), sample.by_seed)


def _paired(cells: Sequence[Cell], by_seed: bool) -> tuple[list[Cell], int]:
    """Return cells with the seeds that all of them have, if these are several, and the number of runs left out."""
    if not by_seed or all(np.array_equal(each.clusters, cells[0].clusters) for each in cells):
        return list(cells), 0
    common = reduce(np.intersect1d, [each.clusters for each in cells])
    if len(common) < 2:
        return list(cells), 0
    return [each.among(common) for each in cells], sum(len(each.clusters) - len(common) for each in cells)


def _absent(sample: Sample, statement: Statement) -> str:
    """Return the reason why no condition has all arms of a statement; empty if one has."""
    wanted = [term[:2] for term in statement.terms]
    if any(all(Arm(condition, *term) in sample.counts for term in wanted) for condition in sample.conditions):
        return ""
    have = {(arm.share, arm.treated) for arm in sample.counts}
    arms = {True: "with the new control", False: "without it"}
    missing = [
        f"no unit {arms[treated]} at share {share:g}" for share, treated in wanted if (share, treated) not in have
    ]
    return " and ".join(missing) or "no condition has both shares"


def _without_noise(sample: Sample) -> str:
    """Return the reason why a contrast has no interval."""
    return f"one {'run' if sample.by_seed else 'unit'} in an arm: its noise is unknown"


def _method(sample: Sample, cells: Sequence[Cell]) -> str:
    """Return the method of an interval in words."""
    what, number = ("seeds", "seed") if sample.by_seed else ("units of one run", "unit")
    clusters = [frozenset(each.clusters.tolist()) for each in cells]
    count = len(frozenset().union(*clusters))
    if len(clusters) == 1:
        return f"t, {count} {what}"
    if all(each == clusters[0] for each in clusters):
        return f"paired t by {number}, {count} {what}"
    return f"CR2 by {number}, {count} {what}"
