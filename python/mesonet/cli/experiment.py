"""The verbs of ``mesonet experiment``."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import mesonet
from mesonet.errors import Broken
from mesonet.terminal import write_json, write_table
from mesonet.units import with_bits

if TYPE_CHECKING:
    from mesonet.campaign import Campaign
    from mesonet.campaign.status import Status

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command, stop
from mesonet.cli.looks_options import LOOKS, looks_options, rule_arguments
from mesonet.cli.runner_options import HOW, how, runner_options


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
    """Show the design, the factors, the runs of EXPERIMENT and what they will cost."""
    from mesonet.cli import experiment_plan, experiment_targets

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
    click.echo(experiment_plan.heading(chosen))
    if factors := experiment_plan.factor_rows(chosen):
        write_table(["factor", "name", "path", "minus", "plus"], factors)
        click.echo("")
        write_table(*experiment_plan.condition_rows(chosen))
    if arrivals := experiment_plan.arrival_rows(chosen):
        click.echo("")
        write_table(experiment_plan.ARRIVAL_COLUMNS, arrivals)
    if cost:
        click.echo("\n" + "\n".join(experiment_plan.cost_lines(cost, os.cpu_count() or 1)))
    if looks:
        click.echo("\n" + "\n".join(experiment_plan.looks_lines(looks, cost)))
    if compared:
        click.echo(f"\n{experiment_plan.scale_heading(compared)}\n")
        write_table(*experiment_plan.scale_rows(compared))
        click.echo("\n" + "\n".join(compared.sentences()))
    elif (scale := getattr(chosen, "scale", 1)) != 1:
        click.echo(f"\nnote: --scales {scale:g},{2 * scale:g} --pilot 60 measures which answers this scale keeps")
    for warning in warnings:
        click.echo(f"\nnote: {with_bits(warning, experiment_plan.segment_bytes(chosen))}")


@experiment.command("run")
@_TARGET
@_options
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@looks_options
@runner_options
@click.option("--trust", is_flag=True, help="Run the code, and continue from the snapshots, of a folder of others.")
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
            **chosen,
        )
    except KeyboardInterrupt as interrupt:
        number = getattr(interrupt, "number", signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one more Ctrl-C would print a traceback at the exit
        message = "interrupted; finished runs stay, the same command continues"
        stop(click.get_current_context(), message, 128 + number)
    status = _show_status(folder, as_json, with_verdicts=True)
    if status.failed:
        click.get_current_context().exit(1)
    if not as_json:
        click.echo(f"next: mesonet report {shlex.quote(str(folder))}")


@experiment.command()
@_TARGET
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@click.option("--verify", is_flag=True, help="Compare all files of all runs with their checksums.")
@JSON
def status(target: str, out: Path | None, verify: bool, as_json: bool) -> None:
    """Show the progress of the campaign of EXPERIMENT, or of the campaign in DIR."""
    from mesonet.cli import experiment_targets

    if _show_status(experiment_targets.find_folder(target, out), as_json, verify).damaged:
        click.get_current_context().exit(1)


def _show_status(folder: Path, as_json: bool, verify: bool = False, with_verdicts: bool = False) -> Status:
    from mesonet.campaign.status import status as status_of
    from mesonet.cli import experiment_plan

    status = status_of(folder, verify=verify)
    complete = with_verdicts and status.done == status.runs
    campaign = mesonet.load(folder) if complete else None
    verdicts = mesonet.verdict(campaign) if campaign else []
    reason = _no_verdict(campaign) if campaign else ""
    answers, disciplines = _disciplines(campaign) if campaign else ([], [])
    looks = _looks(folder)
    if as_json:
        answered = {"verdicts": verdicts, "no_verdict": reason, "disciplines": disciplines} if with_verdicts else {}
        if campaign and "deploy" in campaign.experiment:
            answered |= _deployments(campaign, as_json)
        write_json({**asdict(status), **({"looks": looks[1]} if looks else {}), **answered})
        return status
    click.echo("\n".join([*experiment_plan.status_lines(status), *(looks[0] if looks else [])]))
    if status.failures:
        columns = ["condition", "algorithm", "replicate", "tries", "message", "log"]
        write_table(columns, [[failure[column] for column in columns] for failure in status.failures])
    if status.damaged:
        write_table(["damaged run", "reason"], [[each["key"][:16], each["reason"]] for each in status.damaged])
    if campaign and "deploy" in campaign.experiment:
        _deployments(campaign, as_json)
    if answers:
        click.echo("\nwhich queue discipline:")
        write_table(["discipline", "for whom"], answers)
    for question in dict.fromkeys(each["question"] for each in verdicts):
        found = [each for each in verdicts if each["question"] == question]
        against = "" if len({each["against"] for each in found}) > 1 else f"{found[0]['against']} "
        what = {"replacement": "replaced by", "competition": "flows that compete with"}.get(question, "against")
        click.echo(f"\n{against}{what if against else 'comparisons'}:")
        last = "why" if question == "competition" else "recommendation"
        keys = ["title", *([] if against else ["against_title"]), "verdict", last]
        head = ["scenario", *([] if against else ["against"]), "verdict", last]
        write_table(head, [[each[key] for key in keys] for each in found])
    if campaign and reason and len(campaign.algorithms) > 1:
        click.echo(f"\n{reason}")
    return status


def _deployments(campaign: Campaign, as_json: bool) -> dict[str, Any]:
    """Print what a deployment does, or return it as data."""
    from mesonet.cli.deployment_answers import answer_documents, write_answers
    from mesonet.reporting.campaign_view.view import CampaignView

    view = CampaignView(campaign)
    if as_json:
        return {"deployments": answer_documents(view)}
    write_answers(view)
    return {}


def _looks(folder: Path) -> tuple[list[str], dict[str, Any] | None] | None:
    """Return the looks of a campaign in words and as data; None if it has no rule for them."""
    from mesonet.campaign.ledger import REPLICATES_FILE

    if not (folder / REPLICATES_FILE).exists():
        return None
    from mesonet.reporting.text.looks_text import looks_document, looks_lines

    campaign = mesonet.load(folder)
    return looks_lines(campaign), looks_document(campaign)


def _no_verdict(campaign: Campaign) -> str:
    """Return the reason why no algorithm has a verdict as a replacement; empty if there is one."""
    from mesonet.reporting.campaign_view.view import CampaignView
    from mesonet.reporting.text.verdict_text import no_verdict

    return no_verdict(CampaignView(campaign))


def _disciplines(campaign: Campaign) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return the answers on queue disciplines as rows of a table, and as data; none if no factor chooses them."""
    from mesonet.reporting.campaign_view.view import CampaignView
    from mesonet.reporting.text.disciplines_text import discipline_answers, discipline_rows

    view = CampaignView(campaign)
    return [[chosen, text] for _, chosen, text in discipline_answers(view)], discipline_rows(view)
