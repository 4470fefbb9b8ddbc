"""Logs of QUIC senders, qlog 0.3 and 0.4: one JSON document, lines of JSON, or a JSON text sequence.

Read are ``packet_sent``, acknowledgements in ``packet_received``, and ``packet_lost``
(draft-ietf-quic-qlog-quic-events).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mesonet.errors import InputError
from mesonet.fitting.framing import unpacked_text
from mesonet.fitting.recording import FEWEST, Recording, behind_handshake

VERSIONS = ("0.3", "0.4")
UDP_BYTES = 28
"""Bytes of the headers of IPv4 and UDP, which a log does not count."""
_ALLOWED = f"qlog {' or '.join(VERSIONS)} of the sender: JSON, lines of JSON, or a JSON text sequence"
_DATA = ("1rtt", "0rtt")
"""Types of packets whose numbers count together: the application's."""
_OTHER_FORM = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)
"""Errors of values that are no qlog."""
_MS = 1e-3
_LONGEST = 65_536
_UNITS = 10.0
"""Ratio of two round trips, logged and of packets, from which their units differ (chosen)."""


def read_qlog(path: Path, number: int | None) -> Recording:
    """Return the packets of a trace. `number`: its place in the file, from 1; None: the only one."""
    try:
        traces = list(_traces(path))
        if number is None and len(traces) != 1:
            raise InputError(f"{len(traces)} traces", file=str(path), path="flow", allowed=f"--flow 1 to {len(traces)}")
        if number is not None and not 1 <= number <= len(traces):
            allowed = f"1 to {len(traces)}"
            raise InputError("no such trace", file=str(path), path="flow", value=number, allowed=allowed)
        return _recording(path, traces[(number or 1) - 1])
    except InputError:
        raise
    except _OTHER_FORM as error:
        raise InputError(f"an event without its fields: {error!r}", file=str(path), allowed=_ALLOWED) from None


@dataclass(frozen=True)
class _Trace:
    events: Iterable[dict[str, Any]]
    of_mesonet: bool  #: True if mesonet wrote it, whose packets are segments with all their headers


def _traces(path: Path) -> Iterator[_Trace]:
    """Yield each trace."""
    text = unpacked_text(path)
    document = None
    with suppress(ValueError, RecursionError):  # lines of JSON are no document
        document = json.loads(text)
    if isinstance(document, dict) and "traces" in document:
        _refuse_version(path, document)
        yield from (_Trace(trace["events"], _of_mesonet(trace)) for trace in document["traces"])
        return
    lines = [line.strip("\x1e \r") for line in text.split("\n")]
    try:
        header, *events = (json.loads(line) for line in lines if line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"neither JSON nor lines of JSON: {error}", file=str(path), allowed=_ALLOWED) from None
    _refuse_version(path, header)
    yield _Trace(events, _of_mesonet(header.get("trace", {})))


def _of_mesonet(trace: dict[str, Any]) -> bool:
    return str(trace.get("vantage_point", {}).get("name", "")).startswith("mesonet ")


def _refuse_version(path: Path, header: Any) -> None:
    version = header.get("qlog_version") if isinstance(header, dict) else None
    # Sequences of 0.4 name a schema in place of a version.
    if version is None and isinstance(header, dict) and "file_schema" in header:
        version = "0.4"
    if version not in VERSIONS:
        raise InputError("another version", file=str(path), path="qlog_version", value=version, allowed=_ALLOWED)


@dataclass
class _Log:
    """Events of a sender; times in s from its first packet."""

    sent: dict[int, tuple[float, int]] = field(default_factory=dict)  #: time and bytes by the number of a packet
    acked: dict[int, float] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    handshake_s: float = float("nan")
    shook: bool = False  #: True if packets of the handshake left
    latest_rtt_s: float = float("inf")  #: the shortest one
    received: int = 0  #: bytes of received packets with data
    total: int = 0  #: events


