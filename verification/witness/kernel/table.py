"""The frozen table of the kernel, and the limits within which a value of mesonet counts as reproduced."""

from __future__ import annotations

import csv
from pathlib import Path

from mesonet.kernel.replays import Row

FILE = Path(__file__).with_name("linux-6.18.csv")
KERNEL = "Linux 6.18.44"
NEAR = 0.1
"""Margin about the kernel's mean. From the table: mean goodput, utilisation and round trips of its runs differ by 1 %,
drops of Reno and CUBIC by 10 to 50 %, shares by up to 70 %. Machine noise exceeds differences below a tenth."""
INSIDE, CLOSE, OUTSIDE = "inside", "within 10 %", "outside"
TIMEOUTS = "timeouts"
PUBLISHED = (
    "goodput Mb/s", "utilisation", "mean RTT ms", "p95 RTT ms", "drop rate %", "drops in first 3 s", TIMEOUTS,
    "time between cuts s", "decrease factor", "share of newcomer", "completion ms",
)  # fmt: skip
"""Quantities of the claims: those that an evaluation would publish. The other quantities show the mechanism."""


def read(path: Path = FILE) -> dict[tuple[str, str], Row]:
    """Return the rows of a table."""
    with path.open(newline="") as file:
        return {
            (row["scenario"], row["quantity"]): Row(
                float(row["mean"]), float(row["min"]), float(row["max"]), int(row["runs"])
            )
            for row in csv.DictReader(file)
        }


def limits(quantity: str, row: Row) -> tuple[float, float]:
    """Return the range that counts as reproduced: the kernel's smallest to largest value, and `NEAR` about its mean.

    Fewer timeouts than in the kernel are no contradiction; any number of additional ones is.
    """
    if quantity == TIMEOUTS:
        return float("-inf"), row.most
    margin = NEAR * abs(row.mean)
    return min(row.least, row.mean - margin), max(row.most, row.mean + margin)


def mark(quantity: str, value: float, row: Row) -> str:
    """Return the place of a value of mesonet relative to the values of the kernel. `INSIDE`, `CLOSE` or `OUTSIDE`."""
    if row.least <= value <= row.most:
        return INSIDE
    least, most = limits(quantity, row)
    return CLOSE if least <= value <= most else OUTSIDE
