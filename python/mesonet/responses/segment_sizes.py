"""Bytes of the segments that responses count: explicit flows may have segments of their own size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.responses.definitions import BY_NAME


def flow_bytes(scenario: Mapping[str, Any], flow: int) -> float:
    """Return the size of the data segments of an explicit flow. `flow`: place of the flow, from 0."""
    return float(scenario["flows"][flow].get("segment_bytes") or scenario["transport"]["segment_bytes"])


def data_bytes(scenario: Mapping[str, Any], transport: str | None = None) -> set[float]:
    """Return the sizes of the data segments of a scenario.

    `transport`: ``tcp`` or ``udp``, for the flows with this transport; None: all flows.
    """
    flows = scenario.get("flows") or []
    found = {
        flow_bytes(scenario, place)
        for place, flow in enumerate(flows)
        if transport in (None, flow.get("transport", "tcp"))
    }
    others = scenario["users"]["base_sources"] > 0 or scenario.get("arrivals")
    if transport != "udp" and (others or not found):
        found.add(float(scenario["transport"]["segment_bytes"]))
    return found


def response_bytes(scenario: Mapping[str, Any], response: str) -> float | None:
    """Return the size of the segments that a response counts.

    Bytes; None if it counts segments of different sizes. `response`: name of a response with a unit of segments.
    """
    whose = BY_NAME[response].segments_of
    if whose == "and acknowledgements":
        return None
    if whose == "users":  # their segments have one size
        return float(scenario["transport"]["segment_bytes"])
    sizes = data_bytes(scenario, None if whose == "all" else whose)
    return sizes.pop() if len(sizes) == 1 else None
