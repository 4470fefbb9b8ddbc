"""Distributions of flow sizes: by name, from a CSV file, of one size, exponential or Pareto."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.files.reading import printable, read_text
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Kind, Place, are_pairs
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.segments import SEGMENTS, Segments

NAMED = {
    "web_search": "web search (Alizadeh et al., DCTCP, SIGCOMM 2010)",
    "data_mining": "data mining (Greenberg et al., VL2, SIGCOMM 2009)",
    "cache_follower": "cache followers of Facebook (Roy et al., SIGCOMM 2015)",
}
"""Distributions of the package by name: the traffic and its source. The files name where their points are from."""
_EXAMPLE = "100 kB"
_SIZE = Key("arrivals[].sizes.size", Segments(_EXAMPLE), "")
_MEAN = Key("arrivals[].sizes.mean", Segments(_EXAMPLE), "")
_SHAPE = Key("arrivals[].sizes.shape", NUMBER, "")
_KEYS = {"constant": {"size": _SIZE}, "exponential": {"mean": _MEAN}, "pareto": {"mean": _MEAN, "shape": _SHAPE}}
"""Keys by law."""
_ALLOWED = (
    f'{", ".join(NAMED)}, the path of a CSV file, a size such as "100 kB", '
    '{ law = "exponential", mean = "100 kB" }, or { law = "pareto", mean = "100 kB", shape = 1.5 }'
)
_COLUMNS = ("probability", "size", "size_bytes")


class Sizes(Kind):
    """Kind of distributions of flow sizes: ``law`` and its values, or points of size in segments and probability."""

    name = "sizes"

    def parse(self, value: Any, place: Place) -> Any:
        """Return the distribution of a size or of a table; the simulator checks that points rise."""
        if isinstance(value, str):
            value = {"law": "constant", "size": value}
        if not isinstance(value, Mapping):
            raise InputError("not a distribution of sizes", value=value, allowed=_ALLOWED)
        law = value.get("law")
        if law == "cdf" and set(value) == {"law", "name", "points"}:
            points = _read_points(value["points"], place.segment_bytes)
            return {"law": "cdf", "name": str(value["name"]), "points": points}
        if law not in _KEYS:
            raise unknown("law of sizes", str(law), _KEYS)
        for key in value:
            if key != "law" and key not in _KEYS[law]:
                raise unknown(f"key of the law {law}", str(key), ("law", *_KEYS[law]))
        parsed: dict[str, Any] = {"law": law}
        for key, about in _KEYS[law].items():
            if key not in value:
                raise InputError(f"the law {law} needs {key}", value=dict(value), allowed=_ALLOWED)
            try:
                parsed[key] = about.parse(value[key], place.segment_bytes)
            except InputError as error:
                raise error.below(key) from None
        return parsed

    def allowed(self, path: str) -> str:
        """Return the forms of a distribution."""
        return _ALLOWED

    def show(self, value: Any) -> str:
        """Return the name of a file or of a distribution of the package, or the law with its values."""
        match value["law"]:
            case "cdf":
                return str(value["name"])
            case "constant":
                return SEGMENTS.show(value["size"])
            case "pareto":
                return f"Pareto with mean {SEGMENTS.show(value['mean'])} and shape {NUMBER.show(value['shape'])}"
        return f"exponential with mean {SEGMENTS.show(value['mean'])}"

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the table of a name or a file; any other value as it is."""
        if not isinstance(value, str) or _is_size(value):
            return value
        if value in NAMED:
            with resources.as_file(resources.files("mesonet") / "scenarios" / "flow_sizes" / f"{value}.csv") as path:
                return {"law": "cdf", "name": value, "points": _points(path)}
        path = (directory or Path()) / value
        if not path.is_file():
            is_path = "/" in value or path.suffix
            problem = "no such file" if is_path else unknown("distribution of sizes", value, NAMED).problem
            raise InputError(problem, value=value, allowed=_ALLOWED)
        return {"law": "cdf", "name": printable(path.name), "points": _points(path)}


def _is_size(value: str) -> bool:
    """Return True for text that begins like a number."""
    return value.strip()[:1] in "0123456789.+-" and not value.strip().startswith(("./", "../"))


def _points(path: Path) -> list[list[Any]]:
    """Return the points of a file: size with its unit, and probability."""
    if bare := _bare_points(path):
        return bare
    points = []
    for at, cells in rows(path, _COLUMNS, needed=1, comments=True):
        sizes = [key for key in _COLUMNS[1:] if key in cells]
        if len(sizes) != 1:
            raise at.refuse("not one column of sizes", allowed="the columns size_bytes,probability or size,probability")
        [key] = sizes
        size = cells[key] if key == "size" else f"{cells[key]} B"
        with _at(at, key, cells[key]):
            units.SEGMENTS.parse(size, _EXAMPLE)
        with _at(at, "probability", cells["probability"]):
            probability = units.number(cells["probability"])
        points.append([size, probability])
    return points


def _bare_points(path: Path) -> list[list[Any]]:
    """Return the points of a file without a header, lines of bytes and percent as HPCC has them; empty for a header."""
    lines = [line.split() for line in read_text(path).splitlines() if line.strip() and line[0] != "#"]
    if not lines or not all(_is_number(cell) for cell in lines[0]):
        return []
    points = []
    for number, cells in enumerate(lines, 1):
        at = FilePlace(str(path), f"point {number}")
        if len(cells) != 2 or not all(_is_number(cell) for cell in cells):
            allowed = "the header size,probability, or lines of bytes and percent such as 10000 15"
            raise at.refuse("not two numbers, in a file without a header", value=" ".join(cells), allowed=allowed)
        points.append([units.number(cells[0]), units.number(cells[1]) / 100])
    if points[-1][1] != 1:
        place = FilePlace(str(path))
        raise place.refuse("the last percentage is not 100", value=lines[-1][1], allowed="lines of bytes and percent")
    return [[f"{size!r} B", share] for size, share in points]


def _is_number(cell: str) -> bool:
    try:
        units.number(cell)
    except InputError:
        return False
    return True


@contextmanager
def _at(at: FilePlace, key: str, value: str) -> Iterator[None]:
    """Locate an `InputError` at a cell of a file."""
    try:
        yield
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=value, allowed=error.allowed) from None


def _read_points(points: Any, segment_bytes: float) -> list[list[float]]:
    """Return pairs of size in segments and probability."""
    if not are_pairs(points):
        allowed = 'pairs such as ["10 kB", 0.5]'
        raise InputError("not a list of points", value=points, allowed=allowed)
    return [
        [units.SEGMENTS.parse(size, _EXAMPLE, segment_bytes), units.number(probability)] for size, probability in points
    ]


SIZES = Sizes()
