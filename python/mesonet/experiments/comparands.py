"""Comparands: which runs of an experiment stand on the two sides of a comparison.

A comparison is text such as ``bbr3 : cubic``, ``share=0.3 : share=0`` or ``bbr3, X1=40 seg/ms : cubic, X1=80 seg/ms``.
A side names an algorithm, levels of factors, or both. A side without an algorithm takes each algorithm in turn, and a
factor that no side names has equal levels on both sides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet import units
from mesonet.algorithms import among, split
from mesonet.designs.factor import Factor
from mesonet.designs.grid import level_at
from mesonet.errors import InputError, unknown
from mesonet.experiments.mixed import SHARE, is_share
from mesonet.scenarios import settings
from mesonet.scenarios.kinds.mix import parse_share

Places = NDArray[np.intp]

EXAMPLE = '"bbr3 : cubic" or "share=0.3 : share=0"'


@dataclass(frozen=True)
class Comparand:
    """Side of a comparison, as its text names it."""

    text: str
    algorithm: str | None  #: None: each algorithm, the same on both sides
    levels: Mapping[str, int]  #: number of the level, from 0, by id of the factor


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two scenarios in the conditions in which they can be compared."""

    name: str  #: such as ``bbr3``, or ``share = 30 % (bbr3)``
    against: str  #: such as ``cubic``, or ``share = 0 %``
    algorithms: tuple[str, str]
    conditions: tuple[Places, Places]  #: places from 0, a pair for each place
    factors: tuple[str, ...]  #: factors whose levels both sides share
    levels: NDArray[np.object_]  #: their levels as text, shape (pairs, factors)


