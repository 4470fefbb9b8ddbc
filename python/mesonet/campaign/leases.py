"""Who runs what: one claim per run in progress, so that any number of runners on any machines share a campaign.

A claim is a file in the campaign folder that names the process which holds it. Its time stamp is renewed every
`BEAT_S`. A claim is void when its process is gone, which any process of the same machine sees at once, or when it was
not renewed for `LEASE_S`, which is all that other machines can see. Two runs of one key would do no harm, they give
the same bytes; claims keep them from being paid for twice.
"""

from __future__ import annotations

import fcntl
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

import psutil

BEAT_S = 10.0
LEASE_S = 90.0
"""Several beats, since writes to a file server can hang for a while (chosen)."""

PREFIX = ".claim-"
_CLOCK = ".clock-"
_TAKEOVER = ".takeover"
_BORN_TOLERANCE_S = 1.0
_threads = threading.Lock()


class Claims:
    """The claims of this process on runs of one campaign; use it as a context manager, which keeps them renewed."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._held: dict[str, str] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._beat = threading.Thread(target=self._renew, name="claims", daemon=True)

    def __enter__(self) -> Claims:
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
        """Claims a run; False if another process, or another thread of this one, runs it now."""
        path = self._runs / f"{PREFIX}{key}"
        content = json.dumps({**_holder(), "claim": uuid4().hex})
        while not _create(path, content):
            if not is_void(path):
                return False
            _remove_void(path)
        with self._lock:
            self._held[key] = content
        return True

    def release(self, key: str) -> None:
        """Gives a claim back; one that others took over, because it was not renewed in time, is theirs."""
        with self._lock:
            content = self._held.pop(key, None)
        path = self._runs / f"{PREFIX}{key}"
        with suppress(OSError):  # a claim that cannot be removed runs out
            if path.read_text() == content:
                path.unlink(missing_ok=True)

    def _renew(self) -> None:
        while not self._stop.wait(BEAT_S):
            with self._lock:
                held = list(self._held)
            for key in held:
                with suppress(OSError):
                    os.utime(self._runs / f"{PREFIX}{key}")


def live(runs: Path) -> set[str]:
    """Keys of the runs that some process is at."""
    return {name.removeprefix(PREFIX) for name in _names(runs) if not is_void(runs / name)}


def sweep(runs: Path) -> None:
    """Removes the claims that nobody holds any more, which killed processes leave behind."""
    for name in _names(runs):
        with suppress(OSError):  # a folder that is only read: they are void all the same
            if is_void(runs / name):
                _remove_void(runs / name)


def is_void(path: Path) -> bool:
    """Whether nobody holds this claim any more; one that is not there is held by nobody."""
    return _state(path) != "held"


def _state(path: Path) -> Literal["free", "held", "void"]:
    try:
        renewed = path.stat().st_mtime
        holder = json.loads(path.read_text())
        if holder["machine"] == _machine():
            return "held" if _is_alive(holder["pid"], holder["born"]) else "void"
    except FileNotFoundError:
        return "free"
    except (ValueError, TypeError, KeyError):
        pass  # its writer was stopped before the content was there
    # One far in the future was written before a clock was set back: its holder would have renewed it since.
    return "void" if abs(_file_server_now(path.parent) - renewed) > LEASE_S else "held"


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
    """Removes a void claim, unless it is gone: then what stands there next is somebody's new one."""
    with _alone(path.parent):
        if _state(path) == "void":
            path.unlink(missing_ok=True)


def _is_alive(pid: int, born: float) -> bool:
    """Whether the process is there, and not another one that got its number."""
    now = _born_at(pid)
    return now is not None and abs(now - born) < _BORN_TOLERANCE_S


def _born_at(pid: int) -> float | None:
    """When a process started, in s, by a clock that nobody sets where there is one; None if it is no more.

    Linux tells it in ticks since the machine started; that of `psutil` moves with the time of day.
    """
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if state == "Z" else float(rest[18]) / os.sysconf("SC_CLK_TCK")  # proc(5): starttime
    except (OSError, ValueError, IndexError):
        pass
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
    """Where process numbers mean the same: the host since it was started, and its namespace of processes."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return "/".join(parts)


def _file_server_now(folder: Path) -> float:
    """The time by the clock that stamps files there, which may not be that of this machine."""
    clock = folder / f"{_CLOCK}{uuid4().hex}"
    try:
        clock.touch()
        return clock.stat().st_mtime
    except OSError:  # a folder that is only read
        return time.time()
    finally:
        with suppress(OSError):
            clock.unlink(missing_ok=True)


@contextmanager
def _alone(runs: Path) -> Iterator[None]:
    """Only one process at a time removes void claims; where the file system has no locks, that is hoped for.

    Locks of files are those of a whole process, and closing any copy of the file ends them: its threads wait here.
    """
    with _threads, (runs / _TAKEOVER).open("w") as file:
        with suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_EX)
        yield
