"""The network of a scenario as a map: the routers to show, the routers and sources below each, and their links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mesonet.scenarios.scenario import Scenario
from mesonet.topologies import Topology
from mesonet.topologies.cities import CITIES
from mesonet.words import number

_HEADS = ("backbone", "plain")
_BELOW = ("pop", "normal access", "fast access", "direct access")


@dataclass(frozen=True)
class MapRouter:
    """A router shown."""

    name: str
    city: str  #: city of a built-in topology; else empty
    router_class: str
    latitude: float | None  #: `latitude`, `longitude`: degrees, if they are known
    longitude: float | None
    below: Mapping[str, int]  #: number of routers below it, by class
    sources: int  #: sources at the router and below it
    arrivals: float = 0.0  #: open-loop arrivals at the router and below it, flows/s

    @property
    def label(self) -> str:
        """Name and city."""
        return f"{self.name} {self.city}".strip()


@dataclass(frozen=True)
class MapLink:
    """A link between two routers shown."""

    a: int  #: `a`, `b`: indices of the routers shown
    b: int
    delay: tuple[float, float]  #: delay from `a` to `b` and from `b` to `a` with the multiplier, s
    cost: float  #: routing cost
    impaired: bool = False  #: True: the link loses or delays segments, or its rate varies
    #: Load that users and arrivals offer to each direction, as a share of its capacity; None without queues at ports.
    load: tuple[float, float] | None = None
    cost_back: float = 0.0  #: routing cost from `b` to `a`


@dataclass(frozen=True)
class NetworkMap:
    """Map of a network: routers and links to draw, and notes."""

    name: str
    routers: tuple[MapRouter, ...]
    links: tuple[MapLink, ...]
    notes: tuple[str, ...]


def network_map(chosen: Scenario, described: Mapping[str, Any]) -> NetworkMap:
    """Return the map of a scenario.

    It shows backbone and plain routers, and counts the routers below them. A network of the user with other routers is
    shown as it is given.
    """
    topology = chosen.value("topology")
    given = topology if isinstance(topology, Topology) else None
    as_given = given is not None and any(router.router_class not in _HEADS for router in given.routers)
    routers = described["map"]["routers"]
    shown = [n for n, each in enumerate(routers) if as_given or each["class"] in _HEADS]
    place = {number: index for index, number in enumerate(shown)}
    head = {routers[n]["region"]: n for n in shown if routers[n]["class"] in _HEADS}
    sources = [each["sources"] for each in routers]
    flows = [each["arrivals"] for each in routers]
    below: dict[int, dict[str, int]] = {n: dict.fromkeys(_BELOW, 0) for n in shown}
    for n, each in enumerate(routers):
        if n not in place:
            below[head[each["region"]]][each["class"]] += 1
            sources[head[each["region"]]] += each["sources"]
            flows[head[each["region"]]] += each["arrivals"]
    loads = {(each["from"], each["to"]): (each["data"] + each["acks"]) / each["speed"] for each in described["loads"]}
    cities = CITIES.get(described["topology"], {}) if given is None else {}
    own = {router.name: router for router in given.routers} if given else {}

    def shown_router(number: int) -> MapRouter:
        each = routers[number]
        name = each["name"]
        city, latitude, longitude = cities.get(name, ("", None, None))
        if name in own:
            latitude, longitude = own[name].latitude, own[name].longitude
        return MapRouter(
            name=name,
            city=city,
            router_class=each["class"],
            latitude=latitude,
            longitude=longitude,
            below=below[number],
            sources=sources[number],
            arrivals=flows[number],
        )

    return NetworkMap(
        described["topology"],
        tuple(shown_router(number) for number in shown),
        tuple(
            MapLink(
                place[link["a"]],
                place[link["b"]],
                (link["delay"], link["delay_back"]),
                link["cost"],
                link["impaired"],
                load=_load(loads, routers[link["a"]]["name"], routers[link["b"]]["name"]),
                cost_back=link["cost_back"],
            )
            for link in described["map"]["links"]
            if link["a"] in place and link["b"] in place
        ),
        given.notes if given else (),
    )


def _load(loads: Mapping[tuple[str, str | None], float], a: str, b: str) -> tuple[float, float] | None:
    return (loads[a, b], loads[b, a]) if (a, b) in loads else None


def map_columns(shown: NetworkMap) -> list[str]:
    """Return the columns of `map_rows`."""
    columns = ["router", "class", "neighbours and delay in ms", "PoPs", "access N/F/D", "sources"]
    return [*columns, "arrivals"] if has_arrivals(shown) else columns


def has_arrivals(shown: NetworkMap) -> bool:
    """Return True if flows of open-loop arrivals begin in the network."""
    return any(router.arrivals for router in shown.routers)


def map_rows(shown: NetworkMap) -> list[list[str]]:
    """Return a row per router shown.

    Rows of text, in the columns of `map_columns`; the longest lists of neighbours are cut.
    """
    neighbours: list[list[str]] = [[] for _ in shown.routers]
    for link in shown.links:
        for one, other, delay in zip((link.a, link.b), (link.b, link.a), link.delay, strict=True):
            neighbours[one].append(f"{shown.routers[other].name} {delay * 1e3:.4g}")
    rows = []
    for router, near in zip(shown.routers, neighbours, strict=True):
        pops, *access = (router.below[name] for name in _BELOW)
        listed = ", ".join(near[:_MOST_NEIGHBOURS])
        if len(near) > _MOST_NEIGHBOURS:
            listed += f" and {len(near) - _MOST_NEIGHBOURS} more"
        row = [router.label, router.router_class, listed, str(pops), "/".join(map(str, access)), f"{router.sources:,}"]
        rows.append([*row, f"{number(router.arrivals, 4)} flows/s"] if has_arrivals(shown) else row)
    return rows


_MOST_NEIGHBOURS = 8
"""Neighbours listed in one row; hubs of real networks have dozens."""
