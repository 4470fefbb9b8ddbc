"""Access of a backbone: hosts at its routers, or homes below them, each with a link of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mesonet.topologies.model import Link, Router, Topology

_LAN = 1e9
"""Least speed of a home towards its hosts, bit/s (chosen: Gigabit Ethernet)."""
_FEEDER = 1e10
"""Least capacity of feeders and of the links of servers, bit/s (chosen: 10 Gigabit Ethernet)."""
_SLACK = 2
"""Capacity of a feeder, as a multiple of the sum of its homes (chosen): a home is slower than its feeder."""


@dataclass(frozen=True)
class Homes:
    """Homes of one kind. A pair has the values towards the home and from it."""

    name: str  #: name of the kind, for names of routers and for their access
    counts: tuple[int, ...]  #: number of homes, by router of the topology
    capacity: tuple[float, float]  #: of the link of each home, bit/s
    peak: tuple[float, float]  #: highest rate of the link, bit/s; above the capacity where this is a mean
    buffer: tuple[float | None, float | None]  #: buffers of its ports, s of service; None: of the network
    delay: float  #: propagation delay between router and home, s


def hosts_at_routers(topology: Topology) -> Topology:
    """Return a topology of backbone routers with hosts at each of them."""
    return replace(topology, routers=tuple(replace(router, router_class="plain") for router in topology.routers))


def with_homes(topology: Topology, kinds: Sequence[Homes], speed: float) -> Topology:
    """Return a topology of backbone routers with homes below; a router without homes has hosts.

    A router with homes has servers, and a feeder for each kind of homes, which has the delay of the access. `speed`:
    base speed of the network, bit/s.
    """
    routers, links = list(topology.routers), list(topology.links)
    into = _into(topology)

    def attach(
        above: int, name: str, router_class: str, fastest: float | None, access: str | None = None, **values: object
    ) -> int:
        factor = None if fastest is None else fastest / speed
        routers.append(Router(f"{routers[above].name}.{name}", router_class, factor, access=access))
        links.append(Link(above, len(routers) - 1, **{"delay": 0.0, "cost": 0.0, **values}))  # type: ignore[arg-type]
        return len(routers) - 1

    for number, router in enumerate(topology.routers):
        if not any(kind.counts[number] for kind in kinds):
            routers[number] = replace(router, router_class="plain")
            continue
        fast = max(_FEEDER, *into[number])
        attach(number, "servers", "direct", fast, capacity=(fast, fast))
        for kind in kinds:
            count = kind.counts[number]
            if not count:
                continue
            down, up = (max(_FEEDER, _SLACK * count * peak) for peak in kind.peak)
            feeder = attach(number, kind.name, "pop", None, delay=kind.delay, cost=kind.delay, capacity=(down, up))
            lan = max(_LAN, *kind.peak)
            for home in range(count):
                attach(
                    feeder, str(home + 1), "normal", lan, access=kind.name, capacity=kind.capacity, buffer=kind.buffer
                )
    return replace(topology, routers=tuple(routers), links=tuple(links))


def _into(topology: Topology) -> list[tuple[float, float]]:
    """Return the sum of the known capacities of the links into and out of each router, bit/s."""
    sums = [(0.0, 0.0)] * len(topology.routers)
    for link in topology.links:
        there, back = link.capacity or (0.0, 0.0)
        sums[link.b] = sums[link.b][0] + there, sums[link.b][1] + back
        sums[link.a] = sums[link.a][0] + back, sums[link.a][1] + there
    return sums
