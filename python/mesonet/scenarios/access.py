"""The network of a scenario: its topology, with hosts at the routers or homes below them (``tiers.access``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.scenarios import impairment_sets
from mesonet.scenarios.kinds.access import ALL, NONE, STUDY
from mesonet.scenarios.parameters import PARAMETERS
from mesonet.topologies import Topology
from mesonet.topologies.draft import MOST_ROUTERS
from mesonet.topologies.homes import Homes, hosts_at_routers, with_homes

PATH, HOMES = "tiers.access", "tiers.homes_per_pop"
PATHS = (PATH, HOMES)
"""Paths that the simulator does not read: it gets the network that follows from them."""
_OWN = "a topology of your own that has backbone routers only"
_OF_BOTH_WAYS = ("loss", "jitter", "jitter_mean")


@dataclass(frozen=True)
class Network:
    """The network that the simulator gets."""

    topology: str | Topology  #: built-in name, or routers and links
    #: Impairments of the links of homes by name of the set, each in base units by key of ``[impairments]``.
    impairment_sets: Mapping[str, Mapping[str, Any]]
    homes: tuple[Homes, ...] = ()  #: kinds of homes that the network has


def network(value: Callable[[str], Any]) -> Network:
    """Return the network of a scenario; raise an `InputError` if its topology cannot have the access.

    `value`: returns the value of the scenario at a path.
    """
    topology, access = value("topology"), value(PATH)
    if access == STUDY:
        return Network(topology, {})
    if not isinstance(topology, Topology):
        raise InputError(f"{topology} is built with its access routers", path=PATH, allowed=f"{STUDY}, or {_OWN}")
    bare = all(router.router_class == "backbone" for router in topology.routers)
    if access == NONE:
        return Network(hosts_at_routers(topology) if bare else topology, {})
    if not bare:
        raise InputError(f"{topology.name} has access routers of its own", path=PATH, allowed=f"{STUDY}, or {_OWN}")
    if value("network.queue") == "router":
        problem = "homes have links of two directions, and a router has one queue"
        raise InputError(problem, path="network.queue", allowed="port")
    bits = 8 * float(value("transport.segment_bytes"))
    counts = _counts(access, topology, value(HOMES))
    duration = value("time.duration")
    homes = tuple(_homes(entry, of_entry, bits, duration) for entry, of_entry in zip(access, counts, strict=True))
    built = with_homes(topology, homes, value("network.speed") * bits)
    if len(built.routers) > MOST_ROUTERS:
        problem = f"{len(built.routers):,} routers with homes, servers and feeders are too many"
        raise InputError(problem, path=PATH, allowed=f"at most {MOST_ROUTERS:,} routers")
    factor = value("network.capacity_factor")
    sets = {
        f"{PATH}[{number}].{way}": values
        for number, (entry, kind) in enumerate(zip(access, homes, strict=True))
        for way, values in _impairments(entry, kind, topology, factor).items()
    }
    return Network(built, sets, homes)


def _counts(access: Sequence[Mapping[str, Any]], topology: Topology, homes: int) -> list[tuple[int, ...]]:
    """Return the number of homes of each entry, by router. Largest remainders divide; the first of equals has more."""
    names = [router.name for router in topology.routers]
    for number, entry in enumerate(access):
        for place, name in enumerate(entry["at"]):
            if name != ALL and name not in names:
                problem = f'"{topology.name}" has no {unknown("router", name, names).problem.removeprefix("unknown ")}'
                raise InputError(problem, None, f"{PATH}[{number}].at[{place}]", name, f"{ALL}, or names of routers")
    by_router = [
        _divided([entry if {ALL, name} & set(entry["at"]) else None for entry in access], homes) for name in names
    ]
    totals = [tuple(counts) for counts in zip(*by_router, strict=True)]
    for number, counts in enumerate(totals):
        if not any(counts):
            allowed = f"a larger share, or more {HOMES}"
            raise InputError("no router has such a home", path=f"{PATH}[{number}].share", allowed=allowed)
    return totals


def _divided(entries: Sequence[Mapping[str, Any] | None], homes: int) -> list[int]:
    """Return the number of homes of each entry at a router; None: an entry that has none there."""
    counts = [0 if entry is None or entry["homes"] is None else int(entry["homes"]) for entry in entries]
    shares = [0.0 if entry is None or entry["share"] is None else float(entry["share"]) for entry in entries]
    total = sum(shares)
    if total:
        exact = [homes * share / total for share in shares]
        whole = [int(part + 1e-9) for part in exact]
        order = sorted(range(len(entries)), key=lambda place: whole[place] - exact[place])
        for place in order[: homes - sum(whole)]:
            whole[place] += 1
        counts = [count + more for count, more in zip(counts, whole, strict=True)]
    return counts


def _homes(entry: Mapping[str, Any], counts: tuple[int, ...], bits: float, duration: float) -> Homes:
    """Return the homes of an entry. `bits`: of a segment."""
    rates = [_rates(entry, way, duration) for way in ("down", "up")]
    buffers = [_seconds(entry[f"{way}_buffer"], mean) for way, (mean, _) in zip(("down", "up"), rates, strict=True)]
    (down, most_down), (up, most_up) = ([_digits(rate * bits) for rate in pair] for pair in rates)
    return Homes(
        name=entry["name"],
        counts=counts,
        capacity=(down, up),
        peak=(most_down, most_up),
        buffer=(buffers[0], buffers[1]),
        delay=entry["delay"],
    )


def _rates(entry: Mapping[str, Any], way: str, duration: float) -> tuple[float, float]:
    """Return the mean and the highest rate of a direction, segments/s."""
    if entry[way] is not None:
        return entry[way], entry[way]
    trace = entry[f"{way}_trace"]
    points, span = trace["points"], trace["period"] or duration
    if trace["kind"] == "opportunities":
        mean = sum(segments for _, segments in points) / span
        return mean, mean
    ends = [min(time, span) for time, _ in points[1:]] + [span]
    starts = [0.0, *(time for time, _ in points[1:])]
    spent = (max(end - start, 0.0) for start, end in zip(starts, ends, strict=True))
    return sum(rate * time for (_, rate), time in zip(points, spent, strict=True)) / span, max(
        rate for _, rate in points
    )


def _seconds(buffer: Mapping[str, Any] | None, rate: float) -> float | None:
    """Return a buffer as time of service at a rate of segments."""
    if buffer is None:
        return None
    return float(buffer["factor"]) if buffer["rule"] == "time" else _digits(buffer["factor"] / rate)


def _digits(value: float) -> float:
    """Return a number to 12 digits: 50 Mbit/s are 50e6 bit/s, whatever a segment has."""
    return float(f"{value:.12g}")


def _impairments(entry: Mapping[str, Any], kind: Homes, topology: Topology, factor: float) -> dict[str, dict[str, Any]]:
    """Return the impairments of the links of homes, towards them and from them, where they have any."""
    both = {key: entry[key] for key in _OF_BOTH_WAYS if entry[key] is not None}
    down, up = dict(both), dict(both)
    if entry["policer"] is not None:
        down["policer_rate"] = entry["policer"] * factor
    if entry["policer_burst"] is not None:
        down["policer_burst"] = entry["policer_burst"]
    for values, way in ((down, "down"), (up, "up")):
        if entry[f"{way}_trace"] is not None:
            values["capacity"] = entry[f"{way}_trace"]
    homes = [
        (f"{router.name}.{kind.name}", f"{router.name}.{kind.name}.{home + 1}")
        for router, count in zip(topology.routers, kind.counts, strict=True)
        for home in range(count)
    ]
    given = {
        "down": (down, [f"{feeder} -> {home}" for feeder, home in homes]),
        "up": (up, [f"{home} -> {feeder}" for feeder, home in homes]),
    }
    return {way: _defaults() | values | {"at": at} for way, (values, at) in given.items() if values}


def _defaults() -> dict[str, Any]:
    """Return the values of a set of impairments that does nothing."""
    keys = {key: PARAMETERS[f"impairments.{key}"] for key in impairment_sets.key_names()}
    return {key: parameter.parse(parameter.default) for key, parameter in keys.items()}
