"""Stages of an evaluation, made in a process of their own: contract, hidden cells, bad paths, a part of a suite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from mesonet.adversarial.judge import Judge
from mesonet.adversarial.question import question
from mesonet.adversarial.search import search
from mesonet.adversarial.trials import Ledger, Trials
from mesonet.algorithms import resolve
from mesonet.conform.bench import Bench
from mesonet.conform.contract import check_contract
from mesonet.conform.contract import scenarios as contract_scenarios
from mesonet.conform.finding import ERROR, FAIL
from mesonet.plugins import (
    interpreted,  # noqa: F401 - a fault imports it, and files are closed then
    library,
)
from mesonet.scoring import sandbox
from mesonet.scoring.cells import INCUMBENT, PARTS, cells
from mesonet.scoring.evidence import Compared, references
from mesonet.simulation import provenance

_EVALUATIONS, _DURATION = 20, "6 s"
"""Paths of the search and their duration (chosen): they cost as much as the cells."""
_SECOND = "tcp"
"""Reference for a candidate that is the incumbent itself."""
_WORST = 0.1
"""Part of the cells that are the worst."""


def warm_up(names: Sequence[str], secret: int) -> None:
    """Read and measure once what the stages of some names need, so that forks of this process need not."""
    if "contract" in names:
        _check(INCUMBENT)()
    if "screen" in names or "adversary" in names:
        for cell in cells(INCUMBENT, 0)[:3]:
            cell.score(cell.prepared())
    if "adversary" in names:
        Judge(_trials(INCUMBENT, 0, 1)).medians([cells(INCUMBENT, 0)[0].trial.path], 1, (0,))
    if "evidence" in names:
        references(INCUMBENT, secret)


def contract(candidate: str, secret: int) -> dict[str, Any]:
    """Return the reason for which the contract refuses the candidate, or nothing."""
    return _closed(_check(resolve(candidate).name), has_threads=True)


def screen(candidate: str, secret: int) -> dict[str, Any]:
    """Return mean and worst score of the hidden cells, and the mean of each part."""
    name = resolve(candidate).name
    prepared = [(cell, cell.prepared()) for cell in cells(name, secret)]

    def run() -> dict[str, Any]:
        found = [cell.score(text) for cell, text in prepared]
        again = next(place for place, (cell, _) in enumerate(prepared) if not cell.is_long)
        if prepared[again][0].score(prepared[again][1]) != found[again]:
            return {
                "refused": "a repeated run gives other numbers: its code has a clock, or memory that belongs to no flow"
            }
        if any(each.is_forged for each in found):
            return {"refused": "delivers more than its path can carry: its code changes numbers of the simulator"}
        scores = sorted(each.score for each in found)
        worst = scores[: max(1, round(_WORST * len(scores)))]
        parts = {part: float(np.mean([asdict(each)[part] for each in found])) for part in PARTS}
        return {"mean": float(np.mean(scores)), "worst": float(np.mean(worst)), "parts": parts}

    return _closed(run)


def adversary(candidate: str, secret: int) -> dict[str, Any]:
    """Return the part that a short search for the worst path leaves of the goodput next to a reference."""
    name = resolve(candidate).name
    trials = _trials(name, secret, _EVALUATIONS)
    space = trials.question.space
    some = space.path(space.drawn(np.random.default_rng(0)))
    for lineup in trials.lineups:
        trials.canonical(some, lineup)  # reads the files that the search needs

    return _closed(lambda: {"kept": 1 - min(1.0, search(Judge(trials), lambda done: None).score)})


def evidence(candidate: str, secret: int) -> dict[str, Any]:
    """Return the comparisons of a small part of a suite with a reference, and the part of the value that remains."""
    name = resolve(candidate).name
    compared = Compared(name, _reference(name), secret)
    return _closed(compared.run)


STAGES = {"contract": contract, "screen": screen, "adversary": adversary, "evidence": evidence}
"""Stages by name, in the order in which they are made."""


def _reference(name: str) -> str:
    return _SECOND if name == INCUMBENT else INCUMBENT


def _check(name: str) -> Callable[[], dict[str, Any]]:
    """Return a function that checks the contract and reads no files."""
    bench = Bench(name)
    for scenario, values in contract_scenarios():
        bench.scenario(scenario, values)

    def run() -> dict[str, Any]:
        for found in check_contract(bench):
            if found.verdict in (FAIL, ERROR):
                return {"refused": f"{found.about.name}: {found.why}"}
        return {}

    return run


def _trials(name: str, secret: int, evaluations: int) -> Trials:
    """Return the trials of the search for the worst path."""
    asked = question(
        name,
        against=(_reference(name),),
        evaluations=evaluations,
        duration=_DURATION,
        seed=int(np.random.default_rng([secret, 1]).integers(2**31)),
    )
    return Trials(asked, Ledger(asked, None), 1)


def _closed(run: Callable[[], dict[str, Any]], *, has_threads: bool = False) -> dict[str, Any]:
    """Return the result of runs with closed system calls, or a refusal if code changes its static variables."""
    opened = library.opened()
    where = sandbox.variables(opened) if opened else []
    before = sandbox.contents(where)
    provenance.measure_nothing()
    sandbox.close_to_run(has_threads=has_threads)
    found = run()
    if sandbox.contents(where) != before:
        return {"refused": "its code changes static variables, which belong to no flow"}
    return found
