"""Status of a campaign, fast: from the names in its folder and a sample of its records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import models
from mesonet.campaign.backlog import TRIES, counted, known_versions
from mesonet.campaign.cost import expected
from mesonet.campaign.leases import live
from mesonet.campaign.ledger import Ledger


@dataclass(frozen=True)
class Status:
    """Status of a campaign.

    Attributes
    ----------
    name, path
        Name of the experiment, and the campaign folder.
    runs, done, failed, missing
        Number of runs; done, failed and missing runs add up to it.
    quarantined
        Failed runs that failed too often to be tried again.
    running
        Failed and missing runs that some runner makes now.
    on_from_snapshot
        Runs that no runner makes now and that continue from a snapshot.
    processor_s_left
        Expected time of the remaining runs on one processor, in s; None before the first run is done.
    seconds_left
        `processor_s_left` divided by the number of runs in progress; None if runs remain and none is in progress.
    failures
        Condition, algorithm, replicate, message, number of tries, and file with the log of each failed run.
    code_versions
        Versions of the code whose runs count, the newest first.
    """

    name: str
    path: str
    runs: int
    done: int
    failed: int
    missing: int
    quarantined: int
    running: int
    on_from_snapshot: int
    processor_s_left: float | None
    seconds_left: float | None
    failures: list[dict[str, Any]]
    code_versions: list[str]


def status(path: str | Path) -> Status:
    """Return the status of the campaign in a folder.

    Parameters
    ----------
    path
        The campaign folder.

    Returns
    -------
    Numbers of runs, expected time left, and failures.

    Raises
    ------
    InputError
        If the folder holds no campaign, or a record in it is damaged.
    """
    ledger = Ledger(path)
    document, provenance = ledger.document(), ledger.provenance()
    versions = known_versions(provenance) or [models.code_version(document.get("model"))]
    statuses = ledger.statuses()
    runs = counted(document, versions, statuses)
    done = [run for run in runs if statuses.get(run.key) == "done"]
    failed = [run for run in runs if statuses.get(run.key) == "failed"]
    at_work = live(ledger.runs) if ledger.runs.is_dir() else set()
    failures = []
    for run in failed:
        about = ledger.run_json(run.key, "failed")
        failures.append(
            {
                "condition": run.condition,
                "algorithm": run.algorithm,
                "replicate": run.replicate,
                "message": about["message"],
                "tries": len(about["tries"]),
                "log": str(ledger.runs / run.key / "failure.json"),
            }
        )
    quarantined = [each["tries"] >= provenance.get("tries", TRIES) for each in failures]
    costs = expected(ledger, document, done)
    waiting = {run.key: run for run in runs if statuses.get(run.key) != "done"}
    for run, left_alone in zip(failed, quarantined, strict=True):
        if left_alone and run.key not in at_work:
            waiting.pop(run.key, None)
    left = sum(costs.of(run.condition) for run in waiting.values()) if costs.known else None
    if not waiting:
        left = 0.0
    running = len(at_work & set(waiting))
    return Status(
        name=document["name"],
        path=str(ledger.path),
        runs=len(runs),
        done=len(done),
        failed=len(failed),
        missing=len(runs) - len(done) - len(failed),
        quarantined=sum(quarantined),
        running=running,
        on_from_snapshot=len(ledger.snapshots() & set(waiting) - at_work),
        processor_s_left=left,
        seconds_left=left / running if left is not None and running else left if left == 0 else None,
        failures=failures,
        code_versions=versions,
    )
