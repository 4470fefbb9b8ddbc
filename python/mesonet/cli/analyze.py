"""The verb ``mesonet analyze``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mesonet
from mesonet.cli import completion
from mesonet.cli.common import (
    BETTER,
    CUT,
    JSON,
    THRESHOLD,
    Command,
    chosen_thresholds,
    directions,
    from_results,
    refuse,
    table_options,
)
from mesonet.cli.table_analysis import analysis_of, answer_document, tables_of
from mesonet.errors import InputError
from mesonet.files.reading import is_file
from mesonet.terminal import plural, write_json

if TYPE_CHECKING:
    from mesonet.analysis import ExperimentAnalysis


@click.command(cls=Command)
@click.argument("directory", metavar="DIR|TABLE", type=click.Path(path_type=Path))
@table_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to make the folder analysis; by default DIR. Of TABLE: folder of the tables, by default none.",
)
@click.option(
    "--figures",
    default="chosen",
    metavar="chosen|all|none",
    help="Ten-step figures of one response per cluster (chosen, the default) or of all responses.",
)
@click.option("--responses", metavar="A,B,...", help="Responses to draw in place of the chosen ones.")
@click.option(
    "--against",
    metavar="ALGORITHM|LEVEL|DIR",
    help="Compare all others with an algorithm, a level or another campaign, as mesonet report does.",
    shell_complete=completion.ALGORITHM,
)
@BETTER
@THRESHOLD
@CUT
@click.option("--beside", type=click.Path(path_type=Path), metavar="DIR", help="Campaign to compare this one with.")
@click.option("--png", is_flag=True, help="Write each figure as PNG too.")
@click.option("--workers", type=int, help="Processes that draw; by default one per processor.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Of TABLE: HTML file of the report.")
@JSON
def analyze(
    directory: Path,
    response: str | None,
    factors: str | None,
    block: str | None,
    unit: str,
    out: Path | None,
    figures: str,
    responses: str | None,
    against: str | None,
    better: tuple[str, ...],
    threshold: float | None,
    cut: float | None,
    beside: Path | None,
    png: bool,
    workers: int | None,
    report: Path | None,
    as_json: bool,
) -> None:
    """Write tables and figures of the campaign in DIR, or analyse TABLE, a file of any experiment.

    Tables are Parquet and CSV, figures are SVG; the report does not need them. TABLE (.csv, .tsv, .parquet) has a row
    for each run of any two-level experiment.
    """
    if response is not None or is_file(directory):
        refuse("table", _OF_CAMPAIGNS)
        found = analysis_of(directory, response=response, factors=factors, block=block, unit=unit)
        _write_answer(found, out=out, report=report, as_json=as_json)
        return
    refuse("campaign", ("factors", "block", "unit", "report"))
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_analysis
    from mesonet.reporting.campaign_view.vocabulary import with_better

    if figures != "none":
        renderer()
    place = out or directory
    chosen = _names(responses) if responses else None
    thresholds = chosen_thresholds(threshold, cut)
    try:
        other = mesonet.load(beside) if beside else None
    except InputError as error:
        raise error.located(path="--beside") from error
    about = {"responses": chosen, "figures": figures, "thresholds": thresholds, "beside": other, "against": against}

    def write(campaign: Any, place: Path, progress: Any) -> list[Path]:
        own = with_better(campaign, directions(better))
        return write_analysis(own, place, **about, png=png, workers=workers, progress=progress)

    files = from_results(directory, "analysis", write, place)
    if as_json:
        write_json({"files": [str(file) for file in files]})
    else:
        click.echo(f"{plural(len(files), 'file')} in {place / 'analysis'}")


_OF_CAMPAIGNS = ("figures", "responses", "against", "better", "threshold", "cut", "beside", "png", "workers")


def _write_answer(found: ExperimentAnalysis, *, out: Path | None, report: Path | None, as_json: bool) -> None:
    """Print the answer of a table, and write its tables and its report if they have places."""
    from mesonet.reporting.folder.table_files import write_table

    if as_json:
        write_json(answer_document(found))
    else:
        click.echo(repr(found))
    if out is not None:
        for name, table in tables_of(found).items():
            write_table(table, out / name)
        click.echo(f"tables in {out}", err=True)
    if report is not None:
        click.echo(f"report in {mesonet.report(found, report)}", err=True)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]
