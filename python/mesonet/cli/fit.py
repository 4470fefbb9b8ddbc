"""The verb ``mesonet fit``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

import mesonet
from mesonet import algorithms
from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.progress import Progress
from mesonet.terminal import write_json, write_table
from mesonet.words import counted

if TYPE_CHECKING:
    from mesonet.fitting.fits import Fits


@click.command(cls=Command)
@click.argument("capture", metavar="CAPTURE", type=click.Path(path_type=Path))
@click.option("--list", "only_list", is_flag=True, help="List the flows of the capture, and fit nothing.")
@click.option("--flow", type=int, metavar="N", help="Number of the flow in --list; needed if several flows have data.")
@click.option(
    "--control",
    metavar="ALGORITHM",
    help="Control of the sender; by default the closest replay of cubic, bbr and tcp.",
    shell_complete=completion.ALGORITHM,
)
@click.option(
    "--what-if",
    metavar="LIST",
    help="Predict ranges of outcomes for other controls, such as bbr,cubic.",
    shell_complete=completion.ALGORITHMS,
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for path.toml and a page with the replay.")
@click.option(
    "--experiment",
    type=click.Path(path_type=Path),
    is_flag=False,
    flag_value=Path("paths.toml"),
    metavar="[FILE]",
    help="For a folder: write an experiment over the fitted paths; by default paths.toml.",
)
@click.option(
    "--suite",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For a folder: write a suite of mesonet evidence over the fitted paths.",
)
@JSON
def fit(
    capture: Path,
    only_list: bool,
    flow: int | None,
    control: str | None,
    what_if: str | None,
    out: Path | None,
    experiment: Path | None,
    suite: Path | None,
    as_json: bool,
) -> None:
    """Estimate the path of one flow from CAPTURE (pcap, pcapng, qlog), and replay its control on this path.

    CAPTURE can also be samples of TCP_INFO, or a run of mesonet with its packets. For a folder, a table has a row for
    each file.
    """
    from mesonet.fitting.tables import is_run

    if only_list:
        options = {"--flow": flow, "--control": control, "--what-if": what_if, "--out": out}
        _refuse(options | {"--experiment": experiment, "--suite": suite}, "without --list")
        _list(capture, as_json)
        return
    for option, place in (("--out", out and out / "path.toml"), ("--experiment", experiment)):
        if place:
            places.checked(place, option)
    if suite:
        places.checked(suite / "suite.toml", "--suite")
    if capture.is_dir() and not is_run(capture):
        _refuse({"--flow": flow, "--what-if": what_if}, "with one capture")
        found_all = _fit_all(capture, control, out, as_json)
        if experiment or suite:
            _write(found_all, experiment, suite, as_json)
        return
    _refuse({"--experiment": experiment, "--suite": suite}, "with a folder of captures")
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


def _refuse(options: Mapping[str, object], allowed: str) -> None:
    for option, value in options.items():
        if value is not None:
            raise InputError("has no effect here", path=option, value=str(value), allowed=allowed)


def _list(capture: Path, as_json: bool) -> None:
    from mesonet.fitting.readers import flows

    rows = [asdict(each) for each in flows(capture)]
    if as_json:
        write_json(rows)
    else:
        write_table(list(rows[0]), [list(row.values()) for row in rows])


def _fit_all(folder: Path, control: str | None, out: Path | None, as_json: bool) -> Fits:
    """Fit each file of a folder, and print the table; a file that is refused has its reason there."""
    from mesonet.fitting.fits import COLUMNS

    with Progress(f"captures of {folder.name}") as progress:
        found = mesonet.fit_folder(folder, control=control, progress=progress.update)
    for name, each in found.fits.items():
        if out:
            each.write(out / name)
    if as_json:
        write_json(found.as_dicts())
    else:
        write_table(list(COLUMNS), found.rows())
    return found


def _write(found: Fits, experiment: Path | None, suite: Path | None, as_json: bool) -> None:
    """Write the paths as conditions, and print which ones are none."""
    left_out = found.left_out()
    kept = len(found.fits) + len(found.refused) - len(left_out)
    lines = [f"\nconditions: {counted(kept, 'path', 'paths')}"]
    lines += [f"left out: {name}: {reason}" for name, reason in left_out.items()]
    if experiment:
        lines.append(f"written to {found.write_experiment(experiment)}")
    if suite:
        lines.append(f"written to {found.write_suite(suite)}")
    if not as_json:
        click.echo("\n".join(lines))
