"""Replays: controls on paths, and their goodput, round trip and losses as a recording has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from mesonet.fitting.paths import BASE, EVERY_S, PORT, FittedPath
from mesonet.fitting.recording import Recording
from mesonet.scenarios.scenario import load_scenario
from mesonet.simulation.batch import run_edits
from mesonet.simulation.result import Table


@dataclass(frozen=True)
class Outcome:
    """Outcome of one control on one path."""

    goodput: float  #: full packets, in bit/s
    round_trip_s: float  #: median over time
    lost_full: int  #: packets lost at the full queue
    lost_random: int

    @property
    def lost(self) -> int:
        """Packets lost."""
        return self.lost_full + self.lost_random


@dataclass(frozen=True)
class Replay:
    """A control on a path over time, every `EVERY_S`."""

    outcome: Outcome
    time_s: np.ndarray
    delivered: np.ndarray  #: packets acknowledged so far
    round_trip_s: np.ndarray
    lost: np.ndarray  #: packets lost so far


def recorded(recording: Recording, lost_at_full: int) -> Outcome:
    """Return the outcome of a recording."""
    lost = int(recording.lost.sum())
    trip = float(np.median(recording.round_trip_at(EVERY_S)))
    return Outcome(recording.goodput, trip, lost_at_full, lost - lost_at_full)


def replays(
    runs: Iterable[tuple[FittedPath, str, int]], progress: Callable[[float, float], None] | None = None
) -> list[Replay]:
    """Return the replays of controls on paths. `runs`: path, control and seed of each."""
    chosen = list(runs)
    edits = [(path.settings(control), seed) for path, control, seed in chosen]
    finished = run_edits(load_scenario(BASE), edits, ("flow_traces", "router_traces"), progress=progress)
    return [_replay(path, tables) for (path, _, _), tables in zip(chosen, finished, strict=True)]


def _replay(path: FittedPath, tables: Mapping[str, Table]) -> Replay:
    flow, queues = (tables[name].to_polars() for name in ("flow_traces", "router_traces"))
    queues = queues.filter(router=PORT)
    time_s = queues["time_s"].to_numpy()
    service_s, queue = path.service_s(time_s), queues["queue"].to_numpy()
    # Little's law: packets in the queue, the one in service included, over their rate.
    trip_s = path.base_s + np.maximum(queue, 1) * service_s
    # A round trip is known when it ends, as in a recording.
    known_s = np.maximum.accumulate(time_s + trip_s)
    at = np.arange(2 * path.base_s, path.duration_s, EVERY_S)  # after the handshake
    seen_s = trip_s[np.searchsorted(known_s, at, side="right").clip(1) - 1]
    full = np.cumsum(queues["segments_dropped"].to_numpy())
    delivered, lost = (flow[name].to_numpy().astype(float) for name in ("segments_delivered", "losses"))
    outcome = Outcome(
        goodput=8 * path.segment_bytes * float(delivered[-1]) / (path.duration_s - path.base_s),
        round_trip_s=float(np.median(seen_s)),
        lost_full=int(full[-1]),
        lost_random=max(0, int(lost[-1]) - int(full[-1])),
    )
    return Replay(outcome, flow["time_s"].to_numpy(), delivered, trip_s, lost)
