"""The verb ``mesonet export``."""

from __future__ import annotations

from pathlib import Path

import click

import mesonet
from mesonet.cli.common import DIRECTORY, JSON, Command
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.terminal import write_json


@click.command(cls=Command)
@DIRECTORY
@click.option("--table", metavar="TABLE", help="A table that the runs keep, such as units; rows of all runs.")
@click.option(
    "--long",
    "as_long",
    is_flag=True,
    help="Write one tidy table with the real levels of the factors and the responses.",
)
@click.option("--responses", metavar="A,B,...", help="With --long: these responses only.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="FILE.parquet or .csv; by default DIR/TABLE.parquet, or tidy.parquet.",
)
@JSON
def export(
    directory: Path, table: str | None, as_long: bool, responses: str | None, out: Path | None, as_json: bool
) -> None:
    """Write one table of the campaign in DIR: responses and goodputs of flow groups, or a kept table."""
    from mesonet.campaign.export import write_kept_table, write_study_table, write_tidy_table

    if as_long and table is not None:
        raise InputError("goes without --long", path="--table", value=table)
    if responses is not None and not as_long:
        raise InputError("goes with --long", path="--responses", value=responses)
    campaign = mesonet.load(directory)
    if as_long:
        chosen = None if responses is None else [name.strip() for name in responses.split(",")]
        path = write_tidy_table(campaign, chosen, out or places.inside(directory, "tidy.parquet"))
    elif table is None:
        path = write_study_table(campaign, out or places.inside(directory, "study.parquet"))
    else:
        path = write_kept_table(campaign, table, out or places.inside(directory, f"{table}.parquet"))
    if as_json:
        write_json({"path": str(path)})
    else:
        click.echo(str(path))
