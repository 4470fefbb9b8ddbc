"""Captures of TCP: the flows in a file, and the packets of one of them with what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mesonet.errors import InputError
from mesonet.fitting.fates import Answers, fates, pieces
from mesonet.fitting.framing import batches
from mesonet.fitting.headers import ACK, CUT_OFF, ECE, SYN, Headers, Seen, headers
from mesonet.fitting.recording import FEWEST, Recording

MOST_PACKETS = 5_000_000
"""Most packets of TCP in a file (chosen): they take about 1 GB of memory."""
_NS = 1e-9
_WRAP = 1 << 32


@dataclass(frozen=True)
class CapturedFlow:
    """A connection in a capture, without its addresses."""

    number: int  #: from 1, in the order of the first packets
    start_s: float  #: since the first packet of TCP in the file
    duration_s: float
    packets: int  #: of both directions
    data_bytes: int  #: data of the direction with more, retransmissions included
    begins: bool  #: True if the capture has its SYN and its SYN-ACK


@dataclass(frozen=True)
class Capture:
    """A file of packets."""

    path: Path
    packets: Headers
    connection: np.ndarray  #: number of the connection of each packet, from 1
    forth: np.ndarray  #: True where a packet goes in the direction with more data
    seen: Seen

    @property
    def flows(self) -> list[CapturedFlow]:
        """Return the connections."""
        found = []
        first = self.packets.time_ns[0]
        for number in range(1, int(self.connection.max()) + 1):
            own = self.connection == number
            times, flags = self.packets.time_ns[own], self.packets.flags[own]
            found.append(
                CapturedFlow(
                    number=number,
                    start_s=float(times[0] - first) * _NS,
                    duration_s=float(times[-1] - times[0]) * _NS,
                    packets=int(own.sum()),
                    data_bytes=int(self.packets.payload[own & self.forth].sum()),
                    begins=bool(((flags & (SYN | ACK)) == SYN).any() and ((flags & (SYN | ACK)) == SYN | ACK).any()),
                )
            )
        return found

    def recording(self, number: int | None = None) -> Recording:
        """Return the packets of a connection. `number`: None for the only one that carries data."""
        chosen = self._chosen(number)
        own = self.connection == chosen
        return _recording(self.packets.where(own), self.forth[own], self)

    def _chosen(self, number: int | None) -> int:
        flows = self.flows
        if number is not None:
            if not 1 <= number <= len(flows):
                allowed = f"1 to {len(flows)}; --list shows the flows"
                raise InputError("no such flow", file=str(self.path), path="flow", value=number, allowed=allowed)
            return number
        enough = [flow.number for flow in flows if flow.data_bytes > FEWEST * 500]
        if len(enough) != 1:
            problem = f"{len(enough) or 'none'} of its {len(flows)} flows carry data of {FEWEST} packets"
            raise InputError(problem, file=str(self.path), path="flow", allowed="--flow N; --list shows the flows")
        return enough[0]


def read_capture(path: Path) -> Capture:
    """Return the packets of TCP in a pcap or pcapng file."""
    seen, parts, count = Seen(), [], 0
    for batch in batches(path):
        parts.append(headers(batch, seen))
        count += len(parts[-1].time_ns)
        if count > MOST_PACKETS:
            problem = f"more than {MOST_PACKETS:,} packets of TCP"
            raise InputError(problem, file=str(path), allowed="the packets of one flow, such as by editcap -r")
    if not count:
        held = ", ".join(f"{number:,} {name}" for name, number in seen.others.most_common(3)) or "no packet"
        allowed = "packets of TCP that are not inside of a tunnel; a qlog file for QUIC"
        raise InputError(f"no packet of TCP (it has {held})", file=str(path), allowed=allowed)
    packets = Headers.joined(parts)
    packets = packets.where(np.argsort(packets.time_ns, kind="stable"))
    connection, side = _connections(packets.way, seen.ways)
    data = np.bincount(2 * connection + side, weights=packets.payload, minlength=2 * connection.max() + 2)
    forth = data[2 * connection + side] >= data[2 * connection + 1 - side]
    return Capture(path, packets, connection, forth, seen)


def _connections(way: np.ndarray, ways: dict[bytes, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the connection of each packet, from 1, and its direction, 0 or 1."""
    connections = 0
    of_way = np.zeros((len(ways), 2), np.int32)
    for ends, place in ways.items():
        back = ways.get(ends[18:] + ends[:18], place)
        if back < place:
            of_way[place] = of_way[back, 0], 1
        else:
            connections += 1
            of_way[place] = connections, 0
    return of_way[way, 0], of_way[way, 1]


