"""From a network as given to a complete one: checks, then coordinates, delays and costs that are missing."""

from __future__ import annotations

import math
from dataclasses import replace

from mesonet.topologies.draft import Draft, DraftLink, DraftRouter, refuse_many
from mesonet.topologies.model import Link, Router, Topology

EARTH_RADIUS = 6371.0
"""km, the mean radius."""
_MOST_PARTS = 5
"""Most parts of a network that a message names."""
_MOST_LEFT_OUT = 8
"""Most routers left out that a note names."""
DELAY_PER_KM = 0.0088272e-3
"""s, one way; calibrated: it gives Abilene its published mean propagation round trip of 41 ms (ASME paper).

Light in fibre needs 0.0049 ms/km, so this stands for fibre 1.8 times as long as the great circle."""


def complete(draft: Draft, *, largest: bool = False, default_delay: float | None = None) -> Topology:
    """Return the network with everything that the simulator needs.

    `largest`: keep the largest part of a network that is not connected. `default_delay`: of links without delay and
    length between routers without coordinates, s; None: such links are refused.
    """
    kept = _keep_largest(draft) if largest else []
    _check(draft)
    notes = [*draft.notes, *kept, *_fill_coordinates(draft), *_fill_delays(draft, default_delay), *_fill_costs(draft)]
    routers = (Router(r.name, r.router_class, r.speed_factor, r.latitude, r.longitude) for r in draft.routers)
    links = (
        Link(
            a=e.a,
            b=e.b,
            delay=e.delay or 0.0,
            cost=e.cost or 0.0,
            capacity=e.both_capacities(),
            delay_back=None if e.delay_back == e.delay else e.delay_back,
            buffer=e.both_buffers(),
            cost_back=None if e.cost_back == e.cost else e.cost_back,
        )
        for e in draft.links
    )
    return Topology(draft.name, tuple(routers), tuple(links), draft.text, tuple(notes))


