"""One try at one run: claim it, make it, write down how it went. Every runner does it by this."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from typing import Any, Literal

from mesonet.campaign.leases import Claims
from mesonet.campaign.ledger import Ledger, Run
from mesonet.campaign.process import Death, Worker
from mesonet.simulation import provenance

Ending = Literal["done", "failed", "died", "busy", "stopped"]
"""``failed``: the run itself said so, and would again. ``died``: its process ended; another try may do. ``busy``:
another runner is at it. ``stopped``: it was ended from outside and is as missing as before."""


def attempt(
    ledger: Ledger,
    claims: Claims,
    worker: Worker,
    run: Run,
    model: dict[str, Any] | None,
    stopped: Callable[[], bool] = lambda: False,
) -> Ending:
    """Makes a run unless it is done or another process is at it.

    Raises
    ------
    OSError
        If results cannot be written: a full disk, a folder that is only read. No try is counted.
    """
    if ledger.status(run.key) == "done":
        return "done"
    if not claims.take(run.key):
        return "busy"
    try:
        if ledger.status(run.key) == "done":  # by the one who just gave the claim back
            return "done"
        return _make(ledger, worker, run, model, stopped)
    finally:
        claims.release(run.key)


def _make(
    ledger: Ledger, worker: Worker, run: Run, model: dict[str, Any] | None, stopped: Callable[[], bool]
) -> Ending:
    started = provenance.now()
    told = worker.make(ledger, run, model, stopped)
    if not told:
        return "done"
    if isinstance(told, Death):
        if stopped() or not told.blamed:
            return "stopped"
        message, trace, log = told.message, "", told.log
    elif told.get("errno"):
        raise OSError(told["errno"], os.strerror(told["errno"]), told.get("file") or str(ledger.runs))
    else:
        message, trace, log = told["message"], told["traceback"], told["log"]
    this = {"message": message, "started": started, "finished": provenance.now(), "host": platform.node()}
    ledger.fail(run.key, message, {"traceback": trace, "log": log, "seed": run.seed, "tries": [this]})
    return "died" if isinstance(told, Death) else "failed"
