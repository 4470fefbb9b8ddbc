"""Observations of a run, of the kernel or of mesonet, for which equal rules of measurement hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mesonet.kernel.packets import (
    ACCEPTED,
    ACK,
    DSACK,
    MSS,
    OUTAGE_LOSS,
    RANDOM_LOSS,
    SAMPLE_S,
    SYN,
    TAIL_DROP,
    Trace,
)
from mesonet.kernel.setups import Setup
from mesonet.simulation.result import Result

TEXTS = ("flow", "state", "mode")
"""Columns of the traces of flows that hold text."""
_REDUCED = 2
"""Least `tcpi_ca_state` of a reduced window: CWR 2, Recovery 3, Loss 4 (linux/tcp.h)."""


@dataclass(frozen=True)
class Flow:
    """Observations of a flow; counts are since its start."""

    time_s: np.ndarray  #: instants, s, shape (n,)
    #: `cwnd`, `ssthresh`, `in_flight`: segments at each instant; the threshold is NaN where there is none.
    cwnd: np.ndarray
    ssthresh: np.ndarray
    in_flight: np.ndarray
    srtt_s: np.ndarray  #: smoothed round-trip time at each instant, s
    delivered: np.ndarray  #: `delivered`, `reductions`, `timeouts`, `drops`: counts at each instant
    reductions: np.ndarray
    timeouts: np.ndarray
    drops: np.ndarray
    #: `retransmissions`, `spurious`: counts of the whole run; spurious ones are of segments of which no copy was lost.
    retransmissions: float
    spurious: float

    def gain(self, count: np.ndarray, span: tuple[float, float]) -> float:
        """Return the growth of a count in a span. `span`: beginning and end, s."""
        return at(self.time_s, count, span[1]) - at(self.time_s, count, span[0])

    def mean(self, values: np.ndarray, span: tuple[float, float]) -> float:
        """Return the mean over the samples in a span. NaN without a sample. `span`: beginning and end, excluded, s."""
        inside = (self.time_s >= span[0]) & (self.time_s < span[1])
        return float(values[inside].mean()) if inside.any() else float("nan")


@dataclass(frozen=True)
class Observation:
    """Observations of a run."""

    time_s: np.ndarray  #: instants, s, shape (n,)
    queue: np.ndarray  #: segments in the queue at each instant, the one in service included
    accepted: np.ndarray  #: `accepted`, `dropped`: segments since the start, at each instant
    dropped: np.ndarray
    busy_s: np.ndarray  #: time of service since the start, at each instant, s
    flows: Sequence[Flow]  #: flows by their start
    completion_s: float = float("nan")  #: time of a transfer that ends, s; NaN for others
    #: `smallest_rtt_s`, `dsacks`: smallest round-trip time, s, and duplicate SACKs of each flow; NaN where they are not
    #: known.
    smallest_rtt_s: Sequence[float] = field(default=())
    dsacks: Sequence[float] = field(default=())

    def gain(self, count: np.ndarray, span: tuple[float, float]) -> float:
        """Return the growth of a count in a span. `span`: beginning and end, s."""
        return at(self.time_s, count, span[1]) - at(self.time_s, count, span[0])


def at(time_s: np.ndarray, count: np.ndarray, instant: float) -> float:
    """Return the last value of a count up to an instant; 0 before the first one."""
    place = int(np.searchsorted(time_s, instant + 1e-9, side="right")) - 1
    return float(count[place]) if place >= 0 else 0.0


def of_kernel(trace: Trace, setup: Setup) -> Observation:
    """Return the observation of a run of the kernel."""
    packets = trace.packets
    read_s = (packets["read_ns"] - trace.began_ns) * 1e-9
    leaves_s = (packets["leaves_ns"] - trace.began_ns) * 1e-9
    kind, data = packets["kind"], packets["bytes"] > 0
    accepted = np.isin(kind, (ACCEPTED, RANDOM_LOSS, OUTAGE_LOSS))
    lost = np.isin(kind, (TAIL_DROP, RANDOM_LOSS, OUTAGE_LOSS))
    time_s = SAMPLE_S * np.arange(round(setup.duration_s / SAMPLE_S) + 1)
    arrived, left = np.searchsorted(np.sort(read_s[accepted]), time_s), np.searchsorted(leaves_s[accepted], time_s)
    flows, smallest, dsacks = [], [], []
    for number in range(len(setup.algorithms)):
        samples = trace.samples[trace.samples["flow"] == number]
        own = packets["port"] == number + 1
        again, spurious = retransmissions(packets[own & data & (kind != ACK)])
        reduced = samples["state"] >= _REDUCED
        flow = Flow(
            time_s=SAMPLE_S * np.round(samples["time_s"] / SAMPLE_S),
            cwnd=samples["cwnd"].astype(float),
            ssthresh=samples["ssthresh"].astype(float),
            in_flight=samples["in_flight"].astype(float),
            srtt_s=samples["srtt_s"],
            delivered=samples["bytes_acked"] / MSS,
            reductions=np.cumsum(np.diff(reduced, prepend=False) & reduced).astype(float),
            timeouts=samples["timeouts"].astype(float),
            drops=np.searchsorted(read_s[own & lost], samples["time_s"]).astype(float),
            retransmissions=float(again),
            spurious=float(spurious),
        )
        flows.append(flow)
        smallest.append(float(samples["min_rtt_s"][-1]))
        dsacks.append(float(np.count_nonzero(own & (kind == ACK) & (packets["flags"] & DSACK > 0))))
    return Observation(
        time_s=time_s,
        queue=(arrived - left).astype(float),
        accepted=np.searchsorted(np.sort(read_s[accepted & data]), time_s).astype(float),
        dropped=np.searchsorted(read_s[lost], time_s).astype(float),
        busy_s=left * setup.bottleneck.service_s,
        flows=flows,
        completion_s=completion_s(packets, setup) if setup.segments else float("nan"),
        smallest_rtt_s=smallest,
        dsacks=dsacks,
    )


def retransmissions(packets: np.ndarray) -> tuple[int, int]:
    """Count the data packets that were sent again, and those of them of which every earlier copy had arrived.

    Sequence numbers are taken as they come: no run sends 2^31 bytes, so that differences tell their order.
    """
    offset = (packets["sequence"] - packets["sequence"][0]).astype(np.int32) if len(packets) else np.zeros(0, np.int32)
    lost = packets["kind"] != ACCEPTED
    missing: dict[int, bool] = {}
    again = spurious = 0
    for where, gone in zip(offset.tolist(), lost.tolist(), strict=True):
        if where in missing:
            again += 1
            spurious += not missing[where]
            missing[where] = missing[where] and gone
        else:
            missing[where] = gone
    return again, spurious


def completion_s(packets: np.ndarray, setup: Setup) -> float:
    """Return the time from the SYN to the acknowledgement of the last segment, as the sender has it; NaN without."""
    syn = np.flatnonzero((packets["flags"] & SYN > 0) & (packets["kind"] != ACK))
    if not len(syn):
        return float("nan")
    behind = (packets["sequence"] - packets["sequence"][syn[0]]).astype(np.int32)
    done = np.flatnonzero((packets["kind"] == ACK) & (behind >= 1 + (setup.segments or 0) * MSS))
    if not len(done):
        return float("nan")
    took_ns = int(packets["read_ns"][done[0]]) - int(packets["read_ns"][syn[0]])
    return took_ns * 1e-9 + setup.bottleneck.back_s[0][1]


def of_mesonet(result: Result, queue: str, *, lossy: bool) -> Observation:
    """Return the observation of a run of mesonet, of which all explicit flows and a queue are traced.

    `lossy`: whether the link loses segments, which then count as dropped.
    """
    router = result.router_traces.to_polars().filter(router=queue).to_dict(as_series=False)
    traces = result.flow_traces.to_polars()
    ended = result.flows.to_polars().sort("source")
    flows = []
    for number, totals in enumerate(ended.iter_rows(named=True)):
        own = traces.filter(flow=f"flow {number + 1}")
        column = {name: own[name].cast(float).to_numpy() for name in own.columns if name not in TEXTS}
        left = float(column["in_flight"][-1]) if len(own) and not totals["completed"] else 0.0
        again = totals["segments_sent"] - totals["segments_delivered"] - left
        flow = Flow(
            time_s=column["time_s"],
            cwnd=column["cwnd"],
            ssthresh=column["ssthresh"],
            in_flight=column["in_flight"],
            srtt_s=column["rtt_ms"] * 1e-3,
            delivered=column["segments_delivered"],
            reductions=column["loss_events"],
            timeouts=column["timeouts"],
            drops=column["losses"],
            retransmissions=float(again),
            spurious=max(0.0, float(again - totals["losses"])),
        )
        flows.append(flow)
    time_s = np.array(router["time_s"])
    took = totals["last_acked_s"] - totals["started_s"] if totals["completed"] else float("nan")
    lost = [np.array([at(flow.time_s, flow.drops, instant) for instant in time_s]) for flow in flows if lossy]
    return Observation(
        time_s=time_s,
        queue=np.array(router["queue"], dtype=float),
        accepted=np.cumsum(router["segments_accepted"]).astype(float),
        dropped=np.sum(lost, axis=0) if lossy else np.cumsum(router["segments_dropped"]).astype(float),
        busy_s=np.cumsum(router["utilisation"]) * SAMPLE_S,
        flows=flows,
        completion_s=took,
    )


def lateness(trace: Trace, setup: Setup) -> dict[str, float]:
    """Return how late the packets of a run were written.

    `share` is the part of them that was later than the time of service of a segment.
    """
    late_s = trace.packets["late_ns"][np.isin(trace.packets["kind"], (ACCEPTED, ACK))] * 1e-9
    return {
        "mean_ms": float(late_s.mean() * 1e3),
        "median_ms": float(np.median(late_s) * 1e3),
        "p99_ms": float(np.percentile(late_s, 99) * 1e3),
        "largest_ms": float(late_s.max() * 1e3),
        "share": float((late_s > setup.bottleneck.service_s).mean()),
    }
