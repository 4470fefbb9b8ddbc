"""Reads the tables of an experiment file, with errors that name the place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import core, units
from mesonet.algorithms import is_algorithm, resolve, with_plugins
from mesonet.campaign.limits import KEEPABLE, MOST_RUNS, refuse_too_many
from mesonet.designs.factor import FACTORS
from mesonet.designs.grid import crossed
from mesonet.errors import InputError, unknown
from mesonet.experiments.base import Level
from mesonet.experiments.conclusions import read_conclusions
from mesonet.experiments.deployment import FACTOR, Deployment, read_deployment
from mesonet.experiments.grids import factor_tables
from mesonet.experiments.inheritance import OwnFactor, Part, factors, origins
from mesonet.experiments.levels import between, refuse_rounded
from mesonet.experiments.mixed import SHARE, is_share
from mesonet.files.names import file_stem
from mesonet.responses.sets import DEFAULT, FLOWS_ALONE, SETS
from mesonet.scenarios import settings
from mesonet.scenarios.kinds.mix import parse_share
from mesonet.scenarios.scenario import Scenario, load_scenario
from mesonet.scenarios.timeline import lasting, stretched
from mesonet.simulation.simulate import LARGEST_SEED

if TYPE_CHECKING:
    from mesonet.designs.rows import Rows

_KEYS = (
    "name", "title", "description", "scenario", "algorithms", "mixed_with", "seed", "replicates", "responses", "keep",
    "set", "factors", "grid", "design", "proportional", "conclusions", "comparisons", "common_random_numbers", "deploy",
)  # fmt: skip
_NAMES = ("algorithms", "mixed_with")
"""Keys whose values name algorithms."""
_UNITS = "measurement.units"
ALL = "all"
"""Stands for every algorithm, instead of a list."""
_FACTOR_KEYS = ("id", "name", "path", "minus", "plus", "levels")
_STUDY = {factor.id: factor for factor in FACTORS}


def read(parts: Sequence[Part], options: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of an `mesonet.experiments.network.Experiment`, checked.

    `parts`: the files of the experiment, the base of all others first. `options`: values of algorithms, duration,
    replicates and seed that replace the values of the file.
    """
    own = parts[-1]
    origin = origins(parts)
    try:
        for part in parts:
            with _in(part):
                _known(part.table, (*_KEYS, "base"))
        table = {key: part.table[key] for key, part in origin.items()}
        table |= {key: with_plugins(table[key], origin[key].directory) for key in _NAMES if key in table}
        options = {key: with_plugins(value) if key in _NAMES else value for key, value in options.items()}
        written = table
        table = {**table, **{key: value for key, value in options.items() if key in _KEYS}}
        base = _scenario(table, parts, origin.get("scenario", own))
        base = base.with_values(values, "--set")
        levels: dict[str, tuple[Level, ...]] = {}
        names: dict[str, str] = {}
        places: dict[str, OwnFactor] = {}
        for factor in [*factors(parts), *_of_grid(parts, origin.get("grid"))]:
            with _in(factor.part):
                id, name, found = _factor(factor.where, factor.table, levels, factor.part.directory)
            levels[id], names[id], places[id] = found, name, factor
        _refuse_set_twice(levels, places)
        proportional = flag(table, "proportional")
        if "duration" in options:
            settings.refuse_beside("--duration", "time.duration", values)
            longer = 1.0
            if proportional:
                base, longer = lasting(base, options["duration"], "--duration")
            else:
                base = base.set("time.duration", options["duration"], "--duration")
            levels = {
                id: tuple(_lasting(level, options["duration"], longer) for level in own) for id, own in levels.items()
            }
        deployment = _deployment(table, base, levels, origin.get("deploy", own))
        if deployment is not None:
            base = base.with_values(deployment.values(), "set by [deploy]")
            names = {FACTOR: "share of units", **names}
            levels = {FACTOR: deployment.factor(), **levels}
        keep = _keep(table, deployment)
        base = _with_units(base, keep)
        fixed = {settings.resolve(path): (part.file, f"set.{path}") for part in parts for path in _set(part)}
        fixed |= {settings.resolve(path): ("", f"--set {path}") for path in values}
        _refuse_fixed(levels, fixed)
        _refuse_beside_deployment(deployment, base, _given(parts, values), fixed)
        rows, algorithms = _conditions(table, levels, deployment), _algorithms(table, levels)
        if deployment is not None and table.get("mixed_with") in algorithms:
            problem = "deployed beside itself"
            raise InputError(problem, path="mixed_with", value=table["mixed_with"], allowed="another algorithm")
        of_file = _algorithms(written, levels) if "algorithms" in options else algorithms
        _refuse_gaps(rows, levels, places)
        replicates = units.integer(table.get("replicates", 1), "replicates", 1, MOST_RUNS)
        refuse_too_many(rows.conditions, len(algorithms), replicates)
        response_set = _response_set(table, base)
        has_effects = bool(levels) and bool(rows.design.runs)
        conclusions = read_conclusions(_list(table, "conclusions"), of_file, response_set, has_effects)
        return {
            "name": campaign_name(table),
            "title": _text(table, "title"),
            "description": _text(table, "description", ""),
            "scenario": base,
            "levels": levels,
            "names": names,
            "rows": rows,
            "algorithms": algorithms,
            "mixed_with": _mixed_with(table, levels, algorithms),
            "seed": units.integer(table.get("seed", 1), "seed", 0, LARGEST_SEED),
            "replicates": replicates,
            "response_set": response_set,
            "conclusions": conclusions,
            "comparisons": texts(table, "comparisons") or (deployment.comparisons if deployment else ()),
            "common_random_numbers": deployment is not None or flag(table, "common_random_numbers"),
            "keep": keep,
            "deployment": deployment,
        }
    except InputError as error:
        key = re.split(r"[.\[]", error.path or "")[0]
        if error.file is None and key in options:
            raise InputError(error.problem, None, f"--{key}", error.value, error.allowed) from None
        raise (error if key.startswith("--") else error.located(file=origin.get(key, own).file)) from None


