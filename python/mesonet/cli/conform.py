"""The verb ``mesonet conform``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mesonet.cli import completion
from mesonet.cli.common import JSON, PRESET, SET, Command
from mesonet.cli.mutants import mutant_options, refuse_without_mutants, show_mutants
from mesonet.cli.scenario_targets import pairs_with_preset
from mesonet.conform.process import MEMORY_LIMIT, TIME_LIMIT
from mesonet.errors import Broken, InputError
from mesonet.progress import Progress
from mesonet.terminal import plural, write_json, write_table

if TYPE_CHECKING:
    from mesonet.conform.finding import Finding
    from mesonet.conform.process import Checker
    from mesonet.conform.report import Outline

_COLUMNS = ("check", "verdict", "why")


@click.command(cls=Command)
@click.argument("algorithm", metavar="ALGORITHM", shell_complete=completion.ALGORITHM)
@click.option("--contract/--no-contract", "has_contract", default=True, help="Check the contract (the default).")
@click.option("--cases", metavar="SUITES", help="Suites of cases, such as bbr, folders of suites, or none.")
@click.option(
    "--baseline",
    metavar="FILE",
    help="A file of --write-baseline, an algorithm, or none; by default the baseline of ALGORITHM.",
)
@click.option(
    "--write-baseline", metavar="FILE", type=click.Path(path_type=Path), help="Write a baseline, and check nothing."
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="First seed of the comparison; by default the seeds of the baseline."
)
@SET
@PRESET
@click.option("--skip", multiple=True, metavar="CHECK", help="Leave a check out, such as bbr/idle; can be repeated.")
@click.option("--list", "only_list", is_flag=True, help="List the checks with their sources, and run nothing.")
@click.option("--time-limit", default=TIME_LIMIT, show_default=True, metavar="TIME", help="Longest time of a check.")
@click.option(
    "--memory-limit", default=MEMORY_LIMIT, show_default=True, metavar="SIZE", help="Largest memory of the checks."
)
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write the findings as JUnit XML.")
@click.option("--traces", metavar="DIR", type=click.Path(path_type=Path), help="Write flows as qlog and CSV.")
@click.option("--packets", "has_packets", is_flag=True, help="With --traces, log each segment in qlog.")
@mutant_options
@JSON
def conform(
    algorithm: str,
    has_contract: bool,
    cases: str | None,
    baseline: str | None,
    write_baseline: Path | None,
    seed: int | None,
    values: tuple[str, ...],
    preset: str | None,
    skip: tuple[str, ...],
    only_list: bool,
    time_limit: str,
    memory_limit: str,
    junit: Path | None,
    traces: Path | None,
    has_packets: bool,
    as_json: bool,
    **of_mutants: Any,
) -> None:
    """Check ALGORITHM: a contract for all algorithms, cases of its specification, and a baseline of numbers.

    The exit code is 1 if a check fails or does not end. ALGORITHM is a name, a variant such as "tcp(decrease=0.45)", or
    a file such as my_cc.c. With --mutants, the command finds small changes of the file that the checks do not notice.
    """
    from mesonet.cli.memory_size import in_bytes
    from mesonet.cli.runner_options import parse_time_limit
    from mesonet.conform.process import Checker
    from mesonet.conform.report import document, failed
    from mesonet.files import places

    of_set = pairs_with_preset(values, preset)
    if write_baseline is not None:
        given = {"--baseline": baseline, "--cases": cases, "--seed": seed, "--junit": junit, "--traces": traces}
        for option, value in given.items():
            if value is not None:
                raise InputError("goes without --write-baseline", path=option, value=str(value))
        refuse_without_mutants(of_mutants)
        _write(algorithm, of_set, write_baseline, as_json)
        return
    if has_packets and traces is None:
        raise InputError("goes with --traces", path="--packets", allowed="with --traces DIR")
    asked = {"has_contract": has_contract, "cases": cases, "skip": skip, "seed": seed, "values": of_set}
    asked |= {} if baseline is None else {"baseline": baseline}
    if of_mutants.pop("mutants"):
        for option, value in {"--junit": junit, "--traces": traces}.items():
            if value is not None:
                raise InputError("goes without --mutants", path=option, value=str(value))
        from mesonet.conform.conformance import plan

        named = plan(algorithm, cases="none", baseline="none").algorithm
        show_mutants(named, asked, only_list=only_list, as_json=as_json, **of_mutants)
        return
    refuse_without_mutants(of_mutants)
    limits = parse_time_limit(time_limit), in_bytes(memory_limit, "--memory-limit")
    checker = Checker({"algorithm": algorithm, **asked}, *limits, traces, has_packets)
    if only_list:
        with checker:
            _list(checker.outline(), as_json)
        return
    if junit:
        places.checked(junit, "--junit")  # before the work
    if traces:
        with places.folder(traces, option="--traces"):
            pass
    with checker:
        outline, found = _findings(checker, junit, progress=not as_json)
    if as_json:
        write_json(document(outline, found) | {"traces": [str(path) for path in checker.written]})
    else:
        _show(outline, found, [path for path in (junit, traces) if path])
    if failed(found):
        click.get_current_context().exit(1)


def _list(outline: Outline, as_json: bool) -> None:
    rows = [[each.name, each.title, each.source] for each in outline.checks]
    columns = ["check", "title", "source"]
    if as_json:
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        write_table(columns, rows)


def _findings(checker: Checker, junit: Path | None, *, progress: bool) -> tuple[Outline, list[Finding]]:
    """Return the checks and their findings. A JUnit file has a test for each check, whenever this ends."""
    from mesonet.conform import junit as junit_file
    from mesonet.conform.finding import ERROR, LOADED, Finding

    name = str(checker.asked["algorithm"])
    found, values = [Finding.not_run(LOADED)], dict[str, str]()

    def write() -> None:
        if junit:
            junit_file.write(junit, name, found, values)

    write()
    with Progress(f"conform {name}", enabled=progress) as bar:
        try:
            outline = checker.outline()
        except (Broken, InputError) as error:
            found = [Finding(LOADED, ERROR, str(error))]
            write()
            raise
        name, values = outline.algorithm, dict(outline.values)
        found = [
            Finding.left_out(each) if each.name in checker.asked["skip"] else Finding.not_run(each)
            for each in outline.checks
        ]
        write()
        for place, each in enumerate(found):
            if each.verdict == ERROR:
                found[place] = checker.finding(each.about, partial(_show_share, bar, place, len(found)))
                write()
            bar.update(place + 1, len(found))
        if ending := checker.end():
            found.append(ending)
            write()
    return outline, found


def _show_share(bar: Progress, done: int, total: int, share: float) -> None:
    bar.update(done + share, total)


def _show(outline: Outline, found: list[Finding], written: list[Path]) -> None:
    from mesonet.conform.finding import FAIL

    write_table(_COLUMNS, [[each.about.name, each.verdict, each.why] for each in found])
    values = "".join(f"; {path} = {value}" for path, value in outline.values.items())
    click.echo(f"\n{_summary(found)}{values}")
    if outline.compared:
        click.echo(f"note: {outline.compared}")
    for each in found:
        if each.verdict == FAIL:
            click.echo(f"\n{each.about.name}: {each.about.title}\n  {each.about.reason}\n  {each.about.source}")
    for path in written:
        click.echo(f"written to {path}")


def _write(text: str, values: Mapping[str, Any], path: Path, as_json: bool) -> None:
    from mesonet.conform.baseline import SCENARIOS, SEEDS, write_baseline
    from mesonet.conform.bench import Bench
    from mesonet.conform.conformance import plan

    bench = Bench(plan(text, cases="none", baseline="none", values=values).algorithm, values=values)
    done, total = count(1), len(SCENARIOS) * SEEDS
    with Progress(f"baseline of {bench.algorithm}", enabled=not as_json) as bar:
        written = write_baseline(bench, path, lambda: bar.update(next(done), total))
    if as_json:
        about = {"algorithm": bench.algorithm, "set": dict(written.values), "seeds": list(written.seeds)}
        write_json({"path": str(path), **about})
    else:
        click.echo(str(path))


def _summary(found: list[Finding]) -> str:
    from mesonet.conform.finding import ERROR, FAIL, KNOWN, PASS, SKIPPED
    from mesonet.conform.report import counts

    number = counts(found)
    parts = [f"{number[PASS]} passed", f"{number[FAIL]} failed"]
    parts += [plural(number[ERROR], "error")] if number[ERROR] else []
    parts += [f"{number[SKIPPED]} skipped"]
    parts += [plural(number[KNOWN], "known failure")] if number[KNOWN] else []
    return ", ".join(parts)
