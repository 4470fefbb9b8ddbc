"""Runs the set-ups in mesonet and prints its numbers beside those of ns-3.

python -m verification.witness.ns3.side_by_side --out verification/witness/ns3/RESULTS.md
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from verification.witness.ns3 import ours
from verification.witness.ns3.causes import CAUSES
from verification.witness.ns3.differences import NAMES, Difference, Numbers, differences, numbers, read, values
from verification.witness.ns3.setups import SEEDS, VARIANTS, SetUp, compared

HERE = Path(__file__).parent
RUNS = HERE / "runs.csv"
HEAD = f"""# Queue disciplines in mesonet and in ns-3

Written by `side_by_side.py`. The [README](README.md) describes the set-ups. Each cell has the mean of mesonet, the mean
of ns-3 3.37, and half of the range of ns-3, over {len(SEEDS)} seeds. A signal is a drop or a mark. A number with a
letter differs by more than chance and the margins of `differences.py`; the letter names the cause.
"""
ORDER = "abcdefghijklmnopqrstuvwxyz"


def found(setups: Sequence[SetUp], **changed: Any) -> dict[SetUp, list[Numbers]]:
    """Return the compared numbers of mesonet, by set-up and seed; values by path are changed."""
    return {setup: [numbers(ours.run(setup, seed, **changed)) for seed in SEEDS] for setup in setups}


def letter(difference: Difference) -> str:
    """Return nothing within the bounds, else the letter of the cause, or a question mark."""
    if difference.within:
        return ""
    for place, cause in enumerate(CAUSES):
        if cause.covers(difference):
            return f" **{ORDER[place]}**"
    return " **?**"


def cell(difference: Difference | None) -> str:
    """Return the text of a number in a table."""
    if difference is None:
        return "-"
    digits = 2 if difference.number in ("delay_p50_ms", "delay_p95_ms", "queue_mean", "signals_per_s") else 3
    half = difference.their_range / 2
    our, their = f"{difference.ours:.{digits}f}", f"{difference.theirs:.{digits}f}"
    return f"{our} / {their} ± {half:.{digits}f}{letter(difference)}"


def comparison(every: Sequence[Difference]) -> str:
    """Return the table of all set-ups, and the causes."""
    by_setup: dict[SetUp, dict[str, Difference]] = {}
    for each in every:
        by_setup.setdefault(each.setup, {})[each.number] = each
    lines = ["| set-up | " + " | ".join(NAMES.values()) + " |", "|---|" + "---|" * len(NAMES)]
    for setup, row in by_setup.items():
        lines.append(f"| {setup.name} | " + " | ".join(cell(row.get(number)) for number in NAMES) + " |")
    within = sum(each.within for each in every)
    lines += ["", f"{within} of {len(every)} numbers agree.", ""]
    lines += [f"* **{ORDER[place]}** {cause.because}" for place, cause in enumerate(CAUSES)]
    return "\n".join(lines) + "\n"


def variants(ourselves: Mapping[SetUp, Sequence[Numbers]], theirs: Mapping[SetUp, Sequence[Numbers]]) -> str:
    """Return the table of the variants of ns-3, each beside mesonet and ns-3 without the change."""
    shown = [number for number in NAMES if number != "signals_per_s"]
    lines = ["| set-up | | " + " | ".join(NAMES[number] for number in shown) + " |", "|---|---|" + "---|" * len(shown)]

    def row(first: str, second: str, runs: Sequence[Numbers]) -> None:
        means = (fmean(values(runs, number)) for number in shown)
        lines.append(f"| {first} | {second} | " + " | ".join(f"{each:.3f}" for each in means) + " |")

    for setup, runs in theirs.items():
        if setup.variant or setup not in ourselves:
            continue
        changed = [each for each in theirs if each.variant and each.name == setup.name]
        if changed:
            row(setup.name, "mesonet", ourselves[setup])
            row("", "ns-3", runs)
            for each in changed:
                row("", f"ns-3, {each.variant}", theirs[each])
    lines += [""] + [f"* {name}: {variant.meaning}" for name, variant in VARIANTS.items()]
    return "\n".join(lines) + "\n"


def value(text: str) -> tuple[str, Any]:
    """Return path and value of ``path=value``: a number, true, false or text."""
    path, equals, given = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: not path=value")
    try:
        return path, tomllib.loads(f"value = {given}")["value"]
    except tomllib.TOMLDecodeError:
        return path, given


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare mesonet with ns-3.")
    parser.add_argument("only", nargs="*", help="parts of names of set-ups")
    parser.add_argument("--set", type=value, action="append", default=[], metavar="PATH=VALUE", dest="values")
    parser.add_argument("--out", type=Path, help="write the page, which has all set-ups")
    options = parser.parse_args()
    theirs = read(RUNS)
    setups = [s for s in compared() if s in theirs and (not options.only or any(w in s.name for w in options.only))]
    ourselves = found(setups, **dict(options.values))
    every = differences(ourselves, theirs)
    if options.out:
        text = [HEAD, comparison(every), "## One change of ns-3 at a time\n", variants(ourselves, theirs)]
        options.out.write_text("\n".join(text), encoding="utf-8")
    for each in every:
        if not options.out or not each.within:
            click.echo(
                f"{each.setup.name:42} {each.number:22} {each.ours:9.3f} {each.theirs:9.3f} "
                f"ranges {each.our_range:.3f}, {each.their_range:.3f}{letter(each)}"
            )
    click.echo(f"{sum(each.within for each in every)} of {len(every)} numbers agree")


if __name__ == "__main__":
    main()
