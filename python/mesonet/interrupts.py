"""Ctrl-C at the command line: the first one ends the command, further ones change nothing.

Users press it several times, and a second `KeyboardInterrupt` while the first is handled would print a traceback.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CODE = 128 + signal.SIGINT
"""Exit code of a command that Ctrl-C ended, as of a shell."""


def once(number: int, frame: FrameType | None) -> None:
    """Raise `KeyboardInterrupt`, and ignore every further SIGINT."""
    # Python would print a traceback for a SIGINT in the middle of this change. It still may, if another thread gets it.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    finally:  # a SIGINT that came before is handled in these lines: the second call of this function raises
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    raise KeyboardInterrupt


def is_ours() -> bool:
    """Return True if Ctrl-C raises `KeyboardInterrupt`; else the program of a caller handles or ignores it."""
    return signal.getsignal(signal.SIGINT) in (signal.default_int_handler, once)


@contextmanager
def deferred() -> Iterator[None]:
    """Let a Ctrl-C take effect at the end of the block, and never in the processes that start in the block.

    A terminal sends SIGINT to these, too; they inherit that it is blocked.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came = []
    # Another thread of this process may take the signal, so that blocking alone defers nothing.
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
