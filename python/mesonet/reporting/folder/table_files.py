"""A table as files."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def write_table(table: pl.DataFrame, path: Path) -> list[Path]:
    """Write a table as Parquet and CSV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet, csv = path.with_suffix(".parquet"), path.with_suffix(".csv")
    table.write_parquet(parquet)
    table.write_csv(csv)
    return [parquet, csv]
