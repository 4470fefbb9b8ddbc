"""Reads the tables of an experiment file, with errors that name the place."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import settings
from mesonet.errors import InputError, unknown
from mesonet.factors import FACTORS
from mesonet.scenario import Scenario, load_scenario

if TYPE_CHECKING:
    from mesonet.designs import Design

_KEYS = ("name", "title", "description", "scenario", "algorithms", "seed", "replicates", "set", "factors", "design")
_FACTOR_KEYS = ("id", "name", "path", "minus", "plus", "levels")
_STUDY = {factor.id: factor for factor in FACTORS}


@dataclass(frozen=True)
class Level:
    """One value that a factor sets, as a user would write both levels."""

    path: str
    minus: Any
    plus: Any


def read(table: Mapping[str, Any], file: str, directory: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an `mesonet.experiment.Experiment`, checked.

    `directory` is that of the file, to find a scenario beside it; `options` are values set beside the file.
    """
    try:
        _known(table, _KEYS, "")
        base = _scenario(table, file, directory)
        factors = _list(table, "factors")
        if not factors:
            raise InputError("an experiment needs factors", path="factors", allowed="at least one [[factors]]")
        levels: dict[str, tuple[Level, ...]] = {}
        names: dict[str, str] = {}
        for place, given in enumerate(factors):
            id, name, own = _factor(f"factors[{place}]", given, levels, directory)
            levels[id], names[id] = own, name
        _refuse_set_twice(levels)
        fixed = {settings.resolve(path): f"set.{path}" for path in settings.flatten(_table(table, "set"))}
        fixed |= {settings.resolve(path): path for path in options}
        _refuse_fixed(levels, fixed)
        return {
            "name": _name(table),
            "title": _text(table, "title"),
            "description": _text(table, "description", ""),
            "scenario": base.with_values(options, "set by an option") if options else base,
            "levels": levels,
            "names": names,
            "design": _design(table, list(levels)),
            "algorithms": _algorithms(table, levels),
            "seed": _whole(table, "seed", 1, 0, 2**63 - 1),
            "replicates": _whole(table, "replicates", 1, 1, 10_000),
        }
    except InputError as error:
        raise error.located(file=file) from None


def _scenario(table: Mapping[str, Any], file: str, directory: Path | None) -> Scenario:
    try:
        base = load_scenario(_text(table, "scenario"), directory)
    except InputError as error:
        raise error.located(file=file, path="scenario") if error.file is None else error from None
    values = settings.with_topology(settings.flatten(_table(table, "set")), directory)
    return base.with_values(values, f"set in {file}")


def _factor(
    where: str, given: Any, others: Mapping[str, Any], directory: Path | None
) -> tuple[str, str, tuple[Level, ...]]:
    """Id, name and levels of a factor; `others` are the ids already given, `directory` is that of the file."""
    if not isinstance(given, Mapping):
        raise InputError("not a table", path=where, value=given, allowed="[[factors]]")
    _known(given, _FACTOR_KEYS, where + ".")
    id = given.get("id")
    if not isinstance(id, str) or not re.fullmatch(r"[A-Za-z]\w*", id):
        raise InputError("a factor needs an id", path=f"{where}.id", value=id, allowed='a word such as "X1"')
    if id in others:
        raise InputError("two factors have this id", path=f"{where}.id", value=id, allowed="each id once")
    study = _STUDY.get(id)
    name = given.get("name", study.name if study else id)
    if "levels" in given:
        return id, name, _level_table(where, given, directory)
    path = given.get("path", study.path if study else "")
    if not path or "," in path:
        raise InputError("a factor needs a path", path=f"{where}.path", allowed="a scenario path, or a table of levels")
    path = _resolved(f"{where}.path", path)
    for key in ("minus", "plus"):
        if key not in given:
            raise InputError("a factor needs two levels", path=f"{where}.{key}", allowed="a value of " + path)
    own = Level(path, given["minus"], given["plus"])
    return id, name, (_checked(own, f"{where}.minus", f"{where}.plus", directory),)


def _level_table(where: str, given: Mapping[str, Any], directory: Path | None) -> tuple[Level, ...]:
    if "minus" in given or "plus" in given or "path" in given:
        raise InputError("give either path, minus and plus, or levels", path=where)
    levels = []
    for path, pair in settings.flatten(_table(given, "levels", where + ".")).items():
        here = f"{where}.levels.{path}"
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError("not two levels", path=here, value=pair, allowed="[minus, plus]")
        levels.append(_checked(Level(_resolved(here, path), *pair), f"{here}[0]", f"{here}[1]", directory))
    if not levels:
        raise InputError("a factor needs levels", path=f"{where}.levels", allowed="path = [minus, plus]")
    return tuple(levels)


