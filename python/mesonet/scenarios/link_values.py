"""Values of links, such as ``links["A","B"].capacity``: they replace the values of the topology.

A value has a path of its own, so that a factor can vary it. It holds for both directions. A path with one place, such
as ``links["backbone"].capacity``, names several links; the value of a smaller set of links has precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mesonet.errors import unknown
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.rate import Rate
from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.parameters import Parameter
from mesonet.topologies import CLASSES

_ENTRY = re.compile(r"""links\[\s*(["'])(.+?)\1\s*(?:,\s*(["'])(.+?)\3\s*)?\]\.(\w+)""")
_SETS = ("all", "access")
"""Places that hold links of several classes."""
KEYS = {
    parameter.path.removeprefix("links[]."): parameter
    for parameter in (
        Parameter("links[].capacity", Rate("40 Mbit/s"), None, "Capacity of the link, for ports.", "the topology"),
        Parameter(
            "links[].capacity_factor", NUMBER, None,
            "Multiplies the capacity of the link, for ports, after `capacity`.", "the topology",
        ),
        Parameter("links[].buffer", TIME, None, "Buffer of the ports of the link, as time of service.", "the topology"),
        Parameter("links[].cost", NUMBER, None, "Routing cost of the link.", "the topology"),
        Parameter("links[].delay", TIME, None, "One-way propagation delay of the link.", "the topology"),
        Parameter(
            "links[].state", Choice("up", "down", name="state of a link"), None,
            "`down`: the network has no such link in the whole run. `network.changes` lets links fail during it.",
            "the topology",
        ),
    )
}  # fmt: skip
"""Keys of a link."""


def full(path: str) -> str | None:
    """Return the full path of a value of links, with two ends in the order of the alphabet; None for any other path.

    Examples
    --------
    >>> full("links['B', 'A'].cost"), full("links['backbone'].capacity")
    ('links["A","B"].cost', 'links["backbone"].capacity')
    """
    match = _ENTRY.fullmatch(path)
    if not match:
        return None
    if match[5] not in KEYS:
        raise unknown("key of links", match[5], KEYS, path=path)
    return f"links[{','.join(f'{chr(34)}{place}{chr(34)}' for place in _places(match))}].{match[5]}"


def parameter(path: str) -> Parameter | None:
    """Return the key that a path of a link names; None for any other path."""
    match = _ENTRY.fullmatch(path)
    return KEYS.get(match[5]) if match else None


def entries(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return links with their values, as the simulator reads them: the last one wins. `values`: by full path."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for path in paths(values):
        match = _ENTRY.fullmatch(path)
        assert match
        found.setdefault(_places(match), {})[match[5]] = values[path]
    return [
        {**({"between": list(places)} if len(places) > 1 else {"at": places[0]}), **given}
        for places, given in found.items()
    ]


def named(path: str, given: Iterable[str]) -> str | None:
    """Return the first path of a link that the simulator calls ``links[0]``, of the paths that have values."""
    match = re.match(r"links\[(\d+)\]", path)
    if not match:
        return None
    links: dict[str, str] = {}
    for each in paths(given):
        links.setdefault(each[: each.rindex("]")], each)
    return list(links.values())[int(match[1])]


def paths(given: Iterable[str]) -> list[str]:
    """Return the paths of links among others: of all links first, then of classes, of routers, and of single links."""
    matches = filter(None, map(_ENTRY.fullmatch, given))
    return [match[0] for match in sorted(matches, key=lambda match: (_rank(_places(match)), match[0]))]


def _places(match: re.Match[str]) -> tuple[str, ...]:
    """Return both ends of a link in the order of the alphabet, or the place that names several links."""
    return tuple(sorted((match[2], match[4]))) if match[4] else (match[2],)


def _rank(places: tuple[str, ...]) -> int:
    """Return the place in the order of precedence, from 0."""
    if len(places) > 1:
        return len(_SETS) + 2
    return _SETS.index(places[0]) if places[0] in _SETS else len(_SETS) + (places[0] not in CLASSES)
