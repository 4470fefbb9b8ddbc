"""Runs set-ups on the kernel of this machine. Needs root, /dev/net/tun, ip and a C compiler."""

from __future__ import annotations

import ctypes
import gc
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mesonet.errors import Broken, InputError
from mesonet.kernel.packets import MSS, PACKET, SAMPLE, SAMPLE_S, Trace
from mesonet.kernel.setups import Bottleneck, Setup

SOURCE = Path(__file__).with_name("bottleneck.c")
_CLONE_NEWNET = 0x40000000
TCP_INFO, TCP_CONGESTION, _TCP_CC_INFO = 11, 13, 26
_SO_MAX_PACING_RATE = 47
_NO_LIMIT = 1 << 40
"""A rate, bytes/s, that limits nothing: the option turns pacing on."""
_QUEUE_PRIORITY, _ENDPOINT_PRIORITY = 50, 40
SENDER, RECEIVER, PORT = "10.77.0.1", "10.77.1.1", 5201
_BUFFER_BYTES = 16 << 20
_CHUNK = bytes(1 << 16)

SYSCTLS = {
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_ecn": "0",
    "net.ipv4.tcp_sack": "1",
    "net.ipv4.tcp_dsack": "1",
    "net.ipv4.tcp_timestamps": "1",
    "net.ipv4.tcp_window_scaling": "1",
    "net.ipv4.tcp_rmem": f"4096 {_BUFFER_BYTES} {_BUFFER_BYTES}",
    "net.ipv4.tcp_wmem": f"4096 {_BUFFER_BYTES // 4} {_BUFFER_BYTES // 4}",
}
"""What is set in both namespaces: receivers never limit a flow. All other names keep the kernel's values."""

RECORDED = (
    "net.ipv4.tcp_recovery", "net.ipv4.tcp_early_retrans", "net.ipv4.tcp_frto", "net.ipv4.tcp_reordering",
    "net.ipv4.tcp_limit_output_bytes", "net.ipv4.tcp_min_tso_segs", "net.ipv4.tcp_tso_win_divisor",
    "net.ipv4.tcp_pacing_ss_ratio", "net.ipv4.tcp_pacing_ca_ratio", "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_comp_sack_nr", "net.ipv4.tcp_comp_sack_delay_ns",
    "net.core.default_qdisc",
)  # fmt: skip
"""Values of the kernel that are written into the log of a run."""


COMPILER = ("cc", "-O2", "-Wall", "-pthread")
ALGORITHMS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_TUN = Path("/dev/net/tun")


def refuse_machine() -> None:
    """Raise an `InputError` if this machine cannot run set-ups."""
    needed = {
        "Linux": sys.platform == "linux",
        "root": sys.platform == "linux" and not os.geteuid(),
        str(_TUN): _TUN.exists(),
        "the program ip": shutil.which("ip"),
        "the program sysctl": shutil.which("sysctl"),
        "a C compiler (cc)": shutil.which(COMPILER[0]),
    }
    if missing := [name for name, there in needed.items() if not there]:
        problem = f"a replay on the kernel needs {', '.join(missing)}"
        raise InputError(problem, path="--kernel", allowed=f"a machine with {', '.join(needed)}")


def algorithms() -> list[str]:
    """Return the congestion controls that the kernel has."""
    return ALGORITHMS.read_text().split()


def build(folder: Path) -> Path:
    """Return the compiled bottleneck."""
    program = folder / SOURCE.stem
    done = subprocess.run([*COMPILER, "-o", str(program), str(SOURCE)], capture_output=True, text=True)
    if done.returncode:
        raise Broken(f"{SOURCE}: the compiler refuses it:\n{done.stderr}")
    return program


def run(setup: Setup, seed: int, program: Path) -> Trace:
    """Return what one run left."""
    with namespaces(setup) as (sender, receiver), tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with joined(program, sender, receiver, log, setup, seed=seed):
            connect(sender, SENDER, RECEIVER, setup)
            connect(receiver, RECEIVER, SENDER, setup)
            began, samples, ended = endpoints(setup, sender, receiver)
        return Trace(began, np.fromfile(log, dtype=PACKET), samples, ended)


