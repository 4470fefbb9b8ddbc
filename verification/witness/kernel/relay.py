"""A path of one flow in user space, which loses packets by a rule; the flow's kernel runs at both ends.

One loop moves the packets and drives the sockets, so that the log is in order. Needs root and /dev/net/tun.
"""

from __future__ import annotations

import fcntl
import gc
import heapq
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from mesonet.kernel import machine
from mesonet.kernel.packets import MSS
from verification.witness.kernel.scenarios import KernelScenario

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 1, 0x1000
_SYN = 2
_PRIORITY = 50
_SINK = bytearray(1 << 20)


class Packet(NamedTuple):
    """TCP packet at the relay: when it was read, and its fields relative to the first sequence number."""

    time_s: float
    from_sender: bool
    is_syn: bool
    segment: int  #: number of the segment, from 0, of data; of an acknowledgement the first one not acknowledged
    bytes: int  #: of data
    sacked: tuple[tuple[int, int], ...]  #: first and end of the blocks that a selective acknowledgement reports


class State(NamedTuple):
    """Some fields of TCP_INFO."""

    time_s: float
    state: int  #: of the connection, 1 once it is established
    congestion: int  #: of the congestion control: 0 open, 1 disorder, 3 recovery, 4 loss
    cwnd: int
    ssthresh: int
    rto_s: float
    srtt_s: float
    retransmissions: int


@dataclass(frozen=True)
class Route:
    """Path of the relay: `drops` decides for each packet of the sender, before the queue."""

    rtt_s: float
    service_s: float = 0.0
    places: int = 1 << 20
    drops: Callable[[Packet], bool] = lambda _: False
    rmem: str = ""  #: `net.ipv4.tcp_rmem` of the receiver; empty for the kernel's own values


@dataclass
class Log:
    """Packets and counters that a run left."""

    packets: list[Packet] = field(default_factory=list)
    dropped: list[Packet] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    arrived_s: list[float] = field(default_factory=list)  #: when packets of the receiver reached the sender
    latest_s: float = 0.0  #: the largest delay with which the relay wrote a packet
    completed_s: float = float("nan")  #: when all data was acknowledged
    counters: dict[str, int] = field(default_factory=dict)

    def data(self) -> list[Packet]:
        """Return the data packets of the sender in order."""
        return [packet for packet in self.packets if packet.from_sender and packet.bytes]

    def acks(self) -> list[Packet]:
        """Return the acknowledgements of the receiver in order."""
        return [packet for packet in self.packets if not packet.from_sender and not packet.is_syn]


def run(route: Route, algorithm: str, writes: Sequence[tuple[float, int]], duration_s: float) -> Log:
    """Return the log of a flow. `writes`: instants after the start, s, and segments that are written then."""
    setup = KernelScenario("relay", (algorithm,), 0, duration_s, (0.0, duration_s), floor_s=0.2).setup
    with machine.namespaces(setup) as (sender, receiver):
        ends = [_device(name) for name in (sender, receiver)]
        if route.rmem:
            machine.ip("netns", "exec", receiver, "sysctl", "-qw", f"net.ipv4.tcp_rmem={route.rmem}")
        machine.connect(sender, machine.SENDER, machine.RECEIVER, setup)
        machine.connect(receiver, machine.RECEIVER, machine.SENDER, setup)
        normal = os.sched_getscheduler(0)
        gc.disable()
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
        try:
            log = _loop(route, algorithm, writes, duration_s, ends, (sender, receiver))
        finally:
            os.sched_setscheduler(0, normal, os.sched_param(0))
            gc.enable()
        log.counters = machine.counters(sender)
        for end in ends:
            os.close(end)
        return log


def _device(name: str) -> int:
    with machine.inside(name):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH14x", b"tun0", _IFF_TUN | _IFF_NO_PI))
        return device


