"""Whole scenarios through ``mesonet run``: data segments per CPU second, nanoseconds per router hop, peak memory.

Each scenario runs several times in turn with a calibration loop, so that machines can be compared by the ratio; the
median is appended to RESULTS.md with machine and commit. ``cpu_s`` is user plus system time of the whole process,
start-up and output included; start-up alone is its own row.

    make bench            or            python benches/run.py --repeat 7 abilene
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from processes import ran
from workloads import WORKLOADS, write

HERE = Path(__file__).parent
MESONET = Path(sys.executable).parent / "mesonet"

FORMER_VALUES = ["network.ack_path=delay", "users.large_files=drawn"]
"""The workload of all rows of RESULTS.md that do not name another one; the preset of the study changed these two."""

FORMER = [word for value in FORMER_VALUES for word in ("--set", value)]

CASES: dict[str, list[str]] = {
    "start-up": ["dumbbell", "--duration", "1 s"],
    "261,900 sources before traffic, 1 ms": [
        "abilene", "--duration", "1 ms", "--set", "network.speed=16000 seg/ms", "--set", "users.base_sources=1000",
        "--set", "users.source_multiplier=3", "--set", "users.start=thinking", "--set", "measurement.interval=0.1 ms",
    ],
    "dumbbell, 2 flows, 300 s": ["dumbbell-pair", "--duration", "300 s"],
    "abilene, 17,460 sources, 20 s": ["abilene", "--duration", "20 s"],
    "abilene, 174,600 sources, 4 s": [
        "abilene", "--duration", "4 s", "--set", "network.speed=8000 seg/ms", "--set", "users.base_sources=1000",
    ],
    "exp-2a, condition 16, CTCP, 10 s after 5 s": [
        "exp-2a", "--condition", "16", "--algorithm", "ctcp", "--duration", "15 s", "--set", "warmup=5 s",
        *FORMER,
    ],
    "exp-2a, condition 16, CTCP, ACKs queued, 10 s after 5 s": [
        "exp-2a", "--condition", "16", "--algorithm", "ctcp", "--duration", "15 s", "--set", "warmup=5 s",
        "--set", "users.large_files=drawn",
    ],
    "exp-2a, condition 21, CTCP, 10 s after 5 s": [
        "exp-2a", "--condition", "21", "--algorithm", "ctcp", "--duration", "15 s", "--set", "warmup=5 s",
        *FORMER,
    ],
    **{
        f"exp-2a, condition 16, CTCP, {name}, 10 s after 5 s": [
            "exp-2a", "--condition", "16", "--algorithm", "ctcp", "--duration", "15 s", "--set", "warmup=5 s",
            *FORMER, *(word for value in values for word in ("--set", value)),
        ]
        for name, values in {
            "queues at ports": ["network.queue=port"],
            "PIE at access routers": ["aqm.discipline=pie", "aqm.at=access"],
            "CoDel at access routers": ["aqm.discipline=codel", "aqm.at=access"],
            "FQ-CoDel at access routers": ["aqm.discipline=fq_codel", "aqm.at=access"],
        }.items()
    },
    "exp-2c, condition 16, CTCP, 2 s after 2 s": [
        "exp-2c", "--condition", "16", "--algorithm", "ctcp", "--duration", "4 s", "--set", "warmup=2 s",
        *FORMER,
    ],
    "abilene, heavily congested, 20 s": [
        "abilene", "--duration", "20 s", "--set", "network.speed=40 seg/ms", "--set", "think_time=1 s",
    ],
    "abilene, congested, 20 s": [
        "abilene", "--duration", "20 s", "--set", "network.speed=200 seg/ms", "--set", "users.think_time=2 s",
    ],
}  # fmt: skip


WORKLOADS_HERE = ("dumbbell, 2 flows", "dumbbell, 100 flows", "tree, 20,000 web flows")
"""Of `workloads.py`, which other simulators run, too (`peers.py`)."""


def calibration() -> float:
    """CPU seconds of a fixed loop: integer arithmetic and dictionary look-ups in the interpreter."""
    start = time.process_time()
    table = {i: i * i for i in range(1000)}
    total = 0
    for i in range(3_000_000):
        total += table[i % 1000] ^ i
    return time.process_time() - start


def measure(arguments: list[str]) -> dict[str, float]:
    """One run: CPU seconds and peak memory of the process, work done."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(MESONET), "run", *arguments, "--seed", "1", "--json", "--out", f"{folder}/out"]
        ended = ran(command)
    work = json.loads(ended.printed)["performance"]
    return {
        "cpu_s": ended.cpu_s,
        "segments": work["data_segments_delivered"],
        "hops": work["router_hops"],
        "peak_mb": work["peak_rss_bytes"] / 1e6,
    }


LONG = {
    "exp-2c x 10, 2,619,000 sources, 2 s after 1 s": [
        "exp-2c", "--condition", "9", "--algorithm", "ctcp", "--scale", "10", "--duration", "3 s",
        "--set", "warmup=1 s", "--set", "interval=100 ms", "--set", "users.start=thinking",
    ],
}  # fmt: skip
"""Cases that take a minute and more: they run once."""


def median_of(repeat: int, run: Callable[[], dict[str, float]]) -> tuple[dict[str, float], float]:
    """The run with the median CPU time, and the median time of the calibration loop run between."""
    runs, loops = [], []
    for _ in range(repeat):
        loops.append(calibration())
        runs.append(run())
    runs.sort(key=lambda r: r["cpu_s"])
    return runs[len(runs) // 2], statistics.median(loops)


def commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def dated() -> str:
    """Today and the commit, for the head of a table."""
    return f"{datetime.now(UTC):%Y-%m-%d}, commit {commit()}"


def machine() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="run only the cases whose name holds one of these words")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = CASES | LONG | {name: [scenario_of(name, Path(folder))] for name in WORKLOADS_HERE}
        run_all(
            {n: a for n, a in cases.items() if not options.cases or any(w in n for w in options.cases)}, options.repeat
        )


def scenario_of(name: str, folder: Path) -> str:
    """The scenario file of a workload, written into `folder`."""
    write(WORKLOADS[name](), folder / name)
    return str(folder / name / "scenario.toml")


def run_all(chosen: dict[str, list[str]], repeat: int) -> None:
    """Runs the cases and appends what they took to RESULTS.md."""
    when = dated()
    lines = [
        f"\n## {when}, {machine()}, {os.cpu_count()} cores, median of {repeat}\n",
        "| case | data segments | CPU s | segments per CPU s | per calibration loop | ns per router hop | peak MB |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, arguments in chosen.items():
        run, loop = median_of(1 if name in LONG else repeat, lambda arguments=arguments: measure(arguments))  # type: ignore[misc]
        rate = run["segments"] / run["cpu_s"]
        lines.append(
            f"| {name} | {run['segments']:,.0f} | {run['cpu_s']:.2f} | {rate:,.0f} | {rate * loop:,.0f} "
            f"| {run['cpu_s'] / max(run['hops'], 1) * 1e9:.1f} | {run['peak_mb']:.0f} |"
        )
        sys.stderr.write(lines[-1] + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
