"""The verb ``mesonet adversary``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.simulation.simulate import MOST_THREADS
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM", shell_complete=completion.ALGORITHM)
@click.option(
    "--against",
    metavar="LIST",
    help="Algorithms to compare with, separated by commas; by default cubic,bbr.",
    shell_complete=completion.ALGORITHMS,
)
@click.option(
    "--objective",
    metavar="NAME",
    help="utilisation (the default), delay, starves, starved, frames; a list with --matrix.",
)
@click.option("--space", metavar="LIST", help="Parts that vary: rate, delay, buffer, loss, outage, cross, join.")
@click.option("--evaluations", type=int, help="Number of paths that the search simulates; by default 500.")
@click.option("--duration", metavar="TIME", help="Simulated time of a run; by default 10 s.")
@click.option("--rate-limit", metavar="RATE", help="Fastest rate of the link; by default 20 Mbit/s.")
@click.option("--matrix", "is_matrix", is_flag=True, help="Search for all pairs of ALGORITHM and --against.")
@click.option("--seed", type=int, help="Names the random numbers of the search.")
@click.option("--threads", type=click.IntRange(1, MOST_THREADS), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder; by default adversary-OBJECTIVE-ALGORITHM.")
@JSON
def adversary(
    algorithm: str,
    against: str | None,
    objective: str | None,
    space: str | None,
    is_matrix: bool,
    threads: int | None,
    out: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Search for the path, which may change in time, on which ALGORITHM performs worst, and simplify it.

    Rate, delay, buffer, losses, outages and competition vary. The folder has the path as a scenario file, and a page.
    The same command continues an interrupted search.
    """
    from mesonet.adversarial.adversary import answered
    from mesonet.adversarial.files import PAGE
    from mesonet.adversarial.question import AGAINST, OBJECTIVE, question
    from mesonet.adversarial.space import dimensions
    from mesonet.algorithms import split
    from mesonet.charts.in_page import renderer
    from mesonet.files.names import file_stem

    asked = {name: value for name, value in given.items() if value is not None}
    if space is not None:
        asked["space"] = dimensions(space)
    references = split(against) if against is not None else list(AGAINST)
    objective = objective or OBJECTIVE
    renderer()  # a page that cannot be written is known before the runs
    if is_matrix:
        _matrix([algorithm, *references], objective.split(","), out, threads, as_json, **asked)
        return
    if "," in objective:
        raise InputError(
            "several objectives", path="--objective", value=objective, allowed="one, or a list with --matrix"
        )
    chosen = question(algorithm, against=references, objective=objective, **asked)
    folder = out or Path(file_stem(f"adversary-{objective}-{chosen.algorithm}"))
    answer = answered(chosen, folder, threads=threads, progress=not as_json)
    if as_json:
        write_json({"path": str(folder / PAGE), **answer.document()})
        return
    click.echo("\n".join(answer.sentences()))
    if answer.worst:
        for each in answer.worst.neighbours:
            click.echo(f"  {each.sentence(answer.worst.simplest)}")
    click.echo(f"\n{folder / PAGE}")


def _matrix(
    names: list[str], objectives: list[str], out: Path | None, threads: int | None, as_json: bool, **asked: Any
) -> None:
    from mesonet.adversarial.files import PAGE
    from mesonet.adversarial.matrix import answered_matrix, questions
    from mesonet.algorithms import resolve

    folder = out or Path("adversary-matrix")
    resolved = list(dict.fromkeys(resolve(each).name for each in names))
    chosen = questions(resolved, [each.strip() for each in objectives], **asked)
    cells = [each.document() for each in answered_matrix(chosen, folder, threads=threads, progress=not as_json)]
    if as_json:
        write_json({"path": str(folder / PAGE), "cells": cells})
        return
    columns = ["objective", "algorithm", "against", "score", "folder"]
    write_table(columns, [[cell[name] for name in columns] for cell in cells])
    click.echo(f"\n{folder / PAGE}")
