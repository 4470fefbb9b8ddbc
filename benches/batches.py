"""Measure many small runs: CPU milliseconds of a run, by a call each and in a batch, beside the engine alone.

Two flows share 20 Mbit/s for 8 s, about 12,000 segments. Each run has an edit of its own. The ways take turns, so that
a busy minute does not hit one of them alone; the smallest of several counts, and the median beside it says how noisy
the machine was. The goal is a batch of at most `GOAL` times the engine. A run of a campaign writes its tables and its
record to the disk, and resumes: `docs/adr/0045-keep-runs-in-campaigns-and-none-in-batches.md`.

    make bench            or            python benches/batches.py --repeat 9
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from run import HERE, dated, machine

import mesonet as mn
from mesonet import core, models
from mesonet.campaign import worker

GOAL = 1.3
DURATION_S = 8
FILE = """
base = "bottleneck"
time = { duration = "8 s", warmup = "2 s" }
measurement = { interval = "100 ms" }

[[flows]]
from = "A"
to = "B"
interface = "1 Gbit/s"
algorithm = "cubic"

[[flows]]
from = "A"
to = "B"
start = "1 s"
interface = "1 Gbit/s"
algorithm = "bbr3"
"""
CAMPAIGN = """
name = "two"
title = "Two flows"
scenario = "two.toml"
algorithms = ["cubic"]
factors = [{ id = "speed", levels."network.speed" = ["20 Mbit/s", "21 Mbit/s"] }]
"""
EDITS: list[Mapping[str, Any]] = [
    {"network.speed": f"{20 + number / 100} Mbit/s", "impairments.loss": [["0 s", 0.001], ["5 s", 0]]}
    for number in range(100)
]
RESPONSES = ["segment_rate", "loss_rate", "queueing_delay"]


def ways(file: Path) -> dict[str, Callable[[], object]]:
    """The ways by name; each works through `EDITS`."""
    template = mn.scenario(file)
    edited = [template.with_values(edit) for edit in EDITS]
    texts = [each.to_json() for each in edited]
    (file.parent / "campaign.toml").write_text(CAMPAIGN)
    ledger, _ = mn.experiment(file.parent / "campaign.toml").begin(file.parent / "campaign")
    task = {"folder": str(ledger.path), "seed": 1, "model": None, "code_version": models.code_version(None)}
    task |= {"snapshot_every": "5 min", "memory": None}

    def campaign() -> None:
        for number, text in enumerate(texts):
            worker.outcome({**task, "key": f"{number:032x}", "scenario": text}, lambda *_: None)

    def engine() -> None:
        for text in texts:
            core.module().Simulation(text, 1).advance(DURATION_S)

    return {
        "engine alone": engine,
        "`scenario(file)`": lambda: [mn.scenario(file) for _ in EDITS],
        "`with_values` and `to_json`": lambda: [template.with_values(edit).to_json() for edit in EDITS],
        "`simulate(scenario(file, **edit))`": lambda: [mn.simulate(mn.scenario(file, **edit)) for edit in EDITS],
        "`batch`, 1 thread": lambda: mn.batch(template, EDITS, RESPONSES, threads=1),
        "`batch`, a thread per processor": lambda: mn.batch(template, EDITS, RESPONSES),
        "a run of a campaign, on the disk": campaign,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "two.toml"
        file.write_text(FILE)
        found: dict[str, list[float]] = {}
        for _ in range(options.repeat):
            for name, work in ways(file).items():
                began = time.process_time()
                work()
                found.setdefault(name, []).append((time.process_time() - began) / len(EDITS) * 1e3)
    engine = min(found["engine alone"])
    lines = [
        f"\n## Small runs, {dated()}, {machine()}, {os.cpu_count()} cores, least (median) of {options.repeat}\n",
        f"The goal is a batch of at most {GOAL} times the engine.\n",
        "| way | CPU ms per run | of the engine |",
        "|---|---:|---:|",
    ]
    for name, each in found.items():
        lines.append(f"| {name} | {min(each):.2f} ({statistics.median(each):.2f}) | {min(each) / engine:.2f} |")
    sys.stderr.write("\n".join(lines) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
