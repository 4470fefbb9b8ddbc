"""A command whose plug-in ends the process: the exit code shows it, whatever the plug-in does.

`_exit` ends a process at once, with the exit code 0 of a command that worked. Before the code of the first plug-in
runs, the command therefore continues in a child of its process. The process waits for it, and for the record that only
the end of the command writes. A command without plug-ins has no child.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_MOST_BYTES = 65_536
_PR_SET_PDEATHSIG = 1
_is_watched = False
_record: int | None = None
"""The pipe to the process that waits; None before the first plug-in."""


@contextmanager
def watched() -> Iterator[None]:
    """Let this process wait for a child that continues the command, from the first plug-in of the block on."""
    global _is_watched
    _is_watched = hasattr(os, "fork")
    try:
        yield
    finally:
        _is_watched = False


def ended(code: int) -> None:
    """Record that the command ends with an exit code."""
    if _record is not None:
        os.write(_record, f"\n{code}\n".encode())


def before(file: str) -> None:
    """Record that the code of a plug-in runs from now on; before the first one, continue in a child."""
    global _record
    if not _is_watched or (_record is None and threading.current_thread() is not threading.main_thread()):
        return
    if _record is None:
        _record = _in_child()
    os.write(_record, f"{file}\n".encode())


def _in_child() -> int:
    """Continue in a child; return the pipe for its record."""
    import ctypes

    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    record, pipe = os.pipe()
    parent = os.getpid()
    if child := os.fork():
        os.close(pipe)
        _wait(child, record)
    os.close(record)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)
    return pipe


def _wait(child: int, record: int) -> NoReturn:
    """Wait for the child, and end as it ended."""
    import resource

    def forward(number: int, frame: FrameType | None) -> None:
        os.kill(child, number)

    for name in _FORWARDED:
        number = getattr(signal, name)
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, forward)
    _, status = os.waitpid(child, 0)
    os.set_blocking(record, False)
    text = os.read(record, _MOST_BYTES).decode(errors="replace")
    files, _, intended = text.partition("\n\n")
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # the child left it
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    if intended.strip() != str(code):
        names = " or ".join(dict.fromkeys(files.splitlines()))
        shown = (
            f"mesonet: plug-in {names} ended the process with exit code {code}, as by _exit: the command did not end\n"
        )
        os.write(2, shown.encode())
        os._exit(1)
    os._exit(code)
