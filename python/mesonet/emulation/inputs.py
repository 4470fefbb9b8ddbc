"""Inputs of an emulator: what the factors of a campaign set, as coordinates from 0 to 1."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet import units
from mesonet.campaign.data import Campaign
from mesonet.designs.factor import Factor
from mesonet.designs.grid import level_at
from mesonet.errors import InputError, unknown
from mesonet.experiments.levels import between
from mesonet.experiments.mixed import is_share
from mesonet.scenarios import settings
from mesonet.scenarios.kinds.mix import parse_share

Floats = NDArray[np.float64]

DECADE = 10.0
"""Least ratio of the largest to the smallest value of a logarithmic range (chosen)."""
NUMBER, PLACE, LEVELS = "number", "place", "levels"
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, eq=False)
class Input:
    """Values of a factor: numbers, levels, or, if it sets several values, places from -1 to +1."""

    factor: Factor
    kind: str  #: `NUMBER`, `PLACE` or `LEVELS`
    values: Floats = field(repr=False)  #: of each condition: numbers, places, or numbers of levels from 0
    minus: float = -1.0  #: value at place -1
    plus: float = 1.0  #: value at place +1
    whole: bool = False  #: only whole numbers stand between the levels
    log: bool = False  #: coordinates are logarithms
    of_network: bool = True  #: values are those of a path of a scenario, with a unit

    @property
    def id(self) -> str:
        """Short name of the factor."""
        return self.factor.id

    @property
    def low(self) -> float:
        """Smallest value."""
        return min(self.minus, self.plus, float(self.values.min()))

    @property
    def high(self) -> float:
        """Largest value."""
        return max(self.minus, self.plus, float(self.values.max()))

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return len(self.factor.levels) if self.kind == LEVELS and len(self.factor.levels) > 2 else 1

    @property
    def allowed(self) -> str:
        """Allowed values in words."""
        if self.kind == LEVELS:
            return " or ".join(self.factor.levels)
        if self.kind == PLACE:
            return f"a place from -1 ({self.factor.minus}) to 1 ({self.factor.plus}), or one of these levels"
        return f"{'whole numbers ' if self.whole else ''}from {self.text(self.low)} to {self.text(self.high)}"

    def coordinates(self, values: Floats) -> Floats:
        """Return the coordinates of values, shape (values, `width`), from 0 to 1."""
        if self.kind == LEVELS and self.width > 1:
            return np.asarray(values[:, None] == np.arange(self.width), dtype=np.float64)
        if self.log:
            return np.asarray(np.log(values / self.low) / np.log(self.high / self.low))[:, None]
        return np.asarray((values - self.low) / (self.high - self.low))[:, None]

    def at_places(self, places: Floats) -> Floats:
        """Return the values that the factor sets at places from -1 to +1."""
        if self.kind == LEVELS:
            count = len(self.factor.levels)
            return np.asarray(np.floor((places + 1) / 2 * count).clip(0, count - 1))
        found = self.minus + (self.plus - self.minus) * (places + 1) / 2
        return np.asarray(np.round(found) if self.whole else found)

    def text(self, value: float) -> str:
        """Return a value as a user writes it."""
        if self.kind == LEVELS:
            return self.factor.levels[int(value)]
        if self.kind == NUMBER and self.of_network and not is_share(self.factor.path):
            with suppress(InputError, KeyError, TypeError, ValueError):
                path = self.factor.path
                like = settings.parse(path, self.factor.minus)
                typed = int(value) if isinstance(like, int) and float(value).is_integer() else value
                return settings.show(path, {**like, "factor": typed} if isinstance(like, Mapping) else typed)
        return units.number_text(float(f"{value:.6g}"))

    def read(self, value: Any) -> float:
        """Return a user's value; raise an `InputError` for one outside of the range."""
        where = {"path": self.id, "value": value, "allowed": self.allowed}
        if self.kind != NUMBER:
            for number, text in enumerate(self.factor.levels):
                if str(value).replace(" ", "").casefold() == text.replace(" ", "").casefold():
                    count = len(self.factor.levels)
                    return float(number) if self.kind == LEVELS else 2 * number / (count - 1) - 1
            if self.kind == LEVELS:
                raise InputError("no level of the campaign", **where)
        try:
            found = _number(self.factor, value, self.of_network)
        except InputError as error:
            raise InputError(error.problem, **where) from None
        if found is None:
            raise InputError("not a number", **where)
        room = 1e-9 * (self.high - self.low)
        if not self.low - room <= found <= self.high + room:
            raise InputError("outside of the range of the campaign", **where)
        if self.whole and not float(found).is_integer():
            raise InputError("not a whole number", **where)
        return min(max(found, self.low), self.high)


def is_logarithmic(values: Floats) -> bool:
    """Return True for values that spread evenly over a decade or more: their median is nearer to the geometric mean.

    Two values spread either way: they are a logarithmic range if a decade lies between them.
    """
    known = np.unique(values)
    low, high = known[0], known[-1]
    if low <= 0 or high / low < DECADE:
        return False
    middle = float(np.median(known))
    return bool(len(known) == 2 or middle**2 < np.sqrt(low * high) * (low + high) / 2)


