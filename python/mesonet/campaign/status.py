"""Status of a campaign, fast: from the names in its folder and a sample of its records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesonet import models
from mesonet.campaign import integrity
from mesonet.campaign.backlog import TRIES, counted, known_versions
from mesonet.campaign.cost import expected
from mesonet.campaign.leases import live
from mesonet.campaign.ledger import Ledger


@dataclass(frozen=True)
class Status:
    """Status of a campaign."""

    name: str  #: name of the experiment
    path: str  #: the campaign folder
    runs: int  #: `runs`, `done`, `failed`, `missing`: number of runs; done, failed and missing runs add up to it
    done: int
    failed: int
    missing: int
    quarantined: int  #: failed runs that failed too often to be tried again
    running: int  #: failed and missing runs that some runner makes now
    on_from_snapshot: int  #: runs that no runner makes now and that continue from a snapshot
    #: Expected time of the remaining runs on one processor, in s; None before the first run is done.
    processor_s_left: float | None
    #: `processor_s_left` divided by the number of runs in progress; None if runs remain and none is in progress.
    seconds_left: float | None
    #: Condition, algorithm, replicate, message, number of tries, and file with the log of each failed run.
    failures: list[dict[str, Any]]
    code_versions: list[str]  #: versions of the code whose runs count, the newest first
    set_aside: int  #: number of damaged runs whose files are in the folder ``damaged``
    #: `verified`, `without_checksums`: number of finished runs whose files all have their checksums, and of finished
    #: runs of earlier code, which wrote none; None unless verified.
    verified: int | None = None
    without_checksums: int | None = None
    damaged: list[dict[str, str]] | None = None  #: key and reason of each damaged run; None unless verified


def status(path: str | Path, *, verify: bool = False) -> Status:
    """Return the status of the campaign in a folder."""
    ledger = Ledger(path)
    document, provenance = ledger.document(), ledger.provenance()
    versions = known_versions(provenance) or [models.code_version(document.get("model"))]
    statuses = ledger.statuses()
    runs = counted(document, versions, statuses)
    found = integrity.verify(ledger, runs, statuses) if verify else None
    if found:  # a damaged run counts as missing: it is made again
        statuses = {key: each for key, each in statuses.items() if key not in found.damaged}
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
        set_aside=integrity.count_set_aside(ledger.path),
        **_verified(found),
    )


def _verified(found: integrity.Verification | None) -> dict[str, Any]:
    if found is None:
        return {}
    damaged = [{"key": key, "reason": reason} for key, reason in found.damaged.items()]
    return {"verified": found.verified, "without_checksums": found.without_checksums, "damaged": damaged}
