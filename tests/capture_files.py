"""Captures for tests: a flow over one queue, in a model of a few lines, as pcap and pcapng files."""

from __future__ import annotations

import heapq
import json
import struct
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mesonet.fitting.recording import Recording

MSS = 1448
FULL = 1500
SYN, SYN_ACK, ACK = 0x02, 0x12, 0x10


@dataclass
class Packet:
    """A packet at the sender."""

    time_s: float
    forth: bool
    seq: int
    ack: int
    length: int = 0
    flags: int = ACK
    blocks: Sequence[tuple[int, int]] = ()
    port: int = 40000


def transfer(
    *,
    rate: Callable[[float], float] = lambda _: 10e6,
    base_s: float = 0.04,
    places: int = 40,
    seconds: float = 6.0,
    loses: Callable[[int], bool] = lambda _: False,
    most: int = 10_000,
) -> tuple[list[Packet], int, int]:
    """Return packets of a transfer, and how many were lost at the full queue and at random.

    The window grows by 1 a round trip and halves when a packet is lost. `rate`: bit/s by the time at the queue.
    `loses`: True for the numbers of transmissions that are lost at random. `most`: largest window, packets.
    """
    packets = [Packet(0.0, True, 0, 0, flags=SYN), Packet(base_s, False, 0, 1, flags=SYN_ACK)]
    packets.append(Packet(base_s + 1e-5, True, 1, 1))
    events: list[tuple[float, int]] = []
    leaving: deque[float] = deque()
    got: set[int] = set()
    acked: set[int] = set()
    again: deque[int] = deque()
    flying: dict[int, int] = {}
    window, free, following, number, cumulative, halved = 10.0, 0.0, 0, 0, 0, 0.0
    full = random = 0

    def send(now: float) -> None:
        nonlocal following, number, free, full, random
        while len(flying) < min(window, most):
            packet = again.popleft() if again else following
            following += packet == following
            number += 1
            flying[packet] = number
            packets.append(Packet(now, True, 1 + packet * MSS, 1, MSS))
            while leaving and leaving[0] <= now:
                leaving.popleft()
            if len(leaving) > places:
                full += 1
            elif loses(number):
                random += 1
            else:
                free = max(now, free) + 8 * FULL / rate(now)
                leaving.append(free)
                heapq.heappush(events, (free + base_s, packet))

    send(base_s + 2e-5)
    while events:
        now, packet = heapq.heappop(events)
        got.add(packet)
        while cumulative in got:
            got.discard(cumulative)
            cumulative += 1
        blocks = _blocks(got, packet)
        sequence = [(1 + MSS * first, 1 + MSS * last) for first, last in blocks]
        packets.append(Packet(now, False, 1, 1 + cumulative * MSS, blocks=sequence))
        own = flying.pop(packet, 0)
        acked.add(packet)
        window += 1 / window
        late = [each for each, sent in flying.items() if sent < own - 3]
        for each in late:
            del flying[each]
            again.append(each)
        if late and now > halved + base_s * 2:
            window, halved = max(2.0, window / 2), now
        if now < seconds:
            send(now)
    return packets, full, random


def _blocks(got: set[int], packet: int) -> list[tuple[int, int]]:
    if packet not in got:
        return []
    first = last = packet
    while first - 1 in got:
        first -= 1
    while last + 1 in got:
        last += 1
    return [(first, last + 1)]


def content(packet: Packet, version: int = 4) -> bytes:
    """Return the headers of a packet: IP and TCP with time stamps."""
    options = b"\x01\x01\x08\x0a" + bytes(8)
    if packet.flags & SYN:
        options += b"\x02\x04" + struct.pack(">H", MSS + 12)
    if packet.blocks:
        options += b"\x01\x01\x05" + bytes([2 + 8 * len(packet.blocks)])
        options += b"".join(struct.pack(">II", *block) for block in packet.blocks)
    own = 20 + len(options)
    ends = [bytes({4: 3, 6: 15}[version]) + bytes([number]) for number in (1, 2)]
    ports = packet.port, 5001
    source, target = (0, 1) if packet.forth else (1, 0)
    if version == 4:
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + own + packet.length, 0, 0, 64, 6, 0)
    else:
        ip = struct.pack(">IHBB", 0x60000000, own + packet.length, 6, 64)
    tcp = struct.pack(
        ">HHIIBBHHH", ports[source], ports[target], packet.seq, packet.ack, own // 4 << 4, packet.flags, 9, 0, 0
    )
    return ip + ends[source] + ends[target] + tcp + options


