"""Tables of runs, read in one place: regular files of bounded size, whose footers bound their memory.

The contents of many files become one table at once: one after another would take twice as long.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from mesonet.errors import InputError
from mesonet.files import checksums, reading

RUN = ("condition", "algorithm", "replicate")
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
"""Errors of Polars for a damaged file; some damage makes it panic."""
MOST_BYTES = 4 * 2**30
"""Most memory of tables that are read at once, bytes (chosen): of the flow groups of 40,000 runs."""
MOST_BYTES_OF_ONE = 2 * 2**30
"""Most memory of a table, bytes (chosen): of the traces of a run that needs 4 GiB, the default limit."""
_TEXT_BYTES, _NUMBER_BYTES = 16, 8
"""Bytes of a cell."""


class _Source(NamedTuple):
    content: bytes
    rows: int
    size: int  #: bytes, in the file and in memory


def read(folder: Path, runs: pl.DataFrame, name: str, known: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    """Return the rows of a table of every run that is done, behind the condition, algorithm and replicate of the run.

    Rows in the order of `runs`; an empty frame without columns where no run is done. `folder`: folder of the runs; the
    files are ``KEY/name.parquet``. `runs`: as `mesonet.campaign.Campaign.runs`. Runs that share a key each have the
    rows. `known`: checksums of the files of each run, by key; runs without an entry have none.
    """
    done = runs.filter(pl.col("status") == "done").select(*RUN, run_key="key")
    files = [folder / key / f"{name}.parquet" for key in done["run_key"].unique(maintain_order=True)]
    if not files:
        return pl.DataFrame()
    sources, left = [], MOST_BYTES
    for file in files:
        sources.append(_source(file, known.get(file.parent.name, {}), left))
        left -= sources[-1].size
    try:
        rows = _decoded([each.content for each in sources])
        keys = pl.Series("run_key", [file.parent.name for file in files])
        rows = rows.with_columns(keys.gather(np.repeat(np.arange(len(keys)), [each.rows for each in sources])))
    except UNREADABLE as error:
        for file in files:
            table(file)
        raise InputError(f"the tables {name} of the runs have different columns: {error}", file=str(folder)) from None
    rows = rows.rename({own: f"{own}_of_row" for own in RUN if own in rows.columns})
    return done.join(rows, on="run_key", how="inner", maintain_order="left_right").drop("run_key")


def scan(folder: Path, runs: pl.DataFrame, name: str, known: Mapping[str, Mapping[str, str]]) -> pl.LazyFrame:
    """Return the rows of `read`, of which one run at a time is in memory when they are collected."""
    done = runs.filter(pl.col("status") == "done")
    if done.is_empty():
        return pl.LazyFrame()

    def rows(
        columns: list[str] | None, predicate: pl.Expr | None, most: int | None, _batch: int | None
    ) -> Iterator[pl.DataFrame]:
        for run in done.iter_slices(1):
            found = read(folder, run, name, known)
            if most is not None:
                found = found.head(most)
                most -= len(found)
            if predicate is not None:
                found = found.filter(predicate)
            yield found if columns is None else found.select(columns)
            if most == 0:
                return

    return register_io_source(rows, schema=read(folder, done.head(1), name, known).schema)


def table(file: Path, known: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a table of a run."""
    source = _source(file, known or {})
    try:
        return _decoded([source.content])
    except UNREADABLE as error:
        raise _no_table(file, str(error)) from None


def _source(file: Path, known: Mapping[str, str], left: float = math.inf) -> _Source:
    """Return the content of a file, and the size of its table by its footer. `left`: memory that is left, bytes."""
    try:
        content = reading.read_bytes(file, reading.MOST_TABLE_BYTES, checksums.ALLOWED)
    except FileNotFoundError:
        raise InputError("damaged: the file is missing", file=str(file), allowed=checksums.ALLOWED) from None
    checksums.refuse_changed(file, known, content)
    try:
        lazy = pl.scan_parquet(content, glob=False, hive_partitioning=False)
        kinds = lazy.collect_schema()
        rows = lazy.select(pl.len()).collect().item()
    except UNREADABLE as error:
        raise _no_table(file, str(error)) from None
    for name, kind in kinds.items():
        if not kind.is_numeric() and kind not in (pl.String, pl.Boolean):
            raise _no_table(file, f"the column {name} has neither numbers nor text")
    size = len(content) + rows * sum(_TEXT_BYTES if kind == pl.String else _NUMBER_BYTES for kind in kinds.values())
    if size > min(left, MOST_BYTES_OF_ONE):
        problem = f"{rows:,} rows of {len(kinds)} columns, with the tables before them, need too much memory"
        allowed = f"at most {MOST_BYTES_OF_ONE / 2**30:.0f} GiB, and {MOST_BYTES / 2**30:.0f} GiB of all runs"
        raise InputError(problem, file=str(file), allowed=allowed)
    return _Source(content, rows, size)


def _decoded(contents: list[bytes]) -> pl.DataFrame:
    return pl.read_parquet(contents, glob=False, hive_partitioning=False)


def _no_table(file: Path, problem: str) -> InputError:
    first = problem.partition("\n")[0]
    return InputError(f"not a table of a run: {first}", file=str(file), allowed=checksums.ALLOWED)
