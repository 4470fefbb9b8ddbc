"""One setting of a scenario: where it stands, what it is, where it came from.

Beside the single values of `parameters` a scenario holds a mix of algorithms (path ``algorithms``), constants
of algorithms (``parameters.ALGORITHM.NAME``) and flows given one by one (``flows``). This module knows all four.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import Any

from mesonet import core, topologies, units
from mesonet.errors import InputError, unknown
from mesonet.scenarios import changes, flow_table, ranges
from mesonet.scenarios.parameters import PARAMETERS

_MIX_ALLOWED = 'one name, such as "cubic", or shares that sum to 1, such as "tcp=0.8, scalable=0.2"'
_MOST_FLOWS = 100_000
"""Flows given one by one: chosen; the scenario, which every run keeps, has 20 MB then."""
_MOST_SHOWN = 20
"""Different flows that are shown one by one."""


@dataclass(frozen=True)
class Setting:
    """An explicit value: parsed (base units), as text, where it was set, and as it was given."""

    value: Any
    text: str
    source: str
    given: Any = None


def resolve(path: str, value: Any = None) -> str:
    """Return the full path that `path` stands for: itself, or the one path that ends in it.

    `value` is what stands at the path, for messages.

    Raises
    ------
    InputError
        If no path or more than one ends in it.
    """
    if path in PARAMETERS or path in ("algorithms", "flows"):
        return path
    if path == "algorithm":
        return "algorithms"
    if path.startswith(("algorithms.", "flows.", "flows[")):
        constant = path.replace("algorithms.", "parameters.", 1)
        if constant in _constants():
            raise InputError("constants of algorithms have a path of their own", None, path, value, constant)
        whole = re.split(r"[.\[]", path)[0]
        raise InputError(f"{whole} can only be set as a whole", None, path, value, _whole_example(whole))
    known = [*PARAMETERS, "algorithms", "flows", *_constants()]
    if path in known:
        return path
    matches = [name for name in known if name.endswith("." + path)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError("ambiguous path", None, path, value, ", ".join(matches))
    raise replace(_unknown_path(path, known), path=path, value=value)


def algorithm_of(path: str) -> str:
    """Return the algorithm of which a full path is a constant; empty for all other paths."""
    section, _, rest = path.partition(".")
    return rest.partition(".")[0] if section == "parameters" else ""


def no_flow_uses(algorithm: str, used: Sequence[str]) -> tuple[str, str]:
    """Return what is wrong with a constant of an algorithm that is not used, and what is allowed."""
    return f"no flow uses {algorithm}", f"constants of {', '.join(used)}, or {algorithm} among the algorithms"


def parse(path: str, value: Any, segment_bytes: float = units.SEGMENT_BYTES) -> Any:
    """Return the value at a full path in base units, checked."""
    try:
        if path == "algorithms":
            return _mix(value)
        if path == "flows":
            return _flows(value, segment_bytes)
        if path in PARAMETERS:
            return PARAMETERS[path].parse(value, segment_bytes)
        return _constant(path, value)
    except InputError as error:
        raise error.located(path=path) from None


def show(path: str, value: Any) -> str:
    """Return the text for a parsed value."""
    if path == "algorithms":
        return value[0][0] if len(value) == 1 else ", ".join(f"{name}={share:g}" for name, share in value)
    if path == "flows":
        return _flows_text(value)
    if path == "network.changes":
        return changes.show(value)
    if path in PARAMETERS:
        return units.show(PARAMETERS[path].kind, value)
    return units.show("number", value)


def show_at(path: str, value: Any) -> str:
    """Return the text of the value at a path: an entry of a list of changes or flows, or the whole value."""
    whole, _, rest = path.partition("[")
    number = rest.partition("]")[0]
    if whole in ("network.changes", "flows") and number.isdecimal() and int(number) < len(value):
        return show(whole, [value[int(number)]])
    return show(whole, value)


def setting(path: str, value: Any, source: str) -> Setting:
    """Return a setting from a user's value at a full path."""
    parsed = parse(path, value)
    return Setting(parsed, show(path, parsed), source, value)


def with_files(values: Mapping[str, Any], directory: Path | None) -> dict[str, Any]:
    """Return the values of a file in `directory`, with the topology and the table of flows that they name read from
    beside it."""
    found = dict(values)
    if "topology" in values:
        try:
            found["topology"] = topologies.find(values["topology"], PARAMETERS["topology"].choices, directory)
        except InputError as error:
            raise error.located(path="topology") from None
    if isinstance(values.get("flows"), str):
        found["flows"] = flow_table.read(values["flows"], directory)
    return found


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Full paths and values of nested TOML tables."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and path not in ("algorithms", "flows") and path not in PARAMETERS:
            found |= flatten(value, path + ".")
        else:
            found[path] = value
    return found


def _constants() -> list[str]:
    return [
        f"parameters.{algorithm.name}.{constant.name}"
        for algorithm in core.algorithms().values()
        for constant in algorithm.params
    ]


def _unknown_path(path: str, known: Sequence[str]) -> InputError:
    parts = path.split(".")
    if parts[0] == "parameters" and len(parts) == 3 and parts[1] not in core.algorithms():
        return unknown("algorithm", parts[1], core.algorithms(), path=path)
    if parts[0] == "parameters" and len(parts) == 3:
        names = [constant.name for constant in core.algorithms()[parts[1]].params]
        return unknown(f"constant of {parts[1]}", parts[2], names, path=path)
    last = {name.rpartition(".")[2]: name for name in known}
    error = unknown("path", path, known)
    if "nearest" not in error.problem and (near := get_close_matches(parts[-1], list(last), n=3, cutoff=0.5)):
        error = InputError(f"unknown path (nearest: {', '.join(last[name] for name in near)})")
    section = [name for name in known if name.startswith(parts[0] + ".")] if len(parts) > 1 else []
    return InputError(error.problem, path=path, allowed=", ".join(section) or "the paths that `mesonet check` shows")


