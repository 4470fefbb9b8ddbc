"""The verb ``mesonet analyze``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

import mesonet
from mesonet.cli.common import CUT, DIRECTORY, JSON, THRESHOLD, Command, chosen_thresholds, from_results
from mesonet.errors import InputError
from mesonet.terminal import plural, write_json


@click.command(cls=Command)
@DIRECTORY
@click.option("--out", type=click.Path(path_type=Path), help="Where to make the folder analysis; by default DIR.")
@click.option(
    "--figures",
    default="chosen",
    metavar="chosen|all|none",
    help="Ten-step figures of one response per cluster (chosen, the default) or of all responses.",
)
@click.option("--responses", metavar="A,B,...", help="Responses to draw in place of the chosen ones.")
@THRESHOLD
@CUT
@click.option("--beside", type=click.Path(path_type=Path), metavar="DIR", help="Campaign to compare this one with.")
@click.option("--png", is_flag=True, help="Write each figure as PNG too.")
@click.option("--workers", type=int, help="Processes that draw; by default one per processor.")
@JSON
def analyze(
    directory: Path,
    out: Path | None,
    figures: str,
    responses: str | None,
    threshold: float | None,
    cut: float | None,
    beside: Path | None,
    png: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write tables (Parquet, CSV) and figures (SVG) of every analysis of the campaign in DIR.

    The report does not need them.
    """
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_analysis

    if figures != "none":
        renderer()
    place = out or directory
    chosen = [name.strip() for name in responses.split(",")] if responses else None
    thresholds = chosen_thresholds(threshold, cut)
    try:
        other = mesonet.load(beside) if beside else None
    except InputError as error:
        raise error.located(path="--beside") from error
    about = {"responses": chosen, "figures": figures, "thresholds": thresholds, "beside": other}
    write = partial(write_analysis, **about, png=png, workers=workers)
    files = from_results(directory, "analysis", write, place)
    if as_json:
        write_json({"files": [str(file) for file in files]})
    else:
        click.echo(f"{plural(len(files), 'file')} in {place / 'analysis'}")
