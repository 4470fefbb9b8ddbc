"""Runs a campaign on a Dask cluster, started by any means: Slurm by dask-jobqueue, Kubernetes, SSH, or by hand.

Each Dask task makes one run, in a process of its own beside the Dask worker. Heartbeats therefore continue, a crash of
the simulator is an exit code, and memory is watched. Tasks return words; results go to the campaign folder, on a file
system that all machines share. The scheduler holds a few tasks per thread only. If it is lost, no result is lost, and
the driver continues as soon as a scheduler at the same place replies.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from uuid import uuid4

from mesonet import models
from mesonet.campaign.agenda import Agenda
from mesonet.campaign.attempt import Outcome, attempt
from mesonet.campaign.backlog import Backlog
from mesonet.campaign.documents import Attempt, FailureDocument
from mesonet.campaign.leases import Leases
from mesonet.campaign.ledger import Ledger, Run
from mesonet.campaign.process import MEMORY_SHARE, Worker, memory_of_machine
from mesonet.errors import Broken, InputError, needs_extra
from mesonet.files import reading
from mesonet.simulation import provenance

PATIENCE_S = 300.0
"""Longest time without a scheduler or without workers, s (chosen): enough to start others by hand.

Workers that wait in the queue of a batch system take longer: Dask's ``distributed.scheduler.no-workers-timeout`` on the
driver sets their time.
"""

_TICK_S = 0.1
_COUNT_EVERY_S = 5.0
_TRY_EVERY_S = 2.0
_CONNECT_S = 10.0
_AHEAD = 2
"""Tasks at the scheduler per thread of the cluster: a thread that ends one finds the next there."""

_NO_ANSWER = (OSError, TimeoutError, ValueError, MemoryError, TypeError, RuntimeError)
"""Errors of connecting; from the fourth on if the other program is no scheduler, there are no settings for TLS, and the
settings demand TLS of an address without."""

_of_thread = threading.local()


def run_on_cluster(
    backlog: Backlog, agenda: Agenda, scheduler: str, memory: int | None, time_limit: float | None
) -> None:
    """Run the backlog on a Dask cluster.

    `memory`: most memory of one run, bytes; None: nine tenths of the memory of each worker's machine. `time_limit`:
    most wall-clock time of one try, s; None: any.
    """
    driver = _Driver(backlog, agenda, scheduler, memory, time_limit)
    try:
        driver.run()
    finally:
        driver.close()
    agenda.raise_if_stopped()


def make(
    folder: str, run: dict[str, Any], model: dict[str, Any] | None, memory: int | None, time_limit: float | None = None
) -> Outcome:
    """Make one try at one run, in a thread of a Dask worker.

    `memory`: most memory of the run, bytes; None: nine tenths of the memory of the worker's machine. `time_limit`: most
    wall-clock time of the try, s; None: any.
    """
    if not (Path(folder) / "experiment.json").is_file():
        allowed = "a folder on a file system that the driver and all workers see at the same place"
        raise InputError("a worker of the cluster cannot read the campaign folder", value=folder, allowed=allowed)
    here = models.code_version(model)
    if here != run["code_version"]:
        problem = f"a worker of the cluster has other code ({here[:12]}) than the driver ({run['code_version'][:12]})"
        raise InputError(problem, path="--dask", allowed="the same version on all machines")
    worker = getattr(_of_thread, "worker", None)
    if worker is None:
        worker = _of_thread.worker = Worker()
    worker.memory, worker.time_limit = memory or int(MEMORY_SHARE * memory_of_machine()), time_limit
    return attempt(Ledger(folder), _leases(folder), worker, Run(**run), model)


@cache
def _leases(folder: str) -> Leases:
    """Return the leases of this Dask worker, renewed as long as it lives."""
    return Leases(Ledger(folder).runs).__enter__()


class _Driver:
    """Keeps the scheduler supplied and hears how the runs end."""

    def __init__(
        self, backlog: Backlog, agenda: Agenda, scheduler: str, memory: int | None, time_limit: float | None
    ) -> None:
        self._backlog, self._agenda, self._scheduler = backlog, agenda, scheduler
        self._most = memory, time_limit
        self._client = _connected(scheduler)
        self._out: dict[Any, Run] = {}
        self._threads, self._counted = 1, float("-inf")
        self._deserted: float | None = None
        self._patience = _patience()

    def run(self) -> None:
        """Submit runs and collect outcomes until all runs are finished."""
        while not self._agenda.over and not self._agenda.stopped:
            if self._client.status != "running":
                self._reconnect()
            self._submit()
            self._hear()
            self._agenda.show("" if self._deserted is None else "no workers at the scheduler")
            self._refuse_desertion()
            time.sleep(_TICK_S)

    def close(self) -> None:
        """Leave the cluster as it is; tasks that run there continue to their end, and their results stay."""
        with suppress(Exception):
            self._client.cancel(list(self._out))
        with suppress(Exception):
            self._client.close(timeout=2)

    def _submit(self) -> None:
        if time.monotonic() - self._counted > _COUNT_EVERY_S:
            with suppress(Exception):  # the scheduler is away; next time
                threads = sum(self._client.nthreads().values())
                self._threads, self._counted = max(1, threads), time.monotonic()
                self._deserted = None if threads else self._deserted or self._counted
        folder = str(self._backlog.ledger.path.resolve())
        while len(self._out) < _AHEAD * self._threads and (run := self._agenda.next_now()):
            name = f"mesonet-{self._backlog.name}-{run.key[:12]}-{uuid4().hex[:6]}"
            future = self._client.submit(
                make, folder, asdict(run), self._backlog.model, *self._most, key=name, pure=False, retries=0
            )
            self._out[future] = run

    def _refuse_desertion(self) -> None:
        """Raise an `InputError` when the scheduler has been without workers for too long."""
        if self._deserted is not None and time.monotonic() - self._deserted > self._patience:
            problem = f"the Dask scheduler had no workers for {self._patience:.0f} s"
            allowed = "a cluster with workers, or a longer DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT; "
            allowed += "finished runs stay, the same command continues"
            raise InputError(problem, path="--dask", value=self._scheduler, allowed=allowed)

    def _hear(self) -> None:
        for future in [each for each in self._out if each.status != "pending"]:
            run = self._out.pop(future)
            ending: Outcome = "stopped"
            error: BaseException | None = None
            with suppress(Exception):  # cancelled, lost with the scheduler, or no reply in time
                if future.status == "finished":
                    ending = future.result(timeout=_CONNECT_S)
                elif future.status == "error":
                    error = future.exception(timeout=_CONNECT_S)
            if error is not None:
                self._failed(run, error)
            else:
                self._agenda.end(run, ending)

    def _failed(self, run: Run, error: BaseException) -> None:
        from distributed import KilledWorker

        if not isinstance(error, KilledWorker):  # what no other run would escape either
            self._agenda.stop(error if isinstance(error, InputError | OSError) else _broken(error))
            return
        message = f"the Dask workers that made the run died: {error}"
        now = provenance.now()
        this = Attempt(message, now, now, host=str(error.last_worker))
        if self._backlog.ledger.status(run.key) != "done":
            self._backlog.ledger.fail(
                run.key, FailureDocument(message, traceback="", log="", seed=run.seed, tries=[this])
            )
        self._agenda.end(run, "died")

    def _reconnect(self) -> None:
        """Wait for the scheduler, or for another at its place."""
        end = time.monotonic() + PATIENCE_S
        while self._client.status != "running":
            if self._client.status == "closed":
                with suppress(InputError):
                    self._client = _connected(self._scheduler)
                    break
            if time.monotonic() > end:
                problem = f"the Dask scheduler did not respond for {PATIENCE_S:.0f} s"
                allowed = "a running scheduler; finished runs stay, the same command continues"
                raise InputError(problem, path="--dask", value=self._scheduler, allowed=allowed)
            time.sleep(_TRY_EVERY_S)
        for run in self._out.values():
            self._agenda.end(run, "stopped")
        self._out.clear()
        self._counted, self._deserted = float("-inf"), None


def _patience() -> float:
    """Return the time that the scheduler may be without workers, in s."""
    import dask
    from dask.utils import parse_timedelta

    asked = dask.config.get("distributed.scheduler.no-workers-timeout", None)
    return PATIENCE_S if asked is None else float(parse_timedelta(asked))


def exposure(scheduler: str) -> str:
    """Return a note on a scheduler that others may reach.

    One sentence; empty for TLS, for loopback, and where no address can be read.
    """
    try:
        protocol, _, place = _address(scheduler).rpartition("://")
    except (OSError, ValueError):
        return ""  # refused when it is used
    host = place.rpartition(":")[0].strip("[]")
    with suppress(ValueError):
        if ip_address(host).is_loopback:
            return ""
    if protocol in ("tls", "inproc") or host in ("", "localhost"):
        return ""
    address = f"{protocol or 'tcp'}://{place}"
    return (
        f"{address} is not on loopback and has no TLS: any process that reaches it can run code on the cluster and here"
    )


def answering(scheduler: str) -> str:
    """Return the address of a scheduler that replies. The address, such as ``tcp://host:8786``."""
    try:
        import distributed  # noqa: F401 - test that it is installed
    except ImportError as error:
        raise needs_extra("a Dask cluster", "dask") from error
    try:
        address = _address(scheduler)
        with ThreadPoolExecutor(1) as apart:  # a notebook has an event loop of its own in this thread
            apart.submit(asyncio.run, _refuse_silence(address)).result()
    except _NO_ANSWER as error:
        raise _silent(scheduler, error) from None
    return address


