"""Cost of a run of a suite (`mesonet evidence`), stage by stage.

The goal is the test suite of C4 in full within ten minutes on eight cores: 45 scenarios, three algorithms, 100 runs
each, or .356 CPU s per run. The suite runs twice, with few replicates and with more. The difference gives the time of
one more run. The time that does not grow with the runs (start of processes, page) counts once per suite. The time of
this process (plan, ledger, verdicts, page) is serial; the time of the processes that make runs is divided by the cores.

    make bench            or            python benches/evidence.py --suite c4 --replicates 3,13
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from run import HERE, dated, machine

from mesonet.evidence.page import write
from mesonet.evidence.plan import plan
from mesonet.evidence.report_runs import run
from mesonet.evidence.suite import criteria, suite_of
from mesonet.evidence.verdicts import judge

SCENARIOS, ALGORITHMS, REPLICATES, CORES, GOAL_S = 45, 3, 100, 8, 600.0
"""Size of the suite of C4 in full, and its goal."""
STAGES = ("plan", "ledger", "simulation", "rest of the processes of runs", "verdicts", "page")


@dataclass
class Cost:
    """CPU seconds of a report by stage."""

    runs: int = 0
    wall_s: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)


def children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(suite: str, replicates: int, workers: int, only: str | None = None) -> Cost:
    """Makes a report in a new folder."""
    cost, clock = Cost(), time.process_time
    with tempfile.TemporaryDirectory() as folder:
        began, start = time.perf_counter(), clock()
        chosen = plan("bbr", ["cubic", "tcp"], replicates, only, suite)
        cost.stages["plan"], start, before = clock() - start, clock(), children_s()
        campaigns = run(chosen, Path(folder) / "report", workers=workers, progress=False)
        cost.stages["ledger"], start = clock() - start, clock()
        simulation = sum(float(each.runs["cpu_s"].sum()) for each in campaigns.values())
        cost.stages["simulation"] = simulation
        cost.stages["rest of the processes of runs"] = children_s() - before - simulation
        findings = judge(chosen, campaigns)
        cost.stages["verdicts"], start = clock() - start, clock()
        write(chosen, findings, Path(folder) / "report")
        cost.stages["page"] = clock() - start
        cost.runs = sum(each.counts["done"] for each in campaigns.values())
        cost.wall_s = time.perf_counter() - began
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="c4")
    parser.add_argument("--replicates", default="3,13", help="few and more, separated by a comma")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    sizes = [int(part) for part in options.replicates.split(",")]
    load = os.getloadavg()[0]
    first = next(each.id for each in criteria(suite_of(options.suite)) if each.runs)
    measure(options.suite, 2, 1, first)  # loads all that later reports find loaded
    few, more = (measure(options.suite, size, options.workers) for size in sizes)
    per_run = {stage: (more.stages[stage] - few.stages[stage]) / (more.runs - few.runs) for stage in STAGES}
    once = {stage: few.stages[stage] - per_run[stage] * few.runs for stage in STAGES}
    runs = SCENARIOS * ALGORITHMS * REPLICATES
    total = {stage: once[stage] + per_run[stage] * runs for stage in STAGES}
    parallel = sum(total[stage] for stage in STAGES[2:4])
    serial = sum(total.values()) - parallel
    lines = [
        f"\n## Suite {options.suite} of `mesonet evidence`, {dated()}, {machine()}, {os.cpu_count()} cores, load "
        f"{load:.1f} before, {options.workers} workers, bbr against cubic and tcp, {few.runs} and {more.runs} runs\n",
        f"| stage | CPU ms per run | CPU s once | CPU s of {runs:,} runs |",
        "|---|---:|---:|---:|",
        *(f"| {stage} | {per_run[stage] * 1e3:.1f} | {once[stage]:.1f} | {total[stage]:.0f} |" for stage in STAGES),
        f"| all | {sum(per_run.values()) * 1e3:.1f} | {sum(once.values()):.1f} | {sum(total.values()):.0f} |",
        "",
        f"{SCENARIOS} scenarios, {ALGORITHMS} algorithms and {REPLICATES} runs each on {CORES} cores: "
        f"{parallel / CORES + serial:.0f} s if the processes of runs share the cores and the rest ({serial:.0f} s) is "
        f"serial; goal {GOAL_S:.0f} s, which is {GOAL_S * CORES / runs * 1e3:.0f} CPU ms per run.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