def _recording(packets: Headers, forth: np.ndarray, capture: Capture) -> Recording:
    file = str(capture.path)
    if cut := int(packets.cut.sum()):
        problem = f"{cut:,} packets are cut inside of their TCP header (snaplen)"
        raise InputError(problem, file=file, allowed="a snaplen of at least 128 bytes, such as tcpdump -s 128")
    syn = (packets.flags & SYN) > 0
    begin, handshake_s = _handshake(packets, syn, forth, file)
    times = (packets.time_ns - begin) * _NS
    data = forth & (packets.payload > 0) & ~syn
    answers = ~forth & ((packets.flags & ACK) > 0) & ~syn
    # The option of the SYN does not count options of TCP (RFC 9293, section 3.7.1).
    segment = int(packets.mss[syn].min()) - int(np.median(packets.options[data])) if data.any() else 0
    if segment <= 0 or packets.payload[data].sum() < FEWEST * segment:
        problem = f"the flow has {packets.payload[data].sum():,} bytes of data"
        raise InputError(problem, file=file, allowed=f"at least {FEWEST} full packets")
    start = int(packets.seq[syn & forth][0]) + 1
    seq, answered, blocks = (
        each.astype(np.int64) for each in (packets.seq[data], packets.ack[answers], packets.blocks[answers])
    )
    first, ack = _unwrapped(seq - start), _unwrapped(answered - start)
    # Edges of blocks are within half of the numbers from the acknowledgement that carries them.
    apart = (blocks - answered[:, None, None] + _WRAP // 2) % _WRAP - _WRAP // 2
    edges = np.where(blocks.any(axis=2, keepdims=True), ack[:, None, None] + apart, 0)
    sent = pieces(times[data], first, packets.payload[data], segment)
    found = fates(sent, Answers(times[answers], ack, edges))
    if not np.isfinite(found.acked_s).any():
        raise InputError("no data was acknowledged", file=file, allowed="a capture of both directions")
    header = int(np.median(packets.header[data]))
    return Recording(
        file=file,
        sent_s=sent.time_s,
        acked_s=found.acked_s,
        lost=found.lost,
        size=sent.end - sent.start + header,
        payload=np.where(np.isnan(found.acked_s), 0, sent.end - sent.start),
        handshake_s=handshake_s,
        segment_bytes=segment + header,
        bursts=bool((packets.payload[data] > segment).any()),
        marked=bool(((packets.flags[answers] & ECE) > 0).any()),
        protocol="TCP",
        read=len(times),
        total=capture.seen.total,
        notes=(f"the file ends early: 1 {CUT_OFF}",) if CUT_OFF in capture.seen.others else (),
    )


def _handshake(packets: Headers, syn: np.ndarray, forth: np.ndarray, file: str) -> tuple[int, float]:
    """Return the time of the first SYN, ns, and the round trip of the handshake, s; refuse the side of the receiver."""
    answer = syn & ((packets.flags & ACK) > 0)
    if forth.all() or not forth.any():
        raise InputError("packets of one direction only", file=file, allowed="a capture of both directions")
    if not (syn & ~answer).any() or not answer.any():
        raise InputError("the flow begins before the capture: no SYN", file=file, allowed="a capture of its beginning")
    times = packets.time_ns
    first, second = times[syn & ~answer], times[answer]
    third = times[~syn & (times >= second[-1]) & (forth == forth[syn & ~answer][0])]
    before = first[first <= second[-1]]
    if not len(third) or not len(before):
        raise InputError("the handshake is not whole", file=file, allowed="a capture of its beginning")
    opening, closing = second[-1] - before[-1], third[0] - second[-1]
    begins = bool(forth[syn & ~answer][0])  # True: who sends the data sends the SYN
    near, far = (closing, opening) if begins else (opening, closing)
    if near > far / 4:
        problem = f"captured {near / 1e6:.3g} ms from the sender of the data, {far / 1e6:.3g} ms from its receiver"
        raise InputError(problem, file=file, allowed="a capture at the sender")
    return int(first[0]), float(far) * _NS


def _unwrapped(numbers: np.ndarray) -> np.ndarray:
    return np.unwrap(numbers % _WRAP, period=_WRAP)
