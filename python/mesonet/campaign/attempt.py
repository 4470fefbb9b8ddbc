"""Attempts at runs: lease a run, make it, record the outcome. All runners use this module."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from typing import Any, Literal

from mesonet.campaign.documents import Attempt, FailureDocument
from mesonet.campaign.leases import Leases
from mesonet.campaign.ledger import Ledger, Run
from mesonet.campaign.process import Death, Worker
from mesonet.simulation import provenance

Outcome = Literal["done", "failed", "died", "busy", "stopped"]
"""Outcome of an attempt. ``failed``: the run raised an error, and would again. ``died``: its process ended; another
attempt may succeed. ``busy``: another runner holds the lease. ``stopped``: it was ended from outside and is missing."""


def attempt(
    ledger: Ledger,
    leases: Leases,
    worker: Worker,
    run: Run,
    model: dict[str, Any] | None,
    stopped: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Make a run unless it is done or another process holds its lease."""
    if ledger.status(run.key) == "done":
        return "done"
    if not leases.take(run.key):
        return "busy"
    try:
        if ledger.status(run.key) == "done":  # by the runner that just released the lease
            return "done"
        return _make(ledger, worker, run, model, stopped)
    finally:
        leases.release(run.key)


def _make(
    ledger: Ledger, worker: Worker, run: Run, model: dict[str, Any] | None, stopped: Callable[[], bool]
) -> Outcome:
    started = provenance.now()
    outcome = worker.make(ledger, run, model, stopped)
    if not outcome:
        return "done"
    if isinstance(outcome, Death):
        if stopped() or not outcome.blamed:
            return "stopped"
        message, trace, log = outcome.message, "", outcome.log
    elif outcome.get("errno"):
        raise OSError(outcome["errno"], os.strerror(outcome["errno"]), outcome.get("file") or str(ledger.runs))
    else:
        message, trace, log = outcome["message"], outcome["traceback"], outcome["log"]
    this = Attempt(message, started, provenance.now(), platform.node())
    ledger.fail(run.key, FailureDocument(message, trace, log, run.seed, [this]))
    return "died" if isinstance(outcome, Death) else "failed"
