"""Snapshots of a run: it continues after it was stopped or killed, with the results of an uninterrupted run.

The first line is JSON: format, code version, simulated time, resources spent, size and SHA-256 of the state. The state
follows, as the simulator gives it. The file is replaced as a whole, so that it is never half written. Only one process
at a time uses it (`mesonet.files.locks`).
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from mesonet import core, units
from mesonet.errors import InputError
from mesonet.files import reading
from mesonet.files.locks import FileLock
from mesonet.files.places import ASIDE

FORMAT = 1
EVERY = "5 min"
"""Wall-clock time between snapshots (chosen): short runs never pay, and a crash costs little of a long one."""
GRACE_S = 20.0
"""Time to write a snapshot after a signal to end (chosen; batch systems leave 30 s)."""

_ASK_S = 0.1
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_ALLOWED = "the file that the same command wrote; without a file, the run begins anew"


class Stopped(KeyboardInterrupt):
    """SIGTERM or Ctrl-C came during a run with a checkpoint; the snapshot is on the disk."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


@dataclass(frozen=True)
class _Snapshot:
    simulated_s: float
    spent: Mapping[str, Any]
    state: bytes


class Checkpoint:
    """The file of one run, for `mesonet.simulation.simulate`; a context manager.

    In its block SIGTERM and Ctrl-C make a running simulation write a snapshot and raise `Stopped`. The file is removed
    when the block ends without an error, and stays otherwise: write the results inside the block. ::

        with mesonet.Checkpoint("abilene.snapshot") as checkpoint:
            mesonet.simulate(scenario, checkpoint=checkpoint).write("abilene")

    Parameters
    ----------
    path
        The file; if it exists, the run continues from it.
    every
        Wall-clock time between snapshots, such as ``5 min``.
    forgiving
        If a snapshot cannot be used, the run begins anew with a note. If another process uses the file for longer than
        `GRACE_S`, this run writes no snapshot.
    note
        Called with a sentence for each event of the file; by default it is printed on stderr.

    Raises
    ------
    InputError
        If `every` is no time above 0, or there can be no such file; when the block begins, if another process or
        thread uses the file.
    """

    def __init__(
        self,
        path: str | Path,
        every: str = EVERY,
        *,
        forgiving: bool = False,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.path = Path(path)
        self._every = _interval(every)
        self._forgiving = forgiving
        self._note = note or _to_stderr
        self._told: int | None = None
        self._handlers: dict[int, Any] = {}
        self._next = 0.0
        self._lock = FileLock(self.path)
        self._ours = False
        if not forgiving and (self.path.is_dir() or not os.access(self.path.parent, os.W_OK)):
            allowed = "a new file, or a snapshot of such a run, in a folder that can be written to"
            raise InputError("no place for a file", path="--checkpoint", value=str(path), allowed=allowed)

    def __enter__(self) -> Checkpoint:
        self._ours = self._locked()
        self._next = time.monotonic() + self._every
        if threading.current_thread() is threading.main_thread():
            self._handlers = {number: signal.signal(number, self._tell) for number in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if error is None and self._ours:
            for file in (self.path, _half_written(self.path)):
                file.unlink(missing_ok=True)
        self._lock.release()
        if error is None and self._told is not None:  # after the last look
            signal.raise_signal(self._told)

    def _locked(self) -> bool:
        """Return True if this run has the lock; with `forgiving` it waits for a process that got a signal to end."""
        end = time.monotonic() + (GRACE_S if self._forgiving else 0.0)
        try:
            while not self._lock.take():
                if time.monotonic() >= end:
                    if not self._forgiving:
                        raise self.refused("another command uses this file", allowed="another file, or to wait for it")
                    self._note(f"{self.path}: another process uses it; this run leaves no snapshot")
                    return False
                time.sleep(_ASK_S)
        except OSError as error:
            if not self._forgiving:
                raise
            self._note(f"{self.path}: no snapshot can be written: {error.strerror or error}")
            return False
        return True

    def begin(self, make: Callable[[bytes | None], Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the run, from its snapshot or from its first instant, and the resources it has used before.

        Parameters
        ----------
        make
            Makes a run of a state; of None at its first instant.

        Returns
        -------
        The run, and the resources that the snapshot lists; empty at the first instant.

        Raises
        ------
        InputError
            If there is a file and it is no snapshot of this run by this code, or is damaged, unless `forgiving` is set.
        """
        try:
            found = self._read() if self._ours else None
            if found is None:
                return make(None), {}
            run = make(found.state)
        except InputError as error:
            if not self._forgiving:
                raise
            self._note(f"{error}; begins anew")
            return make(None), {}
        self._note(f"continues at {found.simulated_s:.6g} s from {self.path}")
        return run, found.spent

    def look(self, run: Any, spent: Callable[[], Mapping[str, Any]]) -> None:
        """Write a snapshot of the run if it is time or a signal came.

        Parameters
        ----------
        run
            The run, as `begin` returned it.
        spent
            Returns the resources used so far.

        Raises
        ------
        Stopped
            If a signal came.
        """
        if self._told is None and time.monotonic() < self._next:
            return
        at = float(run.performance()["simulated_s"])
        written = self._ours and self._write(_Snapshot(at, spent(), run.snapshot()))
        self._next = time.monotonic() + self._every
        if self._told is not None:
            rest = f"; the same command continues from {self.path}" if written else ""
            raise Stopped(f"stopped at {at:.6g} s of simulated time{rest}", self._told)

    def _tell(self, number: int, frame: FrameType | None) -> None:
        self._told = number

    def _write(self, snapshot: _Snapshot) -> bool:
        """Replace the file, and return True if that worked: a full disk must not end a run."""
        header = {
            "format": FORMAT,
            "code_version": core.code_version(),
            "simulated_s": snapshot.simulated_s,
            "spent": snapshot.spent,
            "size": len(snapshot.state),
            "sha256": hashlib.sha256(snapshot.state).hexdigest(),
        }
        aside = _half_written(self.path)
        try:
            aside.unlink(missing_ok=True)  # of a process that was killed, or a link of somebody else
            with aside.open("xb") as file:
                file.write(json.dumps(header, sort_keys=True).encode() + b"\n")
                file.write(snapshot.state)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(self.path)
        except OSError as error:
            self._note(f"{self.path}: no snapshot could be written: {error.strerror or error}")
            return False
        finally:
            aside.unlink(missing_ok=True)
        return True

    def _read(self) -> _Snapshot | None:
        try:
            with reading.opened(self.path) as file:
                line, state = file.readline(), file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self.refused(f"cannot be read: {error.strerror or error}") from None
        try:
            header = json.loads(line)
            form, code_version, digest = (header[key] for key in ("format", "code_version", "sha256"))
            snapshot = _Snapshot(float(header["simulated_s"]), dict(header["spent"]), state)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self.refused("not a snapshot") from None
        if form != FORMAT or code_version != core.code_version():
            raise self.refused("a snapshot by another version of the code")
        if digest != hashlib.sha256(state).hexdigest():
            raise self.refused("a damaged snapshot")
        return snapshot

    def refused(self, problem: str, allowed: str = _ALLOWED) -> InputError:
        """Return the error for a file that is not the snapshot of the run.

        Parameters
        ----------
        problem
            Problem of the file, in one clause.
        allowed
            Allowed files, in words.

        Returns
        -------
        An error that names the option ``--checkpoint`` and the file.
        """
        return InputError(problem, path="--checkpoint", value=str(self.path), allowed=allowed)


def _half_written(path: Path) -> Path:
    """Return the path of the file while it is written; it stays behind if the process is killed during a write."""
    return path.with_name(f"{ASIDE}{path.name}.new")


def discard(path: Path) -> None:
    """Remove a snapshot and a half-written one, unless a run uses it."""
    lock = FileLock(path)
    if lock.take():
        try:
            for file in (path, _half_written(path)):
                file.unlink(missing_ok=True)
        finally:
            lock.release()


def _interval(every: str) -> float:
    try:
        seconds = units.TIME.parse(every, EVERY)
    except InputError as error:
        raise error.located(path="--checkpoint-every") from None
    if seconds <= 0:
        raise InputError("too short", path="--checkpoint-every", value=every, allowed="a time above 0")
    return seconds


def _to_stderr(text: str) -> None:
    sys.stderr.write(f"mesonet: {text}\n")
    sys.stderr.flush()
