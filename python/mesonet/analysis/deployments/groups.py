"""Heterogeneity: whether an effect differs between the levels of a group, such as classes of round-trip time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.deployments.cells import DIFFERENCE
from mesonet.analysis.deployments.clusters import Contrast, contrast
from mesonet.analysis.deployments.effects import Asked, Part
from mesonet.analysis.deployments.estimands import EFFECTS, Statement, Terms, statements, terms

SCHEMA = {
    "outcome": pl.String, "group": pl.String, "estimand": pl.String, "share": pl.Float64, "levels": pl.Int64,
    "p": pl.Float64, "lowest_level": pl.String, "lowest": pl.Float64, "highest_level": pl.String,
    "highest": pl.Float64, "scale": pl.String, "weights": pl.String, "why": pl.String,
}  # fmt: skip


def groups_table(of: Sequence[Part], asked: Asked) -> pl.DataFrame:
    """Return a row per outcome, group and effect: its lowest and highest level, and the p-value of equal levels."""
    rows = []
    for (outcome, group), members in groupby(of, key=lambda part: (part.outcome, part.group)):
        if group:
            labels = {"outcome": outcome, "group": group}
            rows += [row | labels for row in _of_group(list(members), asked)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _of_group(levels: Sequence[Part], asked: Asked) -> list[dict[str, Any]]:
    """Return a row per effect that at least two levels have."""
    asks = dict.fromkeys(ask for part in levels for ask in statements(part.sample) if ask.estimand in EFFECTS)
    cells = [(part, part.sample.cells(*asked.lead)) for part in levels]
    log = cells[0][1].log
    rows = []
    for ask in asks:
        have = [(part.level, own) for part, of in cells if (own := terms(part.sample, of, ask))]
        known = [(level, own, found) for level, own in have if not np.isnan((found := _effect(own, log)).error)]
        if len(have) > 1:
            why = "" if len(known) == len(have) else f"{len(have) - len(known)} of {len(have)} levels have no noise"
            rows.append(_row(ask, known, log, asked) | {"why": why})
    return rows


def _effect(own: Terms, log: bool) -> Contrast:
    """Return the effect at a level."""
    return contrast(own.cells, own.signs, log=log)


def _row(ask: Statement, known: Sequence[tuple[str, Terms, Contrast]], log: bool, asked: Asked) -> dict[str, Any]:
    """Return the row of an effect: each level against the mean of the others, with Bonferroni's correction."""
    scale, weights = asked.lead
    row = dict.fromkeys(SCHEMA) | {"estimand": ask.estimand, "share": ask.share, "levels": len(known)}
    row |= {"scale": scale, "weights": weights}
    if len(known) < 2:
        return row
    p = []
    for place in range(len(known)):
        parts = [1.0 if other == place else -1 / (len(known) - 1) for other in range(len(known))]
        cells = [cell for _, own, _ in known for cell in own.cells]
        signs = [part * sign for part, (_, own, _) in zip(parts, known, strict=True) for sign in own.signs]
        p.append(contrast(cells, signs, log=log).p())
    tests = 1 if len(known) == 2 else len(known)  # two levels have one difference
    values = [found.value for _, _, found in known]
    shown = values if scale == DIFFERENCE else np.expm1(values).tolist()
    low, high = int(np.argmin(values)), int(np.argmax(values))
    row |= {"p": min(1.0, tests * min(p)), "lowest_level": known[low][0], "lowest": shown[low]}
    return row | {"highest_level": known[high][0], "highest": shown[high]}
