"""Grid of levels: values over the factor with most levels, a line per level of the next factor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mesonet.algorithms import split
from mesonet.reporting.campaign_view.sampled import Sampled

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def names(sampled: Sampled) -> tuple[str, str]:
    """Return the names of the factors across and of the lines.

    Parameters
    ----------
    sampled
        View of a campaign with a grid of levels.

    Returns
    -------
    The factor with the most levels, and the factor with the next most; empty if there is only one factor.
    """
    first, *others = (sampled.factor_names[place] for place in _by_levels(sampled))
    return first, others[0] if others else ""


def sentence(sampled: Sampled, response: str) -> str:
    """Return a sentence on the lines: the response, the number of combinations and the factors averaged over.

    Parameters
    ----------
    sampled
        View of a campaign with a grid of levels.
    response
        As for every view, see `mesonet.reporting.campaign_view`.

    Returns
    -------
    The sentence.
    """
    rest = [sampled.factors[place] for place in _by_levels(sampled)[2:]]
    averaged = f"; means over the levels of {', '.join(rest)}" if rest else ""
    return f"{sampled.view.label_of(response)} at each of {len(sampled.points)} combinations of levels{averaged}."


def places(sampled: Sampled) -> pl.DataFrame:
    """Return the place of every condition in the drawing.

    Parameters
    ----------
    sampled
        View of a campaign with a grid of levels.

    Returns
    -------
    Columns condition (from 1), across and lines: the levels as `levels` returns them; lines is null without a second
    factor.
    """
    order = _by_levels(sampled)
    count = len(sampled.campaign.rows.matrix)
    return pl.DataFrame(
        {
            "condition": range(1, count + 1),
            "across": levels(sampled.campaign, order[0]),
            "lines": levels(sampled.campaign, order[1]) if len(order) > 1 else [None] * count,
        },
        schema_overrides={"lines": pl.Float64},
    )


def values(sampled: Sampled, response: str, period: str, places: pl.DataFrame) -> pl.DataFrame:
    """Return the table that `mesonet.charts.level_lines` draws.

    Parameters
    ----------
    sampled
        View of a campaign with a grid of levels.
    response, period
        As for every view, see `mesonet.reporting.campaign_view`.
    places
        As from `places`.

    Returns
    -------
    Columns algorithm, across, lines and value: the mean over the conditions at these levels.
    """
    found = sampled.values(response, period).filter(pl.col("value").is_finite()).join(places, on="condition")
    return found.group_by("algorithm", "across", "lines", maintain_order=True).agg(pl.col("value").mean())


def _by_levels(sampled: Sampled) -> list[int]:
    """Return the places of the factors, most levels first."""
    points = sampled.campaign.rows.matrix
    counts = [len(np.unique(points[:, place])) for place in range(points.shape[1])]
    return sorted(range(len(counts)), key=lambda place: -counts[place])


def levels(campaign: Campaign, place: int) -> list[float]:
    """Return the level of a factor in each condition as a number.

    Parameters
    ----------
    campaign
        As for every view, see `mesonet.reporting.campaign_view`.
    place
        Place of the factor, from 0.

    Returns
    -------
    The number that the factor sets, such as a value or a count of flows, in its unit. If it is not known, or is not
    different for every level, 1, 2, ... from the lowest level.
    """
    path = split(campaign.factors[place].path)[0]
    first = campaign.algorithms[0]
    scenarios = [each["scenario"] for each in campaign.experiment["scenarios"] if each["algorithm"] == first]
    found = [_number(scenario, path) for scenario in scenarios]
    steps = np.unique(campaign.rows.matrix[:, place], return_inverse=True)[1] + 1
    if any(value is None for value in found) or len(set(found)) < len(set(steps.tolist())):
        return [float(step) for step in steps]
    return [float(value) for value in found if value is not None]


def _number(scenario: Mapping[str, Any], path: str) -> float | None:
    there: Any = scenario
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(there, list) and part.isdecimal():
            there = there[int(part)] if int(part) < len(there) else None
        else:
            there = there.get(part) if isinstance(there, Mapping) else None
    if isinstance(there, Mapping) and isinstance(there.get("factor"), int | float):
        return float(there["factor"])
    if isinstance(there, list) and path == "flows":
        return float(len(there))
    return float(there) if isinstance(there, int | float) else None