def _resolved(where: str, path: Any) -> str:
    if not isinstance(path, str):
        raise InputError("not a path", path=where, value=path, allowed="a scenario path in quotes")
    try:
        return settings.resolve(path)
    except InputError as error:
        raise InputError(error.problem, path=where, value=path, allowed=error.allowed) from None


def _checked(level: Level, minus: str, plus: str, directory: Path | None) -> Level:
    """The level, with a topology that it names read from beside the file."""
    given, parsed = [], []
    for where, value in ((minus, level.minus), (plus, level.plus)):
        try:
            given.append(settings.with_topology({level.path: value}, directory)[level.path])
            parsed.append(settings.parse(level.path, given[-1]))
        except InputError as error:
            if error.file is not None:  # a file that the level names, with the place in it
                raise
            problem = f"not a level of {level.path}: {error.problem}"
            raise InputError(problem, path=where, value=value, allowed=error.allowed) from None
    if parsed[0] == parsed[1]:
        raise InputError("both levels are the same", path=plus, value=level.plus, allowed="two different levels")
    return Level(level.path, *given)


def _refuse_set_twice(levels: Mapping[str, tuple[Level, ...]]) -> None:
    seen: dict[str, str] = {}
    for place, (id, own) in enumerate(levels.items()):
        for level in own:
            if level.path in seen:
                problem = f"factor {seen[level.path]} sets {level.path} too"
                raise InputError(problem, path=f"factors[{place}].path", value=id, allowed="one factor per path")
            seen[level.path] = id


def _refuse_fixed(levels: Mapping[str, tuple[Level, ...]], fixed: Mapping[str, str]) -> None:
    """No value may be both a factor and set for every run; `fixed` gives the place where each path is set."""
    for id, own in levels.items():
        for level in own:
            if level.path in fixed:
                raise InputError(f"factor {id} varies {level.path}; it cannot be set as well", path=fixed[level.path])


def _algorithms(table: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]]) -> tuple[str, ...]:
    given = _list(table, "algorithms")
    if not given:
        raise InputError("an experiment needs algorithms", path="algorithms", allowed='a list such as ["tcp", "cubic"]')
    if any(level.path == "algorithms" for own in levels.values() for level in own):
        problem = "a factor sets the algorithms, and the list of algorithms does too"
        raise InputError(problem, path="algorithms", value=given)
    shown = []
    for place, name in enumerate(given):
        try:
            shown.append(settings.show("algorithms", settings.parse("algorithms", name)))
        except InputError as error:
            raise InputError(error.problem, path=f"algorithms[{place}]", value=name, allowed=error.allowed) from None
        if shown[-1] in shown[:-1]:
            raise InputError("named twice", path=f"algorithms[{place}]", value=name, allowed="each algorithm once")
    return tuple(shown)


def _design(table: Mapping[str, Any], ids: list[str]) -> Design:
    from mesonet.designs import two_level

    design = _table(table, "design")
    _known(design, ("generators",), "design.")
    generators = _list(design, "generators", "design.")
    if not all(isinstance(generator, str) for generator in generators):
        raise InputError("not equations", path="design.generators", value=generators, allowed='["X6=X1*X2*X3"]')
    try:
        return two_level(ids, generators)
    except InputError as error:
        raise InputError(error.problem, path=f"design.{error.path}", value=error.value, allowed=error.allowed) from None


def _known(table: Mapping[str, Any], keys: tuple[str, ...], prefix: str) -> None:
    for key in table:
        if key not in keys:
            error = unknown("key", key, keys)
            raise InputError(error.problem, path=f"{prefix}{key}", allowed=error.allowed)


def _table(table: Mapping[str, Any], key: str, prefix: str = "") -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise InputError("not a table", path=f"{prefix}{key}", value=value, allowed=f"[{key}]")
    return value


def _list(table: Mapping[str, Any], key: str, prefix: str = "") -> list[Any]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise InputError("not a list", path=f"{prefix}{key}", value=value, allowed="a list in brackets")
    return value


def _text(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or (not value and default is None):
        raise InputError("missing" if value is None else "not text", path=key, value=value, allowed="text in quotes")
    return value


def _whole(table: Mapping[str, Any], key: str, default: int, least: int, most: int) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= operator.index(value) <= most:
        allowed = f"a whole number, at least {least} and at most {most}"
        raise InputError("not a whole number", path=key, value=value, allowed=allowed)
    return operator.index(value)


def _name(table: Mapping[str, Any]) -> str:
    """The name, which is also the default folder of the campaign."""
    name = _text(table, "name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        allowed = "letters, digits, and . _ - behind the first"
        raise InputError("not a name", path="name", value=name, allowed=allowed)
    return name
