"""The command line: verbs only.

Exit codes: 0 fine, 1 a run failed, 2 bad input, 130 interrupted, 141 the reader of the output is gone,
143 ended by SIGTERM, with a snapshot written or all results.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import click
from click.core import ParameterSource

import mesonet
from mesonet.cli import catalogue
from mesonet.cli.choice import find_scenario
from mesonet.errors import Broken, InputError
from mesonet.files import places
from mesonet.maps.network import MAP_COLUMNS, NetworkMap, map_rows, network_map
from mesonet.progress import Progress
from mesonet.scenarios.derived import CLASS_COLUMNS, class_rows, derived_rows
from mesonet.simulation.checkpoint import EVERY, Checkpoint, Stopped
from mesonet.simulation.simulate import MOST_THREADS, Engine
from mesonet.terminal import plural, write_json, write_table

if TYPE_CHECKING:
    from mesonet.campaign.status import Status
    from mesonet.scenarios.scenario import Scenario
    from mesonet.simulation.result import Result

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


class _Command(click.Command):
    """Calls a value that was given as an option by that option: Python's `figures` is `--figures` here."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            for option in self.params:
                given = ctx.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
                if isinstance(option, click.Option) and given and error.file is None and option.name == error.path:
                    raise replace(error, path=option.opts[0]) from error
            raise


class _Group(click.Group):
    """Group of commands that turns errors of users into one message and an exit code."""

    command_class = _Command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except InputError as error:
            _stop(ctx, str(error), 2)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            _stop(ctx, f"{' '.join(error.format_message().split())}", 2)
        except KeyboardInterrupt:
            _stop(ctx, "interrupted", 130)
        except (ImportError, Broken) as error:
            _stop(ctx, str(error), 1)
        except OSError as error:
            if error.errno == errno.EPIPE:
                _end_of_pipe(ctx)
            place = f"{error.filename}: " if error.filename else ""
            problem = (error.strerror or str(error)).lower()
            _stop(ctx, f"{place}{problem}. Allowed: a file or folder that can be read and written", 2)


def _end_of_pipe(ctx: click.Context) -> NoReturn:
    """End as a program that SIGPIPE ends: the reader of its output has closed, as ``head`` does."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the exit
    ctx.exit(128 + signal.SIGPIPE)


def _stop(ctx: click.Context, message: str, code: int) -> NoReturn:
    click.echo(f"mesonet: {message}", err=True)
    ctx.exit(code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mesonet.__version__, prog_name="mesonet")
def main() -> None:
    """Predict what happens to a large network when a new congestion control is deployed in it."""


@main.command("list")
@click.argument("kind", required=False, type=click.Choice(list(catalogue.KINDS)))
@_JSON
def list_(kind: str | None, as_json: bool) -> None:
    """List all there is: scenarios, experiments, algorithms, ..."""
    if as_json:
        write_json([entry for each in ([kind] if kind else catalogue.KINDS) for entry in catalogue.entries(each)])
        return
    for place, each in enumerate([kind] if kind else catalogue.KINDS):
        if not kind:
            click.echo(f"{'' if place == 0 else chr(10)}{each}")
        write_table(*catalogue.rows(each))


_SCENARIO = click.argument("target", metavar="SCENARIO|EXPERIMENT")


def _scenario_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options that say which scenario, or which condition of an experiment."""
    for option in (
        click.option("--force", is_flag=True, help="Go on even where the scale distorts the network."),
        click.option("--scale", type=float, help="Multiplies router speeds and numbers of sources."),
        click.option("--duration", help="Simulated time, such as '5 min'."),
        click.option(
            "--algorithm", help="One name, or a mix such as 'tcp=0.8 cubic=0.2'; a mixed experiment's alternate."
        ),
        click.option("--set", "values", multiple=True, metavar="PATH=VALUE", help="Set a value: warmup='0 s'."),
        click.option("--condition", type=int, metavar="N", help="Row N of the experiment's design, from 1."),
    ):
        command = option(command)
    return command


