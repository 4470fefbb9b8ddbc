"""New conditions for the comparisons of a campaign: inside the region of its factors, and not in its design.

All follows from the document of the campaign, so that any runner of the campaign makes the same conditions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mesonet import core, units
from mesonet.designs.factor import Factor
from mesonet.designs.rows import NEW, from_document
from mesonet.designs.spread import PARTS, between, combinations, far_from
from mesonet.errors import InputError
from mesonet.experiments.comparands import Pairs, half
from mesonet.experiments.composed import Composer
from mesonet.experiments.levels import between as value_between
from mesonet.experiments.mixed import is_share
from mesonet.scenarios import settings

Points = NDArray[np.float64]

NONE = "every combination of levels was run, and no factor has a value between two levels"
"""Reason for no new condition."""


def new_conditions(document: Mapping[str, Any], pairs: Sequence[Pairs], number: int) -> dict[str, Any] | None:
    """Return the experiment of new conditions for comparisons; None if there are none.

    First combinations of levels that the design lacks, then values between levels, far from all that was run.
    `document`: the experiment of the campaign. `number`: conditions of each comparison, or pairs of conditions for a
    comparison of levels.
    """
    region = Region(document)
    rows: list[tuple[float, ...]] = []
    for each in pairs:
        rows += [row for row in region.new_rows(each, number) if row not in rows]
    if not rows:
        return None
    algorithms = document["algorithms"]
    return {
        **{key: value for key, value in document.items() if key != "expected_cost"},
        "factors": msgspec.json.decode(msgspec.json.encode(region.factors_with(rows))),
        "design": {
            "factors": [factor.id for factor in region.factors], "generators": [], "kind": region.kind,
            "rows": [list(row) for row in rows], "block": None, "aliases": {}, "word_lengths": {}, "resolution": 3,
        },
        "scenarios": [
            {"condition": place, "algorithm": name, "scenario": region.scenario(name, row)}
            for place, row in enumerate(rows, start=1)
            for name in algorithms
        ],
    }  # fmt: skip


def new_pairs(pairs: Pairs, old: Mapping[str, Any], new: Mapping[str, Any], number: int) -> Pairs:
    """Return the first pairs of a comparison in new conditions.

    Both sides have their old levels of the factors that the comparison varies. `old`: the experiment of the comparison.
    `new`: the experiment of the new conditions.
    """
    region, rows = Region(old), from_document(new["design"])
    factors = msgspec.convert(new["factors"], tuple[Factor, ...])
    shared = [place for place, factor in enumerate(factors) if factor.id in pairs.factors]
    varied = [place for place in range(len(factors)) if place not in shared]
    sides = []
    for conditions in pairs.conditions:
        levels = region.at_levels[conditions[0], varied]
        there = np.flatnonzero(np.isclose(rows.matrix[:, varied], levels).all(axis=1))
        sides.append({tuple(rows.matrix[place, shared].tolist()): int(place) for place in there})
    one, other = sides
    points = [point for point in one if point in other][:number]
    texts = np.empty((len(points), len(shared)), dtype=object)
    for row, point in enumerate(points):
        for column, place in enumerate(shared):
            x = point[column]
            texts[row, column] = half(x) if rows.is_sampled else level_text(factors[place], x)
    here, there = (np.array([side[point] for point in points], dtype=np.intp) for side in sides)
    return replace(pairs, conditions=(here, there), levels=texts)


def level_text(factor: Factor, place: float) -> str:
    """Return the value that a factor sets at a place, as text."""
    levels = factor.levels
    at = (place + 1) / 2 * (len(levels) - 1)
    low = min(int(at), len(levels) - 2)
    if np.isclose(at, round(at)):
        return levels[round(at)]
    where = 2 * (at - low) - 1
    path = factor.paths[0]
    with suppress(InputError):
        if len(factor.paths) == 1:
            value = value_between(path, levels[low], levels[low + 1], where)
            if is_share(path):
                return units.number_text(value)
            of_bytes = units.RATE.of_bytes(value) or units.SEGMENTS.of_bytes(value)
            return value if of_bytes else settings.show(path, settings.parse(path, value))
    return f"{at - low:.0%} of the way from {levels[low]} to {levels[low + 1]}"


@dataclass(frozen=True, eq=False)
class Region:
    """Conditions of an experiment, and all that lies between their levels."""

    document: Mapping[str, Any] = field(repr=False)

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        return msgspec.convert(self.document["factors"], tuple[Factor, ...])

    @cached_property
    def composer(self) -> Composer:
        return Composer(from_document(self.document["design"]).matrix, [factor.paths for factor in self.factors])

    @cached_property
    def at_levels(self) -> Points:
        """Rows that comparisons pair: without centre points."""
        rows = from_document(self.document["design"])
        return np.asarray(rows.design.matrix if rows.design.runs else rows.matrix, dtype=np.float64)

    @property
    def kind(self) -> str:
        """Kind of the new rows: a sample has halves in place of levels."""
        rows = from_document(self.document["design"])
        return rows.kind if rows.is_sampled else NEW

    @cached_property
    def known(self) -> dict[str, list[dict[str, Any]]]:
        """Scenarios of the conditions, by algorithm."""
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in self.document["algorithms"]}
        for each in self.document["scenarios"]:
            found[each["algorithm"]].append(each["scenario"])
        return found

    def scenario(self, algorithm: str, row: Sequence[float]) -> dict[str, Any] | None:
        """Return the scenario of an algorithm at a row; None if it does not follow, or if the simulator refuses it."""
        found = self.composer.scenario(self.known[algorithm], np.asarray(row))
        with suppress(InputError):
            if found is not None:
                core.describe(json.dumps(found))
                return found
        return None

    def new_rows(self, pairs: Pairs, number: int) -> list[tuple[float, ...]]:
        """Return the rows of both sides of new pairs: the sides share the factors that the comparison does not vary."""
        shared = [place for place, factor in enumerate(self.factors) if factor.id in pairs.factors]
        sides = [self.at_levels[conditions[0]] for conditions in pairs.conditions]
        known = self.at_levels[pairs.conditions[0]][:, shared]
        chosen: list[Points] = []

        def rows(point: Points) -> list[tuple[float, ...]]:
            found = []
            for side in sides:
                row = side.copy()
                row[shared] = point
                found.append(tuple(row.tolist()))
            return list(dict.fromkeys(found))

        for candidates in self._candidates(shared, known):
            before = np.array([*known, *chosen])
            fits = far_from(
                candidates, before, number - len(chosen), lambda point: all(self._is_new(row) for row in rows(point))
            )
            chosen += [candidates[place] for place in fits]
        return [row for point in chosen for row in rows(point)]

    def _candidates(self, shared: list[int], known: Points) -> Iterator[Points]:
        """Yield combinations of known levels, and then of places between them."""
        if not shared:
            return
        levels = [np.unique(column).tolist() for column in known.T]
        yield combinations(levels)
        inner = [
            between(own) if self.has_between(factor, own) else [] for factor, own in zip(shared, levels, strict=True)
        ]
        if any(inner):
            yield combinations([own or at for own, at in zip(inner, levels, strict=True)])

    def has_between(self, factor: int, levels: Sequence[float]) -> bool:
        """Return True if a factor has a value between its first two levels."""
        row = self.at_levels[0].copy()
        row[factor] = float(np.mean(levels[:2]))
        algorithm = self.document["algorithms"][0]
        return len(levels) > 1 and self.composer.scenario(self.known[algorithm], row) is not None

    def _is_new(self, row: Sequence[float]) -> bool:
        """Return True for a row whose scenarios can run, and are none of the known ones."""
        found = {name: self.scenario(name, row) for name in self.document["algorithms"]}
        return all(each is not None and each not in self.known[name] for name, each in found.items())

    def factors_with(self, rows: Sequence[Sequence[float]]) -> list[Factor]:
        """Return the factors with the places between their levels as further levels, where new rows have such."""
        found = []
        for column, factor in zip(np.array(rows).T, self.factors, strict=True):
            count = len(factor.levels)
            at = (column + 1) / 2 * (count - 1)
            if self.kind == NEW and not np.isclose(at, at.round()).all():
                places = np.linspace(-1, 1, PARTS * (count - 1) + 1)[1:-1]
                inner = tuple(level_text(factor, place) for place in places.tolist())
                found.append(msgspec.structs.replace(factor, inner=inner))
            else:
                found.append(factor)
        return found
