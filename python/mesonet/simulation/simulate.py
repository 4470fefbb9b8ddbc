"""Runs one scenario."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mesonet import core, plugins
from mesonet.errors import InputError, PluginFault
from mesonet.scenarios import canonical
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.scenario import scenario as named_scenario
from mesonet.simulation.size import refuse_large
from mesonet.units import integer

if TYPE_CHECKING:
    from mesonet.simulation.checkpoint import Checkpoint
    from mesonet.simulation.result import Result, Table

Progress = Callable[[float, float], None]
"""Called with the simulated time reached and the simulated time of the whole run, in seconds."""

LARGEST_SEED = 2**63 - 1
MOST_THREADS = 256

Engine = Literal["domains", "reference"]
"""Order of events: by domains of the network, or plainly, one heap entry for every segment. Both give the same bytes;
the second is slow and serves to test the first."""

SLICE_S = 0.2
"""Wall-clock time of one slice: the longest wait of Ctrl-C and the progress bar."""
_MOST_SLICES = 20_000


def simulate(
    scenario: Scenario | str | Path,
    seed: int = 1,
    progress: Progress | None = None,
    *,
    threads: int = 1,
    engine: Engine = "domains",
    checkpoint: Checkpoint | None = None,
    memory: int | None = None,
) -> Result:
    """Simulate a scenario from 0 to its duration.

    Parameters
    ----------
    scenario
        A scenario, the name of a built-in scenario, or the path of a TOML file.
    seed
        Names the random streams, at least 0; the same scenario, seed and code give the same tables on any machine.
    progress
        Called several times a second.
    threads
        Threads that advance the domains of the network, 1 to 256; the result does not depend on their number.
    engine
        `domains`, or `reference` to compare with.
    checkpoint
        File of snapshots, from which an interrupted run continues (`mesonet.Checkpoint`).
    memory
        Most memory that the run may be expected to need, bytes; None: 4 GiB.

    Returns
    -------
    The tables of the run, its cost and its provenance.

    Raises
    ------
    InputError
        If the simulator refuses a value, the run would need more memory, or the checkpoint belongs to another run.
    PluginFault
        If a plug-in leaves a window that is not allowed; the error names plug-in, event, flow and simulated time.
    Stopped
        If a signal came while there was a checkpoint (`mesonet.simulation.checkpoint`).
    """
    if isinstance(scenario, str | Path):
        scenario = named_scenario(scenario)
    try:
        refuse_large(scenario.to_json(), memory)
        return simulate_json(scenario.to_json(), seed, progress, threads=threads, engine=engine, checkpoint=checkpoint)
    except InputError as error:
        raise (error if error.path in ("seed", "threads", "--checkpoint") else scenario.located(error)) from None


def simulate_json(
    scenario_json: str,
    seed: int,
    progress: Progress | None = None,
    *,
    threads: int = 1,
    engine: Engine = "domains",
    checkpoint: Checkpoint | None = None,
) -> Result:
    """Simulate a canonical scenario."""
    from mesonet.simulation import provenance
    from mesonet.simulation.result import TABLES, Result

    seed = integer(seed, "seed", 0, LARGEST_SEED)
    threads = integer(threads, "threads", 1, MOST_THREADS)
    scenario = canonical.content(scenario_json)
    plugins.by_name()  # those of the build, which a scenario from a folder may name

    def make(state: bytes | None) -> Any:
        try:
            return core.module().Simulation(scenario_json, seed, threads, engine, state)
        except ValueError as error:
            refused = core.refused(error)
            if checkpoint and refused.path == "snapshot":
                refused = checkpoint.refused(refused.problem)
            raise refused from error

    refuse_snapshots(scenario, checkpoint)
    watch = provenance.Stopwatch()
    run, before = checkpoint.begin(make) if checkpoint else (make(None), {})
    watch.go_on(before)
    duration = float(scenario["time"]["duration"])

    def look(reached: float) -> None:
        if progress:
            progress(reached, duration)
        if checkpoint:
            checkpoint.look(run, watch.so_far)

    with faults():
        advance(run, duration, look)
    return Result(
        **_finished(run, TABLES),
        performance={**watch.resources(), **run.performance()},
        provenance={
            "scenario": scenario,
            "seed": seed,
            "engine": engine,
            "threads": threads,
            "versions": provenance.versions(),
            "environment": provenance.environment(),
            "started": watch.started,
            "finished": provenance.now(),
        },
    )


def refuse_snapshots(scenario: Mapping[str, Any], checkpoint: Checkpoint | None) -> None:
    """Raise an `InputError` for a checkpoint of a run with a plug-in whose state has pointers."""
    if checkpoint and (name := without_snapshots(scenario)):
        problem = f"the state of {name} cannot be written, so that the run cannot be resumed"
        raise InputError(problem, path="--checkpoint", value=str(checkpoint.path), allowed="no checkpoint")


def without_snapshots(scenario: Mapping[str, Any]) -> str | None:
    """Return the plug-in because of which a run has no snapshots.

    Name of a plug-in whose state has pointers; None: the run has snapshots.
    """
    loaded = plugins.by_name()
    names = [entry["name"].partition("(")[0] for entry in scenario["algorithms"] if "plugin" in entry]
    return next((name for name in names if name in loaded and loaded[name].pointers), None)


@dataclass(frozen=True)
class PartialRun:
    """Measurements of the part of a run that fits into a given time."""

    share: float  #: part of the simulated time, 0 to 1
    #: Simulated time and processor time so far, s, ascending from (0, 0) to the end of the part.
    marks: list[tuple[float, float]]
    router_hops: int  #: segments that crossed routers
    series: Table  #: `series`, `responses`, `groups`: tables so far
    responses: Table
    groups: Table


def simulate_part(scenario_json: str, seed: int, wall_s: float) -> PartialRun:
    """Simulate as much of a run as fits into a given time. `seed`: names the random streams, at least 0."""
    duration = float(canonical.content(scenario_json)["time"]["duration"])
    run = core.module().Simulation(scenario_json, seed)
    began, used = time.perf_counter(), time.process_time()
    marks = [(0.0, 0.0)]
    reached, step = 0.0, duration / 10_000
    while reached < duration and not run.finished() and time.perf_counter() - began < wall_s:
        slice_began = time.perf_counter()
        reached = min(reached + step, duration)
        with faults():
            run.advance(reached)
        marks.append((reached, time.process_time() - used))
        step *= min(2.0, max(0.5, wall_s / 20 / max(time.perf_counter() - slice_began, 1e-6)))
    share = 1.0 if run.finished() else reached / duration
    return PartialRun(
        share=share,
        marks=marks,
        router_hops=run.performance()["router_hops"],
        **_finished(run, ("series", "responses", "groups")),
    )


@contextmanager
def faults() -> Iterator[None]:
    """Give faults of plug-ins in the block their own kind, and the exception of a function in plain Python."""
    try:
        yield
    except core.module().PluginFault as fault:
        from mesonet.plugins.interpreted import with_reason

        raise PluginFault(with_reason(str(fault))) from None


def advance(run: Any, duration: float, look: Callable[[float], None]) -> None:
    """Run to the end in slices of simulated time that take about `SLICE_S` each.

    `look`: called after each slice with the simulated time reached, s.
    """
    reached, step = float(run.performance()["simulated_s"]), duration / _MOST_SLICES
    while reached < duration and not run.finished():
        began = time.perf_counter()
        reached = min(reached + step, duration)
        run.advance(reached)
        look(reached)
        step *= min(4.0, max(0.25, SLICE_S / max(time.perf_counter() - began, 1e-6)))
        step = max(step, duration / _MOST_SLICES)


def _finished(run: Any, names: Sequence[str]) -> dict[str, Table]:
    """Return tables of a run that ended, by name."""
    from mesonet.responses import tables
    from mesonet.simulation.result import INDEX, table

    finished = run.finish(names)
    if "responses" in finished:
        finished["responses"] = _responses(finished["responses"])
    return {name: table(columns, tables.TABLES[name], INDEX[name]) for name, columns in finished.items()}


def _responses(finished: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of the table of responses, in the order of periods and definitions."""
    from mesonet.responses.definitions import BY_NAME

    periods = list(dict.fromkeys(finished["period"]))
    place = {name: number for number, name in enumerate(BY_NAME)}
    found = zip(finished["period"], finished["name"], finished["value"], strict=True)
    rows = sorted(found, key=lambda row: (periods.index(row[0]), place[row[1]]))
    return {
        "response": [name for _, name, _ in rows],
        "symbol": [BY_NAME[name].symbol for _, name, _ in rows],
        "period": [period for period, _, _ in rows],
        "unit": [BY_NAME[name].unit for _, name, _ in rows],
        "value": [value for _, _, value in rows],
    }
