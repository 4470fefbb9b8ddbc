"""What a campaign folder costs beside the runs: a campaign of 10,000 runs of a model that answers at once.

All the processor time (user and system) of the command is then that of the ledger: to claim, to hand over, to write,
to rename, to force to the disk, to count; the command's own start too. Its share is of runs that take one second of a
processor each. ``status`` is a process of its own, half-way and at the end; ``load`` is without the start of Python.

    make bench            or            python benches/campaign.py --runs 10000 --workers 2
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import HERE, dated, machine

MODEL = "def answer(parameters, seed):\n    return {f'r{i}': parameters['a'] * i + seed % 97 for i in range(20)}\n"
FILE = """
name = "cheap"
model = {{function = "cheap.py:answer"}}
replicates = {replicates}
factors = [{{id = "a", minus = 1, plus = 2}}, {{id = "b", minus = 10, plus = 20}}]
"""
LOAD = "import sys, time, mesonet; t = time.process_time(); mesonet.load(sys.argv[1]); print(time.process_time() - t)"


def timed(arguments: list[str]) -> tuple[float, float, str]:
    """CPU and wall-clock seconds of a process with its children, and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000, help="a multiple of 8")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cheap.py").write_text(MODEL)
        (folder / "cheap.toml").write_text(FILE.format(replicates=options.runs // 4))
        mesonet, out = ["-m", "mesonet"], str(folder / "out")
        run = [*mesonet, "experiment", "run", "--workers", str(options.workers)]
        half = timed([*run, str(folder / "cheap.toml"), "--out", out, "--shard", "1/2"])[0]
        half_status = timed([*mesonet, "experiment", "status", out])[1]
        cpu = half + timed([*run, out])[0]
        status = timed([*mesonet, "experiment", "status", out])[1]
        load = float(timed(["-c", LOAD, out])[2])
    lines = [
        f"\n## A campaign of {options.runs:,} runs, {dated()}, {machine()}, "
        f"{os.cpu_count()} cores, {options.workers} workers\n",
        "| CPU ms per run beside it | share of runs of 1 s | `status` half-way, s | at the end, s | `load`, CPU s |",
        "|---:|---:|---:|---:|---:|",
        f"| {cpu / options.runs * 1e3:.1f} | {cpu / options.runs:.2%} | {half_status:.2f} | {status:.2f} "
        f"| {load:.1f} |",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
