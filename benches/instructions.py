"""Instructions per delivered data segment, counted by callgrind: the same on every quiet or noisy machine of a kind.

Runs the simulator alone (`crates/sim/examples/run.rs`) for a slice of a scenario and subtracts what a tenth of the
slice takes, so that neither start-up nor the read-in of the scenario counts.

    make bench            or            python benches/instructions.py exp-2a
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run import FORMER_VALUES, HERE, dated, machine

from mesonet.cli.scenario_targets import find_scenario

SLICE_S = 1.5
CASES: dict[str, dict[str, object]] = {
    "exp-2a, condition 16, CTCP": {
        "target": "exp-2a",
        "condition": 16,
        "algorithm": "ctcp",
        "values": FORMER_VALUES,
    },
    "exp-2a, condition 16, CTCP, ACKs queued": {
        "target": "exp-2a",
        "condition": 16,
        "algorithm": "ctcp",
        "values": ["users.large_files=drawn"],
    },
    "exp-2a, condition 21, CTCP": {
        "target": "exp-2a",
        "condition": 21,
        "algorithm": "ctcp",
        "values": FORMER_VALUES,
    },
    "abilene, preset standard": {"target": "abilene"},
    "abilene, losses by duplicates": {
        "target": "abilene",
        "values": ["transport.loss_detection=dupthresh", "transport.prr=off", "transport.undo=false"],
    },
    "abilene, preset standard, BBRv3": {"target": "abilene", "algorithm": "bbr3"},
    "abilene, congested": {"target": "abilene", "values": ["network.speed=200 seg/ms", "users.think_time=2 s"]},
}


def build(example: str = "run") -> str:
    """The path of a program of `crates/sim/examples`."""
    command = ["cargo", "build", "--release", "--quiet", "-p", "mesonet-sim", "--example", example]
    subprocess.run(command, cwd=HERE.parent, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", str(HERE.parent / "target"))
    return f"{target}/release/examples/{example}"


def counted(command: list[str], result: str) -> tuple[int, int]:
    """Instructions of a command, and the number in what it prints that the group of a regular expression matches."""
    under = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    run = subprocess.run(under, capture_output=True, text=True, check=True)
    instructions = re.search(r"Collected : (\d+)", run.stderr)
    found = re.search(result, run.stdout)
    if not instructions or not found:
        sys.exit(f"neither instructions nor {result} in what {' '.join(under)} printed")
    return int(instructions[1]), int(found[1])


def count(program: str, scenario: Path, what: str = "delivered") -> tuple[int, int]:
    """Instructions of a run, and data segments delivered (or ``sent``) from beginning to end."""
    return counted([program, str(scenario)], rf"total_data_segments_{what} +(\d+)")


def per_segment(program: str, case: dict[str, object], *, sent: bool = False) -> tuple[float, int]:
    """Instructions per data segment delivered (or sent) in the slice, and how many those were."""
    with tempfile.TemporaryDirectory() as folder:
        counted = []
        for duration in (SLICE_S, SLICE_S / 10):
            values = [*case.get("values", ()), f"warmup={duration / 3} s", "interval=5 ms"]  # type: ignore[misc]
            chosen = find_scenario(**case | {"values": values}, duration=f"{duration} s")  # type: ignore[arg-type]
            file = Path(folder) / "scenario.json"
            file.write_text(chosen.to_json())
            counted.append(count(program, file, "sent" if sent else "delivered"))
    (instructions, segments), (before, segments_before) = counted
    return (instructions - before) / (segments - segments_before), segments - segments_before


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="run only the cases whose name holds one of these words")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.stderr.write("no valgrind here: instructions are not counted\n")
        return
    program = build()
    lines = [
        f"\n## Instructions, {dated()}, {machine()}\n",
        "| case | data segments | instructions per data segment |",
        "|---|---:|---:|",
    ]
    for name, case in CASES.items():
        if options.cases and not any(word in name for word in options.cases):
            continue
        instructions, segments = per_segment(program, case)
        lines.append(f"| {name} | {segments:,} | {instructions:,.0f} |")
        sys.stderr.write(lines[-1] + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
