"""Settings of a scenario: every path, its value and the source of the value.

A scenario holds single values (`parameters`), a mix of algorithms (`mixes`), constants of algorithms (`constants`),
explicit flows (`explicit_flows`), open-loop arrivals (`arrivals`), changes during the run (`changes`), traces
(`traces`) and traffic (`traffic`). This module dispatches by path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mesonet import algorithms, plugins, topologies, units
from mesonet.algorithms import resolve as named
from mesonet.errors import InputError, unknown
from mesonet.scenarios import (
    arrivals,
    changes,
    constants,
    explicit_flows,
    flow_table,
    impairment_sets,
    mixes,
    traces,
    traffic,
)
from mesonet.scenarios.parameters import PARAMETERS

WHOLES = ("algorithms", "flows", "arrivals")
"""Paths of lists, which are no parameters."""


@dataclass(frozen=True)
class Setting:
    """An explicit value.

    Attributes
    ----------
    value
        The value in base units.
    text
        The value as text.
    source
        Where it was set.
    given
        The value as the user gave it.
    """

    value: Any
    text: str
    source: str
    given: Any = None


def resolve(path: str, value: Any = None) -> str:
    """Return the full path that a path stands for: itself, or the only path that ends in it.

    Parameters
    ----------
    path
        A full path or the last part of one.
    value
        The value at the path, for messages.

    Returns
    -------
    The full path.

    Raises
    ------
    InputError
        If no path or more than one ends in it.
    """
    if path in PARAMETERS or path in WHOLES or arrivals.entry(path) or impairment_sets.is_entry(path):
        return path
    if path == "algorithm":
        return "algorithms"
    if path.startswith(("algorithms.", "flows.", "flows[", "arrivals.", "arrivals[")):
        constant = path.replace("algorithms.", "parameters.", 1)
        if constant in constants.paths():
            raise InputError("constants of algorithms have a path of their own", None, path, value, constant)
        whole = re.split(r"[.\[]", path)[0]
        raise InputError(f"{whole} can only be set as a whole", None, path, value, _whole_example(whole))
    if constants.of_variant(path) or ("(" in path and path.partition("(")[0] in plugins.known()):
        algorithm = path.removeprefix("parameters.").partition("(")[0]
        allowed = f"{algorithm}(constant=value, ...) among the algorithms; parameters.{algorithm} also for its variants"
        raise InputError("the name of a variant holds its constants", None, path, value, allowed)
    known = [*PARAMETERS, *WHOLES, *constants.paths()]
    if path in known:
        return path
    matches = [name for name in known if name.endswith("." + path)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError("ambiguous path", None, path, value, ", ".join(matches))
    raise replace(_unknown_path(path, known), path=path, value=value)


def no_flow_uses(path: str, used: Sequence[str]) -> tuple[str, str]:
    """Return the problem of a constant that no flow uses, and the allowed constants.

    Parameters
    ----------
    path
        Path of the constant.
    used
        Algorithms and variants that flows use.

    Returns
    -------
    Texts for the fields `problem` and `allowed` of an `InputError`.
    """
    algorithm, constant = constants.parts(path)
    variants = [name for name in used if named(name).algorithm.name == algorithm]
    if variants:
        return f"{', '.join(variants)}: the name sets {constant}", f"{algorithm} or a variant without {constant}"
    return f"no flow uses {algorithm}", f"constants of {', '.join(used)}, or {algorithm} among the algorithms"


def parse(path: str, value: Any, segment_bytes: float = units.SEGMENT_BYTES) -> Any:
    """Return the value at a full path in base units, checked.

    Parameters
    ----------
    path
        A full path.
    value
        The value as a user writes it.
    segment_bytes
        Size of a segment, for values in bits or bytes.

    Returns
    -------
    The value, of the type that its path has.

    Raises
    ------
    InputError
        If the value is not allowed there.
    """
    try:
        if path == "algorithms":
            return mixes.parse(value)
        if path == "flows":
            return explicit_flows.parse(value, segment_bytes)
        if path == "arrivals":
            return arrivals.parse(value, segment_bytes)
        if named := arrivals.entry(path):
            return arrivals.parse_at(path, named[1], value, segment_bytes)
        if (base := impairment_sets.base(path)) in PARAMETERS:
            return _in_set(path, base, value, segment_bytes)
        return constants.parse(path, value)
    except InputError as error:
        raise error.located(path=path) from None


def show(path: str, value: Any) -> str:
    """Return the text for a parsed value.

    Parameters
    ----------
    path
        A full path.
    value
        The value as `parse` returns it.

    Returns
    -------
    The value with its unit, as a user would write it.
    """
    if path == "algorithms":
        return mixes.show(value)
    if path == "flows":
        return explicit_flows.show(value)
    if path == "arrivals":
        return arrivals.show(value)
    if named := arrivals.entry(path):
        return arrivals.show_value(named[1], value)
    if path == "network.changes":
        return changes.show(value)
    if path == "users.traffic":
        return traffic.show(value)
    path = impairment_sets.base(path)
    if path == "impairments.capacity":
        return traces.show("capacity", value)
    if path in ("impairments.delays", "impairments.jitter_means"):
        return traces.show("delays", value)
    if path in PARAMETERS:
        return units.show(PARAMETERS[path].kind, value)
    return units.show("number", value)


def show_at(path: str, value: Any) -> str:
    """Return the text of a value, or of one entry of a list of changes or flows.

    Parameters
    ----------
    path
        A full path, or an entry such as ``flows[2]``, counted from 0.
    value
        The whole value at the full path, as `parse` returns it.

    Returns
    -------
    The entry if the path names one, else the whole value.
    """
    whole, _, rest = path.partition("[")
    number = rest.partition("]")[0]
    lists = ("network.changes", "users.traffic", "flows", "arrivals")
    if whole in lists and number.isdecimal() and int(number) < len(value):
        return show(whole, [value[int(number)]])
    return show(whole, value)


def setting(path: str, value: Any, source: str) -> Setting:
    """Return a setting from a user's value at a full path.

    Parameters
    ----------
    path
        A full path.
    value
        The value as a user writes it.
    source
        Where the value comes from.

    Returns
    -------
    The setting, checked.

    Raises
    ------
    InputError
        If the value is not allowed there.
    """
    parsed = parse(path, value)
    return Setting(parsed, show(path, parsed), source, value)


def with_plugins(values: Mapping[str, Any], directory: Path | None) -> dict[str, Any]:
    """Return the values of a file, with the declared names of the plug-ins whose files it names.

    Parameters
    ----------
    values
        Values by full path.
    directory
        The folder that relative paths start from; None: the working directory.

    Returns
    -------
    The values.

    Raises
    ------
    InputError
        If a plug-in cannot be loaded.
    """
    found = dict(values)
    for path, value in values.items():
        if path in WHOLES and not (path == "flows" and isinstance(value, str)):
            found[path] = algorithms.with_plugins(value, directory)
    return found


def with_files(values: Mapping[str, Any], directory: Path | None) -> dict[str, Any]:
    """Return the values of a file, with topology, traffic matrix, traces, table of flows and sizes of arrivals read.

    Parameters
    ----------
    values
        Values by full path.
    directory
        The folder that relative paths start from; None: the working directory.

    Returns
    -------
    The values; names of files replaced by their content.

    Raises
    ------
    InputError
        If such a file is absent or not right.
    """
    found = with_plugins(values, directory)
    if "topology" in values:
        try:
            found["topology"] = topologies.find(values["topology"], PARAMETERS["topology"].choices, directory)
        except InputError as error:
            raise error.located(path="topology") from None
    if isinstance(matrix := values.get("users.traffic"), str) and matrix not in traffic.RULES:
        found["users.traffic"] = traffic.read(matrix, directory)
    for path, value in values.items():
        match impairment_sets.base(path):
            case "impairments.capacity":
                found[path] = _with_trace("capacity", path, value, directory)
            case "impairments.delays" | "impairments.jitter_means":
                found[path] = _with_trace("delays", path, value, directory)
    if isinstance(values.get("flows"), str):
        found["flows"] = flow_table.read(values["flows"], directory)
    for path, value in values.items():
        if path == "arrivals":
            found[path] = arrivals.with_files(found[path], directory)
        elif path.startswith("arrivals[") and path.endswith("].sizes"):
            found[path] = arrivals.sizes_of_file(path, value, directory)
    return found


def _with_trace(kind: traces.Kind, path: str, value: Any, directory: Path | None) -> Any:
    """Return a trace with its file read; errors name the path of the value."""
    try:
        return traces.with_file(kind, value, directory)
    except InputError as error:
        raise _below(path, impairment_sets.base(path), error).located(path=path) from None


def kind(path: str) -> str:
    """Return the kind of the value at a full path.

    Parameters
    ----------
    path
        A full path.

    Returns
    -------
    One of `mesonet.units.KINDS` or a kind of `mesonet.scenarios.arrivals.ArrivalKey`; empty for lists.
    """
    if (base := impairment_sets.base(path)) in PARAMETERS:
        return PARAMETERS[base].kind
    return "number" if path.startswith("parameters.") else arrivals.kind(path)


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return full paths and values of nested TOML tables.

    Parameters
    ----------
    table
        The tables.
    prefix
        Beginning of all paths, with a dot at its end.

    Returns
    -------
    Values by path.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        whole = path in ("algorithms", "flows") or path in PARAMETERS or _ends_set(path)
        if isinstance(value, Mapping) and not whole:
            found |= flatten(value, path + ".")
        else:
            found[path] = value
    return found


def _in_set(path: str, base: str, value: Any, segment_bytes: float) -> Any:
    """Return a parsed value of a parameter; errors name the value of the set of impairments that it belongs to."""
    try:
        return PARAMETERS[base].parse(value, segment_bytes)
    except InputError as error:
        raise _below(path, base, error) from None


def _below(path: str, base: str, error: InputError) -> InputError:
    """Return the refusal of a part of a value, with the path of the value before that of the part."""
    inner = (error.path or base).removeprefix(base)
    joined = path + (f".{inner}" if inner in traces.KEYS or inner.startswith("points[") else inner)
    place = error.path if error.file is not None else joined
    return InputError(error.problem, error.file, place, error.value, error.allowed)


def _ends_set(path: str) -> bool:
    """Return True for a value of a set of impairments, which may be a table; unknown keys are refused later."""
    try:
        return impairment_sets.is_entry(path)
    except InputError:
        return True


def _unknown_path(path: str, known: Sequence[str]) -> InputError:
    parts = path.split(".")
    if parts[0] == "parameters" and len(parts) == 3 and parts[1] not in plugins.known():
        return unknown("algorithm", parts[1], plugins.known(), path=path)
    if parts[0] == "parameters" and len(parts) == 3:
        names = [constant.name for constant in plugins.known()[parts[1]].params]
        return unknown(f"constant of {parts[1]}", parts[2], names, path=path)
    last = {name.rpartition(".")[2]: name for name in known}
    error = unknown("path", path, known)
    if "nearest" not in error.problem and (near := get_close_matches(parts[-1], list(last), n=3, cutoff=0.5)):
        error = InputError(f"unknown path (nearest: {', '.join(last[name] for name in near)})")
    section = [name for name in known if name.startswith(parts[0] + ".")] if len(parts) > 1 else []
    return InputError(error.problem, path=path, allowed=", ".join(section) or "the paths that `mesonet check` shows")


def _whole_example(whole: str) -> str:
    examples = {"algorithms": mixes.ALLOWED, "arrivals": f"{arrivals.ALLOWED}, or a value such as arrivals[0].load"}
    return examples.get(whole, explicit_flows.ALLOWED)
