"""Numbers that may follow the time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet.scenarios.kinds.kind import Kind, Place
from mesonet.scenarios.kinds.probability import PROBABILITY
from mesonet.scenarios.kinds.ranged import Ranged
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.kinds.trace import Trace


class Points(Trace):
    """Kind of traces of numbers of another kind.

    `column`, `unit`: column of a CSV file, with the unit of its numbers. `examples`: two values.
    """

    name = "points"

    def __init__(self, value: Ranged, column: str, unit: str, examples: Sequence[Any]) -> None:
        self.value = value
        self.columns = (("time_s", "s"), (column, unit))
        first, last = map(json.dumps, examples)
        self.words = (
            f'points such as [["0 s", {first}], ["2 s", {last}]]; a CSV file with time_s, {column}; or a table with '
            "points or file, and period"
        )


class Timed(Kind):
    """Kind of numbers of another kind that may follow the time: a number, or points of time and number."""

    def __init__(self, points: Points) -> None:
        self.kind, self.points = points.value, points
        self.name, self.unit = self.kind.name, self.kind.unit

    def parse(self, value: Any, place: Place) -> Any:
        """Return the number in base units, or the trace."""
        return self._of(value).parse(value, place)

    def allowed(self, path: str) -> str:
        """Return the range, and the form of points."""
        return f"{self.kind.allowed(path)}; or {self.points.words}"

    def show(self, value: Any) -> str:
        """Return the number, or the number of points and their range."""
        return self._of(value).show(value)

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's value with the CSV file that it names read."""
        is_file = isinstance(value, str) and value.endswith(".csv")
        return (self.points if is_file else self._of(value)).with_file(value, directory)

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return the number between two numbers; None if one of them follows the time."""
        both = [self._of(low), self._of(high)]
        return None if self.points in both else self.kind.between(low, high, where, place)

    def _of(self, value: Any) -> Kind:
        return self.points if isinstance(value, Mapping | list | tuple) else self.kind


def values(value: Any) -> list[float]:
    """Return all numbers of a parsed value."""
    return [number for _, number in value["points"]] if isinstance(value, Mapping) else [value]


def mapped(value: Any, written: Callable[[float], str]) -> Any:
    """Return what a user writes for a parsed value with each of its numbers replaced by a text."""
    if not isinstance(value, Mapping):
        return written(value)
    points = [[f"{time!r} s", written(number)] for time, number in value["points"]]
    period = value["period"]
    return {"points": points} if period is None else {"points": points, "period": f"{period!r} s"}


BUFFERS = Points(SEGMENTS, "segments", "segments", ("100 segments", "20 segments"))
PROBABILITIES = Timed(Points(PROBABILITY, "probability", "", (0.3, 0)))
RATES = Timed(Points(RATE, "rate_mbps", "Mbit/s", ("8 Mbit/s", "2 Mbit/s")))
SIZES = Timed(BUFFERS)
TIMES = Timed(Points(TIME, "delay_ms", "ms", ("5 ms", "1 ms")))
