"""Open-loop arrivals (path ``arrivals``): flows that begin at random instants, by process.

A value of one process has a path of its own, such as ``arrivals[0].load``, so that a factor can vary it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mesonet import algorithms, core, units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import ranges, size_laws

ALLOWED = "a list of [[arrivals]] in a TOML file"
ALL = "all"
"""Stands for all access routers."""
PROCESSES = ("poisson", "bursty")
"""Laws of the time between two arrivals."""
_MOST_SHOWN = 5
"""Processes that a text lists, and routers of a process."""


@dataclass(frozen=True)
class ArrivalKey:
    """Key of a process.

    Attributes
    ----------
    kind
        Kind of the value: one of `mesonet.units.KINDS`, or ``flow rate``, ``sizes``, ``routers``, ``place``,
        ``algorithm``.
    default
        The default as a user would write it; empty: required, or one of several.
    doc
        Meaning in a sentence.
    source
        Source of the default.
    """

    kind: str
    default: str
    doc: str
    source: str


KEYS: dict[str, ArrivalKey] = {
    "from": ArrivalKey(
        "routers", "", "Access routers where flows begin: a name, a list of names, or `all`.", "required"
    ),
    "to": ArrivalKey(
        "routers", "",
        "Access routers of the receivers, in the same form. Every ordered pair of different routers has equal weight.",
        "required",
    ),
    "rate": ArrivalKey("flow rate", "", "Flows per second, over all pairs, such as `200 flows/s`.", "this or `load`"),
    "load": ArrivalKey(
        "number", "",
        "Data that the flows offer to `of` as a share of its speed at the start of the run. The mean size and the "
        "part of the flows that cross `of` give the rate.",
        "this or `rate`",
    ),
    "of": ArrivalKey(
        "place", "",
        "The queue of the load: a router (`network.queue = router`), a port such as `A -> B` or `B -> hosts`, or a "
        "link such as `A - B` (`network.queue = port`). Of a link it is the direction that more of the flows cross.",
        "with `load`",
    ),
    "sizes": ArrivalKey(
        "sizes", "",
        "Flow sizes: `web_search`, `data_mining`, `cache_follower`, the path of a CSV file, a size, or a table. The "
        "columns of a file are `probability` and `size_bytes`, or `size` with a unit; it is linear between rows. A "
        "table has `law = exponential` with `mean`, or `law = pareto` with `mean` and `shape`. A flow has whole "
        "segments, rounded up.",
        "required",
    ),
    "process": ArrivalKey(
        "process", "poisson", "Time between two arrivals at a router: `poisson` exponential, `bursty` log-normal.",
        "Poisson: the usual model of independent users",
    ),
    "sigma": ArrivalKey(
        "number", "2", "Standard deviation of the logarithm of bursty gaps.",
        "Zhao et al., Parsimon, NSDI 2023, whose public artefact has 1 and 2",
    ),
    "start": ArrivalKey("time", "0 s", "Instant from which flows arrive.", "chosen"),
    "stop": ArrivalKey("time", "never", "Instant from which no flow arrives.", "chosen: the end of the run"),
    "interface": ArrivalKey("rate", "80 seg/ms", "Interface rate of each flow.", "as of explicit flows"),
    "algorithm": ArrivalKey(
        "algorithm", "none",
        "Congestion control of the flows; `none`: drawn for each flow by the shares of the scenario.",
        "as of users",
    ),
}  # fmt: skip
"""Keys of a process, in the order of the reference page."""

_ENTRY = re.compile(r"arrivals\[(\d{1,4})\]\.(\w+)")
_RATE = re.compile(r"\s*(\S+?)\s*flows\s*/\s*(s|ms|min|h)\s*")
_PER_SECOND = {"s": 1.0, "ms": 1000.0, "min": 1 / 60, "h": 1 / 3600}


def parse(value: Any, segment_bytes: float) -> list[dict[str, Any]]:
    """Return the processes in base units.

    Parameters
    ----------
    value
        A list of tables with the keys `KEYS`.
    segment_bytes
        Size of a segment, for sizes in bytes and rates in bits per second.

    Returns
    -------
    One mapping per process: times in s, sizes in segments, rates in flows/s and segments/s.

    Raises
    ------
    InputError
        If a key is unknown or missing, or a value is out of its range.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(process, Mapping) for process in value):
        raise InputError("not a list of arrivals", value=value, allowed=ALLOWED)
    return [_process(f"arrivals[{number}]", given, segment_bytes) for number, given in enumerate(value)]


