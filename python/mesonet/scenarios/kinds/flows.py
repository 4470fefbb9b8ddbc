"""Explicit flows: the flows that a scenario lists (path ``flows``), with routers, start, size and algorithm."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.scenarios.by_column import Rows, Table, column, converted
from mesonet.scenarios.kinds import flow_applications, flow_receivers, flow_table
from mesonet.scenarios.kinds.flow_keys import COUNT, KEYS, MOST_FLOWS
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.time import TIME

_MOST_SHOWN = 20
"""Different flows that a text lists."""
_SHOWN = ("from", "to", "start")
_ALONE = ("from", "to", "size", "interface", "algorithm", "stop", "start", "extra_delay", "overhead")
"""Keys whose values can be read alone, if `segment_bytes` is known."""
_NAMED = ("user", "lost_segments")
"""Keys as these that a flow has only where it is given them."""
_ENTRY = re.compile(r"flows\[(\d+)\]\.(\w+)")
_ALLOWED = "a list of [[flows]] in a TOML file, or the path of a CSV file"


class Flows(Tables):
    """Kind of lists of flows: times in s, sizes in segments, rates in segments/s."""

    name = "flows"
    path = "flows"
    keys = KEYS
    key_of = "a flow"
    entry = "flow"
    of_files = ("algorithm",)

    def parse(self, value: Any, place: Place) -> Any:
        """Return a mapping for each flow; ``count`` repeats an entry."""
        as_list = isinstance(value, list | tuple) and all(isinstance(flow, Mapping) for flow in value)
        if not as_list and not isinstance(value, Table):
            raise InputError("not a list of flows", value=value, allowed=_ALLOWED)
        if len(value) <= MOST_FLOWS and (found := _by_column(value, place.segment_bytes)):
            return found
        flows: list[dict[str, Any]] = []
        for number, given in enumerate(value):
            try:
                flow = self._flow(given, place.segment_bytes)
                flows += [dict(flow) for _ in range(_count(given, MOST_FLOWS - len(flows)))]
            except InputError as error:
                raise _placed(error, value, number) from None
        return flows

    def allowed(self, path: str) -> str:
        """Return the forms, and a path of a single value."""
        return f"{_ALLOWED}, or a value such as flows[0].count"

    def show(self, value: Any) -> str:
        """Return the flows with their routers and starts, equal ones counted; only their number if many differ."""
        if len(value) > _MOST_SHOWN and len(set(zip(*(column(value, k) for k in _SHOWN), strict=True))) > _MOST_SHOWN:
            return f"{len(value)} flows"
        texts = [
            f"{flow['from']} to {flow['to']} from {TIME.show(flow['start'])}{flow_applications.show(flow)}"
            for flow in value
        ]
        counted = [(text, len(list(same))) for text, same in groupby(texts)]
        return "; ".join(text if count == 1 else f"{count} times {text}" for text, count in counted)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the flows of a CSV file, or flows with plug-ins loaded."""
        if isinstance(value, str):
            return flow_table.read(value, directory)
        return value if isinstance(value, Rows) else super().with_file(value, directory)

    def value_of(self, entry: Mapping[str, Any], key: str, segment_bytes: float) -> Any:
        """Return the parsed value of a key of an entry; None for a key of another application."""
        own = flow_applications.own_keys(entry)
        is_idle = key in flow_applications.OF_APPLICATIONS and key not in own
        if key != "segment_bytes" and entry.get("segment_bytes") is not None:
            segment_bytes = self.parse_key("segment_bytes", entry["segment_bytes"], segment_bytes)
        return None if is_idle else super().value_of(entry, key, segment_bytes)

    def _flow(self, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        self.refuse_unknown(given)
        own = {key: _value(key, given[key], segment_bytes) for key in _NAMED if given.get(key) is not None}
        if given.get("segment_bytes") is not None:
            segment_bytes = own["segment_bytes"] = _value("segment_bytes", given["segment_bytes"], segment_bytes)
        found = {key: _value(key, given.get(key, _default(key)), segment_bytes) for key in _ALONE}
        if within := _value("start_within", given["start_within"], segment_bytes) if "start_within" in given else 0.0:
            found["start_within"] = within
        if found["stop"] is not None and found["stop"] < found["start"] + within:
            problem, allowed = "a flow cannot stop before it starts", '"never" or a later time'
            raise InputError(problem, path="stop", value=given["stop"], allowed=allowed)
        return {
            **found,
            **own,
            **flow_applications.parse(given, segment_bytes),
            **flow_receivers.parse(given),
        }


def _count(entry: Mapping[str, Any], most: int) -> int:
    try:
        return COUNT.at_most(entry.get("count", 1), most)
    except InputError as error:
        raise error.below("count") from None


def _default(key: str) -> Any:
    """Return the default of a key; None for a key that is required."""
    return KEYS[key].default or None


def _value(key: str, value: Any, segment_bytes: float) -> Any:
    return (_of_text if isinstance(value, str) else FLOWS.parse_key)(key, value, segment_bytes)


@lru_cache(maxsize=1 << 12)  # thousands of flows may have the same text
def _of_text(key: str, value: str, segment_bytes: float) -> Any:
    return FLOWS.parse_key(key, value, segment_bytes)


def located(error: InputError, given: Any) -> InputError:
    """Return an error about a parsed flow, such as ``flows[3].to``, with the user's entry or the line of a table."""
    match = _ENTRY.fullmatch(error.path or "")
    if not match:
        return error
    number = _entry_of(given, int(match[1]))
    value = given[number].get(match[2], _default(match[2])) if error.value is None else error.value
    inner = InputError(error.problem, error.file, match[2], value, error.allowed)
    return _placed(inner, given, number).below("flows")


def name(given: Any, number: int) -> str:
    """Return the name of one of the parsed flows in messages: the user's entry, or the line of a table."""
    number = _entry_of(given, number)
    place = flow_table.in_file(given, number)
    return f"{place.file}, {place.path}," if place else f"flows[{number}]"


def _entry_of(given: Any, number: int) -> int:
    """Return the number of the user's entry that one of the parsed flows comes from; ``count`` repeats an entry."""
    return bisect_right(list(accumulate(int(count) for count in column(given, "count", 1))), number)


def _placed(error: InputError, entries: Any, number: int) -> InputError:
    """Return an error about a key of an entry with its number, or with its line if the entries are rows of a file."""
    place = flow_table.in_file(entries, number)
    if place is None:
        return error.below(f"[{number}]")
    return place.refuse(error.problem, key=error.path or "", value=error.value, allowed=error.allowed)


def _by_column(flows: Sequence[Mapping[str, Any]], segment_bytes: float) -> Table | None:
    """Return flows with keys that need no other key; None if there is another key, or a value is not right."""
    given_keys = flows.columns.keys() if isinstance(flows, Table) else {key for flow in flows for key in flow}
    keys = (*_ALONE, *(key for key in _NAMED if key in given_keys))
    if not flows or not given_keys <= set(keys) or any(None in column(flows, key) for key in _NAMED if key in keys):
        return None
    found: dict[str, Sequence[Any]] = {}
    try:
        for key in keys:
            given = column(flows, key, _default(key))
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
        TIME.check(start, start, "flows[].start")
    return starts


FLOWS = Flows()
