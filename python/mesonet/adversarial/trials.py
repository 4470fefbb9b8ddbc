"""Runs of flows on paths, and the file that keeps their outcomes: an interrupted search continues from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import core
from mesonet.adversarial.objective import Lineup, Outcome
from mesonet.adversarial.path import LINK, ChangingPath, path_of
from mesonet.adversarial.question import Question
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.scenarios.scenario import Scenario, load_scenario
from mesonet.simulation.batch import run_edits
from mesonet.simulation.result import Table
from mesonet.units import SEGMENT_BYTES

BASE = "bottleneck"
"""Built-in scenario that each path changes."""
LEDGER = "evaluations.jsonl"
"""File of the outcomes: a line with the question, then a line for each path and seed."""
AT_ONCE = 50
"""Trials of one batch: an interrupted search repeats at most so many (chosen)."""
TABLES = ("series", "router_traces", "applications")
"""Tables of a run from which its outcome follows."""
_MBIT = SEGMENT_BYTES * 8 / 1e6
_FRAMES_PER_S = 30
_FRAMES_RATE = 0.3
"""Rate of frames as a part of the fastest rate of the link (chosen)."""


@dataclass(frozen=True)
class Trial:
    """Path with the seed of its runs."""

    path: ChangingPath
    seed: int


class Trials:
    """Runs of all lineups of a question."""

    def __init__(self, question: Question, ledger: Ledger, threads: int) -> None:
        self.question = question
        compared = question.objective.comparisons(question.algorithm, question.against)
        self.lineups = list(dict.fromkeys(lineup for pair in compared for lineup in pair))
        self._ledger, self._threads = ledger, threads

    def outcomes(self, trials: Sequence[Trial]) -> list[dict[Lineup, Outcome]]:
        """Return the outcome of each lineup on each path. The result does not depend on the number of threads."""
        new = [each for each in dict.fromkeys(trials) if each not in self._ledger.known]
        for begin in range(0, len(new), AT_ONCE):
            part = new[begin : begin + AT_ONCE]
            of = [(trial, lineup) for trial in part for lineup in self.lineups]
            runs = [(self._edit(trial.path, lineup), trial.seed) for trial, lineup in of]
            finished = run_edits(self._template, runs, TABLES, threads=self._threads)
            found = [self.outcome(trial.path, lineup, run) for (trial, lineup), run in zip(of, finished, strict=True)]
            for place, trial in enumerate(part):
                self._ledger.add(trial, found[place * len(self.lineups) :][: len(self.lineups)])
        return [dict(zip(self.lineups, self._ledger.known[each], strict=True)) for each in trials]

    @property
    def paths(self) -> int:
        """Number of paths that were run, copies included."""
        return len(self._ledger.known)

    def values(self, path: ChangingPath, lineup: Lineup) -> dict[str, Any]:
        """Return the values of the scenario of a path by path, with its flows; without the tested algorithm."""
        return {**self._common, **{key: value for key, value in self._edit(path, lineup).items() if key != "algorithm"}}

    def scenario(self, path: ChangingPath, lineup: Lineup) -> Scenario:
        """Return the scenario of a path."""
        return self._template.with_values(self._edit(path, lineup))

    def canonical(self, path: ChangingPath, lineup: Lineup) -> str:
        """Return the canonical form of the scenario of a path."""
        return self.scenario(path, lineup).to_json()

    def outcome(self, path: ChangingPath, lineup: Lineup, tables: Mapping[str, Table]) -> Outcome:
        """Return the measurements of a run. `tables`: those of `TABLES`."""
        start, end = path.join, self.question.space.duration
        series = tables["series"].columns

        def delivered(flow: int) -> float:
            counts = np.asarray(series[f"flow_{flow}_delivered"], dtype=float)
            first, last = np.interp([start, end], series["time_s"], np.nan_to_num(counts), left=0.0)
            return float(last - first) * _MBIT

        flows = 1 if lineup.incumbent is None else 2
        cross = sum(delivered(flows + 1 + place) for place in range(len(path.cross)))
        left = path.capacity(start, end) - cross
        mine, both = delivered(1), sum(delivered(1 + place) for place in range(flows))
        late = 0.0
        if self.question.objective.has_frames:
            frames = tables["applications"].columns
            late = float(frames["messages_late"][0]) / max(1.0, float(frames["messages"][0]))
        return Outcome(
            used=mine / left if left > 0 else 0.0,
            share=mine / both if both else 0.5,
            delay=float(np.mean(queueing_delay(path, tables["router_traces"]))),
            late=late,
        )

    def _edit(self, path: ChangingPath, lineup: Lineup) -> dict[str, Any]:
        """Return the values of a run above those that all paths share."""
        traced = [1] if lineup.incumbent is None else [1, 2]
        flows = self._flows(path, lineup)
        return {**path.values(), "trace.flows": traced, "flows": flows, "algorithm": lineup.tested}

    @cached_property
    def _template(self) -> Scenario:
        return load_scenario(BASE).with_values(self._common)

    @cached_property
    def _common(self) -> dict[str, Any]:
        """Values that all paths share."""
        return {
            "network.buffer_floor": "1 segment",
            "time.duration": f"{self.question.space.duration:g} s",
            "time.warmup": "0 s",
            "measurement.interval": "100 ms",
            "trace.routers": ["A"],
            "trace.every": "50 ms",
            "impairments.at": [LINK],
        }

    def _flows(self, path: ChangingPath, lineup: Lineup) -> list[dict[str, Any]]:
        flow: dict[str, Any] = {"from": "A", "to": "B", "interface": "1 Gbit/s", "start_within": "20 ms"}
        tested = {**flow, "start": f"{path.join:g} s"} if path.join else dict(flow)
        if self.question.objective.has_frames:
            size = _FRAMES_RATE * self.question.space.rate_limit * 1e6 / 8 / _FRAMES_PER_S
            tested |= {"application": "frames", "frame_rate": _FRAMES_PER_S, "frame_size": f"{size:.0f} B"}
        beside = [] if lineup.incumbent is None else [{**flow, "algorithm": lineup.incumbent}]
        return [tested, *beside, *path.cross_flows()]


def queueing_delay(path: ChangingPath, traces: Table) -> np.ndarray:
    """Return the time that the queue of the link needs at each instant of the traces of routers, s."""
    columns = traces.columns
    here = np.array(columns["router"]) == LINK
    times, queue = np.asarray(columns["time_s"])[here], np.asarray(columns["queue"], dtype=float)[here]
    starts, rates = np.array([(each.start, each.rate) for each in path.phases]).T
    found: np.ndarray = queue * _MBIT / rates[np.searchsorted(starts, times, side="right") - 1]
    return found


class Ledger:
    """Outcomes of a search by trial: in memory, and in a folder if there is one."""

    def __init__(self, question: Question, folder: Path | None) -> None:
        self.known: dict[Trial, list[Outcome]] = {}
        self._file = None if folder is None else places.inside(folder, LEDGER)
        if self._file is None:
            return
        header = {**question.document(), "code_version": core.code_version()}
        if self._file.exists():
            self._read(header)
        else:
            self._file.write_text(json.dumps(header) + "\n", encoding="utf-8")

    def add(self, trial: Trial, outcomes: list[Outcome]) -> None:
        """Keep the outcomes of a trial."""
        self.known[trial] = outcomes
        if self._file is not None:
            line = {**asdict(trial), "outcomes": [asdict(each) for each in outcomes]}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def _read(self, header: dict[str, Any]) -> None:
        """Read the outcomes of the same question; the last line of a process that was killed is cut off."""
        assert self._file is not None
        text = self._file.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        try:
            first, *rest = [json.loads(line) for line in whole.splitlines()] or [header]
            found = {
                Trial(path_of(each["path"]), each["seed"]): [Outcome(**o) for o in each["outcomes"]] for each in rest
            }
        except (ValueError, TypeError, KeyError) as error:
            raise InputError("damaged", file=str(self._file), allowed="another --out") from error
        for key in header:
            if first.get(key) != header[key]:
                problem = f"the folder has another search: {key} = {first.get(key)!r}, not {header[key]!r}"
                raise InputError(problem, path="out", value=str(self._file.parent), allowed="another folder")
        self.known = found
        with self._file.open("r+b") as file:
            file.truncate(len(whole))
            if not whole:
                file.write((json.dumps(header) + "\n").encode())
