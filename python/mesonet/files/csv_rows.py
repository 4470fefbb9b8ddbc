"""Files that users give as tables: where a value in them stands, and the rows of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown

MOST_BYTES = 50_000_000
"""Largest file read, assumed: a hundred times the largest network of the Topology Zoo in GraphML."""


@dataclass(frozen=True)
class Cell:
    """Place of a value for messages: the file as shown to users, and the line, node or edge in it."""

    file: str
    path: str | None = None

    def refuse(self, problem: str, *, key: str = "", value: Any = None, allowed: str | None = None) -> InputError:
        """Return the error about a value here; `key` is the column or attribute."""
        path = ", ".join(part for part in (self.path, key) if part) or None
        return InputError(problem, self.file, path, value, allowed)


def refuse_large(place: Cell, size: int) -> None:
    """Raise an `InputError` for a file that is not worth reading."""
    if size > MOST_BYTES:
        raise place.refuse(f"a file of {size / 1e6:.0f} MB", allowed=f"at most {MOST_BYTES / 1e6:.0f} MB")


def rows(path: Path, columns: tuple[str, ...], needed: int) -> Iterator[tuple[Cell, dict[str, str]]]:
    """Yield the place and cells by column of each row; of `columns` the first `needed` must be there."""
    place = Cell(str(path))
    refuse_large(place, path.stat().st_size)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise place.refuse("not text in UTF-8", allowed="a CSV file") from None
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    header: list[str] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            at = Cell(place.file, f"line {reader.line_num}")
            if not any(cells):
                continue
            if not header:
                header = _header(at, cells, columns, needed)
            elif len(cells) != len(header):
                problem = f"{len(cells)} cells under {len(header)} columns"
                raise at.refuse(problem, value=",".join(row), allowed=f"{len(header)} cells: {','.join(header)}")
            else:
                yield at, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise Cell(place.file, f"line {reader.line_num}").refuse(f"not CSV: {error}") from None
    if not header:
        raise place.refuse("empty", allowed=f"a line with the columns {','.join(columns[:needed])}, then a row each")


def _header(at: Cell, cells: list[str], columns: tuple[str, ...], needed: int) -> list[str]:
    header = [cell.lower() for cell in cells]
    for name in header:
        if name not in columns:
            error = unknown("column", name, columns)
            raise at.refuse(error.problem, value=name, allowed=", ".join(columns))
        if header.count(name) > 1:
            raise at.refuse("a column that is there twice", value=name, allowed="each column once")
    for name in columns[:needed]:
        if name not in header:
            raise at.refuse(f'no column "{name}"', value=",".join(cells), allowed=", ".join(columns))
    return header
