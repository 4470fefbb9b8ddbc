"""Centre points of a campaign: curvature between the two levels of the factors."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from mesonet.analysis import Curvature, curvature
from mesonet.reporting.campaign_view.tables import labelled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import counted, listed, number

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

_MOST_NAMED = 6


def has_centre_points(campaign: Campaign) -> bool:
    """Return True if the campaign has runs with all factors half-way, and runs at two levels."""
    rows = campaign.experiment.get("design", {}).get("rows", ())
    return bool(campaign.design.runs) and any(all(x == 0 for x in row) for row in rows)


def curvature_table(view: CampaignView) -> pl.DataFrame:
    """Return the test of curvature of every response, period and algorithm.

    Columns response, period, algorithm, the columns of `mesonet.analysis.Curvature`, and note.
    """
    parts = []
    for about in view.selections(view.algorithms):
        found = _test(view, **about)
        parts.append(labelled(found.to_polars().drop("term").with_columns(note=pl.lit(" ".join(found.notes))), about))
    return pl.concat(parts, how="vertical_relaxed")


def curvature_sentence(view: CampaignView) -> str:
    """Return the number of curved responses, the most curved of them, and the consequence, as text."""
    found = {
        (name, algorithm): _test(view, name, view.main_period, algorithm)
        for name, algorithm in product(view.in_period[view.main_period], view.algorithms)
    }
    tested = {key: result for key, result in found.items() if np.isfinite(result.p)}
    if not tested:
        notes = sorted({note for result in found.values() for note in result.notes})
        return f"Curvature could not be tested. {' '.join(notes)}".strip()
    curved = sorted((key for key in tested if tested[key].p < 0.05), key=lambda key: tested[key].p)
    tests = counted(len(tested), "response") if len(view.algorithms) == 1 else counted(len(tested), "test")
    if not curved:
        return f"Centre points show no curvature at 5 % in {tests}: between the two levels means can be interpolated."
    several = len(view.algorithms) > 1
    named = [
        f"{view.title_of(name)}{f' with {algorithm}' if several else ''} (p {number(tested[name, algorithm].p, 2)})"
        for name, algorithm in curved[:_MOST_NAMED]
    ]
    more = f" and {len(curved) - _MOST_NAMED} more" if len(curved) > _MOST_NAMED else ""
    return (
        f"Centre points show curvature at 5 % in {len(curved)} of {tests}, by chance about "
        f"{number(0.05 * len(tested), 2)}: "
        f"{listed(named)}{more}. "
        "Between the two levels a response differs from the sum of main effects and interactions."
    )


def _test(view: CampaignView, response: str, period: str, algorithm: str) -> Curvature:
    rows = view.campaign.response(response, period).filter(pl.col("algorithm") == algorithm)
    return curvature(view.campaign.rows.matrix, rows.drop("algorithm"))
