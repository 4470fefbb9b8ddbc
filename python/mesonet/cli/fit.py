"""The verb ``mesonet fit``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

import mesonet
from mesonet import algorithms
from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.files import places
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("capture", metavar="CAPTURE", type=click.Path(path_type=Path))
@click.option("--list", "only_list", is_flag=True, help="List the flows of the capture, and fit nothing.")
@click.option("--flow", type=int, metavar="N", help="Number of the flow in --list; by default the only one with data.")
@click.option(
    "--control",
    metavar="ALGORITHM",
    help="Control of the sender; by default the one of cubic, bbr and tcp whose replay comes closest.",
    shell_complete=completion.ALGORITHM,
)
@click.option(
    "--what-if",
    metavar="LIST",
    help="Other controls, such as bbr,cubic: their outcomes as ranges.",
    shell_complete=completion.ALGORITHMS,
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for path.toml and the figure of the replay.")
@JSON
def fit(
    capture: Path,
    only_list: bool,
    flow: int | None,
    control: str | None,
    what_if: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Estimate the path of one flow in CAPTURE (pcap, pcapng, qlog), and replay its control there."""
    from mesonet.progress import Progress

    if only_list:
        _list(capture, as_json)
        return
    others = [] if what_if is None else algorithms.split(what_if)
    if out:
        places.checked(out / "path.toml")
    with Progress(f"paths of {capture.name}") as progress:
        found = mesonet.fit(capture, flow=flow, control=control, what_if=others, progress=progress.update)
    if out:
        found.write(out)
    if as_json:
        write_json(found.as_dict())
        return
    click.echo("\n".join(found.sentences()))
    if out:
        click.echo(f"\nwritten to {out}")


def _list(capture: Path, as_json: bool) -> None:
    from mesonet.fitting.readers import flows

    rows = [asdict(each) for each in flows(capture)]
    if as_json:
        write_json(rows)
    else:
        write_table(list(rows[0]), [list(row.values()) for row in rows])
