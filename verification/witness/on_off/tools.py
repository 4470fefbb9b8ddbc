"""Runs the set-ups of on-off flows in ns-3 and ns-2 and writes a row per run.

python -m verification.witness.on_off.tools
"""

from __future__ import annotations

import csv
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from verification.witness.ns3 import run_ns3
from verification.witness.on_off.onoff import QUANTITIES, SEEDS, SETUPS, OnOff

HERE = Path(__file__).parent
TABLE = HERE / "runs.csv"
COLUMNS = ("tool", "setup", "seed", *QUANTITIES, "arguments")
LIMIT_S = 60
"""Longest run, of wall-clock time; usual ones take up to six seconds."""
MANY = {"ns3": tuple(range(1, 9)), "ns2": tuple(range(1, 21))}
"""Seeds where the law is exponential: the load of a run is random. A run of ns-3 takes ten times as long."""


def seeds(setup: OnOff, tool: str) -> Sequence[int]:
    """Return the seeds of a set-up in a tool."""
    return SEEDS if setup.law == "constant" else MANY[tool]


def arguments(setup: OnOff, tool: str, seed: int) -> list[str]:
    """Return the arguments of a run."""
    return setup.of_ns3(seed) if tool == "ns3" else setup.of_ns2(seed)


def printed(tool: str, program: Path, words: list[str]) -> dict[str, str]:
    """Return the quantities that a run prints; empty where the tool has none."""
    if tool == "ns3":
        lines = run_ns3.output(program, words, limit_s=LIMIT_S)
    else:
        command = ["nice", "ns", str(HERE / "on-off.tcl"), *words]
        lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout
    numbers = dict(line.split() for line in lines.splitlines())
    return {name: numbers.get(name, "") for name in QUANTITIES}


def read() -> dict[tuple[str, str], list[dict[str, float]]]:
    """Return the runs by tool and name of the set-up; quantities that a tool does not have are left out."""
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            run = {name: float(row[name]) for name in QUANTITIES if row[name]}
            found.setdefault((row["tool"], row["setup"]), []).append(run)
    return found


def main() -> None:
    rows = run_ns3.finished(TABLE)
    wanted = [
        (tool, setup, seed, arguments(setup, tool, seed))
        for setup in SETUPS
        for tool in setup.tools
        for seed in seeds(setup, tool)
    ]
    missing = [each for each in wanted if " ".join(each[3]) not in rows]
    with tempfile.TemporaryDirectory() as folder:
        program = run_ns3.build(Path(folder)) if any(tool == "ns3" for tool, *_ in missing) else Path()
        for place, (tool, setup, seed, words) in enumerate(missing, start=1):
            row = {"tool": tool, "setup": setup.name, "seed": str(seed), "arguments": " ".join(words)}
            rows[row["arguments"]] = row | printed(tool, program, words)
            click.echo(f"{place} of {len(missing)}: {tool}, {setup.name}")
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[" ".join(words)] for *_, words in wanted)


if __name__ == "__main__":
    main()
