"""Runs a campaign by processes of this machine: a given number at a time, as long as there is memory."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from mesonet.campaign.agenda import Agenda
from mesonet.campaign.attempt import attempt
from mesonet.campaign.backlog import Backlog
from mesonet.campaign.leases import Leases
from mesonet.campaign.process import MEMORY_SHARE, Worker, memory_of_machine

_TICK_S = 0.5


def run_here(backlog: Backlog, agenda: Agenda, workers: int, memory: int | None, time_limit: float | None) -> None:
    """Run the backlog by processes of this machine.

    `workers`: runs at a time, at least 1. `memory`: most memory of one run, bytes; None: nine tenths of the machine's.
    `time_limit`: most wall-clock time of one try, s; None: any.
    """
    most = memory or int(MEMORY_SHARE * memory_of_machine())
    room = _Room()
    with Leases(backlog.ledger.runs) as leases, ThreadPoolExecutor(min(workers, len(backlog.runs) or 1)) as threads:
        try:
            # A signal between two of these must stop the threads that run already.
            served = [
                threads.submit(_serve, backlog, agenda, leases, room, Worker(most, time_limit))
                for _ in range(min(workers, len(backlog.runs)))
            ]
            while not all(thread.done() for thread in served):
                time.sleep(min(_TICK_S, 0.02 * len(backlog.runs)))
                agenda.show()
        except BaseException:
            agenda.stop()
            raise
    agenda.raise_if_stopped()


def _serve(backlog: Backlog, agenda: Agenda, leases: Leases, room: _Room, worker: Worker) -> None:
    """Make runs in this thread until the agenda has no more."""
    try:
        while run := agenda.next():
            with room:
                worker.share = 0.0  # of the run before
                agenda.follow(run, lambda: worker.share)
                ending = attempt(
                    ledger=backlog.ledger,
                    leases=leases,
                    worker=worker,
                    run=run,
                    model=backlog.model,
                    stopped=lambda: agenda.stopped,
                )
            room.learn(worker.peak)
            agenda.end(run, ending)
    except BaseException as error:
        agenda.stop(error)
    finally:
        worker.close()


class _Room:
    """Lets a run begin when the memory that the largest run so far had is free, or when no other one runs."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._running, self._largest = 0, 0

    def __enter__(self) -> None:
        import psutil

        with self._changed:
            while self._running and psutil.virtual_memory().available < self._largest:
                self._changed.wait(_TICK_S)
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def learn(self, peak: int) -> None:
        """Take note of the memory that a run had."""
        with self._changed:
            self._largest = max(self._largest, peak)
