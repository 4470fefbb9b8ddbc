"""Measures the scenarios on the kernel of this machine and writes what it found.

sudo .venv/bin/python -m verification.witness.kernel.witness --out linux.csv
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click
import numpy as np

from mesonet.errors import InputError
from mesonet.kernel import machine
from mesonet.kernel.observations import lateness, of_kernel
from mesonet.kernel.replays import merged
from verification.witness.kernel.metrics import quantities
from verification.witness.kernel.scenarios import KernelScenario, changing, every

LATE_SHARE = 0.005
"""A run is rejected if more packets than this share were written later than one service time."""
MOST_TRIES = 6


def is_on_time(found: Mapping[str, float], latest_ms: float) -> bool:
    """Return whether a run of this lateness counts."""
    return found["largest_ms"] <= latest_ms and found["share"] <= LATE_SHARE


def measure(scenario: KernelScenario, seed: int, program: Path, keep: Path | None, latest_ms: float) -> dict[str, Any]:
    """Run a scenario until a run is on time; return its quantities and the lateness of all tries."""
    tries = []
    for _ in range(MOST_TRIES):
        trace = machine.run(scenario.setup, seed, program)
        tries.append(lateness(trace, scenario.setup))
        if is_on_time(tries[-1], latest_ms):
            found = quantities(of_kernel(trace, scenario.setup), scenario)
            last = trace.samples[-1]
            limited = float(last["receiver_limited_s"] + last["buffer_limited_s"])
            if keep:
                words = scenario.name.replace("%", "percent").replace("/", "-per-").replace(" ", "-")
                name = f"{words}-{seed}.npz"
                np.savez_compressed(keep / name, began=trace.began_ns, packets=trace.packets, samples=trace.samples)
            return {"found": found, "tries": tries, "limited_s": limited, "ended": trace.ended}
    return {"found": None, "tries": tries}


def write(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write a table of scenario, quantity, mean, min, max and runs."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("scenario", "quantity", "mean", "min", "max", "runs"))
        writer.writerows(rows)


def chosen(words: Sequence[str], changes: bool = False) -> list[KernelScenario]:
    """Return the scenarios whose names contain one of the words; all without words."""
    return [
        scenario
        for scenario in (changing() if changes else every())
        if not words or any(word in scenario.name for word in words)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the scenarios on the kernel of this machine.")
    parser.add_argument("only", nargs="*", help="parts of names of scenarios")
    parser.add_argument("--runs", type=int, default=3, help="runs of each scenario")
    parser.add_argument("--parallel", type=int, default=3, help="runs at the same time")
    parser.add_argument("--out", type=Path, help="the table; a log of the runs is written beside it")
    parser.add_argument("--keep", type=Path, help="folder for packets and samples of every run (NumPy archives)")
    parser.add_argument("--latest-ms", type=float, default=8.0, help="reject runs with a packet later than this")
    parser.add_argument("--resume", action="store_true", help="measure only what the log beside the table lacks")
    parser.add_argument("--changes", action="store_true", help="measure the scenarios in which the path changes")
    parser.add_argument("--list", action="store_true", help="list the scenarios and stop")
    options = parser.parse_args()
    scenarios = chosen(options.only, options.changes)
    if options.list:
        click.echo("\n".join(f"{s.name}: {s.duration_s:g} s" for s in scenarios))
        return 0
    if not options.out:
        parser.error("the following arguments are required: --out")
    if not scenarios:
        click.echo(f"no scenario has {' or '.join(options.only)} in its name; see --list", err=True)
        return 2
    try:
        machine.refuse_machine()
    except InputError as error:
        click.echo(str(error), err=True)
        return 2
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    log = (
        resumed(options.out.with_suffix(".json"), scenarios, options.runs, options.latest_ms) if options.resume else []
    )
    done = {(entry["scenario"], entry["seed"]) for entry in log}
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(options.parallel, mp_context=get_context("spawn")) as pool,
    ):
        program = machine.build(Path(folder))
        waiting = {
            pool.submit(measure, scenario, seed, program, options.keep, options.latest_ms): (scenario, seed)
            for scenario in scenarios
            for seed in range(1, options.runs + 1)
            if (scenario.name, seed) not in done
        }
        for finished in as_completed(waiting):
            scenario, seed = waiting[finished]
            entry: dict[str, Any] = {"scenario": scenario.name, "seed": seed, **finished.result()}
            log.append(entry)
            state, tries = "rejected" if entry["found"] is None else "ok", entry["tries"]
            worst = tries[-1]["largest_ms"]
            click.echo(f"{scenario.name}, run {seed}: {state}, {len(tries)} tries, at most {worst:.1f} ms late")
            save(options.out, scenarios, log, round(time.monotonic() - began))
    return 1 if any(entry["found"] is None for entry in log) else 0


def resumed(path: Path, scenarios: Sequence[KernelScenario], runs: int, latest_ms: float) -> list[dict[str, Any]]:
    """Return the entries of an earlier log that count; none without a log."""
    names = {scenario.name for scenario in scenarios}
    log = json.loads(path.read_text())["runs"] if path.exists() else []
    return [
        entry
        for entry in log
        if entry["scenario"] in names and entry["seed"] <= runs
        if entry["found"] and is_on_time(entry["tries"][-1], latest_ms)
    ]


def save(out: Path, scenarios: Sequence[KernelScenario], log: Sequence[Mapping[str, Any]], wall_s: int) -> None:
    """Write the table and its log; the table has the scenarios in their order."""
    rows = []
    for scenario in scenarios:
        found = [entry["found"] for entry in log if entry["scenario"] == scenario.name and entry["found"]]
        for quantity, values in merged(found).items():
            rows.append((scenario.name, quantity, *(f"{value:.5g}" for value in values[:3]), values[3]))
    write(out, rows)
    about = {"kernel": platform.release(), "wall_s": wall_s, "runs": log}
    out.with_suffix(".json").write_text(json.dumps(about, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
