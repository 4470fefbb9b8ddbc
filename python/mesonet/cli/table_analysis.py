"""The analysis of a table of an experiment: a file in, an answer as text or as data, and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import mesonet
from mesonet.cli.table_methods import Asked, without_order
from mesonet.errors import InputError
from mesonet.files.csv_rows import rows
from mesonet.files.reading import MOST_TABLE_BYTES, read_bytes

if TYPE_CHECKING:
    import polars as pl

    from mesonet.analysis import ExperimentAnalysis

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_table(file: Path) -> pl.DataFrame:
    """Return the table of a file. Cells of CSV and TSV stay text."""
    import polars as pl

    kind = file.suffix.lower()
    if kind == ".parquet":
        try:
            return pl.read_parquet(read_bytes(file, most=MOST_TABLE_BYTES))
        except pl.exceptions.PolarsError as error:
            raise InputError("not a Parquet file", file=str(file), allowed="a table in Parquet") from error
    if kind not in _SEPARATORS:
        raise InputError("not a table", value=str(file), allowed="a file .csv, .tsv or .parquet, or a campaign folder")
    cells = [row for _, row in rows(file, separator=_SEPARATORS[kind])]
    if not cells:
        raise InputError("no rows", file=str(file), allowed="a line with names of columns, then a row for each run")
    return pl.DataFrame(cells, infer_schema_length=None)


def analysis_of(
    file: Path, *, response: str | None, factors: str | None, block: str | None, unit: str
) -> ExperimentAnalysis:
    """Return the analysis of the table in a file, with the options of the command line."""
    if response is None:
        raise InputError("missing", path="--response", allowed="the name of the measured column")
    asked = Asked(names_in(response), None if factors is None else names_in(factors), block, unit)
    return ten_steps(read_table(file), asked)


def ten_steps(frame: pl.DataFrame, asked: Asked) -> ExperimentAnalysis:
    """Return the analysis of a table with two levels of each factor."""
    about: dict[str, Any] = {"factors": asked.factors, "block": asked.block, "unit": asked.unit}
    try:
        return mesonet.analysis.experiment(without_order(frame), asked.response, **about)
    except InputError as error:
        if error.problem.endswith("levels") or error.problem == "no column is a factor":
            allowed = f"{error.allowed}; mesonet analyze --method model takes any number of levels"
            raise InputError(error.problem, error.file, error.path, error.value, allowed) from None
        raise


def names_in(text: str) -> list[str]:
    """Return the names between commas."""
    return [name.strip() for name in text.split(",")]


def tables_of(found: ExperimentAnalysis) -> dict[str, pl.DataFrame]:
    """Return the tables of an analysis by name."""
    import polars as pl

    codings = found.design.codings
    levels = {"minus": [each.level(-1) for each in codings], "plus": [each.level(1) for each in codings]}
    tables = {
        "levels": pl.DataFrame({"factor": found.design.factors, **levels}),
        "main_effects": found.steps.effects.to_polars(),
        "terms": found.to_polars(),
        "interactions": found.steps.interactions.to_polars(),
    }
    more = {"curvature": found.curvature, "active_factors": found.active, "partial_aliasing": found.search}
    return {**tables, **{name: each.to_polars() for name, each in more.items() if each is not None}}


def answer_document(found: ExperimentAnalysis) -> dict[str, Any]:
    """Return the answer and its tables as plain data."""
    about = {"response": found.response, "unit": found.unit, "sentences": found.sentences(), "notes": found.notes}
    best = {
        word: None if each is None else {"levels": each.levels, "predicted": each.predicted}
        for word, each in (("highest", found.highest), ("lowest", found.lowest))
    }
    return {**about, **best, **{name: table.to_dicts() for name, table in tables_of(found).items()}}
