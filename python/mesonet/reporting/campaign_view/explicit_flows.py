"""Goodput of the explicit flows of a campaign without users, by the algorithm of the flows."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.campaign.goodputs import OF, by_response
from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.deployment import is_deployment
from mesonet.reporting.campaign_view.flow_groups import numbers_of_conditions
from mesonet.reporting.campaign_view.view import CampaignView


def explicit_flows(view: CampaignView) -> list[list[dict[str, Any]]]:
    """Return the explicit flows over TCP of every scenario of a campaign without users.

    Empty for a model, and if a scenario has users or no such flow.
    """
    if any(each.get("users", {}).get("base_sources", 1) for each in view.networks):
        return []
    found = [[flow for flow in each.get("flows") or [] if flow.get("transport") != "udp"] for each in view.networks]
    return found if all(found) else []


def goodputs(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return the goodput of the explicit flows in every run: of the algorithm under test, and of each other one.

    In a deployment it is of all flows that draw their algorithm, because a share of 0 leaves the incumbent alone.

    By title: columns condition, algorithm, replicate and value, in segments/s. Empty unless `explicit_flows` has flows,
    and if runs did not keep it.
    """
    if not (explicit_flows(view) and view.campaign.has_groups):
        return {}
    incumbent = view.campaign.experiment["mixed_with"] if is_deployment(view.campaign) else None
    also = None if incumbent is None else lambda: pl.col("flow_algorithm") == incumbent
    last = len(numbers_of_conditions(view.campaign))
    return {
        _title(name): rows.filter((pl.col("period") == WHOLE) & (pl.col("condition") <= last)).drop("period")
        for name, rows in by_response(view.campaign, also).items()
    }


def _title(response: str) -> str:
    return f"goodput of explicit flows{f' of {response.removeprefix(OF)}' if response.startswith(OF) else ''}"
