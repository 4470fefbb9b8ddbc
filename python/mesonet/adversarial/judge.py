"""Scores of paths: on the path itself, on shaken copies, and on each of its phases held still."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mesonet.adversarial.objective import Judged
from mesonet.adversarial.path import ChangingPath
from mesonet.adversarial.space import shaken
from mesonet.adversarial.trials import Trial, Trials

COPIES = 5
"""Copies of a path on the way of a search."""
DRAWS, SEARCH, SIMPLEST, NEIGHBOURS, CONFIRMED = range(5)
"""Stages, which name random numbers."""
_OWN_SEED = 1


class Judge:
    """Scores of the paths of a question."""

    def __init__(self, trials: Trials) -> None:
        self.trials, self.question = trials, trials.question
        self._compared = self.question.objective.comparisons(self.question.algorithm, self.question.against)

    def judged(self, trials: Sequence[Trial]) -> list[Judged]:
        """Return the comparison with the reference that shows most harm, for each trial."""
        names = self.question.against
        return [
            max(
                (
                    self.question.objective.judged(name, found[tested], found[reference])
                    for name, (tested, reference) in zip(names, self._compared, strict=True)
                ),
                key=lambda each: each.score,
            )
            for found in self.trials.outcomes(trials)
        ]

    def alone(self, paths: Sequence[ChangingPath]) -> list[float]:
        """Return the score of each path itself."""
        return [each.score for each in self.judged([Trial(path, _OWN_SEED) for path in paths])]

    def still(self, paths: Sequence[ChangingPath]) -> list[float]:
        """Return the worst score of the phases of each path held still: harm that no change causes; at least 0."""
        phases = [path.still() for path in paths]
        scores = iter(self.alone([each for part in phases for each in part]))
        return [max(0.0, *(next(scores) for _ in part)) for part in phases]

    def sure(self, path: ChangingPath, alone: float, candidate: int) -> float:
        """Return the score of a path that luck does not raise: of path or copies, less the harm of phases.

        `candidate`: number of the candidate. Each has other copies, so that a search cannot adapt to them.
        """
        return min(alone, *self.medians([path], COPIES, (SEARCH, candidate))) if alone > 0 else alone

    def medians(self, paths: Sequence[ChangingPath], copies: int, stage: Sequence[int]) -> list[float]:
        """Return the median score over copies of each path, less the harm of its phases.

        `stage`: names the random numbers of the copies. Paths of a stage have equal ones.
        """
        trials = [trial for path in paths for trial in self.copies(path, copies, stage)]
        scores = np.array([each.score for each in self.judged(trials)]).reshape(len(paths), copies)
        return [float(each) for each in np.median(scores, axis=1) - self.still(paths)]

    def copies(self, path: ChangingPath, number: int, stage: Sequence[int]) -> list[Trial]:
        """Return trials of copies of a path, each with a seed of its own."""
        found = []
        for copy in range(number):
            rng = np.random.default_rng([self.question.seed, *stage, copy])
            found.append(Trial(shaken(path, self.question.space.duration, rng), int(rng.integers(2**31))))
        return found
