"""The verb ``mesonet analyze``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import mesonet
from mesonet.cli import table_methods
from mesonet.cli.common import CUT, JSON, THRESHOLD, Command, chosen_thresholds, from_results
from mesonet.cli.table_analysis import answer_document, read_table, tables_of
from mesonet.cli.table_methods import Asked
from mesonet.errors import InputError
from mesonet.files.reading import is_file
from mesonet.terminal import plural, write_json

if TYPE_CHECKING:
    import polars as pl


@click.command(cls=Command)
@click.argument("directory", metavar="DIR|TABLE", type=click.Path(path_type=Path))
@click.option("--response", metavar="COLUMN,...", help="Of TABLE: the measured column; several are replicates.")
@click.option("--factors", metavar="A,B,...", help="Of TABLE: columns of the factors; by default all of two levels.")
@click.option("--block", metavar="COLUMN", help="Of TABLE: column that labels the block of each run, such as a day.")
@click.option("--unit", default="", help="Of TABLE: unit of the response.")
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
@THRESHOLD
@CUT
@click.option("--beside", type=click.Path(path_type=Path), metavar="DIR", help="Campaign to compare this one with.")
@click.option("--png", is_flag=True, help="Write each figure as PNG too.")
@click.option("--workers", type=int, help="Processes that draw; by default one per processor.")
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
    threshold: float | None,
    cut: float | None,
    beside: Path | None,
    png: bool,
    workers: int | None,
    as_json: bool,
    method: str | None,
    **of_method: Any,
) -> None:
    """Write tables and figures of the campaign in DIR, or analyse TABLE, a file of any experiment.

    Tables are Parquet and CSV, figures are SVG; the report does not need them. TABLE (.csv, .tsv, .parquet) has a row
    for each run of any experiment.
    """
    if response is not None or is_file(directory):
        _refuse("table", ("figures", "responses", "threshold", "cut", "beside", "png", "workers"))
        asked = table_methods.Asked(
            response=_names(response) if response else [],
            factors=_names(factors) if factors else None,
            block=block,
            unit=unit,
            **of_method,
        )
        _analyze_table(directory, asked, method, out=out, as_json=as_json)
        return
    _refuse("campaign", ("factors", "block", "unit", "method", *of_method))
    from mesonet.charts.in_page import renderer
    from mesonet.reporting import write_analysis

    if figures != "none":
        renderer()
    place = out or directory
    chosen = _names(responses) if responses else None
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


def _analyze_table(file: Path, asked: Asked, method: str | None, *, out: Path | None, as_json: bool) -> None:
    """Print the answer of a table, and write its tables if a folder is given. A plan has its responses in turn."""
    frame = read_table(file)
    if asked.response:
        answers = [_answer(frame, asked, method, out)]
    else:
        names = table_methods.responses_of(frame)
        parts = [out and (out / name if len(names) > 1 else out) for name in names]
        answers = [
            _answer(frame, replace(asked, response=[name]), method, part)
            for name, part in zip(names, parts, strict=True)
        ]
    if as_json:
        documents = [document for _, document in answers]
        write_json(documents[0] if len(documents) == 1 else {"responses": documents})
    else:
        click.echo("\n\n".join(text for text, _ in answers))
    if out is not None:
        click.echo(f"tables in {out}", err=True)


def _answer(frame: pl.DataFrame, asked: Asked, method: str | None, out: Path | None) -> tuple[str, dict[str, Any]]:
    """Return the answer on one response as text and as data, and write its tables."""
    import polars as pl

    from mesonet.reporting.folder.table_files import write_table

    frame, asked = table_methods.one_response(frame, asked)
    chosen = table_methods.method_of(frame, asked) if method is None else method
    table_methods.refuse_others(chosen, asked)
    if chosen != table_methods.TEN_STEPS:
        result, about = table_methods.found_by(chosen, frame, asked)
        tables = {chosen.replace("-", "_"): result.to_polars()}
        text = repr(result)
        for name in ("anova", "prediction"):
            if name in about:
                tables[name] = pl.DataFrame(about[name])
                text += f"\n\n{name}\n{tables[name]}"
        notes = list(getattr(result, "notes", ()))
        document = {"response": " and ".join(asked.response), "unit": asked.unit, "method": chosen, **about}
        document |= {"notes": notes, "table": result.to_polars().to_dicts()}
    else:
        try:
            found = mesonet.analysis.experiment(
                table_methods.without_order(frame),
                asked.response,
                factors=asked.factors,
                block=asked.block,
                unit=asked.unit,
            )
        except InputError as error:
            if error.problem.endswith("levels") or error.problem == "no column is a factor":
                allowed = f"{error.allowed}; --method model takes any number of levels"
                raise InputError(error.problem, error.file, error.path, error.value, allowed) from None
            raise
        text, document, tables = repr(found), answer_document(found), tables_of(found)
    if out is not None:
        for name, table in tables.items():
            write_table(table, out / name)
    return text, document


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _refuse(target: str, options: Sequence[str]) -> None:
    """Refuse options that have no meaning for a target. `options`: their names in Python."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InputError(
                f"has no meaning for a {target}", path=f"--{name.replace('_', '-')}", allowed="the options of `--help`"
            )
