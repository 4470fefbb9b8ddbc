"""The verb ``mesonet design``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table


def _additions(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options that add runs to a design, or order them."""
    for option in (
        click.option("--centre-points", type=int, metavar="N", help="Add N runs with all factors half-way."),
        click.option("--replicates", type=int, metavar="N", help="Make all runs N times."),
        click.option("--blocks", type=int, metavar="N", help="Divide the runs into N blocks."),
        click.option("--half", metavar="[-]ID", help="Repeat only the runs in which ID is + (or -): a semifold."),
        click.option(
            "--foldover", metavar="all|ID,...", help="Repeat the runs with the signs of these factors switched."
        ),
    ):
        command = option(command)
    return command


@click.command(cls=Command)
@click.argument("target", metavar="[EXPERIMENT]", required=False, shell_complete=completion.EXPERIMENT)
@click.option("--factors", metavar="K|ID,ID,...", help="How many factors, or their ids.")
@click.option("--runs", type=int, metavar="N", help="Number of runs; a power of 2 for two-level designs.")
@click.option(
    "--resolution", metavar="R", help="Lowest resolution, such as IV or 4; alone, the fewest runs that give it."
)
@click.option("--name", metavar="NAME", help="A design of the study: nist-2012, min-aberration, 2^(6-1), 2^(9-4).")
@click.option(
    "--generators", "equations", metavar="X6=X1*X2,...", help="One equation per factor that is no base factor."
)
@click.option("--kind", help="two-level, full-factorial, plackett-burman, one-at-a-time, latin-hypercube or sobol.")
@_additions
@click.option("--seed", type=click.IntRange(min=0), help="Seed of a search or of random points; EXPERIMENT's, or 1.")
@click.option("--rows", "with_rows", is_flag=True, help="Print every run too.")
@JSON
def design(
    target: str | None,
    factors: str | None,
    runs: int | None,
    resolution: str | None,
    name: str | None,
    equations: str | None,
    kind: str | None,
    seed: int | None,
    with_rows: bool,
    as_json: bool,
    **additions: Any,
) -> None:
    """Show which effects a two-level design separates: the design of EXPERIMENT, or the best one known."""
    from mesonet.cli import design_proposal, design_run_table

    ways = {"runs": runs, "resolution": resolution, "name": name, "generators": equations}
    kind, seed, additions = design_proposal.completed(target, kind, seed, ways, additions)
    if kind != "two-level":
        others = {"resolution": resolution, "name": name, "generators": equations, **additions}
        if given := [option for option, value in others.items() if value is not None]:
            raise InputError("goes with two-level designs only", path="--" + given[0].replace("_", "-"))
        ids, rows = design_proposal.find_plan(kind, target, factors, runs, seed)
        if as_json:
            write_json({"kind": kind, "factors": ids, "runs": len(rows), "matrix": rows})
        else:
            click.echo(design_proposal.heading_of_plan(kind, ids, len(rows)))
            write_table(ids, rows)
        return
    generators = [equation.strip() for equation in equations.split(",")] if equations else ()
    proposal = design_proposal.find_design(
        target=target, factors=factors, runs=runs, resolution=resolution, name=name, generators=generators, seed=seed
    )
    chosen = proposal.design
    added = design_run_table.runs_of(chosen, seed=seed, **additions)
    if as_json:
        write_json({**design_proposal.as_json(proposal, seed), **design_run_table.as_json(added)})
        return
    click.echo(design_proposal.heading(proposal))
    for header, table in (
        (["factor", "name"], design_proposal.factor_rows(proposal)),
        (["aliased with each other", "in names"], design_proposal.alias_rows(proposal)),
    ):
        if table:
            write_table(header[: len(table[0])], table)
            click.echo("")
    if chosen.generators:
        click.echo(f"clear: {design_proposal.clear_text(chosen)}\n")
    if text := design_run_table.lines(chosen, added, proposal.algorithms * proposal.replicates):
        click.echo("\n".join(text) + "\n")
    write_table(design_proposal.COLUMNS, design_proposal.choice_rows(proposal.design, seed))
    if with_rows:
        click.echo("")
        write_table(*design_run_table.row_table(chosen.factors, added))
