"""Runner of a campaign's missing runs: by processes of this machine (`pool`), or on a Dask cluster (`cluster`)."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from msgspec import convert
from msgspec.structs import replace

from mesonet import interrupts, models
from mesonet.campaign.agenda import Agenda
from mesonet.campaign.backlog import RunOptions, backlog, known_versions, versions_that_count
from mesonet.campaign.documents import ProvenanceDocument, Versions
from mesonet.campaign.leases import sweep
from mesonet.campaign.ledger import Ledger
from mesonet.campaign.pool import run_here
from mesonet.campaign.trust import SNAPSHOTS, is_trusted, trust
from mesonet.processes import processors
from mesonet.progress import Progress
from mesonet.simulation import provenance
from mesonet.words import counted


def run_missing(ledger: Ledger, options: RunOptions | None = None, progress: bool = True) -> None:
    """Run every run of the campaign that is missing, or that failed and is not quarantined."""
    options = options or RunOptions()
    document = ledger.document()
    code_version = models.code_version(document.get("model"))
    before, versions = known_versions(ledger.provenance()), versions_that_count(ledger, code_version, options.mix)
    about = ProvenanceDocument(
        versions=Versions(**provenance.versions(code_version)),
        code_versions=versions,
        tries=options.tries,
        started=provenance.now(),
        finished=None,
    )
    if versions != before:
        with ledger.changing_provenance():
            versions = versions_that_count(ledger, code_version, options.mix)  # of what others wrote meanwhile
            about = replace(about, code_versions=versions)
            ledger.write_provenance(about)
    if ledger.runs.is_dir():
        if document.get("model") is None:  # others leave no snapshots
            _refuse_foreign_snapshots(ledger, options.trusted)
        sweep(ledger.runs)
        ledger.remove_stale(code_version)
    todo = backlog(ledger, document, versions, options)
    if not todo.runs and versions == before:
        return
    ledger.runs.mkdir(exist_ok=True)
    _record(ledger, about)
    with _interrupted_once(), Progress(document["name"], progress) as shown:
        agenda = Agenda(todo, shown, options.watch if progress else None)
        if options.dask is not None:
            from mesonet.campaign.cluster import run_on_cluster

            run_on_cluster(todo, agenda, options.dask, options.memory, options.time_limit)
        else:
            run_here(todo, agenda, options.workers or processors(), options.memory, options.time_limit)
    sweep(ledger.runs)
    ledger.remove_unfinished()
    _record(ledger, replace(about, finished=provenance.now()))


def _refuse_foreign_snapshots(ledger: Ledger, trusted: bool) -> None:
    """Remove the snapshots of a folder that this user has not begun or trusted; later ones are of this user."""
    trusted = trusted or is_trusted(ledger.path, SNAPSHOTS)
    if not trusted and (number := ledger.remove_snapshots()):
        of = "of a folder that you did not begin here"
        sys.stderr.write(f"mesonet: note: {counted(number, 'snapshot')} {of}: begins these runs anew; see --trust\n")
    trust(ledger.path, SNAPSHOTS)


def _record(ledger: Ledger, about: ProvenanceDocument) -> None:
    """Record the begin or the end of a driver; code versions of a driver that began later stay."""
    with ledger.changing_provenance():
        held = ledger.provenance()
        if not held or known_versions(held) == about.code_versions:
            ledger.write_provenance(replace(about, started=held.get("started", about.started)))
        elif about.finished and held["finished"]:
            ledger.write_provenance(replace(convert(held, ProvenanceDocument), finished=about.finished))


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
