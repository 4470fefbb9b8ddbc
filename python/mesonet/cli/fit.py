"""The verb ``mesonet fit``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

import mesonet
from mesonet import algorithms
from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.progress import Progress
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
    """Estimate the path of one flow in CAPTURE (pcap, pcapng, qlog), and replay its control there.

    CAPTURE can be a folder: a table has a row for each file.
    """
    if only_list:
        _refuse(("--flow", flow), ("--control", control), ("--what-if", what_if), ("--out", out), without="--list")
        _list(capture, as_json)
        return
    if out:
        places.checked(out / "path.toml")
    if capture.is_dir():
        _refuse(("--flow", flow), ("--what-if", what_if), without="a folder")
        _fit_all(capture, control, out, as_json)
        return
    others = [] if what_if is None else algorithms.split(what_if)
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


def _refuse(*options: tuple[str, object], without: str) -> None:
    for option, value in options:
        if value is not None:
            raise InputError("has no effect here", path=option, value=str(value), allowed=f"without {without}")


def _list(capture: Path, as_json: bool) -> None:
    from mesonet.fitting.readers import flows

    rows = [asdict(each) for each in flows(capture)]
    if as_json:
        write_json(rows)
    else:
        write_table(list(rows[0]), [list(row.values()) for row in rows])


def _fit_all(folder: Path, control: str | None, out: Path | None, as_json: bool) -> None:
    """Fit each file of a folder; a file that is refused has its reason in the table."""
    files = sorted(each for each in folder.iterdir() if each.is_file())
    if not files:
        raise InputError("no file in the folder", value=str(folder), allowed="a folder with captures")
    if control is not None:
        algorithms.resolve(control)
    rows: list[list[str | float | None]] = []
    documents = []
    with Progress(f"captures of {folder.name}") as progress:
        for number, file in enumerate(files, 1):
            try:
                found = mesonet.fit(file, control=control)
            except InputError as error:
                rows.append([file.name, *[None] * 5, error.problem])
                documents.append({"file": file.name, "refused": str(error)})
            else:
                if out:
                    found.write(out / file.name)
                rows.append([file.name, *found.row()])
                documents.append({"file": file.name, **found.as_dict()})
            progress.update(number, len(files))
    if as_json:
        write_json(documents)
    else:
        write_table(["file", "control", "rate, Mbit/s", "base, ms", "buffer", "random loss, %", "replay"], rows)
