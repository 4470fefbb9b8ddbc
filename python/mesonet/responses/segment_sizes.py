"""Bytes of the segments that responses count: explicit flows may have segments of their own size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OF_ALL = frozenset(
    (
        "segments_entering", "segments_leaving", "segment_rate", "segments_dropped", "segments_marked",
        "total_segments_dropped",
    )
)  # fmt: skip
"""Responses that count the segments of all flows."""
_WITH_ACKS = frozenset(("acks_dropped", "lost_on_links"))
"""Responses that count acknowledgements, which have another size."""


def flow_bytes(scenario: Mapping[str, Any], flow: int) -> float:
    """Return the size of the data segments of an explicit flow.

    Parameters
    ----------
    scenario
        A canonical scenario.
    flow
        Place of the flow, from 0.

    Returns
    -------
    Bytes.
    """
    return float(scenario["flows"][flow].get("segment_bytes") or scenario["transport"]["segment_bytes"])


def data_bytes(scenario: Mapping[str, Any], transport: str | None = None) -> set[float]:
    """Return the sizes of the data segments of a scenario.

    Parameters
    ----------
    scenario
        A canonical scenario.
    transport
        ``tcp`` or ``udp``, for the flows with this transport; None: all flows.

    Returns
    -------
    Bytes; several if flows have segments of their own size.
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

    Parameters
    ----------
    scenario
        A canonical scenario.
    response
        Name of a response with a unit of segments.

    Returns
    -------
    Bytes; None if it counts segments of different sizes.
    """
    if response in _WITH_ACKS:
        return None
    if response.startswith("goodput_long_lived_"):  # of users, whose segments have one size
        return float(scenario["transport"]["segment_bytes"])
    transport = None if response in _OF_ALL else "udp" if response.startswith("datagrams_") else "tcp"
    sizes = data_bytes(scenario, transport)
    return sizes.pop() if len(sizes) == 1 else None
