"""The verb ``mesonet evidence``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, PRESET, SET, Command
from mesonet.cli.runner_options import how, runner_options
from mesonet.cli.scenario_targets import pairs_with_preset
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM", required=False, shell_complete=completion.ALGORITHM)
@click.option(
    "--suite",
    metavar="NAME|DIR",
    help="Suite of criteria (mesonet list suites), or its folder; by default rfc9743.",
    shell_complete=completion.SUITE,
)
@click.option(
    "--against",
    metavar="LIST",
    help="Incumbents, separated by commas; by default cubic,tcp.",
    shell_complete=completion.ALGORITHMS,
)
@click.option(
    "--quick",
    "size",
    flag_value="quick",
    help="Run until decided, or for 15 min of expected processor time (the default).",
)
@click.option("--full", "size", flag_value="full", help="Run many replicates of each cell: 50 for RFC 9743.")
@click.option("--replicates", type=click.IntRange(2, 1000), help="Run this number of replicates of each cell.")
@click.option("--only", metavar="LIST", help="Criteria, separated by commas, such as 5.1.2,5.2.1.")
@click.option("--plan", "only_plan", is_flag=True, help="Show the criteria and their cost, and run nothing.")
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@SET
@PRESET
@runner_options
@click.option("--out", type=click.Path(path_type=Path), help="Folder; by default evidence-[SUITE-]ALGORITHM.")
@JSON
def evidence(
    algorithm: str | None,
    suite: str | None,
    against: str | None,
    size: str | None,
    replicates: int | None,
    only: str | None,
    only_plan: bool,
    workers: int | None,
    values: tuple[str, ...],
    preset: str | None,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Judge ALGORITHM by a suite, such as the criteria of RFC 9743: runs, verdicts, and one HTML page.

    The same command resumes a folder, and makes the missing runs. With --plan, ALGORITHM may be left out.
    """
    from mesonet import core
    from mesonet.algorithms import split
    from mesonet.charts.in_page import renderer
    from mesonet.evidence.evaluation import evaluate
    from mesonet.evidence.page import write
    from mesonet.evidence.plan import AGAINST, BUDGET_S, plan
    from mesonet.evidence.suite import DEFAULT, suite_of
    from mesonet.files.names import file_stem

    if size and replicates:
        raise InputError(f"goes without --{size}", path="--replicates", value=replicates)
    incumbents = tuple(split(against)) if against is not None else AGAINST
    if algorithm is None:
        if not only_plan:
            raise InputError("missing", path="ALGORITHM", allowed="an algorithm, or --plan, which needs none")
        algorithm = next(name for name in core.algorithms() if name not in incumbents)  # the cost is the same for all
    from_suite = suite_of(suite or DEFAULT)
    adaptive = size != "full" and not replicates
    replicates = replicates or (from_suite.full if size == "full" else from_suite.quick)
    of_set = pairs_with_preset(values, preset)
    chosen = plan(algorithm, incumbents, replicates, only, from_suite.option, until_decided=adaptive, values=of_set)
    names = [from_suite.case, from_suite.cases[0]]
    if only_plan:
        columns = [*names, "cells", "runs", "about CPU s"]
        rows = chosen.rows()
        if as_json:
            write_json({**chosen.document(), "cost": [dict(zip(columns, row, strict=True)) for row in rows]})
        else:
            write_table(columns, rows)
            if adaptive:
                looks = ", ".join(map(str, chosen.looks))
                end = f"{BUDGET_S / 60:.0f} min of expected processor time"
                click.echo(f"\nthe most; runs end when decided: looks after {looks} replicates, or {end}")
        return
    if not options["shard"]:
        renderer()  # a page that cannot be written is known before the runs
    name = algorithm if from_suite.option == DEFAULT else f"{from_suite.name}-{algorithm}"
    folder = out or Path(file_stem(f"evidence-{name}"))
    chosen_how = {"workers": workers, "progress": not as_json, **how(workers, **options)}
    results, findings = evaluate(chosen, folder, told=lambda line: click.echo(line, err=True), **chosen_how)
    failed = [name for name, campaign in results.campaigns.items() if campaign.counts["failed"]]
    if options["shard"]:
        click.echo(f"part {options['shard']} is done; the same command without --shard searches, judges and reports")
        click.get_current_context().exit(1 if failed else 0)
    written = write(chosen, findings, folder)
    rows = [[each.criterion.id, each.criterion.title, each.verdict, each.why] for each in findings]
    if as_json:
        columns = [*names, "verdict", "why"]
        write_json(
            {
                "path": str(written[0]),
                "set": dict(chosen.values),
                "verdicts": [dict(zip(columns, row, strict=True)) for row in rows],
            }
        )
    else:
        write_table([*names, "verdict", "why"], rows)
        click.echo("".join(f"\n{path} = {value}" for path, value in chosen.values.items()))
        click.echo("\n".join(map(str, written)))
    if failed:
        click.echo(f"mesonet: runs failed in {', '.join(failed)}", err=True)
        click.get_current_context().exit(1)
