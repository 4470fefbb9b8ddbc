"""Smaller and larger versions of a network: rates and numbers of users change together, sizes of files do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios import link_values
from mesonet.scenarios.by_column import Rows
from mesonet.scenarios.kinds import timed
from mesonet.scenarios.kinds.flows import FLOWS
from mesonet.scenarios.scenario import Scenario
from mesonet.topologies import CLASSES
from mesonet.words import counted, listed

SOURCE = "--scale"
"""Source of a value that the scale has multiplied."""
INTERFACES = ("users.normal_interface", "users.fast_interface")
APPLICATION_KEYS = frozenset({"rate", "frame_size", "key_frame_size", "burst_size", "ladder"})
"""Keys of explicit flows that set the rate at which their application offers data."""

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
    """Return the scenario with its rates, its sources and its queues in segments multiplied.

    Interfaces are multiplied where queues are at ports: the router with one queue is the network of the study, whose
    smaller networks keep their interfaces. Sizes of files, windows and times stay.

    `scale`: the factor, above 0; 1 returns the scenario itself.
    """
    if scale == 1:
        return scenario
    values = {**_network(scenario, scale), **_queues(scenario, scale), **_traffic(scenario, scale)}
    if scenario.value("network.queue") == "port":
        values |= {path: _rate(scenario.value(path), scale) for path in INTERFACES}
    return scenario.with_values(values, SOURCE)


def scale_notes(scenario: Scenario) -> list[str]:
    """Return notes on what the scale has multiplied, and on what it has not; none for a scenario that has no scale."""
    paths = [path for path, setting in scenario.settings.items() if setting.source == SOURCE]
    if not paths:
        return []
    notes = [f"{SOURCE} multiplies {listed(sorted(paths))}"]
    if scenario.value("network.queue") == "router":
        notes.append("interfaces of hosts keep their speed with network.queue = router; with port they scale, too")
    if flows := len(scenario.value("flows")):
        notes.append(f"{SOURCE} keeps the number and the sizes of {counted(flows, 'explicit flow')}")
    return notes


def _network(scenario: Scenario, scale: float) -> dict[str, Any]:
    """Return speeds, capacities and rates of policers, multiplied."""
    values: dict[str, Any] = {"network.speed": _rate(scenario.value("network.speed"), scale)}
    traces = _of_sets(scenario, "capacity")
    own = [path for path in link_values.paths(scenario.settings) if path.endswith(".capacity")]
    has_capacities = any(link.capacity for link in getattr(scenario.network.topology, "links", ()))
    if has_capacities or any(scenario.value(path) is not None for path in (*traces, *own)):
        values["network.capacity_factor"] = scenario.value("network.capacity_factor") * scale
    for path in _of_sets(scenario, "policer_rate"):
        if rate := scenario.value(path):
            values[path] = timed.mapped(rate, partial(_rate, scale=scale))
    for path in (f"network.{name}_speed" for name in CLASSES):
        if speed := scenario.value(path):
            values[path] = _rate(speed, scale)
    changes = scenario.value("network.changes")
    if any(change["speed"] is not None for change in changes):
        values["network.changes"] = [_scaled_change(change, scale) for change in changes]
    return values


def _queues(scenario: Scenario, scale: float) -> dict[str, Any]:
    """Return buffers and thresholds in segments, multiplied, so that the time in which they are served stays."""
    values: dict[str, Any] = {}
    buffer = scenario.value("network.buffer")
    if buffer["rule"] == "segments":
        values["network.buffer"] = _segments(buffer["factor"], scale)
    for path in _of_sets(scenario, "buffers"):
        if (buffers := scenario.value(path)) is not None:
            values[path] = timed.mapped(buffers, partial(_segments, scale=scale))
    if (threshold := scenario.value("network.ecn_threshold")) is not None:
        values["network.ecn_threshold"] = _segments(threshold, scale)
    if scenario.value("aqm.discipline") == "red" and not scenario.value("aqm.red_adaptive"):
        values |= {path: _segments(scenario.value(path), scale) for path in ("aqm.red_min", "aqm.red_max")}
    return values


def _traffic(scenario: Scenario, scale: float) -> dict[str, Any]:
    """Return sources and what the traffic offers, multiplied."""
    has_rates = any(demand["rate"] is not None for demand in _demands(scenario))
    amount = "users.traffic_factor" if has_rates else "users.base_sources"
    values: dict[str, Any] = {amount: scenario.value(amount) * scale}
    with_interfaces = scenario.value("network.queue") == "port"
    arrivals = scenario.value("arrivals")
    if (with_interfaces and arrivals) or any(process["load"] is None for process in arrivals):
        values["arrivals"] = [
            _scaled_arrivals(process, scale, with_interfaces) for process in _given_arrivals(scenario)
        ]
    flows = _given_flows(scenario)
    if (with_interfaces and flows) or any(_offered(flow) for flow in flows):
        entries = [_scaled_flow(flow, scale, scenario.segment_bytes, with_interfaces) for flow in flows]
        file = getattr(flows, "file", None)
        values["flows"] = Rows(entries, file) if file else entries
    return values


def _of_sets(scenario: Scenario, key: str) -> list[str]:
    """Return the paths of a key in all sets of impairments."""
    return [f"impairments.{key}", *(f"impairments.{name}.{key}" for name in scenario.impairment_sets())]


def _rate(rate: float, scale: float) -> str:
    return f"{rate * scale!r} seg/s"


def _segments(size: float, scale: float) -> str:
    return f"{size * scale!r} segments"


def _rates(rates: Sequence[float], scale: float) -> list[str]:
    return [_rate(rate, scale) for rate in rates]


_UNITS_OF: Mapping[str, Callable[[Any, float], Any]] = {"interface": _rate, "rate": _rate, "ladder": _rates}
"""Functions that scale the values of keys; other keys are sizes."""


def _demands(scenario: Scenario) -> list[dict[str, Any]]:
    traffic = scenario.value("users.traffic")
    return [] if isinstance(traffic, str) else traffic


def _given_flows(scenario: Scenario) -> Sequence[Mapping[str, Any]]:
    """Return explicit flows as the user wrote them."""
    return scenario.settings["flows"].given if "flows" in scenario.settings else ()


def _given_arrivals(scenario: Scenario) -> list[tuple[Any, Any]]:
    """Return each process of arrivals as the user wrote it, and in base units."""
    return list(zip(scenario.settings["arrivals"].given, scenario.value("arrivals"), strict=True))


def _scaled_arrivals(process: tuple[Any, Any], scale: float, with_interfaces: bool) -> dict[str, Any]:
    """Return a process as users write it, its rate or factor multiplied.

    A load is a share of a speed that is scaled itself.
    """
    given, parsed = process
    scaled: dict[str, Any] = {}
    if parsed["rate"] is not None:
        scaled["rate"] = f"{parsed['rate'] * scale!r} flows/s"
    elif parsed["load"] is None:
        scaled["factor"] = (1 if parsed["factor"] is None else parsed["factor"]) * scale
    interface = {"interface": _rate(parsed["interface"], scale)} if with_interfaces else {}
    return {**given, **scaled, **interface}


def _scaled_flow(flow: Mapping[str, Any], scale: float, segment_bytes: float, with_interface: bool) -> dict[str, Any]:
    """Return an explicit flow as users write it, with its interface and the data that its application offers scaled."""
    keys = [*(["interface"] if with_interface else []), *_offered(flow)]
    units_of = {key: _UNITS_OF.get(key, _segments) for key in keys}
    return {**flow, **{key: of(FLOWS.value_of(flow, key, segment_bytes), scale) for key, of in units_of.items()}}


def _offered(flow: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys of a user's flow that set the rate of its application; the ladder of a video may be a default."""
    return frozenset(APPLICATION_KEYS & flow.keys() | ({"ladder"} if flow.get("application") == "video" else set()))


