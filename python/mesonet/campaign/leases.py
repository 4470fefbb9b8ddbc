"""Leases on runs: any number of runners on any machines share a campaign, and no run is made twice.

A lease is a file in the campaign folder that names the process which holds it. The holder renews its time stamp every
`BEAT_S`. A lease is void when its process has ended; processes of the same machine can see this. For other machines it
is void when it was not renewed for `LEASE_S`. Two runs of one key write equal bytes; leases avoid the cost.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Literal
from uuid import uuid4

from mesonet.errors import InputError
from mesonet.files import reading

if os.name == "nt":
    raise ImportError("campaigns need the signals of Linux or macOS; on Windows use WSL")

BEAT_S = 10.0
LEASE_S = 90.0
"""Several beats, since writes to a file server can hang for a while (chosen)."""

PREFIX = ".lease-"
_CLOCK = ".clock-"
TAKEOVER = ".takeover"
_BORN_TOLERANCE_S = 1.0
_MOST_BYTES = 10_000


class Leases:
    """Leases of this process on runs of one campaign. A context manager, which renews them until it ends."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._held: dict[str, str] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._renew, name="leases", daemon=True)

    def __enter__(self) -> Leases:
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._beat.join()
        for key in list(self._held):
            self.release(key)

    def take(self, key: str) -> bool:
        """Lease a run. False if another process, or another thread of this process, holds the lease."""
        path = self._runs / f"{PREFIX}{key}"
        content = json.dumps({**_holder(), "lease": uuid4().hex})
        while not _create(path, content):
            if not is_void(path):
                return False
            _remove_void(path)
        with self._lock:
            self._held[key] = content
        return True

    def release(self, key: str) -> None:
        """End a lease, unless it was not renewed in time and another process took it over."""
        with self._lock:
            content = self._held.pop(key, None)
        path = self._runs / f"{PREFIX}{key}"
        with suppress(OSError, InputError):  # a lease that cannot be removed expires
            if _content(path) == content:
                path.unlink(missing_ok=True)

    def _renew(self) -> None:
        while not self._stop.wait(BEAT_S):
            with self._lock:
                held = list(self._held)
            for key in held:
                with suppress(OSError):
                    os.utime(self._runs / f"{PREFIX}{key}")


def live(runs: Path) -> set[str]:
    """Return the keys of the runs with a valid lease."""
    return {name.removeprefix(PREFIX) for name in _names(runs) if not is_void(runs / name)}


def sweep(runs: Path) -> None:
    """Remove void leases, which killed processes leave behind."""
    for name in _names(runs):
        with suppress(OSError):  # read-only folder: they stay, and stay void
            if is_void(runs / name):
                _remove_void(runs / name)


def is_void(path: Path) -> bool:
    """Return True if no process holds a lease."""
    return _state(path) != "held"


def mark() -> str:
    """Return a mark of this process for names of files that it alone uses."""
    return f"{_machine_mark()}_{os.getpid()}_{_born_at(os.getpid()):.2f}"


def is_left_behind(mark_of_writer: str) -> bool:
    """Return True if the process of a mark has ended; processes of other machines cannot be seen."""
    try:
        machine, pid, born = mark_of_writer.split("_")
        return machine == _machine_mark() and not _is_alive(int(pid), float(born))
    except ValueError:
        return False


def _machine_mark() -> str:
    return hashlib.sha256(_machine().encode()).hexdigest()[:12]


def _state(path: Path) -> Literal["free", "held", "void"]:
    try:
        renewed = path.stat().st_mtime
        holder = json.loads(_content(path))
        if holder["machine"] == _machine():
            return "held" if _is_alive(holder["pid"], holder["born"]) else "void"
    except FileNotFoundError:
        return "free"
    except (ValueError, TypeError, KeyError):
        pass  # its writer was killed before it wrote the content
    # A stamp far in the future was written before a clock was set back: its holder would have renewed it since.
    return "void" if abs(_file_server_now(path.parent) - renewed) > LEASE_S else "held"


def _content(path: Path) -> str:
    return reading.read_bytes(path, _MOST_BYTES).decode()


def _names(runs: Path) -> list[str]:
    with os.scandir(runs) as entries:
        return [entry.name for entry in entries if entry.name.startswith(PREFIX)]


def _create(path: Path, content: str) -> bool:
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    try:
        os.write(file, content.encode())
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)
    return True


def _remove_void(path: Path) -> None:
    """Remove a void lease. A file that appears in its place is a new lease, and stays."""
    with _alone(path.parent):
        if _state(path) == "void":
            path.unlink(missing_ok=True)


def _is_alive(pid: int, born: float) -> bool:
    """Return True if the process runs, and no other process got its number."""
    now = _born_at(pid)
    return now is not None and abs(now - born) < _BORN_TOLERANCE_S


def _born_at(pid: int) -> float | None:
    """Return when a process started, in s, from a monotonic clock if there is one; None if it has ended.

    Linux counts ticks since the machine started; the time of `psutil` moves with the time of day.
    """
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if state == "Z" else float(rest[18]) / os.sysconf("SC_CLK_TCK")  # proc(5): starttime
    except (OSError, ValueError, IndexError):
        pass
    import psutil

    try:
        process = psutil.Process(pid)
        with suppress(psutil.AccessDenied):
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
        return float(process.create_time())
    except psutil.NoSuchProcess:
        return None


def _holder() -> dict[str, object]:
    pid = os.getpid()
    return {"machine": _machine(), "host": platform.node(), "pid": pid, "born": _born_at(pid)}


@cache
def _machine() -> str:
    """Return the scope of process numbers: the host, its boot, and its namespace of processes."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").stat().st_ino))
    return "/".join(parts)


def _file_server_now(folder: Path) -> float:
    """Return the time of the clock that stamps files in a folder, which may be the clock of a file server."""
    clock = folder / f"{_CLOCK}{uuid4().hex}"
    try:
        clock.touch()
        return clock.stat().st_mtime
    except OSError:  # read-only folder
        return time.time()
    finally:
        with suppress(OSError):
            clock.unlink(missing_ok=True)


@contextmanager
def _alone(runs: Path) -> Iterator[None]:
    """Hold the exclusive right to remove void leases. File systems without locks give no protection."""
    from filelock import FileLock  # seldom needed

    lock = FileLock(runs / TAKEOVER, fallback_to_soft=False)
    with suppress(OSError):
        lock.acquire()
    try:
        yield
    finally:
        if lock.is_locked:  # removed before the release: after it, the file may be another's
            with suppress(OSError):
                (runs / TAKEOVER).unlink(missing_ok=True)
        lock.release()
