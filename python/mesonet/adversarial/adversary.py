"""The search as a whole: worst path, simplest path, confirmation with fresh copies, and neighbourhood."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mesonet import core
from mesonet._version import __version__
from mesonet.adversarial.judge import CONFIRMED, Judge
from mesonet.adversarial.minimise import minimised
from mesonet.adversarial.neighbourhood import Neighbours, neighbourhood
from mesonet.adversarial.objective import DUEL_REFERENCE, LEAST, Judged
from mesonet.adversarial.path import ChangingPath
from mesonet.adversarial.question import AGAINST, DURATION, EVALUATIONS, OBJECTIVE, RATE_LIMIT, Question, question
from mesonet.adversarial.search import Way, search
from mesonet.adversarial.trials import Ledger, Trials
from mesonet.files import places
from mesonet.progress import Progress
from mesonet.simulation.simulate import MOST_THREADS
from mesonet.units import integer
from mesonet.words import quantity, span

CONFIRMING = 11
"""Fresh copies whose median is published."""
_SEARCH_SHARE = 0.4
"""Part of the work that the search is, for the progress bar (measured: .3 to .6)."""


@dataclass(frozen=True)
class Confirmed:
    """Values of a path on fresh copies, which no step of the search has seen."""

    copies: tuple[Judged, ...]
    still: float  #: worst score of the phases held still

    @property
    def score(self) -> float:
        """Median score, less the harm of phases held still."""
        return float(np.median([each.score for each in self.copies])) - self.still

    def median(self, side: str) -> float:
        """Return the median value of the objective. `side`: ``tested`` or ``reference``."""
        return float(np.median([getattr(each, side) for each in self.copies]))

    def ends(self, side: str) -> tuple[float, float]:
        """Return the smallest and the largest value. `side`: as of `median`."""
        values = [getattr(each, side) for each in self.copies]
        return min(values), max(values)

    @property
    def holds(self) -> bool:
        """True if the fresh copies have the harm."""
        return self.score >= LEAST

    @property
    def against(self) -> str:
        """Reference of most copies."""
        names = [each.against for each in self.copies]
        return max(dict.fromkeys(names), key=names.count)


@dataclass(frozen=True)
class Worst:
    """Path that a search has found."""

    found: ChangingPath  #: as found
    simplest: ChangingPath  #: with fewer and rounder numbers
    confirmed: Confirmed  #: of the simplest path
    neighbours: tuple[Neighbours, ...]  #: of the simplest path


@dataclass(frozen=True)
class Adversary:
    """Answer to a question: the worst path, or that there is none."""

    question: Question
    way: Way  #: way of the search
    paths: int  #: paths that were run, copies included
    worst: Worst | None  #: None: no path has harm
    trials: Trials

    def sentences(self) -> list[str]:
        """Return the answer in words."""
        asked = self.question
        names = " or ".join(asked.against)
        if self.worst is None:
            return [f"No path found on which {asked.algorithm} does worse than {names}, in {self.paths:,} paths."]
        about, known = asked.objective, self.worst.confirmed
        tested, reference = (
            f"{quantity(known.median(side), about.unit)} ({span(*known.ends(side), about.unit)})"
            for side in ("tested", "reference")
        )
        other = f"with {DUEL_REFERENCE} in its place" if about.is_duel else f"{known.against} has"
        against = f" against {known.against}" if about.is_duel else ""
        doubt = [] if known.holds else ["Not confirmed: fresh copies of the path do not have the harm."]
        return [
            *doubt,
            f"{asked.algorithm}{against}: {about.title} {tested}; {other} {reference}.",
            f"Path: {self.worst.simplest.words()}.",
            f"Medians and ranges of {CONFIRMING} fresh copies; {self.paths:,} paths were run.",
        ]

    def document(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        worst = None
        if self.worst is not None:
            known = self.worst.confirmed
            worst = {
                "found": self.worst.found.document(),
                "simplest": self.worst.simplest.document(),
                "score": known.score,
                "confirmed": known.holds,
                "still": known.still,
                "against": known.against,
                **{side: {"median": known.median(side), "range": known.ends(side)} for side in ("tested", "reference")},
                "copies": [asdict(each) for each in known.copies],
                "neighbours": [
                    {**asdict(each), "holds": each.holds, "sentence": each.sentence(self.worst.simplest)}
                    for each in self.worst.neighbours
                ],
            }
        return {
            **self.question.document(),
            "unit": self.question.objective.unit,
            "paths": self.paths,
            "steps": [{"evaluations": number, "score": score} for number, score in self.way.steps],
            "worst": worst,
            "sentences": self.sentences(),
            "command": self.question.command(),
            "mesonet": __version__,
            "code_version": core.code_version(),
        }


def answered(
    asked: Question, folder: Path | None = None, *, threads: int | None = None, progress: bool = True
) -> Adversary:
    """Search for the worst path of a question, and write the answer if there is a folder."""
    from mesonet.adversarial.files import write

    number = integer(threads if threads is not None else os.cpu_count() or 1, "threads", 1, MOST_THREADS)
    if folder is not None:
        with places.folder(folder):
            pass
    trials = Trials(asked, Ledger(asked, folder), number)
    judge = Judge(trials)
    with Progress(f"adversary {asked.algorithm}", enabled=progress) as bar:
        way = search(judge, lambda done: bar.update(_SEARCH_SHARE * done / asked.evaluations, 1.0))
        worst = None
        if way.path is not None and way.score >= LEAST:
            simplest = minimised(judge, way.path)
            bar.update(0.8, 1.0)
            copies = tuple(judge.judged(judge.copies(simplest, CONFIRMING, (CONFIRMED,))))
            confirmed = Confirmed(copies, judge.still([simplest])[0])
            neighbours = neighbourhood(judge, simplest) if confirmed.holds else ()
            worst = Worst(way.path, simplest, confirmed, tuple(neighbours))
    answer = Adversary(asked, way, trials.paths, worst, trials)
    if folder is not None:
        write(answer, folder)
    return answer


def adversary(
    algorithm: str,
    *,
    against: Sequence[str] = AGAINST,
    objective: str = OBJECTIVE,
    space: Sequence[str] | None = None,
    evaluations: int = EVALUATIONS,
    seed: int = 1,
    duration: str = DURATION,
    rate_limit: str = RATE_LIMIT,
    out: str | Path | None = None,
    threads: int | None = None,
    progress: bool = True,
) -> Adversary:
    """Search for the path that changes in time on which an algorithm does worst. See ``docs/how-to/worst-path.md``.

    Parameters
    ----------
    algorithm
        The algorithm, a variant, or the file of a plug-in.
    against
        References; with the objectives ``starves`` and ``starved`` incumbents.
    objective
        ``utilisation``, ``delay``, ``starves``, ``starved`` or ``frames``.
    space
        Parts of the path that vary: ``rate``, ``delay``, ``buffer``, ``loss``, ``outage``, ``cross``, ``join``; by
        default all that matter for the objective.
    evaluations
        Paths that the search looks at, copies not included, at least 1.
    seed
        Names the random numbers of the search, at least 0.
    duration
        Simulated time of a run, 1 s to 600 s.
    rate_limit
        Fastest rate of the link, 0.1 to 1000 Mbit/s.
    out
        Folder for the answer; an interrupted search continues from it. None: nothing is written.
    threads
        Runs at a time, 1 to 256; by default the number of processors. The answer does not depend on it.
    progress
        Show the progress on a terminal.

    Returns
    -------
    The answer: ``worst`` has the path as ``found`` and at its ``simplest``, ``confirmed`` on fresh copies, and its
    ``neighbours``; None if no path has harm. ``sentences()`` and ``document()`` are the answer as text and as data.

    Raises
    ------
    InputError
        If a value is not allowed, or the folder has another search.
    """
    asked = question(
        algorithm,
        against=against,
        objective=objective,
        space=space,
        evaluations=evaluations,
        seed=seed,
        duration=duration,
        rate_limit=rate_limit,
    )
    return answered(asked, None if out is None else Path(out), threads=threads, progress=progress)
