"""Options and output of ``mesonet conform --mutants``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from mesonet.errors import InputError
from mesonet.progress import Progress
from mesonet.terminal import plural, write_json, write_table

_COLUMNS = ("line", "change", "verdict", "by")
_WIDTH = 60
"""Characters of a change in the table (chosen); --json has the whole change."""


class _Percent(click.FloatRange):
    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number: Any = value.removesuffix("%") if isinstance(value, str) else value
        return super().convert(number, param, ctx)


def mutant_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the options of mutants."""
    for option in (
        click.option(
            "--fail-under",
            metavar="PERCENT",
            type=_Percent(0, 100),
            help="With --mutants: exit code 1 if fewer of the mutants are killed, such as 80%.",
        ),
        click.option("--workers", type=click.IntRange(1, 1_000), help="With --mutants: mutants at a time."),
        click.option(
            "--mutant-seed", type=click.IntRange(min=0), help="Seed of the draw of --max-mutants; by default 1."
        ),
        click.option(
            "--max-mutants", type=click.IntRange(1), help="With --mutants: draw at most this number of mutants."
        ),
        click.option(
            "--mutants",
            is_flag=True,
            help="Make small changes of the source of ALGORITHM, and find the checks that notice them.",
        ),
    ):
        command = option(command)
    return command


def refuse_without_mutants(given: Mapping[str, Any]) -> None:
    """Raise an `InputError` for an option that goes with --mutants."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise InputError("goes with --mutants", path=f"--{name.replace('_', '-')}", value=value)


def show_mutants(
    algorithm: str,
    checks: Mapping[str, Any],
    *,
    only_list: bool,
    as_json: bool,
    max_mutants: int | None,
    mutant_seed: int | None,
    workers: int | None,
    fail_under: float | None,
) -> None:
    """Show the verdict on each mutant of a plug-in, or the list of its mutations."""
    from mesonet.conform.mutants.mutants import drawn, judge, mutations_of

    if mutant_seed is not None and max_mutants is None:
        raise InputError("goes with --max-mutants", path="--mutant-seed", value=mutant_seed)
    seed = 1 if mutant_seed is None else mutant_seed
    if only_list:
        rows = [[each.line, str(each)] for each in drawn(mutations_of(algorithm), max_mutants, seed)]
        if as_json:
            write_json([{"line": line, "change": change} for line, change in rows])
        else:
            write_table(_COLUMNS[:2], rows)
        return
    with Progress(f"mutants of {algorithm}", enabled=not as_json) as progress:
        report = judge(algorithm, checks, most=max_mutants, seed=seed, workers=workers, progress=progress.update)
    if as_json:
        write_json(report.document())
    else:
        write_table(_COLUMNS, [[each.mutation.line, _short(str(each.mutation)), each.verdict, each.by]
                               for each in report.mutants])  # fmt: skip
        click.echo("\n" + _summary(report))
    if fail_under is not None and 100 * report.share < fail_under:
        click.echo(f"mesonet: {report.share:.1%} of the mutants are killed, fewer than {fail_under:g}%", err=True)
        click.get_current_context().exit(1)


def _summary(report: Any) -> str:
    from mesonet.conform.mutants.mutants import VERDICTS

    number = len(report.mutants)
    drawn = f"{number} of {report.of} mutants, drawn with seed {report.seed}" if number < report.of else ""
    counts = ", ".join(f"{report.count(verdict)} {verdict}" for verdict in VERDICTS if report.count(verdict))
    return f"{drawn or plural(number, 'mutant')}: {counts}; {report.share:.1%} of those that can be noticed are killed"


def _short(change: str) -> str:
    return change if len(change) <= _WIDTH else f"{change[: _WIDTH - 3]}..."
