"""Explicit flows as a CSV file: a row for each flow, the keys of ``[[flows]]`` as columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mesonet.errors import InputError
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.scenarios import flow_applications, flow_receivers

KEYS = (
    "from",
    "to",
    "start",
    "start_within",
    "stop",
    "size",
    "interface",
    "algorithm",
    "extra_delay",
    "overhead",
    "segment_bytes",
    *flow_applications.KEYS,
    *flow_receivers.KEYS,
    "count",
)
"""Keys of a flow; the first two are required."""


_WHOLE = ("count", "key_frame_every", "ack_pieces")


def read(name: str, directory: Path | None) -> list[dict[str, Any]]:
    """Return the flows of a CSV file, as ``[[flows]]`` has them.

    Empty cells are keys left out. The cells are checked later, as in any other list of flows.

    Parameters
    ----------
    name
        Name or path of the file.
    directory
        The folder that it is relative to; None: the working directory.

    Returns
    -------
    One mapping per row; counts as whole numbers, every other value as text.

    Raises
    ------
    InputError
        If there is no such file, or it is not such a table. The error names the line.
    """
    path = (directory or Path()) / name
    if not path.is_file():
        raise InputError(
            "no such file", path="flows", value=name, allowed="the path of a CSV file, or [[flows]] in the file"
        )
    return [_flow(at, cells) for at, cells in rows(path, KEYS, needed=2)]


def _flow(at: FilePlace, cells: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {key: cell for key, cell in cells.items() if cell}
    for key in _WHOLE:
        if key in given:
            if not given[key].isdecimal():
                raise at.refuse("not a whole number", key=key, value=given[key], allowed="1, 2, 3, ...")
            given[key] = int(given[key])
    return given