@contextmanager
def joined(
    program: Path,
    sender: str,
    receiver: str,
    log: Path,
    setup: Setup,
    *,
    bottleneck: Bottleneck | None = None,
    seed: int = 1,
) -> Iterator[None]:
    """Join two namespaces by a bottleneck while the context lasts; it logs every packet.

    `bottleneck`: in place of the one of the set-up.
    """
    path = log.with_name("path")
    path.write_text((bottleneck or setup.bottleneck).text(min(setup.starts_s)))
    words = [str(program), sender, receiver, str(path), str(seed), str(_QUEUE_PRIORITY), str(log)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:  # ends with its input
        assert process.stdout
        if process.stdout.readline() != b"ready\n":
            raise Broken("the bottleneck did not start")
        yield
    if process.returncode:
        raise Broken("the bottleneck failed")


@contextmanager
def namespaces(setup: Setup) -> Iterator[tuple[str, str]]:
    """Make the namespaces of sender and receiver while the context lasts."""
    names = [f"mesonet-{os.getpid()}-{end}" for end in ("sender", "receiver")]
    made = []
    try:
        for name in names:
            ip("netns", "add", name)
            made.append(name)
            values = SYSCTLS if setup.compressed_sacks else {**SYSCTLS, "net.ipv4.tcp_comp_sack_nr": "0"}
            words = [f"{key}={value}" for key, value in values.items()]
            ip("netns", "exec", name, "sysctl", "-qw", *words)
        yield names[0], names[1]
    finally:
        for name in made:
            ip("netns", "del", name)


def connect(name: str, own: str, other: str, setup: Setup) -> None:
    """Give the device of a namespace its address and its route."""
    there = ("-n", name)
    ip(*there, "link", "set", "lo", "up")
    ip(*there, "addr", "add", own, "dev", "tun0")
    limit = ["gso_max_segs", str(setup.gso_segments)] if setup.gso_segments else []
    ip(*there, "link", "set", "tun0", "mtu", "1500", "txqueuelen", "10000", *limit, "up")
    acks = [] if setup.delayed_acks else ["quickack", "1"]
    ip(*there, "route", "add", other, "dev", "tun0", *acks, "rto_min", f"{round(setup.floor_s * 1000)}ms")
    with inside(name):
        _offloads_off("tun0")


def ip(*words: str) -> None:
    """Run `ip`."""
    subprocess.run(["ip", *words], check=True, stdout=subprocess.DEVNULL)


def _enter(descriptor: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Hold the thread in a namespace while the context lasts. Sockets stay where they were made."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/var/run/netns/{name}", os.O_RDONLY)
    try:
        _enter(there)
        yield
    finally:
        _enter(home)
        os.close(home)
        os.close(there)


def _offloads_off(device: str) -> None:
    """Turn off TSO, GSO and GRO (ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO)."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in (0x1F, 0x24, 0x2C):
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP", device.encode(), ctypes.addressof(value))
            try:
                fcntl.ioctl(control, 0x8946, request)
            except OSError as error:
                if error.errno != 95:  # EOPNOTSUPP: the device has no such offload
                    raise


def endpoints(setup: Setup, sender: str, receiver: str) -> tuple[int, np.ndarray, dict[str, Any]]:
    """Run both ends; return the start in ns, samples of TCP_INFO and the counters at the end."""
    with inside(receiver):
        listener = socket.create_server((RECEIVER, PORT))
        listener.setblocking(False)
    with inside(sender):
        flows = []
        for number, algorithm in enumerate(setup.algorithms):
            flow = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            flow.setblocking(False)
            flow.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, algorithm.encode())
            if number in setup.paced:
                flow.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, struct.pack("Q", _NO_LIMIT))
            flow.bind((SENDER, 1 + number))
            flows.append(flow)
    left = [setup.segments * MSS if setup.segments else None for _ in flows]
    poll = select.epoll()
    poll.register(listener, select.EPOLLIN)
    by_number = {}
    readers: dict[int, socket.socket] = {}
    started: set[int] = set()
    rows: list[tuple[int, int, bytes, bytes]] = []
    sink = bytearray(1 << 20)
    normal = os.sched_getscheduler(0)
    gc.disable()
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_ENDPOINT_PRIORITY))
    try:
        began = time.monotonic_ns() + 20_000_000
        end = began + round(setup.duration_s * 1e9)
        starts = [began + round(start * 1e9) for start in setup.starts_s]
        sample = began
        while True:
            now = time.monotonic_ns()
            if now >= end:
                break
            for number, flow in enumerate(flows):
                if number not in started and now >= starts[number]:
                    started.add(number)
                    flow.connect_ex((RECEIVER, PORT))
                    poll.register(flow, select.EPOLLOUT)
                    by_number[flow.fileno()] = number
            if now >= sample:
                rows += [(now, n, *_inquire(flows[n])) for n in sorted(started)]
                sample += round(SAMPLE_S * 1e9)
            wake = min([sample, end] + [starts[n] for n in range(len(flows)) if n not in started])
            for descriptor, _ in poll.poll(max(0.0, (wake - time.monotonic_ns()) / 1e9)):
                if descriptor == listener.fileno():
                    reader, _ = listener.accept()
                    reader.setblocking(False)
                    readers[reader.fileno()] = reader
                    poll.register(reader, select.EPOLLIN)
                elif descriptor in readers:
                    drain(readers[descriptor], sink)
                else:
                    number = by_number[descriptor]
                    if _fill(flows[number], left, number):
                        poll.modify(descriptor, 0)
        rows += [(end, n, *_inquire(flows[n])) for n in sorted(started)]
    finally:
        os.sched_setscheduler(0, normal, os.sched_param(0))
        gc.enable()
    ended: dict[str, Any] = {"sender": counters(sender), "receiver": counters(receiver)}
    ended["sysctl"] = _recorded(sender)
    for each in (*flows, *readers.values(), listener):
        each.close()
    return began, np.array([_parsed(began, *row) for row in rows], dtype=SAMPLE), ended


def drain(reader: socket.socket, sink: bytearray) -> None:
    """Read all that a socket holds."""
    try:
        while reader.recv_into(sink) == len(sink):
            pass
    except BlockingIOError:
        pass


def _fill(flow: socket.socket, left: list[int | None], number: int) -> bool:
    """Write until the socket is full; return whether everything is written."""
    try:
        while True:
            remaining = left[number]
            if remaining is None:
                flow.send(_CHUNK)
            elif remaining:
                left[number] = remaining - flow.send(bytes(remaining))
            else:
                return True
    except BlockingIOError:
        return False


def _inquire(flow: socket.socket) -> tuple[bytes, bytes]:
    info = flow.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 256)
    return info, flow.getsockopt(socket.IPPROTO_TCP, _TCP_CC_INFO, 20)


def _parsed(began: int, now: int, flow: int, info: bytes, control: bytes) -> tuple[Any, ...]:
    """Return a row of samples from `struct tcp_info` and `struct tcp_bbr_info` (linux/tcp.h, linux/inet_diag.h)."""
    word = struct.unpack_from("<24I", info, 8)
    rto, unacked, sacked, lost, retrans = word[0], word[4], word[5], word[6], word[7]
    rtt, rttvar, ssthresh, cwnd = word[15], word[16], word[17], word[18]
    acked, pacing = struct.unpack_from("<Q", info, 120)[0], struct.unpack_from("<Q", info, 104)[0]
    min_rtt = struct.unpack_from("<I", info, 148)[0]
    receiver_limited, buffer_limited = struct.unpack_from("<2Q", info, 176)
    delivered = struct.unpack_from("<I", info, 192)[0]
    dsacks = struct.unpack_from("<I", info, 216)[0]
    timeouts = struct.unpack_from("<H", info, 240)[0]
    low, high, bbr_rtt, gain, window_gain = struct.unpack("<5I", control) if len(control) == 20 else (0,) * 5
    return (
        (now - began) * 1e-9, flow, info[1], cwnd, ssthresh, unacked - sacked - lost + retrans, unacked, sacked, lost,
        retrans, rtt * 1e-6, rttvar * 1e-6, rto * 1e-6, min_rtt * 1e-6, pacing, word[23], delivered, acked, dsacks,
        timeouts, receiver_limited * 1e-6, buffer_limited * 1e-6, gain / 256, window_gain / 256, high << 32 | low,
        bbr_rtt * 1e-6,
    )  # fmt: skip


def counters(name: str) -> dict[str, int]:
    """Return the counters of a namespace: Tcp of snmp and TcpExt of netstat."""
    found: dict[str, int] = {}
    with inside(name):
        for file in ("snmp", "netstat"):
            lines = Path(f"/proc/thread-self/net/{file}").read_text().splitlines()
            for names, values in zip(lines[::2], lines[1::2], strict=True):
                head, *keys = names.split()
                if head in ("Tcp:", "TcpExt:"):
                    found.update(zip(keys, map(int, values.split()[1:]), strict=True))
    return found


def _recorded(name: str) -> dict[str, str]:
    done = subprocess.run(["ip", "netns", "exec", name, "sysctl", *RECORDED, *SYSCTLS], capture_output=True, text=True)
    return dict(line.split(" = ", 1) for line in done.stdout.splitlines())
