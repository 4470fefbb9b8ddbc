"""The verb ``mesonet batch``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import mesonet
from mesonet.cli.common import JSON, SCENARIO, Command, scenario_options
from mesonet.cli.memory_size import in_bytes
from mesonet.cli.scenario_targets import find_scenario, list_or_text
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.files.csv_tables import write_csv
from mesonet.progress import Progress
from mesonet.simulation.simulate import MOST_THREADS
from mesonet.terminal import write_json, write_table

_MOST_ROWS = 20
"""Most runs of the table; ``--out`` and ``--json`` have all."""


@click.command(cls=Command)
@SCENARIO
@click.argument("edits", metavar="EDITS", type=click.Path(path_type=Path))
@scenario_options
@click.option("--responses", required=True, metavar="LIST", help="Responses, separated by commas.")
@click.option(
    "--periods", default="measured", show_default=True, metavar="LIST", help="Periods, such as 1,2,measured,run."
)
@click.option("--seeds", default=1, show_default=True, type=click.IntRange(min=1), help="Seeds of each edit, 1 to N.")
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), help="Runs at a time; by default one per processor.")
@click.option("--memory", metavar="SIZE", help="Most memory that a run may need, such as '8 GiB'; by default 4 GiB.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the table to FILE.csv.")
@JSON
def batch(
    target: str,
    edits: Path,
    responses: str,
    periods: str,
    seeds: int,
    threads: int | None,
    memory: str | None,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Simulate SCENARIO once for each line of EDITS, a CSV file, and write one table of responses.

    The first line of EDITS names paths, and each further line has values. An empty cell keeps the value of SCENARIO.
    """
    if out and out.suffix != ".csv":
        raise InputError("not a form of a table", path="--out", value=str(out), allowed=".csv")
    lines = list(rows(edits))
    values = [{path: list_or_text(cell) for path, cell in cells.items() if cell} for _, cells in lines]
    chosen = find_scenario(target, **options)
    try:
        with Progress(chosen.name) as progress:
            found = mesonet.batch(
                chosen,
                values,
                _names(responses),
                periods=_names(periods),
                seeds=range(1, seeds + 1),
                threads=threads,
                progress=progress.update,
                memory=in_bytes(memory),
            ).responses
    except InputError as error:
        raise _in_file(error, [place for place, _ in lines]) from None
    if out:
        with places.file(out) as aside:
            write_csv(found.frame, aside)
    if as_json:
        write_json({"scenario": chosen.name, "units": found.units, "runs": found.rows()})
        return
    shown = found.rows()[:_MOST_ROWS]
    write_table(list(found.columns), [list(row.values()) for row in shown])
    if len(found) > _MOST_ROWS:
        click.echo(f"{len(found) - _MOST_ROWS} further rows: --json, or --out")
    if out:
        click.echo(f"\nwritten to {out}")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _in_file(error: InputError, lines: Sequence[FilePlace]) -> InputError:
    """Return the refusal of an edit with its line of the file, any other as it is."""
    match = re.match(r"edits\[(\d+)\]\.?", error.path or "")
    if not match or error.file is not None:
        return error
    key = match.string[match.end() :]
    return lines[int(match[1])].refuse(error.problem, key=key, value=error.value, allowed=error.allowed)
