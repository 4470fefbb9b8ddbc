"""The verb ``mesonet analyze``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mesonet
from mesonet.cli import completion, table_methods
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
from mesonet.cli.table_analysis import answer_document, names_in, read_table, tables_of, ten_steps
from mesonet.cli.table_methods import Asked
from mesonet.errors import InputError
from mesonet.files.reading import is_file
from mesonet.terminal import plural, write_json

if TYPE_CHECKING:
    import polars as pl


@click.command(cls=Command)
@click.argument("directory", metavar="DIR|TABLE", type=click.Path(path_type=Path))
@table_options
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where to make the folder analysis; by default DIR. For TABLE: folder of the tables, by default none.",
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
    help="Compare all others with an algorithm, a level or another campaign, as mesonet report does. For TABLE, with "
    "method alternatives: the alternative to compare all others with.",
    shell_complete=completion.ALGORITHM,
)
@BETTER
@THRESHOLD
@CUT
@click.option(
    "--beside", type=click.Path(path_type=Path), metavar="DIR", help="Second campaign to compare this campaign with."
)
@click.option("--png", is_flag=True, help="Write each figure as PNG, too.")
@click.option("--workers", type=int, help="Processes that draw; by default one per processor.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="For TABLE: HTML file of the report.")
@table_methods.options
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
    method: str | None,
    **of_method: Any,
) -> None:
    """Write tables and figures of the campaign in DIR, or analyse TABLE, a file of any experiment.

    Tables are Parquet and CSV, figures are SVG; the report does not need them. TABLE (.csv, .tsv, .parquet) has a row
    for each run of any experiment.
    """
    if response is not None or is_file(directory):
        refuse("table", _OF_CAMPAIGNS)
        asked = table_methods.Asked(
            response=names_in(response) if response else [],
            factors=names_in(factors) if factors else None,
            block=block,
            unit=unit,
            against=against,
            **of_method,
        )
        _analyze_table(directory, asked, method, out=out, report=report, as_json=as_json)
        return
    refuse("campaign", ("factors", "block", "unit", "report", "method", *of_method))
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_analysis
    from mesonet.reporting.campaign_view.vocabulary import with_better

    if figures != "none":
        renderer()
    place = out or directory
    chosen = names_in(responses) if responses else None
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


_OF_CAMPAIGNS = ("figures", "responses", "better", "threshold", "cut", "beside", "png", "workers")


def _analyze_table(
    file: Path, asked: Asked, method: str | None, *, out: Path | None, report: Path | None, as_json: bool
) -> None:
    """Print the answer of a table, and write its tables and its report if they have places.

    A plan has its responses in turn.
    """
    frame = read_table(file)
    if asked.response:
        answers = [_answer(frame, asked, method, out, report)]
    else:
        names = table_methods.responses_of(frame)
        if report is not None and len(names) > 1:
            problem = "the report is of one response, and the plan has several"
            raise InputError(problem, path="--response", allowed=" or ".join(names))
        parts = [out and (out / name if len(names) > 1 else out) for name in names]
        answers = [
            _answer(frame, replace(asked, response=[name]), method, part, report)
            for name, part in zip(names, parts, strict=True)
        ]
    if as_json:
        documents = [document for _, document in answers]
        write_json(documents[0] if len(documents) == 1 else {"responses": documents})
    else:
        click.echo("\n\n".join(text for text, _ in answers))
    if out is not None:
        click.echo(f"tables in {out}", err=True)


def _answer(
    frame: pl.DataFrame, asked: Asked, method: str | None, out: Path | None, report: Path | None
) -> tuple[str, dict[str, Any]]:
    """Return the answer on one response as text and as data, and write its tables and its report."""
    import polars as pl

    from mesonet.reporting.folder.table_files import write_table

    frame, asked = table_methods.one_response(frame, asked)
    chosen = table_methods.method_of(frame, asked) if method is None else method
    table_methods.refuse_others(chosen, asked)
    if report is not None and chosen != table_methods.TEN_STEPS:
        allowed = f"--method {table_methods.TEN_STEPS}"
        raise InputError(f"method {chosen} has no report", path="--report", allowed=allowed)
    if chosen != table_methods.TEN_STEPS:
        result, about = table_methods.found_by(chosen, frame, asked)
        tables = {chosen.replace("-", "_"): result.to_polars()}
        text = repr(result)
        if lines := [f"* {each}" for each in about.get("sentences", ()) if each not in text]:
            text = "\n".join([*lines, "", text])
        for name in ("anova", "prediction", "active_factors"):
            if name in about:
                tables[name] = pl.DataFrame(about[name])
                text += f"\n\n{name}\n{tables[name]}"
        notes = list(getattr(result, "notes", ()))
        document = {"response": " and ".join(asked.response), "unit": asked.unit, "method": chosen, **about}
        document |= {"notes": notes, "table": result.to_polars().to_dicts()}
    else:
        found = ten_steps(frame, asked)
        text, document, tables = repr(found), answer_document(found), tables_of(found)
        if report is not None:
            click.echo(f"report in {mesonet.report(found, report)}", err=True)
    if out is not None:
        for name, table in tables.items():
            write_table(table, out / name)
    return text, document
