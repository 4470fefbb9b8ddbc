"""Stages of an evaluation, made in a process of their own: contract, hidden cells, a search for bad paths."""

from __future__ import annotations

from collections.abc import Callable
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
from mesonet.conform.finding import ERROR, FAIL
from mesonet.plugins import library
from mesonet.scoring import sandbox
from mesonet.scoring.cells import INCUMBENT, cells
from mesonet.simulation import provenance

_EVALUATIONS, _DURATION = 20, "6 s"
"""Paths of the search and their duration (chosen): they cost as much as the cells."""
_SECOND = "tcp"
"""Reference of the search for a candidate that is the incumbent itself."""
_WORST = 0.1
"""Part of the cells that are the worst."""


def warm_up() -> None:
    """Read once what each stage needs, so that forks of this process need not."""
    for cell in cells(INCUMBENT, 0)[:3]:
        cell.score(cell.prepared())
    judge = Judge(_trials(INCUMBENT, 0, 1))
    judge.medians([cells(INCUMBENT, 0)[0].trial.path], 1, (0,))


def contract(candidate: str, secret: int) -> dict[str, Any]:
    """Return the reason for which the contract refuses the candidate, or nothing."""
    for found in check_contract(Bench(resolve(candidate).name)):
        if found.verdict in (FAIL, ERROR):
            return {"refused": f"{found.about.name}: {found.why}"}
    return {}


def screen(candidate: str, secret: int) -> dict[str, Any]:
    """Return mean and worst score of the hidden cells, and the mean of each part."""
    name = resolve(candidate).name
    prepared = [(cell, cell.prepared()) for cell in cells(name, secret)]

    def run() -> dict[str, Any]:
        found = [cell.score(text) for cell, text in prepared]
        scores = sorted(each.score for each in found)
        worst = scores[: max(1, round(_WORST * len(scores)))]
        parts = {part: float(np.mean([asdict(each)[part] for each in found])) for part in asdict(found[0])}
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


STAGES = {"contract": contract, "screen": screen, "adversary": adversary}
"""Stages by name, in the order in which they are made."""


def _trials(name: str, secret: int, evaluations: int) -> Trials:
    """Return the trials of the search for the worst path."""
    asked = question(
        name,
        against=(_SECOND if name == INCUMBENT else INCUMBENT,),
        evaluations=evaluations,
        duration=_DURATION,
        seed=int(np.random.default_rng([secret, 1]).integers(2**31)),
    )
    return Trials(asked, Ledger(asked, None), 1)


def _closed(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the result of runs with closed system calls, or a refusal if code changes its static variables."""
    opened = library.opened()
    where = sandbox.variables(opened) if opened else []
    before = sandbox.contents(where)
    provenance.open_no_files()
    sandbox.close_system()
    found = run()
    if sandbox.contents(where) != before:
        return {"refused": "its code changes static variables: memory that no flow owns"}
    return found
