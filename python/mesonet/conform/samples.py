"""Samples of a run as arrays: traced flows and queues, and the rate of the bottleneck."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.result import Result, Table

if TYPE_CHECKING:
    import polars as pl

BOTTLENECK = "A -> B"
"""Port of the scenarios at which segments queue."""
_STARTING = ("closed", "connecting")


@dataclass(frozen=True)
class Samples:
    """Samples of a run."""

    scenario: Scenario  #: scenario of the run
    result: Result  #: tables of the run

    def flow(self, number: int = 1) -> dict[str, np.ndarray]:
        """Return the trace of an explicit flow while the flow sends.

        Columns of the table ``flow_traces``; NaN where there is no value.
        """
        return self._flows[number]

    @property
    def numbers(self) -> list[int]:
        """Numbers of the traced flows."""
        return list(self._flows)

    @cached_property
    def _flows(self) -> dict[int, dict[str, np.ndarray]]:
        columns = _arrays(self.result.flow_traces)
        sending = ~np.isin(columns["state"], _STARTING)
        names = columns["flow"]
        rows = {name: np.flatnonzero(sending & (names == name)) for name in dict.fromkeys(names.tolist())}
        return {
            int(name.removeprefix("flow ")): {key: each[mine] for key, each in columns.items()}
            for name, mine in rows.items()
        }

    @property
    def has_packets(self) -> bool:
        """True if the scenario traces single segments."""
        return bool(self.scenario.value("trace.packets"))

    def packets(self, number: int = 1) -> pl.DataFrame:
        """Return the events of the segments of an explicit flow: rows of the table ``packets``."""
        return self.result.packets.frame.filter(flow=f"flow {number}")

    def without_packets(self) -> Samples:
        """Return these samples without the events of single segments, which take most of the memory."""
        return replace(self, result=replace(self.result, packets=Table({}, {})))

    @cached_property
    def queue(self) -> dict[str, np.ndarray]:
        """Trace of the queue at the bottleneck: columns of the table ``router_traces``."""
        columns = _arrays(self.result.router_traces)
        here = columns["router"] == BOTTLENECK
        return {key: each[here] for key, each in columns.items()}

    @cached_property
    def flows_table(self) -> dict[str, np.ndarray]:
        """Table of flows that ended or were cut short at the end of the run."""
        return _arrays(self.result.flows)

    @cached_property
    def connections(self) -> pl.DataFrame:
        """Connections of whole transport stacks: the table ``stacks``."""
        return self.result.stacks.frame

    @property
    def round_trip(self) -> float:
        """Round-trip time of the path without queues, s: the link has half a millisecond one way."""
        return float(self.scenario.value("network.delay_multiplier")) / 1e3

    @property
    def every(self) -> float:
        """Distance of two samples, s."""
        return float(self.scenario.value("trace.every"))

    @property
    def duration(self) -> float:
        """Simulated time, s."""
        return float(self.scenario.value("time.duration"))

    def link(self, times: np.ndarray) -> np.ndarray:
        """Return the rate of the bottleneck at given times.

        Rates in segments/s; a policer counts as a link of its rate. `times`: s.
        """
        starts, rates, period = self._capacity
        within = np.asarray(times, dtype=float) % period if period else np.asarray(times, dtype=float)
        found: np.ndarray = rates[np.searchsorted(starts, within, side="right") - 1]
        return found

    @cached_property
    def _capacity(self) -> tuple[np.ndarray, np.ndarray, float | None]:
        """Return times and rates from there on, and the period after which they begin again."""
        policer, speed = (float(self.scenario.value(path)) for path in ("impairments.policer_rate", "network.speed"))
        capacity: Any = self.scenario.value("impairments.capacity")
        if policer or not capacity:
            return np.zeros(1), np.array([policer or speed]), None
        starts, rates = np.array(capacity["points"], dtype=float).T
        starts[0] = 0.0  # the first rate holds before its time, too
        return starts, rates, capacity["period"]

    def grown(self, column: str, start: float, end: float, number: int = 1) -> float:
        """Return the growth of a count of a flow, such as ``losses``, between two times in s."""
        flow = self.flow(number)
        first, last = np.interp([start, end], flow["time_s"], flow[column].astype(float), left=0.0)
        return float(last - first)

    def loss_share(self, start: float, end: float) -> float:
        """Return losses per segment sent by all traced flows between two times in s; NaN if none was sent."""
        losses, sent = (
            sum(self.grown(column, start, end, number) for number in self.numbers)
            for column in ("losses", "segments_sent")
        )
        return losses / sent if sent else float("nan")

    def utilisation(self, start: float, end: float) -> float:
        """Return segments delivered per segment that the link could carry between two times in s.

        Packets of a stack count with their headers, as the link carries them: segments sent less segments lost.
        """
        carried = float(np.sum(self.link(np.arange(start, end, self.every)))) * self.every
        if len(self.connections):
            return (self.grown("segments_sent", start, end) - self.grown("losses", start, end)) / carried
        return self.grown("segments_delivered", start, end) / carried

    def delivered_rate(self, number: int = 1, window: float | None = None) -> np.ndarray:
        """Return the rate of delivery before each sample of a flow.

        Rates in segments/s. `window`: time over which the rate is taken, s; None: the round-trip time of the path, at
        least ten samples.
        """
        flow = self.flow(number)
        time, delivered = flow["time_s"], flow["segments_delivered"].astype(float)
        span = max(self.round_trip, 10 * self.every) if window is None else window
        before = np.interp(time - span, time, delivered, left=delivered[0] if len(delivered) else 0.0)
        rate: np.ndarray = (delivered - before) / span
        return rate


def _arrays(table: Table) -> dict[str, np.ndarray]:
    return {column.name: column.to_numpy() for column in table.frame}
