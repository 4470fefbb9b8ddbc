"""Files of packets, pcap and pcapng, plain or gzip: the first bytes of each packet, in batches of equal memory."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from mesonet.errors import InputError
from mesonet.files.reading import MOST_JSON_BYTES, opened, refuse_unprintable

KEPT = 160
"""Bytes of a packet that are looked at: Ethernet with two VLAN tags, IPv6, and TCP with all options need 122."""
ALLOWED = "a capture by tcpdump or Wireshark (pcap, pcapng), or qlog 0.3 or 0.4; samples of TCP_INFO as CSV; .gz, too"
CUT = -1
"""Link type of a last packet that the end of the file cuts."""
_BATCH = 20_000
_LONGEST = 1 << 20
"""Longest packet in a file, bytes (chosen): the limit of libpcap is 262,144, of a super-segment 524,280."""
_DAY_NS = 86_400 * 10**9
_GZIP = b"\x1f\x8b"
_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
"""Order of bytes, and ns in a tick, by the first bytes of a pcap file."""
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
"""Types of blocks of pcapng."""
_ORDER_MAGIC = 0x1A2B3C4D


@dataclass(frozen=True)
class Batch:
    """Some packets of a file."""

    link: np.ndarray  #: link type of each, a number of libpcap
    time_ns: np.ndarray
    captured: np.ndarray  #: bytes of each in the file
    length: np.ndarray  #: bytes of each on the wire
    head: np.ndarray  #: first `KEPT` bytes of each, filled with 0, shape (packets, `KEPT`)


Packet = tuple[int, int, int, bytes]
"""Link type, time in ns, length on the wire, and the bytes in the file."""


def begins_as_json(path: Path) -> bool:
    """Return True if a file, unpacked if it is gzip, begins as JSON or a JSON text sequence does."""
    return first_bytes(path, 16).lstrip(b"\xef\xbb\xbf\x1e \r\n\t")[:1] == b"{"


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first bytes of a file, unpacked if it is gzip."""
    with _unpacked(path) as file:
        return _read(file, count, path)


def unpacked_text(path: Path) -> str:
    """Return the text of a file, unpacked if it is gzip."""
    with _unpacked(path) as file:
        data = _read(file, MOST_JSON_BYTES + 1, path)
    if len(data) > MOST_JSON_BYTES:
        allowed = f"at most {MOST_JSON_BYTES / 1e6:.0f} MB"
        raise InputError("a larger text", file=str(path), allowed=allowed)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("not text in UTF-8", file=str(path), allowed=ALLOWED) from None


def batches(path: Path) -> Iterator[Batch]:
    """Yield all packets of a capture; refuse a file whose packets cannot be separated to its end."""
    with _unpacked(path) as file:
        magic = _read(file, 4, path)
        if magic in _PCAP:
            packets = _pcap(file, path, *_PCAP[magic])
        elif magic == _SECTION.to_bytes(4, "big"):
            packets = _pcapng(file, path)
        else:
            raise InputError("neither pcap nor pcapng", file=str(path), allowed=ALLOWED)
        try:
            yield from _batched(packets, path)
        except struct.error:
            raise InputError("a block ends early", file=str(path), allowed=ALLOWED) from None


def _batched(packets: Iterator[Packet], path: Path) -> Iterator[Batch]:
    rows: list[Packet] = []
    before = None
    for number, packet in enumerate(packets, 1):
        if before is not None and abs(packet[1] - before) > _DAY_NS:
            raise _lost(path, number, "its time is more than a day from the packet before")
        before = packet[1]
        rows.append(packet)
        if len(rows) == _BATCH:
            yield _batch(rows)
            rows = []
    if rows:
        yield _batch(rows)


def _batch(rows: list[Packet]) -> Batch:
    links, times, lengths, contents = zip(*rows, strict=True)
    head = np.frombuffer(b"".join(each[:KEPT].ljust(KEPT, b"\0") for each in contents), np.uint8)
    captured = np.fromiter(map(len, contents), np.int64, len(rows))
    return Batch(
        np.array(links), np.array(times, np.int64), captured, np.array(lengths, np.int64), head.reshape(-1, KEPT)
    )


