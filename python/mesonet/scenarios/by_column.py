"""Thousands of rows, column by column: equal values of a column are converted once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the rows of columns.

    Parameters
    ----------
    columns
        At least one column; all of the same length.

    Returns
    -------
    A mapping for each row.
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def converted(column: Sequence[Any], convert: Callable[[Any], Any]) -> list[Any]:
    """Return a column with its values converted, equal ones once.

    Parameters
    ----------
    column
        Values that can be keys of a mapping.
    convert
        Function of a value. It has no other effect.

    Returns
    -------
    The results.
    """
    known = {value: convert(value) for value in dict.fromkeys(column)}  # in the order of the rows
    return [known[value] for value in column]
