"""The verb ``mesonet explain``."""

from __future__ import annotations

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.cli.glossary import meanings, names
from mesonet.errors import unknown
from mesonet.terminal import write_json


@click.command("explain", cls=Command)
@click.argument("term", metavar="TERM", nargs=-1, required=True, shell_complete=completion.TERM)
@JSON
def explain(term: tuple[str, ...], as_json: bool) -> None:
    """Explain TERM: a term of the glossary, or a name that `mesonet list` shows."""
    wanted = " ".join(term)
    found = meanings(wanted)
    if not found:
        error = unknown("term", wanted, names())
        if "nearest" not in error.problem:
            error.allowed = "a term of the glossary, or a name that `mesonet list` shows"
        raise error
    if as_json:
        write_json(found)
        return
    for each in found:
        click.echo(f"{each['name']} ({each['kind']}): {each['text']}")
