"""Headers of IP and TCP as columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from mesonet.fitting.framing import CUT, KEPT, Batch

SYN, ACK, ECE = 0x02, 0x10, 0x40
BLOCKS = 4
"""Most blocks of a selective acknowledgement (RFC 2018, section 3)."""
TCP = 6
CUT_OFF = "packet that the end of the file cuts"
_OTHERS = {1: "ICMP", 4: "IP in IP", 17: "UDP", 41: "IPv6 in IP", 47: "GRE", 50: "ESP", 58: "ICMPv6"}
_LINKS = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 108: 4, 113: 16, 228: 0, 229: 0, 276: 20}
"""Bytes before the IP header by link type: loopback, Ethernet, raw IP, and Linux's header of any interface."""
_ETHERNET = 1
_VLAN = (0x8100, 0x88A8)
_MOST_DATA = 1 << 30
_OPTIONS = 12
"""Most options that are looked at: 40 bytes hold no more that matter."""


@dataclass(frozen=True)
class Headers:
    """Packets of TCP."""

    time_ns: np.ndarray
    way: np.ndarray  #: place of its addresses and ports in `Seen.ways`
    seq: np.ndarray
    ack: np.ndarray
    flags: np.ndarray
    payload: np.ndarray  #: bytes of data on the wire
    header: np.ndarray  #: bytes of the headers of IP and TCP
    options: np.ndarray  #: bytes of options of TCP
    mss: np.ndarray  #: its option of a SYN; 0 without
    blocks: np.ndarray  #: sequence numbers of selective acknowledgements, shape (packets, `BLOCKS`, 2); 0 without
    cut: np.ndarray  #: True where the file lacks a part of the TCP header

    @classmethod
    def joined(cls, parts: list[Headers]) -> Headers:
        """Return parts in one."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__))

    def where(self, chosen: np.ndarray) -> Headers:
        """Return some of the packets."""
        return Headers(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


@dataclass
class Seen:
    """Packets of a file that are no TCP."""

    total: int = 0
    others: Counter[str] = field(default_factory=Counter)  #: number by protocol
    #: Addresses and ports of packets of TCP, source and destination, in the order of the first packets.
    ways: dict[bytes, int] = field(default_factory=dict)


def headers(batch: Batch, seen: Seen) -> Headers:
    """Return the packets of TCP in a batch, and count all packets."""
    seen.total += len(batch.time_ns)
    place = np.full(len(batch.time_ns), -1)
    for link in np.unique(batch.link):
        if int(link) in _LINKS:
            place[batch.link == link] = _LINKS[int(link)]
        else:
            name = CUT_OFF if link == CUT else f"link type {link}"
            seen.others[name] += int((batch.link == link).sum())
    head = batch.head
    for _ in range(2):
        tagged = (batch.link == _ETHERNET) & np.isin(_two(head, place - 2), _VLAN)
        place[tagged] += 4
    version = _byte(head, place) >> 4
    four, six = (place >= 0) & (version == 4), (place >= 0) & (version == 6)
    seen.others["no IP"] += int(((place >= 0) & ~four & ~six).sum())
    protocol = np.where(four, _byte(head, place + 9), _byte(head, place + 6))
    part = four & ((_two(head, place + 6) & 0x1FFF) > 0)
    for number in np.unique(protocol[(four | six) & (protocol != TCP)]):
        count = int(((four | six) & (protocol == number)).sum())
        seen.others[_OTHERS.get(int(number), f"protocol {number}")] += count
    rows = np.flatnonzero((four | six) & (protocol == TCP) & ~part)
    return _tcp(batch, rows, place, four, ways=seen.ways)


def _tcp(batch: Batch, rows: np.ndarray, place: np.ndarray, four: np.ndarray, *, ways: dict[bytes, int]) -> Headers:
    head, at, old = batch.head[rows], place[rows], four[rows]
    first = np.where(old, (_byte(head, at) & 15) * 4, 40)
    tcp = at + first
    own = (_byte(head, tcp + 12) >> 4) * 4
    stated = np.where(old, _two(head, at + 2), _two(head, at + 4) + 40)
    # A super-segment of more than 65,535 bytes states no length.
    length = np.where(stated > np.where(old, 0, 40), stated, batch.length[rows] - at)
    flow = np.zeros((len(rows), 36), np.uint8)
    addresses = np.where(old, 4, 16)
    for byte in range(16):
        inside = byte < addresses
        flow[:, byte] = np.where(inside, _byte(head, at + np.where(old, 12, 8) + byte), 0)
        flow[:, 18 + byte] = np.where(inside, _byte(head, at + np.where(old, 16, 24) + byte), 0)
    for byte in range(2):
        flow[:, 16 + byte] = _byte(head, tcp + byte)
        flow[:, 34 + byte] = _byte(head, tcp + 2 + byte)
    end = tcp + own
    mss, blocks = _options(head, tcp + 20, end)
    return Headers(
        time_ns=batch.time_ns[rows],
        way=_ways(flow.view("V36").ravel(), ways),
        seq=_four(head, tcp + 4).astype(np.uint32),
        ack=_four(head, tcp + 8).astype(np.uint32),
        flags=_byte(head, tcp + 13).astype(np.int16),
        payload=np.clip(length - first - own, 0, _MOST_DATA).astype(np.int32),
        header=(first + own).astype(np.int16),
        options=(own - 20).astype(np.int16),
        mss=mss.astype(np.int32),
        blocks=blocks.astype(np.uint32),
        cut=(batch.captured[rows] < end) | (end > KEPT),
    )


def _ways(ends: np.ndarray, ways: dict[bytes, int]) -> np.ndarray:
    found, first, which = np.unique(ends, return_index=True, return_inverse=True)
    for place in np.argsort(first):
        ways.setdefault(found[place].tobytes(), len(ways))
    return np.array([ways[each.tobytes()] for each in found], np.int32)[which]


def _options(head: np.ndarray, place: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    at = place.copy()
    mss = np.zeros(len(at), np.int64)
    blocks = np.zeros((len(at), BLOCKS, 2), np.int64)
    for _ in range(_OPTIONS):
        kind = np.where(at < end, _byte(head, at), 0)
        if not kind.any():
            break
        size = np.where(kind == 1, 1, _byte(head, at + 1))
        mss = np.where(kind == 2, _two(head, at + 2), mss)
        for block in range(BLOCKS):
            has = (kind == 5) & (size >= 10 + 8 * block)
            if has.any():
                for edge in range(2):
                    blocks[has, block, edge] = _four(head[has], at[has] + 2 + 8 * block + 4 * edge)
        at = np.where((kind == 0) | (size == 0), end, at + size)
    return mss, blocks


def _byte(head: np.ndarray, place: np.ndarray) -> np.ndarray:
    found: np.ndarray = head[np.arange(len(head)), np.clip(place, 0, KEPT - 1)].astype(np.int64)
    return found


def _two(head: np.ndarray, place: np.ndarray) -> np.ndarray:
    found: np.ndarray = _byte(head, place) << 8 | _byte(head, place + 1)
    return found


def _four(head: np.ndarray, place: np.ndarray) -> np.ndarray:
    found: np.ndarray = _two(head, place) << 16 | _two(head, place + 2)
    return found
