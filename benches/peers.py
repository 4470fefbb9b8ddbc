"""The same workloads in mesonet, ns-2 and ns-3: data segments delivered per CPU second, and peak memory.

Each workload of `workloads.py` is written as files and run by each simulator in turn, as a whole process: CPU time is
user plus system, start-up, reading and output included (mesonet writes all its tables; the others print one number). A
peer that is not installed is left out, and the table says so. On Debian both are packages::

    apt install ns2 ns3 libns3-dev g++

What differs: mesonet queues no acknowledgements, a router has one queue rather than one a link, and every flow has an
interface of its own; in ns-2 and ns-3 web flows share 25 hosts a router. All run standard TCP with selective
acknowledgements, an initial window of 10 and no delayed acknowledgements.

    python benches/peers.py                       or            python benches/peers.py --repeat 3 "100 flows"
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from processes import ran
from run import HERE, MESONET, dated, machine
from workloads import WORKLOADS, write

NS3_MODULES = ("core", "network", "internet", "applications", "point-to-point", "nix-vector-routing")
Command = Callable[[Path], list[str]]


def peers(folder: Path) -> dict[str, Command]:
    """How each simulator that is here runs the workload of a folder."""
    found: dict[str, Command] = {"mesonet": mesonet}
    if shutil.which("ns"):
        found["ns-2"] = lambda work: ["ns", str(HERE / "peers/workload.tcl"), str(work / "workload.txt")]
    if program := ns3(folder):
        found["ns-3"] = lambda work: [program, str(work / "workload.txt")]
    return found


def mesonet(work: Path) -> list[str]:
    return [str(MESONET), "run", str(work / "scenario.toml"), "--json", "--out", str(work / "out")]


def ns3(folder: Path) -> str | None:
    """Builds the program for ns-3; its path, none where compiler or library is missing."""
    compiler, program = shutil.which("g++"), str(folder / "workload")
    if not compiler:
        return None
    libraries = [f"-lns3-{module}" for module in NS3_MODULES]
    command = [compiler, "-O2", "-std=c++17", "-o", program, str(HERE / "peers/workload.cc"), *libraries]
    return program if subprocess.run(command, capture_output=True, check=False).returncode == 0 else None


@dataclass(frozen=True)
class Run:
    """What one process did and used."""

    segments: int
    cpu_s: float
    peak_mb: float

    @property
    def rate(self) -> float:
        return self.segments / self.cpu_s


def measure(command: list[str], timeout_s: float) -> Run | None:
    """Runs a command; none where it took longer than allowed."""
    try:
        ended = ran(command, timeout_s)
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"^delivered (\d+)$", ended.printed, re.MULTILINE)
    segments = int(found[1]) if found else json.loads(ended.printed)["performance"]["data_segments_delivered"]
    return Run(segments, ended.cpu_s, ended.peak_mb)


def rows(name: str, runs: dict[str, list[Run | None]], timeout_s: float) -> Iterator[str]:
    """The lines of one workload: of each simulator the run with the median CPU time, and the median of the ratios to
    mesonet's run of the same round, so that a change of the machine's load meets both."""
    for peer, made in runs.items():
        finished = sorted((run for run in made if run is not None), key=lambda run: run.cpu_s)
        if not finished:
            yield f"| {name} | {peer} | - | more than {timeout_s:.0f} | - | - | - |"
            continue
        run = finished[len(finished) // 2]
        pairs = zip(runs["mesonet"], made, strict=True)
        ratio = statistics.median(ours.rate / its.rate for ours, its in pairs if ours is not None and its is not None)
        yield (
            f"| {name} | {peer} | {run.segments:,} | {run.cpu_s:.2f} | {run.rate:,.0f} | {run.peak_mb:.0f} "
            f"| {ratio:,.1f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", help="only those whose name holds one of these words")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds a run may take")
    options = parser.parse_args()
    chosen = [n for n in WORKLOADS if not options.workloads or any(word in n for word in options.workloads)]
    when = dated()
    lines = [
        f"\n## Beside others, {when}, {machine()}, {os.cpu_count()} cores, median of {options.repeat}\n",
        "| workload | simulator | data segments | CPU s | segments per CPU s | peak MB | mesonet is faster by |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        commands = peers(folder)
        for name in chosen:
            work = folder / re.sub(r"\W+", "-", name)
            write(WORKLOADS[name](), work)
            runs: dict[str, list[Run | None]] = {peer: [] for peer in commands}
            for _ in range(options.repeat):
                for peer, command in commands.items():
                    runs[peer].append(measure(command(work), options.timeout))
            for line in rows(name, runs, options.timeout):
                lines.append(line)
                sys.stderr.write(line + "\n")
    if missing := {"ns-2", "ns-3"} - set(commands):
        lines.append(f"\nNot installed, so left out: {', '.join(sorted(missing))}.")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
