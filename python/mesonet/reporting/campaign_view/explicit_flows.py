"""Throughput of the explicit flows of a campaign without users, by the algorithm of the flows."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.deployment import is_deployment
from mesonet.reporting.campaign_view.flow_groups import has_groups
from mesonet.reporting.campaign_view.view import CampaignView


def explicit_flows(view: CampaignView) -> list[list[dict[str, Any]]]:
    """Return the explicit flows over TCP of every scenario of a campaign without users.

    Empty for a model, and if a scenario has users or no such flow.
    """
    if any(each.get("users", {}).get("base_sources", 1) for each in view.networks):
        return []
    found = [[flow for flow in each.get("flows") or [] if flow.get("transport") != "udp"] for each in view.networks]
    return found if all(found) else []


def throughputs(view: CampaignView) -> dict[str, pl.DataFrame]:
    """Return the throughput of the explicit flows in every run: of the algorithm under test, and of each other one.

    In a deployment it is of all flows that draw their algorithm, because a share of 0 leaves the incumbent alone. Flow
    groups tell flows apart by algorithm only. If a scenario gives flows an algorithm that is also under test,
    its run has a mean over both kinds of flows. This mean is left out unless all flows are alike.

    By title: columns condition, algorithm, replicate and value, in segments/s. Empty unless `explicit_flows` has flows,
    and if runs did not keep their throughput.
    """
    flows = explicit_flows(view)
    if not (flows and has_groups(view.campaign) and "throughput" in view.groups.columns):
        return {}
    given = sorted({flow["algorithm"] for each in flows for flow in each if flow.get("algorithm")})
    alike = all({**flow, "algorithm": None} == {**each[0], "algorithm": None} for each in flows for flow in each)
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    if is_deployment(view.campaign) and any(not flow.get("algorithm") for each in flows for flow in each):
        own |= pl.col("flow_algorithm") == view.campaign.experiment["mixed_with"]
    rows = view.groups.filter((pl.col("period") == WHOLE) & (pl.col("category") == "explicit"))
    rows = rows.filter(alike | ~(own & pl.col("flow_algorithm").is_in(given)))
    time = pl.col("flow_seconds")
    wanted = {"throughput of explicit flows": own} | {
        f"throughput of explicit flows of {name}": pl.col("flow_algorithm") == name for name in given
    }
    found = {title: rows.filter(which) for title, which in wanted.items()}
    return {
        title: of_these.group_by("condition", "algorithm", "replicate", maintain_order=True).agg(
            value=(pl.col("throughput") * time).sum() / time.sum()
        )
        for title, of_these in found.items()
        if of_these.height
    }
