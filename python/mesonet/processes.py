"""Processes of Python that a command starts. Nothing in the current folder is code to them.

Python searches the current folder first for modules of ``-m`` and ``-c``, so that a file ``json.py`` in the folder of a
stranger would run. ``-P`` and ``PYTHONSAFEPATH`` prevent it.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from mesonet import interrupts


def processors() -> int:
    """Return the number of processors that this process may use: a scheduler of jobs may give it fewer than all."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def python(module: str) -> list[str]:
    """Return the command that runs a module of the package in a process of its own, in the `environment`."""
    return [sys.executable, "-P", "-m", module]


def environment() -> dict[str, str]:
    """Return the environment of a process that imports this very package: it is first in ``PYTHONPATH``.

    Empty parts of ``PYTHONPATH``, which mean the current folder, are left out.
    """
    package = str(Path(__file__).parents[1])
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return {**os.environ, "PYTHONPATH": os.pathsep.join([package, *given])}


@contextmanager
def _safe_path() -> Iterator[None]:
    """Have processes that start in the block search no module in the current folder."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTHONSAFEPATH"]
        os.environ.update({} if before is None else {"PYTHONSAFEPATH": before})


class _Pool(ProcessPoolExecutor):
    """A pool whose processes do not see Ctrl-C, which a terminal sends to all processes of a command."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a task, as `ProcessPoolExecutor.submit`, which may start a process."""
        with interrupts.deferred(), _safe_path():
            return super().submit(function, *arguments, **named)


@contextmanager
def process_pool(
    processes: int, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()
) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of fresh processes; if the block fails, they are ended at once.

    Fresh, because a fork of a process with threads, which polars starts, can hang.

    `processes`: number of processes, at least 1.
    """
    before = multiprocessing.active_children()
    with _safe_path():
        resource_tracker.ensure_running()  # its start would unblock SIGINT for the process that starts next
    with _Pool(processes, multiprocessing.get_context("spawn"), initializer, initargs) as pool:
        try:
            yield pool
        except BaseException:
            for process in multiprocessing.active_children():
                if process not in before:
                    process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
