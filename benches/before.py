"""The cases with a goal by this build and by an earlier one, in alternation: how many times as fast this one is.

A shared machine changes its speed by tens of percent within an hour. Ratios of runs that follow each other say what the
code did, and their quartiles say how far to trust them. Rates are of whole runs, as in `goals.py`. The earlier build
is an installation of its own, made by `make demo` in a clone of an earlier commit.

    python benches/before.py EARLIER/.venv/bin/mesonet --repeat 11 CUBIC BBR
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from goals import GOALS, Run, measure
from run import FORMER, HERE, dated, machine, scenario_of


def row(name: str, earlier: list[Run], now: list[Run]) -> str:
    """The line of one case."""
    rates = [[run.segments / run.cpu_s for run in runs] for runs in (earlier, now)]
    ratios = np.divide(*rates[::-1])
    low, median, high = np.quantile(ratios, [0.25, 0.5, 0.75])
    before_s, now_s = (min(run.cpu_s for run in runs) for runs in (earlier, now))
    return (
        f"| {name} | {before_s:.2f} | {now_s:.2f} | {max(rates[1]) / max(rates[0]):.2f} "
        f"| {median:.2f} | {low:.2f} to {high:.2f} |"
    )


def _without(former: list[str], arguments: list[str]) -> list[str]:
    """Arguments of which the former values are the last."""
    return arguments[: -len(former)] if arguments[-len(former) :] == former else arguments


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("earlier", type=Path, help="the command mesonet of the earlier build")
    parser.add_argument("cases", nargs="*", help="only those whose name holds one of these words")
    parser.add_argument("--repeat", type=int, default=11)
    parser.add_argument("--without-former", action="store_true", help=f"the earlier build knows no {' '.join(FORMER)}")
    options = parser.parse_args()
    chosen = {n: g for n, g in GOALS.items() if not options.cases or any(word in n for word in options.cases)}
    load = os.getloadavg()[0]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name, goal in chosen.items():
            now = [scenario_of(goal.workload, Path(folder))] if goal.workload else goal.arguments
            before = _without(FORMER, now) if options.without_former else now
            pairs: tuple[list[Run], list[Run]] = ([], [])
            for _ in range(options.repeat):
                pairs[0].append(measure(before, goal.counted, mesonet=options.earlier))
                pairs[1].append(measure(now, goal.counted))
            lines.append(row(name, *pairs))
            sys.stderr.write(lines[-1] + "\n")
    head = [
        f"\n## Before and now, {dated()}, {machine()}, {os.cpu_count()} cores, load {load:.1f} before, "
        f"{os.getloadavg()[0]:.1f} after the runs, {options.repeat} pairs in alternation\n",
        "| case | before, CPU s, least | now | times as fast, highest rates | median of pairs | quartiles |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join([*head, *lines]) + "\n")


if __name__ == "__main__":
    main()
