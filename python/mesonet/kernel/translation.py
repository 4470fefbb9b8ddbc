"""Scenarios with one bottleneck as set-ups of the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple, NoReturn

from mesonet import algorithms
from mesonet.errors import InputError
from mesonet.kernel.setups import NONE, Bottleneck, Course, Setup, constant
from mesonet.scenarios.kernel_witness import PRESET
from mesonet.scenarios.parameters import PARAMETERS
from mesonet.scenarios.scenario import Scenario
from mesonet.units import RATE, SEGMENT_BYTES

NAMES = {
    "tcp": "reno", "bic": "bic", "cubic": "cubic", "hstcp": "highspeed", "htcp": "htcp", "illinois": "illinois",
    "scalable": "scalable", "vegas": "vegas", "westwood": "westwood", "bbr": "bbr",
}  # fmt: skip
"""Names in the kernel of algorithms of mesonet."""
MOST_FLOWS = 64
MOST_PACKETS = 1 << 21
"""Records of `bottleneck.c`: data and acknowledgements."""
_ONLY = {
    "users.base_sources": 0, "users.long_lived_flows": 0, "time.converged": 0,
    "network.ack_path": "delay", "network.changes": [], "network.ecn_threshold": None, "network.ecn_rewrite": "none",
    "aqm.discipline": "drop_tail", "connection.ecn": False, "transport.segment_bytes": SEGMENT_BYTES,
    "impairments.to_bad": 0, "impairments.jitter": "none", "impairments.keep_order": True, "impairments.late": 0,
    "impairments.duplicate": 0, "impairments.policer_rate": 0, "impairments.outage": "drop",
}  # fmt: skip
"""The only value of each path that the emulated path has."""
_COMPRESSION = "transport.sack_compression"
_HOSTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "transport.min_rto": ("floor_s", float),
    "transport.delayed_acks": ("delayed_acks", bool),
    "transport.burst": ("gso_segments", lambda segments: max(1, round(segments))),
    _COMPRESSION: ("compressed_sacks", bool),
}
"""Values of hosts that a set-up takes from the scenario, with their names there; of the last one, 0 only."""
_ONE_FLOW = {"stop": None, "overhead": 0, "size": None}
_NOT_SET = ("application", "receiver", "lost_segments", "segment_bytes", "transport", "start_within")
_BY_TIME = ("capacity", "delays", "buffers")


class Translated(NamedTuple):
    """A scenario for the kernel."""

    setup: Setup
    queue: str  #: name of the bottleneck in mesonet
    lossy: bool  #: whether the link behind the queue loses segments
    notes: list[str]


def translated(chosen: Scenario) -> Translated:
    """Return the set-up of a scenario; an `InputError` names the value that has no counterpart."""
    tree = chosen.canonical()
    _refuse_values(chosen, tree)
    queue, bottleneck = _bottleneck(chosen, tree)
    flows = tree["flows"]
    setup = Setup(
        algorithms=tuple(_algorithm(chosen, tree, number) for number in range(len(flows))),
        starts_s=tuple(float(flow["start"]) for flow in flows),
        duration_s=float(tree["time"]["duration"]),
        bottleneck=bottleneck,
        **{name: make(chosen.value(path)) for path, (name, make) in _HOSTS.items() if path in chosen.settings},
    )
    packets = 2 * max(rate for _, rate in bottleneck.rate) * setup.duration_s
    if packets > MOST_PACKETS:
        _refuse(chosen, "time.duration", f"{packets:.2g} packets may pass", f"at most {MOST_PACKETS:.2g}")
    lossy = any(value for _, value in (*bottleneck.loss, *bottleneck.outage))
    return Translated(setup, queue, lossy, _notes(chosen))


def steps(given: Any, duration_s: float, *, before: float | None = None) -> Course:
    """Return the course of a value of a scenario up to the end of a run.

    `given`: a number, or points with a period. `before`: value before the first point; None: the first value.
    """
    if not isinstance(given, Mapping):
        return constant(float(given))
    points = [(float(at), float(value)) for at, value in given["points"]]
    if points[0][0] > 0:
        points.insert(0, (0.0, points[0][1] if before is None else before))
    found: list[tuple[float, float]] = []
    for turn in count() if given["period"] else range(1):
        begin = turn * (given["period"] or 0.0)
        if turn and begin >= duration_s:
            break
        found += [(begin + at, value) for at, value in points]
    return tuple(found)


def outages(given: Mapping[str, Any], duration_s: float) -> Course:
    """Return the course of the outages of impairments: 1 in an outage, 0 outside."""
    spans, since = given["outages"], 0.0
    if spans is None:
        if not given["outage_length"]:
            return NONE
        since = float(given["outage_start"])
        spans = {"points": [[0.0, given["outage_length"]]], "period": given["outage_period"] or None}
    edges: list[tuple[float, float]] = []
    for start, length in spans["points"]:
        if edges and start <= edges[-1][0]:
            edges[-1] = (max(edges[-1][0], start + length), 0.0)
        else:
            edges += [(start, 1.0), (start + length, 0.0)]
    course = steps({"points": edges, "period": spans["period"]}, duration_s - since, before=0.0)
    moved = tuple((since + at, value) for at, value in course)
    return (*NONE, *moved) if since else moved


def _refuse(chosen: Scenario, path: str, problem: str, allowed: str) -> NoReturn:
    raise chosen.located(InputError(problem, path=path, allowed=allowed))


def _refuse_values(chosen: Scenario, tree: Mapping[str, Any]) -> None:
    """Refuse what the emulated path does not have, and values of hosts that the kernel chooses itself."""
    for path, only in _ONLY.items():
        section, _, name = path.partition(".")
        if tree[section][name] != only:
            shown = PARAMETERS[path].show(only) or "none"
            _refuse(chosen, path, "a replay on the kernel has no such value", shown)
    for name in ("arrivals", "deployment", "impairment_sets"):
        if name in tree:
            path = f"impairments.{next(iter(tree[name]))}" if name == "impairment_sets" else name
            _refuse(chosen, path, "a replay on the kernel has flows and one impaired link only", "none")
    of_kernel = Scenario(PRESET).set("preset", PRESET)
    for path in chosen.settings:
        if not path.startswith(("transport.", "connection.", "parameters.")) or path in _ONLY:
            continue
        value = chosen.value(path)
        is_taken = path in _HOSTS and not (path == _COMPRESSION and value)
        if not is_taken and value != of_kernel.value(path):
            allowed = f"no value, or the value of the preset {PRESET}"
            _refuse(chosen, path, "the kernel chooses this value itself", allowed)
    _refuse_flows(chosen, tree["flows"])


def _refuse_flows(chosen: Scenario, flows: list[dict[str, Any]]) -> None:
    if not 0 < len(flows) <= MOST_FLOWS:
        _refuse(chosen, "flows", f"{len(flows)} flows", f"1 to {MOST_FLOWS} flows")
    for number, flow in enumerate(flows):
        for key in ("from", "to", "extra_delay"):
            if flow[key] != flows[0][key]:
                problem = "a replay on the kernel has one path for all flows"
                _refuse(chosen, f"flows[{number}].{key}", problem, str(flows[0][key]))
        for key, only in _ONE_FLOW.items():
            if flow[key] != only:
                problem = "flows of a replay on the kernel send to the end, and at once"
                _refuse(chosen, f"flows[{number}].{key}", problem, "the default")
        for key in _NOT_SET:
            if flow.get(key):
                problem = "a replay on the kernel has no such key of flows"
                _refuse(chosen, f"flows[{number}].{key}", problem, "no value")


def _algorithm(chosen: Scenario, tree: Mapping[str, Any], number: int) -> str:
    """Return the name in the kernel of the algorithm of a flow."""
    given, path = tree["flows"][number]["algorithm"], f"flows[{number}].algorithm"
    if given is None:
        path, shares = "algorithms", [each["name"] for each in tree["algorithms"] if each["share"]]
        if len(shares) > 1:
            _refuse(chosen, path, "a mix draws the algorithms of flows", "one algorithm, or flows[].algorithm")
        (given,) = shares
    named = algorithms.resolve(given)
    if named.constants or named.plugin or named.algorithm.name not in NAMES:
        _refuse(chosen, path, f"the kernel has no {given}", ", ".join(NAMES))
    return NAMES[named.algorithm.name]


def _bottleneck(chosen: Scenario, tree: Mapping[str, Any]) -> tuple[str, Bottleneck]:
    """Return the name of the bottleneck in mesonet, and what emulates it."""
    described, flow, duration_s = chosen.describe(), tree["flows"][0], float(tree["time"]["duration"])
    ends, links = (flow["from"], flow["to"]), described["map"]["links"]
    if len(described["map"]["routers"]) != 2 or len(links) != 1 or ends[0] == ends[1]:
        problem = "a replay on the kernel has one bottleneck"
        _refuse(chosen, "topology", problem, "two routers with one link, such as dumbbell, and flows over the link")
    is_port = tree["network"]["queue"] == "port"
    queue, later = (f"{ends[0]} -> {ends[1]}", f"{ends[1]} -> hosts") if is_port else ends
    speed = {each["queue"]: float(each["speed"]) for each in described["loads"]}
    impaired = _impairments(chosen, tree, ends)
    capacity, added = impaired["capacity"], impaired["delays"]
    if capacity and capacity["kind"] != "rates":
        _refuse(chosen, "impairments.capacity", "a file of mahimahi has no rates", "points of time and rate")
    rate = steps(capacity, duration_s) if capacity else constant(speed[queue])
    most = max(value for _, value in rate)
    for path, other in (("network.speed", speed[later]), ("flows[0].interface", float(flow["interface"]))):
        if other < most:
            problem = f"{later if path == 'network.speed' else 'the sender'} is a second bottleneck: "
            problem += f"{RATE.familiar(other)}, and {queue} has {RATE.familiar(most)}"
            _refuse(chosen, path, problem, "one bottleneck")
    link = links[0]
    names = [each["name"] for each in described["map"]["routers"]]
    there, back = ("delay", "delay_back") if names[link["a"]] == ends[0] else ("delay_back", "delay")
    extra = float(flow["extra_delay"])
    forth_s = float(link[there]) + extra + 1 / speed[later] + 1 / float(flow["interface"])
    in_service = int(tree["network"]["buffer_counts_in_service"])
    buffers = impaired["buffers"]
    buffer = min(size for each in described["classes"] for size in each["buffer"])
    places = steps(buffers, duration_s) if buffers else constant(float(buffer))
    return queue, Bottleneck(
        rate=rate,
        places=tuple((at, math.floor(size) - in_service) for at, size in places),
        forth_s=tuple((at, forth_s + delay) for at, delay in steps(added or 0.0, duration_s, before=0.0)),
        back_s=constant(float(link[back]) + extra),
        loss=steps(impaired["loss"], duration_s),
        outage=outages(impaired, duration_s),
    )


def _impairments(chosen: Scenario, tree: Mapping[str, Any], ends: tuple[str, str]) -> Mapping[str, Any]:
    """Return the impairments of the link on the way forth; those of acknowledgements have no effect in mesonet."""
    given: Mapping[str, Any] = tree["impairments"]
    forth = f"{ends[0]} -> {ends[1]}"
    allowed = ("all", forth, " - ".join(ends), " - ".join(reversed(ends)))
    is_used = given["loss"] or given["outage_length"] or given["outages"] or any(given[key] for key in _BY_TIME)
    if is_used and (len(given["at"]) > 1 or given["at"][0] not in allowed):
        _refuse(chosen, "impairments.at", "a replay on the kernel impairs the way to the receiver", forth)
    return given


def _notes(chosen: Scenario) -> list[str]:
    if chosen.preset == PRESET:
        return []
    return [f"hosts of mesonet follow the preset {chosen.preset}; --set preset={PRESET} makes them hosts of a kernel"]
