"""Explicit flows: the flows that a scenario lists (path ``flows``), with routers, start, size and algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from mesonet import algorithms, units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import flow_applications, flow_receivers, flow_table, ranges

_MOST_FLOWS = 100_000
"""Most flows (chosen). Every run keeps its scenario, which has 20 MB with as many flows."""
_MOST_SHOWN = 20
"""Different flows that a text lists."""
_KEYS = frozenset(flow_table.KEYS)
ALLOWED = "a list of [[flows]] in a TOML file, or the path of a CSV file"


def parse(value: Any, segment_bytes: float) -> list[dict[str, Any]]:
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
    if not isinstance(value, list | tuple) or not all(isinstance(flow, Mapping) for flow in value):
        raise InputError("not a list of flows", value=value, allowed=ALLOWED)
    flows: list[dict[str, Any]] = []
    for number, given in enumerate(value):
        flow = _flow(f"flows[{number}]", given, segment_bytes)
        count = units.integer(given.get("count", 1), f"flows[{number}].count", 1, _MOST_FLOWS - len(flows))
        flows += [dict(flow) for _ in range(count)]
    return flows


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
    if len(flows) > _MOST_SHOWN and len({(flow["from"], flow["to"], flow["start"]) for flow in flows}) > _MOST_SHOWN:
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
    for key in ("from", "to"):
        if not isinstance(given.get(key), str):
            allowed = f'a router of the topology in quotes, such as {key} = "A"'
            problem = "a flow needs the name of a router"
            raise InputError(problem, path=f"{path}.{key}", value=given.get(key), allowed=allowed)
    try:
        times = dict.fromkeys(("start", "extra_delay", "overhead"), 0.0)
        for key in times:
            if key in given:
                times[key] = _flow_number(key, "time", given[key])
        key = "start_within"
        if start_within := _flow_number(key, "time", given[key]) if key in given else 0.0:
            times[key] = start_within
        key = "stop"
        stop = given.get("stop", "never")
        stop = None if stop in (None, "never") else _flow_number(key, "time", stop)
        if stop is not None and stop < times["start"] + start_within:
            raise InputError(
                "a flow cannot stop before it starts", value=given["stop"], allowed='"never" or a later time'
            )
        key = "segment_bytes"
        own_bytes = given.get("segment_bytes")
        if own_bytes is not None:
            own_bytes = segment_bytes = _flow_number(key, "number", own_bytes)
        key = "interface"
        interface = _flow_number(key, "rate", given.get("interface", "80 seg/ms"), segment_bytes)
        key = "size"
        size = given.get("size", "unlimited")
        size = None if size in (None, "unlimited") else _flow_number(key, "segments", size, segment_bytes)
        key = "algorithm"
        algorithm = given.get("algorithm")
        algorithm = None if algorithm is None else algorithms.resolve(algorithm).name
    except InputError as error:
        raise InputError(error.problem, error.file, f"{path}.{key}", error.value, error.allowed) from None
    return {
        "from": given["from"],
        "to": given["to"],
        "size": size,
        "interface": interface,
        "algorithm": algorithm,
        "stop": stop,
        **times,
        **({} if own_bytes is None else {"segment_bytes": own_bytes}),
        **flow_applications.parse(path, given, segment_bytes),
        **flow_receivers.parse(path, given),
    }


def _flow_number(key: str, kind: units.Kind, value: Any, segment_bytes: float = units.SEGMENT_BYTES) -> float:
    return (_text_number if isinstance(value, str) else _number)(key, kind, value, segment_bytes)


def _number(key: str, kind: units.Kind, value: Any, segment_bytes: float) -> float:
    number: float = ranges.parse(f"flows[].{key}", kind, value, segment_bytes=segment_bytes)
    return number


_text_number = lru_cache(maxsize=1 << 12)(_number)  # thousands of flows may have the same text
