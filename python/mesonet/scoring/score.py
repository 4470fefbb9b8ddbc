"""Scores of a batch of candidates, from the outside: the process that makes them, and its results."""

from __future__ import annotations

import json
import secrets
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from mesonet import processes
from mesonet.errors import Broken, InputError, unknown
from mesonet.progress import Progress
from mesonet.scoring.stages import STAGES
from mesonet.simulation.simulate import LARGEST_SEED
from mesonet.units import integer

TIME_LIMIT_S, MEMORY_LIMIT = 20.0, 2**30
"""Most processor time of a stage and most further memory of its process (chosen): ten times what CUBIC needs."""
_MOST_S = 86_400.0
_KEPT = ("PATH", "HOME", "XDG_CACHE_HOME", "PYTHONPATH", "CC", "CXX", "ZIG")
"""Variables of the environment that the process has."""


@dataclass(frozen=True)
class Score:
    """Score of a candidate.

    Attributes
    ----------
    candidate
        The candidate as it was given.
    refused
        Reason for a score of 0; None: it passed.
    mean
        Mean score of the hidden cells, 0 to 1; None: not measured.
    worst
        Mean score of their worst tenth, 0 to 1; None: not measured.
    kept
        Part of the goodput that a search for the worst path leaves, next to a reference, 0 to 1; None: not measured.
    harmless
        Part of the value for users that a small part of the suite of RFC 9743 finds kept, 0 to 1; None: not measured.
    parts
        Means of ``fill``, ``fairness``, ``delay`` and ``loss`` over the cells, each 0 to 1.
    evidence
        Comparisons behind ``harmless``: criterion, cell, measure, both means, harm with its interval, and verdict.
    cpu_s
        Processor time of all stages, s.
    """

    candidate: str
    refused: str | None = None
    mean: float | None = None
    worst: float | None = None
    kept: float | None = None
    harmless: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    cpu_s: float = 0.0

    @property
    def score(self) -> float:
        """Return the mean of ``mean``, ``worst``, ``kept`` and ``harmless``, as far as measured; 0 if refused."""
        found = [each for each in (self.mean, self.worst, self.kept, self.harmless) if each is not None]
        return 0.0 if self.refused else float(np.mean(found)) if found else 1.0

    def document(self) -> dict[str, Any]:
        """Return the score as plain data.

        Returns
        -------
        ``score``, and the attributes by name.
        """
        return {"score": self.score, **asdict(self)}


def score(
    candidates: Sequence[str],
    *,
    secret_seed: int | None = None,
    stages: Sequence[str] = tuple(STAGES),
    time_limit: float = TIME_LIMIT_S,
    memory_limit: int = MEMORY_LIMIT,
    progress: bool = True,
) -> list[Score]:
    """Return the scores of congestion controls, each evaluated in processes of its own. See ``docs/how-to/score.md``.

    Parameters
    ----------
    candidates
        Algorithms, variants, or files of plug-ins, such as ``aimd.c`` or ``aimd.c(increase=2)``.
    secret_seed
        Draws the hidden cells, which all candidates share, at least 0. None: a new one, which nothing shows.
    stages
        Some of ``contract``, ``screen``, ``adversary`` and ``evidence``. A candidate that one refuses skips the others.
    time_limit
        Most processor time of a stage, above 0 s.
    memory_limit
        Most memory that a stage may add to its process, bytes, at least 1.
    progress
        Show the progress on a terminal.

    Returns
    -------
    The score of each candidate, in their order.

    Raises
    ------
    InputError
        If a value is not allowed.
    """
    if not candidates:
        raise InputError("there is none", path="candidates", allowed="at least one")
    if not stages:
        raise InputError("there is none", path="stages", allowed=", ".join(STAGES))
    for each in stages:
        if each not in STAGES:
            raise unknown("stage", each, STAGES, path="stages")
    if not 0 < time_limit <= _MOST_S:
        raise InputError("out of range", path="time_limit", value=time_limit, allowed=f"above 0 to {_MOST_S:g} s")
    job = {
        "candidates": list(candidates),
        "stages": [each for each in STAGES if each in stages],
        "secret": integer(secrets.randbits(62) if secret_seed is None else secret_seed, "secret_seed", 0, LARGEST_SEED),
        "cpu_s": time_limit,
        "memory": integer(memory_limit, "memory_limit", 1, 2**62),
    }
    found: list[Score] = []
    with Progress("score", enabled=progress) as bar, _started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(job))
        process.stdin.close()
        for candidate, line in zip(candidates, process.stdout, strict=False):
            found.append(Score(candidate, **json.loads(line)))
            bar.update(len(found), len(candidates))
    if len(found) < len(candidates):
        raise Broken(f"the process of the scores ended with exit code {process.returncode}")
    return found


def _started() -> subprocess.Popen[str]:
    environment = {name: value for name, value in processes.environment().items() if name in _KEPT}
    command = processes.python("mesonet.scoring.worker")
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
