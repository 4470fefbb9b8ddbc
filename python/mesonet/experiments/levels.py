"""Values between the two levels of a factor, for designs that are not made of levels alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise
from typing import Any

from mesonet.designs.grid import level_at
from mesonet.errors import InputError
from mesonet.experiments.base import Level
from mesonet.experiments.mixed import is_share
from mesonet.scenarios import settings
from mesonet.scenarios.kinds.kind import mean
from mesonet.scenarios.kinds.mix import parse_share

_NEAR = 1e-6
"""Distance from the centre at which a value that is not rounded differs."""


def at(level: Level, place: float) -> Any:
    """Return the value that a factor sets at a place."""
    if level.inner:
        return level.values[level_at(place, len(level.values))]
    return between(level.path, level.minus, level.plus, place)


def between(path: str, minus: Any, plus: Any, place: float) -> Any:
    """Return the value of a scenario path between two levels, as a user would write it.

    A level at -1 and +1; else a number, text with a unit, or a whole number for a count.
    """
    if abs(place) == 1:
        return plus if place > 0 else minus
    if is_share(path):
        return mean(parse_share(minus), parse_share(plus), place)
    value = settings.at(path).between(minus, plus, place)
    if value is not None:
        return value
    low, high = (settings.show(path, settings.parse(path, level)) for level in (minus, plus))
    raise InputError(
        f"nothing stands between {low} and {high}",
        path=path,
        allowed="two numbers of the same unit, or a design without levels between",
    )


def refuse_rounded(minus: Any, plus: Any, between: Callable[[float], Any], places: Collection[float]) -> None:
    """Raise InputError if the value half-way is rounded to a side, or if two places of a design have one value.

    A straight response would show curvature there. `between`: value at a place. `places`: of the design.
    """
    below, centre, above = (between(place) for place in (-_NEAR, 0.0, _NEAR))
    if 0.0 in places and below != above and centre in (below, above):
        raise InputError(
            f"no whole number is half-way between {minus} and {plus}",
            allowed="levels with an even sum, or a design without centre points",
        )
    at = sorted({-1.0, 1.0, *places})
    for one, other in pairwise(at):
        if between(one) == between(other):
            problem = f"{len(at)} settings are too many for the values from {minus} to {plus}: some are equal"
            raise InputError(problem, allowed="levels that are further apart, or a design of fewer levels")


def number_at(level: Level, place: float) -> Any:
    """Return the value that a factor of a model sets at a place: a level, or a plain number between two."""
    if level.inner:
        return level.values[level_at(place, len(level.values))]
    return number_between(level.minus, level.plus, place)


def number_between(minus: Any, plus: Any, place: float) -> Any:
    """Return the value between two plain numbers, rounded if both are whole.

    Examples
    --------
    >>> number_between(10, 20, 0.0), number_between(0.5, 1.0, -0.5)
    (15, 0.625)
    """
    if abs(place) == 1:
        return plus if place > 0 else minus
    if any(isinstance(level, bool) or not isinstance(level, int | float) for level in (minus, plus)):
        raise InputError(f"nothing stands between {minus} and {plus}", allowed="two numbers")
    value = mean(minus, plus, place)
    return round(value) if isinstance(minus, int) and isinstance(plus, int) else value
