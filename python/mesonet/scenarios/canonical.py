"""Canonical form of a scenario: plain data, and one text for equal data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mesonet import units
from mesonet.scenarios.by_column import Table, column
from mesonet.topologies import Topology

_LONG = 100_000
"""Texts of some 1,000 flows and more are decoded by msgspec, in a third of the time of json. To load it takes 5 ms."""


def plain(value: Any) -> Any:
    """Return plain data with whole numbers as integers, so that equal values have equal text.

    Numbers, text, None, and lists and mappings of these.
    """
    if isinstance(value, str | float) or value is None:  # most of the values of thousands of flows
        return units.whole(value) if isinstance(value, float) else value
    value = value.canonical() if isinstance(value, Topology) else value
    if isinstance(value, Mapping):
        return {key: entry if entry is None or type(entry) is str else plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | Table):
        return [plain(entry) for entry in value]
    return units.whole(value)


def text(tree: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a canonical scenario. JSON with sorted keys. `name`, `rows`: of a table, which is added."""
    before = _text({key: value for key, value in tree.items() if key < name})
    after = _text({key: value for key, value in tree.items() if key > name})
    parts = before[1:-1], f"{_text(name)}:{_rows_text(rows)}", after[1:-1]
    return "{" + ",".join(part for part in parts if part) + "}"


def content(text: str) -> dict[str, Any]:
    """Return the plain data of the text of a canonical scenario."""
    if len(text) < _LONG:
        return dict(json.loads(text))
    import msgspec

    return dict(msgspec.json.decode(text))


_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_lines = json.JSONEncoder(separators=("\n", ":"), allow_nan=False).encode


def _rows_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a table, column by column where all rows have equal keys and no value has parts."""
    keys = sorted(rows[0]) if rows else []
    if not isinstance(rows, Table) and any(row.keys() != rows[0].keys() for row in rows):
        return _text(plain(rows))
    try:
        columns = [_texts(column(rows, key)) for key in keys]
    except TypeError:  # lists and mappings
        return _text(plain(rows))
    row_text = "{" + ",".join(f"{_text(key)}:%s" for key in keys) + "}"
    return "[" + ",".join(map(row_text.__mod__, zip(*columns, strict=True))) + "]"


def _texts(values: Sequence[Any]) -> list[str]:
    """Return the texts of values without parts; equal values are of one kind, no flags among numbers."""
    distinct = list(dict.fromkeys(values))
    lines = _lines([plain(value) for value in distinct])[1:-1]
    known = dict(zip(distinct, lines.split("\n"), strict=True))
    return [known[value] for value in values]
