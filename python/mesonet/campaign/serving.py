"""The inside of a process that serves tasks, one after the other; `mesonet.campaign.process` is its outside.

Each line of standard input is a task, a JSON object. The reply is one line on standard output, a JSON object; one with
``message`` is an error. Lines with ``share`` may come before it: the finished share of the task. Whatever else is
written to standard output goes to standard error, the log of the task. The end of standard input ends the process, even
in the middle of a task: the caller is gone. A task with ``end`` ends it as a program ends, with exit code `ENDED`.

Starting a process costs about as much as a short run, so one serves many; a crash still costs one task only.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TextIO

from mesonet.simulation.checkpoint import GRACE_S

ENDED = 83
"""Exit code of a process that ends when its caller asks for it (chosen: no code that programs use)."""

Update = Callable[[float, float], None]
"""Called with the done part of a task and its total, in any unit."""

SHARE_EVERY_S = 1.0
"""Often enough for a reader, seldom enough to cost nothing (chosen)."""


def serve(answer: Callable[[dict[str, Any], Update], dict[str, Any]]) -> None:
    """Serve tasks until there are no more. `answer`: returns the reply to a task."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the output of a model is no reply
    _send(channel, {"ready": True})
    for task in _tasks():
        if "end" in task:
            ctypes.CDLL(None).exit(ENDED)  # exit handlers of libraries run; Python would wait for the thread that reads
        _send(channel, answer(task, _shares(channel)))


def error_reply(error: Exception) -> dict[str, Any]:
    """Return the reply for a task that raised an error."""
    return {"message": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}


def _send(channel: TextIO, what: dict[str, Any]) -> None:
    channel.write(json.dumps(what, default=str) + "\n")
    channel.flush()


def _shares(channel: TextIO) -> Update:
    """Return a function that reports the finished share of a task, at once and then every `SHARE_EVERY_S`."""
    due = time.monotonic()

    def update(done: float, total: float) -> None:
        nonlocal due
        if time.monotonic() >= due and done < total:
            due = time.monotonic() + SHARE_EVERY_S
            with suppress(BrokenPipeError):  # the caller is gone: the task ends by a signal
                _send(channel, {"share": done / total})

    return update


def _tasks() -> Iterator[dict[str, Any]]:
    """Yield tasks as they come; a thread reads them, so that the end of the caller is seen during a task too."""
    lines: SimpleQueue[str] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        _end()

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield json.loads(lines.get())


def _end() -> None:
    """End this process and the programs that it started, after a snapshot where a run leaves any."""
    if os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGTERM)
    else:
        os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os._exit(0)
