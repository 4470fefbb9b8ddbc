"""Three sentences on a run: what it carried, where it lost, and what users got."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mesonet import units
from mesonet.words import counted, listed, number, percent

WHOLE = "measured"
_WORST = 3
"""Queues that lost most and are named."""
_SHORT = 0.1
"""A part of the offered load that is not carried, from which the sentence warns (chosen)."""


def summary(
    scenario: Mapping[str, Any],
    described: Mapping[str, Any],
    responses: Iterable[Mapping[str, Any]],
    routers: Iterable[Mapping[str, Any]],
    demands: tuple[float, float] | None = None,
) -> list[str]:
    """Return sentences on the measured time of a run.

    `scenario`: in canonical form. `described`: as `Scenario.describe`. `responses`, `routers`: rows of the tables of
    the result. `demands`: data that all demands carried and offered, segments/s.
    """
    size = float(scenario["transport"]["segment_bytes"])
    values = {row["response"]: row["value"] for row in responses if row["period"] == WHOLE}
    return [
        _carried(
            demands or (values.get("segment_rate") or 0.0, None), described, size, has_flows=bool(scenario["flows"])
        ),
        _lost(values, [row for row in routers if row["period"] == WHOLE]),
        _got(values),
    ]


def _carried(data: tuple[float, float | None], described: Mapping[str, Any], size: float, *, has_flows: bool) -> str:
    carried, demanded = data
    text = f"Carried: {rate_text(carried, size)} of data"
    arrivals = offered_by_arrivals(described)
    offered = arrivals + described["offered"] if demanded is None else demanded
    if not offered or has_flows:
        return f"{text}."
    share = carried / offered
    who = "users and arrivals" if arrivals and described["offered"] else "arrivals" if arrivals else "users"
    text += f", {percent(100 * share)} of the {rate_text(offered, size)} that {who} offer"
    if described["offered"]:
        text += " where nothing delays them"
    if share < 1 - _SHORT:
        return f"{text}. The rest did not arrive in this time: the network is too slow, or the run too short."
    return f"{text}."


def _lost(values: Mapping[str, Any], queues: list[Mapping[str, Any]]) -> str:
    lossy = sorted((row for row in queues if row["segments_dropped"]), key=lambda row: -row["segments_dropped"])
    share = values.get("loss_rate")
    if not lossy:
        links = values.get("lost_on_links")
        return "Lost: nothing in queues" + (", but segments on impaired links." if links else ".")
    worst = [
        f"{row['router']} ({percent(100 * row['loss_rate'])} lost, {percent(100 * row['utilisation'])} busy)"
        for row in lossy[:_WORST]
    ]
    where = f"in {counted(len(lossy), 'queue')}, most at {listed(worst)}" if len(lossy) > 1 else f"at {worst[0]}"
    return f"Lost: {percent(None if share is None else 100 * share)} of the segments, {where}."


def _got(values: Mapping[str, Any]) -> str:
    parts = []
    if flows := values.get("flow_rate"):
        parts.append(f"{number(flows)} completed flows a second")
        if (slowdown := values.get("slowdown_p50")) is not None:
            late = number(values.get("slowdown_p95"))
            parts.append(f"half of them at most {number(slowdown)} times as long as alone, 95 % at most {late} times")
    if failed := values.get("failed_connections"):
        parts.append(counted(round(failed), "failed connection"))
    if (round_trip := values.get("rtt")) is not None:
        queueing = values.get("queueing_delay")
        of_it = "" if queueing is None else f", {number(queueing)} ms of it in queues"
        parts.append(f"a mean round trip of {number(round_trip)} ms{of_it}")
    return f"Users got: {'; '.join(parts)}." if parts else "Users got: nothing that was measured."


def offered_by_arrivals(described: Mapping[str, Any]) -> float:
    """Return the data that open-loop arrivals offer, segments/s. `described`: as `Scenario.describe`."""
    return sum(float(each["rate"] * each["mean_size"]) for each in described["arrivals"])


def rate_text(segments: float, size: float) -> str:
    """Return a rate in segments/s of so many bytes as text, in bits."""
    return units.RATE.familiar(segments, size)
