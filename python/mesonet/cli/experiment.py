"""The verbs of ``mesonet experiment``."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.campaign_status import show_finished, show_status
from mesonet.cli.common import JSON, Command, stop
from mesonet.cli.looks_options import LOOKS, looks_options, rule_arguments
from mesonet.cli.runner_options import HOW, how, runner_options
from mesonet.errors import Broken
from mesonet.terminal import write_json, write_table


class _Subgroup(click.Group):
    command_class = Command


@click.group(cls=_Subgroup)
def experiment() -> None:
    """Plan and run many runs by a factorial design: plan, run, status."""


_TARGET = click.argument("target", metavar="EXPERIMENT|DIR", shell_complete=completion.EXPERIMENT)


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options that change an experiment."""
    for option in (
        click.option("--seed", type=click.IntRange(min=0), help="Names the random streams."),
        click.option("--replicates", type=click.IntRange(min=1), help="Runs per condition and algorithm."),
        click.option(
            "--set",
            "values",
            multiple=True,
            metavar="PATH=VALUE",
            help="Set a value of every run.",
            shell_complete=completion.SETTING,
        ),
        click.option("--duration", help="Simulated time of a run, such as '5 min'."),
        click.option("--scale", type=float, help="Multiplies rates and numbers of sources."),
        click.option(
            "--algorithms",
            help="Algorithms to compare, separated by commas, or all.",
            shell_complete=completion.ALGORITHMS,
        ),
    ):
        command = option(command)
    return command


@experiment.command()
@click.argument("target", metavar="EXPERIMENT", shell_complete=completion.EXPERIMENT)
@_options
@click.option(
    "--pilot", default=2.0, show_default=True, type=click.FloatRange(0, 3600), metavar="SECONDS",
    help="Time for pilot runs, which estimate the cost of the campaign; 0 for none.",
)  # fmt: skip
@click.option(
    "--scales",
    metavar="LIST",
    help="Compare a condition at several scales, such as 0.1,0.2,1, for the time of --pilot.",
)
@looks_options
@JSON
def plan(target: str, pilot: float, scales: str | None, as_json: bool, **options: Any) -> None:
    """Show the design, the factors and the runs of EXPERIMENT, and estimate their cost."""
    from mesonet.cli import experiment_plan, experiment_targets
    from mesonet.processes import processors

    arguments = rule_arguments(held=False, **{name: options.pop(name) for name in LOOKS})
    chosen = experiment_targets.find_experiment(target, **options)
    looks = experiment_plan.looks(chosen, arguments) if arguments else None
    warnings = chosen.check(force=True)
    compared = experiment_plan.compared(chosen, scales, pilot) if scales else None
    cost = None
    try:
        cost = experiment_plan.estimate(chosen, pilot) if pilot else None
    except Broken as error:
        warnings.append(f"no estimate: {error}")
    if as_json:
        write_json(experiment_plan.as_json(chosen, warnings, cost, looks, compared))
        return

    def more() -> None:
        if cost:
            click.echo("\n" + "\n".join(experiment_plan.cost_lines(cost, processors())))
        if looks:
            click.echo("\n" + "\n".join(experiment_plan.looks_lines(looks, cost)))
        if compared:
            click.echo(f"\n{experiment_plan.scale_heading(compared)}\n")
            write_table(*experiment_plan.scale_rows(compared))
            click.echo("\n" + "\n".join(compared.sentences()))
        elif (scale := getattr(chosen, "scale", 1)) != 1:
            click.echo(f"\nnote: --scales {scale:g},{2 * scale:g} --pilot 60 measures which answers this scale keeps")

    experiment_plan.write_plan(chosen, warnings, more)


@experiment.command("run")
@_TARGET
@_options
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@click.option(
    "--add",
    type=int,
    metavar="N",
    help="Add N conditions where the emulator of --for is least certain, and run them.",
)
@click.option("--for", "response", metavar="RESPONSE", help="Response for which --add chooses conditions.")
@looks_options
@runner_options
@click.option(
    "--trust",
    is_flag=True,
    help="Trust a folder that another user began: run its code, and continue from its snapshots.",
)
@click.option(
    "--force", is_flag=True, help="Run even if the scale distorts the network, or if other code began the campaign."
)
@JSON
def run_experiment(
    target: str,
    workers: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    trust: bool,
    add: int | None,
    response: str | None,
    **options: Any,
) -> None:
    """Run the missing runs of EXPERIMENT, or of the campaign in DIR."""
    from mesonet.cli import experiment_targets

    given = {name: options.pop(name) for name in HOW}
    looks = {name: options.pop(name) for name in LOOKS}
    chosen = how(workers, **given)

    def confirmed(program: str) -> bool:
        ask = sys.stdin.isatty() and not as_json
        return trust or (ask and click.confirm(f"Campaign {target} runs {program}. Continue?", err=True))

    try:
        folder = experiment_targets.run(
            target,
            out=out,
            workers=workers,
            force=force,
            options=options,
            confirmed=confirmed,
            looks=looks,
            trusted=trust,
            added=experiment_targets.added(add, response, looks),
            **chosen,
        )
    except KeyboardInterrupt as interrupt:
        number = getattr(interrupt, "number", signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C would print a traceback at the exit
        message = "interrupted; finished runs stay, the same command continues"
        stop(click.get_current_context(), message, 128 + number)
    show_finished(folder, as_json)


@experiment.command()
@_TARGET
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@click.option("--verify", is_flag=True, help="Compare all files of all runs with their checksums.")
@JSON
def status(target: str, out: Path | None, verify: bool, as_json: bool) -> None:
    """Show the progress of the campaign of EXPERIMENT, or of the campaign in DIR."""
    from mesonet.cli import experiment_targets

    if show_status(experiment_targets.find_folder(target, out), as_json, verify).damaged:
        click.get_current_context().exit(1)
