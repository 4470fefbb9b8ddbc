"""Tables as CSV for spreadsheets, which run a cell that begins as a formula does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_FORMULA = r"^[=+\-@\t\r\n]"
"""OWASP, "CSV Injection"."""
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_MARK = "'"
"""Before a text that is no formula; spreadsheets do not show it."""


def write_csv(table: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV, with an apostrophe before each text and name that a spreadsheet would take for a formula.

    Numbers, and texts of a number, stay as they are.
    """
    import polars as pl

    names = _harmless(pl.Series(table.columns, dtype=pl.String)).to_list()
    cells = [_harmless(column) if column.dtype == pl.String else column for column in table]
    pl.DataFrame([cell.alias(name) for cell, name in zip(cells, names, strict=True)]).write_csv(path)


def _harmless(texts: pl.Series) -> pl.Series:
    formula = texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)
    return (_MARK + texts).zip_with(formula.fill_null(False), texts)
