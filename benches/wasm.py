"""CPU time of the simulator for browsers, in node (V8), beside the native module: equal runs in alternation.

The time is that of the run alone, without the tables. It includes the work of V8, which compiles the module again while
it runs: about half a second, which short runs show. Goal: at most 1.6 times.

    make bench            or            python benches/wasm.py --repeat 7
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from run import HERE, dated, machine

import mesonet as mn
from mesonet import core

ROOT = HERE.parent
BUILT = ROOT / "python" / "mesonet" / "browser" / "built"
SHORT = {"duration": "4 s", "warmup": "1 s"}
CASES = {
    "dumbbell, tcp, 1,200 s": mn.scenario("dumbbell", algorithm="tcp", duration="1200 s"),
    "dumbbell, bbr3, 60 s": mn.scenario("dumbbell", algorithm="bbr3", preset="linux", duration="60 s"),
    "dumbbell, bbr3, 600 s": mn.scenario("dumbbell", algorithm="bbr3", preset="linux", duration="600 s"),
    "abilene, tcp, 4 s": mn.scenario("abilene", algorithm="tcp", **SHORT),
    "abilene, cubic, 4 s": mn.scenario("abilene", algorithm="cubic", preset="linux", **SHORT),
}


def native(scenario: mn.Scenario) -> float:
    """CPU seconds of the native module."""
    run = core.module().Simulation(scenario.to_json(), 1)
    began = time.process_time()
    run.advance(math.inf)
    return time.process_time() - began


def in_node(file: Path) -> float:
    """CPU seconds of the module in node."""
    command = ["node", ROOT / "tests" / "run_module.js", BUILT / "mesonet.wasm", BUILT / "mesonet.js", file, "1"]
    return float(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["cpu"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if not shutil.which("node"):
        sys.stderr.write("no node: the simulator for browsers was not measured\n")
        return
    lines = [
        f"\n## Simulator for browsers, CPU s in node beside native, {dated()}, {machine()}, "
        f"load {os.getloadavg()[0]:.1f}, least of {options.repeat}\n",
        "| case | native | WebAssembly | ratio |",
        "|---|---:|---:|---:|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.json"
        for case, scenario in CASES.items():
            file.write_text(scenario.to_json())
            pairs = [(native(scenario), in_node(file)) for _ in range(options.repeat)]
            here, there = (min(each) for each in zip(*pairs, strict=True))
            lines.append(f"| {case} | {here:.2f} | {there:.2f} | {there / here:.2f} |")
            sys.stderr.write(lines[-1] + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
