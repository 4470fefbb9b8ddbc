"""Topologies: routers, links, and notes on values that were filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLASSES = ("backbone", "pop", "normal", "fast", "direct", "plain")
"""Classes of routers, which set their speed. Below backbone routers alone the simulator puts the lower tiers."""


@dataclass(frozen=True)
class Router:
    """Router of a topology.

    Attributes
    ----------
    name
        Name of the router.
    router_class
        One of `CLASSES`.
    speed_factor
        Factor on the base speed; None: the factor of the class.
    latitude, longitude
        Degrees, for drawing only.
    """

    name: str
    router_class: str = "backbone"
    speed_factor: float | None = None
    latitude: float | None = field(default=None, compare=False)
    longitude: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Link:
    """A link, both directions.

    Attributes
    ----------
    a, b
        Indices of its routers.
    delay
        Propagation delay from `a` to `b`, s.
    cost
        Routing cost.
    capacity
        From `a` to `b` and from `b` to `a`, bit/s; None where it is not known.
    delay_back
        Propagation delay from `b` to `a`, s; None: as long.
    buffer
        Of the ports from `a` to `b` and from `b` to `a`, s of service; None for the buffer of the network.
    """

    a: int
    b: int
    delay: float
    cost: float
    capacity: tuple[float, float] | None = None
    delay_back: float | None = None
    buffer: tuple[float | None, float | None] | None = None

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads.

        Returns
        -------
        Plain data; values that few links have only where they are set.
        """
        data: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "delay": self.delay,
            "cost": self.cost,
            "capacity": self.capacity,
        }
        extra = {"delay_back": self.delay_back, "buffer": self.buffer}
        return data | {key: value for key, value in extra.items() if value is not None}


@dataclass(frozen=True)
class Topology:
    """A complete, connected network.

    Attributes
    ----------
    name
        Last part of the file's name, without its ending.
    routers, links
        In the order of the file.
    text
        Text of the user: a path or ``topohub:KEY``.
    notes
        Values that were filled in or changed, one clause each.
    """

    name: str
    routers: tuple[Router, ...] = field(repr=False)
    links: tuple[Link, ...] = field(repr=False)
    text: str = field(compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads.

        Returns
        -------
        Plain data, delays in s; without sources, so that equal networks have equal text.
        """
        return {
            "name": self.name,
            "routers": [
                {"name": r.name, "class": r.router_class, "speed_factor": r.speed_factor} for r in self.routers
            ],
            "links": [link.canonical() for link in self.links],
        }