def show(processes: Sequence[Mapping[str, Any]]) -> str:
    """Return the text for parsed processes.

    Parameters
    ----------
    processes
        As `parse` returns them.

    Returns
    -------
    One clause per process; only their number if there are many.
    """
    if len(processes) > _MOST_SHOWN:
        return f"{len(processes)} processes"
    return "; ".join(map(_text, processes))


def entry(path: str) -> tuple[int, str] | None:
    """Return the process and the key that a path names.

    Parameters
    ----------
    path
        A path of a scenario.

    Returns
    -------
    Number of the process, from 0, and key; None for any other path.

    Raises
    ------
    InputError
        If the path has the form of one with an unknown key.

    Examples
    --------
    >>> entry("arrivals[1].load")
    (1, 'load')
    """
    match = _ENTRY.fullmatch(path)
    if not match:
        return None
    number, key = match.groups()
    if key not in KEYS:
        raise unknown("key of arrivals", key, KEYS, path=path)
    return int(number), key


def kind(path: str) -> str:
    """Return the kind of the value of one process.

    Parameters
    ----------
    path
        A path that `entry` knows, or any other.

    Returns
    -------
    As `ArrivalKey.kind`; empty for any other path.
    """
    named = entry(path)
    return KEYS[named[1]].kind if named else ""


def with_entry(processes: Any, path: str, value: Any) -> list[dict[str, Any]]:
    """Return the processes with one value changed.

    Parameters
    ----------
    processes
        The processes as users write them.
    path
        A path that `entry` knows.
    value
        The value as a user writes it. A rate takes the place of a load, and a load of a rate.

    Returns
    -------
    Other processes.

    Raises
    ------
    InputError
        If there is no such process.
    """
    named = entry(path)
    if named is None:
        raise ValueError(path)
    number, key = named
    if number >= len(processes):
        allowed = f"arrivals[0] to arrivals[{len(processes) - 1}]" if processes else "a scenario with [[arrivals]]"
        raise InputError("the scenario has no such process", path=path, value=value, allowed=allowed)
    changed = [dict(process) for process in processes]
    changed[number][key] = value
    if key == "rate":
        changed[number] = {name: kept for name, kept in changed[number].items() if name not in ("load", "of")}
    elif key == "load":
        changed[number].pop("rate", None)
    return changed


def parse_at(path: str, key: str, value: Any, segment_bytes: float) -> Any:
    """Return the value of a key of a process in base units, checked.

    Parameters
    ----------
    path
        Path of the value, for messages.
    key, value, segment_bytes
        As of `parse_value`.

    Returns
    -------
    The value.

    Raises
    ------
    InputError
        If the value is not allowed there. The error names the path, or the line of a file that the value names.
    """
    try:
        return parse_value(key, value, segment_bytes)
    except InputError as error:
        inner = f".{error.path}" if error.path in size_laws.NUMBERS else ""
        place = path + inner if error.file is None else error.path
        raise InputError(error.problem, error.file, place, error.value, error.allowed) from None


def parse_value(key: str, value: Any, segment_bytes: float) -> Any:
    """Return the value of a key in base units, checked.

    Parameters
    ----------
    key
        One of `KEYS`.
    value
        The value as a user writes it.
    segment_bytes
        Size of a segment.

    Returns
    -------
    The value.

    Raises
    ------
    InputError
        If the value is not allowed there.
    """
    match KEYS[key].kind:
        case "routers":
            names = [value] if isinstance(value, str) else value
            if not isinstance(names, list | tuple) or not names or not all(isinstance(n, str) and n for n in names):
                allowed = f'"{ALL}", a router such as "A", or a list of them'
                raise InputError("not names of routers", value=value, allowed=allowed)
            return list(names)
        case "flow rate":
            return _flow_rate(value)
        case "place":
            if not isinstance(value, str) or not value:
                allowed = 'a router, a port such as "A -> B", or a link such as "A - B"'
                raise InputError("not the name of a queue", value=value, allowed=allowed)
            return value
        case "sizes":
            return size_laws.parse(value, segment_bytes)
        case "process":
            if value not in PROCESSES:
                raise unknown("process", str(value), PROCESSES)
            return value
        case "algorithm":
            if value == "none":
                return None
            return algorithms.resolve(value).name
    if key == "stop" and value == "never":
        return None
    return ranges.parse(f"arrivals[].{key}", _kind_of_number(key), value, segment_bytes=segment_bytes)


