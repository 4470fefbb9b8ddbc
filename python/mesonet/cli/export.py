"""The verb ``mesonet export``."""

from __future__ import annotations

from pathlib import Path

import click

import mesonet
from mesonet.cli.common import DIRECTORY, JSON, Command
from mesonet.files import places
from mesonet.terminal import write_json


@click.command(cls=Command)
@DIRECTORY
@click.option("--table", metavar="TABLE", help="A table that the runs keep, such as units, of all runs.")
@click.option("--out", type=click.Path(path_type=Path), help="FILE.parquet or .csv; by default DIR/TABLE.parquet.")
@JSON
def export(directory: Path, table: str | None, out: Path | None, as_json: bool) -> None:
    """Write one table of the campaign in DIR: responses and goodputs of flow groups, or a kept table."""
    from mesonet.campaign.export import write_kept_table, write_study_table

    campaign = mesonet.load(directory)
    if table is None:
        path = write_study_table(campaign, out or places.inside(directory, "study.parquet"))
    else:
        path = write_kept_table(campaign, table, out or places.inside(directory, f"{table}.parquet"))
    if as_json:
        write_json({"path": str(path)})
    else:
        click.echo(str(path))