def _of_grid(parts: Sequence[Part], part: Part | None) -> list[OwnFactor]:
    """Return the factors of ``[grid]``; `part`: the file that has the table, None without one."""
    if part is None:
        return []
    taken = [str(each.table.get("id")) for each in factors(parts) if isinstance(each.table, Mapping)]
    with _in(part):
        tables = factor_tables(settings.flatten(_table(part.table, "grid")), taken, _resolved)
    return [OwnFactor(part, number, table, key) for number, (key, table) in enumerate(tables.items())]


def _response_set(table: Mapping[str, Any], scenario: Scenario) -> str:
    """Return the name of the set; by default of a grid over explicit flows alone the set of these."""
    alone = "grid" in table and scenario.value("flows") and not scenario.value("users.base_sources")
    name = _text(table, "responses", FLOWS_ALONE if alone else DEFAULT)
    if name not in SETS:
        raise unknown("set of responses", name, SETS, path="responses")
    return name


def _deployment(
    table: Mapping[str, Any], scenario: Scenario, levels: Mapping[str, tuple[Level, ...]], part: Part
) -> Deployment | None:
    """Return the deployment of ``[deploy]``; None without one. `part`: the file that has the table."""
    if "deploy" not in table:
        return None
    given = _table(table, "deploy")
    if FACTOR in levels:
        raise InputError("[deploy] makes a factor with this id", path="factors", value=FACTOR, allowed="another id")
    if table.get("common_random_numbers") is False:
        problem = "the same units adopt first in every share of a deployment"
        raise InputError(problem, path="common_random_numbers", value=False, allowed="true, or nothing")
    try:
        return read_deployment(given, scenario, part.directory)
    except InputError as error:
        raise (error if error.file else error.below("deploy")) from None


