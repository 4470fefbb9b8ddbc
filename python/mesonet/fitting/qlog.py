"""Logs of QUIC senders, qlog 0.3 and 0.4: one JSON document, lines of JSON, or a JSON text sequence.

Read are ``packet_sent``, acknowledgements in ``packet_received``, and ``packet_lost``
(draft-ietf-quic-qlog-quic-events).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mesonet.errors import InputError
from mesonet.fitting.framing import unpacked_text
from mesonet.fitting.recording import FEWEST, Recording

VERSIONS = ("0.3", "0.4")
UDP_BYTES = 28
"""Bytes of the headers of IPv4 and UDP, which a log does not count."""
_ALLOWED = f"qlog {' or '.join(VERSIONS)} of the sender: JSON, lines of JSON, or a JSON text sequence"
_DATA = ("1rtt", "0rtt")
"""Types of packets whose numbers count together: the application's."""
_OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError)
"""Errors of values that are no qlog."""
_MS = 1e-3
_UNITS = 10.0
"""Ratio of two round trips, logged and of packets, from which their units differ (chosen)."""


def read_qlog(path: Path, number: int | None) -> Recording:
    """Return the packets of a trace. `number`: its place in the file, from 1; None: the only one."""
    traces = list(_traces(path))
    if number is None and len(traces) != 1:
        raise InputError(f"{len(traces)} traces", file=str(path), path="flow", allowed=f"--flow 1 to {len(traces)}")
    if number is not None and not 1 <= number <= len(traces):
        allowed = f"1 to {len(traces)}"
        raise InputError("no such trace", file=str(path), path="flow", value=number, allowed=allowed)
    try:
        return _recording(path, traces[(number or 1) - 1])
    except _OTHER_FORM as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"an event without its fields: {error!r}", file=str(path), allowed=_ALLOWED) from None


def _traces(path: Path) -> Iterator[Iterable[dict[str, Any]]]:
    """Yield the events of each trace."""
    text = unpacked_text(path)
    try:
        document = json.loads(text)
        if "events" not in document.get("traces", [{}])[0] and "trace" in document:
            raise ValueError("a header without events")
        _refuse_version(path, document)
        yield from (trace["events"] for trace in document["traces"])
        return
    except _OTHER_FORM as error:
        if isinstance(error, InputError):
            raise
    lines = [line.strip("\x1e \r") for line in text.split("\n")]
    try:
        header, *events = (json.loads(line) for line in lines if line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"neither JSON nor lines of JSON: {error}", file=str(path), allowed=_ALLOWED) from None
    _refuse_version(path, header)
    yield events


def _refuse_version(path: Path, header: Any) -> None:
    version = header.get("qlog_version") if isinstance(header, dict) else None
    # Sequences of 0.4 name a schema in place of a version.
    if version is None and isinstance(header, dict) and "file_schema" in header:
        version = "0.4"
    if version not in VERSIONS:
        raise InputError("another version", file=str(path), path="qlog_version", value=version, allowed=_ALLOWED)


def _recording(path: Path, events: Iterable[dict[str, Any]]) -> Recording:
    sent: dict[int, tuple[float, int]] = {}
    acked: dict[int, float] = {}
    lost: set[int] = set()
    begin = handshake = None
    received = total = 0
    logged = float("inf")
    for event in events:
        total += 1
        now, name, data = _MS * float(event["time"]), event["name"].rpartition(":")[2], event.get("data", {})
        if name == "packet_sent":
            begin = now if begin is None else begin
            if _is_data(data):
                sent[int(data["header"]["packet_number"])] = now - begin, int(data["raw"]["length"])
        elif name == "packet_received" and begin is not None:
            handshake = now - begin if handshake is None else handshake
            received += int(data.get("raw", {}).get("length", 0)) if _is_data(data) else 0
            for frame in data.get("frames", ()) if _is_data(data) else ():
                if frame["frame_type"] == "ack":
                    for number in _numbers(frame["acked_ranges"], sent, acked):
                        acked[number] = now - begin
        elif name == "packet_lost" and _is_data(data):
            lost.add(int(data.get("header", data)["packet_number"]))
        elif name == "metrics_updated":
            logged = min(logged, _MS * float(data.get("latest_rtt", "inf")))
    _refuse_little(path, sent, acked, received)
    return _packets(path, sent, acked, lost - acked.keys(), handshake or np.nan, logged, total)


def _is_data(data: dict[str, Any]) -> bool:
    """Return True if an event is of a packet with the application's numbers."""
    header = data.get("header", data)
    return str(header.get("packet_type", header.get("type", "1RTT"))).lower() in _DATA


def _numbers(ranges: list[list[int]], sent: dict[int, Any], acked: dict[int, Any]) -> Iterator[int]:
    """Yield packets that ranges acknowledge first, from the end of each range: the rest was acknowledged before."""
    for each in ranges:
        known = 0
        for number in range(int(each[-1]), int(each[0]) - 1, -1):
            if number in acked:
                known += 1
                if known > FEWEST:
                    break
            elif number in sent:
                yield number


def _refuse_little(path: Path, sent: dict[int, tuple[float, int]], acked: dict[int, float], received: int) -> None:
    if sum(size for _, size in sent.values()) < received:
        raise InputError("the log of the receiver of the data", file=str(path), allowed="the log of its sender")
    if len(acked) < FEWEST:
        problem = f"{len(sent)} packets of data, {len(acked)} of them acknowledged"
        raise InputError(
            problem, file=str(path), allowed=f"packet_sent and frames of type ack of {FEWEST} packets or more"
        )


def _packets(
    path: Path,
    sent: dict[int, tuple[float, int]],
    acked: dict[int, float],
    lost: set[int],
    handshake_s: float,
    logged_s: float,
    total: int,
) -> Recording:
    numbers = sorted(sent, key=lambda number: sent[number][0])
    sent_s, length = (np.array(column) for column in zip(*(sent[number] for number in numbers), strict=True))
    acked_s = np.array([acked.get(number, np.nan) for number in numbers])
    shortest = float(np.nanmin(acked_s - sent_s))
    if np.isfinite(logged_s) and not 1 / _UNITS < logged_s / shortest < _UNITS:
        problem = f"its shortest latest_rtt is {logged_s:.3g} s, and its packets took {shortest:.3g} s at least"
        raise InputError(problem, file=str(path), allowed="times in ms")
    return Recording(
        file=str(path),
        sent_s=sent_s,
        acked_s=acked_s,
        lost=np.array([number in lost for number in numbers]),
        size=length + UDP_BYTES,
        payload=np.where(np.isnan(acked_s), 0, length),
        handshake_s=handshake_s,
        segment_bytes=int(np.max(length)) + UDP_BYTES,
        bursts=False,
        marked=False,
        protocol="QUIC",
        read=len(numbers) + len(acked),
        total=total,
        notes=(f"QUIC: {UDP_BYTES} bytes are added to each packet for IPv4 and UDP; the replay is a sender of TCP",),
    )
