"""Answer of a search: the worst path with its confirmation and neighbourhood, in words and as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

import numpy as np

from mesonet import core
from mesonet._version import __version__
from mesonet.adversarial.neighbourhood import Neighbours
from mesonet.adversarial.objective import DUEL_REFERENCE, LEAST, Judged, Lineup
from mesonet.adversarial.path import ChangingPath
from mesonet.adversarial.question import Question
from mesonet.adversarial.search import Way
from mesonet.adversarial.trials import Trials
from mesonet.algorithms import written
from mesonet.words import quantity, span

FOUND, SIMPLEST = "found.toml", "worst.toml"
"""Scenario files of the path as found and of the simplest path."""
CONFIRMING = 11
"""Fresh copies whose median is published."""


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
            return [f"No path found on which {asked.algorithm} performs worse than {names}, in {self.paths:,} paths."]
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

    def lineups(self) -> tuple[Lineup, Lineup]:
        """Return the flows with the algorithm and with the reference of the confirmed path."""
        assert self.worst is not None
        asked = self.question
        return asked.objective.comparisons(asked.algorithm, [self.worst.confirmed.against])[0]

    def commands(self) -> list[str]:
        """Return the commands that repeat a run of the simplest path, with the algorithm and with the reference."""
        return [f"mesonet run {SIMPLEST} --algorithm {quote(written(each.tested))}" for each in self.lineups()]

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
