"""Numbers of flows behind means over flows: a mean over few flows is mostly chance."""

from __future__ import annotations

import polars as pl

from mesonet.campaign import Campaign
from mesonet.responses.definitions import FILE_CATEGORIES, PATH_CLASSES

FEWEST_FLOWS = 30
"""A mean over fewer flows is not evaluated. Chosen: the mean of 30 values that scatter by as much as their mean, as
goodputs of files do, has a standard error of 18 %."""

_OF_FILES = {
    f"goodput_{pair}_{each}": (path, each.replace("_", " "))
    for path, pairs in PATH_CLASSES.items()
    for pair in pairs
    for each in FILE_CATEGORIES
}
"""Flows are counted by the class of their path, to which several pairs of routers may belong."""


def flows_behind(campaign: Campaign, response: str, period: str) -> pl.DataFrame | None:
    """Return the number of completed flows behind a mean.

    For a pair of routers it is the number of its class of paths, an upper bound.

    Columns condition, algorithm, replicate, flows. None for responses that are no means over completed flows, and for
    scenarios with explicit flows only. `period`: a measured period, or ``measured`` for the whole measured span.
    """
    if response != "retransmission_rate" and response not in _OF_FILES:
        return None
    if not any(each["scenario"]["users"]["base_sources"] for each in campaign.experiment.get("scenarios") or []):
        return None
    rows = campaign.groups.filter(pl.col("period") == period, pl.col("flow_algorithm") != "all")
    if response in _OF_FILES:
        path_class, category = _OF_FILES[response]
        rows = rows.filter(pl.col("path_class") == path_class, pl.col("category") == category)
    return rows.group_by("condition", "algorithm", "replicate").agg(pl.col("flows").sum())
