"""Distributions of flow sizes: by name, from a CSV file, of one size, exponential or Pareto."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.scenarios import ranges

NAMED = {
    "web_search": "web search (Alizadeh et al., DCTCP, SIGCOMM 2010)",
    "data_mining": "data mining (Greenberg et al., VL2, SIGCOMM 2009)",
    "cache_follower": "cache followers of Facebook (Roy et al., SIGCOMM 2015)",
}
"""Distributions of the package by name: the traffic and its source. The files name where their points are from."""
_KEYS: dict[str, dict[str, units.Kind]] = {
    "constant": {"size": "segments"},
    "exponential": {"mean": "segments"},
    "pareto": {"mean": "segments", "shape": "number"},
}
"""Keys by law, with the kinds of their values."""
NUMBERS = ("size", "mean", "shape")
"""Keys whose values are numbers."""
ALLOWED = (
    f'{", ".join(NAMED)}, the path of a CSV file, a size such as "100 kB", '
    '{ law = "exponential", mean = "100 kB" }, or { law = "pareto", mean = "100 kB", shape = 1.5 }'
)
_COLUMNS = ("probability", "size", "size_bytes")


def parse(value: Any, segment_bytes: float) -> dict[str, Any]:
    """Return a distribution in base units.

    Parameters
    ----------
    value
        A name of `NAMED`, the path of a CSV file, a size with its unit, or a table with ``law`` and its keys.
    segment_bytes
        Size of a segment, for sizes in bytes.

    Returns
    -------
    ``law`` and its values: sizes in segments, points as pairs of size and probability.

    Raises
    ------
    InputError
        If it is no distribution. The path of the error is a key of `NUMBERS`, or none. The simulator checks that
        points rise to a probability of 1.
    """
    if isinstance(value, str):
        value = with_file(value, None)
    if isinstance(value, str):
        value = {"law": "constant", "size": value}
    if not isinstance(value, Mapping):
        raise InputError("not a distribution of sizes", value=value, allowed=ALLOWED)
    law = value.get("law")
    if law == "cdf" and set(value) == {"law", "name", "points"}:
        return {"law": "cdf", "name": str(value["name"]), "points": _read_points(value["points"], segment_bytes)}
    if law not in _KEYS:
        raise unknown("law of sizes", str(law), _KEYS)
    for key in value:
        if key != "law" and key not in _KEYS[law]:
            raise unknown(f"key of the law {law}", str(key), ("law", *_KEYS[law]))
    parsed: dict[str, Any] = {"law": law}
    for key, kind in _KEYS[law].items():
        if key not in value:
            raise InputError(f"the law {law} needs {key}", value=dict(value), allowed=ALLOWED)
        try:
            row = f"arrivals[].sizes.{key}"
            parsed[key] = ranges.parse(row, kind, value[key], example="100 kB", segment_bytes=segment_bytes)
        except InputError as error:
            raise InputError(error.problem, path=key, value=error.value, allowed=error.allowed) from None
    return parsed


def with_file(value: Any, directory: Path | None) -> Any:
    """Return the content of the file that a value names.

    Parameters
    ----------
    value
        A distribution as users write it.
    directory
        The folder that a path is relative to; None: the working directory.

    Returns
    -------
    The table with its points; the value itself if it names no file.

    Raises
    ------
    InputError
        If there is no such file, or it is not such a table. The error names the line.
    """
    if not isinstance(value, str) or _is_size(value):
        return value
    if value in NAMED:
        with resources.as_file(resources.files("mesonet") / "scenarios" / "flow_sizes" / f"{value}.csv") as path:
            return {"law": "cdf", "name": value, "points": _points(path)}
    path = (directory or Path()) / value
    if not path.is_file():
        is_path = "/" in value or path.suffix
        problem = "no such file" if is_path else unknown("distribution of sizes", value, NAMED).problem
        raise InputError(problem, value=value, allowed=ALLOWED)
    return {"law": "cdf", "name": path.name, "points": _points(path)}


def show(sizes: Mapping[str, Any]) -> str:
    """Return the text for a parsed distribution.

    Parameters
    ----------
    sizes
        As `parse` returns it.

    Returns
    -------
    The name of a file or of a distribution of the package, or the law with its values.
    """
    match sizes["law"]:
        case "cdf":
            return str(sizes["name"])
        case "constant":
            return units.show("segments", sizes["size"])
        case "pareto":
            shape = units.show("number", sizes["shape"])
            return f"Pareto with mean {units.show('segments', sizes['mean'])} and shape {shape}"
    return f"exponential with mean {units.show('segments', sizes['mean'])}"


def _is_size(value: str) -> bool:
    """Return True for text that begins like a number."""
    return value.strip()[:1] in "0123456789.+-" and not value.strip().startswith(("./", "../"))


def _points(path: Path) -> list[list[Any]]:
    """Return the points of a file: size with its unit, and probability."""
    points = []
    for at, cells in rows(path, _COLUMNS, needed=1, comments=True):
        sizes = [key for key in _COLUMNS[1:] if key in cells]
        if len(sizes) != 1:
            raise at.refuse("not one column of sizes", allowed="the columns size_bytes,probability or size,probability")
        [key] = sizes
        size = cells[key] if key == "size" else f"{cells[key]} B"
        _checked(at, key, "segments", size, cells[key])
        probability = _checked(at, "probability", "number", cells["probability"], cells["probability"])
        points.append([size, probability])
    return points


def _checked(at: FilePlace, key: str, kind: units.Kind, text: str, value: str) -> float:
    try:
        return float(units.parse(kind, text, example="100 kB"))
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=value, allowed=error.allowed) from None


def _read_points(points: Any, segment_bytes: float) -> list[list[float]]:
    """Return pairs of size in segments and probability."""
    if not isinstance(points, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in points):
        allowed = 'pairs such as ["10 kB", 0.5]'
        raise InputError("not a list of points", value=points, allowed=allowed)
    return [
        [
            float(units.parse("segments", size, example="100 kB", segment_bytes=segment_bytes)),
            float(units.parse("number", probability)),
        ]
        for size, probability in points
    ]
