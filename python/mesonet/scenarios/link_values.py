"""Values of single links, such as ``links["A","B"].capacity``: they replace the values of the topology.

A value has a path of its own, so that a factor can vary it. It holds for both directions.
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

_ENTRY = re.compile(r"""links\[\s*(["'])(.+?)\1\s*,\s*(["'])(.+?)\3\s*\]\.(\w+)""")
KEYS = {
    parameter.path.removeprefix("links[]."): parameter
    for parameter in (
        Parameter("links[].capacity", Rate("40 Mbit/s"), None, "Capacity of the link, for ports.", "the topology"),
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
    """Return the full path of a value of a link, with its ends in the order of the alphabet; None for any other path.

    Examples
    --------
    >>> full("links['B', 'A'].cost")
    'links["A","B"].cost'
    """
    match = _ENTRY.fullmatch(path)
    if not match:
        return None
    a, b = sorted((match[2], match[4]))
    if match[5] not in KEYS:
        raise unknown("key of links", match[5], KEYS, path=path)
    return f'links["{a}","{b}"].{match[5]}'


def parameter(path: str) -> Parameter | None:
    """Return the key that a path of a link names; None for any other path."""
    match = _ENTRY.fullmatch(path)
    return KEYS.get(match[5]) if match else None


def entries(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the links with their values, as the simulator reads them. `values`: by full path."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted(values):
        match = _ENTRY.fullmatch(path)
        assert match
        found.setdefault((match[2], match[4]), {})[match[5]] = values[path]
    return [{"between": list(ends), **given} for ends, given in found.items()]


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
    """Return the paths of links among others, sorted."""
    return sorted(path for path in given if _ENTRY.fullmatch(path))
