"""Packets at the queue and samples of TCP_INFO: all that a run of the kernel leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

ACCEPTED, TAIL_DROP, RANDOM_LOSS, ACK, UNQUEUED, OUTAGE_LOSS = range(6)
"""Kinds of packets, as in bottleneck.c."""
SYN, DSACK = 2, 256
SAMPLE_S = 0.01
"""Time between two samples of a run."""
MSS = 1448
"""Data in a segment of 1500 bytes: less the headers of IPv4 and TCP and the time stamps."""

PACKET = np.dtype(
    [
        ("read_ns", "<i8"), ("leaves_ns", "<i8"), ("sequence", "<u4"), ("bytes", "<u4"), ("queue", "<u4"),
        ("late_ns", "<u4"), ("port", "<u2"), ("kind", "<u2"), ("flags", "<u2"), ("unused", "<u2"),
    ]
)  # fmt: skip
"""A record of bottleneck.c."""

SAMPLE = np.dtype(
    [
        ("time_s", "f8"), ("flow", "i4"), ("state", "i4"), ("cwnd", "i8"), ("ssthresh", "i8"), ("in_flight", "i8"),
        ("unacked", "i8"), ("sacked", "i8"), ("lost", "i8"), ("retrans", "i8"), ("srtt_s", "f8"), ("rttvar_s", "f8"),
        ("rto_s", "f8"), ("min_rtt_s", "f8"), ("pacing", "f8"), ("total_retrans", "i8"), ("delivered", "i8"),
        ("bytes_acked", "i8"), ("dsacks", "i8"), ("timeouts", "i8"), ("receiver_limited_s", "f8"),
        ("buffer_limited_s", "f8"), ("pacing_gain", "f8"), ("cwnd_gain", "f8"), ("bandwidth", "f8"),
        ("bbr_min_rtt_s", "f8"),
    ]
)  # fmt: skip
"""A sample of a flow (TCP_INFO, TCP_CC_INFO)."""


@dataclass(frozen=True)
class Trace:
    """Packets and samples of a run. `ended` has the counters of both namespaces and the values that the kernel used."""

    began_ns: int
    packets: np.ndarray
    samples: np.ndarray
    ended: dict[str, Any]
