"""Damaged files of a campaign: found by their checksums, set aside and never deleted, so that they are made again."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from mesonet import models
from mesonet.campaign import documents, tables
from mesonet.campaign.leases import Leases
from mesonet.campaign.ledger import EXPERIMENT, REPLAY, Ledger, Run, planned
from mesonet.errors import InputError
from mesonet.files import checksums, reading
from mesonet.files.checksums import ALLOWED
from mesonet.files.places import inside

DAMAGED = "damaged"
"""Folder beside ``runs`` for damaged files."""


@dataclass(frozen=True)
class Verification:
    """State of the files of some runs."""

    verified: int  #: number of finished runs whose files all have their checksums
    #: Number of finished runs of earlier code, which wrote none; their tables and records can be read.
    without_checksums: int
    damaged: dict[str, str]  #: reason of each damaged run, by its key, or by ``replay/`` and the name of its folder


def verify(ledger: Ledger, runs: Iterable[Run], statuses: dict[str, str]) -> Verification:
    """Return the state of the files of runs, and of runs with traces: sound, without checksums, or damaged."""
    verified, without, damaged = 0, 0, {}
    for key in dict.fromkeys(run.key for run in runs):
        status = statuses.get(key, "missing")
        try:
            known = _read(ledger, key, status)
        except InputError as error:
            damaged[key] = str(error)
        else:
            verified += status == "done" and known
            without += status == "done" and not known
    for record in (ledger.path / REPLAY).glob(f"*/{checksums.RECORD}"):
        try:
            _read_files(record.parent, documents.done(record))
        except InputError as error:
            damaged[f"{REPLAY}/{record.parent.name}"] = str(error)
    return Verification(verified, without, damaged)


def set_aside_damaged(ledger: Ledger, runs: Iterable[Run], statuses: dict[str, str]) -> dict[str, str]:
    """Take the folders of damaged runs to `DAMAGED`; these runs are missing then.

    A run that another runner makes now, or has made again, stays. A report makes a run with traces again.

    `statuses`: status by key, as `Ledger.statuses` returns it; the runs that were moved are removed from it.
    """
    moved = {}
    if damaged := verify(ledger, runs, statuses).damaged:
        with Leases(ledger.runs) as leases:
            for key, reason in damaged.items():
                if key.startswith(f"{REPLAY}/"):
                    inside(ledger.path, key).replace(_unused(ledger, key.replace("/", "-")))
                    moved[key] = reason
                    continue
                if not leases.take(key):
                    continue
                try:
                    _read(ledger, key, ledger.status(key))
                except InputError:
                    (ledger.runs / key).replace(_unused(ledger, key))
                    statuses.pop(key, None)
                    moved[key] = reason
                finally:
                    leases.release(key)
    return moved


def restore_experiment(ledger: Ledger, document: Mapping[str, Any]) -> bool:
    """Write a damaged ``experiment.json`` again, if it was of this experiment; keep the damaged file.

    The experiment gives the bytes that the file had. If the file is empty or has lost its end, the experiment gives
    its beginning and every run of the folder.
    """
    file = ledger.path / EXPERIMENT
    with suppress(OSError, InputError):
        held, sound = reading.read_bytes(file, reading.MOST_JSON_BYTES), checksums.sealed(document, EXPERIMENT)
        if held != sound and (_same_experiment(held, sound) or _is_cut(ledger, document, held, sound)):
            _unused(ledger, EXPERIMENT).write_bytes(held)
            ledger.write_document(document)
            return True
    return False


def _same_experiment(held: bytes, sound: bytes) -> bool:
    """Return True if the file was these bytes: it has their checksum, or their content and another checksum."""
    if checksums.claimed(held, EXPERIMENT) == checksums.claimed(sound, EXPERIMENT):
        return True
    try:
        one, other = ({**json.loads(text), checksums.ENTRY: None} for text in (held, sound))
    except (ValueError, TypeError, RecursionError):
        return False
    return one == other


def _is_cut(ledger: Ledger, document: Mapping[str, Any], held: bytes, sound: bytes) -> bool:
    """Return True if the file is the beginning of these bytes, and every run of the folder is of the experiment."""
    if not sound.startswith(held.rstrip(b"\0")):  # after a power cut a file may have zeros in the place of its end
        return False
    versions = {*ledger.provenance().get("code_versions", ()), models.code_version(document.get("model"))}
    grown = ledger.grown(dict(document))
    return {run.key for version in versions for run in planned(grown, version)}.issuperset(ledger.statuses())


def count_set_aside(path: Path) -> int:
    """Return the number of folders of damaged runs that a campaign holds."""
    with suppress(OSError):
        return sum(1 for each in (path / DAMAGED).iterdir() if each.is_dir())
    return 0


def _read(ledger: Ledger, key: str, status: str) -> bool:
    """Read all of a run; return False if it has no checksums to compare. Raises an `InputError` about damage."""
    if status == "missing":
        # With the file the run would be done: nothing could take the place of the folder.
        if os.path.lexists(ledger.runs / key):
            problem = "damaged: the file is missing"
            raise InputError(problem, file=str(ledger.runs / key / "responses.parquet"), allowed=ALLOWED)
        return False
    record = ledger.run_json(key, status)
    if status == "failed":
        return False
    return _read_files(ledger.runs / key, record)


def _read_files(folder: Path, record: Mapping[str, Any]) -> bool:
    """Read all files of a run that is done; return False if it has no checksums to compare."""
    known = checksums.of_record(record)
    for name in known:
        if name != checksums.RECORD:
            checksums.refuse_changed(folder / name, known)
    if not known:
        for file in folder.glob("*.parquet"):
            tables.table(file)
    return bool(known)


def _unused(ledger: Ledger, name: str) -> Path:
    """Return a new place for a damaged file or folder of this name."""
    place = inside(ledger.path, DAMAGED)
    place.mkdir(exist_ok=True)
    numbered = (place / f"{name}-{number}" for number in count(1))
    return next(each for each in numbered if not os.path.lexists(each))
