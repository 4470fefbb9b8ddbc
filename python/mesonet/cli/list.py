"""The verb ``mesonet list``."""

from __future__ import annotations

import click

from mesonet.cli import catalogue
from mesonet.cli.common import JSON, Command
from mesonet.terminal import write_json, write_table


@click.command("list", cls=Command)
@click.argument("kind", required=False, type=click.Choice(list(catalogue.KINDS)))
@JSON
def list_(kind: str | None, as_json: bool) -> None:
    """List what mesonet knows: scenarios, experiments, algorithms, ..."""
    if as_json:
        write_json([entry for each in ([kind] if kind else catalogue.KINDS) for entry in catalogue.entries(each)])
        return
    for place, each in enumerate([kind] if kind else catalogue.KINDS):
        if not kind:
            click.echo(f"{'' if place == 0 else chr(10)}{each}")
        write_table(*catalogue.rows(each))
