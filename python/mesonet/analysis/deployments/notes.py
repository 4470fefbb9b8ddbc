"""Notes on a deployment: what its intervals cover, what cannot be known, and where the sign depends on the scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from mesonet.analysis.deployments.effects import ALL, Asked, Row, together
from mesonet.analysis.deployments.estimands import EFFECTS, TOTAL
from mesonet.analysis.deployments.outcomes import Outcomes
from mesonet.words import counted, number, percent, some

MOST = 4
"""Longest list of places in a note."""


def notes(data: Outcomes, rows: Sequence[Row], effects: pl.DataFrame, asked: Asked) -> Iterator[str]:
    """Yield the notes."""
    yield _coverage(data)
    if left := max((row.of.left_out for row in rows), default=0):
        yield f"Up to {counted(left, 'run')} of an effect without a run of equal seed at the other share: left out."
    if left := max((row.of.conditions_left for row in rows if not row.part.group), default=0):
        yield f"Up to {counted(left, 'condition')} without all arms of an effect: no part in it."
    shifts = {(row.part.outcome, row.scale): row.shift for row in rows if row.shift}
    for (outcome, scale), shift in shifts.items():
        yield f"{outcome}, {scale}: a value is 0, so that {number(shift)} (1 % of the mean) is added to each."
    total = next((row.of for row in rows if row.of.statement.estimand == TOTAL), None)
    if total and total.found is None:
        yield (
            f"The total effect cannot be known from these data: {total.why}. The naive effect equals it only if units "
            "do not influence each other."
        )
    count = together(rows, asked).total()
    level = percent(100 * asked.confidence)
    yield (
        f"{counted(count, 'effect')} in the scale {asked.scales[0]} by {asked.weights[0]}: each interval holds with "
        f"{level}; the columns _together hold at once with {level} (Bonferroni), and have the verdicts."
    )
    yield from _signs(effects)


def _coverage(data: Outcomes) -> str:
    """Return what intervals cover."""
    if data.by_seed:
        return "Intervals are about other runs of this network: clusters are seeds."
    return (
        "Intervals are about other units of this network in this time: clusters are units of one run. They cover "
        "neither other days nor the dependence of units through the network."
    )


def _signs(effects: pl.DataFrame) -> Iterator[str]:
    """Yield the effects on all units whose sign depends on the scale or on the weights."""
    chosen = effects.filter((pl.col("level") == ALL) & (pl.col("group") == "") & pl.col("estimand").is_in(EFFECTS))
    keys = ["outcome", "estimand", "share"]
    seen = ((pl.col("low") > 0) | (pl.col("high") < 0)).any()
    both = chosen.group_by(keys, maintain_order=True).agg(pl.col("value").min(), seen, most=pl.col("value").max())
    found = both.filter((pl.col("value") < 0) & (pl.col("most") > 0) & pl.col("low"))
    if not found.is_empty():
        places = [f"{estimand} of {outcome} at {number(share)}" for outcome, estimand, share, *_ in found.iter_rows()]
        yield f"The sign depends on scale or weights: {some(places, MOST)}. State both."
