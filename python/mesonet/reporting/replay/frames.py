"""Frames of the replay: the state of every router at every instant, in four bytes per router and instant.

Queue occupancy and shares of drops and marks are kept as their roots: 1 in 10,000 is not 0, and a full queue has a
resolution of 1 %. Bytes are differences from the previous instant, which compress well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import assets
from mesonet.reporting.replay.recorded import ReplayRun

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]


def frames(run: ReplayRun, routers: Sequence[str]) -> tuple[Floats, Bytes]:
    """Return the instants and the state of every router.

    The quantities are the root of the share of the buffer in use, the roots of the shares of arriving segments dropped
    and marked, and the utilisation; all but the first since the previous instant. Each is multiplied by 255, and is at
    least 1 if it is not 0. A router with a queue at each port has the state of its fullest and of its busiest port; its
    drops and marks are those of all ports together.

    Instants, s, shape (t,), and bytes, shape (4, r, t): queue, drops, utilisation, marks.
    """
    places = {name: place for place, name in enumerate(routers)}
    owners = run.owners(routers)
    buffer = dict(run.routers.select("router", "buffer").iter_rows())
    traces = run.traces.filter(pl.col("router").is_in(list(owners)))
    times = traces["time_s"].unique().sort().to_numpy()
    who = np.array([places[owners[name]] for name in traces["router"]], dtype=int)
    at = who, np.searchsorted(times, traces["time_s"].to_numpy())
    room = np.array([buffer.get(name) or np.inf for name in traces["router"]], dtype=float)

    def over_queues(values: Floats, combine: np.ufunc) -> Floats:
        found = np.zeros((len(routers), len(times)))
        combine.at(found, at, values)
        return found

    def counted(name: str) -> Floats:
        there = name in traces.columns  # earlier runs have no marks
        return over_queues(traces[name].to_numpy().astype(float), np.add) if there else np.zeros((1, 1))

    dropped, marked = counted("segments_dropped"), counted("segments_marked")
    arrived = np.maximum(dropped + counted("segments_accepted"), 1.0)
    shares = (
        np.sqrt(over_queues(np.minimum(traces["queue"].to_numpy() / room, 1.0), np.maximum)),
        np.sqrt(dropped / arrived),
        over_queues(np.minimum(traces["utilisation"].fill_null(0.0).to_numpy(), 1.0), np.maximum),
        np.sqrt(marked / arrived),
    )
    return times, np.stack([_coded(share) for share in shares])


def link_frames(run: ReplayRun, ends: Sequence[tuple[str, str]]) -> Bytes | None:
    """Return the utilisation of every link in its busier direction.

    Bytes, shape (l, t), as for `frames`; None for a run whose queues are not at ports.
    """
    ports = {f"{a} -> {b}": place for place, pair in enumerate(ends) for a, b in (pair, pair[::-1])}
    traces = run.traces.filter(pl.col("router").is_in(list(ports)))
    if traces.is_empty():
        return None
    times = run.traces["time_s"].unique().sort().to_numpy()
    found = np.zeros((len(ends), len(times)))
    at = np.array([ports[name] for name in traces["router"]]), np.searchsorted(times, traces["time_s"].to_numpy())
    np.maximum.at(found, at, np.minimum(traces["utilisation"].fill_null(0.0).to_numpy(), 1.0))
    return _coded(found)


def _coded(share: Floats) -> Bytes:
    return np.where(share > 0, np.maximum(np.round(255 * share), 1), 0).astype(np.uint8)


def packed(coded: Bytes) -> str:
    """Return bytes as differences along the last axis, compressed. `coded`: bytes, of any shape."""
    change = np.diff(coded, axis=-1, prepend=np.zeros((*coded.shape[:-1], 1), dtype=np.uint8))
    return assets.packed(change.astype(np.uint8).tobytes())