def _log(events: Iterable[dict[str, Any]]) -> _Log:
    log, begin_s = _Log(), None
    for event in events:
        log.total += 1
        now_s, name, data = _MS * float(event["time"]), event["name"].rpartition(":")[2], event.get("data", {})
        if name == "packet_sent":
            begin_s = now_s if begin_s is None else begin_s
            log.shook |= not _is_data(data)
            if _is_data(data):
                log.sent[int(data["header"]["packet_number"])] = now_s - begin_s, int(data["raw"]["length"])
        elif name == "packet_received" and begin_s is not None:
            if log.shook and math.isnan(log.handshake_s):
                log.handshake_s = now_s - begin_s
            if _is_data(data):
                log.received += int(data.get("raw", {}).get("length", 0))
                for frame in data.get("frames", ()):
                    if frame["frame_type"] == "ack":
                        log.acked |= dict.fromkeys(_numbers(frame["acked_ranges"], log), now_s - begin_s)
        elif name == "packet_lost" and _is_data(data):
            log.lost.add(int(data.get("header", data)["packet_number"]))
        elif name == "metrics_updated":
            log.latest_rtt_s = min(log.latest_rtt_s, _MS * float(data.get("latest_rtt", "inf")))
    return log


def _is_data(data: dict[str, Any]) -> bool:
    """Return True if an event is of a packet with the application's numbers."""
    header = data.get("header", data)
    return str(header.get("packet_type", header.get("type", "1RTT"))).lower() in _DATA


def _numbers(ranges: list[list[int]], log: _Log) -> Iterator[int]:
    """Yield packets that ranges acknowledge first, from the end of each range: the rest was acknowledged before."""
    for each in ranges:
        known = 0
        for number in range(int(each[-1]), int(each[0]) - 1, -1):
            if number in log.acked:
                known += 1
                if known > FEWEST:
                    break
            elif number in log.sent:
                yield number


def _recording(path: Path, trace: _Trace) -> Recording:
    log, file = _log(trace.events), str(path)
    headers = 0 if trace.of_mesonet else UDP_BYTES
    if sum(size for _, size in log.sent.values()) < log.received:
        raise InputError("the log of the receiver of the data", file=file, allowed="the log of its sender")
    if len(log.acked) < FEWEST:
        problem = f"{len(log.sent)} packets of data, {len(log.acked)} of them acknowledged"
        allowed = f"packet_sent and frames of type ack of {FEWEST} packets or more"
        raise InputError(problem, file=file, allowed=allowed)
    numbers = sorted(log.sent, key=lambda number: log.sent[number][0])
    sent_s, length = np.array([log.sent[number] for number in numbers], dtype=float).T
    if not (length.min() > 0 and length.max() < _LONGEST):
        problem = f"packets of {length.min():g} to {length.max():g} bytes"
        raise InputError(problem, file=file, path="raw.length", allowed=f"more than 0 and less than {_LONGEST} bytes")
    acked_s = np.array([log.acked.get(number, np.nan) for number in numbers])
    shortest = float(np.nanmin(acked_s - sent_s))
    if math.isfinite(log.latest_rtt_s) and not shortest / _UNITS < log.latest_rtt_s < shortest * _UNITS:
        problem = f"its shortest latest_rtt is {log.latest_rtt_s:.3g} s, and its packets took {shortest:.3g} s at least"
        raise InputError(problem, file=file, allowed="times in ms")
    if not log.shook:
        sent_s, acked_s = behind_handshake(sent_s, acked_s)
    return Recording(
        file=file,
        sent_s=sent_s,
        acked_s=acked_s,
        lost=np.array([number in log.lost and number not in log.acked for number in numbers]),
        size=length.astype(int) + headers,
        payload=np.where(np.isnan(acked_s), 0, length),
        handshake_s=log.handshake_s,
        segment_bytes=int(np.max(length)) + headers,
        bursts=False,
        marked=False,
        protocol="mesonet" if trace.of_mesonet else "QUIC",
        read=len(numbers) + len(log.acked),
        total=log.total,
        notes=(
            "a log of mesonet: the handshake is assumed to take the shortest round trip"
            if trace.of_mesonet
            else f"QUIC: {UDP_BYTES} bytes are added to each packet for IPv4 and UDP; the replay is a sender of TCP",
        ),
    )
