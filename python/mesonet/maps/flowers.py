"""Layout of all routers: backbone routers by their coordinates if these are known, the routers below around them.

A flower is a router with the routers below around it. Flowers push each other apart, because they would hide their
neighbours if two cities are close: the map is a scheme, not a survey.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.maps.layout import layout
from mesonet.maps.network import MapLink, MapRouter, NetworkMap
from mesonet.topologies.cities import CITIES

Point = tuple[float, float]
Label = tuple[float, float, str]
Box = tuple[float, float, float, float]  # left, top, right, bottom

WIDTH, HEIGHT = 640.0, 430.0  # px of the drawing
MARGIN = 14.0  # px, for names at the edge
HEADS = ("backbone", "plain")
BESIDE = 13.0  # px between two routers of one circle
NAME = 22.0  # px between two flowers, room for a name
LETTER = 6.2  # px, mean width in a name
PUSHES = 400


@dataclass(frozen=True)
class MapPoint:
    """A router on the map; positions and lengths are in px."""

    name: str
    label: str  #: name with its city, if it is known
    router_class: str
    x: float  #: from the left
    y: float  #: from the top
    head: bool  #: True if the name is written
    name_at: tuple[float, float, str]  #: px from the router to its name, and the alignment of the name


@dataclass(frozen=True)
class FlowerMap:
    """The routers of a map and its links."""

    places: tuple[MapPoint, ...]
    links: tuple[tuple[int, int], ...]  #: pairs of places in `places`, from 0
    on_map: bool  #: True if the place of every backbone router is known


def flower_map(topology: Any, described: Mapping[str, Any]) -> FlowerMap:
    """Return the routers of a network with their places on the map, and the links between them.

    The places in the order of the routers, and the links; the size of the map is `WIDTH` and `HEIGHT`.
    """
    routers = described["map"]["routers"]
    links = [(link["a"], link["b"]) for link in described["map"]["links"]]
    heads = [n for n, each in enumerate(routers) if each["class"] in HEADS]
    # A user's own network may have routers of all kinds without a router above them.
    parents = _parents(len(routers), links, heads) if heads else {}
    if not heads or len(parents) + len(heads) < len(routers):
        heads, parents = list(range(len(routers))), {}
    places = _places(topology)
    children: dict[int, list[int]] = {n: [] for n in range(len(routers))}
    for child, parent in parents.items():
        children[parent].append(child)
    reach = {n: _reach(n, children) for n in heads}
    points = _spread(_geography(routers, heads, described["map"]["links"], places), [reach[n] for n in heads])
    at = dict(zip(heads, points, strict=True))
    for n in heads:
        at |= _flower(n, at[n], reach[n], children)
    labels = {
        n: f"{each['name']} {places[each['name']][0]}".strip() if each["name"] in places else each["name"]
        for n, each in enumerate(routers)
    }
    names = _names({n: at[n] for n in heads}, reach, labels)
    drawn = tuple(
        MapPoint(
            name=each["name"],
            label=labels[n],
            router_class=each["class"],
            x=round(at[n][0], 1),
            y=round(at[n][1], 1),
            head=n in reach,
            name_at=names.get(n, (0.0, 0.0, "center")),
        )
        for n, each in enumerate(routers)
    )
    on_map = all(routers[n]["name"] in places for n in heads)
    return FlowerMap(drawn, tuple(links), on_map)


def _places(topology: Any) -> dict[str, tuple[str, float, float]]:
    """Return city, latitude and longitude of routers, by name: of a built-in topology, or of a network of the user."""
    if isinstance(topology, str):
        return CITIES.get(topology, {})
    known = {each["name"]: (each.get("latitude"), each.get("longitude")) for each in topology.get("routers", ())}
    return {name: ("", *place) for name, place in known.items() if None not in place}


def _parents(count: int, links: Sequence[tuple[int, int]], heads: Sequence[int]) -> dict[int, int]:
    """Return the parent of each router below a head: the neighbour nearer to a head."""
    near: dict[int, list[int]] = {n: [] for n in range(count)}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    parents: dict[int, int] = {}
    seen, front = set(heads), list(heads)
    while front:
        behind = []
        for n in front:
            for other in near[n]:
                if other not in seen:
                    seen.add(other)
                    parents[other] = n
                    behind.append(other)
        front = behind
    return parents


def _geography(
    routers: Sequence[Mapping[str, Any]],
    heads: Sequence[int],
    links: Sequence[Mapping[str, Any]],
    places: Mapping[str, tuple[str, float, float]],
) -> list[Point]:
    place = {n: index for index, n in enumerate(heads)}
    shown_routers = []
    for n in heads:
        city, latitude, longitude = places.get(routers[n]["name"], ("", None, None))
        shown_routers.append(
            MapRouter(
                name=routers[n]["name"],
                city=city,
                router_class=routers[n]["class"],
                latitude=latitude,
                longitude=longitude,
                below={},
                sources=0,
            )
        )
    shown_links = [
        MapLink(place[link["a"]], place[link["b"]], (0.0, 0.0), 1.0)
        for link in links
        if link["a"] in place and link["b"] in place
    ]
    shown = NetworkMap("", tuple(shown_routers), tuple(shown_links), ())
    return list(layout(shown).points)


def _reach(head: int, children: Mapping[int, Sequence[int]]) -> float:
    """Return the radius of the circle on which the routers below a head find room."""
    leaves = sum(max(1, len(children[child])) for child in children[head])
    return max(22.0, BESIDE * leaves / (2 * math.pi)) if leaves else 6.0


def _spread(points: Sequence[Point], reach: Sequence[float]) -> list[Point]:
    """Return the points in the drawing, apart by what they reach."""
    edge = max(reach) + MARGIN
    low = [min(point[axis] for point in points) for axis in (0, 1)]
    extent = [max(point[axis] for point in points) - low[axis] for axis in (0, 1)]
    room = (WIDTH - 2 * edge, HEIGHT - 2 * edge - 8)
    scale = [room[axis] / extent[axis] if extent[axis] > 1e-9 else 0.0 for axis in (0, 1)]
    # Geography keeps its shape unless most of the drawing would be empty.
    small = min(s for s in scale if s) if any(scale) else 1.0
    scale = [min(s, 1.6 * small) for s in scale]
    offset = [edge + (room[axis] - extent[axis] * scale[axis]) / 2 for axis in (0, 1)]
    spot = [[offset[axis] + (point[axis] - low[axis]) * scale[axis] for axis in (0, 1)] for point in points]
    for _ in range(PUSHES):
        moved = False
        for i in range(len(spot)):
            for j in range(i):
                apart = math.dist(spot[i], spot[j])
                wanted = reach[i] + reach[j] + NAME
                if apart < wanted:
                    moved = True
                    angle = math.atan2(spot[i][1] - spot[j][1], spot[i][0] - spot[j][0]) if apart > 1e-6 else i
                    step = (wanted - apart) / 2 + 0.1
                    for one, sign in ((i, 1), (j, -1)):
                        spot[one][0] += sign * step * math.cos(angle)
                        spot[one][1] += sign * step * math.sin(angle)
        for place in spot:
            place[0] = min(max(place[0], edge), WIDTH - edge)
            place[1] = min(max(place[1], edge + 8), HEIGHT - edge)
        if not moved:
            break
    return [(x, y) for x, y in spot]


def _names(at: Mapping[int, Point], reach: Mapping[int, float], labels: Mapping[int, str]) -> dict[int, Label]:
    """Return the place of each name: the side of its flower where it covers least of other flowers and names."""
    taken = {n: [(x - reach[n], y - reach[n], x + reach[n], y + reach[n])] for n, (x, y) in at.items()}
    chosen: dict[int, Label] = {}
    for n, (x, y) in at.items():
        out, wide = reach[n] + 7, LETTER * len(labels[n])
        sides: list[tuple[Label, Box]] = [
            ((0.0, -out, "center"), (-wide / 2, -out - 10, wide / 2, -out + 3)),
            ((0.0, out + 8, "center"), (-wide / 2, out - 2, wide / 2, out + 11)),
            ((out, 4.0, "left"), (out, -6, out + wide, 7)),
            ((-out, 4.0, "right"), (-out - wide, -6, -out, 7)),
        ]
        others = [box for other, boxes in taken.items() for box in boxes if other != n]

        def covered(side: tuple[Label, Box], x: float = x, y: float = y, others: list[Box] = others) -> float:
            left, top, right, bottom = (edge + base for edge, base in zip(side[1], (x, y, x, y), strict=True))
            inside = (min(right, WIDTH) - max(left, 0.0)) * (min(bottom, HEIGHT) - max(top, 0.0))
            outside = (right - left) * (bottom - top) - max(inside, 0.0)
            return 4 * outside + sum(
                max(0.0, min(right, box[2]) - max(left, box[0])) * max(0.0, min(bottom, box[3]) - max(top, box[1]))
                for box in others
            )

        label, (left, top, right, bottom) = min(sides, key=covered)
        chosen[n] = label
        taken[n].append((x + left, y + top, x + right, y + bottom))
    return chosen


def _flower(head: int, centre: Point, reach: float, children: Mapping[int, Sequence[int]]) -> dict[int, Point]:
    """Return the routers below a head: its children with children half-way out, all others on the circle."""
    leaves = sum(max(1, len(children[child])) for child in children[head])
    at: dict[int, Point] = {}
    turn = -math.pi / 2
    for child in children[head]:
        count = max(1, len(children[child]))
        width = 2 * math.pi * count / leaves
        out = 0.55 if children[child] else 1.0
        at[child] = _on(centre, out * reach, turn + width / 2)
        for place, leaf in enumerate(children[child]):
            at[leaf] = _on(centre, reach, turn + width * (place + 0.5) / count)
        turn += width
    return at


def _on(centre: Point, radius: float, angle: float) -> Point:
    return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)
