"""A table as files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq


def write_table(table: pl.DataFrame, path: Path) -> list[Path]:
    """Write a table as Parquet and CSV; `path` is without ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet, csv = path.with_suffix(".parquet"), path.with_suffix(".csv")
    arrow: pa.Table = table.to_arrow()
    pq.write_table(arrow, parquet)
    table.write_csv(csv)
    return [parquet, csv]
