"""Runs the set-ups in ns-3 and writes a row per run.

python -m verification.witness.ns3.run_ns3
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import click

from verification.witness.ns3.setups import KEYS, QUANTITIES, SEEDS, compared, varied

HERE = Path(__file__).parent
RUNS = HERE / "runs.csv"
MODULES = ("core", "network", "internet", "applications", "point-to-point", "traffic-control")
COLUMNS = (*KEYS, "seed", *QUANTITIES, "arguments")


def build(folder: Path) -> Path:
    """Build the program; return its path."""
    program = folder / "bottleneck"
    libraries = [f"-lns3-{module}" for module in MODULES]
    command = ["g++", "-O2", "-std=c++17", "-o", str(program), str(HERE / "bottleneck.cc"), *libraries]
    subprocess.run(command, check=True)
    return program


def output(program: Path, arguments: list[str], limit_s: float | None = None) -> str:
    """Return what a run prints; a run that takes longer than the limit of wall-clock time is stopped and raises."""
    command = ["nice", str(program), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit_s)
    return done.stdout


def finished(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a table by their arguments; none without a table."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {row["arguments"]: row for row in csv.DictReader(file)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the set-ups in ns-3; runs that the table has are not repeated.")
    parser.add_argument("only", nargs="*", help="parts of names of set-ups; rows of all other set-ups stay")
    parser.add_argument("--out", type=Path, default=RUNS, help="the table")
    options = parser.parse_args()
    rows = finished(options.out)
    wanted = [(setup, seed, " ".join(setup.arguments(seed))) for setup in [*compared(), *varied()] for seed in SEEDS]
    missing = [
        each
        for each in wanted
        if each[2] not in rows and (not options.only or any(word in each[0].name for word in options.only))
    ]
    with tempfile.TemporaryDirectory() as folder:
        program = build(Path(folder)) if missing else Path()
        for place, (setup, seed, arguments) in enumerate(missing, start=1):
            numbers = dict(line.split() for line in output(program, arguments.split()).splitlines())
            row = dict(zip(KEYS, map(str, setup.key), strict=True)) | {"seed": str(seed), "arguments": arguments}
            rows[arguments] = {name: (row | numbers)[name] for name in COLUMNS}
            click.echo(f"{place} of {len(missing)}: {setup.name} {setup.variant}")
            with options.out.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", restval="0")
                writer.writeheader()
                writer.writerows(rows[command] for _, _, command in wanted if command in rows)


if __name__ == "__main__":
    main()
