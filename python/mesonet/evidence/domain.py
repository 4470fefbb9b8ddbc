"""Cells that a search may visit: every combination of the levels of some factors."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.errors import InputError, unknown
from mesonet.evidence.criterion import Criterion

SearchPoint = tuple[int, ...]
"""Cell of a domain: the number of the level of each factor, from 0."""
_KEYS = {"id", "name", "path", "levels", "labels", "screen", "plain", "ordered"}
_FLOWS = re.compile(r"flows\[(\d+)\]\.(\w+)")


@dataclass(frozen=True)
class SearchFactor:
    """Quantity that a search varies."""

    id: str  #: short name
    name: str  #: name in the words of a cell
    path: str  #: scenario path; ``flows[0].count`` sets a key of the first entry of the flows
    levels: tuple[Any, ...]  #: values, in their order
    labels: tuple[str, ...]  #: text of each level
    screen: tuple[int, int]  #: numbers of the two levels of the screening design
    plain: int  #: number of the level that makes the simplest scenario
    ordered: bool  #: True if a step goes to the next level only; False if it goes to any other

    def steps_from(self, level: int) -> list[int]:
        """Return the levels that one step reaches."""
        others = (level - 1, level + 1) if self.ordered else range(len(self.levels))
        return [each for each in others if 0 <= each < len(self.levels) and each != level]


@dataclass(frozen=True)
class Domain:
    """Cells of a search."""

    criterion: Criterion  #: criterion of the kind ``search``
    factors: tuple[SearchFactor, ...]

    def corner(self, signs: Sequence[float]) -> SearchPoint:
        """Return the cell of a row of the screening design.

        `signs`: -1 for the first level of ``screen`` and +1 for the second one, by factor.
        """
        return tuple(factor.screen[sign > 0] for factor, sign in zip(self.factors, signs, strict=True))

    def neighbours(self, place: SearchPoint) -> list[SearchPoint]:
        """Return the cells that differ by one step of one factor."""
        return [
            _moved(place, number, level)
            for number, factor in enumerate(self.factors)
            for level in factor.steps_from(place[number])
        ]

    def plainer(self, place: SearchPoint) -> list[SearchPoint]:
        """Return the cells in which one more factor has its plain level."""
        return [
            _moved(place, number, factor.plain)
            for number, factor in enumerate(self.factors)
            if place[number] != factor.plain
        ]

    def label(self, place: SearchPoint) -> str:
        """Return what a cell has other than plain levels, in words, such as ``rate 20 Mbit/s, round trip 80 ms``."""
        words = [
            f"{factor.name} {factor.labels[level]}".strip()
            for factor, level in zip(self.factors, place, strict=True)
            if level != factor.plain
        ]
        return ", ".join(words) or "plain levels"

    @property
    def plain(self) -> str:
        """Plain levels of all factors, in words."""
        return ", ".join(f"{factor.name} {factor.labels[factor.plain]}".strip() for factor in self.factors)

    def changes(self, place: SearchPoint) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Return what a cell sets."""
        flows = copy.deepcopy(list(self.criterion.table["set"]["flows"]))
        values = {}
        for factor, level in zip(self.factors, place, strict=True):
            flow = _FLOWS.fullmatch(factor.path)
            if flow:
                flows[int(flow[1])][flow[2]] = factor.levels[level]
            else:
                values[factor.path] = factor.levels[level]
        return values, flows

    def table(self, places: Sequence[SearchPoint]) -> dict[str, Any]:
        """Return cells as an experiment file has them.

        Scenario, values and factors. Conditions are the cells in their order.
        """
        fixed = {key: value for key, value in self.criterion.table["set"].items() if key != "flows"}
        found = [{**values, "flows": flows} for values, flows in map(self.changes, places)]
        levels = {path: [each[path] for each in found] for path in found[0]}
        varied = {path: values for path, values in levels.items() if any(value != values[0] for value in values)}
        fixed |= {path: values[0] for path, values in levels.items() if path not in varied}
        factors = [{"id": "cell", "name": "", "levels": varied}] if varied else []
        return {"scenario": self.criterion.table["scenario"], "set": fixed, "factors": factors}


def domain(criterion: Criterion) -> Domain:
    """Return the domain of a criterion of the kind ``search``."""
    file = f"{criterion.id}.toml"
    return Domain(
        criterion,
        tuple(_factor(file, f"factors[{place}]", each) for place, each in enumerate(criterion.table["factors"])),
    )


def _factor(file: str, where: str, given: dict[str, Any]) -> SearchFactor:
    for key in given:
        if key not in _KEYS:
            raise unknown("key of a factor", key, sorted(_KEYS), path=f"{where}.{key}").located(file=file)
    levels = given["levels"]
    labels = given.get("labels", [str(each) for each in levels])
    if len(levels) < 2 or len(labels) != len(levels):
        raise InputError("needs two levels or more, each with its label", file, f"{where}.levels", levels)
    for key, numbers in (("screen", given["screen"]), ("plain", [given["plain"]])):
        for each in numbers:
            if each not in levels:
                raise InputError("no level of the factor", file, f"{where}.{key}", each, str(levels))
    first, second = (levels.index(each) for each in given["screen"])
    return SearchFactor(
        id=given["id"],
        name=given["name"],
        path=given["path"],
        levels=tuple(levels),
        labels=tuple(labels),
        screen=(first, second),
        plain=levels.index(given["plain"]),
        ordered=given.get("ordered", True),
    )


def _moved(place: SearchPoint, number: int, level: int) -> SearchPoint:
    return (*place[:number], level, *place[number + 1 :])
