"""The verb ``mesonet emulate``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import mesonet
from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.cli.table_analysis import names_in, read_table
from mesonet.errors import InputError
from mesonet.files.reading import is_file
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("directory", metavar="DIR|TABLE", type=click.Path(path_type=Path))
@click.option("--response", metavar="RESPONSE", required=True, help="Response to predict, such as goodput.")
@click.option("--factors", metavar="A,B,...", help="For TABLE: columns of the factors; by default all that vary.")
@click.option("--unit", metavar="UNIT", help="For TABLE: unit of the response.")
@click.option(
    "--algorithm", help="Algorithm of the runs; by default the only one.", shell_complete=completion.ALGORITHM
)
@click.option("--at", "settings", multiple=True, metavar="PATH=VALUE", help="Value of a factor: X1='40 seg/ms'.")
@click.option(
    "--next",
    "number",
    type=int,
    metavar="N",
    help="Show the N settings at which a run would lower the uncertainty most.",
)
@click.option("--period", help="Period of the response; by default the measured time.")
@click.option("--scale", default="auto", show_default=True, help="Scale of the response: auto, linear or log.")
@click.option(
    "--log",
    multiple=True,
    metavar="FACTOR|none",
    help="Factor whose range is logarithmic; by default those whose values spread over decades.",
)
@click.option("--level", default=0.95, show_default=True, type=float, help="Probability of the bands.")
@JSON
def emulate(
    directory: Path,
    response: str,
    settings: tuple[str, ...],
    number: int | None,
    level: float,
    as_json: bool,
    factors: str | None,
    unit: str | None,
    log: tuple[str, ...],
    **options: Any,
) -> None:
    """Predict RESPONSE of the campaign in DIR, or of TABLE, at settings that were not run, with a band.

    TABLE (.csv, .tsv, .parquet) has a row for each run.
    """
    from mesonet.emulation.emulator import shown

    if "none" in log and len(log) > 1:
        raise InputError("none beside a factor", path="--log", value=", ".join(log), allowed="none, or factors")
    emulator = mesonet.emulate(
        read_table(directory) if is_file(directory) else mesonet.load(directory),
        names_in(response) if is_file(directory) else response,
        factors=None if factors is None else names_in(factors),
        unit=unit or "",
        log=None if not log else [name for name in log if name != "none"],
        **options,
    )
    wanted: dict[str, str] = {}
    for text in settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or name in wanted:
            problem = "given twice" if equals else "not PATH=VALUE"
            raise InputError(problem, path="--at", value=text, allowed="each factor once, such as X1=40 seg/ms")
        wanted[name] = value
    predicted = emulator.predict(wanted, level=level) if wanted else None
    following = emulator.next_points(number) if number is not None else None
    if as_json:
        write_json(emulator.as_dict(predicted, following))
        return
    if predicted is not None:
        texts = {name: shown(getattr(predicted, name), predicted.unit) for name in ("mean", "low", "high")}
        click.echo(f"{response}: {texts['mean']}, {level:.0%} band from {texts['low']} to {texts['high']}\n")
    else:
        write_table(
            ["factor", "name", "range"], [[each.id, each.factor.name, each.allowed] for each in emulator.inputs]
        )
        click.echo("")
    click.echo("\n".join(emulator.check.sentences))
    if following is not None:
        click.echo("")
        rows = zip(following.settings, following.uncertainty, strict=True)
        write_table(
            [*(each.id for each in emulator.inputs), "uncertainty left"],
            [[*row.values(), f"{left:.0%}"] for row, left in rows],
        )
    for note in emulator.notes:
        click.echo(f"note: {note}")
