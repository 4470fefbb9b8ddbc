"""Processes that share the work of one command, and end with it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from mesonet import interrupts


class _Pool(ProcessPoolExecutor):
    """A pool whose processes do not see Ctrl-C, which a terminal sends to all processes of a command."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit a task, as `ProcessPoolExecutor.submit`, which may start a process."""
        with interrupts.deferred():
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