def _whole_example(whole: str) -> str:
    return _MIX_ALLOWED if whole == "algorithms" else "a list of [[flows]] in a TOML file, or the path of a CSV file"


def _mix(value: Any) -> list[tuple[str, float]]:
    if isinstance(value, str) and "=" not in value:
        value = {value.strip(): 1.0}
    elif isinstance(value, str):
        pairs = [pair.partition("=") for pair in re.split(r"[,\s]+", re.sub(r"\s*=\s*", "=", value.strip())) if pair]
        value = _unique([(name, share) for name, _, share in pairs], value)
    elif isinstance(value, list | tuple) and all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in value):
        value = _unique(value, value)
    if not isinstance(value, Mapping) or not value or not all(isinstance(name, str) for name in value):
        raise InputError("not a mix of algorithms", value=value, allowed=_MIX_ALLOWED)
    mix = []
    for name, share in value.items():
        if name not in core.algorithms():
            raise unknown("algorithm", name, core.algorithms())
        try:
            mix.append((name, PARAMETERS["users.movie_probability"].parse(share)))
        except InputError:
            raise InputError(f"the share of {name} is not a share", value=share, allowed="0 to 1") from None
    total = sum(share for _, share in mix)
    if abs(total - 1) > 1e-9:
        raise InputError(f"the shares sum to {total:.6g}, not to 1", value=_mix_text(value), allowed=_MIX_ALLOWED)
    return mix


def _unique(pairs: Sequence[Sequence[Any]], value: Any) -> dict[Any, Any]:
    names = [str(name) for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{twice[0]} is there twice", value=value, allowed=_MIX_ALLOWED)
    return {name: share for name, (_, share) in zip(names, pairs, strict=True)}


def _mix_text(value: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={share}" for name, share in value.items())


def _flows(value: Any, segment_bytes: float) -> list[dict[str, Any]]:
    if isinstance(value, str):
        value = flow_table.read(value, None)
    if not isinstance(value, list | tuple) or not all(isinstance(flow, Mapping) for flow in value):
        raise InputError("not a list of flows", value=value, allowed=_whole_example("flows"))
    flows: list[dict[str, Any]] = []
    for number, given in enumerate(value):
        flow = _flow(f"flows[{number}]", given, segment_bytes)
        count = units.integer(given.get("count", 1), f"flows[{number}].count", 1, _MOST_FLOWS - len(flows))
        flows += [dict(flow) for _ in range(count)]
    return flows


def _flows_text(flows: Sequence[Mapping[str, Any]]) -> str:
    if len(flows) > _MOST_SHOWN and len({(flow["from"], flow["to"], flow["start"]) for flow in flows}) > _MOST_SHOWN:
        return f"{len(flows)} flows"
    texts = [f"{flow['from']} to {flow['to']} from {units.show('time', flow['start'])}" for flow in flows]
    counted = [(text, len(list(same))) for text, same in groupby(texts)]
    return "; ".join(text if count == 1 else f"{count} times {text}" for text, count in counted)


def _flow(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    for key in given:
        if key not in flow_table.KEYS:
            raise unknown("key of a flow", key, flow_table.KEYS, path=f"{path}.{key}")
    for key in ("from", "to"):
        if not isinstance(given.get(key), str):
            allowed = f'a router of the topology in quotes, such as {key} = "A"'
            problem = "a flow needs the name of a router"
            raise InputError(problem, path=f"{path}.{key}", value=given.get(key), allowed=allowed)
    try:
        times = {}
        for key in ("start", "extra_delay", "overhead"):
            times[key] = _flow_number(key, "time", given.get(key, "0 s"))
        key = "stop"
        stop = given.get("stop", "never")
        stop = None if stop in (None, "never") else _flow_number(key, "time", stop)
        if stop is not None and stop < times["start"]:
            raise InputError(
                "a flow cannot stop before it starts", value=given["stop"], allowed='"never" or a later time'
            )
        key = "interface"
        interface = _flow_number(key, "rate", given.get("interface", "80 seg/ms"), segment_bytes)
        key = "size"
        size = given.get("size", "unlimited")
        size = None if size in (None, "unlimited") else _flow_number(key, "segments", size, segment_bytes)
        key = "algorithm"
        algorithm = given.get("algorithm")
        if algorithm is not None and (not isinstance(algorithm, str) or algorithm not in core.algorithms()):
            raise unknown("algorithm", str(algorithm), core.algorithms())
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
    }


def _flow_number(key: str, kind: units.Kind, value: Any, segment_bytes: float = units.SEGMENT_BYTES) -> float:
    number: float = units.parse(kind, value, segment_bytes=segment_bytes)
    ranges.check(f"flows[].{key}", kind, number, value)
    return number


def _constant(path: str, value: Any) -> float:
    _, algorithm, name = path.split(".")
    constant = next(c for c in core.algorithms()[algorithm].params if c.name == name)
    number: float = units.parse("number", value)
    if not constant.min <= number <= constant.max:
        allowed = f"{constant.min:g} to {constant.max:g}" + (f" {constant.unit}" if constant.unit != "1" else "")
        raise InputError("out of range", value=value, allowed=allowed)
    return number
