"""Comparison of the table of an experiment with the table of a witness, row by row."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mesonet.errors import InputError

KEYS = ("line", "connections", "buffer_packets")
COMPARED = ("loss", "buffer_sd", "shut_off", "jain", "timeouts_per_drop")
BOUND = 0.15
"""Part of the witness's number by which ours may differ."""
LEAST = {"loss": 0.001, "buffer_sd": 0.01, "shut_off": 0.01, "jain": 0.01, "timeouts_per_drop": 0.01}
"""Differences up to these count as none, so that numbers near 0 can be compared. Chosen: a hundredth, of losses a
thousandth."""

Key = tuple[str, int, int]


@dataclass(frozen=True)
class Deviation:
    """Number of a row, from our simulator and from the witness."""

    row: Key  #: line, connections, places in the buffer
    number: str  #: one of `COMPARED`
    ours: float
    witness: float
    chance: float  #: range of the witness's own runs with other seeds

    @property
    def relative(self) -> float:
        """(ours - witness) / witness; infinite if only the witness's number is 0, and 0 if both are 0."""
        difference = self.ours - self.witness
        return difference / self.witness if self.witness else math.copysign(math.inf, difference) if difference else 0.0

    @property
    def within(self) -> bool:
        """True if both differ by no more than `BOUND`, chance or `LEAST`."""
        allowed = max(BOUND * abs(self.witness), self.chance, LEAST[self.number])
        return abs(self.ours - self.witness) <= allowed + 1e-12


@dataclass(frozen=True)
class Cause:
    """Reason why rows differ from the witness: some numbers of rows with these connections."""

    line: str
    numbers: tuple[str, ...]
    connections: tuple[int, int]  #: fewest and most
    because: str

    def covers(self, deviation: Deviation) -> bool:
        """Return True if the cause explains a deviation."""
        line, connections, _ = deviation.row
        least, most = self.connections
        return line == self.line and least <= connections <= most and deviation.number in self.numbers


def deviations(
    ours: Iterable[Mapping[str, str | float]],
    witness: Mapping[Key, Mapping[str, float]],
    chance: Mapping[Key, Mapping[str, float]],
) -> list[Deviation]:
    """Return the numbers `COMPARED` of the rows that both tables have."""
    found = [
        Deviation(key, name, row[name], witness[key][name], chance[key][name] if key in chance else 0.0)
        for key, row in by_row(ours).items()
        if key in witness
        for name in COMPARED
    ]
    if not found:
        raise InputError("no row in common with the table of the witness", allowed="its connections and buffers")
    return found


def unexplained(found: Iterable[Deviation], causes: Iterable[Cause]) -> list[Deviation]:
    """Return the deviations that are neither within the bound nor covered by a cause."""
    known = list(causes)
    return [each for each in found if not each.within and not any(cause.covers(each) for cause in known)]


def shown(found: Sequence[Deviation]) -> str:
    """Return the deviations as text, ours / witness, with a mark where they differ by more than bound and chance."""
    lines = [f"{'line':5}{'connections':>12}{'buffer':>8}" + "".join(f"{name:>20}" for name in COMPARED)]
    for place in range(0, len(found), len(COMPARED)):
        row = found[place : place + len(COMPARED)]
        line, connections, buffer = row[0].row
        cells = (f"{each.ours:.3f} / {each.witness:.3f}{' ' if each.within else '*'}" for each in row)
        lines.append(f"{line:5}{connections:12}{buffer:8}" + "".join(f"{cell:>20}" for cell in cells))
    for name in COMPARED:
        numbers = [each for each in found if each.number == name]
        outside = sum(not each.within for each in numbers)
        lines.append(f"{name}: {outside} of {len(numbers)} rows differ by more than {BOUND:.0%} and chance")
    return "\n".join(lines)


def by_row(rows: Iterable[Mapping[str, str | float]]) -> dict[Key, dict[str, float]]:
    """Return the numbers `COMPARED` of rows."""
    return {
        (str(row["line"]), int(row["connections"]), int(row["buffer_packets"])): {
            name: float(row[name]) for name in COMPARED
        }
        for row in rows
    }


def spread(tables: Sequence[Mapping[Key, Mapping[str, float]]]) -> dict[Key, dict[str, float]]:
    """Return the range of each number `COMPARED` over tables with other seeds.

    `tables`: tables with equal rows, at least one.
    """
    return {
        key: {
            name: round(max(table[key][name] for table in tables) - min(table[key][name] for table in tables), 4)
            for name in COMPARED
        }
        for key in tables[0]
    }


def read_table(path: Path) -> dict[Key, dict[str, float]]:
    """Return the rows of a table of a witness."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table: dict[Key, dict[str, float]] = {}
    for place, row in enumerate(rows, start=1):
        for name in (*KEYS, *COMPARED):
            if row.get(name) is None:
                raise InputError("missing", file=str(path), path=f"row {place}.{name}", allowed="a column of the table")
        table[row["line"], _number(path, place, row, "connections"), _number(path, place, row, "buffer_packets")] = {
            name: _real(path, place, row, name) for name in COMPARED
        }
    return table


def _number(path: Path, place: int, row: Mapping[str, str], name: str) -> int:
    return int(_real(path, place, row, name))


def _real(path: Path, place: int, row: Mapping[str, str], name: str) -> float:
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError("no number", file=str(path), path=f"row {place}.{name}", value=row[name], allowed="a number")
    return value