def _loop(
    route: Route,
    algorithm: str,
    writes: Sequence[tuple[float, int]],
    duration_s: float,
    ends: Sequence[int],
    names: tuple[str, str],
) -> Log:
    with machine.inside(names[1]):
        listener = socket.create_server((machine.RECEIVER, machine.PORT))
        listener.setblocking(False)
    with machine.inside(names[0]):
        flow = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        flow.setblocking(False)
        flow.setsockopt(socket.IPPROTO_TCP, machine.TCP_CONGESTION, algorithm.encode())
        flow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    log, on_way, order = Log(), [], 0
    base: list[int] = []
    free_s, leaving = 0.0, []
    reader: socket.socket | None = None
    left, script, total = 0, list(writes), sum(segments for _, segments in writes) * MSS
    watched: list[int] = [*ends, listener.fileno()]
    began = time.monotonic()
    flow.connect_ex((machine.RECEIVER, machine.PORT))
    sampled = -1.0
    while True:
        now = time.monotonic() - began
        if now > duration_s:
            break
        for number, device in enumerate(ends):
            while True:
                try:
                    packet = os.read(device, 2048)
                except BlockingIOError:
                    break
                now = time.monotonic() - began
                found = _described(packet, now, number == 0, base)
                if found is None:
                    continue
                log.packets.append(found)
                due = now + route.rtt_s / 2
                if number == 0 and (found.bytes or found.is_syn):
                    leaving = [at for at in leaving if at > now]
                    if route.drops(found) or len(leaving) > route.places:
                        log.dropped.append(found)
                        continue
                    free_s = max(free_s, now) + route.service_s
                    leaving.append(free_s)
                    due = free_s + route.rtt_s / 2
                order += 1
                heapq.heappush(on_way, (due, order, 1 - number, packet))
        while on_way and on_way[0][0] <= time.monotonic() - began:
            due, _, number, packet = heapq.heappop(on_way)
            os.write(ends[number], packet)
            now = time.monotonic() - began
            log.latest_s = max(log.latest_s, now - due)
            if number == 0:
                log.arrived_s.append(now)
                log.states.append(_state(flow, now))
        if reader is None:
            try:
                reader, _ = listener.accept()
                reader.setblocking(False)
                watched.append(reader.fileno())
            except BlockingIOError:
                pass
        else:
            machine.drain(reader, _SINK)
        now = time.monotonic() - began
        while script and script[0][0] <= now:
            left += script.pop(0)[1] * MSS
        if left:
            with suppress(OSError):
                left -= flow.send(bytes(min(left, 1 << 18)))
        if now - sampled > 0.002:
            sampled = now
            log.states.append(_state(flow, now))
            acked = struct.unpack_from("<Q", flow.getsockopt(socket.IPPROTO_TCP, machine.TCP_INFO, 256), 120)[0]
            if acked >= total and log.completed_s != log.completed_s:
                log.completed_s = now
        wake = min([now + 0.002, *(entry[0] for entry in on_way[:1])])
        select.select(watched, [], [], max(0.0, wake - (time.monotonic() - began)))
    for each in (flow, listener, *([reader] if reader else [])):
        each.close()
    return log


def _state(flow: socket.socket, now: float) -> State:
    info = flow.getsockopt(socket.IPPROTO_TCP, machine.TCP_INFO, 256)
    word = struct.unpack_from("<24I", info, 8)
    return State(now, info[0], info[1], word[18], word[17], word[0] * 1e-6, word[15] * 1e-6, word[23])


def _described(packet: bytes, now: float, from_sender: bool, base: list[int]) -> Packet | None:
    """Return a packet of TCP. `base`: sequence number of the first data of the sender, once it is known."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    start = (packet[0] & 15) * 4
    sequence, acknowledged = struct.unpack_from(">II", packet, start + 4)
    header, flags = (packet[start + 12] >> 4) * 4, packet[start + 13]
    if from_sender and flags & _SYN and not base:
        base.append((sequence + 1) % (1 << 32))
    first = base[0] if base else 0

    def segment(number: int) -> int:
        return -(-((number - first) % (1 << 32)) // MSS)

    blocks = []
    options, place = packet[start + 20 : start + header], 0
    while place < len(options) and options[place]:
        if options[place] == 1:
            place += 1
            continue
        if options[place] == 5:
            edges = struct.unpack_from(f">{(options[place + 1] - 2) // 4}I", options, place + 2)
            blocks += [(segment(a), segment(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        place += options[place + 1]
    number = segment(sequence if from_sender else acknowledged)
    is_syn = bool(flags & _SYN)
    return Packet(now, from_sender, is_syn, number, len(packet) - start - header, tuple(blocks))
