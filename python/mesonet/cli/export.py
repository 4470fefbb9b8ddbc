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
@click.option("--out", type=click.Path(path_type=Path), help="FILE.parquet or .csv; by default DIR/study.parquet.")
@JSON
def export(directory: Path, out: Path | None, as_json: bool) -> None:
    """Write one table of the campaign in DIR: responses of the network and goodputs of flow groups."""
    from mesonet.campaign.export import write_study_table

    path = write_study_table(mesonet.load(directory), out or places.inside(directory, "study.parquet"))
    if as_json:
        write_json({"path": str(path)})
    else:
        click.echo(str(path))
