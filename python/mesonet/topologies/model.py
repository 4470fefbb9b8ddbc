"""Topologies: routers, links, and notes on values that were filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLASSES = ("backbone", "pop", "normal", "fast", "direct", "plain")
"""What a router can be, which sets its speed. Below backbone routers alone the simulator puts the lower tiers."""


@dataclass(frozen=True)
class Router:
    """Router; `speed_factor` None: the factor of its class. Coordinates in degrees are for drawing only."""

    name: str
    router_class: str = "backbone"
    speed_factor: float | None = None
    latitude: float | None = field(default=None, compare=False)
    longitude: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Link:
    """A link, both directions: indices of its routers, one-way propagation delay in s, routing cost."""

    a: int
    b: int
    delay: float
    cost: float


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
        What the user wrote: a path or ``topohub:KEY``.
    notes
        What was filled in or changed, one clause each.
    """

    name: str
    routers: tuple[Router, ...] = field(repr=False)
    links: tuple[Link, ...] = field(repr=False)
    text: str = field(compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    def canonical(self) -> dict[str, Any]:
        """Return the data that the simulator reads; without sources, so that equal networks have equal text."""
        return {
            "name": self.name,
            "routers": [
                {"name": r.name, "class": r.router_class, "speed_factor": r.speed_factor} for r in self.routers
            ],
            "links": [{"a": e.a, "b": e.b, "delay": e.delay, "cost": e.cost} for e in self.links],
        }
