"""Runs of an evidence report, in one folder that can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.campaign.data import Campaign, load
from mesonet.campaign.runner import run_missing
from mesonet.errors import InputError
from mesonet.evidence.confirmed_search import Searched, searched
from mesonet.evidence.plan import EvidencePlan
from mesonet.experiments.network import Experiment
from mesonet.files import places, reading

RECORD = "evidence.json"
"""File of the folder that identifies the report."""


@dataclass(frozen=True)
class Results:
    """Everything that was run for a report."""

    campaigns: Mapping[str, Campaign]  #: campaigns by name
    searches: tuple[Searched, ...] = ()  #: searches for the worst cell, in the order of criteria and incumbents
    ended: tuple[str, ...] = ()  #: undecided criteria that got no further look, because the budget was spent


def run(plan: EvidencePlan, out: Path, *, told: Callable[[str], None] | None = None, **how: Any) -> Results:
    """Run what is missing of a report, with all replicates.

    `out`: folder of the report: new, empty, or begun with the same plan. Each campaign has a folder in it.
    """
    begin(plan, out)
    say = told or (lambda line: None)
    found: dict[str, Campaign] = {}
    for number, (name, chosen) in enumerate(plan.campaigns.items(), start=1):
        say(f"{number} of {len(plan.campaigns)}: {chosen.title}, {name}")
        found[name] = load(chosen.run_missing(places.inside(out, name), **how))
    return run_searches(plan, Results(found), out, told=told, **how)


def begin(plan: EvidencePlan, out: Path) -> None:
    """Write the plan into the folder of a report, or refuse a folder with another plan."""
    record = places.inside(out, RECORD)
    places.checked(record)
    if record.exists():
        known = json.loads(reading.read_text(record, reading.MOST_JSON_BYTES))
        wanted = plan.document()
        for key in (*wanted, *known):
            if known.get(key) != wanted.get(key):
                problem = f"the folder holds a report with {key} = {known.get(key)}"
                raise InputError(problem, str(out), key, wanted.get(key), "another --out")
    else:
        out.mkdir(parents=True, exist_ok=True)
        with places.file(record) as aside:
            aside.write_text(json.dumps(plan.document(), indent=1) + "\n", encoding="utf-8")


def run_look(chosen: Experiment, folder: Path, replicates: int, *, progress: bool = True, **how: Any) -> Campaign:
    """Run a campaign up to some replicates; return it with these."""
    with places.folder(folder):
        ledger, asked = chosen.begin(folder, **how)
        ledger.grow([replicates] * len(ledger.document()["scenarios"]))
        run_missing(ledger, asked, progress)
    found, within = load(folder), pl.col("replicate") <= replicates
    return replace(found, runs=found.runs.filter(within), responses=found.responses.filter(within))


def run_searches(
    plan: EvidencePlan, results: Results, out: Path, *, told: Callable[[str], None] | None = None, **how: Any
) -> Results:
    """Return the results with the searches of a report; without a search for a part of the runs."""
    say = told or (lambda line: None)
    found = dict(results.campaigns)

    def one(name: str, chosen: Experiment) -> Campaign:
        found[name] = load(chosen.run_missing(places.inside(out, name), **how))
        return found[name]

    searches = []
    for criterion in plan.criteria if how.get("shard") is None else ():
        for incumbent in plan.against if criterion.kind == "search" else ():
            say(f"search for the worst cell against {incumbent}")
            searches.append(searched(plan, criterion, incumbent, one, say))
    return replace(results, campaigns=found, searches=tuple(searches))
