"""Wall-clock time of one run on one thread and on more, with idle cores and with one core busy with something else.

Beside it stands the bound: how many times as fast the domains of each window let the threads be, at most. The program
`crates/sim/examples/bound.rs` computes it from the same scenario.

make bench            or            python benches/threads.py --threads 1,2,4
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instructions import build
from run import FORMER_VALUES, HERE, dated, machine

import mesonet
from mesonet.cli.scenario_targets import find_scenario
from mesonet.scenarios.scenario import Scenario

CASE = find_scenario(
    target="exp-2a",
    condition=16,
    algorithm="ctcp",
    duration="8 s",
    values=["warmup=2 s", "interval=100 ms", *FORMER_VALUES],
)


def bounds(case: Scenario, counts: list[int], program: str) -> dict[int, float]:
    """Largest possible speed of each number of threads over the speed of one thread, after the warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "scenario.json"
        scenario.write_text(case.to_json())
        command = [program, str(scenario), str(case.value("warmup")), *map(str, counts)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {int(count): float(bound) for count, bound in map(str.split, printed.splitlines())}


def spent(threads: int) -> tuple[float, float]:
    """Wall-clock and processor seconds of one run."""
    start, cpu = time.perf_counter(), time.process_time()
    mesonet.simulate(CASE, threads=threads)
    return time.perf_counter() - start, time.process_time() - cpu


@contextmanager
def busy_core() -> Iterator[None]:
    """Another process computes on the last core for as long as this lasts."""
    loop = "import os; os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", loop])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measured(counts: list[int], repeat: int) -> list[tuple[float, float]]:
    """Median wall-clock and processor seconds for each number of threads, measured in turn."""
    rows = [[spent(threads) for threads in counts] for _ in range(repeat)]
    return [
        (statistics.median(walls), statistics.median(cpus))
        for walls, cpus in (zip(*runs, strict=True) for runs in zip(*rows, strict=True))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2", help="numbers of threads, the first is compared with")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    counts = [int(count) for count in options.threads.split(",")]
    when = f"{dated()}, {machine()}, {os.cpu_count()} cores"
    lines = [
        f"\n## Threads, {when}, median of {options.repeat}, load {os.getloadavg()[0]:.1f}\n",
        "exp-2a, condition 16, CTCP, 8 s simulated.\n",
        "| other cores | threads | wall-clock s | processor s | times as fast | bound |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    spent(counts[0])
    at_most = bounds(CASE, counts, build("bound"))
    idle = measured(counts, options.repeat)
    with busy_core():
        busy = measured(counts, options.repeat)
    for name, times in (("idle", idle), ("one busy", busy)):
        lines += [
            f"| {name} | {n} | {wall:.2f} | {cpu:.2f} | {times[0][0] / wall:.2f} | {at_most[n]:.2f} |"
            for n, (wall, cpu) in zip(counts, times, strict=True)
        ]
    print("\n".join(lines[2:]), file=sys.stderr)  # noqa: T201
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
