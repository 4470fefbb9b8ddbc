"""The verb ``mesonet design``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mesonet.cli import completion, design_plan
from mesonet.cli.common import JSON, Command, refuse_other_forms, save_plot
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table

if TYPE_CHECKING:
    from mesonet.analysis import DesignPower


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
@click.option(
    "--factors", metavar="K|ID,...|ID=LOW:HIGH,...", help="Number of factors, or their ids, also with levels."
)
@click.option("--runs", type=int, metavar="N", help="Number of runs; a power of 2 for two-level designs.")
@click.option(
    "--resolution", metavar="R", help="Lowest resolution, such as IV or 4; alone, the fewest runs that give it."
)
@click.option("--name", metavar="NAME", help="A design of the study: nist-2012, min-aberration, 2^(6-1), 2^(9-4).")
@click.option(
    "--generators", "equations", metavar="X6=X1*X2,...", help="An equation for each factor that is not a base factor."
)
@click.option(
    "--kind",
    help="two-level, full-factorial, plackett-burman, one-at-a-time, central-composite, box-behnken, "
    "definitive-screening, d-optimal, latin-hypercube, sobol, saltelli or morris.",
)
@_additions
@design_plan.options
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of a search or of random points; by default the seed of EXPERIMENT, else 1.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="FILE.svg, .png, .pdf or .html: which main effects and interactions are aliased.",
)
@click.option("--rows", "with_rows", is_flag=True, help="Print every run, too.")
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
    plot: Path | None,
    with_rows: bool,
    as_json: bool,
    axial: str | None,
    model: str | None,
    file: Path | None,
    randomise: int | None,
    responses: str | None,
    power: float | None,
    **additions: Any,
) -> None:
    """Show the effects that a design can separate: the design of EXPERIMENT, or the best known design."""
    from mesonet import designs
    from mesonet.cli import design_proposal, design_run_table
    from mesonet.experiments.network import experiment

    asked = design_plan.Asked(file, randomise, responses, power)
    asked.check()
    if plot is not None:
        refuse_other_forms(plot)
    factors, levels = design_plan.levels_of(factors)
    settings = design_plan.settings_of(experiment(target) if target else None, levels)
    if kind is None and any(len(own) > 2 for own in levels.values()):
        kind = "full-factorial"
    ways = {"runs": runs, "resolution": resolution, "name": name, "generators": equations}
    kind, seed, additions = design_proposal.completed(target, kind, seed, ways, additions)
    if kind != "two-level":
        others = {"resolution": resolution, "name": name, "generators": equations, **additions}
        times = others.pop("replicates")
        centre_points = others.pop("centre_points")
        if given := [option for option, value in others.items() if value is not None]:
            raise InputError("goes with two-level designs only", path="--" + given[0].replace("_", "-"))
        if plot is not None:
            raise InputError("goes with two-level designs only", path="--plot", value=str(plot))
        entries = {"runs": runs, "centre_points": centre_points, "axial": axial, "model": model, "seed": seed}
        ids, matrix = design_proposal.find_plan(kind, target, factors, entries, levels)
        whole = designs.replicates(matrix, 1 if times is None else times)
        design_plan.write_plan(asked, ids, matrix, settings, replicates=len(whole) // len(matrix))
        matrix = whole
        chance = design_plan.power_of(asked, ids, matrix, design_proposal.terms_of_kind(kind, model))
        if as_json:
            write_json({"kind": kind, "factors": ids, "runs": len(matrix), "matrix": matrix.tolist(), **_json(chance)})
            return
        click.echo(design_proposal.heading_of_plan(kind, ids, len(matrix)))
        _echo(asked, chance)
        if file is None:
            write_table(ids, matrix.tolist())
        return
    for option, value in (("--axial", axial), ("--model", model)):
        if value is not None:
            raise InputError("goes with another kind", path=option, value=value, allowed="--kind too")
    generators = [equation.strip() for equation in equations.split(",")] if equations else ()
    proposal = design_proposal.find_design(
        target=target, factors=factors, runs=runs, resolution=resolution, name=name, generators=generators, seed=seed
    )
    chosen = proposal.design
    added = design_run_table.runs_of(chosen, seed=seed, **additions)
    block = added.folded.block if added.folded else design_run_table.block_of(added)
    design_plan.write_plan(asked, chosen.factors, added.matrix, settings, block=block)
    chance = design_plan.power_of(asked, chosen.factors, added.matrix, None)
    if plot is not None:
        from mesonet.charts.alias_map import alias_map

        save_plot(alias_map(chosen), plot)
    if as_json:
        write_json({**design_proposal.as_json(proposal, seed), **design_run_table.as_json(added), **_json(chance)})
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
    _echo(asked, chance)
    write_table(design_proposal.COLUMNS, design_proposal.choice_rows(proposal.design, seed))
    if with_rows:
        click.echo("")
        write_table(*design_run_table.row_table(chosen.factors, added))


def _json(chance: DesignPower | None) -> dict[str, Any]:
    if chance is None:
        return {}
    return {"power": {"sentences": chance.sentences(), "notes": chance.notes, "table": chance.to_polars().to_dicts()}}


def _echo(asked: design_plan.Asked, chance: DesignPower | None) -> None:
    """Print the place of the plan, and the power."""
    if asked.file is not None:
        click.echo(f"plan in {asked.file}: fill in its empty columns, then `mesonet analyze {asked.file}`\n")
    if chance is not None:
        click.echo("\n".join(design_plan.power_lines(chance)) + "\n")
