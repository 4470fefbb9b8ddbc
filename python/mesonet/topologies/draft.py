"""A topology as a file gives it, with gaps. Readers make it, and `mesonet.topologies.complete` completes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace
from mesonet.topologies.attributes import LEAST, MOST
from mesonet.topologies.model import CLASSES
from mesonet.words import counted

MOST_ROUTERS = 10_000
"""Most routers of a file, as in the simulator, which also counts the routers that it puts below a backbone."""
MOST_LINKS = 10_000
"""Most links of a file, as in the simulator."""
_LONGEST_NAME = 100

#: Least and most of each number of a file, in the unit of its name. Delay, cost and speed have the bounds of the
#: simulator.
_BOUNDS = {
    "latitude": (-90.0, 90.0),
    "longitude": (-180.0, 180.0),
    "speed_factor": (1e-6, 1e6),
    "delay_ms": (0.0, 1e6),
    "delay_back_ms": (0.0, 1e6),
    "length_km": (0.0, 1e8),
    "cost": (0.0, 1e9),
    "cost_back": (0.0, 1e9),
    "capacity_mbps": (LEAST / 1e6, MOST / 1e6),
    "capacity_back_mbps": (LEAST / 1e6, MOST / 1e6),
    "buffer_ms": (0.0, 1e6),
    "buffer_back_ms": (0.0, 1e6),
}
LINK_KEYS = (
    "delay_ms", "delay_back_ms", "cost", "cost_back", "length_km", "capacity_mbps", "capacity_back_mbps", "buffer_ms",
    "buffer_back_ms",
)  # fmt: skip
"""Numbers of a link, as a file names them."""


@dataclass
class DraftRouter:
    """A router as given; None: to be filled in. Coordinates in degrees."""

    name: str
    place: FilePlace  #: place in the file, for messages
    router_class: str = "backbone"  #: one of `mesonet.topologies.model.CLASSES`
    speed_factor: float | None = None  #: factor on the base speed; None: the factor of the class
    latitude: float | None = None  #: `latitude`, `longitude`: degrees
    longitude: float | None = None


@dataclass
class DraftLink:
    """A link as given; None: to be filled in."""

    a: int  #: `a`, `b`: indices of the routers
    b: int
    place: FilePlace  #: place in the file, for messages
    #: `delay`, `delay_back`: propagation delay from `a` to `b`, and from `b` to `a` where it is another one, s.
    delay: float | None = None
    #: `cost`, `cost_back`: routing cost from `a` to `b`, and from `b` to `a` where it is another one.
    cost: float | None = None
    length: float | None = None  #: length, km
    #: `capacity`, `capacity_back`: from `a` to `b`, and from `b` to `a` where it is another one, bit/s.
    capacity: float | None = None
    capacity_back: float | None = None
    delay_back: float | None = None
    #: `buffer`, `buffer_back`: of the ports from `a` to `b`, and from `b` to `a`, s; None: the buffer of the network.
    buffer: float | None = None
    buffer_back: float | None = None
    cost_back: float | None = None

    def both_capacities(self) -> tuple[float, float] | None:
        """Return the capacity of each direction.

        From `a` to `b`, from `b` to `a`, bit/s; each is that of the other where only one is known, None without any.
        """
        there, back = (self.capacity, self.capacity_back)
        if there is None:
            there = back
        return None if there is None else (there, there if back is None else back)

    def both_buffers(self) -> tuple[float | None, float | None] | None:
        """Return the buffer of each direction.

        From `a` to `b`, from `b` to `a`, s; `buffer` holds for both where `buffer_back` is not known. None without any.
        """
        if self.buffer is None and self.buffer_back is None:
            return None
        return self.buffer, self.buffer if self.buffer_back is None else self.buffer_back


@dataclass
class Draft:
    """A network as given."""

    name: str  #: name of the network
    text: str  #: text of the user: a path or ``topohub:KEY``
    place: FilePlace  #: `place`, `links_place`: places of routers and of links, for messages
    links_place: FilePlace
    routers: list[DraftRouter] = field(default_factory=list)  #: `routers`, `links`: in the order of the file
    links: list[DraftLink] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  #: changes that the reader made, one clause each


def router(place: FilePlace, name: str, given: Mapping[str, Any]) -> DraftRouter:
    """Return a router from the cells or attributes of a file.

    `given`: values of ``class``, ``speed_factor``, ``latitude`` and ``longitude``; empty values count as absent.
    """
    checked_name(place, name)
    chosen = str(given.get("class") or "backbone")
    if chosen not in CLASSES:
        error = unknown("class of routers", chosen, CLASSES)
        raise place.refuse(error.problem, key="class", value=chosen, allowed=error.allowed)
    latitude, longitude = (_number(place, given, key) for key in ("latitude", "longitude"))
    if (latitude is None) != (longitude is None):
        missing = "latitude" if latitude is None else "longitude"
        raise place.refuse("one coordinate without the other", key=missing, allowed="both latitude and longitude")
    return DraftRouter(
        name=name,
        place=place,
        router_class=chosen,
        speed_factor=_number(place, given, "speed_factor"),
        latitude=latitude,
        longitude=longitude,
    )


def link(place: FilePlace, a: int, b: int, given: Mapping[str, Any]) -> DraftLink:
    """Return a link from the cells or attributes of a file.

    The link, checked; times in s, length in km, capacities in bit/s. `given`: values of `LINK_KEYS`; empty values count
    as absent.
    """

    def time(key: str) -> float | None:
        number = _number(place, given, key)
        # Through text, so that 5.1 ms is the number 0.0051.
        return None if number is None else units.TIME.parse(f"{number!r} ms")

    def capacity(key: str) -> float | None:
        number = _number(place, given, key)
        return None if number is None else number * 1e6

    delay, delay_back = time("delay_ms"), time("delay_back_ms")
    if delay is None and delay_back is not None:
        raise place.refuse("delay_back_ms without delay_ms", key="delay_back_ms", allowed="both delays, or delay_ms")
    cost, cost_back, length = (_number(place, given, key) for key in ("cost", "cost_back", "length_km"))
    if cost is None and cost_back is not None:
        raise place.refuse("cost_back without cost", key="cost_back", allowed="both costs, or cost")
    there, back = capacity("capacity_mbps"), capacity("capacity_back_mbps")
    return DraftLink(
        a=a,
        b=b,
        place=place,
        delay=delay,
        cost=cost,
        length=length,
        capacity=there,
        capacity_back=back,
        delay_back=delay_back,
        buffer=time("buffer_ms"),
        buffer_back=time("buffer_back_ms"),
        cost_back=cost_back,
    )


def join_parallel(draft: Draft, *, directed: bool) -> None:
    """Join the links between the same two routers, with a note: the shortest stays, with the sum of capacities.

    `directed`: a link has the values of one direction, and two opposite ones are the directions of one.
    """
    between: dict[tuple[int, int], DraftLink] = {}
    parallel = 0
    for each in draft.links:
        ends = (min(each.a, each.b), max(each.a, each.b))
        merged = each
        if ends in between:
            other = between[ends]
            opposite = directed and (each.a, each.b) == (other.b, other.a)
            parallel += not opposite
            merged = _merged(*sorted((other, each), key=_order), directed=directed)
        between[ends] = merged
    draft.links = list(between.values())
    if parallel:
        left_out = counted(parallel, "parallel link")
        draft.notes.append(f"{left_out} left out, the shortest of each pair kept with the sum of their capacities")


def checked_name(place: FilePlace, name: str, key: str = "name") -> str:
    """Return the name of a router, if it is one.

    `name`: 1 to 100 printable characters. `key`: column or attribute of the name.
    """
    if not name or not name.isprintable() or len(name) > _LONGEST_NAME:
        problem = "a router without a name" if not name else "not a name"
        raise place.refuse(problem, key=key, value=name, allowed=f"1 to {_LONGEST_NAME} printable characters")
    return name


def refuse_many(place: FilePlace, routers: int, links: int) -> None:
    """Raise an `InputError` for networks that are too large to read on.

    `routers`, `links`: numbers so far; at most `MOST_ROUTERS` and `MOST_LINKS`.
    """
    for what, count, most in (("routers", routers, MOST_ROUTERS), ("links", links, MOST_LINKS)):
        if count > most:
            raise place.refuse(f"too many {what}", allowed=f"at most {most:,}")


def _merged(kept: DraftLink, other: DraftLink, *, directed: bool) -> DraftLink:
    """Return the link `kept` with the capacities of both, and what an edge in the other direction has of its own."""
    there, back = _capacities(kept, directed)
    more = _capacities(other, directed)
    if (other.a, other.b) != (kept.a, kept.b):
        more = (more[1], more[0])
    total = [
        None if one is None and two is None else (one or 0.0) + (two or 0.0)
        for one, two in zip((there, back), more, strict=True)
    ]
    both = replace(kept, capacity=total[0], capacity_back=total[1])
    if not directed or (other.a, other.b) == (kept.a, kept.b):
        return both
    cost_back = other.cost if kept.cost_back is None else kept.cost_back
    # A cost that only the other direction has holds for both.
    both = replace(both, cost=other.cost if kept.cost is None else kept.cost, cost_back=cost_back)
    if kept.delay is None:
        return both
    delay_back = other.delay if kept.delay_back is None else kept.delay_back
    return replace(both, delay_back=delay_back, buffer_back=other.buffer)


def _capacities(each: DraftLink, directed: bool) -> tuple[float | None, float | None]:
    """Return the capacity of each direction; of a directed edge the other one is not known."""
    if directed:
        return each.capacity, each.capacity_back
    return each.both_capacities() or (None, None)


def _order(each: DraftLink) -> tuple[float, float]:
    """Return delay, then length, for sorting; inf where not known."""
    unknown = float("inf")
    return (
        unknown if each.delay is None else each.delay,
        unknown if each.length is None else each.length,
    )


def _number(place: FilePlace, given: Mapping[str, Any], key: str) -> float | None:
    value = given.get(key)
    if value is None or value == "":
        return None
    least, most = _BOUNDS[key]
    allowed = f"a number from {least:g} to {most:g}"
    try:
        number = units.number(value)
    except InputError as error:
        raise place.refuse(error.problem, key=key, value=value, allowed=allowed) from None
    if problem := units.beyond(number, least, most):
        raise place.refuse(problem, key=key, value=value, allowed=allowed)
    return number
