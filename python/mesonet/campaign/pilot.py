"""Cost of a campaign, from a short pilot: processor time, memory, disk.

Of a few conditions, the cheapest and the most expensive expected among them, a run is begun and stopped after a moment
of wall-clock time. The simulated time of the second half of that moment, beyond the quiet start, gives the time of a
whole run. Where that is too little of the run, the estimate is the time per segment and router times the expected
number of segments. The other conditions are scaled by their expected relative cost. Memory is the memory of the process
then, which still grows with queues and flows; the disk is the size of the tables of the moment. A model that is no
network cannot be stopped half-way: a whole run of each pilot condition is made.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from mesonet import models
from mesonet.campaign.cost import Expected
from mesonet.campaign.ledger import Run, planned
from mesonet.campaign.process import package_path
from mesonet.errors import Broken
from mesonet.simulation import provenance

SEEN = 0.05
"""Share of a run that gives the pace of the whole run (chosen: an eighth of the usual warm-up)."""
PILOTS = 4
"""Conditions of a pilot: the cheapest, the most expensive and two between (chosen)."""


@dataclass(frozen=True)
class Cost:
    """An estimate for a whole campaign.

    Attributes
    ----------
    cpu_s
        Processor time of a run of each condition, in s, in the order of the conditions.
    total_cpu_s
        Processor time of all runs, in s.
    least_cpu_s, most_cpu_s
        The total, in s, if the pilot with the lowest, or highest, ratio of measured to expected cost is right for all.
    memory_bytes
        Largest resident memory of a pilot; a run needs at least as much.
    disk_bytes
        Disk space of all runs.
    pilots
        Condition, algorithm, share of the run that was simulated, cpu_s, memory_bytes and disk_bytes of each pilot.
    """

    cpu_s: list[float]
    total_cpu_s: float
    least_cpu_s: float
    most_cpu_s: float
    memory_bytes: int
    disk_bytes: int
    pilots: list[dict[str, Any]]


def pilot(document: Mapping[str, Any], budget_s: float) -> Cost:
    """Return an estimate of the cost of a campaign from a few short pilots.

    Parameters
    ----------
    document
        The experiment.
    budget_s
        Wall-clock time of all pilots together, s, about; a model that is no network takes a whole run per pilot.

    Returns
    -------
    Processor time, memory and disk space.

    Raises
    ------
    Broken
        If a pilot fails; its message is the message of the run.
    """
    runs = planned(document, models.code_version(document.get("model")))
    expected = Expected(document)
    first: dict[int, Run] = {}
    for place, run in enumerate(runs):
        first.setdefault(run.condition, runs[place])
    chosen = _spread(sorted(first.values(), key=lambda run: expected.of(run.condition)))
    pilots = [{**_begun(document, run, budget_s / len(chosen)), "condition": run.condition} for run in chosen]
    ratios = [each["cpu_s"] / expected.of(each["condition"]) for each in pilots]
    relative = [expected.of(run.condition) for run in runs]
    cpu = [median(ratios) * expected.of(condition) for condition in first]
    return Cost(
        cpu_s=cpu,
        total_cpu_s=median(ratios) * sum(relative),
        least_cpu_s=min(ratios) * sum(relative),
        most_cpu_s=max(ratios) * sum(relative),
        memory_bytes=max(each["memory_bytes"] for each in pilots),
        disk_bytes=len(runs) * round(median(each["disk_bytes"] for each in pilots)),
        pilots=[{**each, "algorithm": run.algorithm} for each, run in zip(pilots, chosen, strict=True)],
    )


def _spread(runs: list[Run]) -> list[Run]:
    """Return a few runs evenly through the list, both ends among them."""
    if len(runs) <= PILOTS:
        return runs
    return [runs[round(place * (len(runs) - 1) / (PILOTS - 1))] for place in range(PILOTS)]


def _begun(document: Mapping[str, Any], run: Run, budget_s: float) -> dict[str, Any]:
    """Return a pilot in a process of its own, so that its memory is the memory of a run."""
    costs = document.get("expected_cost")
    task = {
        "scenario": run.scenario,
        "seed": run.seed,
        "model": document.get("model"),
        "budget_s": budget_s,
        "expected": costs[run.condition - 1] if costs else None,
    }
    done = subprocess.run(
        [sys.executable, "-m", "mesonet.campaign.pilot"],
        input=json.dumps(task), capture_output=True, text=True, env=package_path(),
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Broken(f"the pilot of condition {run.condition} failed: {said[-1]}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Run a pilot: read a task from standard input, print its cost on standard output.

    Returns
    -------
    Exit status, 0.
    """
    task = json.load(sys.stdin)
    cost = _network(task) if task["model"] is None else _model(task)
    print(json.dumps(cost))  # noqa: T201 - the answer
    return 0


def _network(task: Mapping[str, Any]) -> dict[str, Any]:
    from mesonet.simulation.simulate import simulate_part

    started = time.process_time()
    part = simulate_part(task["scenario"], task["seed"], task["budget_s"])
    set_up = time.process_time() - started - part.cpu_s
    whole, hops = part.whole_cpu_s, task["expected"]
    if part.share < SEEN and hops and part.router_hops:
        whole = hops * part.cpu_s / part.router_hops
    return {
        "cpu_s": set_up + whole,
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
