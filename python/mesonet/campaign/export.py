"""Tables of a campaign as one file: the study table, or a table that the runs keep.

The study table has a row per run, measured period and response of the network, and per flow group of completed flows,
by the algorithm of the flows. Columns are documented in ``docs/reference/study-table.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from mesonet.errors import InputError
from mesonet.files import places
from mesonet.files.csv_tables import write_csv
from mesonet.responses.definitions import BY_NAME
from mesonet.responses.sets import DEFAULT, SETS
from mesonet.words import own_names

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

SCHEMA = {
    "condition": pl.Int64,
    "algorithm": pl.String,
    "replicate": pl.Int64,
    "load_settled": pl.Boolean,
    "settling_time_s": pl.Float64,
    "period": pl.String,
    "of": pl.String,
    "group": pl.Int64,
    "category": pl.String,
    "path_class": pl.String,
    "rate_class": pl.String,
    "symbol": pl.String,
    "response": pl.String,
    "unit": pl.String,
    "flows": pl.Int64,
    "value": pl.Float64,
    "spread": pl.Float64,
}


def study_table(campaign: Campaign) -> pl.DataFrame:
    """Return the study table of a campaign of networks, with the runs that are done.

    Columns of `SCHEMA`, then one column per factor, -1 to +1.
    """
    if campaign.experiment.get("model") is not None:
        raise InputError("a model that is no network has no flow groups", value=campaign.name)
    run = ["condition", "algorithm", "replicate"]
    settled = campaign.runs.select(*run, "load_settled", "settling_time_s")
    rows = pl.concat([_network(campaign), _groups(campaign)]).drop("load_settled", "settling_time_s")
    table = (
        rows.join(settled, on=run, how="left")
        .select(*SCHEMA)
        .sort("condition", "algorithm", "replicate", "period", "of", "group", "symbol", nulls_last=False)
    )
    return table.join(_levels(campaign, SCHEMA), on="condition", how="left", maintain_order="left")


def write_study_table(campaign: Campaign, path: Path) -> Path:
    """Write the study table as Parquet or as CSV.

    `path`: the file, which is replaced; its ending, ``.parquet`` or ``.csv``, chooses the format.
    """
    return _write(lambda: study_table(campaign).lazy(), path)


def write_tidy_table(campaign: Campaign, responses: Sequence[str] | None, path: Path) -> Path:
    """Write the table of `mesonet.campaign.Campaign.tidy` with all periods. `path`: as `write_study_table`."""
    return _write(lambda: campaign.tidy(responses, period=None).lazy(), path)


def write_kept_table(campaign: Campaign, name: str, path: Path) -> Path:
    """Write a table that the runs keep, of all runs that are done, with one column per factor behind.

    `path`: as `write_study_table`. As Parquet the table may be larger than the memory.
    """
    rows = campaign.scan(name)
    if campaign.runs.filter(status="done").is_empty():
        raise InputError("no run is done", file=str(campaign.path), allowed="a campaign with finished runs")
    taken = rows.collect_schema().names()
    return _write(
        lambda: rows.join(_levels(campaign, taken).lazy(), on="condition", how="left", maintain_order="left"), path
    )


def _write(table: Callable[[], pl.LazyFrame], path: Path) -> Path:
    if path.suffix not in (".parquet", ".csv"):
        raise InputError("not a form of a table", path="--out", value=str(path), allowed=".parquet, .csv")
    rows = table()
    with places.file(path) as aside:
        if path.suffix == ".csv":
            write_csv(rows.collect(), aside)
        else:
            rows.sink_parquet(aside)
    return path


def _network(campaign: Campaign) -> pl.DataFrame:
    """Return the responses of the network in the experiment's response set, with the symbols of the set."""
    entries = SETS[campaign.experiment.get("response_set", DEFAULT)].entries
    symbols = {entry.name: entry.symbol.split("(")[0] for entry in reversed(entries)}
    rows = campaign.responses.filter(pl.col("response").is_in(list(symbols)) & (pl.col("period") != "run"))
    return _shaped(
        rows.with_columns(
            of=pl.lit("network"),
            symbol=pl.col("response").replace_strict(symbols, return_dtype=pl.String),
            unit=pl.col("response").map_elements(lambda name: BY_NAME[name].unit, return_dtype=pl.String),
        )
    )


def _groups(campaign: Campaign) -> pl.DataFrame:
    """Return flows completed, mean goodput and its standard deviation of each flow group, by algorithm of the flows."""
    groups = campaign.groups
    if groups.is_empty():
        return pl.DataFrame(schema=SCHEMA)
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    rows = groups.filter((pl.col("flow_algorithm") != "all") & pl.col("group").is_not_null())
    return _shaped(
        rows.with_columns(
            of=pl.when(own).then(pl.lit("alternate")).otherwise(pl.col("flow_algorithm")),
            symbol=pl.when(own).then(pl.lit("y2(u)")).otherwise(pl.lit("y16(u)")),
            response=pl.lit("goodput"),
            unit=pl.lit("segments/s"),
            value=pl.col("goodput"),
            spread=pl.col("goodput_sd"),
        )
    )


def _shaped(rows: pl.DataFrame) -> pl.DataFrame:
    """Return all columns in order; missing columns are null."""
    columns = [
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name) for name, kind in SCHEMA.items()
    ]
    return rows.select(columns)


def _levels(campaign: Campaign, taken: Collection[str]) -> pl.DataFrame:
    """Return the level of each factor, from -1 to +1, by condition. `taken`: names of other columns."""
    matrix = campaign.rows.matrix
    names = own_names([factor.id for factor in campaign.factors], [*taken, "condition"])
    columns = {name: matrix[:, place] for place, name in enumerate(names)}
    return pl.DataFrame({"condition": range(1, len(matrix) + 1), **columns}, schema_overrides={"condition": pl.Int64})
