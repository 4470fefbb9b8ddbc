"""Cost of a campaign, from a short pilot: processor time, memory, disk.

Of a few conditions a run is begun and stopped after a moment of wall-clock time. Among them are the cheapest and the
most expensive expected, and the condition with the largest demand over capacity, which fills for minutes. The second
half of that moment, beyond the quiet start, gives the time of a whole run, with the growth of its load
(`mesonet.campaign.growth`). Where that is too little of the run, the estimate is the time per segment and router times
the expected number of segments. The other conditions are scaled by their expected relative cost. Memory is the memory
of the process then, which still grows with queues and flows; the disk is the size of the tables of the moment. A model
that is no network cannot be stopped half-way: a whole run of each pilot condition is made.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from mesonet import models, plugins, processes
from mesonet.campaign.cost import Expected
from mesonet.campaign.growth import whole_run
from mesonet.campaign.ledger import Run, planned
from mesonet.errors import Broken
from mesonet.simulation import provenance
from mesonet.simulation.settling import LOAD

SEEN = 0.05
"""Share of a run that gives the pace of the whole run (chosen: an eighth of the usual warm-up)."""
PILOTS = 4
"""Conditions of a pilot: the cheapest, the most expensive, one between and the most loaded (chosen)."""
OVERLOAD = 2.0
"""Offered load of a router above which the pilot of the most loaded condition gives the cost of a condition (chosen).
Where users get less than half of what they request, active flows accumulate for minutes."""


@dataclass(frozen=True)
class Cost:
    """An estimate for a whole campaign."""

    cpu_s: list[float]  #: processor time of a run of each condition, in s, in the order of the conditions
    total_cpu_s: float  #: processor time of all runs, in s
    #: `least_cpu_s`, `most_cpu_s`: the total, in s, if the pilot with the lowest, or highest, ratio of measured to
    #: expected cost is right for all. The lowest is without growth of the load beyond the pilot.
    least_cpu_s: float
    most_cpu_s: float
    memory_bytes: int  #: largest resident memory of a pilot; a run needs at least as much
    disk_bytes: int  #: disk space of all runs
    #: Of each pilot: condition, algorithm, share of the run that was simulated, cpu_s and least_cpu_s of the whole run,
    #: settled (False: the load had not settled when the pilot ended), growth (exponent of the number of transmitting
    #: sources over time; 0 if it does not rise), memory_bytes and disk_bytes.
    pilots: list[dict[str, Any]]
    growing: list[int]  #: conditions whose load still rose when their pilot ended: slow conditions
    unsettled: list[int]  #: conditions whose load had not settled when their pilot ended, in either direction


def pilot(document: Mapping[str, Any], budget_s: float) -> Cost:
    """Return an estimate of the cost of a campaign from a few short pilots."""
    runs = planned(document, models.code_version(document.get("model")))
    expected = Expected(document)
    first: dict[int, Run] = {}
    for place, run in enumerate(runs):
        first.setdefault(run.condition, runs[place])
    loads: list[float] = document.get("offered_load") or []
    chosen = _spread(sorted(first.values(), key=lambda run: expected.of(run.condition)), loads)
    pilots = [{**_begun(document, run, budget_s / len(chosen)), "condition": run.condition} for run in chosen]
    ratios = {each["condition"]: each["cpu_s"] / expected.of(each["condition"]) for each in pilots}
    lowest = min(each["least_cpu_s"] / expected.of(each["condition"]) for each in pilots)
    relative = [expected.of(run.condition) for run in runs]
    cpu = {condition: _ratio(condition, ratios, loads) * expected.of(condition) for condition in first}
    total = sum(cpu[run.condition] for run in runs)
    return Cost(
        cpu_s=list(cpu.values()),
        total_cpu_s=total,
        least_cpu_s=min(lowest * sum(relative), total),
        most_cpu_s=max(max(ratios.values()) * sum(relative), total),
        memory_bytes=max(each["memory_bytes"] for each in pilots),
        disk_bytes=len(runs) * round(median(each["disk_bytes"] for each in pilots)),
        pilots=[{**each, "algorithm": run.algorithm} for each, run in zip(pilots, chosen, strict=True)],
        growing=sorted(each["condition"] for each in pilots if each["growth"] > 0),
        unsettled=sorted(each["condition"] for each in pilots if not each["settled"]),
    )


def _spread(runs: list[Run], loads: Sequence[float]) -> list[Run]:
    """Return a few runs evenly through the list, both ends among them, and the run with the largest load."""
    if len(runs) <= PILOTS:
        return runs
    even = [runs[round(place * (len(runs) - 1) / (PILOTS - 1))] for place in range(PILOTS)]
    if not loads:
        return even
    most = max(runs, key=lambda run: loads[run.condition - 1])
    if most in even:
        return even
    return [*even[:-2], most, even[-1]]


def _ratio(condition: int, ratios: Mapping[int, float], loads: Sequence[float]) -> float:
    """Return the ratio of measured to expected cost of a condition: of its own pilot, or of the pilots most like it."""
    if condition in ratios:
        return ratios[condition]
    usual = median(ratios.values())
    if loads and loads[condition - 1] > OVERLOAD:
        return max(usual, ratios[max(ratios, key=lambda each: loads[each - 1])])
    return usual


def _begun(document: Mapping[str, Any], run: Run, budget_s: float) -> dict[str, Any]:
    """Return a pilot in a process of its own, so that its memory is the memory of a run."""
    costs = document.get("expected_cost")
    task = {
        "scenario": run.scenario,
        "seed": run.seed,
        "model": document.get("model"),
        "plugins": document.get("plugins", {}),
        "budget_s": budget_s,
        "expected": costs[run.condition - 1] if costs else None,
    }
    done = subprocess.run(
        processes.python("mesonet.campaign.pilot"),
        input=json.dumps(task), capture_output=True, text=True, env=processes.environment(),
    )  # fmt: skip
    if done.returncode != 0:
        wording = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Broken(f"the pilot of condition {run.condition} failed: {wording[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Run a pilot: read a task from standard input, print its cost on standard output."""
    task = json.load(sys.stdin)
    cost = _network(task) if task["model"] is None else _model(task)
    print(json.dumps(cost))  # noqa: T201 - the answer
    return 0


