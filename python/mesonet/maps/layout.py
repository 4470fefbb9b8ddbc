"""Layout of maps: routers by their coordinates, labels where they overlap nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mesonet.maps.network import NetworkMap

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in px."""

FONT_SIZE = 11
_LINE = 1.15 * FONT_SIZE
"""Height of a line, px."""
_NARROW, _USUAL, _CAPITAL, _WIDE = 0.3, 0.56, 0.72, 0.9
"""Widths of characters of Liberation Sans (the widths of Arial) in units of the font size, rounded up."""
_ROOMS = (420.0, 760.0, 1000.0, 1400.0, 1900.0)
"""Widths tried for the routers, px; heights are at most 3/4 of it."""
_TOGETHER = 12.0
"""Distance of a router from the place that it shares with others, px."""
_MOST_CHARACTERS = 24
"""Longer names are cut."""
_ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""Places on a link where its label may stand, as parts of its length, best first."""


@dataclass(frozen=True)
class Label:
    """A text in a drawing; its height is the height of a line."""

    text: str
    x: float  #: `x`, `y`: its centre, px
    y: float
    width: float  #: its width, px


@dataclass(frozen=True)
class MapLayout:
    """A drawing, y downwards."""

    width: float  #: `width`, `height`: size, px
    height: float
    points: tuple[Point, ...]  #: `points`, `radii`: centre and radius of each router, px
    radii: tuple[float, ...]
    #: `router_labels`, `link_labels`: label of each router and of each link; None without a place for it.
    router_labels: tuple[Label | None, ...]
    link_labels: tuple[Label | None, ...]


def layout(shown: NetworkMap) -> MapLayout:
    """Return the places of routers, then their labels (most neighbours first), then the delays of links.

    The drawing grows until there is room for all names and nine of ten delays, or to its largest size.

    The drawing, in px.
    """
    for room in _ROOMS:
        drawn = _layout(shown, room)
        # Links without delay join routers of one place: no size makes room between them.
        lost = [
            link
            for link, label in zip(shown.links, drawn.link_labels, strict=True)
            if label is None and any(link.delay)
        ]
        if None not in drawn.router_labels and len(lost) <= len(shown.links) / 10:
            break
    return drawn


def _layout(shown: NetworkMap, room: float) -> MapLayout:
    points, width, height = _points(shown, room)
    radii = _radii(shown)
    degree = [0] * len(points)
    for link in shown.links:
        degree[link.a] += 1
        degree[link.b] += 1
    texts = [_cut(router.label) for router in shown.routers]
    lines = [(points[link.a], points[link.b]) for link in shown.links]
    taken = [_box(point, 2 * radius, 2 * radius) for point, radius in zip(points, radii, strict=True)]
    frame = (0.0, 0.0, width, height)

    def placed(text: str, centres: Iterator[Point], own: int | None) -> Label | None:
        best: tuple[float, Label, Box] | None = None
        for order, (x, y) in enumerate(centres):
            box = _box((x, y), text_width(text) + 4, _LINE)
            if not _inside(box, frame) or any(_overlap(box, other) for other in taken):
                continue
            crossed = sum(_crosses(box, line) for number, line in enumerate(lines) if number != own)
            if own is not None and _nearest((x, y), lines) != own:
                crossed += 1
            if best is None or crossed + 0.1 * order < best[0]:
                best = (crossed + 0.1 * order, Label(text, x, y, text_width(text)), box)
        if best is None:
            return None
        taken.append(best[2])
        return best[1]

    router_labels: list[Label | None] = [None] * len(points)
    for number in sorted(range(len(points)), key=lambda n: (-degree[n], n)):
        text = texts[number]
        router_labels[number] = placed(text, _around(points[number], radii[number], text), None)
    link_labels = []
    for number, (link, (a, b)) in enumerate(zip(shown.links, lines, strict=True)):
        text = " / ".join(dict.fromkeys(f"{delay * 1e3:.3g}" for delay in link.delay))
        link_labels.append(placed(text, _along(a, b, text), number))
    return MapLayout(
        width=width,
        height=height,
        points=tuple(points),
        radii=radii,
        router_labels=tuple(router_labels),
        link_labels=tuple(link_labels),
    )


def _points(shown: NetworkMap, room: float) -> tuple[list[Point], float, float]:
    """Return routers in px, width and height: an equirectangular map, or a line or circle without coordinates."""
    count = len(shown.routers)
    places = [(router.latitude, router.longitude) for router in shown.routers]
    known = [(latitude, longitude) for latitude, longitude in places if latitude is not None and longitude is not None]
    if len(known) < count or len(set(known)) < 2:
        turn = [math.pi + 2 * math.pi * number / count for number in range(count)]
        line = _chain(shown)
        plane = [(line.index(n), 0.0) if line else (math.cos(turn[n]), math.sin(turn[n])) for n in range(count)]
    else:
        middle = math.cos(math.radians((max(known)[0] + min(known)[0]) / 2))
        west = _west([longitude for _, longitude in known])
        plane = [((longitude - west) % 360 * middle, -latitude) for latitude, longitude in known]
    left, top = (min(point[axis] for point in plane) for axis in (0, 1))
    across, down = (max(point[axis] for point in plane) - low for axis, low in ((0, left), (1, top)))
    scale = min(room / max(across, 1e-9), 0.75 * room / max(down, 1e-9))
    longest = max(text_width(_cut(router.label)) for router in shown.routers)
    beside, above = longest + 25, 2.5 * _LINE
    points = [(beside + scale * (x - left), above + scale * (y - top)) for x, y in plane]
    return _apart(points), scale * across + 2 * beside, scale * down + 2 * above


def _chain(shown: NetworkMap) -> list[int]:
    """Return the routers in order if they form a chain; empty otherwise."""
    neighbours: list[list[int]] = [[] for _ in shown.routers]
    for link in shown.links:
        neighbours[link.a].append(link.b)
        neighbours[link.b].append(link.a)
    ends = [number for number, near in enumerate(neighbours) if len(near) == 1]
    if len(ends) != 2 or any(len(near) > 2 for near in neighbours):
        return []
    order = [ends[0]]
    while len(order) < len(neighbours):
        order += [number for number in neighbours[order[-1]] if number not in order[-2:]]
    return order


def _apart(points: list[Point]) -> list[Point]:
    """Return the points with routers of equal place spread on a circle around it."""
    same: dict[Point, list[int]] = {}
    for number, (x, y) in enumerate(points):
        same.setdefault((round(x), round(y)), []).append(number)
    moved = list(points)
    for numbers in same.values():
        distance = max(_TOGETHER, _TOGETHER * len(numbers) / math.pi) if len(numbers) > 1 else 0.0
        for turn, number in enumerate(numbers):
            angle = 2 * math.pi * turn / len(numbers)
            x, y = points[number]
            moved[number] = (x + distance * math.cos(angle), y + distance * math.sin(angle))
    return moved


def _west(longitudes: list[float]) -> float:
    """Return the western edge: behind the widest gap, so that a map over the antimeridian stays in one piece."""
    ordered = sorted(set(longitudes))
    gaps = [(after - before, after) for before, after in pairwise(ordered)]
    return max([*gaps, (ordered[0] + 360 - ordered[-1], ordered[0])])[1]


def text_width(text: str) -> float:
    """Return the width of a text, a little too large rather than too small. Width, px."""
    widths = {**dict.fromkeys("fijlrtI.,:;'|!()[]/- ", _NARROW), **dict.fromkeys("mwMW@%", _WIDE)}
    return FONT_SIZE * sum(widths.get(each, _CAPITAL if each.isupper() else _USUAL) for each in text)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def _radii(shown: NetworkMap) -> tuple[float, ...]:
    """Return radii in px: areas in proportion to sources or arrivals below, within bounds for visibility and room."""
    sources = any(router.sources for router in shown.routers)
    weights = [router.sources if sources else router.arrivals for router in shown.routers]
    most = max(weights, default=0)
    largest = min(11.0, max(4.5, 45.0 / math.sqrt(len(shown.routers))))
    return tuple(max(3.5, largest * math.sqrt(weight / most)) if most else 6.0 for weight in weights)


def _around(point: Point, radius: float, text: str) -> Iterator[Point]:
    """Yield centres of a label beside a point: right, left, above, below, then the corners, then further out."""
    half, line = text_width(text) / 2 + 2, _LINE / 2
    for gap in (radius + 1.0, radius + 9.0):
        for east, south in ((1, 0), (-1, 0), (0, -1), (0, 1)):
            yield point[0] + east * (gap + half), point[1] + south * (gap + line)
        for east, south in ((1, -1), (-1, -1), (1, 1), (-1, 1)):
            yield point[0] + east * (0.7 * gap + half), point[1] + south * (0.7 * gap + line)


def _along(a: Point, b: Point, text: str) -> Iterator[Point]:
    """Yield centres of a label on a link, then beside its middle."""
    for t in _ALONG:
        yield a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
    length = math.hypot(b[0] - a[0], b[1] - a[1]) or 1.0
    for side in (1, -1):
        x, y = side * (a[1] - b[1]) / length, side * (b[0] - a[0]) / length
        yield (a[0] + b[0]) / 2 + x * (text_width(text) / 2 + 2), (a[1] + b[1]) / 2 + y * _LINE


def _nearest(point: Point, lines: list[tuple[Point, Point]]) -> int:
    """Return the line next to a point."""
    return min(range(len(lines)), key=lambda number: _distance(point, lines[number]))


def _distance(point: Point, line: tuple[Point, Point]) -> float:
    (x, y), (x2, y2) = line
    length = (x2 - x) ** 2 + (y2 - y) ** 2
    along = ((point[0] - x) * (x2 - x) + (point[1] - y) * (y2 - y)) / length if length else 0.0
    along = min(1.0, max(0.0, along))
    return math.hypot(point[0] - x - along * (x2 - x), point[1] - y - along * (y2 - y))


def _box(centre: Point, width: float, height: float) -> Box:
    return centre[0] - width / 2, centre[1] - height / 2, centre[0] + width / 2, centre[1] + height / 2


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _crosses(box: Box, line: tuple[Point, Point]) -> bool:
    """Return True if a line goes through a box (Liang and Barsky)."""
    (x, y), (x2, y2) = line
    enter, leave = 0.0, 1.0
    for step, room in ((x - x2, x - box[0]), (x2 - x, box[2] - x), (y - y2, y - box[1]), (y2 - y, box[3] - y)):
        if step == 0:
            if room < 0:
                return False
        elif step < 0:
            enter = max(enter, room / step)
        else:
            leave = min(leave, room / step)
    return enter < leave
