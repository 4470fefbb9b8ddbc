"""Smaller and larger versions of a network: speed and number of users change together, interfaces do not."""

from __future__ import annotations

from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios import impairment_sets
from mesonet.scenarios.scenario import Scenario
from mesonet.topologies import CLASSES

_LARGEST_SHIFT = 0.05
_LARGEST_SCALE = 1000


def checked_scale(value: Any) -> float:
    """Return the scale that a user gave, as a number. The scale, above 0 and at most 1000."""
    try:
        scale = units.number(value)
    except InputError as error:
        raise error.located(path="--scale") from None
    if not 0 < scale <= _LARGEST_SCALE:
        allowed = f"more than 0 and at most {_LARGEST_SCALE}"
        raise InputError("not a scale", path="--scale", value=value, allowed=allowed)
    return scale


def scaled(scenario: Scenario, scale: float) -> Scenario:
    """Return the scenario with speeds, capacities, base sources and rates of traffic, arrivals and policers multiplied.

    `scale`: the factor, above 0; 1 returns the scenario itself.
    """
    if scale == 1:
        return scenario
    speed, sources = scenario.value("network.speed") * scale, scenario.value("users.base_sources") * scale
    values: dict[str, Any] = {"network.speed": f"{speed!r} seg/s", "users.base_sources": sources}
    has_capacities = any(link.capacity for link in getattr(scenario.network.topology, "links", ()))
    links = [path for name in scenario.impairment_sets() for path in impairment_sets.paths(name)]
    traces = [path for path in ("impairments.capacity", *links) if path.endswith(".capacity")]
    if has_capacities or any(scenario.value(path) is not None for path in traces):
        values["network.capacity_factor"] = scenario.value("network.capacity_factor") * scale
    if any(demand["rate"] is not None for demand in _demands(scenario)):
        values["users.traffic_factor"] = scenario.value("users.traffic_factor") * scale
    if any(process["load"] is None for process in scenario.value("arrivals")):
        values["arrivals"] = [_scaled_arrivals(process, scale) for process in _given_arrivals(scenario)]
    for path in ("impairments.policer_rate", *(path for path in links if path.endswith(".policer_rate"))):
        if rate := scenario.value(path):
            values[path] = f"{rate * scale!r} seg/s"
    for path in (f"network.{name}_speed" for name in CLASSES):
        if speed := scenario.value(path):
            values[path] = f"{speed * scale!r} seg/s"
    changes = scenario.value("network.changes")
    if any(change["speed"] is not None for change in changes):
        values["network.changes"] = [_scaled_change(change, scale) for change in changes]
    return scenario.with_values(values, "--scale")


def _demands(scenario: Scenario) -> list[dict[str, Any]]:
    traffic = scenario.value("users.traffic")
    return [] if isinstance(traffic, str) else traffic


def _given_arrivals(scenario: Scenario) -> list[tuple[Any, Any]]:
    """Return each process of arrivals as the user wrote it, and in base units."""
    return list(zip(scenario.settings["arrivals"].given, scenario.value("arrivals"), strict=True))


def _scaled_arrivals(process: tuple[Any, Any], scale: float) -> dict[str, Any]:
    """Return a process as users write it, its rate or factor multiplied.

    A load is a share of a speed that is scaled itself.
    """
    given, parsed = process
    if parsed["load"] is not None:
        return dict(given)
    if parsed["rate"] is not None:
        return {**given, "rate": f"{parsed['rate'] * scale!r} flows/s"}
    return {**given, "factor": (1 if parsed["factor"] is None else parsed["factor"]) * scale}


def _scaled_change(change: dict[str, Any], scale: float) -> dict[str, Any]:
    """Return a change as users write it, its speed multiplied."""
    known = {key: value for key, value in change.items() if value is not None}
    if "speed" in known:
        known["speed"] = f"{known['speed'] * scale!r} seg/s"
    return known | {key: f"{known[key]!r} s" for key in ("time", "delay") if key in known}


def refuse_distorted(scenario: Scenario, scale: float) -> None:
    """Raise an `InputError` where scaling changes the kind of network, not only its size.

    Normal access routers may not become slower than a normal interface. Rounding the number of sources may not move the
    share of a class of access routers by more than 5 %. Routers that were slower before scaling do not count.

    `scale`: the factor, above 0.
    """
    before, after = (each.describe() for each in (scenario, scaled(scenario, scale)))
    slowest = float(scenario.value("users.normal_interface"))
    speeds = [_by_class(description, "speed").get("normal access", slowest) for description in (before, after)]
    if speeds[1] < slowest <= speeds[0]:
        problem = (
            f"normal access routers ({units.RATE.show(speeds[1])}) become slower than a normal interface "
            f"({units.RATE.show(slowest)})"
        )
        raise _refusal(problem, scale)
    was, now = (_shares(description) for description in (before, after))
    for name, share in was.items():
        if share > 0 and abs(now.get(name, 0.0) / share - 1) > _LARGEST_SHIFT:
            problem = (
                f"rounding moves the share of sources at {name} routers from {share:.1%} to {now.get(name, 0.0):.1%}"
            )
            raise _refusal(problem, scale)


def _refusal(problem: str, scale: float) -> InputError:
    return InputError(
        problem, path="--scale", value=scale, allowed="a scale nearer to 1, a shorter duration, or --force"
    )


def _by_class(description: dict[str, Any], what: str) -> dict[str, float]:
    return {entry["class"]: entry[what] for entry in description["classes"]}


def _shares(description: dict[str, Any]) -> dict[str, float]:
    sources = _by_class(description, "sources")
    total = sum(sources.values())
    return {name: count / total for name, count in sources.items()} if total else {}
