"""Files that users give as tables: the place of a value in them, and the rows of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.files.reading import read_text


@dataclass(frozen=True)
class FilePlace:
    """Place of a value for messages."""

    file: str  #: the file as shown to users
    path: str | None = None  #: line, node or edge in it

    def refuse(self, problem: str, *, key: str = "", value: Any = None, allowed: str | None = None) -> InputError:
        """Return the error about a value here. `key`: column or attribute of the value."""
        path = ", ".join(part for part in (self.path, key) if part) or None
        return InputError(problem, self.file, path, value, allowed)


def rows(
    path: Path,
    columns: tuple[str, ...] | None = None,
    needed: int = 0,
    comments: bool = False,
    *,
    separator: str = ",",
) -> Iterator[tuple[FilePlace, dict[str, str]]]:
    """Yield the place and the cells of each row of a CSV file.

    Place, and text by column; empty lines are skipped. `columns`: names that are allowed; None: any. `comments`: lines
    that begin with ``#`` are comments. `separator`: between cells.
    """
    header: list[str] = []
    for line, cells in _lines(path, _reader(_content(path), separator), columns, needed, comments):
        if not header:
            header = cells
        else:
            yield FilePlace(str(path), f"line {line}"), dict(zip(header, cells, strict=True))


def columns_of(path: Path, columns: tuple[str, ...], needed: int) -> dict[str, tuple[str, ...]]:
    """Return the columns of a CSV file. The texts of each column that the file has; empty lines are skipped."""
    content = _content(path)
    if found := _even_columns(content, columns, needed):
        return found
    header, *lines = (cells for _, cells in _lines(path, _reader(content), columns, needed, comments=False))
    return dict(zip(header, zip(*lines, strict=True), strict=True)) if lines else dict.fromkeys(header, ())


def _even_columns(content: str, columns: tuple[str, ...], needed: int) -> dict[str, tuple[str, ...]] | None:
    """Return columns without looking at each line; None if a line is empty or not right, or there is none."""
    reader = _reader(content)
    try:
        cells = [tuple(map(str.strip, column)) for column in zip(*reader, strict=True)]
        header = _header(FilePlace(""), [column[0] for column in cells], columns, needed)
    except (csv.Error, ValueError, InputError):  # line by line, the message names the place
        return None
    return {name: column[1:] for name, column in zip(header, cells, strict=True)} if all(cells[0]) else None


def _content(path: Path) -> str:
    return read_text(path, allowed="a CSV file")


def _reader(content: str, separator: str = ",") -> Any:
    return csv.reader(io.StringIO(content, newline=""), strict=True, delimiter=separator)


def _lines(
    path: Path, reader: Any, columns: tuple[str, ...] | None, needed: int, comments: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of each line that is not empty: first the header, then as many cells in every line."""
    place = FilePlace(str(path))
    header: list[str] = []
    try:
        for row in reader:
            cells = list(map(str.strip, row))
            if not any(cells) or (comments and cells[0].startswith("#")):
                continue
            if not header:
                header = cells = _header(FilePlace(place.file, f"line {reader.line_num}"), cells, columns, needed)
            elif len(cells) != len(header):
                at = FilePlace(place.file, f"line {reader.line_num}")
                problem = f"{len(cells)} cells under {len(header)} columns"
                raise at.refuse(problem, value=",".join(row), allowed=f"{len(header)} cells: {','.join(header)}")
            yield reader.line_num, cells
    except csv.Error as error:
        raise FilePlace(place.file, f"line {reader.line_num}").refuse(
            f"not CSV: {error}", allowed='cells between commas, such as A,B, or in quotes, such as "A, B",C'
        ) from None
    if not header:
        names = f"the columns {','.join(columns[:needed])}" if columns else "names of columns"
        raise place.refuse("empty", allowed=f"a line with {names}, then a row each")


def _header(at: FilePlace, cells: list[str], columns: tuple[str, ...] | None, needed: int) -> list[str]:
    header = [cell.lower() for cell in cells] if columns else cells
    columns = columns or tuple(cells)
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
