"""The verb ``mesonet plugin``."""

from __future__ import annotations

from dataclasses import asdict

import click

from mesonet import plugins
from mesonet.cli.common import JSON, Command
from mesonet.plugins import linux
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("file", required=False)
@JSON
def plugin(file: str | None, as_json: bool) -> None:
    """Load the plug-in of FILE and show its declarations. Without FILE, show the path of the C header.

    FILE is a congestion control: .c, .cpp, .zig, .so, .py:NAME, or linux:FILE.c for a module of Linux.
    """
    if file is None:
        path = str(plugins.header())
        if as_json:
            write_json({"header": path})
        else:
            click.echo(path)
        return
    found = plugins.load(file)
    compared = linux.compared(found.algorithm.name)
    if as_json:
        about = {"file": found.file, "digest": found.digest, "snapshots": not found.pointers}
        about |= {"compared": compared} if compared else {}
        write_json({**asdict(found.algorithm), **about})
        return
    write_table(
        ["plug-in", "value"],
        [
            ["name", found.algorithm.name],
            ["title", found.algorithm.title],
            ["source", found.algorithm.source],
            ["file", found.file],
            ["digest", found.digest],
            ["snapshots", "no: its state has pointers" if found.pointers else "yes"],
            *([["compared", compared]] if compared else []),
        ],
    )
    if found.algorithm.params:
        click.echo("")
        write_table(
            ["constant", "unit", "least", "default", "most", "effect", "source"],
            [[p.name, p.unit, p.min, p.standard, p.max, p.doc, p.source] for p in found.algorithm.params],
        )
