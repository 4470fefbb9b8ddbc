"""The verb ``mesonet conform``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, Command
from mesonet.errors import InputError
from mesonet.progress import Progress
from mesonet.terminal import plural, write_json, write_table

if TYPE_CHECKING:
    from mesonet.conform.finding import Finding

_COLUMNS = ("check", "verdict", "why")


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM", shell_complete=completion.ALGORITHM)
@click.option("--contract/--no-contract", "has_contract", default=True, help="Check the contract (the default).")
@click.option(
    "--cases", metavar="SUITES", help="Suites of cases, such as bbr, or none; by default the suites of the algorithm."
)
@click.option(
    "--baseline", metavar="FILE", help="File of --write-baseline, an algorithm, or none; by default the algorithm's."
)
@click.option(
    "--write-baseline", metavar="FILE", type=click.Path(path_type=Path), help="Write a baseline, and check nothing."
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="First seed of the comparison; by default the seeds of the baseline."
)
@click.option("--skip", multiple=True, metavar="CHECK", help="Leave a check out, such as bbr/idle; can be repeated.")
@click.option("--list", "only_list", is_flag=True, help="List the checks with their sources, and run nothing.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write the findings as JUnit XML.")
@click.option("--traces", metavar="DIR", type=click.Path(path_type=Path), help="Write flows as qlog and CSV.")
@JSON
def conform(
    algorithm: str,
    has_contract: bool,
    cases: str | None,
    baseline: str | None,
    write_baseline: Path | None,
    seed: int | None,
    skip: tuple[str, ...],
    only_list: bool,
    junit: Path | None,
    traces: Path | None,
    as_json: bool,
) -> None:
    """Check ALGORITHM: a contract for all algorithms, cases of its specification, and a baseline of numbers.

    Exit code 1 if a check fails. ALGORITHM is a name or a variant such as "tcp(decrease=0.45)".
    """
    from mesonet.conform import junit as junit_file
    from mesonet.conform import traces as trace_files
    from mesonet.conform.bench import Bench
    from mesonet.conform.conformance import document, failed, findings, plan
    from mesonet.conform.finding import FAIL
    from mesonet.files import places

    if write_baseline is not None:
        given = {"--baseline": baseline, "--cases": cases, "--seed": seed, "--junit": junit, "--traces": traces}
        for option, value in given.items():
            if value is not None:
                raise InputError("goes without --write-baseline", path=option, value=str(value))
        _write(plan(algorithm, cases="none", baseline="none").algorithm, write_baseline, as_json)
        return
    chosen = plan(algorithm, has_contract=has_contract, cases=cases, baseline=baseline, skip=skip, seed=seed)
    if only_list:
        rows = [[each.name, each.title, each.source] for each in chosen.checks()]
        columns = ["check", "title", "source"]
        if as_json:
            write_json([dict(zip(columns, row, strict=True)) for row in rows])
        else:
            write_table(columns, rows)
        return
    if junit:
        places.checked(junit, "--junit")  # before the work
    if traces:
        with places.folder(traces, option="--traces"):
            pass
    bench = Bench(chosen.algorithm)
    with Progress(f"conform {chosen.algorithm}", enabled=not as_json) as progress:
        found = findings(chosen, bench, _steps(progress, chosen.steps))
    if junit:
        junit_file.write(junit, chosen.algorithm, found)
    written = trace_files.write(traces, bench) if traces else []
    if as_json:
        write_json(document(chosen, found) | {"traces": [str(path) for path in written]})
    else:
        write_table(_COLUMNS, [[each.about.name, each.verdict, each.why] for each in found])
        click.echo(f"\n{_summary(found)}")
        for each in found:
            if each.verdict == FAIL:
                click.echo(f"\n{each.about.name}: {each.about.title}\n  {each.about.reason}\n  {each.about.source}")
        for path in filter(None, (junit, traces)):
            click.echo(f"written to {path}")
    if failed(found):
        click.get_current_context().exit(1)


def _write(algorithm: str, path: Path, as_json: bool) -> None:
    from mesonet.conform.baseline import SCENARIOS, SEEDS, write_baseline
    from mesonet.conform.bench import Bench

    with Progress(f"baseline of {algorithm}", enabled=not as_json) as progress:
        step = _steps(progress, len(SCENARIOS) * SEEDS)
        written = write_baseline(Bench(algorithm), path, lambda: step(None))
    if as_json:
        write_json({"path": str(path), "algorithm": algorithm, "seeds": list(written.seeds)})
    else:
        click.echo(str(path))


def _steps(progress: Progress, total: int) -> Callable[[Finding | None], None]:
    """Return a function that counts steps of a task."""
    done = 0

    def step(_: Finding | None) -> None:
        nonlocal done
        done += 1
        progress.update(done, total)

    return step


def _summary(found: list[Finding]) -> str:
    from mesonet.conform.finding import FAIL, KNOWN, PASS, SKIPPED

    counts = {verdict: sum(each.verdict == verdict for each in found) for verdict in (PASS, FAIL, KNOWN, SKIPPED)}
    parts = (f"{counts[PASS]} passed", f"{counts[FAIL]} failed", f"{counts[SKIPPED]} skipped")
    known = f", {plural(counts[KNOWN], 'known failure')}" if counts[KNOWN] else ""
    return f"{', '.join(parts)}{known}"
