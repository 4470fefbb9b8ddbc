"""Backlog of a campaign folder: runs to make, their order, and the code that makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mesonet import units
from mesonet.campaign.cost import Expected, expected
from mesonet.campaign.first_look import first_look
from mesonet.campaign.integrity import set_aside_damaged
from mesonet.campaign.ledger import Ledger, Run, planned
from mesonet.errors import InputError

TRIES = 3
"""Failed tries after which a run is quarantined: a rare accident hardly meets one run three times (chosen)."""
_LONGEST = 0.02
"""Largest part of the work in one run for which a first look starts before the longest run (chosen): the end of the
campaign is hardly later."""


class Watch(Protocol):
    """Follows the results of a campaign while it runs."""

    def learn(self, done: Sequence[Run]) -> list[str]:
        """Take the runs that finished since the last call; return lines to print."""
        ...

    def note(self) -> str:
        """Return what is known so far, for the line of progress."""
        ...


@dataclass(frozen=True)
class RunOptions:
    """Options of a runner."""

    workers: int | None = None  #: runs at a time on this machine; by default as many as there are processors
    memory: int | None = None  #: most memory of one run, in bytes; by default nine tenths of the machine's
    #: Most wall-clock time of one try at a run, in s; by default any. A try that takes longer is ended and counts as
    #: failed; the next try continues from its snapshot.
    time_limit: float | None = None
    dask: str | None = None  #: address of a Dask scheduler, or its scheduler file: the runs are made there instead
    shard: tuple[int, int] | None = None  #: (i, N): only the i-th of N parts of the runs, i from 1
    tries: int = TRIES  #: failed tries after which a run is quarantined
    retry: bool = False  #: try quarantined runs again
    trusted: bool = False  #: continue from snapshots of a folder that this user has not begun
    mix: bool = False  #: continue a campaign that other code began, and keep its finished runs
    watch: Watch | None = None  #: follows the results, where progress is shown

    def __post_init__(self) -> None:
        """Raise an `InputError` for values that make no sense."""
        for name, least in (("workers", 1), ("memory", 1), ("tries", 1)):
            value = getattr(self, name)
            if value is not None:
                units.integer(value, name, least, 2**63 - 1)
        if self.time_limit is not None and not self.time_limit > 0:
            raise InputError("not a time", path="time_limit", value=self.time_limit, allowed="more than 0 s")
        if self.shard is not None:
            place, parts = self.shard
            units.integer(place, "shard", 1, units.integer(parts, "shard", 1, 2**31))


@dataclass(frozen=True)
class Backlog:
    """Runs to make, the longest expected first, and their expected cost."""

    ledger: Ledger  #: the campaign folder
    name: str  #: name of the experiment
    model: dict[str, Any] | None  #: description of the model; None: the simulator
    runs: list[Run]  #: runs to make, in the order in which they start
    costs: Expected  #: expected time of a run of each condition
    tries: int  #: failed tries after which a run is quarantined

    def may_try_again(self, run: Run) -> bool:
        """Return True if a run whose process died has tries left."""
        return len(self.ledger.tries(run.key)) < self.tries


def backlog(ledger: Ledger, document: Mapping[str, Any], versions: Sequence[str], options: RunOptions) -> Backlog:
    """Return the runs of a shard that are missing, damaged, or failed and not quarantined.

    The files of damaged runs are set aside.

    `options`: options of the runner; `retry` forgets the failed tries of quarantined runs.
    """
    statuses = ledger.statuses()
    every = counted(document, versions, statuses)
    if set_aside_damaged(ledger, _part(every, document, options.shard), statuses):
        every = counted(document, versions, statuses)
    costs = expected(ledger, document, [run for run in every if statuses.get(run.key) == "done"])
    runs = [run for run in _part(every, document, options.shard) if statuses.get(run.key) != "done"]
    if options.retry:
        for run in runs:
            ledger.clear_failure(run.key)
    else:
        runs = [r for r in runs if statuses.get(r.key) != "failed" or len(ledger.tries(r.key)) < options.tries]
    runs.sort(key=lambda run: -costs.of(run.condition))  # stable: equal ones stay in the order of the plan
    if options.shard is None and options.dask is None:
        runs = _with_first_look(runs, document, costs)
    return Backlog(
        ledger=ledger, name=document["name"], model=document.get("model"), runs=runs, costs=costs, tries=options.tries
    )


def _with_first_look(runs: list[Run], document: Mapping[str, Any], costs: Expected) -> list[Run]:
    """Return runs with the first look before the longest, unless one run is a large part of the work."""
    work = [costs.of(run.condition) for run in runs]
    if not runs or max(work) > _LONGEST * sum(work):
        return runs
    places = {condition: place for place, condition in enumerate(first_look(document))}
    early = [run for run in runs if run.replicate == 1 and run.condition in places]
    early.sort(key=lambda run: places[run.condition])
    looked = {run.key for run in early}
    return early + [run for run in runs if run.key not in looked]


def counted(document: Mapping[str, Any], versions: Sequence[str], statuses: Mapping[str, str]) -> list[Run]:
    """Return every run of a campaign once, under the newest code version by which it is done.

    Runs in the order of the plan. A run that is done by no version has the newest. `versions`: code versions whose runs
    count, the newest first; at least one.
    """
    plans = [planned(document, version) for version in versions]
    return [
        next((run for run in same if statuses.get(run.key) == "done"), same[0]) for same in zip(*plans, strict=True)
    ]


def versions_that_count(ledger: Ledger, code_version: str, mix: bool) -> list[str]:
    """Return the code versions whose runs count."""
    earlier = known_versions(ledger.provenance())
    if not earlier or earlier[0] == code_version:
        return earlier or [code_version]
    if mix:
        return [code_version, *(version for version in earlier if version != code_version)]
    if ledger.statuses():
        raise InputError(
            f"its runs come from other code ({earlier[0][:12]}), not from this code ({code_version[:12]})",
            value=str(ledger.path),
            allowed="another --out to make all runs with this code, or --force to keep the finished runs",
        )
    return [code_version]


def known_versions(provenance: Mapping[str, Any]) -> list[str]:
    """Return the versions of the code whose runs count. Code versions, the newest first; empty before the first run."""
    if not provenance:
        return []
    return list(provenance.get("code_versions") or [provenance["versions"]["code_version"]])


def _part(runs: Iterable[Run], document: Mapping[str, Any], shard: tuple[int, int] | None) -> list[Run]:
    """Return each run once; with a shard (i, N) the i-th of N parts, equal on every host and at every time.

    Parts take turns through the runs by falling expected cost, so that they take about as long.
    """
    unique = list({run.key: run for run in runs}.values())
    if shard is None:
        return unique
    hints = Expected(document)
    place, parts = shard
    ordered = sorted(unique, key=lambda run: (-hints.of(run.condition), run.condition, run.algorithm, run.replicate))
    return ordered[place - 1 :: parts]
