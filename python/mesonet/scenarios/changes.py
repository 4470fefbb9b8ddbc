"""Changes during a run: speeds of routers; delays, costs and states of links; each from an instant on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import ranges

KEYS = ("time", "router", "link", "speed", "delay", "factor")
"""Keys of each change in the canonical form."""

ROUTE_KEYS = ("cost", "state")
"""Keys of a change of routes; in the canonical form where they are given."""

STATES = ("up", "down")
"""States of a link. A link that is down loses what leaves for it, and no route uses it."""

ALLOWED = "a list of [[network.changes]] in a TOML file"
_KINDS = 'router = "A" with speed or factor, or link = ["A", "B"] with delay, factor, cost or state'


def parse(value: Any, segment_bytes: float) -> list[dict[str, Any]]:
    """Return the changes in base units.

    Parameters
    ----------
    value
        A list of tables with ``time`` and with ``router`` or ``link`` (the routers at its ends). Each has ``speed`` of
        a router, ``delay`` of a link (one way, not multiplied), or ``factor`` on the speed or delay at the start; or
        the routing ``cost`` of a link, or its ``state``, ``up`` or ``down``.
        ``none`` or no text: no change.
    segment_bytes
        Size of a segment, for speeds in bits per second.

    Returns
    -------
    One mapping per change: time and delay in s, speed in segments/s, None where a key is absent; `ROUTE_KEYS` only
    where they are given.

    Raises
    ------
    InputError
        If a key is unknown, missing or does not go with the others, or a value is out of range.
    """
    if value in ("none", ""):
        return []
    if not isinstance(value, list | tuple) or not all(isinstance(change, Mapping) for change in value):
        raise InputError("not a list of changes", value=value, allowed=ALLOWED)
    return [_change(f"network.changes[{number}]", change, segment_bytes) for number, change in enumerate(value)]


def show(changes: list[dict[str, Any]]) -> str:
    """Return the text for parsed changes.

    Parameters
    ----------
    changes
        Changes as `parse` returns them.

    Returns
    -------
    One clause per change; ``none`` without changes.
    """
    return "; ".join(map(_text, changes)) or "none"


def _change(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    for key in given:
        if key not in (*KEYS, *ROUTE_KEYS):
            raise unknown("key of a change", str(key), (*KEYS, *ROUTE_KEYS), path=f"{path}.{key}")
    set_keys = {key for key, value in given.items() if value is not None}
    if set_keys not in ({"time", kind, how} for kind, how in _PAIRS):
        raise InputError("a change needs a time, what changes, and how", path=path, value=given, allowed=_KINDS)
    change: dict[str, Any] = dict.fromkeys(KEYS)
    for key in set_keys:
        try:
            change[key] = _value(key, given[key], segment_bytes)
        except InputError as error:
            raise InputError(error.problem, error.file, f"{path}.{key}", error.value, error.allowed) from None
    return change


_PAIRS = (
    ("router", "speed"), ("router", "factor"),
    ("link", "delay"), ("link", "factor"), ("link", "cost"), ("link", "state"),
)  # fmt: skip


_KIND_OF: dict[str, units.Kind] = {
    "time": "time", "delay": "time", "speed": "rate", "factor": "number", "cost": "number",
}  # fmt: skip


def _value(key: str, value: Any, segment_bytes: float) -> Any:
    if key == "router":
        if isinstance(value, str) and value:
            return value
        raise InputError("not the name of a router", value=value, allowed='a router of the topology, such as "A"')
    if key == "link":
        if isinstance(value, list | tuple) and len(value) == 2 and all(isinstance(end, str) and end for end in value):
            return list(value)
        raise InputError("not a link", value=value, allowed='the routers at its ends, such as ["A", "B"]')
    if key == "state":
        if value in STATES:
            return value
        raise unknown("state of a link", str(value), STATES)
    kind = _KIND_OF[key]
    return ranges.parse(f"network.changes[].{key}", kind, value, segment_bytes=segment_bytes)


def _text(change: Mapping[str, Any]) -> str:
    what = change["router"] or " - ".join(change["link"])
    if change.get("state") is not None:
        how = change["state"]
    elif change.get("cost") is not None:
        how = f"cost {units.show('number', change['cost'])}"
    elif change["factor"] is not None:
        how = f"x {units.show('number', change['factor'])}"
    elif change["speed"] is not None:
        how = units.show("rate", change["speed"])
    else:
        how = units.show("time", change["delay"])
    return f"{what}: {how} from {units.show('time', change['time'])}"
