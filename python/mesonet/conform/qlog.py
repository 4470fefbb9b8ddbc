"""Sampled flows as qlog, the format that viewers of QUIC traces read.

A file is a sequence of JSON texts (RFC 7464, draft-ietf-quic-qlog-main-schema-02, ``JSON-SEQ``). Events are
``recovery:metrics_updated``, ``recovery:congestion_state_updated`` and ``recovery:packet_lost``
(draft-ietf-quic-qlog-quic-events-02), and ``mesonet:mode_updated`` for algorithms that have modes. An event has the
time of the sample of the trace in which its change is seen.

A run whose packets are traced has each segment, too: ``transport:packet_sent``, ``transport:packet_received`` with a
frame ``ack``, ``recovery:packet_lost`` and ``mesonet:packet_dropped``, at their own times. As in QUIC, a retransmission
has a new packet number, and the stream offset of its segment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from heapq import merge
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from mesonet._version import __version__
from mesonet.conform.samples import Samples
from mesonet.files import places

VERSION = "0.3"
"""Version of qlog that most viewers read."""
UNSET = 2.0**31
"""Threshold, segments, from which it counts as never set: `transport.max_cwnd` allows no larger window."""
STATES = {
    "slow start": "slow_start",
    "standard": "congestion_avoidance",
    "alternate": "congestion_avoidance",
    "fast recovery": "recovery",
    "after a timeout": "recovery",
}
"""State of qlog (draft-ietf-quic-qlog-quic-events-02, section 5.4.3) by the state of a trace."""
TRIGGERS = {"after a timeout": "persistent_congestion"}
"""Trigger of qlog by the state of a trace, which it begins."""
EVENTS = {
    "sent": "transport:packet_sent",
    "retransmitted": "transport:packet_sent",
    "acknowledged": "transport:packet_received",
    "lost": "recovery:packet_lost",
    "dropped": "mesonet:packet_dropped",
}
"""Event of qlog by the event of a segment. ``transport:packet_dropped`` of qlog is a drop by an endpoint."""
_SEPARATOR = "\x1e"
_MS = 1e3


def records(samples: Samples, number: int, title: str) -> Iterator[dict[str, Any]]:
    """Yield the header and the events of a flow.

    Plain data. Times are in ms from the start of the run, sizes in bytes, rates in bit/s, as qlog has them. `number`:
    number of the flow, from 1.
    """
    yield {
        "qlog_version": VERSION,
        "qlog_format": "JSON-SEQ",
        "title": title,
        "trace": {
            "common_fields": {"time_format": "relative", "reference_time": 0},
            "vantage_point": {"name": f"mesonet {__version__}, flow {number}", "type": "server"},
        },
    }
    segments = _packets(samples, number) if samples.has_packets else ()
    yield from merge(_sampled(samples, number), segments, key=itemgetter("time"))


def write(path: Path, samples: Samples, number: int, title: str) -> None:
    """Write the trace of a flow as qlog.

    `path`: the file, which is replaced; its ending is ``.sqlog``. `number`: number of the flow, from 1.
    """
    with places.file(path, "--traces") as aside, aside.open("w", encoding="utf-8") as file:
        for record in records(samples, number, title):
            file.write(f"{_SEPARATOR}{json.dumps(record, allow_nan=False)}\n")


def _sampled(samples: Samples, number: int) -> Iterator[dict[str, Any]]:
    """Yield the events of the samples; lost packets without numbers, unless `_packets` has them."""
    flow, size = samples.flow(number), samples.scenario.segment_bytes
    metrics: dict[str, float | int] = {}
    state = mode = ""
    lost, smallest = 0, float("inf")
    for row in range(len(flow["time_s"])):
        time = float(flow["time_s"][row]) * _MS
        seen = str(flow["state"][row])
        if (now := STATES[seen]) != state:
            trigger = {"trigger": TRIGGERS[seen]} if seen in TRIGGERS else {}
            yield _event(time, "recovery:congestion_state_updated", _change(state, now) | trigger)
            state = now
        if (now := str(flow["mode"][row])) != mode:
            yield _event(time, "mesonet:mode_updated", _change(mode, now))
            mode = now
        losses = int(flow["losses"][row])
        for _ in range(0 if samples.has_packets else losses - lost):
            yield _event(time, "recovery:packet_lost", {"header": {"packet_type": "1RTT"}})
        lost = losses
        smallest = np.fmin(smallest, float(flow["rtt_ms"][row]))
        new = _metrics(flow, row, size, smallest)
        # Only values that changed, as the events draft has it (section 5.4.2).
        if changed := {key: value for key, value in new.items() if metrics.get(key) != value}:
            yield _event(time, "recovery:metrics_updated", changed)
        metrics = new


def _packets(samples: Samples, number: int) -> Iterator[dict[str, Any]]:
    """Yield the events of single segments, as viewers match them by packet number."""
    size, acks = round(samples.scenario.segment_bytes), count(1)
    sent_s: dict[int, float] = {}
    rows = samples.packets(number).select("time_s", "event", "transmission", "segment").iter_rows()
    for time, event, transmission, segment in rows:
        name = EVENTS[event]
        data: dict[str, Any] = {"header": {"packet_type": "1RTT", "packet_number": transmission}}
        if name == "transport:packet_sent":
            stream = {"frame_type": "stream", "stream_id": 0, "offset": (segment - 1) * size, "length": size}
            data |= {"raw": {"length": size}, "frames": [stream]}
            sent_s[transmission] = time
        elif name == "transport:packet_received":
            data["header"]["packet_number"] = next(acks)
            data["frames"] = [{"frame_type": "ack", "acked_ranges": [[transmission]]}]
        yield _event(time * _MS, name, data)
        if name == "transport:packet_received" and transmission in sent_s:
            latest = (time - sent_s.pop(transmission)) * _MS
            yield _event(time * _MS, "recovery:metrics_updated", {"latest_rtt": round(latest, 6)})


def _metrics(flow: dict[str, np.ndarray], row: int, size: float, smallest: float) -> dict[str, float | int]:
    found: dict[str, float] = {
        "min_rtt": smallest,
        "smoothed_rtt": float(flow["rtt_ms"][row]),
        "congestion_window": float(flow["cwnd"][row]) * size,
        "bytes_in_flight": float(flow["in_flight"][row]) * size,
        "packets_in_flight": float(flow["in_flight"][row]),
        "ssthresh": float(flow["ssthresh"][row]) * size,
        "pacing_rate": float(flow["pacing_rate"][row]) * size * 8,
    }
    times = ("min_rtt", "smoothed_rtt")
    known = {key: value for key, value in found.items() if np.isfinite(value)}
    if flow["ssthresh"][row] >= UNSET:
        known.pop("ssthresh", None)
    return {key: round(value, 3) if key in times else round(value) for key, value in known.items()}


def _change(old: str, new: str) -> dict[str, str]:
    return {"old": old, "new": new} if old else {"new": new}


def _event(time: float, name: str, data: dict[str, Any]) -> dict[str, Any]:
    return {"time": round(time, 6), "name": name, "data": data}
