"""Topologies: routers, links, and notes on values that were filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLASSES = ("backbone", "pop", "normal", "fast", "direct", "plain")
"""Classes of routers, which set their speed. Below backbone routers alone the simulator puts the lower tiers."""


@dataclass(frozen=True)
class Router:
    """Router of a topology."""

    name: str
    router_class: str = "backbone"  #: one of `CLASSES`
    speed_factor: float | None = None  #: factor on the base speed; None: the factor of the class
    latitude: float | None = None  #: `latitude`, `longitude`: degrees, for drawing only
    longitude: float | None = None
    access: str | None = None  #: kind of access of the hosts below; None: the class

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads."""
        data: dict[str, Any] = {
            "name": self.name,
            "class": self.router_class,
            "speed_factor": self.speed_factor,
        }
        extra = {"latitude": self.latitude, "longitude": self.longitude, "access": self.access}
        return data | {key: value for key, value in extra.items() if value is not None}


@dataclass(frozen=True)
class Link:
    """A link, both directions."""

    a: int  #: `a`, `b`: indices of its routers
    b: int
    delay: float  #: propagation delay from `a` to `b`, s
    cost: float  #: routing cost from `a` to `b`
    #: From `a` to `b` and from `b` to `a`, bit/s; None where it is not known.
    capacity: tuple[float, float] | None = None
    delay_back: float | None = None  #: propagation delay from `b` to `a`, s; None: as long
    #: Of the ports from `a` to `b` and from `b` to `a`, s of service; None for the buffer of the network.
    buffer: tuple[float | None, float | None] | None = None
    cost_back: float | None = None  #: routing cost from `b` to `a`; None: as from `a` to `b`

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads."""
        data: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "delay": self.delay,
            "cost": self.cost,
            "capacity": self.capacity,
        }
        extra = {"delay_back": self.delay_back, "buffer": self.buffer, "cost_back": self.cost_back}
        return data | {key: value for key, value in extra.items() if value is not None}


@dataclass(frozen=True)
class Topology:
    """A complete, connected network."""

    name: str  #: last part of the file's name, without its ending
    routers: tuple[Router, ...] = field(repr=False)  #: `routers`, `links`: in the order of the file
    links: tuple[Link, ...] = field(repr=False)
    text: str = field(compare=False)  #: text of the user: a path or ``topohub:KEY``, and options of its reader
    #: Values that were filled in or changed, one clause each.
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads.

        Plain data, delays in s; without sources, so that equal networks have equal text.
        """
        return {
            "name": self.name,
            "routers": [router.canonical() for router in self.routers],
            "links": [link.canonical() for link in self.links],
        }