def _network(task: Mapping[str, Any]) -> dict[str, Any]:
    from mesonet.simulation.simulate import simulate_part

    plugins.use(task["plugins"])
    started = time.process_time()
    part = simulate_part(task["scenario"], task["seed"], task["budget_s"])
    used = part.marks[-1][1]
    set_up = time.process_time() - started - used
    scenario, hops = json.loads(task["scenario"]), task["expected"]
    end = part.marks[-1][0] if part.share == 1 else float(scenario["time"]["duration"])
    columns = part.series.frame.select("time_s", *LOAD).to_dict(as_series=False)
    users = scenario["users"]["base_sources"] > 0 or bool(scenario.get("arrivals"))
    found = whole_run(part.marks, columns, end, users=users)
    whole, least = found.cpu_s, found.least_cpu_s
    if part.share < SEEN and hops and part.router_hops:
        whole = hops * used / part.router_hops
        least = min(least, whole)
    return {
        "cpu_s": set_up + whole,
        "least_cpu_s": set_up + least,
        "settled": found.settled,
        "growth": found.growth,
        "share": part.share,
        "memory_bytes": provenance.peak_rss_bytes(),
        "disk_bytes": _size({"responses": part.responses, "groups": part.groups}),
    }


def _model(task: Mapping[str, Any]) -> dict[str, Any]:
    from mesonet.campaign.worker import answer_tables

    watch = provenance.Stopwatch()
    tables, _ = answer_tables({**task, "key": ""})
    used = watch.resources(children="command" in task["model"])
    return {
        "cpu_s": used["cpu_s"],
        "least_cpu_s": used["cpu_s"],
        "settled": True,
        "growth": 0.0,
        "share": 1.0,
        "memory_bytes": used["peak_rss_bytes"],
        "disk_bytes": _size(tables),
    }


def _size(tables: Mapping[str, Any]) -> int:
    from mesonet.simulation.result import write_parquet

    with tempfile.TemporaryDirectory() as folder:
        for name, table in tables.items():
            write_parquet(table, Path(folder) / f"{name}.parquet")
        return sum(_blocks(file.stat().st_size) for file in Path(folder).iterdir()) + 2 * _BLOCK_BYTES


def _blocks(size: int) -> int:
    """Return the disk space of a file of `size` bytes in whole blocks, in bytes."""
    return math.ceil(size / _BLOCK_BYTES) * _BLOCK_BYTES


_BLOCK_BYTES = 4096
"""Usual block of a file system; ``run.json`` and the folder of a run take about one each."""


if __name__ == "__main__":
    sys.exit(main())
