"""Loads of links: offered by users and arrivals, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import units
from mesonet.errors import InputError, unknown
from mesonet.files.csv_rows import FilePlace, rows
from mesonet.words import counted

_COLUMNS = ("from", "to", "utilisation", "rate", "rate_mbps")
_ONE_OF = "from and to with utilisation, rate or rate_mbps"
HOSTS = "hosts"
"""End of the port towards the hosts of a router."""
_MOST_ROWS = 20
"""Most links of the table; `mesonet check --json` has all."""
_MOST_NAMED = 3
"""Largest differences that a sentence names."""


@dataclass(frozen=True)
class LinkLoad:
    """Direction of a link, or the port towards hosts, and its load."""

    source: str  #: router
    target: str  #: router at the other end, or ``hosts``
    capacity: float  #: bit/s
    data: float  #: data that users and arrivals offer, bit/s
    acks: float  #: their acknowledgements, bit/s; 0 where these only take time
    measured: float | None = None  #: measured load, bit/s

    @property
    def name(self) -> str:
        """Name of the queue."""
        return f"{self.source} -> {self.target}"

    @property
    def share(self) -> float:
        """Offered load as a share of the capacity."""
        return (self.data + self.acks) / self.capacity

    @property
    def utilisation(self) -> float | None:
        """Measured load as a share of the capacity."""
        return None if self.measured is None else self.measured / self.capacity


def link_loads(
    described: Mapping[str, Any], segment_bytes: float, measured: Sequence[Measurement] = ()
) -> list[LinkLoad]:
    """Return the links of a described scenario with queues at ports, and their loads, in the order of their numbers.

    Empty where a router has one queue. `measured`: loads that stand beside.
    """
    bits = 8 * segment_bytes
    found = {
        (each["from"], each["to"] or HOSTS): LinkLoad(
            source=each["from"],
            target=each["to"] or HOSTS,
            capacity=each["speed"] * bits,
            data=each["data"] * bits,
            acks=each["acks"] * bits,
        )
        for each in described["loads"]
        if " -> " in each["queue"]
    }
    for each in measured:
        ends = (each.source, each.target)
        if ends not in found:
            names = [link.name for link in found.values()]
            error = unknown("link", f"{each.source} -> {each.target}", names)
            allowed = "a link of the network" if names else "network.queue = port"
            raise each.place.refuse(error.problem, value=f"{each.source} -> {each.target}", allowed=allowed)
        link = found[ends]
        load = each.rate if each.rate is not None else (each.utilisation or 0.0) * link.capacity
        found[ends] = replace(link, measured=load)
    return list(found.values())


@dataclass(frozen=True)
class Measurement:
    """Measured load of one direction of a link: its utilisation or its rate."""

    source: str
    target: str  #: router, or ``hosts``
    utilisation: float | None  #: share of the capacity
    rate: float | None  #: bit/s
    place: FilePlace  #: place in the file, for messages


def read_measured(path: Path) -> list[Measurement]:
    """Return the measured loads of a CSV file with ``from``, ``to``, and ``utilisation``, ``rate`` or ``rate_mbps``."""
    found: dict[tuple[str, str], Measurement] = {}
    for at, cells in rows(path, _COLUMNS, needed=2):
        amounts = [key for key in _COLUMNS[2:] if cells.get(key)]
        if len(amounts) != 1:
            raise at.refuse("a measurement has one amount", allowed=_ONE_OF)
        key = amounts[0]
        value = _amount(at, key, cells[key])
        ends = (cells["from"], cells["to"])
        if ends in found:
            raise at.refuse("a link that is measured twice", value=" -> ".join(ends), allowed="each direction once")
        share, rate = (value, None) if key == "utilisation" else (None, value)
        found[ends] = Measurement(*ends, share, rate, at)
    if not found:
        raise FilePlace(str(path)).refuse("no measurement", allowed=f"a row for each link: {_ONE_OF}")
    return list(found.values())


def _amount(at: FilePlace, key: str, text: str) -> float:
    """Return the share, or the bit/s, of a cell."""
    try:
        if key == "rate":
            value = units.RATE.parse(text) * 8 * units.SEGMENT_BYTES
        else:
            value = units.number(text) * (1e6 if key == "rate_mbps" else 1.0)
    except InputError as error:
        raise at.refuse(error.problem, key=key, value=text, allowed=error.allowed or "a number") from None
    most = 1.5 if key == "utilisation" else 1e15
    if not 0 <= value <= most:
        allowed = "a share of the capacity, from 0 to 1.5" if key == "utilisation" else "at least 0"
        raise at.refuse("not a load", key=key, value=text, allowed=allowed)
    return value


LOAD_COLUMNS = ["link", "capacity", "offered data", "acknowledgements", "share"]


def load_columns(links: Sequence[LinkLoad]) -> list[str]:
    """Return the columns of `load_rows`."""
    return [*LOAD_COLUMNS, "measured", "difference"] if _measured(links) else LOAD_COLUMNS


def load_rows(links: Sequence[LinkLoad]) -> list[list[str]]:
    """Return a row per link with a load, the highest share first, at most `_MOST_ROWS`."""
    has_measured = bool(_measured(links))
    busy = [link for link in links if link.share > 0 or link.measured is not None]
    shown = []
    for link in sorted(busy, key=lambda link: -link.share)[:_MOST_ROWS]:
        row = [link.name, *(bit_rate(value) for value in (link.capacity, link.data, link.acks)), f"{link.share:.4f}"]
        if has_measured:
            used = link.utilisation
            row += ["", ""] if used is None else [f"{used:.4f}", f"{link.share - used:+.4f}"]
        shown.append(row)
    return shown


def load_sentences(links: Sequence[LinkLoad]) -> list[str]:
    """Return the number of links that `load_rows` leaves out, and the comparison of offered and measured shares."""
    busy = sum(link.share > 0 or link.measured is not None for link in links)
    found = [f"{counted(busy - _MOST_ROWS, 'further link')}: mesonet check --json"] if busy > _MOST_ROWS else []
    compared = _measured(links)
    if not compared:
        return found
    about = f"offered and measured shares of {counted(len(compared), 'link')}"
    correlated = correlation(compared)
    about += "" if correlated is None else f": correlation {correlated:.3f}"
    far = sorted(compared, key=lambda link: -abs(link.share - (link.utilisation or 0.0)))[:_MOST_NAMED]
    named = [f"{link.name} {link.share:.3f} offered, {link.utilisation:.3f} measured" for link in far]
    return [*found, f"{about}; largest differences: {'; '.join(named)}"]


def correlation(links: Sequence[LinkLoad]) -> float | None:
    """Return the correlation of offered and measured shares over the measured links, or None where one is constant."""
    compared = _measured(links)
    shares = np.array([(link.share, link.utilisation) for link in compared], dtype=float)
    if len(compared) < 3 or (np.ptp(shares, axis=0) == 0).any():
        return None
    return float(np.corrcoef(shares.T)[0, 1])


def _measured(links: Sequence[LinkLoad]) -> list[LinkLoad]:
    return [link for link in links if link.measured is not None]


def bit_rate(value: float) -> str:
    """Return a rate in bit/s as text, such as ``9.92 Gbit/s``."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}bit/s"
    return f"{value:.4g} bit/s"
