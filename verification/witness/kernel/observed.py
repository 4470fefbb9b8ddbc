"""What a run of the kernel was, from its packets and samples, as `verification.witness.kernel.metrics` takes it."""

from __future__ import annotations

import numpy as np

from verification.witness.kernel.metrics import Flow, Observation
from verification.witness.kernel.packets import (
    ACCEPTED,
    ACK,
    DSACK,
    MSS,
    OUTAGE_LOSS,
    RANDOM_LOSS,
    SYN,
    TAIL_DROP,
    Trace,
)
from verification.witness.kernel.scenarios import PROPAGATION_S, SAMPLE_S, SERVICE_S, KernelScenario

_REDUCED = 2
"""Least `tcpi_ca_state` of a reduced window: CWR 2, Recovery 3, Loss 4 (linux/tcp.h)."""


def of_kernel(trace: Trace, scenario: KernelScenario) -> Observation:
    """Return the observation of a run of the kernel."""
    packets = trace.packets
    read_s = (packets["read_ns"] - trace.began_ns) * 1e-9
    leaves_s = (packets["leaves_ns"] - trace.began_ns) * 1e-9
    kind, data = packets["kind"], packets["bytes"] > 0
    accepted = (kind == ACCEPTED) | (kind == OUTAGE_LOSS)
    lost = (kind == TAIL_DROP) | (kind == RANDOM_LOSS) | (kind == OUTAGE_LOSS)
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
