"""Tables of many runs, read at once: opening 10,000 files one after another would take ten times as long."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from mesonet.errors import InputError

RUN = ("condition", "algorithm", "replicate")
_KEY_OF_FILE = r"([^/\\]+)[/\\][^/\\]+$"


def read(folder: Path, runs: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the rows of a table of every run that is done, behind the condition, algorithm and replicate of the run.

    Parameters
    ----------
    folder
        Folder of the runs; the files are ``KEY/name.parquet``.
    runs
        As `mesonet.campaign.Campaign.runs`. Runs that share a key each have the rows.
    name
        Name of the table.

    Returns
    -------
    Rows in the order of `runs`; an empty frame without columns where no run is done.

    Raises
    ------
    InputError
        If a file is missing or is no table, or tables have different columns. The error names the file or the folder.
    """
    done = runs.filter(pl.col("status") == "done").select(*RUN, run_key="key")
    files = [folder / key / f"{name}.parquet" for key in done["run_key"].unique(maintain_order=True)]
    if not files:
        return pl.DataFrame()
    try:
        # The paths are plain names of files: a pattern or key=value in them has no meaning.
        rows = pl.read_parquet(files, include_file_paths="run_key", glob=False, hive_partitioning=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        _refuse_first_bad(files)
        raise InputError(f"the tables {name} of the runs have different columns: {error}", file=str(folder)) from None
    rows = rows.rename({own: f"{own}_of_row" for own in RUN if own in rows.columns})
    rows = rows.with_columns(pl.col("run_key").str.extract(_KEY_OF_FILE))
    return done.join(rows, on="run_key", how="inner", maintain_order="left_right").drop("run_key")


def _refuse_first_bad(files: Iterable[Path]) -> None:
    for file in files:
        try:
            pl.read_parquet(file, glob=False, hive_partitioning=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            problem = f"not a table of a run: {str(error).splitlines()[0]}"
            allowed = "the file as it was written; without its folder the run is made again"
            raise InputError(problem, file=str(file), allowed=allowed) from None