def _pcap(file: BinaryIO, path: Path, order: str, tick_ns: int) -> Iterator[Packet]:
    header = _read(file, 20, path)
    if len(header) < 20:
        raise InputError("ends in its first header", file=str(path), allowed=ALLOWED)
    link = struct.unpack(f"{order}HHiIII", header)[5] & 0x0FFFFFFF
    record = struct.Struct(f"{order}IIII")
    number = 0
    while len(head := _read(file, 16, path)) == 16:
        number += 1
        seconds, ticks, captured, length = record.unpack(head)
        if captured > _LONGEST or captured > length or ticks * tick_ns >= 10**9:
            raise _lost(path, number, f"{captured} bytes of {length}")
        content = _read(file, captured, path)
        if len(content) < captured:
            yield CUT, seconds * 10**9 + ticks * tick_ns, length, b""
            return
        yield link, seconds * 10**9 + ticks * tick_ns, length, content


def _pcapng(file: BinaryIO, path: Path) -> Iterator[Packet]:
    order, number, last_ns = "<", 0, 0
    links: list[tuple[int, int, int]] = []  # link type, and ns as a fraction, of each interface
    kind_bytes = _SECTION.to_bytes(4, "big")
    while len(kind_bytes) == 4:
        if kind_bytes == _SECTION.to_bytes(4, "big"):
            sizes = _read(file, 8, path)
            order = "<" if sizes[4:] == _ORDER_MAGIC.to_bytes(4, "little") else ">"
            kind, length, read = _SECTION, struct.unpack(f"{order}I", sizes[:4])[0], 12
            links = []
        else:
            kind, length = struct.unpack(f"{order}II", kind_bytes + _read(file, 4, path))
            read = 8
        if not 12 <= length <= _LONGEST + 4096 or length % 4:
            raise _lost(path, number + 1, f"a block of {length} bytes")
        body = _read(file, length - read, path)
        if len(body) < length - read:
            yield CUT, last_ns, 0, b""
            return
        if struct.unpack(f"{order}I", body[-4:])[0] != length:
            raise _lost(path, number + 1, "a block has two lengths")
        if kind == _INTERFACE:
            links.append((struct.unpack(f"{order}H", body[:2])[0], *_resolution(body[8:-4], order)))
        elif kind == _SIMPLE:
            raise InputError("its packets have no times", file=str(path), allowed="a capture with times of packets")
        elif kind == _ENHANCED:
            number += 1
            interface, high, low, captured, wire = struct.unpack(f"{order}IIIII", body[:20])
            if interface >= len(links) or captured > len(body) - 24:
                raise _lost(path, number, f"{captured} bytes in a block of {length}")
            link, numerator, denominator = links[interface]
            last_ns = ((high << 32) | low) * numerator // denominator
            yield link, last_ns, wire, body[20 : 20 + captured]
        kind_bytes = _read(file, 4, path)


def _resolution(options: bytes, order: str) -> tuple[int, int]:
    """Return a tick of an interface in ns, as a fraction: option 9, ``if_tsresol``."""
    at = 0
    while at + 4 <= len(options):
        code, size = struct.unpack(f"{order}HH", options[at : at + 4])
        if code == 9 and size == 1:
            exponent = options[at + 4]
            return 10**9, 2 ** (exponent & 127) if exponent & 128 else 10**exponent
        at += 4 + (size + 3) // 4 * 4
    return 1000, 1


def _lost(path: Path, number: int, problem: str) -> InputError:
    problem = f"packet {number:,}: {problem}; the packets from here on cannot be separated"
    return InputError(problem, file=str(path), allowed="a capture without holes, or its part before this packet")


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    refuse_unprintable(path)
    try:
        opening = opened(path, ALLOWED)
    except FileNotFoundError:
        raise InputError("no such file", file=str(path), allowed=ALLOWED) from None
    with opening as file:
        if file.peek(2)[:2] == _GZIP:
            with gzip.open(file) as inside:
                yield cast(BinaryIO, inside)
        else:
            yield file


def _read(file: BinaryIO, count: int, path: Path) -> bytes:
    try:
        return file.read(count)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"not a whole gzip file: {error}", file=str(path), allowed=ALLOWED) from None
