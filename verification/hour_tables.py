"""Tables of four conditions of experiment 2a for the published hour: docs/explanation/replication/experiments-2.md.

``python -m verification.hour_tables DIR`` adds the finished runs of a campaign of ``exp-2a-hour.toml`` to both tables.
Rows of runs that the campaign lacks stay, so that shards can come from several machines.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

import mesonet as mn
from mesonet.campaign.export import study_table

TABLES = Path(__file__).parent / "tables"
PUBLISHED = (21, 25, 27, 17)
"""Conditions of experiment 2a, in the order of the file."""
SPAN_MIN = 5
RUN = ("condition", "algorithm")


def means(series: pl.LazyFrame) -> pl.DataFrame:
    """Return means of `SPAN_MIN` minutes; rates are per second of these minutes."""
    dropped, entering = pl.col("segments_dropped").sum(), pl.col("segments_entering").sum()
    span = ((pl.col("time_s") - 1e-6) // (60 * SPAN_MIN)).cast(pl.Int64) * SPAN_MIN
    return (
        series.with_columns(span.alias("from_min"))
        .group_by(*RUN, "from_min")
        .agg(
            pl.col("connecting").mean().round(1),
            pl.col("sending").mean().round(1).alias("transmitting"),
            pl.col("rtt_ms").mean().round(2),
            (dropped / entering).round(5).alias("loss_rate"),
            (pl.col("flows_completed").sum() / (60 * SPAN_MIN)).round(1).alias("flows_per_s"),
        )
        .collect()
    )


def added(rows: pl.DataFrame, committed: pl.DataFrame) -> pl.DataFrame:
    """Return `rows`, and of `committed` the rows of other runs, in the order of conditions and algorithms."""
    kept = committed.join(rows.select(RUN).unique(), on=RUN, how="anti")
    return pl.concat([kept, rows.select(committed.columns).cast(committed.schema)]).sort(RUN, maintain_order=True)


def main(directory: str) -> None:
    """Write both tables."""
    campaign = mn.load(directory)
    table = TABLES / "exp-2a-hour.parquet"
    added(study_table(campaign), pl.read_parquet(table)).write_parquet(table)
    minutes = TABLES / "exp-2a-hour-time.csv"
    spans = means(campaign.scan("series")).sort(*RUN, "from_min")
    numbered = spans.with_columns(pl.col("condition").replace_strict(range(1, 5), PUBLISHED, return_dtype=pl.Int64))
    added(numbered, pl.read_csv(minutes, schema=numbered.schema)).write_csv(minutes)


if __name__ == "__main__":
    main(*sys.argv[1:])