def inputs_of(campaign: Campaign, algorithm: str, log: Sequence[str] | None = None) -> tuple[Input, ...]:
    """Return the inputs of a campaign for the runs of an algorithm.

    `log`: factors whose coordinates are logarithms; None: the factors whose values spread over decades.
    """
    scenarios = [each["scenario"] for each in campaign.experiment["scenarios"] if each["algorithm"] == algorithm]
    of_network = campaign.experiment.get("model") is None
    for name in log or ():
        if name not in (known := [factor.id for factor in campaign.factors]):
            raise unknown("factor", name, known, path="log")
    places = campaign.rows.matrix
    return tuple(
        _input(factor, column, scenarios, of_network, None if log is None else factor.id in log)
        for factor, column in zip(campaign.factors, places.T, strict=True)
    )


def _input(factor: Factor, places: Floats, scenarios: Sequence[Any], of_network: bool, log: bool | None) -> Input:
    ends = [_end(factor, text, of_network) for text in (factor.minus, factor.plus)]
    if len(factor.paths) > 1 or None in ends or ends[0] == ends[1]:
        count = len(factor.levels)
        levels = np.array([level_at(place, count) for place in places], dtype=np.float64)
        at_levels = bool(np.isclose(np.linspace(-1, 1, count)[levels.astype(int)], places).all())
        found = Input(factor, LEVELS, levels, 0.0, count - 1.0) if at_levels else Input(factor, PLACE, places)
        if log:
            raise InputError("no number of its own, so that it has no logarithm", path="log", value=factor.id)
        return found
    minus, plus = (float(end) for end in ends if end is not None)
    inner = [_end(factor, text, of_network) for text in factor.levels]
    leaves = [_leaf(scenario, factor.path, of_network) for scenario in scenarios]
    if all(leaf is not None for leaf in leaves) and len(leaves) == len(places):
        values = np.array(leaves, dtype=np.float64)
    elif None not in inner:
        values = np.interp(places, np.linspace(-1, 1, len(inner)), np.array(inner, dtype=np.float64))
    else:
        values = minus + (plus - minus) * (places + 1) / 2
    if log is None:
        log = min(minus, plus) > 0 and is_logarithmic(values)
    if log and min(minus, plus, values.min()) <= 0:
        allowed = "a factor whose values are all above 0"
        raise InputError("a value of it has no logarithm", path="log", value=factor.id, allowed=allowed)
    integers = of_network or all(isinstance(leaf, int) for leaf in leaves)
    whole = integers and _is_whole(factor, minus, plus, of_network)
    return Input(factor, NUMBER, values, minus, plus, whole=whole, log=log, of_network=of_network)


def _end(factor: Factor, text: str, of_network: bool) -> float | None:
    with suppress(InputError):
        return _number(factor, text, of_network)
    return None


def _number(factor: Factor, value: Any, of_network: bool) -> float | None:
    """Return the number that a user's value of a factor is; None if it is none."""
    if isinstance(value, bool):
        return None
    if not of_network or len(factor.paths) > 1:
        return units.number(value) if isinstance(value, int | float | str) else None
    if is_share(factor.path):
        return float(parse_share(value))
    parsed = settings.parse(factor.path, value)
    if isinstance(parsed, Mapping):  # a rule with a factor, such as the size of a buffer
        like = settings.parse(factor.path, factor.minus)
        if not isinstance(like, Mapping) or parsed.get("rule") != like.get("rule"):
            return None
        parsed = parsed.get("factor")
    return None if isinstance(parsed, bool) or not isinstance(parsed, int | float) else float(parsed)


def leaf(scenario: Mapping[str, Any], path: str) -> tuple[list[str | int], int | float] | None:
    """Return the keys and the number at a path of a canonical scenario; None if no number is there."""
    there: Any = scenario
    keys: list[str | int] = []
    for name, place in _STEP.findall(path):
        keys.append(int(place) if place else name)
        if place:
            there = there[int(place)] if isinstance(there, list) and int(place) < len(there) else None
        else:
            there = there.get(name) if isinstance(there, Mapping) else None
    if isinstance(there, Mapping):  # a rule with a factor
        there, keys = there.get("factor"), [*keys, "factor"]
    return None if isinstance(there, bool) or not isinstance(there, int | float) else (keys, there)


def _leaf(scenario: Mapping[str, Any], path: str, of_network: bool) -> int | float | None:
    """Return the number that a run sets; None if it sets none."""
    if of_network:
        found = leaf(scenario, path)
        return found[1] if found else None
    there = scenario["parameters"].get(path)
    return None if isinstance(there, bool) or not isinstance(there, int | float) else there


def _is_whole(factor: Factor, minus: float, plus: float, of_network: bool) -> bool:
    """Return True if only whole numbers stand between two levels."""
    if not (minus.is_integer() and plus.is_integer()):
        return False
    if not of_network:
        return True
    with suppress(InputError, KeyError):
        if not is_share(factor.path):
            near = between(factor.path, factor.minus, factor.plus, -1 + 0.5 / abs(plus - minus))
            return float(units.number(near)).is_integer() if isinstance(near, int | float) else False
    return False
