"""Evolution of a path: one parent, ten children in each generation, each with one to three numbers changed.

Only a child that would be the new parent is repeated on shaken copies and on its phases held still.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mesonet.adversarial.judge import DRAWS, Judge
from mesonet.adversarial.path import ChangingPath
from mesonet.adversarial.space import Genes

CHILDREN = 10
_STRANGERS = 0.1
"""Part of the children that are drawn anew (chosen)."""


@dataclass(frozen=True)
class Way:
    """Result of a search."""

    path: ChangingPath | None  #: worst path; None: no path has harm
    score: float  #: its score, 0 without a path
    steps: tuple[tuple[int, float], ...]  #: evaluations and best score, at each new parent


def search(judge: Judge, told: Callable[[int], None]) -> Way:
    """Return the worst path that was found. `told`: called with the number of evaluations after each generation."""
    space, evaluations = judge.question.space, judge.question.evaluations
    rng = np.random.default_rng([judge.question.seed, DRAWS])
    parent: Genes | None = None
    best, done, candidates, steps = 0.0, 0, 0, []
    while done < evaluations:
        children = []
        for _ in range(min(CHILDREN, evaluations - done)):
            is_stranger = rng.random() < _STRANGERS
            children.append(space.drawn(rng) if parent is None or is_stranger else space.changed(parent, rng))
        scores = judge.alone([space.path(each) for each in children])
        done += len(children)
        for place in np.argsort(scores, kind="stable")[::-1].tolist():
            if scores[place] <= best:
                break
            candidates += 1
            sure = judge.sure(space.path(children[place]), scores[place], candidates)
            if sure > best:
                best, parent = sure, children[place]
                steps.append((done, best))
        told(done)
    return Way(None if parent is None else space.path(parent), best, tuple(steps))
