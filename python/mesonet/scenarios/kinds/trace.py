"""Values that follow the time: points of a table or a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.scenarios.kinds.kind import Kind, Place, are_pairs
from mesonet.scenarios.kinds.ranged import Ranged
from mesonet.scenarios.kinds.time import TIME
from mesonet.words import counted

_KEYS = ("points", "file", "period")
"""Keys of a trace that begins again."""
MOST_POINTS = 2_000_000
"""Most points (chosen): half an hour of one each millisecond, the unit of files of mahimahi."""


class Trace(Kind):
    """Kind of traces: None, or pairs of time and value (`points`), and the `period` after which they begin again."""

    words: str
    """What is allowed."""
    columns: Sequence[tuple[str, str]]
    """Columns of a CSV file, time and value, with their units."""
    value: Ranged
    """Kind of the values."""

    def parse(self, value: Any, place: Place) -> Any:
        """Return a trace in base units."""
        if value in (None, "none", ""):
            return None
        given = value if isinstance(value, Mapping) else {"points": value}
        for key in given:
            if key not in _KEYS:
                raise unknown("key of a trace", str(key), _KEYS)
        if ("points" in given) == ("file" in given):
            raise InputError("a trace has points or a file", value=value, allowed=self.words)
        found = given["points"]
        if not are_pairs(found):
            raise InputError("not a list of points", value=found, allowed=self.words)
        if not 0 < len(found) <= MOST_POINTS:
            raise InputError(f"a trace of {len(found):,} points", allowed=f"1 to {MOST_POINTS:,} points")
        pair = (TIME, _of(place, "points[].0")), (self.value, _of(place, "points[].1"))
        points = [
            [_parsed(f"points[{n}]", *about, entry) for about, entry in zip(pair, point, strict=True)]
            for n, point in enumerate(found)
        ]
        period = given.get("period")
        period = None if period is None else _parsed("period", TIME, _of(place, "period"), period)
        return {"points": points, "period": period}

    def allowed(self, path: str) -> str:
        """Return the forms of a trace."""
        return self.words

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return a user's value with its file read."""
        if isinstance(value, str) and value not in ("none", ""):
            return self._of_file(value, directory)
        if isinstance(value, Mapping) and "file" in value and "points" not in value:
            found = self._of_file(str(value["file"]), directory)
            if "period" in found and value.get("period") is not None:
                problem = "a file of mahimahi begins again after its last time"
                raise InputError(problem, path="period", value=value["period"], allowed="no period")
            return found | {key: kept for key, kept in value.items() if key != "file"}
        return value

    def show(self, value: Any) -> str:
        """Return the number of points, the range of values and the period."""
        if value is None:
            return "none"
        values = [each for _, each in value["points"]]
        span = self.value.show(min(values))
        span += "" if max(values) == min(values) else f" to {self.value.show(max(values))}"
        return f"{counted(len(values), 'point')}, {span}{again(value)}"

    def read(self, path: Path) -> dict[str, Any]:
        """Return the trace of a file that exists, as a user would write it."""
        points = []
        for at, cells in rows(path, tuple(column for column, _ in self.columns), needed=2):
            for column, _ in self.columns:
                try:
                    units.number(cells[column])
                except InputError as error:
                    raise at.refuse(error.problem, key=column, value=cells[column], allowed="a number") from None
            points.append([f"{cells[column]} {unit}".strip() for column, unit in self.columns])
            if len(points) > MOST_POINTS:
                raise FilePlace(str(path)).refuse("too many points", allowed=f"at most {MOST_POINTS:,}")
        return {"points": points}

    def _of_file(self, name: str, directory: Path | None) -> dict[str, Any]:
        path = (directory or Path()) / name
        if not path.is_file():
            raise InputError("no such file", value=name, allowed=self.words)
        return self.read(path)


def again(trace: Mapping[str, Any]) -> str:
    """Return the period of a parsed trace as the end of a sentence."""
    return "" if trace["period"] is None else f", again every {TIME.show(trace['period'])}"


def _of(place: Place, part: str) -> Place:
    return Place(f"{place.path}.{part}", segment_bytes=place.segment_bytes)


def _parsed(name: str, kind: Ranged, place: Place, value: Any) -> float:
    try:
        return float(kind.parse(value, place))
    except InputError as error:
        raise error.below(name) from None
