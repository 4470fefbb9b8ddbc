"""Neighbourhood of a path: each of its numbers over a range, while the others stay."""

from __future__ import annotations

from dataclasses import dataclass

from mesonet.adversarial.judge import NEIGHBOURS, Judge
from mesonet.adversarial.path import ChangingPath, is_rate, title
from mesonet.words import capitalised, number, quantity

_FACTORS = (0.25, 0.35, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 2.0, 2.8, 4.0)
"""Values of a number, as multiples of its own (chosen)."""
_COPIES = 3
KEPT = 0.5
"""Part of the score down to which the harm holds (chosen)."""


@dataclass(frozen=True)
class Neighbours:
    """Score of a path by one of its numbers."""

    name: str  #: the number, such as ``phases[1].delay``
    value: float  #: its value in the path
    values: tuple[float, ...]  #: values, ascending
    scores: tuple[float, ...]  #: median score at each

    @property
    def holds(self) -> tuple[float, float]:
        """Smallest and largest value around that of the path with at least half of its score."""
        enough = KEPT * self.scores[self.values.index(self.value)]
        first = last = self.values.index(self.value)
        while first > 0 and self.scores[first - 1] >= enough:
            first -= 1
        while last + 1 < len(self.values) and self.scores[last + 1] >= enough:
            last += 1
        return self.values[first], self.values[last]

    def sentence(self, path: ChangingPath) -> str:
        """Return the range in which the harm holds, in words. `path`: the path."""
        words, unit = title(self.name)
        low, high = (quantity(each, unit) for each in self.holds)
        begins, ends = self.holds[0] > self.values[0], self.holds[1] < self.values[-1]
        if low == high:
            where = f"at {low} only"
        elif begins and ends:
            where = f"from {low} to {high}"
        elif begins:
            where = f"from {low} on"
        else:
            where = f"up to {high}" if ends else f"at all values from {low} to {high}"
        if self.name.endswith(".delay"):
            least, most = (number(1 + each / path.round_trip, 2) for each in self.holds)
            where += f", a round trip of {least} to {most} times the smallest"
        return f"{capitalised(words)}: holds {where}."


def neighbourhood(judge: Judge, path: ChangingPath) -> list[Neighbours]:
    """Return the scores around a path for each of its numbers that can vary."""
    ranges = {name: _around(judge, path, name, value) for name, value in path.numbers().items()}
    paths = [path.with_number(name, value) for name, values in ranges.items() for value in values]
    scores = iter(judge.medians(paths, _COPIES, (NEIGHBOURS,)) if paths else [])
    own = path.numbers()
    return [
        Neighbours(name, own[name], tuple(values), tuple(next(scores) for _ in values))
        for name, values in ranges.items()
    ]


def _around(judge: Judge, path: ChangingPath, name: str, value: float) -> list[float]:
    """Return the values of a number that make a path within the duration of a run; its own is one of them."""
    space = judge.question.space
    is_loss = name.startswith("losses[") and name.endswith(".value")
    most = space.rate_limit if is_rate(name) else 1.0 if is_loss else float("inf")
    found = [value if factor == 1 else float(f"{value * factor:.3g}") for factor in _FACTORS]
    return [
        each
        for each in dict.fromkeys(found)
        if each == value or (each <= most and path.with_number(name, each).is_ordered(space.duration))
    ]
