"""Scenarios of conditions that were not run, from the scenarios of those that were.

A campaign folder has the canonical scenario of each condition, and not the file of the experiment. A value that differs
between conditions follows from the factor with whose level it changes. At a known level of the factor the value is
known; between two levels it is what the kind of the value has between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.algorithms import resolve
from mesonet.errors import InputError
from mesonet.scenarios import settings
from mesonet.scenarios.canonical import plain
from mesonet.scenarios.kinds.kind import Kind, mean


class _UnknownValueError(Exception):
    """The known conditions have no value for the new one."""


@dataclass(frozen=True, eq=False)
class Composer:
    """Conditions that were run, from which others are composed."""

    matrix: NDArray[np.float64] = field(repr=False)  #: places of the conditions, shape (conditions, factors)
    paths: Sequence[Sequence[str]]  #: paths that each factor sets

    def scenario(self, known: Sequence[Mapping[str, Any]], row: NDArray[np.float64]) -> dict[str, Any] | None:
        """Return the scenario at a row of places; None if it does not follow from the known scenarios.

        `known`: canonical scenarios of the conditions, all of one algorithm.
        """
        with suppress(_UnknownValueError):
            return dict(self._composed(list(known), "", row))
        return None

    def _composed(self, values: list[Any], path: str, row: NDArray[np.float64]) -> Any:
        first = values[0]
        if all(value == first for value in values):
            return first
        factors = self._factors(values, path)
        if factors:
            same = np.flatnonzero(np.isclose(self.matrix[:, factors], row[factors]).all(axis=1))
            if len(same):
                return values[same[0]]
        if len(factors) == 1 and (found := self._between(values, path, row[factors[0]], factors[0])) is not None:
            return found
        if all(isinstance(value, Mapping) and value.keys() == first.keys() for value in values):
            return {
                key: self._composed([value[key] for value in values], _inside(path, key, first), row) for key in first
            }
        if all(isinstance(value, list) and len(value) == len(first) for value in values):
            return [
                self._composed([value[place] for value in values], f"{path}[{place}]", row)
                for place in range(len(first))
            ]
        raise _UnknownValueError(path)

    def _factors(self, values: list[Any], path: str) -> list[int]:
        """Return the factor from whose level the values follow, or else two factors; empty if it is not clear which."""
        numbers = range(self.matrix.shape[1])
        for size in (1, 2):
            if found := [each for each in combinations(numbers, size) if self._follow(values, list(each))]:
                named = [each for each in found if any(path in self.paths[factor] for factor in each)]
                clear = found if len(found) == 1 else named
                return list(clear[0]) if len(clear) == 1 else []
        return []

    def _follow(self, values: list[Any], factors: list[int]) -> bool:
        """Return True if the values are equal wherever the levels of some factors are."""
        known: dict[tuple[float, ...], Any] = {}
        places = map(tuple, self.matrix[:, factors].tolist())
        return all(known.setdefault(place, value) == value for place, value in zip(places, values, strict=True))

    def _between(self, values: list[Any], path: str, place: float, factor: int) -> Any:
        """Return the value between those at the neighbouring levels of a factor; None if nothing lies between."""
        column = self.matrix[:, factor]
        if not column.min() < place < column.max():
            return None
        below, above = column[column < place].max(), column[column > place].min()
        low, high = (values[int(np.flatnonzero(column == level)[0])] for level in (below, above))
        where = 2 * (place - below) / (above - below) - 1
        if path.startswith("algorithms[") and path.endswith(".share"):
            return plain(round(mean(low, high, where), 12))
        with suppress(InputError, KeyError):  # a part of a value has no kind of its own
            key = settings.at(path)
            if type(key.kind).between is Kind.between:
                return None
            written = key.between(key.show(low), key.show(high), where)
            return None if written is None else plain(key.parse(written))
        return None


def _inside(path: str, key: str, parent: Mapping[str, Any]) -> str:
    """Return the path of a setting from its place in the canonical form. `parent`: the mapping that has the key."""
    if path.startswith("algorithms[") and key == "parameters":
        return f"parameters.{resolve(parent['name']).algorithm.name}"
    if path.startswith("links["):
        ends = ",".join(f'"{end}"' for end in parent["between"])
        return f"links[{ends}].{key}"
    if path == "impairment_sets":
        return f"impairments.{key}"
    return f"{path}.{key}" if path else key
