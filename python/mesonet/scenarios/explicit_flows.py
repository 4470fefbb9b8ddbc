"""Explicit flows: the flows that a scenario lists (path ``flows``), with routers, start, size and algorithm."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate, groupby
from typing import Any

from mesonet import algorithms, units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import flow_applications, flow_receivers, flow_table, ranges
from mesonet.scenarios.by_column import Table, column, converted

_MOST_FLOWS = 100_000
"""Most flows (chosen). Every run keeps its scenario, which has 20 MB with as many flows."""
_MOST_SHOWN = 20
"""Different flows that a text lists."""
_SHOWN = ("from", "to", "start")
_KEYS = frozenset(flow_table.KEYS)
_ALONE = {
    "from": None, "to": None, "size": "unlimited", "interface": "80 seg/ms", "algorithm": None, "stop": "never",
    "start": "0 s", "extra_delay": "0 s", "overhead": "0 s",
}  # fmt: skip
"""Keys whose values can be read alone, if `segment_bytes` is known, with their defaults."""
_ENTRY = re.compile(r"flows\[(\d+)\]\.(\w+)")
ALLOWED = "a list of [[flows]] in a TOML file, or the path of a CSV file"


def parse(value: Any, segment_bytes: float) -> Sequence[dict[str, Any]]:
    """Return the flows in base units, one entry for each flow.

    Parameters
    ----------
    value
        A list of tables with the keys of `mesonet.scenarios.flow_table`, or the path of a CSV file. ``count`` repeats
        an entry; there are at most 100,000 flows.
    segment_bytes
        Size of a segment, for sizes in bytes and rates in bits per second of flows without ``segment_bytes``.

    Returns
    -------
    One mapping per flow: times in s, sizes in segments, rates in segments/s.

    Raises
    ------
    InputError
        If a key is unknown or missing, or a value is out of its range.
    """
    if isinstance(value, str):
        value = flow_table.read(value, None)
    as_list = isinstance(value, list | tuple) and all(isinstance(flow, Mapping) for flow in value)
    if not as_list and not isinstance(value, Table):
        raise InputError("not a list of flows", value=value, allowed=ALLOWED)
    if len(value) <= _MOST_FLOWS and (found := _by_column(value, segment_bytes)):
        return found
    flows: list[dict[str, Any]] = []
    for number, given in enumerate(value):
        path = f"flows[{number}]"
        try:
            flow = _flow(path, given, segment_bytes)
            count = units.integer(given.get("count", 1), f"{path}.count", 1, _MOST_FLOWS - len(flows))
        except InputError as error:
            raise _placed(error, value, number) from None
        flows += [dict(flow) for _ in range(count)]
    return flows


def given_at(given: Any, number: int) -> tuple[Sequence[Mapping[str, Any]], int]:
    """Return the entry that one of the parsed flows comes from; ``count`` repeats an entry.

    Parameters
    ----------
    given
        The flows as `parse` has read them without an error.
    number
        Number of the flow, from 0.

    Returns
    -------
    The entries, and the number of this entry, from 0.
    """
    entries = flow_table.read(given, None) if isinstance(given, str) else given
    return entries, bisect_right(list(accumulate(column(entries, "count", 1))), number)


def located(error: InputError, given: Any) -> InputError:
    """Return an error about one of the parsed flows with the entry as the user wrote it.

    Parameters
    ----------
    error
        An error with a path such as ``flows[3].to``.
    given
        The flows as `parse` has read them without an error.

    Returns
    -------
    The error with the number of the entry and the value of the key, or with the line of the table.
    """
    match = _ENTRY.fullmatch(error.path or "")
    if not match:
        return error
    entries, number = given_at(given, int(match[1]))
    value = entries[number].get(match[2]) if error.value is None else error.value
    path = f"flows[{number}].{match[2]}"
    return _placed(InputError(error.problem, error.file, path, value, error.allowed), entries, number)


def name(given: Any, number: int) -> str:
    """Return the name of one of the parsed flows in messages.

    Parameters
    ----------
    given, number
        As of `given_at`.

    Returns
    -------
    The entry, such as ``flows[1]``, or the line of the table.
    """
    entries, number = given_at(given, number)
    place = flow_table.in_file(entries, number)
    return f"{place.file}, {place.path}," if place else f"flows[{number}]"


def _placed(error: InputError, entries: Any, number: int) -> InputError:
    """Return an error about an entry with its line if the entries are rows of a file."""
    place = flow_table.in_file(entries, number)
    if place is None:
        return error
    key = (error.path or "").removeprefix(f"flows[{number}]").removeprefix(".")
    return place.refuse(error.problem, key=key, value=error.value, allowed=error.allowed)


def show(flows: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of parsed flows.

    Parameters
    ----------
    flows
        Flows as `parse` returns them.

    Returns
    -------
    The flows with their routers and starts, equal ones counted; only their number if more than 20 differ.
    """
    if len(flows) > _MOST_SHOWN and len(set(zip(*(column(flows, key) for key in _SHOWN), strict=True))) > _MOST_SHOWN:
        return f"{len(flows)} flows"
    texts = [
        f"{flow['from']} to {flow['to']} from {units.show('time', flow['start'])}{flow_applications.show(flow)}"
        for flow in flows
    ]
    counted = [(text, len(list(same))) for text, same in groupby(texts)]
    return "; ".join(text if count == 1 else f"{count} times {text}" for text, count in counted)