def great_circle(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the distance of two points (haversine).

    Examples
    --------
    >>> round(great_circle((0.0, 0.0), (0.0, 90.0)))
    10008
    """
    (phi, lam), (phi2, lam2) = ([math.radians(degrees) for degrees in point] for point in (a, b))
    h = math.sin((phi2 - phi) / 2) ** 2 + math.cos(phi) * math.cos(phi2) * math.sin((lam2 - lam) / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, h)))


def _check(draft: Draft) -> None:
    refuse_many(draft.place, len(draft.routers), len(draft.links))
    if len(draft.routers) < 2:
        raise draft.place.refuse("too few routers", value=len(draft.routers), allowed="at least 2")
    for each in draft.links:
        if each.a == each.b:
            name = draft.routers[each.a].name
            raise each.place.refuse("a link from a router to itself", value=name, allowed="two different routers")
    parts = _parts(draft)
    if len(parts) > 1:
        names = [draft.routers[part[0]].name for part in parts]
        inside, outside = names[0], names[1]
        most = ", ".join(
            f'{_counted(len(part), "router")} with "{name}"'
            for part, name in list(zip(parts, names, strict=True))[:_MOST_PARTS]
        )
        more = f" and {len(parts) - _MOST_PARTS} more" if len(parts) > _MOST_PARTS else ""
        problem = f'the network is not connected: no way from "{inside}" to "{outside}"; its parts: {most}{more}'
        allowed = "links that join all routers, or component = largest"
        raise draft.links_place.refuse(problem, allowed=allowed)


def _keep_largest(draft: Draft) -> list[str]:
    """Leave the largest part of the network, the first of equals; return notes."""
    largest, *others = _parts(draft)
    if not others:
        return []
    left_out = [draft.routers[number].name for part in others for number in part]
    new = {old: place for place, old in enumerate(sorted(largest))}
    draft.routers = [draft.routers[old] for old in new]
    draft.links = [replace(each, a=new[each.a], b=new[each.b]) for each in draft.links if each.a in new]
    shown = ", ".join(left_out[:_MOST_LEFT_OUT])
    more = f" and {len(left_out) - _MOST_LEFT_OUT} more" if len(left_out) > _MOST_LEFT_OUT else ""
    return [f"largest part of the network kept; {_counted(len(left_out), 'router')} left out: {shown}{more}"]


def _parts(draft: Draft) -> list[list[int]]:
    """Return the routers of each connected part, the largest part first."""
    neighbours = _neighbours(draft)
    parts, seen = [], [False] * len(neighbours)
    for first in range(len(neighbours)):
        if seen[first]:
            continue
        seen[first], part = True, [first]
        for router in part:
            for other in neighbours[router]:
                if not seen[other]:
                    seen[other] = True
                    part.append(other)
        parts.append(part)
    return sorted(parts, key=len, reverse=True)


def _neighbours(draft: Draft) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in draft.routers]
    for each in draft.links:
        neighbours[each.a].append(each.b)
        neighbours[each.b].append(each.a)
    return neighbours


def _fill_coordinates(draft: Draft) -> list[str]:
    """Fill in the mean of the neighbours in rounds, if any router has coordinates; return notes."""
    missing = [number for number, each in enumerate(draft.routers) if each.latitude is None]
    if not missing or len(missing) == len(draft.routers):
        return []
    neighbours, count = _neighbours(draft), len(missing)
    while missing:
        found = {}
        for number in missing:
            known = [_position(draft.routers[other]) for other in neighbours[number]]
            points = [point for point in known if point is not None]
            if points:
                found[number] = _mean(points)
        for number, (latitude, longitude) in found.items():
            draft.routers[number].latitude, draft.routers[number].longitude = latitude, longitude
        missing = [number for number in missing if number not in found]
    return [f"coordinates of {_counted(count, 'router')} from the mean of their neighbours'"]


def _fill_delays(draft: Draft, default: float | None) -> list[str]:
    by_length = by_coordinates = by_default = without = 0
    for each in draft.links:
        if each.delay is not None:
            continue
        kilometres = each.length
        if kilometres is not None:
            by_length += 1
        elif default is not None and _has_no_place(draft, each):
            each.delay = default
            by_default += 1
            continue
        else:
            kilometres = _distance(draft, each)
            by_coordinates += 1
        each.delay = round(kilometres * DELAY_PER_KM, 9)  # to 1 ns, so that no platform's last digit shows
        without += each.delay == 0
    notes = [
        f"delay of {_counted(count, 'link')} from {what}, {DELAY_PER_KM * 1e3:g} ms/km"
        for count, what in ((by_length, "length"), (by_coordinates, "coordinates"))
        if count
    ]
    if by_default:
        notes.append(f"delay of {_counted(by_default, 'link')} without length and coordinates: the default delay")
    return notes + ([f"{_counted(without, 'link')} of no length: delay 0"] if without else [])


def _has_no_place(draft: Draft, each: DraftLink) -> bool:
    return any(_position(draft.routers[end]) is None for end in (each.a, each.b))


def _distance(draft: Draft, each: DraftLink) -> float:
    """Return the great-circle length of a link in km."""
    a, b = (_position(draft.routers[end]) for end in (each.a, each.b))
    if a is None or b is None:
        names = " - ".join(draft.routers[end].name for end in (each.a, each.b))
        allowed = "delay_ms or length_km of every link, coordinates of the routers, or default_delay"
        raise each.place.refuse(
            "a link without a delay, between routers without coordinates", value=names, allowed=allowed
        )
    return great_circle(a, b)


def _fill_costs(draft: Draft) -> list[str]:
    filled = [each for each in draft.links if each.cost is None]
    for each in filled:
        each.cost, each.cost_back = each.delay, each.delay_back
    return [f"cost of {_counted(len(filled), 'link')} = delay in s"] if filled else []


def _position(each: DraftRouter) -> tuple[float, float] | None:
    return None if each.latitude is None or each.longitude is None else (each.latitude, each.longitude)


def _mean(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the mean latitude and longitude; longitudes count from the first, so that 179 and -179 give 180."""
    first = points[0][1]
    east = sum((longitude - first + 180) % 360 - 180 for _, longitude in points) / len(points)
    return sum(latitude for latitude, _ in points) / len(points), (first + east + 180) % 360 - 180


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
