"""The campaign folder: its runs, their statuses, and the way in which a result gets in.

A run's key is the hash of its scenario, seed and code version. Results are written under a temporary name beside their
place, forced to the disk and renamed. A run is therefore there as a whole or not at all, even if several processes
write it or die while they write. Names in ``runs`` that begin with a dot are leases (`mesonet.campaign.leases`),
snapshots of runs in progress (`mesonet.simulation.checkpoint`), unfinished folders, and working folders of programs.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import uuid4

from mesonet.campaign import documents
from mesonet.campaign.leases import TAKEOVER, is_left_behind, live, mark
from mesonet.errors import InputError
from mesonet.files import checksums
from mesonet.files.locks import alone
from mesonet.files.places import ASIDE, inside
from mesonet.files.reading import refuse_unprintable
from mesonet.simulation.checkpoint import discard

EXPERIMENT = "experiment.json"
"""File of the experiment in the campaign folder."""
REPLICATES_FILE = "replicates.json"
"""File of the replicates of each scenario, if they differ or grow."""
ADDED_FILE = "added.json"
"""File of the conditions that were added to a sampled campaign after its experiment."""
ADDED = "additions"
"""Entry of ``added.json`` in the document of an experiment, whose rows and scenarios stand after all others."""
REPLICATES, UNTIL = "replicates_of", "until"
"""Entries of ``replicates.json`` in the document of an experiment: replicates of each scenario, and their rule."""
LENGTH = "length"
"""Folder beside ``runs`` for the campaign of longer runs, which checks the duration."""
CONDITIONS = "conditions"
"""Folder beside ``runs`` for the campaign in new conditions, which checks the verdicts."""
REPLAY = "replay"
"""Folder beside ``runs`` for runs with traces, each as `mesonet run --out` writes it."""
ANALYSIS = "analysis"
"""Folder beside ``runs`` for tables and figures."""

_STALE_S = 3600.0
_SNAPSHOT = ".snapshot-"
_UNFINISHED = ".tmp-"
_WORKING = ".work-"
WORK = "work"
"""Folder in which the program of a failed run worked, in the folder of the run."""


@dataclass(frozen=True)
class Run:
    """Run of a campaign."""

    condition: int  #: `condition`, `replicate`: numbers, from 1
    algorithm: str
    replicate: int
    seed: int
    key: str  #: name of its folder
    scenario: str  #: scenario or parameters, as canonical JSON
    code_version: str  #: code version in its key


def run_key(scenario: str, seed: int, code_version: str) -> str:
    """Return the name of a run's folder."""
    return hashlib.sha256(f"{scenario}\n{seed}\n{code_version}".encode()).hexdigest()


