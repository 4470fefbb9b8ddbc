"""Tables of many runs, read at once: opening 10,000 files one after another would take ten times as long."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from mesonet.errors import InputError
from mesonet.files import checksums

RUN = ("condition", "algorithm", "replicate")
UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
"""Errors of Polars for a damaged file; some damage makes it panic."""
_KEY_OF_FILE = r"([^/\\]+)[/\\][^/\\]+$"


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
    for file in files:
        checksums.refuse_changed(file, known.get(file.parent.name, {}))
    try:
        # The paths are plain names of files: a pattern or key=value in them has no meaning.
        rows = pl.read_parquet(files, include_file_paths="run_key", glob=False, hive_partitioning=False)
    except UNREADABLE as error:
        for file in files:
            table(file)
        raise InputError(f"the tables {name} of the runs have different columns: {error}", file=str(folder)) from None
    rows = rows.rename({own: f"{own}_of_row" for own in RUN if own in rows.columns})
    rows = rows.with_columns(pl.col("run_key").str.extract(_KEY_OF_FILE))
    return done.join(rows, on="run_key", how="inner", maintain_order="left_right").drop("run_key")


def table(file: Path, known: Mapping[str, str] | None = None) -> pl.DataFrame:
    """Return a table of a run."""
    checksums.refuse_changed(file, known or {})
    try:
        return pl.read_parquet(file, glob=False, hive_partitioning=False)
    except UNREADABLE as error:
        problem = f"not a table of a run: {str(error).splitlines()[0]}"
        allowed = "the file as it was written; `mesonet experiment run` makes a damaged run of its campaign again"
        raise InputError(problem, file=str(file), allowed=allowed) from None
