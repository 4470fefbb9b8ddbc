"""Experiments with a model that is no network: a Python function or a program (`mesonet.models.model`).

An experiment file names it instead of a scenario::

    name = "queues"
    title = "Waiting times in a shop"
    model = {command = ["python3", "queue.py"]}     # JSON in, JSON out; beside this file
                                                    # or {function = "queue.py:simulate"}, which starts no process
    alternatives = {policy = ["fifo", "sjf"]}       # optional: given to the model as the parameter policy
    seed = 1
    replicates = 3

    [parameters]                                    # for every run
    customers = 10000

    [responses]                                     # units of the responses of the model; "1" by default
    first_wait = {unit = "min", missing = true}     # a run may have no value of it
    mean_wait = {unit = "min", better = "lower"}    # or "higher", or the number that is best
    busy = {share = true}                           # is shown in %
    queue = "patients"

    [[factors]]
    id = "arrivals"                                 # also the parameter that it sets; or path = "..."
    minus = 0.5                                     # between two whole numbers stand whole numbers only
    plus = 0.9

    [design]
    runs = 8                                        # see mesonet.designs.rows
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import models, units
from mesonet.campaign.limits import MOST_RUNS, refuse_too_many
from mesonet.errors import InputError, unknown
from mesonet.experiments.base import ALGORITHM, NO_ALGORITHM, Designed, Level
from mesonet.experiments.grids import factor_tables
from mesonet.experiments.levels import number_at, number_between, refuse_rounded
from mesonet.experiments.reading import campaign_name, conditions, flag, texts
from mesonet.simulation.simulate import LARGEST_SEED

if TYPE_CHECKING:
    from mesonet.designs.rows import Rows

SEED_BITS = 31
"""Bits of the seeds of models: signed integers of 32 bits hold them, as ``set.seed`` of R wants."""

_KEYS = (
    "name", "title", "description", "model", "algorithms", "alternatives", "seed", "replicates", "parameters",
    "responses", "factors", "grid", "design", "comparisons", "common_random_numbers",
)  # fmt: skip
_FACTOR_KEYS = ("id", "name", "path", "minus", "plus", "levels")
_RESPONSE_KEYS = ("unit", "missing", "better", "share", "title")


@dataclass(frozen=True)
class ResponseWords:
    """Words of reports about responses, by name."""

    better: Mapping[str, str | float] = field(default_factory=dict)  #: lower, higher, or the best value
    shares: tuple[str, ...] = ()  #: responses that are shown in %
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ModelExperiment(Designed):
    """Experiment with a model."""

    described: Mapping[str, Any]  #: description of the model, as `mesonet.models.model.described` returns it
    given: Mapping[str, Any] = field(repr=False)  #: parameters of every run, by name
    words: ResponseWords = field(default_factory=ResponseWords, repr=False)

    @property
    def model(self) -> dict[str, Any]:
        """Description of the model that runs."""
        return dict(self.described)

    def condition(self, number: int, algorithm: str | None = None) -> dict[str, Any]:
        """Return the parameters of a condition.

        `number`: condition, from 1, in the order of the design. `algorithm`: which the model gets as the parameter
        ``algorithm``; by default the first of the experiment.
        """
        place = units.integer(number, "--condition", 1, self.conditions) - 1
        algorithm = self.algorithms[0] if algorithm is None else algorithm
        if algorithm not in self.algorithms:
            raise unknown(self.alternative, algorithm, self.algorithms, path="--algorithm")
        values = {
            level.path: number_at(level, x)
            for levels, x in zip(self.levels.values(), self.rows.matrix[place].tolist(), strict=True)
            for level in levels
        }
        named = {} if self.algorithms == NO_ALGORITHM else {self.alternative: algorithm}
        return {**self.given, **values, **named}

    def canonical(self, number: int, algorithm: str) -> dict[str, Any]:
        """Return all that a run of a condition depends on but its seed."""
        return {"parameters": self.condition(number, algorithm)}

    def _own_entries(self) -> dict[str, Any]:
        from msgspec import UNSET

        from mesonet.campaign.documents import ModelDescription, ModelWords

        model, of = ModelDescription(**self.described), self.words
        words = ModelWords(
            alternative=self.alternative if self.alternative != ALGORITHM else UNSET,
            better=dict(of.better) or UNSET,
            shares=list(of.shares) or UNSET,
            titles=dict(of.titles) or UNSET,
        )
        plain = {"scenario": "model", "scale": 1.0, "mixed_with": None, "response_set": "all"}
        return {**plain, "model": model, "words": words, "seed_bits": SEED_BITS}

    def parameters(self) -> list[dict[str, str]]:
        """Return every parameter: path, value, unit, doc, source."""
        source = f"set in {self.file}"
        rows = {path: (_text(value), source) for path, value in self.given.items()}
        for factor in self.factors:
            for level in self.levels[factor.id]:
                word = "to" if level.inner else "or"
                text = f"{_text(level.minus)} {word} {_text(level.plus)}"
                rows[level.path] = text, f"factor {factor.id}, {source}"
        return [
            {"path": path, "value": value, "unit": "", "source": where, "doc": ""}
            for path, (value, where) in rows.items()
        ]

    def check(self, force: bool = False) -> list[str]:
        """Return no warnings: nothing can be known of a model before it runs."""
        return []

    def level_text(self, factor: str, place: float) -> str:
        """Return the value that a factor sets at a place from -1 for minus to +1 for plus, as text."""
        levels = self.levels[factor]
        return ", ".join(_text(number_at(level, place)) for level in levels)


def from_table(
    table: Mapping[str, Any],
    file: str,
    directory: Path | None,
    model: Callable[..., Any] | Sequence[str] | Mapping[str, Any] | None = None,
) -> ModelExperiment:
    """Return an experiment from the tables of a file, or from equal Python data with the model.

    `directory`: the folder that relative paths start from; by default the working directory. `model`: a function or a
    command line instead of the entry ``model``.
    """
    try:
        for key in table:
            if key not in _KEYS:
                raise InputError(unknown("key", key, _KEYS).problem, path=key, allowed=", ".join(_KEYS))
        described = models.described(table["model"] if model is None else model, directory or ".")
        levels, names = _factors(table)
        given = _mapping(table, "parameters")
        answers, words = _responses(table)
        alternative, algorithms = _alternatives(table)
        rows = conditions(table, levels, [id for id, own in levels.items() if _is_words(own)])
        _refuse_strangers(given, levels, rows, "" if algorithms == NO_ALGORITHM else alternative)
        replicates = units.integer(table.get("replicates", 1), "replicates", 1, MOST_RUNS)
        refuse_too_many(rows.conditions, len(algorithms), replicates)
        return ModelExperiment(
            name=campaign_name(table),
            title=_words(table, "title", campaign_name(table)),
            description=_words(table, "description", ""),
            file=file,
            levels=levels,
            names=names,
            rows=rows,
            algorithms=algorithms,
            seed=units.integer(table.get("seed", 1), "seed", 0, LARGEST_SEED),
            replicates=replicates,
            comparisons=texts(table, "comparisons"),
            common_random_numbers=flag(table, "common_random_numbers"),
            described={**described, **answers},
            given=given,
            alternative=alternative,
            words=words,
        )
    except InputError as error:
        raise error.located(file=file) from None


def _responses(table: Mapping[str, Any]) -> tuple[dict[str, Any], ResponseWords]:
    """Return the entries of a model about its responses (units, and those that may lack a value), and their words."""
    units: dict[str, str] = {}
    missing, shares, better, titles = [], [], {}, {}
    for name, given in _mapping(table, "responses").items():
        where = f"responses.{name}"
        about = {"unit": given} if isinstance(given, str) else given
        if not isinstance(about, Mapping) or not isinstance(about.get("unit", "1"), str):
            allowed = 'text in quotes, or a table such as {unit = "min", missing = true}'
            raise InputError("not a unit", path=where, value=given, allowed=allowed)
        for key in about:
            if key not in _RESPONSE_KEYS:
                raise unknown("key", key, _RESPONSE_KEYS, path=f"{where}.{key}")
        for key in ("missing", "share"):
            if not isinstance(flagged := about.get(key, False), bool):
                raise InputError("not true or false", path=f"{where}.{key}", value=flagged, allowed="true or false")
        units[name] = about.get("unit", "1")
        missing += [name] if about.get("missing") else []
        if about.get("share"):
            if units[name] != "1":
                raise InputError("a share has no unit", path=f"{where}.unit", value=units[name], allowed='"1", or none')
            shares.append(name)
        if "better" in about:
            better[name] = direction(about["better"], f"{where}.better")
        if "title" in about:
            if not isinstance(about["title"], str) or not about["title"].strip():
                raise InputError("not text", path=f"{where}.title", value=about["title"], allowed="text in quotes")
            titles[name] = about["title"]
    answers = {key: entries for key, entries in (("units", units), ("missing", missing)) if entries}
    return answers, ResponseWords(better, tuple(shares), titles)


def direction(given: Any, path: str) -> str | float:
    """Return what is better of a response: ``lower``, ``higher``, or the number that is best."""
    if given in ("lower", "higher"):
        return str(given)
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(given, bool) or not math.isfinite(number):
        raise InputError("not a direction", path=path, value=given, allowed='"lower", "higher", or the best value')
    return number


def _factors(table: Mapping[str, Any]) -> tuple[dict[str, tuple[Level, ...]], dict[str, str]]:
    listed = table.get("factors", [])
    if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
        raise InputError("not a list", path="factors", value=listed, allowed="[[factors]]")
    given = {f"factors[{place}]": factor for place, factor in enumerate(listed)}
    if "grid" in table:
        taken = [*(str(each.get("id")) for each in listed), *_mapping(table, "responses")]
        given |= {f"grid.{key}": each for key, each in factor_tables(table["grid"], taken).items()}
    if not given:
        raise InputError("an experiment needs factors", path="factors", allowed="at least one [[factors]], or [grid]")
    levels: dict[str, tuple[Level, ...]] = {}
    names: dict[str, str] = {}
    for where, factor in given.items():
        for key in factor:
            if key not in _FACTOR_KEYS:
                raise unknown("key", key, _FACTOR_KEYS, path=f"{where}.{key}")
        id = factor.get("id")
        if not isinstance(id, str) or not re.fullmatch(r"[A-Za-z]\w*", id) or id in levels:
            raise InputError("a factor needs an id of its own", path=f"{where}.id", value=id, allowed="a word")
        levels[id] = _levels(where, id, factor)
        names[id] = str(factor.get("name", id))
    return levels, names


def _levels(where: str, id: str, factor: Mapping[str, Any]) -> tuple[Level, ...]:
    """Return the levels of each parameter that a factor sets."""
    path, listed = str(factor.get("path", id)), factor.get("levels")
    if isinstance(listed, list | tuple):
        if {"minus", "plus"} & set(factor):
            raise InputError("give either minus and plus, or levels", path=where)
        return (_level(where if where.startswith("grid.") else f"{where}.levels", path, listed),)
    if "levels" in factor:
        if not isinstance(listed, Mapping):
            raise InputError("not a list of levels", path=f"{where}.levels", value=listed, allowed="such as [1, 2, 4]")
        if {"path", "minus", "plus"} & set(factor) or not listed:
            raise InputError("give either path, minus and plus, or levels", path=where)
        found = tuple(_level(f"{where}.{each}", each, values) for each, values in listed.items())
        for level in found:
            if len(level.values) != len(found[0].values):
                problem = f"{len(level.values)} levels, and {len(found[0].values)} of {found[0].path}"
                allowed = "as many levels for each path of a factor"
                raise InputError(problem, path=f"{where}.{level.path}", allowed=allowed)
        return found
    for key in ("minus", "plus"):
        if key not in factor:
            raise InputError("a factor needs two levels", path=f"{where}.{key}", allowed="a value")
    return (_level(f"{where}.{path}", path, [factor["minus"], factor["plus"]]),)


def _level(where: str, path: str, values: Any) -> Level:
    if not isinstance(values, list | tuple) or len(values) < 2:
        raise InputError("not two levels or more", path=where, value=values, allowed="[minus, plus], or more levels")
    for place, value in enumerate(values):
        if value in values[:place]:
            problem = "both levels are the same" if len(values) == 2 else "two levels are the same"
            raise InputError(problem, path=where, value=value, allowed="different levels")
    return Level(path, values[0], values[-1], tuple(values[1:-1]))


def _is_words(own: Sequence[Level]) -> bool:
    """Return True if nothing stands between the levels of a factor."""
    values = [value for level in own for value in level.values]
    return any(isinstance(value, bool) or not isinstance(value, int | float) for value in values)


def _refuse_strangers(
    given: Mapping[str, Any], levels: Mapping[str, tuple[Level, ...]], rows: Rows, alternative: str
) -> None:
    """Raise InputError for a parameter that is set twice, or that lacks values where the design needs some."""
    seen = dict.fromkeys(given, "parameters")
    for place, (id, own) in enumerate(levels.items()):
        if id == alternative:
            raise InputError(
                "the name of the alternatives", path=f"factors[{place}].id", value=id, allowed="another id"
            )
        for level in own:
            if level.path in seen or level.path == alternative:
                raise InputError(f"{level.path} is set twice", path=f"factors[{place}]", value=id)
            seen[level.path] = id
            inner = {x for x in rows.matrix[:, place].tolist() if abs(x) != 1}
            if inner and not level.inner:
                try:
                    value_at = partial(number_between, level.minus, level.plus)
                    value_at(0.0)
                    if not rows.is_sampled:
                        refuse_rounded(level.minus, level.plus, value_at, inner)
                except InputError as error:
                    raise InputError(error.problem, path=f"factors[{place}]", allowed=error.allowed) from None
    if alternative in given:
        raise InputError("the list of alternatives sets it", path=f"parameters.{alternative}")
    try:
        json.dumps([given, [vars(level) for own in levels.values() for level in own]], allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"a parameter is no plain data: {error}", path="parameters", allowed="as in JSON") from None


def _alternatives(table: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return what an alternative is called, and the names of all."""
    allowed = 'such as {policy = ["fifo", "sjf"]}'
    if "alternatives" not in table:
        return ALGORITHM, _names(table.get("algorithms", list(NO_ALGORITHM)), "algorithms", 'such as ["fifo", "sjf"]')
    given = table["alternatives"]
    if isinstance(given, list | tuple):
        given = {"alternative": given}
    if not isinstance(given, Mapping) or len(given) != 1:
        raise InputError("not one kind of alternative", path="alternatives", value=given, allowed=allowed)
    ((noun, names),) = given.items()
    if not re.fullmatch(r"[A-Za-z]\w*", noun):
        raise InputError("not a word", path="alternatives", value=noun, allowed=allowed)
    if "algorithms" in table:  # of a file, or --algorithms
        chosen = _names(table["algorithms"], "algorithms", allowed)
        for name in chosen:
            if name not in names:
                raise unknown(noun, name, names, path="algorithms")
        names = chosen
    return noun, _names(names, f"alternatives.{noun}", allowed)


def _names(given: Any, path: str, allowed: str) -> tuple[str, ...]:
    if not isinstance(given, list | tuple) or not given or not all(isinstance(name, str) and name for name in given):
        raise InputError("not a list of names", path=path, value=given, allowed=allowed)
    if len(set(given)) != len(given):
        raise InputError("named twice", path=path, value=given, allowed="each name once")
    return tuple(given)


def _mapping(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise InputError("not a table", path=key, value=value, allowed=f"[{key}]")
    return dict(value)


def _words(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError("missing" if value is None else "not text", path=key, value=value, allowed="text in quotes")
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.12g}" if isinstance(value, float) else json.dumps(value)
