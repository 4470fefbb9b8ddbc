"""Question that a search answers, from what a user gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any, TypedDict, Unpack

from mesonet import algorithms, core
from mesonet.adversarial.objective import DUEL_REFERENCE, Objective, objective_of
from mesonet.adversarial.space import Space
from mesonet.errors import InputError
from mesonet.simulation.simulate import LARGEST_SEED
from mesonet.units import RATE, SEGMENT_BYTES, TIME, integer

AGAINST = ("cubic", "bbr")
OBJECTIVE = "utilisation"
EVALUATIONS = 500
DURATION = "10 s"
RATE_LIMIT = "20 Mbit/s"
_MOST_EVALUATIONS = 1_000_000
_DURATIONS_S = (1.0, 600.0)
_RATES_MBIT = (0.1, 1000.0)


@dataclass(frozen=True)
class Question:
    """Search for the worst path of one algorithm."""

    algorithm: str  #: canonical name of an algorithm or a variant
    against: tuple[str, ...]  #: references; of a duel, incumbents
    objective: Objective
    space: Space
    evaluations: int  #: paths that the search looks at, without copies
    seed: int  #: names the random numbers of the search

    def document(self) -> dict[str, Any]:
        """Return the question as plain data."""
        return {
            "algorithm": self.algorithm,
            "against": list(self.against),
            "objective": self.objective.name,
            "space": list(self.space.dimensions),
            "duration_s": self.space.duration,
            "rate_limit_mbps": self.space.rate_limit,
            "evaluations": self.evaluations,
            "seed": self.seed,
        }

    def command(self) -> str:
        """Return the command that searches again."""
        space = self.space
        against = ",".join(map(algorithms.written, self.against))
        return (
            f"mesonet adversary {quote(algorithms.written(self.algorithm))} --against {quote(against)} "
            f"--objective {self.objective.name} --space {','.join(space.dimensions)} "
            f"--duration '{space.duration:g} s' --rate-limit '{space.rate_limit:g} Mbit/s' "
            f"--evaluations {self.evaluations} --seed {self.seed}"
        )


class Asked(TypedDict, total=False):
    """Parts of a question with defaults; `mesonet.adversary` has their meanings."""

    against: Sequence[str]
    objective: str
    space: Sequence[str] | None
    evaluations: int
    seed: int
    duration: str
    rate_limit: str


def question(algorithm: str, **asked: Unpack[Asked]) -> Question:
    """Return the question that a user has, with names resolved."""
    duration, rate_limit = asked.get("duration", DURATION), asked.get("rate_limit", RATE_LIMIT)
    against = asked.get("against", AGAINST)
    about = objective_of(asked.get("objective", OBJECTIVE))
    tested = _resolved(algorithm, "ALGORITHM")
    references = tuple(dict.fromkeys(_resolved(each, "against") for each in against))
    if not references:
        raise InputError("empty", path="against", allowed=", ".join(core.algorithms()))
    if about.is_duel and tested == DUEL_REFERENCE:
        problem = f"the objective {about.name} compares with {DUEL_REFERENCE} in the same place"
        raise InputError(problem, path="ALGORITHM", value=algorithm, allowed="another algorithm")
    return Question(
        algorithm=tested,
        against=references,
        objective=about,
        space=Space(
            dimensions=about.dimensions(asked.get("space")),
            duration=_within("duration", duration, TIME.parse, _DURATIONS_S, "s"),
            rate_limit=_within("rate_limit", rate_limit, _mbit, _RATES_MBIT, "Mbit/s"),
        ),
        evaluations=integer(asked.get("evaluations", EVALUATIONS), "evaluations", 1, _MOST_EVALUATIONS),
        seed=integer(asked.get("seed", 1), "seed", 0, LARGEST_SEED),
    )


def _resolved(name: str, path: str) -> str:
    try:
        return algorithms.resolve(name).name
    except InputError as error:
        raise error.located(path=path) from None


def _mbit(text: str) -> float:
    return RATE.parse(text, RATE_LIMIT) * SEGMENT_BYTES * 8 / 1e6


def _within(path: str, given: str, parse: Callable[[str], float], ends: tuple[float, float], unit: str) -> float:
    low, high = ends
    try:
        number = parse(given)
    except InputError as error:
        raise error.located(path=path) from None
    if not low <= number <= high:
        raise InputError("out of range", path=path, value=given, allowed=f"{low:g} to {high:g} {unit}")
    return round(number, 9)
