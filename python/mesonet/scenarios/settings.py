"""Settings of a scenario: every path, its value and the source of the value.

A scenario holds parameters (`parameters`), lists of tables with keys (`kinds.tables`), constants of algorithms
(`constants`), sets of impairments (`impairment_sets`), values of links (`link_values`) and a mix of algorithms.
`at` finds what stands at a path.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mesonet import plugins
from mesonet.algorithms import STACK
from mesonet.errors import InputError, unknown
from mesonet.scenarios import constants, impairment_sets, link_values
from mesonet.scenarios.kinds.arrivals import ARRIVALS
from mesonet.scenarios.kinds.deployment import DEPLOYMENT
from mesonet.scenarios.kinds.flows import FLOWS
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.mix import MIX
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.parameters import PARAMETERS, Parameter

WHOLES = {
    "algorithms": Parameter("algorithms", MIX, "tcp"),
    "flows": Parameter("flows", FLOWS, []),
    "arrivals": Parameter("arrivals", ARRIVALS, []),
    "deployment": Parameter("deployment", DEPLOYMENT, []),
}
"""Lists, which are no parameters."""
TABLES = {path: key.kind for path, key in {**PARAMETERS, **WHOLES}.items() if isinstance(key.kind, Tables)}
"""Lists of tables, whose values have paths of their own."""
PRESET = "preset"
"""Path of the value that chooses the defaults of all others."""
_SHORT = {"algorithm": "algorithms", "tiers": "tiers.access"}
"""Short paths that are no last part of a path."""
_ENTRY = re.compile(r"([\w.]+)\[(\d{1,7})\]\.(\w+)")


@dataclass(frozen=True)
class Setting:
    """An explicit value."""

    value: Any  #: in base units
    text: str
    source: str  #: where it was set
    given: Any = None  #: as the user gave it, with its files read


@dataclass(frozen=True)
class Entry:
    """Value of an entry of a list of tables, such as ``flows[0].count``."""

    whole: str  #: path of the list
    kind: Tables  #: kind of the list
    number: int  #: of the entry, as the user lists them, from 0
    key: str


def entry(path: str) -> Entry | None:
    """Return the value of an entry that a path names; None for any other path."""
    match = _ENTRY.fullmatch(path)
    if not match or match[1] not in TABLES:
        return None
    kind = TABLES[match[1]]
    kind.at(match[3])
    return Entry(match[1], kind, int(match[2]), match[3])


def rival(path: str, others: Collection[str]) -> str | None:
    """Return the first of other full paths that cannot be set together with a full path; None: all can.

    A path has one value; a list excludes the values of its entries; and keys of an entry may exclude each other.
    """
    if path in others:
        return path
    if path in TABLES:
        return next((other for other in others if (inside := entry(other)) and inside.whole == path), None)
    inside = entry(path)
    if inside is None:
        return None
    keys = sorted(inside.kind.excluded(inside.key))
    excluded = (inside.whole, *(f"{inside.whole}[{inside.number}].{key}" for key in keys))
    return next((other for other in excluded if other in others), None)


def refuse_together(path: str, earlier: dict[str, str]) -> str:
    """Return the full path of a path, and add it to `earlier`; raise an `InputError` if it cannot be set beside these.

    `earlier`: full paths that are set together, each as the user wrote it.
    """
    full = resolve(path)
    if other := rival(full, earlier):
        problem = "set twice" if other == full else "they cannot be set together"
        raise InputError(f"{earlier[other]} is set, too: {problem}", path=path, allowed="one of the two")
    earlier[full] = path
    return full


def plugins_first(paths: Iterable[str]) -> list[str]:
    """Return paths in the order in which their values are read: plug-ins before what names or varies them.

    Values of algorithms and lists name plug-ins; a table of flows may name those; other paths may be their constants.
    """
    return sorted(paths, key=lambda path: (path not in (*WHOLES, "algorithm"), path == "flows"))


def refuse_beside(option: str, path: str, values: Iterable[str]) -> None:
    """Raise an `InputError` if ``--set`` has a value at the full path that an option sets."""
    for given in values:
        if resolve(given) == path:
            raise InputError(f"{option} sets it, too", "--set", given, allowed="one of the two")


def at(path: str) -> Key:
    """Return what stands at a full path: a key of an entry of a list, or a parameter."""
    inside = entry(path)
    return inside.kind.at(inside.key) if inside else parameter(path)


def parameter(path: str) -> Parameter:
    """Return the parameter, the list or the constant at a full path."""
    known = PARAMETERS.get(path) or WHOLES.get(path) or PARAMETERS.get(impairment_sets.base(path))
    return known or link_values.parameter(path) or constants.parameter(path)


def resolve(path: str, value: Any = None) -> str:
    """Return the full path that a path stands for: itself, or the only one that ends in it; `value` is for messages."""
    try:
        return _resolved(path)
    except InputError as error:
        raise replace(error, path=path, value=value if error.value is None else error.value) from None


def _resolved(path: str) -> str:
    if path in PARAMETERS or path in WHOLES:
        return path
    if inside := entry(path):
        return f"{inside.whole}[{inside.number}].{inside.key}"
    if of_link := link_values.full(path):
        return of_link
    if impairment_sets.is_entry(path):
        return path
    if path in _SHORT:
        return _SHORT[path]
    if re.match(rf"({'|'.join(WHOLES)})[.\[]", path):
        constant = path.replace("algorithms.", "parameters.", 1)
        if constant in constants.paths():
            raise InputError("constants of algorithms have a path of their own", allowed=constant)
        whole = re.split(r"[.\[]", path)[0]
        raise InputError(f"{whole} can only be set as a whole", allowed=WHOLES[whole].allowed)
    if constants.of_variant(path) or ("(" in path and path.partition("(")[0] in plugins.known()):
        algorithm = path.removeprefix("parameters.").partition("(")[0]
        allowed = f"{algorithm}(constant=value, ...) among the algorithms; parameters.{algorithm} also for its variants"
        raise InputError("the name of a variant holds its constants", allowed=allowed)
    known = [*PARAMETERS, *WHOLES, *constants.paths()]
    if path in known:
        return path
    # Constants of stacks have long paths only: they do not take short paths from parameters.
    of_stacks = f"parameters.{STACK}"
    matches = [name for name in known if name.endswith("." + path) and not name.startswith(of_stacks)]
    if len(matches) == 1:
        return matches[0]
    raise InputError("ambiguous path", allowed=", ".join(matches)) if matches else _unknown_path(path, known)


def setting(path: str, value: Any, source: str, directory: Path | None = None) -> Setting:
    """Return a setting from a user's value at a full path, checked; files start from `directory`, or where we are."""
    key = at(path)
    try:
        given = key.with_file(value, directory)
        parsed = key.parse(given)
    except InputError as error:
        raise error.below(path) from None
    return Setting(parsed, key.show(parsed), source, given)


