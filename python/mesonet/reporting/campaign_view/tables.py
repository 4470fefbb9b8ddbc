"""Tables of results with columns for the labels that all their rows share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl


def labelled(table: pl.DataFrame, labels: Mapping[str, Any]) -> pl.DataFrame:
    """Return a table with columns in front for the labels that all its rows share.

    Parameters
    ----------
    table
        The table.
    labels
        Value of each new column, by its name.

    Returns
    -------
    The new columns, then the columns of the table.
    """
    return table.select(*(pl.lit(value).alias(name) for name, value in labels.items()), pl.all())
