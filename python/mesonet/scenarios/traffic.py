"""Who sends to whom (path ``users.traffic``): a rule, or a matrix of demands between routers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.scenarios import ranges

RULES = ("tiers", "gravity")
"""Rules for a network without a matrix."""
KEYS = ("from", "to", "share", "rate", "rate_mbps")
"""Keys of a demand, and columns of a CSV file; the first two are required."""
ALLOWED = f"{', '.join(RULES)}, the path of a CSV file, or a list of [[users.traffic]] in a TOML file"
_MOST_DEMANDS = 1_000_000
"""Most demands (chosen): every ordered pair of 1000 routers."""
_ONE_OF = "from and to with share, rate or rate_mbps"


def parse(value: Any, segment_bytes: float) -> str | list[dict[str, Any]]:
    """Return the rule, or the demands in base units.

    Parameters
    ----------
    value
        A rule; a list of tables with ``from``, ``to`` and either ``share``, ``rate`` with a unit, or ``rate_mbps``; or
        the path of a CSV file with these columns.
    segment_bytes
        Size of a segment, for rates in bits per second.

    Returns
    -------
    The rule, or one mapping per demand: rate in segments/s, share as a number, None for the other.

    Raises
    ------
    InputError
        If a key is unknown or missing, or a value is out of its range.
    """
    if isinstance(value, str):
        if value in RULES:
            return value
        value = read(value, None)
    if not isinstance(value, list | tuple) or not all(isinstance(demand, Mapping) for demand in value):
        raise InputError("not a traffic matrix", value=value, allowed=ALLOWED)
    if not 0 < len(value) <= _MOST_DEMANDS:
        allowed = f"1 to {_MOST_DEMANDS:,} demands"
        raise InputError(f"a traffic matrix of {len(value):,} demands", allowed=allowed)
    return [_demand(f"users.traffic[{number}]", demand, segment_bytes) for number, demand in enumerate(value)]


def read(name: str, directory: Path | None) -> list[dict[str, Any]]:
    """Return the demands of a CSV file, as ``[[users.traffic]]`` has them.

    Empty cells are keys left out. The cells are checked later, as in any other list of demands.

    Parameters
    ----------
    name
        Name or path of the file.
    directory
        The folder that it is relative to; None: the working directory.

    Returns
    -------
    One mapping per row, shares and rates in Mbit/s as numbers.

    Raises
    ------
    InputError
        If there is no such file, or it is not such a table. The error names the line.
    """
    path = (directory or Path()) / name
    if not path.is_file():
        is_path = "/" in name or path.suffix
        problem = "no such file" if is_path else unknown("rule", name, RULES).problem
        raise InputError(problem, path="users.traffic", value=name, allowed=ALLOWED)
    demands = []
    for at, cells in rows(path, KEYS, needed=2):
        demand: dict[str, Any] = {key: cell for key, cell in cells.items() if cell}
        for key in ("share", "rate_mbps"):
            if key in demand:
                demand[key] = _cell_number(at, key, demand[key])
        demands.append(demand)
        if len(demands) > _MOST_DEMANDS:
            raise FilePlace(str(path)).refuse("too many demands", allowed=f"at most {_MOST_DEMANDS:,}")
    if not demands:
        raise FilePlace(str(path)).refuse("no demand", allowed="a row for each pair of routers that exchange traffic")
    return demands


def show(traffic: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of parsed traffic.

    Parameters
    ----------
    traffic
        As `parse` returns it.

    Returns
    -------
    The rule; the only demand; or the number of demands, with the sum of rates.
    """
    if isinstance(traffic, str):
        return traffic
    if len(traffic) == 1:
        [demand] = traffic
        amount = f"share {units.show('number', demand['share'])}" if demand["rate"] is None else _rate(demand["rate"])
        return f"{demand['from']} to {demand['to']}: {amount}"
    rates = [demand["rate"] for demand in traffic if demand["rate"] is not None]
    total = f", {_rate(sum(rates))} in all" if rates else ", shares"
    return f"{len(traffic):,} demands{total}"


def _rate(rate: float) -> str:
    return units.show("rate", rate)


def _demand(path: str, given: Mapping[str, Any], segment_bytes: float) -> dict[str, Any]:
    for key in given:
        if key not in KEYS:
            raise unknown("key of a demand", str(key), KEYS, path=f"{path}.{key}")
    for key in ("from", "to"):
        if not isinstance(given.get(key), str) or not given[key]:
            problem, allowed = "a demand needs the name of a router", f'a router of the topology, such as {key} = "A"'
            raise InputError(problem, path=f"{path}.{key}", value=given.get(key), allowed=allowed)
    amounts = [key for key in KEYS[2:] if given.get(key) is not None]
    if len(amounts) != 1:
        raise InputError("a demand has one amount", path=path, value=dict(given), allowed=_ONE_OF)
    [key] = amounts
    value = f"{given[key]} Mbit/s" if key == "rate_mbps" else given[key]
    kind: units.Kind = "number" if key == "share" else "rate"
    try:
        row = f"users.traffic[].{'share' if key == 'share' else 'rate'}"
        amount = ranges.parse(row, kind, value, example="40 Mbit/s", segment_bytes=segment_bytes)
    except InputError as error:
        raise InputError(error.problem, error.file, f"{path}.{key}", given[key], error.allowed) from None
    share, rate = (amount, None) if key == "share" else (None, amount)
    return {"from": given["from"], "to": given["to"], "share": share, "rate": rate}


def _cell_number(at: FilePlace, key: str, text: str) -> float:
    try:
        return float(units.parse("number", text))
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=text, allowed="a number, at least 0") from None
