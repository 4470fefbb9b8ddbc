"""The frozen table of the kernel, and when a value of mesonet counts as reproduced."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("linux-6.18.csv")
KERNEL = "Linux 6.18.44"
NEAR = 0.1
"""Margin about the kernel's mean. From the table: mean goodput, utilisation and round trips of its runs differ by 1 %,
drops of Reno and CUBIC by 10 to 50 %, shares by up to 70 %. Machine noise exceeds differences below a tenth."""
INSIDE, CLOSE, OUTSIDE = "inside", "within 10 %", "outside"
TIMEOUTS = "time-outs"
PUBLISHED = (
    "goodput Mb/s", "utilisation", "mean RTT ms", "p95 RTT ms", "drop rate %", "drops in first 3 s", TIMEOUTS,
    "time between cuts s", "decrease factor", "share of newcomer", "completion ms",
)  # fmt: skip
"""Quantities of the claims: what an evaluation would publish. The others of the table tell the mechanism."""


class Row(NamedTuple):
    """A quantity over the runs of a scenario."""

    mean: float
    least: float
    most: float
    runs: int


def read(path: Path = FILE) -> dict[tuple[str, str], Row]:
    """Return the rows of a table by scenario and quantity."""
    with path.open(newline="") as file:
        return {
            (row["scenario"], row["quantity"]): Row(
                float(row["mean"]), float(row["min"]), float(row["max"]), int(row["runs"])
            )
            for row in csv.DictReader(file)
        }


def merged(runs: Iterable[Mapping[str, float]]) -> dict[str, Row]:
    """Return each quantity over some runs; runs without a value do not count."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for quantity, value in run.items():
            values.setdefault(quantity, [])
            if not math.isnan(value):
                values[quantity].append(value)
    return {name: Row(sum(v) / len(v), min(v), max(v), len(v)) for name, v in values.items() if v}


def limits(quantity: str, row: Row) -> tuple[float, float]:
    """Return what counts as reproduced: the kernel's smallest to largest value, and `NEAR` about its mean.

    Fewer time-outs than the kernel's are no contradiction, and more are, however few.
    """
    if quantity == TIMEOUTS:
        return float("-inf"), row.most
    margin = NEAR * abs(row.mean)
    return min(row.least, row.mean - margin), max(row.most, row.mean + margin)


def mark(quantity: str, value: float, row: Row) -> str:
    """Return where a value of mesonet stands beside the kernel's."""
    if row.least <= value <= row.most:
        return INSIDE
    least, most = limits(quantity, row)
    return CLOSE if least <= value <= most else OUTSIDE
