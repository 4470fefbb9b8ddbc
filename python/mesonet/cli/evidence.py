"""The verb ``mesonet evidence``."""

from __future__ import annotations

from pathlib import Path

import click

from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.terminal import write_json, write_table


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM")
@click.option("--against", metavar="LIST", help="Incumbents, separated by commas; by default cubic,tcp.")
@click.option("--quick", "size", flag_value="quick", help="10 replicates of each cell (the default).")
@click.option("--full", "size", flag_value="full", help="50 replicates of each cell.")
@click.option("--replicates", type=click.IntRange(2, 1000), help="Another number of replicates.")
@click.option("--only", metavar="SECTIONS", help="Sections of RFC 9743, separated by commas, such as 5.1.2,5.2.1.")
@click.option("--plan", "only_plan", is_flag=True, help="Show the criteria and their cost, and run nothing.")
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder; by default evidence-ALGORITHM.")
@JSON
def evidence(
    algorithm: str,
    against: str | None,
    size: str | None,
    replicates: int | None,
    only: str | None,
    only_plan: bool,
    workers: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Judge ALGORITHM by the criteria of RFC 9743: runs, verdicts, and one HTML page.

    The folder can be resumed: the same command runs what is missing.
    """
    from mesonet.algorithms import split
    from mesonet.evidence.judging import judge
    from mesonet.evidence.page import write
    from mesonet.evidence.plan import AGAINST, FULL, QUICK, plan
    from mesonet.evidence.running import run
    from mesonet.files.names import file_stem

    if size and replicates:
        raise InputError(f"goes without --{size}", path="--replicates", value=replicates)
    incumbents = tuple(split(against)) if against is not None else AGAINST
    chosen = plan(algorithm, incumbents, replicates or (FULL if size == "full" else QUICK), only)
    if only_plan:
        columns = ["section", "criterion", "cells", "runs", "about CPU s"]
        rows = chosen.rows()
        if as_json:
            write_json({**chosen.document(), "cost": [dict(zip(columns, row, strict=True)) for row in rows]})
        else:
            write_table(columns, rows)
        return
    folder = out or Path(file_stem(f"evidence-{algorithm}"))
    campaigns = run(chosen, folder, told=lambda line: click.echo(line, err=True), workers=workers, progress=not as_json)
    failed = [name for name, campaign in campaigns.items() if campaign.counts["failed"]]
    findings = judge(chosen, campaigns)
    page, table = write(chosen, findings, folder)
    rows = [[each.criterion.section, each.criterion.title, each.verdict, each.why] for each in findings]
    if as_json:
        columns = ["section", "criterion", "verdict", "why"]
        write_json({"path": str(page), "verdicts": [dict(zip(columns, row, strict=True)) for row in rows]})
    else:
        write_table(["section", "criterion", "verdict", "why"], rows)
        click.echo(f"\n{page}\n{table}")
    if failed:
        click.echo(f"mesonet: runs failed in {', '.join(failed)}", err=True)
        click.get_current_context().exit(1)
