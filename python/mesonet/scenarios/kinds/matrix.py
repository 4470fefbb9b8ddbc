"""Traffic matrices: a demand for each pair of routers that exchange traffic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.kind import Place
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.rate import RATE, Rate
from mesonet.scenarios.kinds.tables import Tables
from mesonet.scenarios.kinds.text import Text
from mesonet.topologies.sndlib import ENDINGS, read_demands

_MOST_DEMANDS = 1_000_000
"""Most demands (chosen): every ordered pair of 1000 routers."""
_AMOUNTS = ("share", "rate", "rate_mbps")
_COLUMNS = ("from", "to", *_AMOUNTS)
_ONE_OF = "from and to with share, rate or rate_mbps"


class _Megabits(Rate):
    """Kind of rates in Mbit/s, without the unit."""

    def read(self, value: Any, place: Place) -> Any:
        """Return the rate in segments/s."""
        try:
            return super().read(f"{value} Mbit/s", place)
        except InputError as error:
            raise replace(error, value=value) from None

    def between(self, low: Any, high: Any, where: float, place: Place) -> Any:
        """Return the number of Mbit/s between two numbers."""
        return NUMBER.between(low, high, where, place)


def _router(key: str) -> Text:
    allowed = f'a router of the topology, such as {key} = "A"'
    return Text("router", "a demand needs the name of a router", allowed)


_INSTEAD = {key: tuple(other for other in _AMOUNTS if other != key) for key in _AMOUNTS}


class Matrix(Tables):
    """Kind of traffic matrices."""

    name = "matrix"
    key_of = "a demand"
    entry = "demand"
    instead = _INSTEAD

    def __init__(self, path: str) -> None:
        self.path = path
        self.keys = {
            "from": Key(f"{path}[].from", _router("from"), ""),
            "to": Key(f"{path}[].to", _router("to"), ""),
            "share": Key(f"{path}[].share", NUMBER, ""),
            "rate": Key(f"{path}[].rate", Rate("40 Mbit/s"), ""),
            "rate_mbps": Key(f"{path}[].rate", _Megabits("40 Mbit/s"), ""),
        }

    def parse(self, value: Any, place: Place) -> Any:
        """Return the demands: rate in segments/s or share, and None for the other."""
        if not isinstance(value, list | tuple) or not all(isinstance(demand, Mapping) for demand in value):
            raise InputError("not a traffic matrix", value=value, allowed=self.allowed(self.path))
        if not 0 < len(value) <= _MOST_DEMANDS:
            allowed = f"1 to {_MOST_DEMANDS:,} demands"
            raise InputError(f"a traffic matrix of {len(value):,} demands", allowed=allowed)
        return [self._demand(number, demand, place.segment_bytes) for number, demand in enumerate(value)]

    def allowed(self, path: str) -> str:
        """Return the forms of a matrix."""
        table = self.path.replace("[]", "")
        return f"the path of a CSV file or of a file of SNDlib, or a list of [[{table}]] in a TOML file"

    def show(self, value: Any) -> str:
        """Return the only demand, or the number of demands with the sum of rates."""
        if len(value) == 1:
            [demand] = value
            rate = demand["rate"]
            amount = f"share {NUMBER.show(demand['share'])}" if rate is None else RATE.show(rate)
            return f"{demand['from']} to {demand['to']}: {amount}"
        rates = [demand["rate"] for demand in value if demand["rate"] is not None]
        total = f", {RATE.show(sum(rates))} in all" if rates else ", shares"
        return f"{len(value):,} demands{total}"

    def with_file(self, value: Any, directory: Path | None) -> Any:
        """Return the demands, of the file where the value names one."""
        if not isinstance(value, str):
            return value
        path = (directory or Path()) / value
        if not path.is_file():
            raise InputError(self.no_file(value), value=value, allowed=self.allowed(self.path))
        return _read(path)

    def no_file(self, name: str) -> str:
        """Return the problem of a name that no file has."""
        return "no such file"

    def _demand(self, number: int, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
        try:
            self.refuse_unknown(given)
            ends = {key: self.parse_key(key, given.get(key), segment_bytes) for key in ("from", "to")}
            amounts = [key for key in _AMOUNTS if given.get(key) is not None]
            if len(amounts) != 1:
                raise InputError("a demand has one amount", value=dict(given), allowed=_ONE_OF)
            [key] = amounts
            amount = self.parse_key(key, given[key], segment_bytes)
        except InputError as error:
            raise error.below(f"[{number}]") from None
        share, rate = (amount, None) if key == "share" else (None, amount)
        return {**ends, "share": share, "rate": rate}


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the demands of a file, as a list of demands has them.

    Empty cells are keys left out. The cells are checked later, as in any other list of demands.

    One mapping per row, shares and rates in Mbit/s as numbers.
    """
    demands = []
    for demand in _of_sndlib(path) if path.suffix.lower() in ENDINGS else _of_table(path):
        demands.append(demand)
        if len(demands) > _MOST_DEMANDS:
            raise FilePlace(str(path)).refuse("too many demands", allowed=f"at most {_MOST_DEMANDS:,}")
    if not demands:
        raise FilePlace(str(path)).refuse("no demand", allowed="a row for each pair of routers that exchange traffic")
    return demands


def _of_table(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the demands of a CSV file."""
    for at, cells in rows(path, _COLUMNS, needed=2):
        demand: dict[str, Any] = {key: cell for key, cell in cells.items() if cell}
        for key in ("share", "rate_mbps"):
            if key in demand:
                demand[key] = _cell_number(at, key, demand[key])
        yield demand


def _of_sndlib(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the demands of a file of SNDlib."""
    return (demand for _, demand in read_demands(path))


def _cell_number(at: FilePlace, key: str, text: str) -> float:
    try:
        return units.number(text)
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=text, allowed="a number, at least 0") from None
