"""Capacities of links, as files of topologies write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mesonet import units
from mesonet.errors import InputError

#: Attributes of links with a capacity: in the Topology Zoo, in SNDlib, and common ones.
_WORDS = re.compile(r"capacity|bandwidth|speed|bitrate|^(bw|rate)$")
#: Units of the attribute LinkSpeedUnits of the Topology Zoo, bit/s.
_ZOO_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
#: Text such as ``10 Gbit/s``, ``10Gbps`` and ``10G``.
_TEXT = re.compile(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*([kKMGT])?(?:bit/s|bps|b/s)?\s*")
LEAST, MOST = 1e3, 1e13
"""Least and most capacity of a link, bit/s, as in the simulator."""


def capacity(given: Mapping[str, Any]) -> float | None:
    """Return the capacity that the attributes of a link have, other than ``capacity_mbps``.

    Capacity, bit/s; None if no attribute has one with its unit. `given`: attributes by lower-case name:
    ``linkspeedraw``, in bit/s, or ``linkspeed`` and ``linkspeedunits``, of the Topology Zoo; else any attribute of
    capacities, speeds or bandwidths with a unit.

    Examples
    --------
    >>> capacity({"linkspeed": "10", "linkspeedunits": "G"}), capacity({"bandwidth": "622 Mbit/s"})
    (10000000000.0, 622000000.0)
    >>> capacity({"bandwidth": "10"})
    """
    found = _number(given.get("linkspeedraw"))
    if found is None and (unit := _ZOO_UNITS.get(str(given.get("linkspeedunits")).upper())):
        speed = _number(given.get("linkspeed"))
        found = None if speed is None else speed * unit
    if found is None:
        texts = (_text(given[word]) for word in words(given))
        found = next((value for value in texts if value is not None), None)
    return found if found is not None and LEAST <= found <= MOST else None


def words(given: Mapping[str, Any]) -> list[str]:
    """Return the attributes of a link that could hold a capacity. Names of those that are not empty."""
    return [word for word, entry in given.items() if _WORDS.search(word) and entry not in (None, "")]


def _number(value: Any) -> float | None:
    if value is None or value == "":
        return None
    try:
        return units.number(value)
    except InputError:
        return None


def _text(value: Any) -> float | None:
    """Return the bits per second of a text with a unit."""
    match = _TEXT.fullmatch(value) if isinstance(value, str) else None
    if not match or not re.search("[a-zA-Z]$", value.strip()) or (number := _number(match[1])) is None:
        return None
    return number * _ZOO_UNITS.get((match[2] or "").upper(), 1.0)
