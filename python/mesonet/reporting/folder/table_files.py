"""A table as files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from mesonet.files import places
from mesonet.files.csv_tables import write_csv


def write_table(table: pl.DataFrame, path: Path) -> list[Path]:
    """Write a table as Parquet and CSV."""
    parquet, csv = path.with_suffix(".parquet"), path.with_suffix(".csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    with places.aside(path.parent) as aside:
        table.write_parquet(aside / parquet.name)
        write_csv(table, aside / csv.name)
        for file in (parquet, csv):
            (aside / file.name).replace(file)
    return [parquet, csv]
