"""Tables of results with columns that say what they are about."""

from collections.abc import Mapping
from typing import Any

import polars as pl


def labelled(table: pl.DataFrame, labels: Mapping[str, Any]) -> pl.DataFrame:
    """Return the table with columns in front that say what all its rows are about."""
    return table.select(*(pl.lit(value).alias(name) for name, value in labels.items()), pl.all())
