"""The campaigns that claims are measured in: run if they are short, read if somebody has run them.

``campaigns.toml`` beside the claims says, for each name that a claim may use, which experiment with which options it
is and what it costs.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from mesonet.campaign import Campaign
from mesonet.campaign.data import load
from mesonet.campaign.ledger import Ledger
from mesonet.designed import Designed
from mesonet.errors import InputError, unknown
from mesonet.experiment import experiment
from mesonet.progress import duration
from mesonet.reporting.traced import TracedRun, traced_runs
from mesonet.reporting.traced_files import traced_tables
from mesonet.scenario import read_toml
from mesonet.verification.reasons import NotEvaluated

_OPTIONS = ("duration", "scale", "algorithms", "replicates", "seed", "values")
_KEYS = ("experiment", "cpu_s", *_OPTIONS)


@dataclass(frozen=True, eq=False)
class Entry:
    """A campaign: an experiment, by name or file, with options; `cpu_s` is what it took here, processor seconds."""

    name: str
    experiment: str
    options: Mapping[str, Any]
    cpu_s: float
    folder: Path  #: where relative names of experiments begin

    def designed(self) -> Designed:
        """The experiment with its options."""
        return experiment(self.experiment, **self.options)

    def command(self, out: Path) -> str:
        """What runs it, from the folder that holds the one with the claims."""
        here = self.experiment.replace(f"{self.folder}/", f"{self.folder.name}/")
        words = ["mesonet", "experiment", "run", here]
        for key, value in self.options.items():
            if key != "values":
                words += [f"--{key}", ",".join(value) if isinstance(value, list) else str(value)]
        return shlex.join([*words, "--out", str(out / self.name)])


def load_entries(file: Path) -> dict[str, Entry]:
    """The campaigns of a file, by name; experiments in files are relative to it."""
    entries = {}
    for name, table in read_toml(file.read_text(encoding="utf-8"), str(file)).items():
        for key in table:
            if key not in _KEYS:
                raise unknown("key", key, _KEYS, file=str(file), path=f"{name}.{key}")
        target = table.get("experiment", name)
        target = str(file.parent / target) if target.endswith(".toml") else target
        options = {key: table[key] for key in _OPTIONS if key in table}
        entries[name] = Entry(name, target, options, float(table["cpu_s"]), file.parent)
    return entries


@dataclass(frozen=True, eq=False)
class Campaigns:
    """The campaigns in a folder, seen by the measures one seed at a time.

    `longest_s` is how many processor seconds a campaign that is not there may take to be run; longer ones are not
    evaluated.
    """

    entries: Mapping[str, Entry]
    folder: Path
    longest_s: float = 0.0
    replicate: int = 1
    progress: bool = True

    def of(self, replicate: int) -> Campaigns:
        """The same campaigns, of another seed."""
        return replace(self, replicate=replicate)

    def load(self, name: str) -> Campaign:
        """A whole campaign.

        Raises
        ------
        NotEvaluated
            If it is not there and takes too long to run.
        InputError
            If the folder holds another one.
        """
        if name not in self.entries:
            raise unknown("campaign", name, self.entries)
        return _load(self.entries[name], self.folder, self.longest_s, self.progress)

    def seeds(self, name: str) -> int:
        """How many seeds a campaign has."""
        return max(self.load(name).runs["replicate"].to_list())

    def seed_of(self, name: str) -> int:
        """The replicate of a campaign that goes with the present seed; one without chance has one only."""
        return min(self.replicate, self.seeds(name))

    def is_random(self, name: str) -> bool:
        """Whether anything in a campaign depends on the seed: users, or overheads of senders."""
        return any(
            there["scenario"]["users"]["base_sources"] > 0
            or any(flow["overhead"] > 0 for flow in there["scenario"]["flows"])
            for there in self.load(name).experiment["scenarios"]
        )

    def run(self, name: str, algorithm: str, condition: int = 1) -> TracedRun:
        """One run with traces."""
        return _traced(self.load(name))[algorithm, condition, self.seed_of(name)]

    def latencies(self, name: str) -> dict[str, dict[str, Any]]:
        """Latencies by algorithm."""
        return _latencies(self.load(name))

    def value(self, name: str, algorithm: str, condition: int, response: str, period: str = "measured") -> float:
        """A response of one run."""
        rows = self.load(name).response(response, period)
        found = rows.filter(condition=condition, algorithm=algorithm, replicate=self.seed_of(name))["value"]
        return float("nan") if found.is_empty() or found[0] is None else float(found[0])


@cache
def _load(entry: Entry, folder: Path, longest_s: float, progress: bool) -> Campaign:
    place = folder / entry.name
    chosen = entry.designed()
    if (place / "experiment.json").exists():
        Ledger(place).refuse_other(chosen.document())
        found = load(place)
        if found.counts["done"] == len(found.runs):
            return found
    if entry.cpu_s > longest_s:
        raise NotEvaluated(f"needs {duration(entry.cpu_s)} of processor time: {entry.command(folder)}")
    found = chosen.run(place, progress=progress)
    if found.counts["done"] < len(found.runs):
        raise InputError("a run failed", value=str(place), allowed=f"see mesonet experiment status {place}")
    return found


@cache
def _traced(campaign: Campaign) -> dict[tuple[str, int, int], TracedRun]:
    return {(run.algorithm, run.condition, run.replicate): run for run in traced_runs(campaign)}


@cache
def _latencies(campaign: Campaign) -> dict[str, dict[str, Any]]:
    return {row["algorithm"]: row for row in traced_tables(campaign)["latencies"].iter_rows(named=True)}
