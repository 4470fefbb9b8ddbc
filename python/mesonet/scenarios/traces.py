"""Values that follow the time: rates of links (``impairments.capacity``), delays of links (``impairments.delays``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.files.reading import read_text
from mesonet.scenarios import ranges
from mesonet.words import counted

Kind = Literal["capacity", "delays"]
"""Kind of a trace, as a kind of parameters."""
KEYS = ("points", "file", "period")
"""Keys of a trace that begins again."""
ALLOWED = {
    "capacity": 'none; points such as [["0 s", "20 Mbit/s"], ["2 s", "2 Mbit/s"]]; a CSV file with time_s, rate_mbps; '
    "a file of mahimahi; or a table with points or file, and period",
    "delays": 'none; points such as [["0 s", "0 ms"], ["15 s", "12 ms"]]; a CSV file with time_s, delay_ms; or a table '
    "with points or file, and period",
}
"""Allowed values by kind, in words."""
OPPORTUNITY_BYTES = 1500
"""Bytes that may leave at a line of a file of mahimahi (its manual: one packet of the MTU)."""
_COLUMNS = {"capacity": ("time_s", "rate_mbps"), "delays": ("time_s", "delay_ms")}
_UNIT = {"time_s": "s", "rate_mbps": "Mbit/s", "delay_ms": "ms"}
_VALUE: dict[str, units.Kind] = {"capacity": "rate", "delays": "time"}
_MOST_POINTS = 200_000
"""Most points (chosen): an hour of one each 20 ms."""


def parse(path: str, kind: Kind, value: Any, segment_bytes: float) -> dict[str, Any] | None:
    """Return a trace in base units.

    Parameters
    ----------
    path
        Path of the parameter.
    kind
        Kind of the trace.
    value
        ``none``; a list of pairs of time and value, each with a unit; the path of a file; or a table with ``points`` or
        ``file``, and ``period``, after which the trace begins again.
    segment_bytes
        Size of a segment, for rates in bits per second.

    Returns
    -------
    None, or ``points`` (pairs of s and segments/s, or s and s), ``period`` (s or None) and, of a capacity, ``kind``:
    ``rates``, or ``opportunities`` with numbers of segments in place of rates.

    Raises
    ------
    InputError
        If there is no such file, or a time or a value is not right or out of its range.
    """
    if value in (None, "none", ""):
        return None
    if isinstance(value, str):
        value = read(kind, value, None)
    given = value if isinstance(value, Mapping) else {"points": value}
    if given.get("kind") == "opportunities":
        return _opportunities(given, segment_bytes)
    for key in given:
        if key not in KEYS:
            raise unknown("key of a trace", str(key), KEYS)
    if ("points" in given) == ("file" in given):
        raise InputError("a trace has points or a file", value=value, allowed=ALLOWED[kind])
    if "file" in given:
        return parse(path, kind, _from_file(kind, given, None), segment_bytes)
    found = given["points"]
    if not isinstance(found, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in found):
        raise InputError("not a list of points", value=found, allowed=ALLOWED[kind])
    if not 0 < len(found) <= _MOST_POINTS:
        raise InputError(f"a trace of {len(found):,} points", allowed=f"1 to {_MOST_POINTS:,} points")
    times, values = f"{path}.points[].0", f"{path}.points[].1"
    points = [
        [
            _number(f"points[{n}]", times, "time", time, segment_bytes),
            _number(f"points[{n}]", values, _VALUE[kind], value, segment_bytes),
        ]
        for n, (time, value) in enumerate(found)
    ]
    period = given.get("period")
    period = None if period is None else _number("period", f"{path}.period", "time", period, segment_bytes)
    trace: dict[str, Any] = {"points": points, "period": period}
    return {"kind": "rates"} | trace if kind == "capacity" else trace


def with_file(kind: Kind, value: Any, directory: Path | None) -> Any:
    """Return a user's value with its file read.

    Parameters
    ----------
    kind
        Kind of the trace.
    value
        The value as `parse` takes it.
    directory
        The folder that the file is relative to; None: the working directory.

    Returns
    -------
    The value without a path.

    Raises
    ------
    InputError
        If there is no such file, or it is not a trace.
    """
    if isinstance(value, str) and value not in ("none", ""):
        return read(kind, value, directory)
    if isinstance(value, Mapping) and "file" in value and "points" not in value:
        return _from_file(kind, value, directory)
    return value


def read(kind: Kind, name: str, directory: Path | None) -> dict[str, Any]:
    """Return the trace of a file, as a user would write it.

    Parameters
    ----------
    kind
        Kind of the trace.
    name
        Name or path of the file: CSV with a header, or, for a capacity, a file of mahimahi, which has the ms of an
        opportunity in each line.
    directory
        The folder that it is relative to; None: the working directory.

    Returns
    -------
    ``points``, and what a file of mahimahi has beside them.

    Raises
    ------
    InputError
        If there is no such file, or it is not a trace. The error names the line.
    """
    path = (directory or Path()) / name
    if not path.is_file():
        raise InputError("no such file", value=name, allowed=ALLOWED[kind])
    first = read_text(path, allowed=ALLOWED[kind]).lstrip().partition("\n")[0].strip()
    if kind == "capacity" and first.isdecimal():
        return _mahimahi(path)
    points = []
    columns = _COLUMNS[kind]
    for at, cells in rows(path, columns, needed=2):
        for column in columns:
            try:
                units.parse("number", cells[column])
            except InputError as error:
                raise at.refuse(error.problem, key=column, value=cells[column], allowed="a number") from None
        points.append([f"{cells[column]} {_UNIT[column]}" for column in columns])
        if len(points) > _MOST_POINTS:
            raise FilePlace(str(path)).refuse("too many points", allowed=f"at most {_MOST_POINTS:,}")
    return {"points": points}


def show(kind: Kind, trace: Mapping[str, Any] | None) -> str:
    """Return the text of a parsed trace.

    Parameters
    ----------
    kind
        Kind of the trace.
    trace
        As `parse` returns it.

    Returns
    -------
    Number of points, range of values and period.
    """
    if trace is None:
        return "none"
    points: Sequence[Sequence[float]] = trace["points"]
    period = "" if trace["period"] is None else f", again every {units.show('time', trace['period'])}"
    values = [value for _, value in points]
    if trace.get("kind") == "opportunities":
        mean = units.show("rate", round(sum(values) / trace["period"], 3))
        return f"opportunities at {len(points):,} instants, mean {mean}{period}"
    of = _VALUE[kind]
    span = units.show(of, min(values))
    span += "" if max(values) == min(values) else f" to {units.show(of, max(values))}"
    return f"{counted(len(points), 'point')}, {span}{period}"


def _number(place: str, path: str, kind: units.Kind, value: Any, segment_bytes: float) -> float:
    """Return a number with the range of `path`; errors name its place in the trace."""
    try:
        number: float = ranges.parse(path, kind, value, segment_bytes=segment_bytes)
    except InputError as error:
        raise replace(error, path=place) from None
    return number


def _from_file(kind: Kind, given: Mapping[str, Any], directory: Path | None) -> dict[str, Any]:
    found = read(kind, str(given["file"]), directory)
    if "kind" in found and given.get("period") is not None:
        problem = "a file of mahimahi begins again after its last time"
        raise InputError(problem, path="period", value=given["period"], allowed="no period")
    return found | {key: value for key, value in given.items() if key != "file"}


def _mahimahi(path: Path) -> dict[str, Any]:
    """Return the opportunities of a file: milliseconds, rising. The trace begins again after the last one."""
    times: list[int] = []
    for number, line in enumerate(read_text(path, allowed="a file of mahimahi").split("\n"), start=1):
        text = line.strip()
        if not text:
            continue
        at = FilePlace(str(path), f"line {number}")
        if not text.isdecimal() or (times and int(text) < times[-1]):
            raise at.refuse("not the next millisecond", value=text, allowed="whole numbers that do not fall")
        times.append(int(text))
    if not times or times[-1] == 0:
        raise FilePlace(str(path)).refuse("no opportunity after the start", allowed="a last time of at least 1 ms")
    period = times[-1]
    # The last opportunity is that at the beginning of the next round.
    counts = [(time % period, len(list(same))) for time, same in groupby(sorted(time % period for time in times))]
    if len(counts) > _MOST_POINTS:
        raise FilePlace(str(path)).refuse(f"{len(counts):,} instants", allowed=f"at most {_MOST_POINTS:,}")
    return {"kind": "opportunities", "points": counts, "period": period}


def _opportunities(given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    segments = OPPORTUNITY_BYTES / segment_bytes
    points = [[time / 1000, count * segments] for time, count in given["points"]]
    return {"kind": "opportunities", "points": points, "period": given["period"] / 1000}
