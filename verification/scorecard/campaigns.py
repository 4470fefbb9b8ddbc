"""The campaigns that claims are measured in: run if they are short, read if they exist.

``campaigns.toml`` beside the claims has, for each name that a claim may use, the experiment, its options and its cost.

Measures see no condition whose load had not settled (`mesonet.simulation.settling`): its numbers are partly those of
the start. Campaigns without a record of their settling are seen whole.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from mesonet.campaign import Campaign
from mesonet.campaign.data import load
from mesonet.campaign.ledger import Ledger
from mesonet.errors import InputError, unknown
from mesonet.experiments.base import Designed
from mesonet.experiments.network import experiment
from mesonet.files.toml import read_toml
from mesonet.progress import duration
from mesonet.reporting.campaign_view.traced import TracedRun, traced_runs
from mesonet.reporting.folder.tables import traced_tables
from verification.scorecard.flows import FEWEST_FLOWS, flows_behind
from verification.scorecard.reasons import NotEvaluated, NotRun, unsettled_text

Floats = npt.NDArray[np.float64]

DEFAULT_FOLDER = "verify"
"""Folder in which `mesonet verify` looks for campaigns by default."""
FEWEST_SETTLED = 0.75
"""Smallest part of the conditions for a measure over conditions. Chosen: the first conditions to be left out are the
congested ones, and a quarter of the conditions is half of the congested ones of experiments 1."""
_OPTIONS = ("duration", "scale", "algorithms", "replicates", "seed", "values")
_KEYS = ("experiment", "cpu_s", *_OPTIONS)


@dataclass(frozen=True, eq=False)
class ListedCampaign:
    """A campaign: an experiment, by name or file, with options; `cpu_s` is its cost in processor seconds."""

    name: str
    experiment: str
    options: Mapping[str, Any]
    cpu_s: float
    folder: Path  #: folder that relative names of experiments start from

    def designed(self) -> Designed:
        """Return the experiment with its options."""
        return experiment(self.experiment, **self.options)

    @cached_property
    def has_users(self) -> bool:
        """True if the network has users or arrivals, whose load settles or not; the load of explicit flows is given."""
        chosen = self.designed()
        scenario = chosen.canonical(1, chosen.algorithms[0])
        return bool(scenario["users"]["base_sources"] > 0 or scenario.get("arrivals"))

    @property
    def command(self) -> str:
        """Command that runs the campaign, from the folder above the claims, into the default folder of campaigns.

        The command goes into a page that others read, on other machines: its paths are relative.
        """
        here = self.experiment.replace(f"{self.folder}/", f"{self.folder.name}/")
        words = ["mesonet", "experiment", "run", here]
        for key, value in self.options.items():
            if key == "values":
                words += [word for path, each in value.items() for word in ("--set", f"{path}={each}")]
            else:
                words += [f"--{key}", ",".join(value) if isinstance(value, list) else str(value)]
        return shlex.join([*words, "--out", f"{DEFAULT_FOLDER}/{self.name}"])


def load_entries(file: Path) -> dict[str, ListedCampaign]:
    """Return the campaigns of a file."""
    entries = {}
    for name, table in read_toml(file.read_text(encoding="utf-8"), str(file)).items():
        for key in table:
            if key not in _KEYS:
                raise unknown("key", key, _KEYS, file=str(file), path=f"{name}.{key}")
        target = table.get("experiment", name)
        target = str(file.parent / target) if target.endswith(".toml") else target
        options = {key: table[key] for key in _OPTIONS if key in table}
        entries[name] = ListedCampaign(name, target, options, float(table["cpu_s"]), file.parent)
    return entries


@dataclass(frozen=True, eq=False)
class Campaigns:
    """The campaigns in a folder, seen by the measures one seed at a time."""

    entries: Mapping[str, ListedCampaign]  #: the listed campaigns, by name
    folder: Path
    longest_s: float = 0.0  #: most processor time, s, of an absent campaign that is run; longer ones are not evaluated
    replicate: int = 1  #: the seed that measures see, from 1
    progress: bool = True  #: True: show progress on stderr
    any_load: bool = False  #: True: measures see all conditions, also those whose load had not settled

    def of(self, replicate: int) -> Campaigns:
        """Return these campaigns with another seed. `replicate`: the seed that measures see, from 1."""
        return replace(self, replicate=replicate)

    def of_any_load(self) -> Campaigns:
        """Return these campaigns with all their conditions, including those whose load had not settled."""
        return replace(self, any_load=True)

    def load(self, name: str) -> Campaign:
        """Return a whole campaign."""
        if name not in self.entries:
            raise unknown("campaign", name, self.entries)
        return _load(self.entries[name], self.folder, self.longest_s, self.progress)

    def are_there(self, names: Iterable[str]) -> bool:
        """Return True if some campaigns exist, or are short enough to be run."""
        try:
            for name in names:
                self.load(name)
        except NotRun:
            return False
        return True

    def unsettled(self, name: str) -> tuple[int, ...] | None:
        """Return the conditions of a campaign whose load had not settled.

        Numbers from 1, ascending; None if a run has no record of its settling.
        """
        return self.load(name).unsettled

    def judged(self, name: str, *, whole: bool = False) -> npt.NDArray[np.intp]:
        """Return the conditions that measures see. Numbers from 1, ascending."""
        conditions = np.arange(1, self.load(name).rows.conditions + 1)
        unsettled = self.unsettled(name)
        if self.any_load or not unsettled:
            return conditions
        kept = conditions[~np.isin(conditions, unsettled)]
        fewest = len(conditions) if whole else math.ceil(FEWEST_SETTLED * len(conditions))
        if len(kept) < fewest:
            text = f"{len(kept)} of {len(conditions)} conditions had, {fewest} are the fewest"
            raise NotEvaluated(f"{unsettled_text({name: unsettled})}: {text}")
        return kept

    def code(self, name: str) -> str:
        """Return the version of the code that made a campaign."""
        return str(self.load(name).provenance["code_versions"][0])[:12]

    def seeds(self, name: str) -> int:
        """Return the number of seeds of a campaign. The number of replicates, at least 1."""
        return int(max(self.load(name).runs["replicate"].to_list()))

    def seed_of(self, name: str) -> int:
        """Return the replicate of a campaign that belongs to the present seed.

        Number, from 1; the last replicate of a campaign with fewer.
        """
        return min(self.replicate, self.seeds(name))

    def is_random(self, name: str) -> bool:
        """Return True if a result of a campaign depends on the seed: it has users, or random starts or overheads."""
        return any(
            there["scenario"]["users"]["base_sources"] > 0
            or bool(there["scenario"].get("arrivals"))
            or any(flow["overhead"] > 0 or flow.get("start_within", 0) > 0 for flow in there["scenario"]["flows"])
            for there in self.load(name).experiment["scenarios"]
        )

    def run(self, name: str, algorithm: str, condition: int = 1) -> TracedRun:
        """Return a run with its traces. `condition`: number, from 1."""
        self._refuse_unsettled(name, condition)
        return _traced(self.load(name))[algorithm, condition, self.seed_of(name)]

    def latencies(self, name: str) -> dict[str, dict[str, Any]]:
        """Return the latencies of a campaign. A row of latencies, s, by algorithm."""
        return _latencies(self.load(name))

    def value(self, name: str, algorithm: str, condition: int, response: str, period: str = "measured") -> float:
        """Return a response of one run.

        The value at the present seed; NaN where nothing was measured. `condition`: number, from 1. `period`: a measured
        period, or ``measured`` for the whole measured span.
        """
        self._refuse_unsettled(name, condition)
        row = _cells(self.load(name), response, period).filter(
            condition=condition, algorithm=algorithm, replicate=self.seed_of(name)
        )
        if row.is_empty():
            return float("nan")
        if row["scarce"][0]:
            raise NotEvaluated(f"{response}: a mean over fewer than {FEWEST_FLOWS} flows")
        return float(row["value"][0])

    def table(self, name: str, response: str, period: str = "measured") -> Floats:
        """Return a response in all runs of the present seed, in the conditions of `judged`.

        Shape (conditions, algorithms); NaN where nothing was measured, and for means over too few flows. `period`: a
        measured period, or ``measured`` for the whole measured span.
        """
        campaign = self.load(name)
        rows = _cells(campaign, response, period).filter(replicate=self.seed_of(name), scarce=False)
        found = np.full((campaign.rows.conditions, len(campaign.algorithms)), np.nan)
        places = {algorithm: place for place, algorithm in enumerate(campaign.algorithms)}
        for condition, algorithm, value in rows.select("condition", "algorithm", "value").iter_rows():
            found[condition - 1, places[algorithm]] = value
        return found[self.judged(name) - 1]

    def _refuse_unsettled(self, name: str, condition: int) -> None:
        if not self.any_load and condition in (self.unsettled(name) or ()):
            raise NotEvaluated(unsettled_text({name: [condition]}))


@cache
def _load(entry: ListedCampaign, folder: Path, longest_s: float, progress: bool) -> Campaign:
    place = folder / entry.name
    chosen = entry.designed()
    if (place / "experiment.json").exists():
        Ledger(place).refuse_other(chosen.document())
        found = load(place)
        if found.counts["done"] == len(found.runs):
            return found
    if entry.cpu_s > longest_s:
        raise NotRun(f"needs {duration(entry.cpu_s)} of processor time: {entry.command}")
    found = chosen.run(place, progress=progress)
    if found.counts["done"] < len(found.runs):
        raise InputError("a run failed", value=str(place), allowed=f"see mesonet experiment status {place}")
    return found


@cache
def _cells(campaign: Campaign, response: str, period: str) -> pl.DataFrame:
    """Return condition, algorithm, replicate, value (NaN if missing), and scarce: True if too few flows completed."""
    run = ["condition", "algorithm", "replicate"]
    rows = campaign.response(response, period).with_columns(pl.col("value").fill_null(float("nan")))
    flows = flows_behind(campaign, response, period)
    if flows is None:
        return rows.with_columns(scarce=pl.lit(False))
    rows = rows.join(flows, on=run, how="left")
    return rows.with_columns(scarce=pl.col("flows").fill_null(0) < FEWEST_FLOWS).drop("flows")


@cache
def _traced(campaign: Campaign) -> dict[tuple[str, int, int], TracedRun]:
    return {(run.algorithm, run.condition, run.replicate): run for run in traced_runs(campaign)}


@cache
def _latencies(campaign: Campaign) -> dict[str, dict[str, Any]]:
    return {row["algorithm"]: row for row in traced_tables(campaign)["latencies"].iter_rows(named=True)}