@main.command()
@_SCENARIO
@_scenario_options
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Names the random streams.")
@click.option("--out", type=click.Path(path_type=Path), help="Directory for tables and run.json.")
@click.option("--threads", default=1, show_default=True, type=click.IntRange(1, MOST_THREADS), help="For this run.")
@click.option(
    "--engine", default="domains", show_default=True, type=click.Choice(get_args(Engine)), help="Same bytes from each."
)
@click.option(
    "--checkpoint", metavar="FILE", type=click.Path(path_type=Path), help="Keep the run in FILE; go on from it."
)
@click.option("--checkpoint-every", show_default=EVERY, metavar="TIME", help="How often, by the clock.")
@_JSON
def run(
    target: str,
    seed: int,
    out: Path | None,
    threads: int,
    engine: Engine,
    checkpoint: Path | None,
    checkpoint_every: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Simulate SCENARIO, or one condition of EXPERIMENT, once; both are built-in names or TOML files."""
    from mesonet.simulation.result import reserved

    if checkpoint_every is not None and checkpoint is None:
        allowed = "with --checkpoint FILE"
        raise InputError(
            "goes with --checkpoint only", path="--checkpoint-every", value=checkpoint_every, allowed=allowed
        )
    chosen = find_scenario(target, **options)
    for note in (*getattr(chosen.value("topology"), "notes", ()), *_idle(chosen)):
        click.echo(f"note: {note}", err=True)
    try:
        with (
            places.folder(out) if out else nullcontext(),  # before the checkpoint, which may be in it
            Checkpoint(checkpoint, checkpoint_every or EVERY) if checkpoint else nullcontext() as file,
            reserved(out) if out else nullcontext() as put,
        ):
            with Progress(chosen.name) as progress:
                result = mesonet.simulate(
                    chosen, seed, progress.update, threads=threads, engine=engine, checkpoint=file
                )
            if put:
                put(result)
            _show_result(chosen, seed, result, out, as_json)  # in here: a signal that came late ends the block
    except Stopped as stopped:
        _stop(click.get_current_context(), str(stopped), 128 + stopped.number)


def _idle(chosen: Scenario) -> list[str]:
    """Return notes on constants that are set for algorithms that no flow uses."""
    return [f"{path} has no effect: no flow uses the algorithm" for path in chosen.unused()]


def _show_result(chosen: Scenario, seed: int, result: Result, out: Path | None, as_json: bool) -> None:
    rows = result.responses.to_arrow().to_pylist()
    performance = dict(result.performance)
    if as_json:
        responses = [{"name": row.pop("response"), **row} for row in rows]
        about = {"scenario": chosen.name, "seed": seed, "settling_time_s": result.settling_time()}
        write_json({**about, "responses": responses, "performance": performance})
        return
    periods = list(dict.fromkeys(row["period"] for row in rows))
    cells = {(row["response"], row["period"]): row for row in rows}
    write_table(
        ["response", "symbol", "unit", *(f"period {p}" if p.isdigit() else p for p in periods)],
        [
            [name, row["symbol"], row["unit"], *(cells.get((name, p), {}).get("value") for p in periods)]
            for name, row in {row["response"]: row for row in rows}.items()
        ],
    )
    click.echo("")
    write_table(["performance", "value"], list(performance.items()))
    warmup, settled = float(chosen.value("time.warmup")), result.settling_time()
    if settled is None or settled > warmup:
        when = "had not settled by the end" if settled is None else f"settled after {settled:.4g} s only"
        click.echo(f"\nnote: the number of transmitting sources {when} (MSER-5); the warm-up is {warmup:.4g} s")
    if out:
        click.echo(f"\nwritten to {out}")


@main.command()
@_SCENARIO
@_scenario_options
@click.option("--draw", type=click.Path(path_type=Path), help="Draw the network: FILE.svg, .png, .pdf or .html.")
@_JSON
def check(target: str, draw: Path | None, as_json: bool, **options: Any) -> None:
    """Show every value of SCENARIO or of a condition of EXPERIMENT, where it comes from, and what follows from it."""
    chosen = find_scenario(target, **options)
    described = chosen.describe()
    shown = network_map(chosen, described)
    if draw:
        _draw(shown, draw)
    settings = [asdict(row) for row in chosen.explain()]
    if as_json:
        about = {"name": chosen.name, "hash": chosen.hash, "notes": [*shown.notes, *_idle(chosen)]}
        write_json({**about, "derived": described, "settings": settings})
        return
    write_table(["path", "value", "source"], [list(row.values()) for row in settings])
    click.echo("")
    write_table(["follows", "value"], derived_rows(described))
    click.echo("")
    write_table(CLASS_COLUMNS, class_rows(described))
    click.echo("")
    write_table(MAP_COLUMNS, map_rows(shown))
    for warning in (*shown.notes, *_idle(chosen), *described["warnings"]):
        click.echo(f"\nnote: {warning}")
    if draw:
        click.echo(f"\nwritten to {draw}")


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


@main.command()
@click.argument("target", metavar="[EXPERIMENT]", required=False)
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
@click.option("--seed", type=click.IntRange(min=0), help="Of what is searched for or drawn; EXPERIMENT's, or 1.")
@click.option("--rows", "with_rows", is_flag=True, help="Print every run, too.")
@_JSON
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
    from mesonet.cli import design_runs, designing

    ways = {"runs": runs, "resolution": resolution, "name": name, "generators": equations}
    kind, seed, additions = designing.completed(target, kind, seed, ways, additions)
    if kind != "two-level":
        others = {"resolution": resolution, "name": name, "generators": equations, **additions}
        if given := [option for option, value in others.items() if value is not None]:
            raise InputError("goes with two-level designs only", path="--" + given[0].replace("_", "-"))
        ids, rows = designing.find_plan(kind, target, factors, runs, seed)
        if as_json:
            write_json({"kind": kind, "factors": ids, "runs": len(rows), "matrix": rows})
        else:
            click.echo(designing.heading_of_plan(kind, ids, len(rows)))
            write_table(ids, rows)
        return
    generators = [equation.strip() for equation in equations.split(",")] if equations else ()
    proposal = designing.find_design(target, factors, runs, resolution, name, generators, seed)
    chosen = proposal.design
    added = design_runs.runs_of(chosen, seed=seed, **additions)
    if as_json:
        write_json({**designing.as_json(proposal, seed), **design_runs.as_json(added)})
        return
    click.echo(designing.heading(proposal))
    for header, table in (
        (["factor", "name"], designing.factor_rows(proposal)),
        (["aliased with each other", "in names"], designing.alias_rows(proposal)),
    ):
        if table:
            write_table(header[: len(table[0])], table)
            click.echo("")
    if chosen.generators:
        click.echo(f"clear: {designing.clear_text(chosen)}\n")
    if said := design_runs.lines(chosen, added, proposal.algorithms * proposal.replicates):
        click.echo("\n".join(said) + "\n")
    write_table(designing.COLUMNS, designing.choice_rows(proposal.design, seed))
    if with_rows:
        click.echo("")
        write_table(*design_runs.row_table(chosen.factors, added))


class _Subgroup(click.Group):
    command_class = _Command


@main.group(cls=_Subgroup)
def experiment() -> None:
    """Plan and run many runs by a factorial design: plan, run, status."""


_TARGET = click.argument("target", metavar="EXPERIMENT|DIR")


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options that change an experiment."""
    for option in (
        click.option("--seed", type=click.IntRange(min=0), help="Names the random streams."),
        click.option("--replicates", type=click.IntRange(min=1), help="Runs per condition and algorithm."),
        click.option("--set", "values", multiple=True, metavar="PATH=VALUE", help="Set a value of every run."),
        click.option("--duration", help="Simulated time of a run, such as '5 min'."),
        click.option("--scale", type=float, help="Multiplies router speeds and numbers of sources."),
        click.option("--algorithms", help="Algorithms to compare, separated by commas."),
    ):
        command = option(command)
    return command


def _how(command: Callable[..., None]) -> Callable[..., None]:
    """Return the options that say where and how runs are made."""
    for option in (
        click.option("--retry", is_flag=True, help="Try runs again that failed too often and are left alone."),
        click.option(
            "--tries", default=3, show_default=True, type=click.IntRange(1), help="Tries of a run that fails."
        ),
        click.option("--time-limit", metavar="TIME", help="The most time that one run may take, such as '2 h'."),
        click.option("--memory", metavar="SIZE", help="The most that one run may have, such as '4 GiB'."),
        click.option("--shard", metavar="i/N", help="Run only the i-th of N parts, for job arrays."),
        click.option("--dask", metavar="ADDRESS|FILE", help="Run on the Dask cluster of this scheduler."),
    ):
        command = option(command)
    return command


@experiment.command()
@click.argument("target", metavar="EXPERIMENT")
@_options
@click.option(
    "--pilot", default=2.0, show_default=True, type=click.FloatRange(0, 3600), metavar="SECONDS",
    help="Time for pilot runs that tell what the campaign will cost; 0 for none.",
)  # fmt: skip
@_JSON
def plan(target: str, pilot: float, as_json: bool, **options: Any) -> None:
    """Show the design, the factors, the runs of EXPERIMENT and what they will cost."""
    from mesonet.cli import planning

    chosen = planning.find_experiment(target, **options)
    warnings = chosen.check(force=True)
    cost = None
    try:
        cost = planning.estimate(chosen, pilot) if pilot else None
    except Broken as error:
        warnings.append(f"no estimate: {error}")
    if as_json:
        write_json(planning.as_json(chosen, warnings, cost))
        return
    click.echo(planning.heading(chosen))
    if factors := [list(vars(factor).values()) for factor in chosen.factors]:
        write_table(["factor", "name", "path", "minus", "plus"], factors)
        click.echo("")
        write_table(*planning.condition_rows(chosen))
    if cost:
        click.echo("\n" + "\n".join(planning.cost_lines(cost, os.cpu_count() or 1)))
    for warning in warnings:
        click.echo(f"\nnote: {warning}")


@experiment.command("run")
@_TARGET
@_options
@click.option("--workers", type=click.IntRange(1, 1_000), help="Runs at a time; by default one per processor.")
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@_how
@click.option(
    "--force", is_flag=True, help="Run even where the scale distorts the network, or other code began the campaign."
)
@_JSON
def run_experiment(
    target: str,
    workers: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    memory: str | None,
    time_limit: str | None,
    dask: str | None,
    shard: str | None,
    tries: int,
    retry: bool,
    **options: Any,
) -> None:
    """Run the missing runs of EXPERIMENT, or of the campaign in DIR."""
    from mesonet.cli import planning

    how = {
        "memory": planning.memory(memory), "time_limit": planning.time_limit(time_limit), "shard": planning.shard(shard)
    }  # fmt: skip
    if dask is not None and workers is not None:
        raise InputError("the workers are those of the cluster", path="--workers", value=workers, allowed="no --dask")
    try:
        folder = planning.run(target, out, workers, force, options, **how, dask=dask, tries=tries, retry=retry)
    except KeyboardInterrupt:
        _stop(click.get_current_context(), "interrupted; runs that are done stay, the same command continues", 130)
    if _show_status(folder, as_json).failed:
        click.get_current_context().exit(1)


@experiment.command()
@_TARGET
@click.option("--out", type=click.Path(path_type=Path), help="Campaign folder; by default the experiment's name.")
@_JSON
def status(target: str, out: Path | None, as_json: bool) -> None:
    """Show the progress of the campaign of EXPERIMENT, or of the campaign in DIR."""
    from mesonet.cli import planning

    _show_status(planning.find_folder(target, out), as_json)


_THRESHOLD = click.option("--threshold", type=float, metavar="R", help="|r| above which responses say the same; 0.65.")
_CUT = click.option("--cut", type=float, metavar="SHARE", help="Of the largest distance: below it, a group; 0.7.")
_DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))


