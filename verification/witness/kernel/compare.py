"""Runs the scenarios in mesonet and prints its quantities beside those of the kernel.

.venv/bin/python -m verification.witness.kernel.compare --marks outside
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any

import click

from verification.witness.kernel.runs import PRESET, RUNS, found
from verification.witness.kernel.table import CLOSE, FILE, INSIDE, OUTSIDE, PUBLISHED, mark, read
from verification.witness.kernel.witness import chosen, write

CHANGES = Path(__file__).with_name("linux-6.18-changes.csv")


def _value(text: str) -> tuple[str, Any]:
    """Return path and value of ``path=value``: a number, true, false or text."""
    path, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: not path=value")
    try:
        return path, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return path, value


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare mesonet with the kernel.")
    parser.add_argument("only", nargs="*", help="parts of names of scenarios")
    parser.add_argument("--preset", default=PRESET, help="preset of mesonet")
    parser.add_argument("--set", type=_value, action="append", default=[], metavar="PATH=VALUE", dest="values")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each scenario: seeds, and phases of pairs")
    parser.add_argument("--changes", action="store_true", help="the scenarios in which the path changes")
    parser.add_argument("--kernel", type=Path, help="results of the kernel; default: the frozen table")
    parser.add_argument("--out", type=Path, help="write the quantities of mesonet as a table")
    parser.add_argument("--marks", nargs="*", default=[INSIDE, CLOSE, OUTSIDE], help="which rows to print")
    parser.add_argument("--published", action="store_true", help="only the quantities of Part K")
    options = parser.parse_args()
    kernel = read(options.kernel or (CHANGES if options.changes else FILE))
    counts = dict.fromkeys((INSIDE, CLOSE, OUTSIDE), 0)
    rows = []
    for scenario in chosen(options.only, options.changes):
        ours = found(scenario, options.preset, options.runs, **dict(options.values))
        rows += [(scenario.name, name, *(f"{v:.5g}" for v in row[:3]), row.runs) for name, row in ours.items()]
        for name, row in ours.items():
            if (scenario.name, name) not in kernel or (options.published and name not in PUBLISHED):
                continue
            theirs = kernel[scenario.name, name]
            where = mark(name, row.mean, theirs)
            counts[where] += 1
            if where in options.marks:
                kernels = f"{theirs.mean:>10.5g} ({theirs.least:.5g} to {theirs.most:.5g})"
                click.echo(f"{scenario.name:<34} {name:<38} {row.mean:>10.5g} {kernels:<34} {where}")
    click.echo(", ".join(f"{count} {where}" for where, count in counts.items()))
    if options.out:
        write(options.out, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
