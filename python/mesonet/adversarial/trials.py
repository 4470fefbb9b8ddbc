"""Runs of flows on paths, and the file that keeps their outcomes: an interrupted search continues from it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import core
from mesonet.adversarial.objective import Lineup, Outcome
from mesonet.adversarial.path import LINK, ChangingPath, path_of
from mesonet.adversarial.question import Question
from mesonet.errors import InputError
from mesonet.files import places
from mesonet.scenarios.canonical import plain
from mesonet.scenarios.scenario import Scenario, load_scenario
from mesonet.simulation.result import Result
from mesonet.simulation.simulate import simulate_json
from mesonet.units import SEGMENT_BYTES

BASE = "bottleneck"
"""Built-in scenario that each path changes."""
LEDGER = "evaluations.jsonl"
"""File of the outcomes: a line with the question, then a line for each path and seed."""
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
        self._tree = cache(self._template_tree)

    def outcomes(self, trials: Sequence[Trial]) -> list[dict[Lineup, Outcome]]:
        """Return the outcome of each lineup on each path. The result does not depend on the number of threads."""
        new = [each for each in dict.fromkeys(trials) if each not in self._ledger.known]
        with nullcontext() if self._threads == 1 else ThreadPoolExecutor(self._threads) as pool:
            for trial, found in zip(new, (pool.map if pool else map)(self._run, new), strict=True):
                self._ledger.add(trial, found)
        return [dict(zip(self.lineups, self._ledger.known[each], strict=True)) for each in trials]

    @property
    def paths(self) -> int:
        """Number of paths that were run, copies included."""
        return len(self._ledger.known)

    def values(self, path: ChangingPath, lineup: Lineup) -> dict[str, Any]:
        """Return the values of the scenario of a path by path, with its flows; without the tested algorithm."""
        return {**self._common(lineup), **path.values(), "flows": self._flows(path, lineup)}

    def scenario(self, path: ChangingPath, lineup: Lineup) -> Scenario:
        """Return the scenario of a path."""
        return load_scenario(BASE).with_values({**self.values(path, lineup), "algorithm": lineup.tested})

    def outcome(self, path: ChangingPath, lineup: Lineup, result: Result) -> Outcome:
        """Return the measurements of a run."""
        start, end = path.join, self.question.space.duration
        series = result.series.columns

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
            table = result.applications.columns
            late = float(table["messages_late"][0]) / max(1.0, float(table["messages"][0]))
        return Outcome(
            used=mine / left if left > 0 else 0.0,
            share=mine / both if both else 0.5,
            delay=float(np.mean(queueing_delay(path, result))),
            late=late,
        )

    def _run(self, trial: Trial) -> list[Outcome]:
        found = []
        for lineup in self.lineups:
            result = simulate_json(self.canonical(trial.path, lineup), trial.seed)
            found.append(self.outcome(trial.path, lineup, result))
        return found

    def canonical(self, path: ChangingPath, lineup: Lineup) -> str:
        """Return the canonical form of the scenario of a path: only what the path sets is read again."""
        template, tree = self._tree(lineup)
        given = {**path.values(), "flows": self._flows(path, lineup)}
        changed = template.with_values(given)
        found = dict(tree)
        for path_of_value in given:
            section, _, name = path_of_value.rpartition(".")
            value = plain(changed.value(path_of_value))
            if section:
                found[section] = {**found[section], name: value}
            else:
                found[name] = value
        return json.dumps(found)

    def _template_tree(self, lineup: Lineup) -> tuple[Scenario, dict[str, Any]]:
        still = ChangingPath(40.0, 100.0, phases=(), join=0.0)
        values = {**self._common(lineup), "flows": self._flows(still, lineup), "algorithm": lineup.tested}
        template = load_scenario(BASE).with_values(values)
        return template, template.canonical()

    def _common(self, lineup: Lineup) -> dict[str, Any]:
        """Return the values that all paths share."""
        return {
            "network.buffer_floor": "1 segment",
            "time.duration": f"{self.question.space.duration:g} s",
            "time.warmup": "0 s",
            "measurement.interval": "100 ms",
            "trace.flows": [1] if lineup.incumbent is None else [1, 2],
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


def queueing_delay(path: ChangingPath, result: Result) -> np.ndarray:
    """Return the time that the queue of the link needs at each traced instant, s."""
    columns = result.router_traces.columns
    here = np.array(columns["router"]) == LINK
    times, queue = np.asarray(columns["time_s"])[here], np.asarray(columns["queue"], dtype=float)[here]
    found: np.ndarray = queue * _MBIT / np.array([path.at(time).rate for time in times.tolist()])
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