@dataclass(frozen=True, eq=False)
class Choices:
    """The algorithms, factors and conditions of an experiment, from which comparands choose."""

    algorithms: Sequence[str]
    factors: Sequence[Factor]
    matrix: NDArray[np.float64] = field(repr=False)  #: places of the conditions, -1 to 1
    sampled: bool = False  #: True if conditions lie between the levels, so that no two share one

    def comparison(self, text: str) -> tuple[Comparand, Comparand]:
        """Return both sides of a comparison."""
        sides = re.split(r"\s+:\s+", text.strip()) if isinstance(text, str) else []
        if len(sides) == 1:
            sides = text.split(":")
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise InputError("not two sides", value=text, allowed=f"such as {EXAMPLE}")
        one, other = (self.comparand(side) for side in sides)
        if set(one.levels) != set(other.levels):
            lone = next(iter(set(one.levels) ^ set(other.levels)))
            raise InputError(f"only one side has a level of {lone}", value=text, allowed=f"such as {EXAMPLE}")
        if (one.algorithm is None) != (other.algorithm is None):
            raise InputError("only one side names an algorithm", value=text, allowed=f"such as {EXAMPLE}")
        if (one.algorithm, dict(one.levels)) == (other.algorithm, dict(other.levels)):
            raise InputError("both sides are the same", value=text, allowed=f"such as {EXAMPLE}")
        return one, other

    def comparand(self, text: str) -> Comparand:
        """Return one side: algorithm and levels."""
        text = text.strip()
        if (whole := among(text, self.algorithms)) in self.algorithms:
            return Comparand(text, whole, {})
        algorithm, levels = None, {}
        for item in self._items(text):
            name, equals, value = (part.strip() for part in item.partition("="))
            if equals and (factor := self._factor(name)):
                if factor.id in levels:
                    raise InputError("a factor is named twice", path=factor.id, value=text, allowed="each factor once")
                levels[factor.id] = self._level(factor, value)
            elif (found := among(item, self.algorithms)) in self.algorithms and algorithm is None:
                algorithm = found
            elif equals and re.fullmatch(r"[\w.]+", name):
                raise unknown("factor", name, [factor.id for factor in self.factors])
            else:
                raise unknown("algorithm", item, self.algorithms)
        return Comparand(text, algorithm, levels)

    def pairs(self, one: Comparand, other: Comparand) -> list[Pairs]:
        """Return the pairs of scenarios of a comparison: one, or one for each algorithm."""
        named = [(one.algorithm, other.algorithm)] if one.algorithm else [(each, each) for each in self.algorithms]
        own, against = (self._levels_text(side) for side in (one, other))
        found = []
        for left, right in named:
            alone = left == right
            title, opposite = (
                (own, against) if alone else (", ".join(filter(None, (left, own))), _joined(right, against))
            )
            mixed = any(is_share(path) for factor in self.factors for path in factor.paths)
            if alone and (mixed or len(self.algorithms) > 1):
                title += f" ({left})"
            found.append(self._pairs(title, opposite, (str(left), str(right)), one.levels, other.levels))
        return found

    def against(self, reference: str) -> list[Pairs]:
        """Return each other algorithm against one of them, in the same conditions."""
        return [
            self._pairs(name, reference, (name, reference), {}, {}) for name in self.algorithms if name != reference
        ]

    def against_level(self, text: str) -> list[Pairs]:
        """Return each other level of a factor against one, such as ``share=0``, for each algorithm."""
        reference = self.comparand(text)
        if reference.algorithm is not None or len(reference.levels) != 1:
            allowed = "an algorithm, one level such as share=0, or the folder of a campaign"
            raise InputError("neither an algorithm nor a level", value=text, allowed=allowed)
        ((id, number),) = reference.levels.items()
        factor = next(each for each in self.factors if each.id == id)
        found = []
        for place in range(len(factor.levels)):
            if place != number:
                found += self.pairs(Comparand("", None, {id: place}), reference)
        return found

    def no_deployment(self) -> str | None:
        """Return the level at which nothing is deployed, such as ``x=0``: share 0, or a single algorithm in a mix."""
        for factor in self.factors:
            for text in factor.levels:
                if SHARE in factor.paths and text == "0":
                    return f"{factor.id}={text}"
            if factor.path == "algorithms":
                alone = [text for text in factor.levels if len(settings.parse("algorithms", text)) == 1]
                if len(alone) == 1:
                    return f"{factor.id}={alone[0]}"
        return None

    def two_levels(self) -> str:
        """Return a comparison of two levels, such as ``X1=2 : X1=1``; empty if no two conditions have it."""
        for factor in self.factors:
            text = f"{factor.id}={factor.plus} : {factor.id}={factor.minus}"
            with suppress(InputError):
                self.pairs(*self.comparison(text))
                return text
        return ""

    def _pairs(
        self, name: str, against: str, algorithms: tuple[str, str], one: Mapping[str, int], other: Mapping[str, int]
    ) -> Pairs:
        numbers = self._numbers
        varied = [place for place, factor in enumerate(self.factors) if factor.id in one]
        shared = [place for place, factor in enumerate(self.factors) if factor.id not in one]
        rows: list[tuple[int, int]] = []
        if not varied:
            rows = [(place, place) for place in range(len(self.matrix))]
        else:
            if self.sampled:
                problem = "no two conditions differ in one factor alone: the design is a sample"
                raise InputError(problem, value=f"{name} : {against}", allowed="algorithms")
            ends = [[levels[self.factors[place].id] for place in varied] for levels in (one, other)]
            left = {tuple(row[shared]): at for at, row in enumerate(numbers) if row[varied].tolist() == ends[0]}
            right = {tuple(row[shared]): at for at, row in enumerate(numbers) if row[varied].tolist() == ends[1]}
            rows = sorted((left[key], right[key]) for key in left if key in right)
            if not rows:
                problem = f"no two conditions differ in {', '.join(one)} alone: the design is a fraction"
                allowed = "a full factorial or a grid in these factors, or the effects of the report"
                raise InputError(problem, value=f"{name} : {against}", allowed=allowed)
        chosen = np.array(rows, dtype=np.intp).reshape(-1, 2)
        texts = np.empty((len(rows), len(shared)), dtype=object)
        for column, place in enumerate(shared):
            of_factor = self.factors[place].levels
            between = bool(np.isnan(numbers[:, place]).any())
            for row, (at, _) in enumerate(rows):
                x = self.matrix[at, place]
                texts[row, column] = half(x) if between else of_factor[int(numbers[at, place])]
        ids = tuple(self.factors[place].id for place in shared)
        return Pairs(name, against, algorithms, conditions=(chosen[:, 0], chosen[:, 1]), factors=ids, levels=texts)

    @property
    def _numbers(self) -> NDArray[np.float64]:
        """Numbers of the levels, shape (conditions, factors); NaN between two levels."""
        found = np.full(self.matrix.shape, np.nan)
        for place, factor in enumerate(self.factors):
            count = len(factor.levels)
            at = np.array([level_at(x, count) for x in self.matrix[:, place]])
            there = np.isclose(np.linspace(-1, 1, count)[at], self.matrix[:, place]) & (not self.sampled)
            found[there, place] = at[there]
        return found

    def _items(self, text: str) -> Iterator[str]:
        """Yield the parts between commas; a level such as ``0.1, 0.6, 0.3`` keeps its commas."""
        held = ""
        for part in split(text):
            starts = "=" in part and self._factor(part.partition("=")[0].strip()) is not None
            if held and not starts and among(part, self.algorithms) not in self.algorithms:
                held += f", {part}"
                continue
            if held:
                yield held
            held = part
        if held:
            yield held

    def _factor(self, name: str) -> Factor | None:
        """Return the factor with an id, a name, a path, or the last word of a path."""
        wanted = name.casefold()
        keys: tuple[Callable[[Factor], list[str]], ...] = (
            lambda factor: [factor.id],
            lambda factor: [factor.name],
            lambda factor: [factor.path],
            lambda factor: [path.split(".")[-1] for path in factor.paths],
            lambda factor: ["share"] if SHARE in factor.paths else [],
        )
        for key in keys:
            found = [factor for factor in self.factors if wanted in map(str.casefold, key(factor))]
            if len(found) == 1:
                return found[0]
        return None

    def _level(self, factor: Factor, text: str) -> int:
        for number, level in enumerate(factor.levels):
            if _same(factor.paths, text, level):
                return number
        raise InputError("no such level", path=factor.id, value=text, allowed=" or ".join(factor.levels))

    def _levels_text(self, side: Comparand) -> str:
        texts = [
            f"{factor.name} = {_level_text(factor, factor.levels[side.levels[factor.id]])}"
            for factor in self.factors
            if factor.id in side.levels
        ]
        return ", ".join(texts)


def half(place: float) -> str:
    """Return the half of the range of a factor in which a place between its levels is, in words."""
    if place == 0:
        return "its middle"
    return "values above its middle" if place > 0 else "values below its middle"


def _level_text(factor: Factor, text: str) -> str:
    """Return the text of a level; a share in percent."""
    if SHARE in factor.paths:
        with suppress(InputError):
            return f"{units.number_text(100 * parse_share(text))} %"
    return text


def _joined(algorithm: str | None, levels: str) -> str:
    return ", ".join(filter(None, (algorithm, levels)))


def _same(paths: Sequence[str], one: str, other: str) -> bool:
    """Return True if two texts are one value of the paths of a factor, in any units."""
    if "".join(one.split()) == "".join(other.split()):
        return True
    if len(paths) > 1:
        return False
    (path,) = paths
    for read in (parse_share if is_share(path) else lambda text: settings.parse(path, text), units.number):
        values: list[Any] = []
        try:
            values = [read(text) for text in (one, other)]
        except (InputError, KeyError, ValueError):
            continue
        if all(isinstance(value, float) for value in values):
            return math.isclose(*values, rel_tol=1e-9)  # levels are shown rounded
        return bool(values[0] == values[1])
    return False
