"""Measure the evaluator of controls: candidates per core-hour of `mesonet score`, from CPU time.

Sources are copies of a control in C that differ in a comment, by all stages. Variants differ in a constant, by
`screen`. A small batch is subtracted from a large one: the start counts for neither.

    make bench            or            python benches/score.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from run import HERE, MESONET, dated, machine, ran

SOURCE = HERE.parent / "examples/plugins/aimd.c"
SEED = ["--secret-seed", "1"]
BATCHES = {"C, all stages": (4, 16), "variants, screen": (20, 220)}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"control_{number}.c" for number in range(BATCHES["C, all stages"][1])]
        for number, file in enumerate(files):
            file.write_text(f"{SOURCE.read_text()}\n/* {number} */\n")
        variants = [f"{SOURCE}(increase={1 + number / 1000:g})" for number in range(BATCHES["variants, screen"][1])]
        found = {
            "C, all stages": [cpu_s(list(map(str, files[:count]))) for count in BATCHES["C, all stages"]],
            "variants, screen": [
                cpu_s([*variants[:count], "--stages", "screen"]) for count in BATCHES["variants, screen"]
            ],
        }
    lines = [
        f"\n## Scores of controls, {dated()}, {machine()}, {os.cpu_count()} cores\n",
        "| candidates | CPU s of one | per core-hour |",
        "|---|---:|---:|",
    ]
    for title, (few, many) in BATCHES.items():
        each = (found[title][1] - found[title][0]) / (many - few)
        lines.append(f"| {title} | {each:.3f} | {3600 / each:,.0f} |")
    sys.stderr.write("\n".join(lines) + "\n")
    with (HERE / "RESULTS.md").open("a") as log:
        log.write("\n".join(lines) + "\n")


def cpu_s(words: list[str]) -> float:
    return ran([str(MESONET), "score", *words, *SEED]).cpu_s


if __name__ == "__main__":
    main()
