"""Cost of an acknowledgement in a plug-in beyond the built-in algorithm: CPU nanoseconds.

The examples of AIMD in `examples/plugins` give the results of ``tcp``, byte for byte. Their runs have the work of the
run of ``tcp`` and the calls of the plug-in. The difference of the CPU times divides by the acknowledgements. The runs
take turns, so that a busy minute does not hit one of them alone, and the smallest of several counts. Goals: at most
30 ns in C, 60 ns in Python.

A build with the cargo feature s2n also shows the whole run under the controls of s2n-quic beside ours. Their windows
differ, and so do the runs: this is no cost of the interface alone.

``--instructions`` counts instructions by valgrind instead, which no other work on the machine changes. Machine code of
numba is counted, too.

    make bench            or            python benches/plugins.py --repeat 7
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time

from instructions import counted
from run import HERE, dated, machine

import mesonet as mn
from mesonet import plugins

EXAMPLES = HERE.parent / "examples" / "plugins"
ALGORITHMS = {"tcp": "tcp", "C": f"{EXAMPLES / 'aimd.c'}", "Python": f"{EXAMPLES / 'aimd.py'}:AIMD"}
PRODUCTION = {"s2n-cubic": "cubic", "s2n-bbr2": "bbr3"}
"""Control of production software by name, and ours beside it."""
CASES = {
    "one flow": ("dumbbell", {"duration": "300 s", "network.speed": "20 seg/ms"}),
    "abilene, congested": ("abilene", {"duration": "3 s", "warmup": "1 s", "network.speed": "200 seg/ms"}),
}

ONE_RUN = """
import sys, mesonet
chosen = mesonet.scenario("dumbbell", algorithm=sys.argv[1], duration=sys.argv[2], **{"network.speed": "20 seg/ms"})
print(int(mesonet.simulate(chosen).performance["data_segments_delivered"]))
"""
"""A run whose acknowledgements are printed."""


def cost(scenario: mn.Scenario) -> tuple[float, int]:
    """CPU time of a run, s, and its acknowledgements."""
    began = time.process_time()
    result = mn.simulate(scenario)
    return time.process_time() - began, int(result.performance["data_segments_delivered"])


def production(repeat: int) -> list[str]:
    """The part about production software: CPU ns per acknowledgement of whole runs, theirs and ours."""
    pairs = [(case, *pair) for case in CASES for pair in PRODUCTION.items()]
    lines = ["", "| case | whole run | ours |", "|---|---:|---:|"]
    for case, *names in pairs:
        scenario, values = CASES[case]
        found: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(repeat):
            for name in names:
                seconds, count = cost(mn.scenario(scenario, algorithm=name, **values))
                found[name].append(seconds * 1e9 / count)
        cells = [f"{name} {min(each):.0f} ({statistics.median(each):.0f})" for name, each in found.items()]
        lines.append(f"| {case} | {' | '.join(cells)} |")
    return lines


def per_acknowledgement(algorithm: str) -> float:
    """Instructions per acknowledgement, from 10 to 40 s of one flow."""
    command = [sys.executable, "-c", ONE_RUN, algorithm]
    (before, first), (after, last) = (counted([*command, duration], r"(\d+)") for duration in ("10 s", "40 s"))
    return (after - before) / (last - first)


def instructions() -> list[str]:
    """The part with instructions: of plug-ins beyond tcp, and of whole runs of production software beside ours."""
    pairs = [("tcp", ALGORITHMS[name]) for name in ("C", "Python")]
    if {*PRODUCTION} <= {*plugins.by_name()}:
        pairs += [(ours, theirs) for theirs, ours in PRODUCTION.items()]
    lines = [
        f"\n## Plug-ins, instructions per acknowledgement of one flow, {dated()}, {machine()}\n",
        "| plug-in | its run | built in | its run | difference |",
        "|---|---:|---|---:|---:|",
    ]
    own: dict[str, float] = {}
    for ours, theirs in pairs:
        count = per_acknowledgement(theirs)
        if ours not in own:
            own[ours] = per_acknowledgement(ours)
        shown = theirs.removeprefix(f"{EXAMPLES}/")
        lines.append(f"| {shown} | {count:,.0f} | {ours} | {own[ours]:,.0f} | {count - own[ours]:,.0f} |")
        sys.stderr.write(lines[-1] + "\n")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--instructions", action="store_true", help="count instructions, not time")
    options = parser.parse_args()
    if options.instructions:
        append(instructions())
        return
    names = [name for name in ALGORITHMS if name != "Python" or importlib.util.find_spec("numba")]
    lines = [
        f"\n## Plug-ins, CPU ns per acknowledgement beyond tcp, {dated()}, {machine()}, "
        f"load {os.getloadavg()[0]:.1f}, least (median) of {options.repeat}\n",
        "| case | acknowledgements | tcp, whole run | " + " | ".join(names[1:]) + " |",
        "|---|---:|---:|" + "---:|" * (len(names) - 1),
    ]
    for case, (name, values) in CASES.items():
        scenarios = {key: mn.scenario(name, algorithm=ALGORITHMS[key], **values) for key in names}
        found: dict[str, list[float]] = {key: [] for key in names}
        acks = set()
        for _ in range(options.repeat):
            for key, scenario in scenarios.items():
                seconds, count = cost(scenario)
                found[key].append(seconds * 1e9 / count)
                acks.add(count)
        assert len(acks) == 1, "the same runs"
        base = found["tcp"]
        cells = [
            f"{min(found[key]) - min(base):.1f} ({statistics.median(found[key]) - statistics.median(base):.1f})"
            for key in names[1:]
        ]
        lines.append(f"| {case} | {acks.pop():,} | {min(base):.0f} | {' | '.join(cells)} |")
        sys.stderr.write(lines[-1] + "\n")
    if {*PRODUCTION} <= {*plugins.by_name()}:
        lines += production(options.repeat)
    append(lines)


def append(lines: list[str]) -> None:
    """Add lines to the page of results."""
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
