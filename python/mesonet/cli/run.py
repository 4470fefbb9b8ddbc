"""The verb ``mesonet run``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

import mesonet
from mesonet.cli.memory_size import in_bytes
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.progress import Progress
from mesonet.responses import queues
from mesonet.responses.segment_sizes import data_bytes, response_bytes
from mesonet.simulation.carried import carried_notes, data_of_demands, queues_carried
from mesonet.simulation.checkpoint import EVERY, Checkpoint, Stopped
from mesonet.simulation.settling import SETTLING, is_given, late
from mesonet.simulation.simulate import MOST_THREADS, Engine
from mesonet.simulation.summary import WHOLE, summary
from mesonet.terminal import write_json, write_table
from mesonet.units import RATE, SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mesonet.scenarios.scenario import Scenario
    from mesonet.simulation.result import Result

from mesonet.cli.common import (
    JSON,
    SCENARIO,
    Command,
    refuse_other_forms,
    save_plot,
    scenario_options,
    stop,
    value_notes,
)

TERMINAL = Path("terminal")
"""Value of --plot that stands for no file."""
BITS = {"segments/s": RATE, "segments/interval": RATE, "segments": SEGMENTS}
"""Quantities of the units that count segments."""
MIXED_SIZES = (
    "segments have different sizes (flows[].segment_bytes): sums over them have no value in bits or bytes, and "
    "responses on fairness compare segments"
)


@click.command(cls=Command)
@SCENARIO
@scenario_options
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Names the random streams.")
@click.option("--out", type=click.Path(path_type=Path), help="Directory for tables and run.json.")
@click.option(
    "--threads", default=1, show_default=True, type=click.IntRange(1, MOST_THREADS), help="Number of threads."
)
@click.option(
    "--engine",
    default="domains",
    show_default=True,
    type=click.Choice(get_args(Engine)),
    help="The engine; both give equal bytes.",
)
@click.option(
    "--checkpoint", metavar="FILE", type=click.Path(path_type=Path), help="Write snapshots to FILE and resume from it."
)
@click.option("--memory", metavar="SIZE", help="Most memory that the run may need, such as '8 GiB'; by default 4 GiB.")
@click.option(
    "--plot",
    "figure",
    metavar="FILE|terminal",
    type=click.Path(path_type=Path),
    help="Draw throughput, windows and queueing delay over time: .svg, .png, .pdf, .html, or in the terminal.",
)
@click.option("--checkpoint-every", show_default=EVERY, metavar="TIME", help="Wall-clock time between snapshots.")
@JSON
def run(
    target: str,
    seed: int,
    out: Path | None,
    threads: int,
    engine: Engine,
    checkpoint: Path | None,
    checkpoint_every: str | None,
    memory: str | None,
    figure: Path | None,
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
    if figure:
        refuse_other_forms(figure, TERMINAL)
    size = in_bytes(memory)
    chosen = find_scenario(target, **options)
    described = chosen.describe()
    for note in (*getattr(chosen.value("topology"), "notes", ()), *value_notes(chosen, described)):
        click.echo(f"note: {note}", err=True)
    try:
        with (
            places.folder(out) if out else nullcontext(),  # before the checkpoint, which may be in it
            Checkpoint(checkpoint, checkpoint_every or EVERY) if checkpoint else nullcontext() as file,
            reserved(out) if out else nullcontext() as put,
        ):
            with Progress(chosen.name) as progress:
                result = mesonet.simulate(
                    chosen, seed, progress.update, threads=threads, engine=engine, checkpoint=file, memory=size
                )
            if put:
                put(result)
            if figure and figure != TERMINAL:
                save_plot(mesonet.plot(result, title=f"{chosen.name}, seed {seed}"), figure)
            # In here: a signal that came late ends the block.
            _show_result(chosen, described, result, seed=seed, out=out, as_json=as_json)
            if figure == TERMINAL:
                _draw_in_terminal(result, to_stderr=as_json)
    except Stopped as stopped:
        stop(click.get_current_context(), str(stopped), 128 + stopped.number)


def _draw_in_terminal(result: Result, *, to_stderr: bool) -> None:
    import shutil

    from mesonet.charts.in_terminal import in_terminal
    from mesonet.simulation.courses import courses

    text = in_terminal(courses(result), width=shutil.get_terminal_size().columns)
    click.echo(f"\n{text}", err=to_stderr)


def _show_result(
    chosen: Scenario, described: Mapping[str, Any], result: Result, *, seed: int, out: Path | None, as_json: bool
) -> None:
    rows = result.responses.rows()
    performance = dict(result.performance)
    scenario, routers = result.provenance["scenario"], result.routers.rows()
    sentences = summary(scenario, described, rows, routers, data_of_demands(scenario, described, result.demands))
    queues_of_run = queues_carried(scenario, described, routers)
    notes = carried_notes(scenario, result.demands, queues_of_run)
    if as_json:
        responses = [{"name": row.pop("response"), **row} for row in rows]
        about = {"scenario": chosen.name, "seed": seed, "load_settled": result.load_settled, "summary": sentences}
        about |= {"notes": notes, "demands": result.demands.rows(), "queues": [asdict(each) for each in queues_of_run]}
        settling = {"settling_time_s": result.settling_time(), "settling_s": result.settling_times}
        settling["load_drift"] = result.load_drift
        write_json({**about, **settling, "responses": responses, "performance": performance})
        return
    click.echo("\n".join([*sentences, *(f"note: {note}" for note in notes)]) + "\n")
    _show_responses(scenario, [row for row in rows if row["response"] not in queues.RESPONSES])
    click.echo("")
    if scenario["network"]["queue"] == "port":
        busiest = queues.busiest_rows(routers, WHOLE)
        write_table(["busiest queue", *queues.COLUMNS[1:]], busiest)
    else:
        write_table(queues.COLUMNS, queues.class_rows(rows, WHOLE))
    click.echo("")
    write_table(["performance", "value"], list(performance.items()))
    if note := _settling_note(result, float(chosen.value("time.warmup"))):
        click.echo(f"\nnote: {note}")
    if out:
        click.echo(f"\nwritten to {out}")


def _show_responses(scenario: Mapping[str, Any], rows: list[dict[str, Any]]) -> None:
    periods = list(dict.fromkeys(row["period"] for row in rows))
    cells = {(row["response"], row["period"]): row for row in rows}

    def in_bits(row: dict[str, Any]) -> str:
        if row["unit"] not in BITS or not row["value"]:
            return ""
        if (size := response_bytes(scenario, row["response"])) is None:
            return ""
        per_second = float(scenario["measurement"]["interval"]) if row["unit"] == "segments/interval" else 1.0
        return BITS[row["unit"]].familiar(row["value"] / per_second, size)

    write_table(
        ["response", "symbol", "unit", *(f"period {p}" if p.isdigit() else p for p in periods), "in bits or bytes"],
        [
            [name, row["symbol"], row["unit"], *(cells.get((name, p), {}).get("value") for p in periods),
             in_bits(cells.get((name, WHOLE), row))]
            for name, row in {row["response"]: row for row in rows}.items()
        ],
    )  # fmt: skip
    if len(data_bytes(scenario)) > 1:
        click.echo(f"\nnote: {MIXED_SIZES}")


def _settling_note(result: Result, warmup: float) -> str:
    """Return a sentence on the series that MSER-5 does not truncate within the warm-up; empty without any.

    Empty, too, without users and arrivals: the load of explicit flows is given.
    """
    times = result.settling_times
    if is_given(result.provenance["scenario"]) or not (names := late(times, warmup)):
        return ""
    series = []
    for name in names:
        when = "not by the end" if times[name] is None else f"after {times[name]:.4g} s"
        change = result.load_drift.get(name)
        moved = "" if change is None else f", {change:+.1%} in the second half of the measured time"
        series.append(f"{SETTLING[name]} ({when}{moved})")
    verdict = "the load counts as settled" if result.load_settled else "the load had not settled"
    return f"{verdict}; not settled within the warm-up of {warmup:.4g} s by MSER-5: {'; '.join(series)}"
