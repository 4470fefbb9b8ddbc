"""The verb ``mesonet list``."""

from __future__ import annotations

import click

from mesonet.cli import list_entries
from mesonet.cli.common import JSON, Command
from mesonet.terminal import write_json, write_table


@click.command("list", cls=Command)
@click.argument("kind", required=False, type=click.Choice(list(list_entries.KINDS)))
@JSON
def list_(kind: str | None, as_json: bool) -> None:
    """List all there is: scenarios, experiments, algorithms, ..."""
    if as_json:
        write_json([entry for each in ([kind] if kind else list_entries.KINDS) for entry in list_entries.entries(each)])
        return
    for place, each in enumerate([kind] if kind else list_entries.KINDS):
        if not kind:
            click.echo(f"{'' if place == 0 else chr(10)}{each}")
        write_table(*list_entries.rows(each))
