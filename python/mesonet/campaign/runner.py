"""Runner of a campaign's missing runs: by processes of this machine (`pool`), or on a Dask cluster (`cluster`)."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import msgspec

from mesonet import interrupts, models
from mesonet.campaign.agenda import Agenda
from mesonet.campaign.backlog import RunOptions, backlog, known_versions, versions_that_count
from mesonet.campaign.documents import ProvenanceDocument, Versions
from mesonet.campaign.leases import sweep
from mesonet.campaign.ledger import Ledger
from mesonet.campaign.pool import run_here
from mesonet.progress import Progress
from mesonet.simulation import provenance


def run_missing(ledger: Ledger, options: RunOptions | None = None, progress: bool = True) -> None:
    """Run every run of the campaign that is missing, or that failed and is not quarantined."""
    options = options or RunOptions()
    document = ledger.document()
    code_version = models.code_version(document.get("model"))
    before = ledger.provenance()
    versions = versions_that_count(ledger, code_version, options.mix)
    if ledger.runs.is_dir():
        sweep(ledger.runs)
        ledger.remove_stale(code_version)
    todo = backlog(ledger, document, versions, options)
    if not todo.runs and known_versions(before) == versions:
        return
    ledger.runs.mkdir(exist_ok=True)
    about = ProvenanceDocument(
        versions=Versions(**provenance.versions(code_version)),
        code_versions=versions,
        tries=options.tries,
        started=before["started"] if known_versions(before) == versions else provenance.now(),
        finished=None,
    )
    ledger.write_provenance(about)
    with _interrupted_once(), Progress(document["name"], progress) as shown:
        agenda = Agenda(todo, shown)
        if options.dask is not None:
            from mesonet.campaign.cluster import run_on_cluster

            run_on_cluster(todo, agenda, options.dask, options.memory, options.time_limit)
        else:
            run_here(todo, agenda, options.workers or os.cpu_count() or 1, options.memory, options.time_limit)
    sweep(ledger.runs)
    ledger.remove_unfinished()
    ledger.write_provenance(msgspec.structs.replace(about, finished=provenance.now()))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM ended a campaign; its processes are stopped, and finished runs stay."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def _interrupted_once() -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the block; further ones, which impatient users send, do not disturb that."""
    begun = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal begun
        if not begun:
            begun = True
            raise Interrupted(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM]
    if interrupts.is_ours():  # else the program of the caller handles it
        numbers.append(signal.SIGINT)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
