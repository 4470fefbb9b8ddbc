"""The goals of the engine, case by case: segments per CPU second, instructions for each segment, and threads.

Every case is a whole ``mesonet run``: start-up, reading and output are counted. A second rate leaves out the start-up,
which is the least of short runs of a dumbbell among the others. The cases run in turn: a change of the machine's load
meets all of them. A segment is a data segment delivered; in the case of heavy loss it is a data segment sent, because
routers drop a third of them. Instructions are counted by callgrind for a slice of the same scenario, without start-up
(`instructions.py`). Rates depend on the load of the machine, which the table names; instructions do not.

    make bench            or            python benches/goals.py --repeat 3 "heavy loss"
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from instructions import build, count, per_segment
from processes import Ended, ran
from run import CASES, FORMER_VALUES, HERE, MESONET, dated, machine, scenario_of
from threads import bounds

from mesonet.cli.scenario_targets import find_scenario

START_UP = CASES["start-up"]

THREADS_GOAL = 1.85
"""Wall-clock ratio of two threads to one in condition 16 of exp-2c."""


@dataclass(frozen=True)
class Goal:
    """A case and its goal."""

    million_per_s: float
    """Segments per CPU second on a quiet core."""
    arguments: list[str] = field(default_factory=list)
    """Of ``mesonet run``."""
    counted: str = "data_segments_delivered"
    """The entry of ``performance`` that counts the segments."""
    slice: dict[str, object] | None = None
    """The scenario of which the instructions of a slice are counted; none for a workload, which is counted whole."""
    workload: str = ""
    """The name of a workload of `workloads.py`, instead of arguments."""


HEAVY = ["network.speed=40 seg/ms", "users.think_time=1 s"]
THREADS_CASE = CASES["exp-2c, condition 16, CTCP, 2 s after 2 s"]


def _study(experiment: str, condition: int) -> dict[str, object]:
    return {"target": experiment, "condition": condition, "algorithm": "ctcp", "values": FORMER_VALUES}


GOALS: dict[str, Goal] = {
    "exp-2a, condition 16, CTCP": Goal(
        4.6, CASES["exp-2a, condition 16, CTCP, 10 s after 5 s"], slice=_study("exp-2a", 16)
    ),
    "exp-2a, condition 21, CTCP": Goal(
        4.2, CASES["exp-2a, condition 21, CTCP, 10 s after 5 s"], slice=_study("exp-2a", 21)
    ),
    "exp-2c, condition 16, CTCP": Goal(4.0, THREADS_CASE, slice=_study("exp-2c", 16)),
    "heavy loss, abilene at 40 seg/ms, segments sent": Goal(
        3.0,
        ["abilene", "--duration", "20 s", *(word for value in HEAVY for word in ("--set", value))],
        counted="data_segments_sent",
        slice={"target": "abilene", "values": HEAVY},
    ),
    "tree, 19,663 web flows, start-up counted": Goal(2.8, workload="tree, 20,000 web flows"),
    "abilene, preset standard, CUBIC": Goal(
        3.6,
        ["abilene", "--algorithm", "cubic", "--duration", "10 s"],
        slice={"target": "abilene", "algorithm": "cubic"},
    ),
    "abilene, preset standard, BBRv3": Goal(
        3.0,
        ["abilene", "--algorithm", "bbr3", "--duration", "10 s"],
        slice={"target": "abilene", "algorithm": "bbr3"},
    ),
}


@dataclass(frozen=True)
class Run:
    """Measurements of a run of a case."""

    segments: float
    cpu_s: float
    wall_s: float
    loss: float
    """Part of the data segments that routers dropped."""


def measure(arguments: list[str], counted: str, threads: int = 1, mesonet: Path = MESONET) -> Run:
    """Runs a case once."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(mesonet), "run", *arguments, "--seed", "1", "--threads", str(threads), "--json"]
        start = time.perf_counter()
        ended: Ended = ran([*command, "--out", f"{folder}/out"])
        wall_s = time.perf_counter() - start
    work = json.loads(ended.printed)["performance"]
    return Run(work[counted], ended.cpu_s, wall_s, work["segments_dropped"] / max(work["data_segments_sent"], 1))


def row(name: str, goal: Goal, runs: list[Run], start_up_s: float, program: str | None) -> str:
    """The line of one case."""
    least = min(run.cpu_s for run in runs)
    beyond = runs[0].segments / (least - start_up_s) / 1e6
    rates = [run.segments / run.cpu_s / 1e6 for run in runs]
    sent = goal.counted == "data_segments_sent"
    instructions = "-"
    if program and goal.slice:
        counted, _ = per_segment(program, goal.slice, sent=sent)
        instructions = f"{counted:,.0f}"
    elif program:
        instructions = f"{of_workload(program, goal.workload):,.0f}"
    return (
        f"| {name} | {runs[0].segments:,.0f} | {runs[0].loss:.1%} | {least:.2f} "
        f"| {statistics.median(rates):.2f} | {max(rates):.2f} | {goal.million_per_s:.1f} "
        f"| {max(rates) / goal.million_per_s:.0%} | {beyond:.2f} | {beyond / goal.million_per_s:.0%} | {instructions} |"
    )


def of_workload(program: str, name: str) -> float:
    """Instructions of the simulator for each delivered segment of a workload, with the reading of its scenario."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "scenario.json"
        scenario.write_text(find_scenario(scenario_of(name, Path(folder))).to_json())
        instructions, segments = count(program, scenario)
    return instructions / segments


def threads_line(repeat: int) -> str:
    """Wall-clock time of one thread and of two, in turn."""
    ratios = []
    for _ in range(repeat):
        one, two = (measure(THREADS_CASE, "data_segments_delivered", threads).wall_s for threads in (1, 2))
        ratios.append(one / two)
    values = ["warmup=2 s", *FORMER_VALUES]
    case = find_scenario("exp-2c", condition=16, algorithm="ctcp", duration="4 s", values=values)
    at_most = bounds(case, [2], build("bound"))[2]
    return (
        f"\nexp-2c, condition 16, two threads against one, whole process: {statistics.median(ratios):.2f} times as "
        f"fast (most {max(ratios):.2f}); goal {THREADS_GOAL}, bound {at_most:.2f} by the largest domain of "
        "each window."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="only those whose name holds one of these words; also: threads")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    chosen = {n: g for n, g in GOALS.items() if not options.cases or any(word in n for word in options.cases)}
    load = os.getloadavg()[0]
    runs: dict[str, list[Run]] = {name: [] for name in chosen}
    with tempfile.TemporaryDirectory() as folder:
        starts = []
        for _ in range(options.repeat):
            starts.append(measure(START_UP, "data_segments_delivered").cpu_s)
            for name, goal in chosen.items():
                arguments = [scenario_of(goal.workload, Path(folder))] if goal.workload else goal.arguments
                runs[name].append(measure(arguments, goal.counted))
    program = build() if shutil.which("valgrind") else None
    lines = [
        f"\n## Goals, {dated()}, {machine()}, {os.cpu_count()} cores, load {load:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after the runs, {options.repeat} in turn, start-up {min(starts):.2f} CPU s\n",
        "| case | segments | dropped | CPU s, least | M segments per CPU s, median | most | goal | part of it "
        "| most without start-up | part of the goal | instructions a segment |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, goal in chosen.items():
        lines.append(row(name, goal, runs[name], min(starts), program))
        sys.stderr.write(lines[-1] + "\n")
    if not options.cases or "threads" in options.cases:
        lines.append(threads_line(options.repeat))
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
