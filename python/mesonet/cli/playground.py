"""The verb ``mesonet playground``."""

from __future__ import annotations

from pathlib import Path

import click

from mesonet.cli.common import JSON, Command
from mesonet.terminal import write_json


@click.command(cls=Command)
@click.option("--out", type=click.Path(path_type=Path), default="playground.html", show_default=True, help="The file.")
@JSON
def playground(out: Path, as_json: bool) -> None:
    """Write a page that simulates in the browser: windows, queues and throughput of any algorithms."""
    from mesonet.playground import write_playground

    path = write_playground(out)
    if as_json:
        write_json({"path": str(path)})
    else:
        click.echo(str(path))
