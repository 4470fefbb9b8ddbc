"""Tables of thousands of rows, kept and read column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


class Rows(list[dict[str, Any]]):
    """Rows of a file that do not all have the same keys."""

    def __init__(self, rows: Iterable[dict[str, Any]], file: Path) -> None:
        super().__init__(rows)
        self.file = file


class Table(Sequence[dict[str, Any]]):
    """Rows with equal keys. A row is made when it is asked for.

    `columns`: values by key: at least one column; all of the same length.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]], file: Path | None = None) -> None:
        self.columns = columns
        self.file = file

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, place: Any) -> Any:
        return list(self)[place] if isinstance(place, slice) else {k: c[place] for k, c in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | Table) else NotImplemented

    __hash__ = None  # type: ignore[assignment] # as a list

    def __repr__(self) -> str:
        return repr(list(self))


def column(rows: Sequence[Mapping[str, Any]], key: str, default: Any = None) -> Sequence[Any]:
    """Return the values of one key."""
    if isinstance(rows, Table):
        return rows.columns[key] if key in rows.columns else [default] * len(rows)
    return [row.get(key, default) for row in rows]


def converted(values: Sequence[Any], convert: Callable[[Any], Any]) -> list[Any]:
    """Return a column with its values converted, equal ones once."""
    known = {value: convert(value) for value in dict.fromkeys(values)}  # in the order of the rows
    return [known[value] for value in values]