def parse(path: str, value: Any) -> Any:
    """Return a user's value at a full path in base units, checked."""
    return setting(path, value, "").value


def show(path: str, value: Any) -> str:
    """Return the text for a parsed value at a full path."""
    return at(path).show(value)


def put(settings: dict[str, Setting], path: str, value: Any, source: str, directory: Path | None) -> None:
    """Set the value at a full path, which becomes the last setting. A value of an entry changes its list."""
    if inside := entry(path):
        before = settings[inside.whole].given if inside.whole in settings else []
        own = setting(path, value, source, directory)
        path, value = inside.whole, inside.kind.with_value(before, inside.number, inside.key, own.given)
    settings.pop(path, None)
    settings[path] = setting(path, value, source, directory)


def flatten(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return full paths and values of nested TOML tables; all paths begin with `prefix`."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and not _is_whole(path):
            found |= flatten(value, path + ".")
        else:
            found[path] = value
    return found


def _is_whole(path: str) -> bool:
    """Return True if a table at a path is a value, and False if it is a section; unknown keys are refused later."""
    try:
        is_inside = entry(path) is not None or impairment_sets.is_entry(path)
    except InputError:
        return True
    return is_inside or path in ("algorithms", "flows") or path in PARAMETERS


def _unknown_path(path: str, known: Sequence[str]) -> InputError:
    parts = path.split(".")
    if parts[0] == "parameters" and len(parts) == 3 and parts[1] not in plugins.known():
        return replace(unknown("algorithm", parts[1], plugins.known()), value=None)
    if parts[0] == "parameters" and len(parts) == 3:
        names = [constant.name for constant in plugins.known()[parts[1]].params]
        return replace(unknown(f"constant of {parts[1]}", parts[2], names), value=None)
    last = {name.rpartition(".")[2]: name for name in known}
    error = unknown("path", path, known)
    if "nearest" not in error.problem and (near := get_close_matches(parts[-1], list(last), n=3, cutoff=0.5)):
        error = InputError(f"unknown path (nearest: {', '.join(last[name] for name in near)})")
    section = [name for name in known if name.startswith(parts[0] + ".")] if len(parts) > 1 else []
    return InputError(error.problem, allowed=", ".join(section) or "the paths that `mesonet check` shows")
