"""Capacities, delays and lengths of links, as files of topologies write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mesonet import units
from mesonet.errors import InputError

#: Attributes of links with a capacity: in the Topology Zoo, in SNDlib, and common ones.
_CAPACITY = re.compile(r"capacity|bandwidth|speed|bitrate|linklabel|^(bw|rate)$")
_DELAY = re.compile(r"delay|latency")
_LENGTH = re.compile(r"length|dist")
#: Units of the attribute LinkSpeedUnits of the Topology Zoo, bit/s.
_ZOO_UNITS = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
#: Texts such as ``10 Gbit/s``, ``10Gbps``, ``10G``, ``2x10Gb/s`` and ``45 Mbps DS-3``.
_RATE = re.compile(
    r"(?:^|(?<=[\s(<>~=]))(?:(\d+)\s*[x*]\s*)?(\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*"
    r"(?:([kKMGT]?)(?:bits?/s|bits?|bps|b/s)|([KMGT]))(?=$|[\s,;)])"
)
_KILOMETRES = {"km": 1.0, "m": 1e-3, "mi": 1.609344}
_OF_LENGTH = re.compile(r"([\d.]+)\s*(km|m|mi)")
_COUNTS = ("id", "key")
"""Attributes that number the links of a file."""
_USED = ("linkspeedraw", "linkspeed", "linkspeedunits")
LEAST, MOST = 1e3, 1e13
"""Least and most capacity of a link, bit/s, as in the simulator."""


def capacity(given: Mapping[str, Any]) -> float | None:
    """Return the capacity that the attributes of a link have, other than ``capacity_mbps``.

    Capacity, bit/s; None if no attribute has one with its unit. `given`: attributes by lower-case name:
    ``linkspeedraw``, in bit/s, or ``linkspeed`` and ``linkspeedunits``, of the Topology Zoo; else any attribute of
    capacities, speeds or bandwidths with a unit, or a label with one.

    Examples
    --------
    >>> capacity({"linkspeed": "10", "linkspeedunits": "G"}), capacity({"linklabel": "2x10Gb/s"})
    (10000000000.0, 20000000000.0)
    >>> capacity({"bandwidth": "10"})
    """
    found = _number(given.get("linkspeedraw"))
    if found is None and (unit := _ZOO_UNITS.get(str(given.get("linkspeedunits")).upper())):
        speed = _number(given.get("linkspeed"))
        found = None if speed is None else speed * unit
    if found is None:
        rates = (_rate(value) for word, value in given.items() if _CAPACITY.search(word))
        found = next((value for value in rates if value is not None), None)
    return found if found is not None and LEAST <= found <= MOST else None


def delay(given: Mapping[str, Any]) -> float | None:
    """Return the delay that the attributes of a link have with a unit, other than ``delay_ms``, in s; None without any.

    Examples
    --------
    >>> delay({"latency": "50 ms"}), delay({"latency": 50})
    (0.05, None)
    """
    for word, value in given.items():
        if _DELAY.search(word) and isinstance(value, str) and re.search("[a-zµμ]$", value.strip()):
            try:
                return units.TIME.parse(value)
            except InputError:
                continue
    return None


def length(given: Mapping[str, Any]) -> float | None:
    """Return the length that the attributes of a link have with a unit, other than ``length_km``, in km, or None."""
    for word, value in given.items():
        if _LENGTH.search(word) and isinstance(value, str) and (match := _OF_LENGTH.fullmatch(value.strip().lower())):
            number = _number(match[1])
            return None if number is None else number * _KILOMETRES[match[2]]
    return None


def unread(given: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    """Return the attributes with a number that say nothing about a link here, with what would.

    `known`: names that are read. Phrases such as ``delay: no time with a unit, such as 5 ms``.
    """
    found = []
    for word, value in given.items():
        if word in (*known, *_COUNTS, *_USED) or _number(value) is None:
            continue
        if _CAPACITY.search(word):
            found.append(f"{word}: no capacity with a unit, such as 10 Gbit/s" if capacity(given) is None else "")
        elif _DELAY.search(word):
            found.append(f"{word}: no time with a unit, such as 5 ms")
        elif _LENGTH.search(word):
            found.append(f"{word}: no length with a unit, such as 120 km")
        else:
            found.append(f"{word}: not an attribute of links here")
    return [text for text in found if text]


def _number(value: Any) -> float | None:
    if value is None or value == "" or isinstance(value, bool):
        return None
    try:
        return units.number(value)
    except InputError:
        return None


def _rate(value: Any) -> float | None:
    """Return the bits per second of a text with a unit."""
    if not isinstance(value, str):
        return None
    for match in _RATE.finditer(value):
        number = _number(match[2])
        if number is not None:
            return int(match[1] or 1) * number * _ZOO_UNITS.get((match[3] or match[4] or "").upper(), 1.0)
    return None