def run_seed(seed: int, condition: int, replicate: int, bits: int = documents.SEED_BITS) -> int:
    """Return the seed of a run from the seed of its experiment.

    Algorithms share it, so that they face the same users (common random numbers); conditions and replicates do not.

    `condition`, `replicate`: numbers, from 1. Condition 0 is for seeds that all conditions share. `bits`: bits of the
    result.

    Examples
    --------
    >>> run_seed(1, 1, 1) == run_seed(1, 1, 1), run_seed(1, 1, 1) == run_seed(1, 1, 2)
    (True, False)
    """
    digest = hashlib.sha256(f"{seed}/{condition}/{replicate}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> (documents.SEED_BITS - bits)


def replicates_of(document: Mapping[str, Any]) -> list[int]:
    """Return the replicates of each scenario of an experiment document."""
    given: list[int] | None = document.get(REPLICATES)
    return [document["replicates"]] * len(document["scenarios"]) if given is None else given


def planned(document: Mapping[str, Any], code_version: str) -> list[Run]:
    """Return every run of an experiment document.

    Two runs of the same scenario and seed share a key, such as runs of two algorithms that a condition makes equal.
    """
    runs = []
    bits = document.get("seed_bits", documents.SEED_BITS)
    shared = document.get("common_random_numbers", False)
    for entry, replicates in zip(document["scenarios"], replicates_of(document), strict=True):
        scenario = json.dumps(entry["scenario"], sort_keys=True, separators=(",", ":"))
        for replicate in range(1, replicates + 1):
            seed = run_seed(document["seed"], 0 if shared else entry["condition"], replicate, bits)
            key = run_key(scenario, seed, code_version)
            runs.append(
                Run(
                    condition=entry["condition"],
                    algorithm=entry["algorithm"],
                    replicate=replicate,
                    seed=seed,
                    key=key,
                    scenario=scenario,
                    code_version=code_version,
                )
            )
    return runs


FORCED_S = 1.0
"""Time of a run from which its files are forced to the disk (chosen). To wait for a busy disk can take longer than
shorter runs do. Those that a power cut leaves without content are damaged, and are made again."""


class Ledger:
    """A campaign folder."""

    def __init__(self, path: str | Path) -> None:
        refuse_unprintable(path)
        self.path = Path(path)

    @property
    def runs(self) -> Path:
        """Folder of the runs."""
        return inside(self.path, "runs")

    @classmethod
    def create(cls, path: str | Path, document: Mapping[str, Any]) -> Ledger:
        """Return the folder for an experiment, new or already begun.

        The folder, with ``experiment.json`` and ``runs``.
        """
        ledger = cls(path)
        ledger.refuse_other(document)
        if not (ledger.path / EXPERIMENT).exists():
            ledger.path.mkdir(parents=True, exist_ok=True)
            ledger.write_document(document)
        ledger.runs.mkdir(exist_ok=True)
        return ledger

    def write_document(self, document: Mapping[str, Any]) -> None:
        """Write or replace ``experiment.json``."""
        own = {key: value for key, value in without_added(document).items() if key not in (REPLICATES, UNTIL)}
        _write(self.path / EXPERIMENT, own)

    def grow(self, replicates: Sequence[int], until: Mapping[str, Any] | None = None) -> bool:
        """Raise the replicates of the scenarios to these numbers in ``replicates.json``; return True if one rose.

        No number falls, so that runners with older views of the folder change nothing. `until`: the rule, if the file
        has none yet.
        """
        file = self.path / REPLICATES_FILE
        with alone(file):
            document = self.document()
            known: list[int] = document.get(REPLICATES, [0] * len(replicates))
            rule = document.get(UNTIL, until)
            raised = [max(pair) for pair in zip(known, replicates, strict=True)]
            if raised == known and REPLICATES in document and rule == document.get(UNTIL):
                return False
            _write(file, {"replicates": raised, **({"until": dict(rule)} if rule else {})})
        return raised != known

    def extend(self, document: Mapping[str, Any]) -> bool:
        """Replace the experiment by one that has all its runs and more; return False if it has not.

        Conditions must share their random numbers: else the seeds of a run follow from the number of its condition.
        """
        if not (self.path / EXPERIMENT).exists():
            return False
        with alone(self.path / REPLICATES_FILE):
            held = self.document()
            counts = _by_scenario(held)
            wanted = _by_scenario(document)
            more = all(wanted.get(scenario, 0) >= count for scenario, count in _by_scenario(held, own=True).items())
            if (
                not more
                or UNTIL in held
                or ADDED in held
                or any(held.get(key) != document.get(key) for key in _RUNS_FOLLOW_FROM)
            ):
                return False
            if not held.get("common_random_numbers"):
                return False
            self.write_document(document)
            if REPLICATES in held:
                raised = [max(counts.get(scenario, 0), count) for scenario, count in _counts(document)]
                _write(self.path / REPLICATES_FILE, {"replicates": raised})
        return True

    def refuse_other(self, document: Mapping[str, Any]) -> None:
        """Raise an `InputError` unless the folder is absent, empty or holds this very experiment."""
        where = {"path": "--out", "value": str(self.path), "allowed": "a new or empty folder"}
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise InputError("not a folder", **where)
        # Listed before looking for the experiment, which another driver may write meanwhile.
        names = [entry.name for entry in self.path.iterdir()]
        if (self.path / EXPERIMENT).exists():
            held = self.document()
            if _defining(held) != _defining(document):
                if file := _changed_plugin(held, document):
                    where["allowed"] = f"the file as it was, or {where['allowed']}"
                    raise InputError(f"{file} or a file that it reaches has changed since this campaign began", **where)
                problem = f"the folder holds {_title(held)}, not {_title(document)}{_difference(held, document)}"
                raise InputError(problem, **where)
        elif any(not name.startswith(ASIDE) for name in names):
            raise InputError("the folder is not empty and holds no experiment", **where)

    def document(self) -> dict[str, Any]:
        """Return the experiment that the folder holds: ``experiment.json``, checked, and `REPLICATES` and `UNTIL`."""
        file = self.path / EXPERIMENT
        if not file.is_file():
            problem = "not a campaign folder: it has no experiment.json"
            raise InputError(problem, value=str(self.path), allowed="a folder that `mesonet experiment run` made")
        return self.grown(documents.experiment(file))

    def grown(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document of an experiment with what the folder adds: conditions, and numbers of replicates."""
        return self.with_replicates(self._with_added(document))

    def _with_added(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the document of an experiment with the conditions of ``added.json``, if there is one."""
        file = self.path / ADDED_FILE
        if not file.exists():
            return document
        content = documents.added(file, document)
        design, costs = document["design"], document.get("expected_cost")
        more = {"expected_cost": [*costs, *[fmean(costs)] * len(content["rows"])]} if costs else {}
        return {
            **document,
            **more,
            "design": {**design, "rows": [*design["rows"], *content["rows"]]},
            "scenarios": [*document["scenarios"], *content["scenarios"]],
            ADDED: content["additions"],
        }

    def add(self, addition: Mapping[str, Any], rows: Sequence[Sequence[float]], scenarios: Sequence[Any]) -> bool:
        """Add conditions to a sampled campaign in ``added.json``; return False if another runner added some meanwhile.

        `addition`: a `documents.Addition`. `scenarios`: a `documents.ConditionScenario` by condition, then algorithm.
        """
        file = self.path / ADDED_FILE
        with alone(file):
            held = documents.experiment(self.path / EXPERIMENT)
            known = documents.added(file, held) if file.exists() else {}
            first = len(held["design"]["rows"]) + len(known.get("rows", ())) + 1
            if scenarios[0]["condition"] != first:
                return False
            entries = {"additions": [addition], "rows": rows, "scenarios": scenarios}
            _write(file, {key: [*known.get(key, ()), *more] for key, more in entries.items()})
        return True

    def with_replicates(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the document of an experiment with the entries of ``replicates.json``, if there is one."""
        file = self.path / REPLICATES_FILE
        if not file.exists():
            return dict(document)
        content = documents.replicates(file, document)
        rule = {UNTIL: content["until"]} if "until" in content else {}
        return {**document, REPLICATES: content["replicates"], **rule}

    def provenance(self) -> dict[str, Any]:
        """Return the code versions and times of the runs of the campaign.

        The content of ``provenance.json``; empty before the first run.
        """
        file = self.path / "provenance.json"
        return documents.provenance(file) if file.exists() else {}

    def changing_provenance(self) -> AbstractContextManager[None]:
        """Return the exclusive right to read and then replace the provenance."""
        return alone(self.path / "provenance.json")

    def write_provenance(self, provenance: documents.ProvenanceDocument) -> None:
        """Replace the provenance. `provenance`: the new content of ``provenance.json``."""
        _write(self.path / "provenance.json", documents.plain(provenance))

    def statuses(self) -> dict[str, str]:
        """Return the statuses of all runs that are done or failed. ``done`` or ``failed`` by key."""
        with suppress(FileNotFoundError):
            names = [name for name in os.listdir(self.runs) if not name.startswith(".")]
            runs = str(self.runs)
            return {name: status for name in names if (status := _status(runs, name)) != "missing"}
        return {}

    def status(self, key: str) -> str:
        """Return the status of a run. ``done``, ``failed`` or ``missing``."""
        return _status(str(self.runs), key)

    def run_json(self, key: str, status: str | None = None) -> dict[str, Any]:
        """Return provenance and resources of a done run, or the record of a failed run.

        The content of ``run.json`` or ``failure.json``.
        """
        if (status or self.status(key)) == "done":
            return documents.done(self.runs / key / "run.json")
        return documents.failed(self.runs / key / "failure.json")

    def tries(self, key: str) -> list[dict[str, Any]]:
        """Return the failed tries of a run so far. Message, host and times of each try; empty unless the run failed."""
        if self.status(key) != "failed":
            return []
        return list(documents.failed(self.runs / key / "failure.json")["tries"])

    def snapshot(self, key: str) -> Path:
        """Return the path of the snapshot of a run (`mesonet.simulation.checkpoint`)."""
        return self.runs / f"{_SNAPSHOT}{key}"

    @contextmanager
    def writing(self, key: str, wall_s: float = FORCED_S) -> Iterator[Path]:
        """Yield a folder to fill; it becomes the folder of the run at the end, unless the run is done by then.

        `wall_s`: time that the run took.
        """
        aside = self._unfinished(key)
        aside.mkdir(parents=True)
        try:
            yield aside
            if wall_s >= FORCED_S:
                _force(aside)
            self._place(aside, key)
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    @contextmanager
    def working(self, key: str) -> Iterator[Path]:
        """Yield an empty folder for the program of a run; it is removed at the end, and stays if the block fails."""
        place = self.runs / f"{_WORKING}{key}-{uuid4().hex[:12]}"
        place.mkdir(parents=True)
        yield place
        shutil.rmtree(place, ignore_errors=True)

    def fail(self, key: str, failure: documents.FailureDocument) -> None:
        """Record a failed run, with the folder in which its program worked.

        `failure`: content of ``failure.json`` with the tries since the last record, which are added to earlier tries.
        """
        about = documents.plain(failure)
        about["tries"] = [*self.tries(key), *about["tries"]]
        with self.writing(key) as aside:
            _write(aside / "failure.json", about)
            for left in sorted(self.runs.glob(f"{_WORKING}{key}-*"), key=os.path.getmtime)[-1:]:
                left.replace(aside / WORK)

    def clear_failure(self, key: str) -> None:
        """Forget that a run failed, and how often."""
        if self.status(key) == "failed":
            self._move_away(key)

    def snapshots(self) -> set[str]:
        """Return the keys of the runs that have a snapshot, of this code or another."""
        return {path.name.removeprefix(_SNAPSHOT) for path in self.runs.glob(f"{_SNAPSHOT}*")}

    def remove_snapshots(self) -> int:
        """Remove all snapshots, so that their runs begin anew; return their number."""
        found = self.snapshots()
        for key in found:
            with suppress(OSError):  # a folder, which is none
                self.snapshot(key).unlink(missing_ok=True)
        return len(found)

    def remove_stale(self, code_version: str) -> None:
        """Remove files that killed writers left behind, and snapshots from which no run by this code can continue."""
        beside = f"{ASIDE}{_SNAPSHOT}"
        left_beside = {path.stem.removeprefix(beside) for path in self.runs.glob(f"{beside}*")}
        if kept := self.snapshots() | left_beside:
            usable = {run.key for run in planned(self.document(), code_version) if self.status(run.key) != "done"}
            for key in kept - (usable & self.snapshots()):
                with suppress(OSError):
                    discard(self.snapshot(key))
        self.remove_unfinished()

    def remove_unfinished(self) -> None:
        """Remove what writers left behind that were killed: at once on their machine, after an hour elsewhere.

        The working folder of a program goes when no process holds the lease on its run.
        """
        at_work = live(self.runs) if self.runs.is_dir() else set()
        for left in self.runs.glob(f"{_WORKING}*"):
            if left.name.removeprefix(_WORKING).partition("-")[0] not in at_work:
                shutil.rmtree(left, ignore_errors=True)
        patterns = (f"runs/{_UNFINISHED}*", "runs/.clock-*", f"runs/{TAKEOVER}", f"{ASIDE}*")
        folders = [folder for name in (ANALYSIS, REPLAY) if not (folder := self.path / name).is_symlink()]
        left_there = (folder.rglob(f"{ASIDE}*") for folder in folders)
        for left in chain(*map(self.path.glob, patterns), *left_there):
            with suppress(OSError):  # another runner removes them too
                writer = left.name.split("-")[-2] if left.name.startswith(_UNFINISHED) else ""
                if is_left_behind(writer) or time.time() - left.lstat().st_mtime > _STALE_S:
                    shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()

    def _unfinished(self, key: str) -> Path:
        """Return a new name for a folder of the run that is not yet, or no longer, in its place."""
        return self.runs / f"{_UNFINISHED}{key}-{mark()}-{uuid4().hex[:12]}"

    def _place(self, aside: Path, key: str) -> None:
        place = self.runs / key
        if self.status(key) == "failed":
            self._move_away(key)
        if self.status(key) == "done":
            return
        try:
            aside.replace(place)
        except OSError:
            if self.status(key) != "done":  # otherwise another runner was quicker, with the same bytes
                raise

    def _move_away(self, key: str) -> None:
        old = self._unfinished(key)
        with suppress(FileNotFoundError):
            (self.runs / key).replace(old)
        shutil.rmtree(old, ignore_errors=True)


_RUNS_FOLLOW_FROM = ("name", "seed", "seed_bits", "keep", "model", "common_random_numbers")
"""Entries on which all runs depend, beside their scenarios."""


def _counts(document: Mapping[str, Any], own: bool = False) -> Iterator[tuple[str, int]]:
    """Yield each scenario with its algorithm as text, and its replicates. `own`: of the file of the experiment."""
    given = {key: value for key, value in document.items() if not (own and key == REPLICATES)}
    for entry, count in zip(document["scenarios"], replicates_of(given), strict=True):
        yield json.dumps([entry["algorithm"], entry["scenario"]], sort_keys=True), count


def _by_scenario(document: Mapping[str, Any], own: bool = False) -> dict[str, int]:
    return dict(_counts(document, own))


def _status(runs: str, key: str) -> str:
    """Return the status of a run in the folder `runs`. Paths are text, because path objects are slow."""
    folder = f"{runs}{os.sep}{key}{os.sep}"
    if os.path.exists(folder + "responses.parquet"):
        return "done"
    return "failed" if os.path.exists(folder + "failure.json") else "missing"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    aside = path.with_name(f"{ASIDE}{path.name}-{uuid4().hex[:12]}")
    try:
        with aside.open("wb") as file:
            file.write(checksums.sealed(content, path.name))
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _force(folder: Path) -> None:
    """Force the files of a folder to the disk before it gets its name: else power cuts could leave empty files."""
    for each in (*folder.iterdir(), folder):
        file = os.open(each, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)


_PROSE = ("title", "description", "parameters", "expected_cost", "plugins", "comparisons", "words", REPLICATES, UNTIL)


def _defining(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that identify the experiment: without prose, costs, places, questions and `REPLICATES`."""
    return {key: value for key, value in without_added(document).items() if key not in _PROSE}


def without_added(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the document of an experiment without the conditions that were added to it."""
    if ADDED not in document:
        return document
    number, design = sum(each["conditions"] for each in document[ADDED]), document["design"]
    scenarios = document["scenarios"][: -number * len(document["algorithms"])]
    costs = document.get("expected_cost")
    more = {"expected_cost": costs[:-number]} if costs else {}
    own = {key: value for key, value in document.items() if key != ADDED}
    return {**own, **more, "design": {**design, "rows": design["rows"][:-number]}, "scenarios": scenarios}


def _title(document: Mapping[str, Any]) -> str:
    return f"experiment {document['name']} ({sum(replicates_of(document))} runs)"


def _changed_plugin(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the first file of a plug-in that is not as it was; empty if there is none."""
    known = held.get("plugins", {})
    changed = (
        about["file"]
        for name, about in wanted.get("plugins", {}).items()
        if name in known and known[name]["digest"] != about["digest"]
    )
    return next(changed, "")


def _difference(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Return the first difference that a user can act on."""
    for key in (
        "name",
        "model",
        "algorithms",
        "mixed_with",
        "factors",
        "design",
        "scale",
        "seed",
        "seed_bits",
        "common_random_numbers",
        "replicates",
    ):
        if held.get(key) != wanted.get(key):
            shown = [json.dumps(each.get(key)) for each in (held, wanted)]
            if max(map(len, shown)) < 100:
                return f": {key} is {shown[0]} there and {shown[1]} here"
            return _first_difference({key: held.get(key)}, {key: wanted.get(key)}) or f": {key} differ"
    for one, other in zip(held["scenarios"], wanted["scenarios"], strict=True):
        if text := _first_difference(one["scenario"], other["scenario"]):
            return text
    return ""


def _first_difference(held: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    there, here = _flat(held), _flat(wanted)
    for path in (*there, *here):
        if there.get(path) != here.get(path):
            return f": {path} is {there.get(path)} there and {here.get(path)} here"
    return ""


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, list) and any(isinstance(each, Mapping | list) for each in value):
            flat |= _flat({f"{key}[{place}]": each for place, each in enumerate(value)}, prefix)
        else:
            flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, Mapping) else {f"{prefix}{key}": value}
    return flat