@main.command()
@_DIRECTORY
@click.option("--out", type=click.Path(path_type=Path), help="Where to make the folder analysis; by default DIR.")
@click.option(
    "--figures",
    default="chosen",
    metavar="chosen|all|none",
    help="Ten steps of one response per cluster (chosen, the default) or of all; figures that are up to date stay.",
)
@click.option("--responses", metavar="A,B,...", help="Responses to draw in place of the chosen ones.")
@_THRESHOLD
@_CUT
@click.option("--beside", type=click.Path(path_type=Path), metavar="DIR", help="Campaign to compare this one with.")
@click.option("--png", is_flag=True, help="PNG beside each SVG.")
@click.option("--workers", type=int, help="Processes that draw; by default one per processor.")
@_JSON
def analyze(
    directory: Path,
    out: Path | None,
    figures: str,
    responses: str | None,
    threshold: float | None,
    cut: float | None,
    beside: Path | None,
    png: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write tables (Parquet, CSV) and figures (SVG) of every analysis of the campaign in DIR."""
    from mesonet.reporting import write_analysis

    place = out or directory
    chosen = [name.strip() for name in responses.split(",")] if responses else None
    thresholds = _thresholds(threshold, cut)
    try:
        other = mesonet.load(beside) if beside else None
    except InputError as error:
        raise error.located(path="--beside") from error
    about = {"responses": chosen, "figures": figures, "thresholds": thresholds, "beside": other}
    write = partial(write_analysis, **about, png=png, workers=workers)
    files = _from_results(directory, "analysis", write, place)
    if as_json:
        write_json({"files": [str(file) for file in files]})
    else:
        click.echo(f"{plural(len(files), 'file')} in {place / 'analysis'}")


@main.command()
@_DIRECTORY
@click.option("--out", type=click.Path(path_type=Path), help="The file; by default DIR/report.html.")
@click.option(
    "--replay",
    metavar="N|most|none",
    help="Condition to simulate again for the replay; by default the most congested if that takes under a minute.",
)
@click.option(
    "--against",
    metavar="ALGORITHM",
    help="Incumbent of the verdict; by default the algorithm that all are mixed with, else tcp.",
)
@_THRESHOLD
@_CUT
@_JSON
def report(
    directory: Path,
    out: Path | None,
    replay: str | None,
    against: str | None,
    threshold: float | None,
    cut: float | None,
    as_json: bool,
) -> None:
    """Write the report of the campaign in DIR: one HTML file that needs no network."""
    from mesonet.reporting import write_report
    from mesonet.reporting.campaign_view.sampled import is_sampled
    from mesonet.reporting.campaign_view.study import Study
    from mesonet.reporting.replay.simulated import prepare
    from mesonet.reporting.text.verdict_text import verdict_rows

    thresholds = _thresholds(threshold, cut)
    found: list[dict[str, Any]] = []

    def write(campaign: Any, place: Path, progress: Any) -> Path:
        if is_sampled(campaign):
            if replay not in (None, "none"):
                raise InputError(
                    "only conditions at two levels are replayed", path="--replay", value=replay, allowed="none"
                )
        else:
            places.checked(place)
            prepare(campaign, replay, progress=progress)
        if as_json:
            found.extend(verdict_rows(Study(campaign, against)))
        return write_report(campaign, place, thresholds=thresholds, against=against, progress=progress)

    try:
        path = _from_results(directory, "report", write, out or directory / "report.html")
    except InputError as error:
        raise replace(error, path="--against") if error.path == "against" else error from error
    if as_json:
        write_json({"path": str(path), "verdicts": found})
    else:
        click.echo(str(path))


def _thresholds(correlation: float | None, cut: float | None) -> Any:
    from mesonet.reporting.campaign_view.thresholds import Thresholds

    given = {"correlation": correlation, "cut": cut}
    try:
        return Thresholds(**{name: value for name, value in given.items() if value is not None})
    except InputError as error:
        raise replace(error, path={"correlation": "--threshold", "cut": "--cut"}[str(error.path)]) from error


@main.command()
@_DIRECTORY
@click.option("--out", type=click.Path(path_type=Path), help="FILE.parquet or .csv; by default DIR/study.parquet.")
@_JSON
def export(directory: Path, out: Path | None, as_json: bool) -> None:
    """Write one table of the campaign in DIR: responses of the network and goodputs of flow groups."""
    from mesonet.campaign.export import write_study_table

    path = write_study_table(mesonet.load(directory), out or directory / "study.parquet")
    if as_json:
        write_json({"path": str(path)})
    else:
        click.echo(str(path))


@main.command()
@click.argument("words", nargs=-1, metavar="[CLAIM|PART|CAMPAIGN]...")
@click.option("--quick", is_flag=True, help="Only claims that take a minute in all.")
@click.option(
    "--campaigns",
    default="verify",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder of the campaigns: those that are there are read.",
)
@click.option(
    "--longest",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="MINUTES",
    help="Run campaigns that are not there and take at most this much processor time; for others see the record.",
)
@click.option("--claims", type=click.Path(path_type=Path), help="The folder verification of the sources.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the page, as verification/RESULTS.md, and the record beside it.",
)
@_JSON
def verify(
    words: tuple[str, ...],
    quick: bool,
    campaigns: Path,
    longest: float,
    claims: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show the scorecard: published values, ours, tolerances and verdicts; of all claims or of parts such as G."""
    from mesonet.verification.campaigns import Campaigns
    from mesonet.verification.scorecard import RECORD, load_scorecard

    chosen = load_scorecard(claims).chosen(words, quick)
    found = Campaigns(chosen.entries, campaigns, longest * 60)
    findings = chosen.judge(found)
    if out:
        out.write_text(chosen.page(findings, found), encoding="utf-8")
        chosen.measured(findings, found).write(out.with_name(RECORD))
    if as_json:
        write_json(chosen.document(findings))
    else:
        write_table(*chosen.rows(findings))
    if unexpected := chosen.unexpected(findings):
        _stop(click.get_current_context(), "; ".join(unexpected), 1)


def _draw(shown: NetworkMap, path: Path) -> None:
    from mesonet import plots
    from mesonet.plots.export import FORMS

    if path.suffix not in FORMS:
        raise InputError("not a form of a drawing", path="--draw", value=str(path), allowed=", ".join(FORMS))
    plots.save(plots.topology(shown), path)


def _from_results(directory: Path, what: str, write: Callable[..., Any], place: Path) -> Any:
    """Return the result of `write` at `place` for the campaign in a folder, with progress."""
    from mesonet.reporting.campaign_view.sampled import is_sampled, left_out

    campaign = mesonet.load(directory)
    if not campaign.counts["done"]:
        raise InputError("no run of the campaign is done", value=str(directory), allowed="run it first")
    if is_sampled(campaign):
        click.echo(f"note: {left_out(campaign)}", err=True)
    with Progress(f"{what} of {campaign.name}") as progress:
        return write(campaign, place, progress=progress.update)


def _show_status(folder: Path, as_json: bool) -> Status:
    from mesonet.campaign.status import status as status_of
    from mesonet.cli import planning

    status = status_of(folder)
    if as_json:
        write_json(asdict(status))
        return status
    click.echo("\n".join(planning.status_lines(status)))
    if status.failures:
        columns = ["condition", "algorithm", "replicate", "tries", "message", "log"]
        write_table(columns, [[failure[column] for column in columns] for failure in status.failures])
    return status