def _connected(scheduler: str) -> Any:
    """Return a client of the scheduler."""
    address = answering(scheduler)
    from distributed import Client

    try:
        return Client(address, timeout=_CONNECT_S, set_as_default=False, name="mesonet")
    except _NO_ANSWER as error:
        raise _silent(scheduler, error) from None


def _silent(scheduler: str, error: BaseException) -> InputError:
    allowed = "tcp://HOST:PORT of a running scheduler, or the file that it wrote with --scheduler-file"
    problem = f"no Dask scheduler can be reached ({str(error) or type(error).__name__})"
    return InputError(problem, path="--dask", value=scheduler, allowed=allowed)


def _address(scheduler: str) -> str:
    """Return the address, of the scheduler file where it is one."""
    if "://" in scheduler or not (scheduler.endswith(".json") or Path(scheduler).is_file()):
        return scheduler
    about = json.loads(reading.read_text(Path(scheduler), reading.MOST_JSON_BYTES))
    if not isinstance(about, dict) or not isinstance(about.get("address"), str):
        raise ValueError("the file holds no address")
    return str(about["address"])


async def _refuse_silence(address: str) -> None:
    """Raise an `OSError` or a `ValueError` unless something listens there.

    A client that finds nobody leaves threads behind that complain after many seconds.
    """
    from distributed.comm.core import connect
    from distributed.security import Security

    comm = await connect(address, timeout=_CONNECT_S, **Security().get_connection_args("client"))
    comm.abort()


def _broken(error: BaseException) -> Broken:
    return Broken(f"the cluster cannot make the runs: {type(error).__name__}: {' '.join(str(error).split())}")
