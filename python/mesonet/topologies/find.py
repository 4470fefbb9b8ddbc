"""The topology for a text that a user writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace
from mesonet.topologies import graphs, tables
from mesonet.topologies.complete import complete
from mesonet.topologies.hub import PREFIX, read_hub
from mesonet.topologies.model import Topology

_READERS = {
    ".csv": tables.read_links,
    ".graphml": graphs.read_graphml,
    ".gml": graphs.read_gml,
}
_FILES = f"a folder with {tables.NODES} and {tables.LINKS}, or a file .csv, .graphml or .gml"
ALLOWED = f"{_FILES}, or {PREFIX}GROUP/NAME"
"""Forms of a topology besides a built-in name, in words."""


def find(value: Any, builtins: Sequence[str], beside: Path | None = None) -> str | Topology:
    """Return a built-in name as it is, or the topology that a path or ``topohub:KEY`` names.

    `builtins`: names that the simulator knows; a file of the same name is written with a folder, such as ``./abilene``.
    `beside`: the folder that relative paths start from; by default the working directory.
    """
    if isinstance(value, Topology) or (isinstance(value, str) and value in builtins):
        return value
    allowed = f"{', '.join(builtins)}, {ALLOWED}"
    if not isinstance(value, str):
        raise InputError("not a topology", value=value, allowed=allowed)
    if value.startswith(PREFIX):
        return complete(read_hub(value))
    path = (beside or Path()) / value
    if not value.strip() or "\0" in value or not path.exists():
        is_path = "/" in value or path.suffix in _READERS
        problem = "no such file" if is_path else unknown("topology", value, builtins).problem
        raise InputError(problem, value=value, allowed=allowed)
    if path.is_dir():
        return complete(tables.read_folder(path, value))
    if path.suffix.lower() not in _READERS:
        raise FilePlace(str(path)).refuse("not a kind of file that holds topologies", allowed=_FILES)
    return complete(_READERS[path.suffix.lower()](path, value))
