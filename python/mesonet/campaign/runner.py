"""Runs what is missing of a campaign on this machine: a bounded pool, one process per run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import mesonet
from mesonet import provenance
from mesonet.campaign.ledger import Ledger, Run, planned
from mesonet.progress import Progress

_TICK_S = 0.5


def run_missing(ledger: Ledger, workers: int | None = None, progress: bool = True) -> None:
    """Runs every run of the campaign that is missing or failed.

    Parameters
    ----------
    workers
        How many runs at a time; by default as many as there are processors.
    progress
        Whether to show progress on stderr.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C and SIGTERM, after the running processes were stopped; what is finished stays.
    """
    versions = provenance.versions()
    before = ledger.provenance()
    same_code = before.get("versions", {}).get("code_version") == versions["code_version"]
    started = before["started"] if same_code else provenance.now()
    document = ledger.document()
    runs = planned(document, versions["code_version"])
    todo = list({run.key: run for run in runs if ledger.status(run.key) != "done"}.values())
    if same_code and not todo:
        return
    ledger.remove_stale()
    ledger.write_provenance({"versions": versions, "started": started, "finished": None})
    _run(ledger, todo, workers or os.cpu_count() or 1, Progress(document["name"], progress))
    ledger.write_provenance({"versions": versions, "started": started, "finished": provenance.now()})


def _run(ledger: Ledger, todo: list[Run], workers: int, progress: Progress) -> None:
    pool = _Pool(ledger)
    failed = 0
    with _terminate_as_interrupt(), progress as shown, ThreadPoolExecutor(workers) as threads:
        pending: set[Future[bool]] = {threads.submit(pool.run, run) for run in todo}
        try:
            while pending:
                done, pending = wait(pending, timeout=_TICK_S, return_when=FIRST_COMPLETED)
                failed += sum(not future.result() for future in done)
                finished = len(todo) - len(pending)
                note = f"{finished} of {len(todo)} runs" + (f", {failed} failed" if failed else "")
                shown.update(finished, len(todo), note)
        except BaseException:
            pool.stop()
            threads.shutdown(cancel_futures=True)
            raise


class _Pool:
    """The processes that are running, so that they can be stopped."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._processes: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, run: Run) -> bool:
        """Runs one run to its end; False if it failed. A process that dies leaves a failed run."""
        with self._lock:
            if self._stopped:
                return False
            process = _start(self._ledger, run)
            self._processes.add(process)
        _, errors = process.communicate(json.dumps({"scenario": run.scenario, "seed": run.seed}))
        with self._lock:
            self._processes.discard(process)
            if self._stopped:
                return False
        if process.returncode not in (0, 1) or self._ledger.status(run.key) == "missing":
            self._ledger.fail(run.key, _death(process.returncode), {"traceback": errors[-4000:], "seed": run.seed})
        return self._ledger.status(run.key) == "done"

    def stop(self) -> None:
        """Ends the running processes and keeps others from starting."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.terminate()


def _start(ledger: Ledger, run: Run) -> subprocess.Popen[str]:
    package = str(Path(mesonet.__file__).parents[1])
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, "-m", "mesonet.campaign.worker", str(ledger.path), run.key],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        process_group=0,  # Ctrl-C reaches this process only, which then stops the others
    )


def _death(code: int) -> str:
    if code >= 0:
        return f"the process of the run ended with exit code {code}"
    name = signal.Signals(-code).name
    hint = ", often for want of memory" if name == "SIGKILL" else ""
    return f"the process of the run was ended by {name}{hint}"


@contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
