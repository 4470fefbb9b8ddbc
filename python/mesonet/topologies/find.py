"""The topology for a text that a user writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace
from mesonet.topologies import graphs, sndlib, tables
from mesonet.topologies.complete import complete
from mesonet.topologies.draft import Draft
from mesonet.topologies.hub import PREFIX, read_hub
from mesonet.topologies.model import Topology

_READERS = {
    ".csv": tables.read_links,
    ".graphml": graphs.read_graphml,
    ".gml": graphs.read_gml,
    **dict.fromkeys(sndlib.ENDINGS, sndlib.read_network),
}
_FILES = f"a folder with {tables.NODES} and {tables.LINKS}, or a file {', '.join(_READERS)}"
ALLOWED = f"{_FILES}, or {PREFIX}GROUP/NAME"
"""Forms of a topology besides a built-in name, in words."""
COMPONENTS = ("all", "largest")
"""Parts of a network that is not connected: refused, or the largest one kept."""
_OPTIONS = ("file", "component", "default_delay")
_TABLE = '{file = "net.graphml", component = "largest", default_delay = "5 ms"}'
_LONGEST_DELAY = 1e3
"""Longest delay of a link, s, as in the simulator."""


def find(value: Any, builtins: Sequence[str], beside: Path | None = None) -> str | Topology:
    """Return a built-in name as it is, or the topology that a path or ``topohub:KEY`` names.

    `value`: also a table of `file` with the options `component` and `default_delay`. `builtins`: names that the
    simulator knows; a file of the same name is written with a folder, such as ``./abilene``. `beside`: the folder that
    relative paths start from; by default the working directory.
    """
    if isinstance(value, Mapping):
        return _with_options(value, builtins, beside)
    if isinstance(value, Topology) or (isinstance(value, str) and value in builtins):
        return value
    allowed = f"{', '.join(builtins)}, {ALLOWED}"
    if not isinstance(value, str):
        raise InputError("not a topology", value=value, allowed=allowed)
    return complete(_read(value, builtins, beside))


def _with_options(given: Mapping[str, Any], builtins: Sequence[str], beside: Path | None) -> Topology:
    """Return the topology of a table with options."""
    options = {**dict.fromkeys(_OPTIONS), **given}
    for key in given:
        if key not in _OPTIONS:
            raise InputError(unknown("key", str(key), _OPTIONS).problem, value=dict(given), allowed=_TABLE)
    file, component, text = (options[key] for key in _OPTIONS)
    if not isinstance(file, str) or file in builtins:
        raise InputError("a table without a file", value=dict(given), allowed=_TABLE)
    if component not in (None, *COMPONENTS):
        error = unknown("component", str(component), COMPONENTS)
        raise InputError(error.problem, path="component", value=component, allowed=error.allowed)
    delay = None
    if text is not None:
        try:
            delay = units.TIME.parse(text)
        except InputError as error:
            raise error.below("default_delay") from None
        if not 0 <= delay <= _LONGEST_DELAY:
            allowed = f"from 0 s to {_LONGEST_DELAY:g} s"
            raise InputError("not a delay", path="default_delay", value=text, allowed=allowed)
    draft = _read(file, builtins, beside)
    chosen = [f"{key} = {options[key]}" for key in _OPTIONS[1:] if options[key] is not None]
    draft.text = ", ".join([draft.text, *chosen])
    return complete(draft, largest=component == "largest", default_delay=delay)


def _read(value: str, builtins: Sequence[str], beside: Path | None) -> Draft:
    """Return the network that a path or ``topohub:KEY`` names, with gaps."""
    allowed = f"{', '.join(builtins)}, {ALLOWED}"
    if value.startswith(PREFIX):
        return read_hub(value)
    path = (beside or Path()) / value
    if not value.strip() or "\0" in value or not path.exists():
        is_path = "/" in value or path.suffix in _READERS
        problem = "no such file" if is_path else unknown("topology", value, builtins).problem
        raise InputError(problem, value=value, allowed=allowed)
    if path.is_dir():
        return tables.read_folder(path, value)
    if path.suffix.lower() not in _READERS:
        raise FilePlace(str(path)).refuse("not a kind of file that holds topologies", allowed=_FILES)
    return _READERS[path.suffix.lower()](path, value)