def _scaled_change(change: dict[str, Any], scale: float) -> dict[str, Any]:
    """Return a change as users write it, its speed multiplied."""
    known = {key: value for key, value in change.items() if value is not None}
    if "speed" in known:
        known["speed"] = _rate(known["speed"], scale)
    return known | {key: f"{known[key]!r} s" for key in ("time", "delay") if key in known}


def refuse_distorted(scenario: Scenario, scale: float) -> None:
    """Raise an `InputError` where scaling changes the kind of network, not only its size.

    Access routers may not become slower than a normal interface, and data that an application hands over at once may
    not become smaller than a segment. Rounding the number of sources may not move the share of a class of access
    routers, or the data that users offer, by more than 5 %. What was so before scaling does not count.

    `scale`: the factor, above 0.
    """
    smaller = scaled(scenario, scale)
    before, after = (each.describe() for each in (scenario, smaller))
    slowest = float(smaller.value("users.normal_interface"))
    was, now = (_by_class(description, "speed") for description in (before, after))
    for name, sources in _by_class(before, "sources").items():
        if sources and now[name] < slowest and was[name] >= float(scenario.value("users.normal_interface")):
            problem = (
                f"{name} routers ({units.RATE.show(now[name])}) become slower than a normal interface "
                f"({units.RATE.show(slowest)}), which keeps its speed with network.queue = router"
            )
            raise _refusal(problem, scale)
    was, now = (_shares(description) for description in (before, after))
    for name, share in was.items():
        if share > 0 and abs(now.get(name, 0.0) / share - 1) > _LARGEST_SHIFT:
            problem = (
                f"rounding moves the share of sources at {name} routers from {share:.1%} to {now.get(name, 0.0):.1%}"
            )
            raise _refusal(problem, scale)
    offered = before["offered"] * scale
    if offered and abs(after["offered"] / offered - 1) > _LARGEST_SHIFT:
        problem = (
            f"rounding moves the data that users offer from {units.RATE.show(offered)} to "
            f"{units.RATE.show(after['offered'])}"
        )
        raise _refusal(problem, scale)
    for number, flow in enumerate(_given_flows(scenario)):
        for key in _offered(flow) - {"rate"}:
            size = FLOWS.value_of(flow, key, scenario.segment_bytes)
            if key == "ladder":  # the smallest chunk
                size = size[0] * FLOWS.value_of(flow, "chunk_time", scenario.segment_bytes)
            if size * scale < 1 <= size:
                problem = f"flows[{number}].{key} ({units.SEGMENTS.show(size * scale)}) becomes smaller than a segment"
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