def pcap(
    path: Path,
    packets: Sequence[Packet],
    *,
    snaplen: int = 128,
    link: int = 101,
    before: bytes = b"",
    version: int = 4,
) -> Path:
    """Write packets as pcap. `before`: header of the link before each packet. `version`: of IP."""
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snaplen, link)]
    for packet in sorted(packets, key=lambda each: each.time_s):
        data = before + content(packet, version)
        time = round(1e6 * packet.time_s)
        kept = data[:snaplen]
        parts.append(
            struct.pack("<IIII", 1000 + time // 10**6, time % 10**6, len(kept), len(data) + packet.length) + kept
        )
    path.write_bytes(b"".join(parts))
    return path


def pcapng(path: Path, packets: Sequence[Packet]) -> Path:
    """Write packets as pcapng, with times in ns."""
    parts = [_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))]
    parts.append(_block(1, struct.pack("<HHI", 101, 0, 0) + struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)))
    for packet in sorted(packets, key=lambda each: each.time_s):
        data = content(packet)
        time = round(1e9 * packet.time_s)
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(data), len(data) + packet.length)
        parts.append(_block(6, head + data + bytes(-len(data) % 4)))
    path.write_bytes(b"".join(parts))
    return path


def qlog(path: Path, recording: Recording, *, form: str, version: str = "0.3", unit_s: float = 1e-3) -> Path:
    """Write packets as the log of a sender of QUIC. `form`: ``json``, ``lines`` or ``sequence``."""
    prefix = {"0.3": ("transport", "recovery"), "0.4": ("quic", "quic")}[version]
    events: list[tuple[float, str, dict]] = [
        (
            0.0,
            f"{prefix[0]}:packet_sent",
            {"header": {"packet_type": "initial", "packet_number": 0}, "raw": {"length": 1200}},
        ),
        (
            0.04,
            f"{prefix[0]}:packet_received",
            {"header": {"packet_type": "initial", "packet_number": 0}, "frames": []},
        ),
    ]
    for number, (sent_s, acked_s) in enumerate(zip(recording.sent_s, recording.acked_s, strict=True)):
        header = {"packet_type": "1RTT", "packet_number": number}
        events.append((sent_s, f"{prefix[0]}:packet_sent", {"header": header, "raw": {"length": 1472}}))
        if recording.lost[number]:
            events.append((sent_s + 0.2, f"{prefix[1]}:packet_lost", {"header": header}))
        elif acked_s == acked_s:
            frame = {"frame_type": "ack", "acked_ranges": [[number]]}
            received = {"header": {"packet_type": "1RTT", "packet_number": number}, "frames": [frame]}
            events.append((acked_s, f"{prefix[0]}:packet_received", received))
            events.append((acked_s, "recovery:metrics_updated", {"latest_rtt": 1e3 * (acked_s - sent_s)}))
    rows = [
        {"time": at / unit_s, "name": name, "data": data} for at, name, data in sorted(events, key=lambda each: each[0])
    ]
    header = {"qlog_version": version} if version == "0.3" else {"file_schema": "urn:ietf:params:qlog:file:sequential"}
    if form == "json":
        path.write_text(json.dumps(header | {"traces": [{"events": rows}]}))
    else:
        mark = "\x1e" if form == "sequence" else ""
        path.write_text("".join(f"{mark}{json.dumps(row)}\n" for row in [header | {"trace": {}}, *rows]))
    return path


def samples(path: Path, recording: Recording, *, form: str, every_s: float = 0.05, unit: float = 1.0) -> Path:
    """Write what TCP_INFO would show of a recording. `form`: ``csv`` or ``ss``. `unit`: factor of the round trips."""
    times, trips = recording.round_trips
    smoothed = [float(trips[0])]
    for trip in trips:
        smoothed.append(smoothed[-1] + (float(trip) - smoothed[-1]) / 8)
    acked = np.sort(recording.acked_s[recording.arrived])
    lost_s = recording.sent_s[recording.lost]
    known_s = np.sort(lost_s + np.interp(lost_s, times, trips))
    sent, shortest = np.sort(recording.sent_s), np.minimum.accumulate(trips)
    lines = ["time_s,tcpi_rtt,tcpi_min_rtt,tcpi_delivered,tcpi_total_retrans,tcpi_snd_mss,tcpi_unacked"]
    for at in np.arange(times[0], recording.duration_s, every_s):
        row = int(np.searchsorted(times, at, side="right")) - 1
        delivered, again, left = (int(np.searchsorted(each, at, side="right")) for each in (acked, known_s, sent))
        unacked = left - delivered - again
        trip_us, least_us = (1e6 * unit * each for each in (smoothed[row + 1], shortest[row]))
        if form == "csv":
            lines.append(f"{at:.3f},{trip_us:.0f},{least_us:.0f},{delivered},{again},{MSS},{unacked}")
            continue
        lines[0] = ""
        lines += [f"{1_700_000_000 + at:.3f}", "ESTAB 0 123 192.0.2.1:5001 192.0.2.2:5002"]
        shown = f"rtt:{trip_us / 1e3:.3f}/1.2 mss:{MSS} cwnd:99 bytes_acked:{delivered * MSS} unacked:{unacked}"
        lines.append(f"\t cubic wscale:7,7 rto:240 {shown} retrans:0/{again} minrtt:{least_us / 1e3:.3f}")
    path.write_text("\n".join([*lines, ""]))
    return path


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length
