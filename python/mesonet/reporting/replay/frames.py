"""Frames of the replay: the state of every router at every instant, in three bytes per router and instant.

Queue occupancy and share of drops are kept as their roots: 1 in 10,000 is not 0, and a full queue has a resolution of 1
%. Bytes are differences from the previous instant, which compress well.
"""

import base64
import gzip
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.reporting.replay.recorded import ReplayRun

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]


def frames(run: ReplayRun, routers: Sequence[str]) -> tuple[Floats, Bytes]:
    """Return the instants and the state of every router.

    The quantities are the root of the share of the buffer in use, the root of the share of arriving segments dropped,
    and the utilisation; the last two since the previous instant. Each is multiplied by 255, and is at least 1 if it is
    not 0.

    Parameters
    ----------
    run
        A run with traces.
    routers
        Names of r routers; a router without a trace has zeros.

    Returns
    -------
    Instants, s, shape (t,), and bytes, shape (3, r, t): queue, drops, utilisation.
    """
    places = {name: place for place, name in enumerate(routers)}
    buffer = dict(run.routers.select("router", "buffer").iter_rows())
    traces = run.traces.filter(pl.col("router").is_in(list(places)))
    times = traces["time_s"].unique().sort().to_numpy()
    when = np.searchsorted(times, traces["time_s"].to_numpy())
    who = np.array([places[name] for name in traces["router"]], dtype=int)
    room = np.array([buffer.get(name) or np.inf for name in traces["router"]], dtype=float)
    dropped = traces["segments_dropped"].to_numpy().astype(float)
    arrived = dropped + traces["segments_accepted"].to_numpy()
    shares = (
        np.sqrt(np.minimum(traces["queue"].to_numpy() / room, 1.0)),
        np.sqrt(np.divide(dropped, arrived, out=np.zeros(len(arrived)), where=arrived > 0)),
        np.minimum(traces["utilisation"].fill_null(0.0).to_numpy(), 1.0),
    )
    coded = np.zeros((3, len(routers), len(times)), dtype=np.uint8)
    for quantity, share in enumerate(shares):
        coded[quantity, who, when] = np.where(share > 0, np.maximum(np.round(255 * share), 1), 0)
    return times, coded


def packed(coded: Bytes) -> str:
    """Return bytes as differences along the last axis, compressed.

    Parameters
    ----------
    coded
        Bytes, of any shape.

    Returns
    -------
    The gzip stream in base64.
    """
    change = np.diff(coded, axis=-1, prepend=np.zeros((*coded.shape[:-1], 1), dtype=np.uint8))
    return base64.b64encode(gzip.compress(change.astype(np.uint8).tobytes(), 9, mtime=0)).decode("ascii")
