"""Quantities of one run, by the same rules for the kernel and for mesonet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from packets import ACCEPTED, ACK, DSACK, RANDOM_LOSS, SYN, TAIL_DROP, Trace
from scenarios import PROPAGATION_S, SAMPLE_S, SEGMENT_BYTES, SERVICE_S, START_S, Scenario

MSS = 1448
"""Data in a segment of 1500 bytes: less the headers of IPv4 and TCP and the time stamps."""

_REDUCED = 2
"""Least `tcpi_ca_state` of a reduced window: CWR 2, Recovery 3, Loss 4 (linux/tcp.h)."""


@dataclass(frozen=True)
class Flow:
    """What is known of one flow at each instant of `time_s`; counts are since its start.

    `spurious` counts retransmissions of segments of which no copy was lost. NaN where the window has no threshold.
    """

    time_s: np.ndarray
    cwnd: np.ndarray
    ssthresh: np.ndarray
    in_flight: np.ndarray
    srtt_s: np.ndarray
    delivered: np.ndarray
    reductions: np.ndarray
    timeouts: np.ndarray
    drops: np.ndarray
    retransmissions: float
    spurious: float

    def gain(self, count: np.ndarray, span: tuple[float, float]) -> float:
        """Return by how much a count grew in a span."""
        return _at(self.time_s, count, span[1]) - _at(self.time_s, count, span[0])

    def mean(self, values: np.ndarray, span: tuple[float, float]) -> float:
        """Return the mean over the samples in a span."""
        inside = (self.time_s >= span[0]) & (self.time_s < span[1])
        return float(values[inside].mean()) if inside.any() else float("nan")


@dataclass(frozen=True)
class Observation:
    """One run: the queue at each instant of `time_s` (counts since the start), and its flows by their start.

    `queue` counts the segment in service. `smallest_rtt_s` and `dsacks` are NaN where they are not known.
    """

    time_s: np.ndarray
    queue: np.ndarray
    accepted: np.ndarray
    dropped: np.ndarray
    busy_s: np.ndarray
    flows: Sequence[Flow]
    completion_s: float = float("nan")
    smallest_rtt_s: Sequence[float] = field(default=())
    dsacks: Sequence[float] = field(default=())


def quantities(run: Observation, scenario: Scenario) -> dict[str, float]:
    """Return the quantities of a run, by name; the names end with the unit."""
    if scenario.segments:
        found = {"completion ms": 1e3 * run.completion_s, "drops": float(run.dropped[-1])}
        return {**found, "retransmissions": run.flows[0].retransmissions}
    span = scenario.span_s
    inside = (run.time_s >= span[0]) & (run.time_s < span[1])
    rtt_ms = 1e3 * (2 * PROPAGATION_S + SERVICE_S * run.queue[inside])
    accepted, dropped = _gain(run, run.accepted, span), _gain(run, run.dropped, span)
    delivered = [flow.gain(flow.delivered, span) for flow in run.flows]
    found = {
        "goodput Mb/s": sum(delivered) * SEGMENT_BYTES * 8e-6 / (span[1] - span[0]),
        "utilisation": _gain(run, run.busy_s, span) / (span[1] - span[0]),
        "mean RTT ms": float(rtt_ms.mean()),
        "p95 RTT ms": float(np.percentile(rtt_ms, 95)),
        "drop rate %": 100 * dropped / (accepted + dropped) if accepted + dropped else float("nan"),
        "drops in first 3 s": _at(run.time_s, run.dropped, START_S),
        "time-outs": sum(float(flow.timeouts[-1]) for flow in run.flows),
    }
    if len(run.flows) == 1:
        if scenario.algorithms[0] != "bbr":
            found |= _cuts(run.flows[0], span)
        return found | _flow_quantities(run, 0, span, "")
    found["share of newcomer"] = delivered[1] / sum(delivered)
    for number, name in enumerate((" of first", " of newcomer")):
        found |= _flow_quantities(run, number, span, name)
    return found


def _cuts(flow: Flow, span: tuple[float, float]) -> dict[str, float]:
    """Mean time between reductions of a window, and the median of threshold after / window before."""
    at = np.flatnonzero(np.diff(flow.reductions) > 0) + 1
    at = at[(flow.time_s[at] >= span[0]) & (flow.time_s[at] < span[1])]
    found = {"time between cuts s": float("nan"), "decrease factor": float("nan")}
    if len(at) > 1:
        found["time between cuts s"] = float((flow.time_s[at[-1]] - flow.time_s[at[0]]) / (len(at) - 1))
    if len(at):
        found["decrease factor"] = float(np.median(flow.ssthresh[at] / flow.cwnd[at - 1]))
    return found


def _flow_quantities(run: Observation, number: int, span: tuple[float, float], name: str) -> dict[str, float]:
    """Mechanism of one flow: of the span, but for retransmissions, which are of the whole run."""
    flow = run.flows[number]
    found = {
        f"drops{name}": flow.gain(flow.drops, span),
        f"reductions{name}": flow.gain(flow.reductions, span),
        f"mean cwnd{name} segments": flow.mean(flow.cwnd, span),
        f"mean in flight{name} segments": flow.mean(flow.in_flight, span),
        f"mean smoothed RTT{name} ms": 1e3 * flow.mean(flow.srtt_s, span),
        f"retransmissions{name}": flow.retransmissions,
        f"spurious retransmissions{name}": flow.spurious,
    }
    if run.dsacks:
        found[f"DSACKs{name}"] = run.dsacks[number]
    if run.smallest_rtt_s:
        found[f"smallest RTT{name} ms"] = 1e3 * run.smallest_rtt_s[number]
    return found


def _at(time_s: np.ndarray, count: np.ndarray, instant: float) -> float:
    """Return the last value of a count up to an instant; 0 before the first one."""
    place = int(np.searchsorted(time_s, instant + 1e-9, side="right")) - 1
    return float(count[place]) if place >= 0 else 0.0


def _gain(run: Observation, count: np.ndarray, span: tuple[float, float]) -> float:
    return _at(run.time_s, count, span[1]) - _at(run.time_s, count, span[0])


def of_kernel(trace: Trace, scenario: Scenario) -> Observation:
    """Return the observation of a run of the kernel."""
    packets = trace.packets
    read_s = (packets["read_ns"] - trace.began_ns) * 1e-9
    leaves_s = (packets["leaves_ns"] - trace.began_ns) * 1e-9
    kind, data = packets["kind"], packets["bytes"] > 0
    accepted = kind == ACCEPTED
    lost = (kind == TAIL_DROP) | (kind == RANDOM_LOSS)
    time_s = SAMPLE_S * np.arange(round(scenario.duration_s / SAMPLE_S) + 1)
    arrived, left = np.searchsorted(np.sort(read_s[accepted]), time_s), np.searchsorted(leaves_s[accepted], time_s)
    flows, smallest, dsacks = [], [], []
    for number in range(len(scenario.algorithms)):
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
        busy_s=left * SERVICE_S,
        flows=flows,
        completion_s=completion_s(packets, scenario.segments) if scenario.segments else float("nan"),
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


def completion_s(packets: np.ndarray, segments: int) -> float:
    """Return the time from the SYN to the acknowledgement of the last segment, as the sender has it; NaN without."""
    syn = np.flatnonzero((packets["flags"] & SYN > 0) & (packets["kind"] != ACK))
    if not len(syn):
        return float("nan")
    behind = (packets["sequence"] - packets["sequence"][syn[0]]).astype(np.int32)
    done = np.flatnonzero((packets["kind"] == ACK) & (behind >= 1 + segments * MSS))
    if not len(done):
        return float("nan")
    took_ns = int(packets["read_ns"][done[0]]) - int(packets["read_ns"][syn[0]])
    return took_ns * 1e-9 + PROPAGATION_S
