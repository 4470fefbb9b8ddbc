"""Explicit flows as a CSV file: a row for each flow, the keys of ``[[flows]]`` as columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from mesonet import algorithms
from mesonet.errors import InputError
from mesonet.files.csv_rows import FilePlace, columns_of, rows
from mesonet.scenarios.by_column import Rows, Table, converted
from mesonet.scenarios.kinds.flow_keys import KEYS

_WHOLE = ("count", "key_frame_every", "rate_chunks", "rung", "ack_pieces")


def read(name: str, directory: Path | None) -> Sequence[dict[str, Any]]:
    """Return the flows of a CSV file, as ``[[flows]]`` has them.

    Empty cells are keys left out. The cells are checked later, as in any other list of flows. A table is data: it names
    a plug-in only if it was loaded. Its path starts from the folder of the table or from `directory`.

    One mapping per row; counts as whole numbers, every other value as text; plug-ins by their declared names. Errors
    about them are placed by `in_file`.
    """
    path = (directory or Path()) / name
    if not path.is_file():
        raise InputError("no such file", value=name, allowed="the path of a CSV file, or [[flows]] in the file")
    columns: dict[str, Sequence[Any]] = {
        key: cells for key, cells in columns_of(path, tuple(KEYS), needed=2).items() if any(cells)
    }
    if not columns:
        raise InputError("a table without flows", str(path), allowed="a row for each flow; flows = [] for none")
    for key in _WHOLE:
        if key in columns:
            columns[key] = _whole(path, key, columns[key])
    if "algorithm" in columns:
        columns["algorithm"] = _algorithms(path, columns["algorithm"], directory)
    flows = Table(columns, path)
    if all(all(cells) for cells in columns.values()):
        return flows
    return Rows(({key: cell for key, cell in flow.items() if cell != ""} for flow in flows), path)


def in_file(flows: Any, number: int) -> FilePlace | None:
    """Return the line of a row, for messages; the file is read again.

    None if the flows are of no file. `number`: number of the row, from 0.
    """
    file = getattr(flows, "file", None)
    if file is None:
        return None
    return next((place for place, _ in islice(rows(file, tuple(KEYS), needed=2), number, None)), FilePlace(str(file)))


def _algorithms(path: Path, cells: Sequence[str], directory: Path | None) -> list[str]:
    """Return algorithms, plug-ins by their declared names; an error names the first line with the cell."""
    known = partial(algorithms.with_loaded, directories=(path.parent, directory))
    try:
        return converted(cells, known)
    except InputError:
        for at, row in rows(path, tuple(KEYS), needed=2):
            try:
                known(row["algorithm"])
            except InputError as error:
                raise at.refuse(error.problem, key="algorithm", value=row["algorithm"], allowed=error.allowed) from None
        raise


def _whole(path: Path, key: str, cells: Sequence[str]) -> list[int | str]:
    """Return counts as whole numbers; empty cells stay."""
    if not all(cell.isdecimal() for cell in cells if cell):
        for at, row in rows(path, tuple(KEYS), needed=2):
            if row[key] and not row[key].isdecimal():
                raise at.refuse("not a whole number", key=key, value=row[key], allowed="1, 2, 3, ...")
    return [int(cell) if cell else cell for cell in cells]
