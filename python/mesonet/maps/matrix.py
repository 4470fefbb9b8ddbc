"""A traffic matrix of a network: by gravity alone, or the smallest change of a prior that explains measured loads.

The demands x solve min |W (A x - y)|^2 + e^2 |D (x - g)|^2 for x >= 0. A has the shares of each pair on each link, y
has the loads, and g the prior. D divides by the square root of the prior, so that large demands change more.

Source: Zhang, Roughan, Duffield, Greenberg, "Fast accurate computation of large-scale IP traffic matrices from link
loads", SIGMETRICS 2003, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import core, units
from mesonet.errors import InputError
from mesonet.maps.loads import LinkLoad, Measurement, bit_rate, link_loads, read_measured
from mesonet.scenarios.scenario import Scenario

Floats = NDArray[np.float64]

GRAVITY = "gravity"
_PRIOR_WEIGHT = 1e-3
"""Weight of the prior against the loads (chosen): loads count a thousand times as much, as far as they determine x."""
_DETERMINED = 1 - 1e-6
"""Share of a pair in the row space of the routing matrix from which on the loads alone determine it."""


@dataclass(frozen=True)
class TrafficMatrix:
    """Traffic matrix that explains measured loads.

    Attributes
    ----------
    demands
        A row for each pair: ``from``, ``to``, ``rate_mbps``, ``prior_mbps``, and ``determined``, from 0 (the prior
        alone) to 1 (the loads alone).
    links
        A row for each measured link: ``from``, ``to``, ``measured`` and ``predicted`` share of the capacity.
    rank
        Rank of the routing matrix: the number of sums of demands that the loads determine.
    groups
        Groups of pairs that cross the same measured links: loads determine only their sum.
    unseen
        Number of pairs that cross no measured link: they keep the prior.
    prior
        Name of the prior.
    """

    demands: pl.DataFrame
    links: pl.DataFrame
    rank: int
    groups: list[list[tuple[str, str]]] = field(repr=False)
    unseen: int
    prior: str

    @property
    def sentences(self) -> list[str]:
        """Sentences on what the loads determine, and on the fit."""
        pairs = len(self.demands)
        if self.links.is_empty():
            total = bit_rate(float(self.demands["rate_mbps"].sum()) * 1e6)
            return [f"{pairs} demands by {self.prior} alone, {total} in sum; no load was measured"]
        alone = int((self.demands["determined"] > _DETERMINED).sum())
        shared = sum(len(group) for group in self.groups)
        worst = (self.links["predicted"] - self.links["measured"]).abs().arg_max()
        found = [
            f"{len(self.links)} loads determine {self.rank} sums of {pairs} demands; "
            f"the prior ({self.prior}) decides the rest",
            f"demands that loads alone determine: {alone}; demands that cross no measured link: {self.unseen}",
        ]
        if self.groups:
            example = " + ".join(f"{a} to {b}" for a, b in self.groups[0][:3])
            more = " + ..." if len(self.groups[0]) > 3 else ""
            found.append(
                f"of {shared} demands in {len(self.groups)} groups the loads determine the sum only, such as "
                f"{example}{more}"
            )
        if worst is not None:
            link = self.links.row(worst, named=True)
            found.append(
                f"largest difference of a share: {link['from']} -> {link['to']} {link['predicted']:.4f} predicted, "
                f"{link['measured']:.4f} measured"
            )
        return found

    def write(self, path: str | Path) -> Path:
        """Write the demands as a CSV file that ``users.traffic`` reads.

        Parameters
        ----------
        path
            The file, which is replaced.

        Returns
        -------
        The file.
        """
        rates = self.demands.filter(pl.col("rate_mbps") > 0).select("from", "to", "rate_mbps")
        rates.write_csv(path)
        return Path(path)


def traffic_matrix(
    scenario: Scenario,
    measured: str | Path | Sequence[Mapping[str, Any]] = (),
    *,
    prior: str | Path | None = None,
    total: str | None = None,
) -> TrafficMatrix:
    """Return the traffic matrix nearest to a prior that explains measured loads of links, or a matrix by gravity.

    Parameters
    ----------
    scenario
        The network, with queues at ports. Its routes decide which links a demand crosses.
    measured
        Loads of links: a CSV file with ``from``, ``to``, and ``utilisation``, ``rate`` or ``rate_mbps``, or rows with
        these keys. The end ``hosts`` is the port towards the hosts of a router. Empty: no load, but a `total`.
    prior
        A matrix of rates in a file, or ``gravity``: products of the speeds of the links at both ends, scaled to the
        loads. By default the matrix of the scenario if it has rates, else ``gravity``.
    total
        In place of loads: the sum of all demands of a matrix by gravity, such as ``10 Mbit/s``.

    Returns
    -------
    The matrix, with the part that the loads do not determine.

    Raises
    ------
    InputError
        If a file has no such form, or names a link or router that the network does not have; with loads and a total.
    """
    if scenario.value("network.queue") != "port":
        allowed = "network.queue = port"
        raise InputError("links have no capacity where a router has one queue", path="scenario", allowed=allowed)
    if total is not None:
        return _by_gravity(scenario, measured, prior, total)
    loads = _loads(measured)
    described = scenario.describe()
    links = link_loads(described, float(scenario.value("transport.segment_bytes")), loads)
    known = [number for number, link in enumerate(links) if link.measured is not None]
    ways = core.ways(scenario.to_json())
    pairs = [(pair["from"], pair["to"]) for pair in ways["pairs"]]
    shares = _routing(ways, links, known)
    y = np.array([links[number].measured or 0.0 for number in known])
    name, g = _matrix_prior(scenario, prior, described, pairs)
    if g is None:
        g = _gravity(described, pairs, links)
        predicted = shares @ g
        g *= float(predicted @ y / (predicted @ predicted)) if predicted.any() else 0.0
    x = _smallest_change(shares, y, g)
    determined = _determined(shares)
    groups, unseen = _groups(shares, pairs)
    demands = pl.DataFrame(
        {
            "from": [a for a, _ in pairs],
            "to": [b for _, b in pairs],
            "rate_mbps": x / 1e6,
            "prior_mbps": g / 1e6,
            "determined": determined,
        }
    )
    capacity = np.array([links[number].capacity for number in known])
    table = pl.DataFrame(
        {
            "from": [links[number].source for number in known],
            "to": [links[number].target for number in known],
            "measured": y / capacity,
            "predicted": shares @ x / capacity,
        }
    )
    return TrafficMatrix(
        demands=demands,
        links=table,
        rank=int(np.linalg.matrix_rank(shares)),
        groups=groups,
        unseen=unseen,
        prior=name,
    )


def _by_gravity(
    scenario: Scenario, measured: str | Path | Sequence[Mapping[str, Any]], prior: str | Path | None, total: str
) -> TrafficMatrix:
    """Return demands between all pairs of regions in proportion to the capacities at both ends."""
    if isinstance(measured, str | Path) or len(measured):
        raise InputError("goes without loads", path="total", value=total, allowed="loads, or a total")
    if prior not in (None, GRAVITY):
        raise InputError("goes with gravity only", path="prior", value=str(prior), allowed=GRAVITY)
    try:
        rate = units.RATE.parse(total) * 8 * units.SEGMENT_BYTES
    except InputError as error:
        raise error.below("total") from None
    if rate <= 0:
        raise InputError("too low", path="total", value=total, allowed="more than 0 bit/s")
    described = scenario.describe()
    pairs = [(pair["from"], pair["to"]) for pair in core.ways(scenario.to_json())["pairs"]]
    weights = _gravity(described, pairs, link_loads(described, float(scenario.value("transport.segment_bytes"))))
    demands = rate / 1e6 * weights / (weights.sum() or 1.0)
    table = pl.DataFrame([{"from": a, "to": b} for a, b in pairs], schema=["from", "to"]).with_columns(
        rate_mbps=demands, prior_mbps=demands, determined=pl.lit(0.0)
    )
    nothing = pl.DataFrame(schema={"from": pl.String, "to": pl.String, "measured": pl.Float64, "predicted": pl.Float64})
    return TrafficMatrix(demands=table, links=nothing, rank=0, groups=[], unseen=len(pairs), prior=GRAVITY)


def _loads(measured: str | Path | Sequence[Mapping[str, Any]]) -> list[Measurement]:
    if isinstance(measured, str | Path):
        return read_measured(Path(measured))
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / "measured.csv"
        pl.DataFrame([dict(row) for row in measured], infer_schema_length=None).write_csv(path)
        return read_measured(path)


def _routing(ways: Mapping[str, Any], links: Sequence[LinkLoad], known: Sequence[int]) -> Floats:
    """Return the share of each demand on each measured link, its acknowledgements included."""
    row = {number: place for place, number in enumerate(known)}
    shares = np.zeros((len(known), len(ways["pairs"])))
    for column, pair in enumerate(ways["pairs"]):
        for way, size in ((pair["data"], 1.0), (pair["acks"], ways["ack_size"])):
            for queue, share in way:
                if queue in row:
                    shares[row[queue], column] += size * share
    return shares


def _matrix_prior(
    scenario: Scenario, prior: str | Path | None, described: Mapping[str, Any], pairs: Sequence[tuple[str, str]]
) -> tuple[str, Floats | None]:
    """Return the name of the prior, and its demands in bit/s; None for gravity."""
    if str(prior) == GRAVITY:
        return GRAVITY, None
    if prior is not None:
        scenario = scenario.set("users.traffic", str(prior))
    matrix = scenario.value("users.traffic")
    if isinstance(matrix, str) or matrix[0]["rate"] is None:
        if prior is None:
            return GRAVITY, None
        raise InputError(
            "a prior without rates", path="prior", value=str(prior), allowed="a matrix of rates, or gravity"
        )
    name = "the matrix of the scenario" if prior is None else str(prior)
    return name, _of_matrix(scenario, described, pairs)


def _gravity(described: Mapping[str, Any], pairs: Sequence[tuple[str, str]], links: Sequence[LinkLoad]) -> Floats:
    """Return products of the capacities of the links between regions at both ends of each pair."""
    head = _heads(described)
    weight: dict[str, float] = {}
    for link in links:
        ends = (head.get(link.source), head.get(link.target))
        if ends[0] is not None and ends[1] is not None and ends[0] != ends[1]:
            weight[ends[0]] = weight.get(ends[0], 0.0) + link.capacity
    return np.array([weight.get(a, 0.0) * weight.get(b, 0.0) for a, b in pairs])


def _heads(described: Mapping[str, Any]) -> dict[str, str]:
    """Return the name of the region of each router."""
    routers = described["map"]["routers"]
    return {each["name"]: routers[each["region"]]["name"] for each in routers}


def _of_matrix(scenario: Scenario, described: Mapping[str, Any], pairs: Sequence[tuple[str, str]]) -> Floats:
    """Return the rates of the matrix of a scenario by pair of regions, bit/s."""
    head, place = _heads(described), {pair: number for number, pair in enumerate(pairs)}
    g = np.zeros(len(pairs))
    bits = 8 * float(scenario.value("transport.segment_bytes")) * float(scenario.value("users.traffic_factor"))
    scenario.check()  # names of routers
    for demand in scenario.value("users.traffic"):
        ends = (head[demand["from"]], head[demand["to"]])
        if ends in place:
            g[place[ends]] += demand["rate"] * bits
    return g


def _smallest_change(shares: Floats, y: Floats, g: Floats) -> Floats:
    """Return the demands that explain the loads `y` with the smallest change of the prior `g`."""
    from scipy.optimize import lsq_linear

    if not g.any():
        return g
    # A demand of nothing may grow, from a thousandth of the mean demand.
    spread = np.sqrt(np.maximum(g, g.mean() * 1e-3) * g.mean())
    size = max(float(np.sqrt((y**2).mean())), 1.0)
    system = np.vstack([shares * spread / size, _PRIOR_WEIGHT * np.eye(len(g))])
    right = np.concatenate([(y - shares @ g) / size, np.zeros(len(g))])
    change = lsq_linear(system, right, bounds=(-g / spread, np.inf), tol=1e-12, max_iter=1000).x
    return np.asarray(np.maximum(g + spread * change, 0.0))


def _determined(shares: Floats) -> Floats:
    """Return how much of each demand the loads determine: its share in the row space of the routing matrix."""
    _, values, rows = np.linalg.svd(shares, full_matrices=False)
    kept = rows[values > values.max(initial=0.0) * max(shares.shape) * np.finfo(float).eps]
    return np.asarray(np.clip((kept**2).sum(axis=0), 0.0, 1.0))


def _groups(shares: Floats, pairs: Sequence[tuple[str, str]]) -> tuple[list[list[tuple[str, str]]], int]:
    """Return groups of pairs with equal columns, and the number of pairs without a measured link."""
    found: dict[bytes, list[tuple[str, str]]] = {}
    unseen = 0
    for column, pair in zip(shares.T.round(12), pairs, strict=True):
        if column.any():
            found.setdefault(np.ascontiguousarray(column).tobytes(), []).append(pair)
        else:
            unseen += 1
    return [group for group in found.values() if len(group) > 1], unseen
