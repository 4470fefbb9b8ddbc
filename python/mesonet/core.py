"""The one door to the simulator, the compiled module ``mesonet._core``.

It is imported on first use, so that `import mesonet` stays quick and the design and analysis parts work without it.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from mesonet.errors import InputError


@dataclass(frozen=True)
class AlgorithmParameter:
    """Constant of a congestion control algorithm."""

    name: str  #: last part of its path
    doc: str  #: meaning in a sentence
    unit: str  #: unit of the bare number that users write; ``1`` without a unit
    min: float  #: `min`, `max`: allowed range
    max: float
    standard: float  #: value of the preset ``standard``
    presets: tuple[tuple[str, float], ...]  #: preset and value, for presets with another value
    source: str  #: publication of the value
    is_choice: bool  #: each whole number of the range stands for a rule; no other number is allowed

    def default(self, preset: str) -> float:
        """Return the value in a preset. The value, in the unit of the constant."""
        return dict(self.presets).get(preset, self.standard) if self.presets else self.standard


@dataclass(frozen=True)
class Algorithm:
    """A congestion control algorithm that the simulator knows."""

    name: str  #: name in options and files
    title: str  #: name in words
    source: str  #: publication of the algorithm
    params: tuple[AlgorithmParameter, ...]  #: constants of the algorithm


def module() -> Any:
    """Return the compiled module. The module ``mesonet._core``."""
    try:
        return importlib.import_module("mesonet._core")
    except ModuleNotFoundError as error:
        if error.name != "mesonet._core":
            raise
        raise ImportError("the simulator is not built: run `pip install .` in the source folder of mesonet") from error


@cache
def algorithms() -> dict[str, Algorithm]:
    """Return every algorithm, in the order in which users see them."""
    return {entry["name"]: algorithm(entry) for entry in json.loads(module().algorithms())}


def algorithm(entry: Mapping[str, Any]) -> Algorithm:
    """Return an algorithm from the plain data of the compiled module.

    `entry`: ``name``, ``title``, ``source`` and ``params``.
    """
    params = tuple(AlgorithmParameter(**parameter) for parameter in entry["params"])
    return Algorithm(entry["name"], entry["title"], entry["source"], params)


@dataclass(frozen=True)
class Bound:
    """Allowed range of a number of a scenario, in base units."""

    path: str  #: `[]` stands for every entry of a list
    least: float
    most: float
    above: bool  #: the smallest value itself is not allowed


@cache
def bounds() -> dict[str, Bound]:
    """Return the allowed range of every number of a scenario."""
    return {entry["path"]: Bound(**entry) for entry in json.loads(module().bounds())}


def check(scenario_json: str) -> None:
    """Check the values of a scenario against their ranges and against each other."""
    try:
        module().check(scenario_json)
    except ValueError as error:
        raise refused(error) from error


def describe(scenario_json: str) -> dict[str, Any]:
    """Return the numbers that follow from a scenario: routers, speeds, buffers, sources, paths and warnings.

    Plain data, in base units.
    """
    try:
        return dict(json.loads(module().describe(scenario_json)))
    except ValueError as error:
        raise refused(error) from error


def ways(scenario_json: str) -> dict[str, Any]:
    """Return the queues that each ordered pair of regions crosses, with their loads. Plain data, in base units."""
    try:
        return dict(json.loads(module().ways(scenario_json)))
    except ValueError as error:
        raise refused(error) from error


def refused(error: ValueError) -> InputError:
    """Return the simulator's error as the error that users see.

    `error`: an error with the message ``path: problem; allowed: values``.

    Examples
    --------
    >>> refused(ValueError("time.duration: too low; allowed: at least 1 s")).path
    'time.duration'
    """
    path, separator, problem = str(error).partition(": ")
    if not separator or " " in path:
        return InputError(str(error))
    problem, _, allowed = problem.partition("; allowed: ")
    return InputError(problem, path=path, allowed=allowed or None)


def code_version() -> str:
    """Return the hash of the sources of the simulator and of its lock file; part of the key of every run."""
    return str(module().code_version())


def build() -> dict[str, str]:
    """Return how the compiled module was built.

    ``profile`` of cargo, ``target`` machine, and the default ``engine``.
    """
    return dict(module().build())