def _flow(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    if not given.keys() <= _KEYS:
        key = next(key for key in given if key not in _KEYS)
        raise unknown("key of a flow", key, flow_table.KEYS, path=f"{path}.{key}")
    try:
        key = "segment_bytes"
        own_bytes = given.get(key)
        if own_bytes is not None:
            own_bytes = segment_bytes = _flow_number(key, "number", own_bytes, segment_bytes)
        found = {}
        for key, default in _ALONE.items():
            found[key] = _value(key, given.get(key, default), segment_bytes)
        key = "start_within"
        if start_within := _flow_number(key, "time", given[key], segment_bytes) if key in given else 0.0:
            found[key] = start_within
        key = "stop"
        if found["stop"] is not None and found["stop"] < found["start"] + start_within:
            raise InputError(
                "a flow cannot stop before it starts", value=given["stop"], allowed='"never" or a later time'
            )
    except InputError as error:
        raise InputError(error.problem, error.file, f"{path}.{key}", error.value, error.allowed) from None
    return {
        **found,
        **({} if own_bytes is None else {"segment_bytes": own_bytes}),
        **flow_applications.parse(path, given, segment_bytes),
        **flow_receivers.parse(path, given),
    }


def _by_column(flows: Sequence[Mapping[str, Any]], segment_bytes: float) -> Table | None:
    """Return flows with keys that need no other key; None if there is another key, or a value is not right."""
    others = flows.columns.keys() if isinstance(flows, Table) else {key for flow in flows for key in flow}
    if not flows or not others <= _ALONE.keys():
        return None
    found: dict[str, Sequence[Any]] = {}
    try:
        for key, default in _ALONE.items():
            given = column(flows, key, default)
            starts = _starts(given) if key == "start" else None
            found[key] = starts or converted(given, partial(_value, key, segment_bytes=segment_bytes))
    except (InputError, TypeError):  # row by row, the message names the place
        return None
    if any(stop is not None and stop < start for stop, start in zip(found["stop"], found["start"], strict=True)):
        return None
    return Table(found)


def _starts(given: Sequence[Any]) -> list[float] | None:
    """Return starts that are texts in seconds; None if there are others."""
    starts = units.seconds(given)
    for start in (min(starts), max(starts)) if starts else ():
        ranges.check("flows[].start", "time", start, start)
    return starts


def _value(key: str, value: Any, segment_bytes: float) -> Any:
    """Return one of the values that need no other key."""
    match key:
        case "from" | "to":
            if not isinstance(value, str):
                allowed = f'a router of the topology in quotes, such as {key} = "A"'
                raise InputError("a flow needs the name of a router", value=value, allowed=allowed)
            return value
        case "size":
            return None if value in (None, "unlimited") else _flow_number(key, "segments", value, segment_bytes)
        case "interface":
            return _flow_number(key, "rate", value, segment_bytes)
        case "algorithm":
            return None if value is None else algorithms.resolve(value).name
        case "stop":
            return None if value in (None, "never") else _flow_number(key, "time", value, segment_bytes)
    return _flow_number(key, "time", value, segment_bytes)


def _flow_number(key: str, kind: units.Kind, value: Any, segment_bytes: float) -> float:
    return (_text_number if isinstance(value, str) else _number)(key, kind, value, segment_bytes)


def _number(key: str, kind: units.Kind, value: Any, segment_bytes: float) -> float:
    number: float = ranges.parse(f"flows[].{key}", kind, value, segment_bytes=segment_bytes)
    return number


_text_number = lru_cache(maxsize=1 << 12)(_number)  # thousands of flows may have the same text