def _given(parts: Sequence[Part], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of ``[set]`` and ``--set`` by full path."""
    return {settings.resolve(path): value for each in (*map(_set, parts), values) for path, value in each.items()}


def _refuse_beside_deployment(
    deployment: Deployment | None, base: Scenario, given: Mapping[str, Any], fixed: Mapping[str, tuple[str, str]]
) -> None:
    """Raise an `InputError` for a value of every run that ``[deploy]`` would replace by another."""
    for path in deployment.values() if deployment else ():
        if path in given and settings.parse(path, given[path]) != base.value(path):
            chosen = settings.show(path, base.value(path))
            problem = f"[deploy] sets {path} to {chosen}; it cannot be set to {given[path]} as well"
            raise _fixed(fixed[path], problem, chosen)


def _keep(table: Mapping[str, Any], deployment: Deployment | None) -> tuple[str, ...]:
    given = [*_list(table, "keep"), *(deployment.keep if deployment else ())]
    for place, name in enumerate(given):
        if not isinstance(name, str) or name not in KEEPABLE:
            raise unknown("table to keep", str(name), KEEPABLE, path=f"keep[{place}]")
    return tuple(name for name in KEEPABLE if name in given)


def _with_units(base: Scenario, keep: Sequence[str]) -> Scenario:
    """Return the scenario, with units recorded where the experiment keeps them."""
    if "units" not in keep or base.value(_UNITS):
        return base
    if _UNITS in base.settings:
        raise InputError("units are not recorded", path="keep", value="units", allowed=f"{_UNITS} = true")
    return base.set(_UNITS, True, 'keep = ["units"]')


@contextmanager
def _in(part: Part) -> Iterator[None]:
    """Locate an `InputError` in the file of a part."""
    try:
        yield
    except InputError as error:
        raise error.located(file=part.file) from None


def _set(part: Part) -> dict[str, Any]:
    """Return the values of ``[set]`` in a file by path, as the file writes the paths."""
    with _in(part):
        return settings.flatten(_table(part.table, "set"))


def _scenario(table: Mapping[str, Any], parts: Sequence[Part], named: Part) -> Scenario:
    """Return the scenario with the values of ``[set]`` of each file; `named`: the file that names the scenario."""
    try:
        base = load_scenario(_text(table, "scenario"), named.directory)
    except InputError as error:
        raise error.located(file=named.file, path="scenario") from None
    for part in parts:
        together: dict[str, str] = {}
        given = _set(part)
        for path in settings.plugins_first(given):
            value = given[path]
            try:
                settings.refuse_together(path, together)
                base = base.set(path, value, f"set in {part.file}", part.directory)
            except InputError as error:
                if error.file not in (None, part.file):  # a file that the value names, with the place in it
                    raise
                where = error.path if error.path and error.path.startswith(path) else path
                raise InputError(error.problem, part.file, f"set.{where}", error.value, error.allowed) from None
    return base


def _factor(
    where: str, given: Any, others: Mapping[str, Any], directory: Path | None
) -> tuple[str, str, tuple[Level, ...]]:
    """Return id, name and levels of a factor; `others` are the ids already given, `directory` holds the file."""
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
    is_list = isinstance(given.get("levels"), list)
    if "levels" in given and not is_list:
        return id, name, _level_table(where, given, directory)
    path = given.get("path", study.path if study else "")
    if not isinstance(path, str) or not path or ("," in path and not path.startswith("links[")):
        allowed = "a scenario path, or a table of levels"
        raise InputError("a factor needs a path", path=f"{where}.path", value=path or None, allowed=allowed)
    path = _resolved(f"{where}.path", path)
    if is_list:
        return id, name, (_level_list(where, path, given, directory),)
    for key in ("minus", "plus"):
        if key not in given:
            raise InputError("a factor needs two levels", path=f"{where}.{key}", allowed="a value of " + path)
    own = Level(path, given["minus"], given["plus"])
    return id, name, (_checked(own, [f"{where}.minus", f"{where}.plus"], directory),)


def _level_list(where: str, path: str, given: Mapping[str, Any], directory: Path | None) -> Level:
    """Return the levels of one path, two or more."""
    if "minus" in given or "plus" in given:
        raise InputError("give either minus and plus, or levels", path=where)
    here = where if where.startswith("grid.") else f"{where}.levels"
    if len(given["levels"]) < 2:
        problem, allowed = "not two levels or more", "a list such as [2, 10, 50]; [set] for a value of every run"
        raise InputError(problem, path=here, value=given["levels"], allowed=allowed)
    first, *inner, last = given["levels"]
    places = [f"{here}[{number}]" for number in range(2 + len(inner))]
    return _checked(Level(path, first, last, tuple(inner)), places, directory, alone=True)


def _level_table(where: str, given: Mapping[str, Any], directory: Path | None) -> tuple[Level, ...]:
    if "minus" in given or "plus" in given or "path" in given:
        raise InputError("give either path, minus and plus, or levels", path=where)
    levels: list[Level] = []
    for path, pair in settings.flatten(_table(given, "levels", where + ".")).items():
        here = f"{where}.levels.{path}"
        if not isinstance(pair, list) or len(pair) < 2:
            raise InputError("not two levels", path=here, value=pair, allowed="[minus, plus]")
        if levels and len(pair) != len(levels[0].values):
            problem = f"{len(pair)} levels, and {len(levels[0].values)} of {levels[0].path}"
            raise InputError(problem, path=here, allowed="as many levels for each path of a factor")
        first, *inner, last = pair
        places = [f"{here}[{number}]" for number in range(len(pair))]
        levels.append(_checked(Level(_resolved(here, path), first, last, tuple(inner)), places, directory))
    together = list(zip(*(level.values for level in levels), strict=True))
    for place, values in enumerate(together):
        if values in together[:place]:
            here = f"{where}.levels.{levels[0].path}[{place}]"
            raise InputError("two levels are the same", path=here, value=values[0], allowed="different levels")
    if not levels:
        raise InputError("a factor needs levels", path=f"{where}.levels", allowed="path = [minus, plus]")
    return tuple(levels)


def _resolved(where: str, path: Any) -> str:
    if not isinstance(path, str):
        raise InputError("not a path", path=where, value=path, allowed="a scenario path in quotes")
    try:
        return path if is_share(path) else settings.resolve(path)
    except InputError as error:
        raise InputError(error.problem, path=where, value=path, allowed=error.allowed) from None


def _checked(level: Level, places: Sequence[str], directory: Path | None, *, alone: bool = False) -> Level:
    """Return the level, with a topology read from beside the file; `places` has the place of each value.

    `alone`: the factor sets no other path, so that all its values differ.
    """
    given, parsed = [], []
    for place, value in zip(places, level.values, strict=True):
        try:
            if is_share(level.path):
                given.append(value)
                parsed.append(parse_share(value))
            else:
                setting = settings.setting(level.path, value, "", directory)
                given.append(setting.given)
                parsed.append(setting.value)
        except InputError as error:
            if error.file is not None:  # a file that the level names, with the place in it
                raise
            problem = f"not a level of {level.path}: {error.problem}"
            raise InputError(problem, path=place, value=value, allowed=error.allowed) from None
    if len(parsed) == 2 and parsed[0] == parsed[1]:
        raise InputError("both levels are the same", path=places[1], value=level.plus, allowed="two different levels")
    if alone and (again := [n for n, value in enumerate(parsed) if value in parsed[:n]]):
        problem, value = "two levels are the same", level.values[again[0]]
        raise InputError(problem, path=places[again[0]], value=value, allowed="different levels")
    return Level(level.path, given[0], given[-1], tuple(given[1:-1]))


def _lasting(level: Level, duration: Any, factor: float) -> Level:
    """Return levels of the duration in proportion, the shorter one being `duration`; other times times `factor`."""
    if level.path != "time.duration":
        first, *inner, last = (stretched(level.path, value, factor) for value in level.values)
        return Level(level.path, first, last, tuple(inner)) if factor != 1 else level
    asked, *own = (settings.parse(level.path, value) for value in (duration, *level.values))
    first, *inner, last = (f"{asked * value / min(own)!r} s" for value in own)
    return Level(level.path, first, last, tuple(inner))


def _refuse_set_twice(levels: Mapping[str, tuple[Level, ...]], places: Mapping[str, OwnFactor]) -> None:
    seen: dict[str, str] = {}
    for id, own in levels.items():
        for level in own:
            if other := settings.rival(level.path, seen):
                problem = f"factor {seen[other]} sets {other}"
                problem += " too" if other == level.path else f", which cannot be set beside {level.path}"
                raise _misplaced(places[id], problem, "one factor per path", ".path", id)
            seen[level.path] = id


def _misplaced(factor: OwnFactor, problem: str, allowed: str | None, inside: str = "", value: Any = None) -> InputError:
    """Return the error about a factor; `inside`: path in its table."""
    return InputError(problem, factor.part.file, f"{factor.where}{'' if factor.key else inside}", value, allowed)


def _refuse_fixed(levels: Mapping[str, tuple[Level, ...]], fixed: Mapping[str, tuple[str, str]]) -> None:
    """Raise InputError for a value both varied and set for every run; `fixed`: file and place where a path is set."""
    if "algorithms" in fixed:
        problem, allowed = "an experiment varies the algorithms; they cannot be set as well", "--algorithm(s)"
        raise _fixed(fixed["algorithms"], problem, f"the list algorithms of the file, {allowed}")
    for id, own in levels.items():
        for level in own:
            varied = settings.entry(level.path)
            others = [path for path in fixed if not varied or path != varied.whole]  # a value of a list may vary
            if other := settings.rival(level.path, others):
                raise _fixed(fixed[other], f"factor {id} varies {level.path}; it cannot be set as well")


def _fixed(place: tuple[str, str], problem: str, allowed: str | None = None) -> InputError:
    return InputError(problem, place[0] or None, place[1], None, allowed)


def _algorithms(table: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]]) -> tuple[str, ...]:
    given = list(core.algorithms()) if table.get("algorithms") in (ALL, [ALL]) else _list(table, "algorithms")
    if not given:
        allowed = f'a list such as ["tcp", "cubic"], or "{ALL}"'
        raise InputError("an experiment needs algorithms", path="algorithms", allowed=allowed)
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


def _mixed_with(
    table: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]], algorithms: tuple[str, ...]
) -> str | None:
    """Return the algorithm that the others are mixed with, or None if the experiment is not a mixed one."""
    shares = [id for id, own in levels.items() if any(is_share(level.path) for level in own)]
    if "mixed_with" not in table:
        if shares:
            problem = f"factor {shares[0]} varies {SHARE}: the other algorithm of the mix is missing"
            raise InputError(problem, path="mixed_with", allowed="the name of an algorithm, such as tcp")
        return None
    other = table["mixed_with"]
    try:
        other = resolve(other).name
    except InputError as error:
        raise error.located(path="mixed_with") from None
    if not shares:
        raise InputError("no factor varies the share", path="mixed_with", value=other, allowed=f'path = "{SHARE}"')
    for place, name in enumerate(algorithms):
        if not is_algorithm(name):
            problem = "an algorithm that is mixed with another needs to be one"
            raise InputError(problem, path=f"algorithms[{place}]", value=name, allowed=", ".join(core.algorithms()))
    return str(other)


def _conditions(
    table: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]], deployment: Deployment | None
) -> Rows:
    """Return all combinations for a grid or more than two levels of a factor, otherwise the rows of the design.

    A deployment has each of its levels in each condition of the other factors.
    """
    if deployment is not None:
        others = {id: own for id, own in levels.items() if id != FACTOR}
        return crossed(FACTOR, len(deployment.levels), _conditions(table, others, None))
    from mesonet.designs.rows import OPTIMAL

    optimal = _table(table, "design").get("kind") == OPTIMAL
    return conditions(table, levels, [id for id, own in levels.items() if optimal and _is_words(own)])


def _is_words(own: Sequence[Level]) -> bool:
    """Return True if nothing stands between the levels of a factor."""
    try:
        for level in own:
            between(level.path, level.minus, level.plus, 0.0)
    except InputError:
        return True
    return False


def conditions(
    table: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]], categorical: Sequence[str] = ()
) -> Rows:
    """Return all combinations for a grid or more than two levels of a factor, otherwise the rows of ``[design]``.

    Without ``[design]`` a full factorial. `categorical`: as for `mesonet.designs.rows.rows`.
    """
    from mesonet.designs.grid import grid
    from mesonet.designs.rows import OPTIMAL, rows

    design, ids = _table(table, "design"), list(levels)
    counts = {id: len(own[0].values) for id, own in levels.items()}
    more = {id: count for id, count in counts.items() if count > 2}
    if "grid" in table or (more and design.get("kind") != OPTIMAL):
        if design:
            most = max(counts, key=lambda id: counts[id])
            problem = f"factor {most} has {counts[most]} levels: the conditions are all combinations"
            allowed = f'no [design], kind = "{OPTIMAL}", or two levels for every factor'
            if "grid" in table:
                problem, allowed = "the conditions of [grid] are all combinations", "no [design], or [[factors]]"
            raise InputError(problem, path="design", allowed=allowed)
        refuse_too_many(math.prod(counts.values()), 1, 1)
        return grid(counts)
    if design and not ids:
        raise InputError("a design needs factors", path="design", allowed="[[factors]], or no [design]")
    try:
        return rows(ids, design, more, categorical)
    except InputError as error:
        path = f"design.{error.path}" if error.path else "design"
        raise InputError(error.problem, path=path, value=error.value, allowed=error.allowed) from None


def _refuse_gaps(rows: Rows, levels: Mapping[str, tuple[Level, ...]], places: Mapping[str, OwnFactor]) -> None:
    """Raise InputError if the design needs values between the levels of a factor that has none."""
    for place, (id, own) in enumerate(levels.items()):
        inner = [x for x in rows.matrix[:, place].tolist() if abs(x) != 1]
        for level in own if inner and not own[0].inner else ():
            try:
                between(level.path, level.minus, level.plus, inner[0])
                if not rows.is_sampled:
                    value_at = partial(between, level.path, level.minus, level.plus)
                    refuse_rounded(level.minus, level.plus, value_at, inner)
            except InputError as error:
                raise _misplaced(places[id], error.problem, error.allowed) from None


def _known(table: Mapping[str, Any], keys: Sequence[str], prefix: str = "") -> None:
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


def flag(table: Mapping[str, Any], key: str) -> bool:
    """Return a value of a file that is true or false; false without it."""
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise InputError("neither true nor false", path=key, value=value, allowed="true or false")
    return value


def texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a list of texts of a file; empty without it."""
    given = table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise InputError("not a list of texts", path=key, value=given, allowed='such as ["bbr3 : cubic"]')
    return tuple(given)


def campaign_name(table: Mapping[str, Any]) -> str:
    """Return the name, which is also the default folder of the campaign."""
    name = _text(table, "name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or file_stem(name) != name:
        allowed = "at most 80 letters, digits, and . _ - behind the first; no device of Windows, such as con"
        raise InputError("not a name", path="name", value=name, allowed=allowed)
    return name
