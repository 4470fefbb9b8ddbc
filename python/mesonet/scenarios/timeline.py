"""Runs made shorter or longer with all their events: explicit flows and arrivals keep their share of the time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet import units
from mesonet.scenarios.scenario import Scenario

_INSTANTS = ("start", "stop")


def lasting(scenario: Scenario, duration: Any, source: str) -> Scenario:
    """Return the scenario with another duration; explicit flows, arrivals and a warm-up that was set change with it.

    `duration`: the new duration, such as ``5 min``.
    """
    before = float(scenario.value("time.duration"))
    longer = scenario.set("time.duration", duration, source)
    factor = float(longer.value("time.duration")) / before
    values: dict[str, Any] = {}
    for path in ("flows", "arrivals"):
        if path in scenario.settings:
            values[path] = [_stretched(flow, factor) for flow in scenario.settings[path].given]
    if "time.warmup" in scenario.settings:
        values["time.warmup"] = f"{scenario.value('time.warmup') * factor!r} s"
    return longer.with_values(values, source) if values else longer


def _stretched(flow: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return a flow, or arrivals, as users write them, the instants multiplied."""
    times = {key: flow[key] for key in _INSTANTS if flow.get(key) not in (None, "never")}
    return {**flow, **{key: f"{units.TIME.parse(value) * factor!r} s" for key, value in times.items()}}