def show_value(key: str, value: Any) -> str:
    """Return the text of the value of a key.

    Parameters
    ----------
    key
        One of `KEYS`.
    value
        The value as `parse_value` returns it.

    Returns
    -------
    The value with its unit, as a user would write it.
    """
    if value is None:
        return {"stop": "never"}.get(key, "none")
    match KEYS[key].kind:
        case "routers":
            more = f" and {len(value) - _MOST_SHOWN} more" if len(value) > _MOST_SHOWN else ""
            return ", ".join(value[:_MOST_SHOWN]) + more
        case "flow rate":
            return f"{units.show('number', value)} flows/s"
        case "sizes":
            return size_laws.show(value)
        case "time" | "rate" | "number" as known:
            return units.show(known, value)
    return str(value)


def with_files(processes: Any, directory: Path | None) -> Any:
    """Return processes with the distributions of sizes read from their files.

    Parameters
    ----------
    processes
        The processes as users write them.
    directory
        The folder that paths are relative to; None: the working directory.

    Returns
    -------
    The processes; anything but a list of tables as it is.

    Raises
    ------
    InputError
        If such a file is absent or not right.
    """
    if not isinstance(processes, list | tuple):
        return processes
    found = []
    for number, process in enumerate(processes):
        if isinstance(process, Mapping) and "sizes" in process:
            process = {**process, "sizes": sizes_of_file(f"arrivals[{number}].sizes", process["sizes"], directory)}
        found.append(process)
    return found


def sizes_of_file(path: str, value: Any, directory: Path | None) -> Any:
    """Return a distribution of sizes, read from the file that it names.

    Parameters
    ----------
    path
        Path of the value, for messages.
    value
        The value as a user writes it.
    directory
        The folder that a path is relative to; None: the working directory.

    Returns
    -------
    As `mesonet.scenarios.size_laws.with_file`.

    Raises
    ------
    InputError
        If the file is absent or not right.
    """
    try:
        return size_laws.with_file(value, directory)
    except InputError as error:
        raise error.located(path=path) from None


def reference_lines() -> list[str]:
    """Return the table of keys for the page of parameters.

    Returns
    -------
    Lines of Markdown.
    """
    bounds = {key: ranges.allowed(f"arrivals[].{key}", _kind_of_number(key)) for key in KEYS}
    return [
        "| key | kind | default | allowed | meaning | source of the default |",
        "|---|---|---|---|---|---|",
        *(
            f"| `{name}` | {key.kind} | {f'`{key.default}`' if key.default else ''} | {bounds[name]} | {key.doc} "
            f"| {key.source} |"
            for name, key in KEYS.items()
        ),
    ]


def _kind_of_number(key: str) -> units.Kind:
    kinds: dict[str, units.Kind] = {"start": "time", "stop": "time", "interface": "rate"}
    return kinds.get(key, "number")


def _process(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    for key in given:
        if key not in KEYS:
            raise unknown("key of arrivals", str(key), KEYS, path=f"{path}.{key}")
    for key in ("from", "to", "sizes"):
        if given.get(key) is None:
            raise InputError(f"arrivals need {key}", path=f"{path}.{key}", allowed=KEYS[key].doc)
    process: dict[str, Any] = {}
    for key, about in KEYS.items():
        value = about.default if given.get(key) is None else given[key]
        if value == "":
            process[key] = None
            continue
        process[key] = parse_at(f"{path}.{key}", key, value, segment_bytes)
    return process


def _text(process: Mapping[str, Any]) -> str:
    if process["load"] is None:
        amount = show_value("rate", process["rate"])
    else:
        amount = f"load {show_value('load', process['load'])} of {process['of']}"
    ends = f"{show_value('from', process['from'])} to {show_value('to', process['to'])}"
    law = process["process"] + (f" (sigma {process['sigma']:g})" if process["process"] == "bursty" else "")
    return f"{ends}: {law}, {amount}, {show_value('sizes', process['sizes'])}"


def _flow_rate(value: Any) -> float:
    allowed = 'a number with the unit flows/s, flows/ms, flows/min or flows/h, such as "200 flows/s"'
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise InputError(f'a rate of flows needs its unit: write "{value} flows/s"', value=value, allowed=allowed)
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise InputError("not a rate of flows", value=value, allowed=allowed)
    number, unit = match.groups()
    known = ranges.allowed("arrivals[].rate", "number").replace(" and", " flows/s and") + " flows/s"
    try:
        rate = float(units.parse("number", number)) * _PER_SECOND[unit]
    except InputError as error:
        raise replace(units.ranged(error, known), value=value) from None
    bound = core.bounds()["arrivals[].rate"]
    if problem := units.beyond(rate, bound.least, bound.most, above=bound.above):
        raise InputError(problem, value=value, allowed=known)
    return rate
