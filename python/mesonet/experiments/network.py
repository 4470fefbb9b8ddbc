"""Experiments: a scenario, a two-level design over some of its values, and the algorithms to compare.

An experiment is a TOML file::

    name = "speed-and-delay"
    title = "Two factors, two algorithms"
    scenario = "abilene"                    # a built-in scenario or a TOML file
    algorithms = ["tcp", "cubic"]           # each runs in every condition, used by all sources
    seed = 1
    replicates = 1                          # runs per condition and algorithm, with other random numbers
    responses = "asme-22"                   # responses to analyse: see `mesonet list response-sets`
    proportional = false                    # true: with --duration explicit flows keep their share of the run
    keep = []                               # tables of a run to keep beside its responses, such as "flow_traces"

    [set]                                   # values for every run
    "time.duration" = "100 s"

    [[factors]]
    id = "X1"                               # name and path follow from the id for X1 to X20
    minus = "400 seg/ms"
    plus = "800 seg/ms"

    [[factors]]
    id = "X6"                               # a factor that sets several values: path = [minus, plus]
    levels."users.document_probability" = [0.02, 0.04]
    levels."users.movie_probability" = [0.0002, 0.0004]

    [design]                                # without it a full factorial; see mesonet.designs.rows
    generators = ["X6=X1*X2*X3"]            # or runs = 16, or resolution = "IV", or name = "nist-2012"

``base = "exp-2a"`` takes every value that the file lacks from another experiment, see
`mesonet.experiments.inheritance`.

``[grid]`` has levels by path, and a factor may have a list of ``levels``. With the table, or more than two levels of a
factor, the conditions are all combinations of all factors, without ``[design]``, see `mesonet.experiments.grids`.

A run can be a program instead of a network: ``model = {command = ["python3", "queue.py"]}`` instead of the scenario,
see `mesonet.experiments.model`.

``[[conclusions]]`` are statements about the algorithms that the report evaluates in every condition, see
`mesonet.experiments.conclusions`.

``algorithms = "all"`` stands for every algorithm; without factors there is one condition.

In a mixed experiment a share of the sources uses the algorithm, and the other sources use `mixed_with`::

    mixed_with = "tcp"

    [[factors]]
    id = "X15"
    path = "mixed_share"
    minus = 0.3
    plus = 0.7

A factor with the path ``mixed_share.cubic`` is the share of an algorithm that every alternate meets besides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import core, units
from mesonet.algorithms import resolve, split
from mesonet.designs.grid import KIND, level_at
from mesonet.errors import InputError, unknown
from mesonet.experiments.base import Designed, share_of_runs
from mesonet.experiments.deployment import FACTOR, SCHEDULE, Deployment
from mesonet.experiments.inheritance import Part, parts
from mesonet.experiments.levels import at
from mesonet.experiments.mixed import INCUMBENT, is_share, mix
from mesonet.experiments.reading import read
from mesonet.files.toml import EXPERIMENTS, builtin_titles, find_toml, read_toml
from mesonet.numpy_data import plain
from mesonet.scenarios import constants, settings
from mesonet.scenarios.derived import highest_load, name_notes, segment_hops
from mesonet.scenarios.kinds.mix import parse_share
from mesonet.scenarios.parameters import PARAMETERS
from mesonet.scenarios.scaling import checked_scale, refuse_distorted, scale_notes, scaled
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.size import refuse_large

if TYPE_CHECKING:
    from mesonet.campaign.documents import ConclusionEntry
    from mesonet.experiments.model import ModelExperiment


_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z].*?)\s*")
"""A number and its unit, which a grid shows as they are given."""


@dataclass(frozen=True, eq=False)
class Experiment(Designed):
    """Everything that defines a campaign of networks.

    Attributes
    ----------
    scenario
        The base scenario, with the values for every run.
    mixed_with
        The algorithm that the `algorithms` are alternates to (`mesonet.experiments.mixed`); None: not mixed.
    response_set
        Name of the responses to analyse.
    keep
        Tables of a run to keep beside its responses.
    conclusions
        Conclusions that the report evaluates in every condition (`mesonet.experiments.conclusions`).
    deployment
        The deployment that the factor ``share`` sweeps (`mesonet.experiments.deployment`); None: no deployment.
    scale
        Factor on the rates of the network and the number of sources.
    """

    scenario: Scenario
    mixed_with: str | None
    response_set: str
    keep: tuple[str, ...] = ()
    conclusions: tuple[ConclusionEntry, ...] = ()
    deployment: Deployment | None = None
    scale: float = 1.0

    def condition(self, number: int, algorithm: str | None = None) -> Scenario:
        """Return the scenario of a condition.

        Parameters
        ----------
        number
            Counts from 1, in the order of the design.
        algorithm
            The algorithm of all sources or, in a mixed experiment, the alternate; by default the first of the
            experiment.

        Returns
        -------
        The scenario, scaled.

        Raises
        ------
        InputError
            If there is no such condition or algorithm.
        """
        if algorithm is None:
            algorithm = self.algorithms[0]
        try:
            parsed = settings.parse("algorithms", algorithm)
            if self.mixed_with and len(parsed) > 1:
                raise unknown("algorithm", algorithm, core.algorithms())
        except InputError as error:
            raise InputError(error.problem, None, "--algorithm", error.value, error.allowed) from None
        return scaled(self._unscaled(number, algorithm), self.scale)

    def canonical(self, number: int, algorithm: str) -> dict[str, Any]:
        """Return the canonical scenario of a condition: all that a run depends on but its seed.

        Parameters
        ----------
        number
            Condition, from 1.
        algorithm
            An algorithm of the experiment.

        Returns
        -------
        Plain data, from which the key of the run is computed.

        Raises
        ------
        InputError
            If there is no such condition or it contradicts itself.
        """
        return self.condition(number, algorithm).canonical()

    def _own_entries(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario.name,
            "scale": self.scale,
            "mixed_with": self.mixed_with,
            "response_set": self.response_set,
            **({"keep": list(self.keep)} if self.keep else {}),
            **({"conclusions": list(self.conclusions)} if self.conclusions else {}),
            **({"deploy": self.deployment.entry()} if self.deployment else {}),
        }

    def parameters(self) -> list[dict[str, str]]:
        """Return every value of the base scenario and every constant of the algorithms.

        A value that a factor varies shows both its levels.

        Returns
        -------
        Rows of path, value, unit, doc and source, as text.
        """
        names = list(dict.fromkeys([*self.algorithms, *([self.mixed_with] if self.mixed_with else [])]))
        varied = {path: factor for factor in self.factors for path in factor.paths}
        constants = {
            f"parameters.{name}.{constant.name}": constant
            for listed in names
            for name, _ in settings.parse("algorithms", listed)  # the members, where it is a mix
            for constant in resolve(name).algorithm.params
        }
        rows: dict[str, dict[str, str]] = {}
        for algorithm in names:
            for explained in scaled(self.scenario.set("algorithms", algorithm), self.scale).explain():
                path, value, source = explained.path, explained.value, explained.source
                if path == "algorithms":
                    value, source = ", ".join(self.algorithms), f"set in {self.file}; one at a time"
                    value += f", each mixed with {self.mixed_with}" if self.mixed_with else ""
                elif path in varied:
                    word = "or" if all(len(level.values) == 2 for level in self.levels[varied[path].id]) else "to"
                    value = f"{varied[path].minus} {word} {varied[path].plus}"
                    source = f"factor {varied[path].id}, set in {self.file}"
                about = PARAMETERS.get(path) or constants.get(path)
                row = {"value": value, "unit": constants[path].unit if path in constants else "", "source": source}
                rows.setdefault(path, {"path": path, **row, "doc": about.doc if about else ""})
        return list(rows.values())

    def check(self, force: bool = False) -> list[str]:
        """Check every condition with the simulator.

        Parameters
        ----------
        force
            Accept conditions that the scale distorts.

        Returns
        -------
        Warnings, each with the conditions that it is about.

        Raises
        ------
        InputError
            If the simulator refuses a condition, or the scale distorts one and `force` is not set.
        """
        about: dict[str, list[int]] = {}
        idle = self._idle_constants()
        variants = [name for name in self.algorithms[1:] if "(" in name]
        for number in range(1, self.conditions + 1):
            try:
                condition = self.condition(number)
                described = condition.describe()
                for name in variants:  # a factor may give the algorithm a value that the name repeats
                    self.condition(number, name).check()
                if not force:
                    self.refuse_distortion(number)
            except InputError as error:
                raise InputError(
                    error.problem, f"{self.file}, condition {number}", error.path, error.value, error.allowed
                ) from None
            notes = (*name_notes(condition), *scale_notes(condition), *described["raised"], *described["warnings"])
            for warning in notes:
                about.setdefault(warning, []).append(number)
        return idle + [f"{warning} ({share_of_runs(numbers, self.conditions)})" for warning, numbers in about.items()]

    def refuse_large(self, memory: int | None = None) -> None:
        """Raise an `InputError` if a run would need more memory than is allowed.

        Parameters
        ----------
        memory
            Most memory of a run, bytes; None: 4 GiB.

        Raises
        ------
        InputError
            With the condition.
        """
        for number in range(1, self.conditions + 1):
            try:
                refuse_large(self.condition(number).to_json(), memory)
            except InputError as error:
                raise error.located(file=f"{self.file}, condition {number}") from None

    def _idle_constants(self) -> list[str]:
        """Return warnings of constants that no flow of any condition uses; raise InputError if set by ``--set``."""
        listed = [*self.algorithms, *([self.mixed_with] if self.mixed_with else [])]
        used = list(dict.fromkeys(name for each in listed for name, _ in settings.parse("algorithms", each)))
        warnings = []
        for path in self.scenario.set("algorithms", self.algorithms[0]).unused(used):
            setting = self.scenario.settings[path]
            problem, allowed = constants.why_idle(path, used)
            if setting.source == "--set":
                raise InputError(problem, "--set", path, setting.text, allowed)
            warnings.append(f"{path} = {setting.text} has no effect: {problem} ({setting.source})")
        return warnings

    def refuse_distortion(self, number: int) -> None:
        """Raise an `InputError` where the scale makes another kind of network of a condition.

        Parameters
        ----------
        number
            Condition, from 1.

        Raises
        ------
        InputError
            If the scale is not 1 and distorts the network.
        """
        if self.scale != 1:
            refuse_distorted(self._unscaled(number, self.algorithms[0]), self.scale)

    def expected_cost(self) -> list[float]:
        """Return the expected relative cost of a run of each condition.

        Returns
        -------
        Segments times hops, one number per condition: the demand of users or the capacity of the network, if less.
        """
        return [segment_hops(self.condition(number)) for number in range(1, self.conditions + 1)]

    def offered_loads(self) -> list[tuple[float, str]]:
        """Return the highest load that a router of each condition is offered, and the class of the router.

        Returns
        -------
        Shares of the router's speed and classes, one pair per condition.
        """
        return [load for load, _ in self._offered]

    def arrivals(self) -> list[list[dict[str, Any]]]:
        """Return the processes of open-loop arrivals of each condition.

        Returns
        -------
        By condition, then process: rate in flows/s, mean size in segments, load and its queue, as `Scenario.describe`
        returns them.
        """
        return [processes for _, processes in self._offered]

    @cached_property
    def _offered(self) -> list[tuple[tuple[float, str], list[dict[str, Any]]]]:
        # A plan shows them and chooses its pilots by them.
        described = (self.condition(number).describe() for number in range(1, self.conditions + 1))
        return [(highest_load(each), each["arrivals"]) for each in described]

    def level_text(self, factor: str, place: float) -> str:
        """Return the value that a factor sets at a place, scaled, as text.

        Parameters
        ----------
        factor
            Id of the factor.
        place
            From -1 for minus to +1 for plus.

        Returns
        -------
        The value with its unit; several, separated by commas, if the factor sets more than one path.
        """
        if self.deployment is not None and factor == FACTOR:
            return self.deployment.level_text(level_at(place, len(self.deployment.levels)))
        given = {level.path: at(level, place) for level in self.levels[factor]}
        there = self.scenario.with_values({path: value for path, value in given.items() if not is_share(path)})
        return ", ".join(self._level_text(path, value, there) for path, value in given.items())

    def _level_text(self, path: str, value: Any, there: Scenario) -> str:
        """Return the text of a value; `there`: the scenario with it, not scaled."""
        if is_share(path):
            return units.number_text(parse_share(value))
        if (
            self.rows.kind == KIND
            and self.scale == 1
            and isinstance(value, str)
            and (own := _QUANTITY.fullmatch(value))
        ):
            return f"{own[1]} {own[2]}"
        scaled_value = scaled(there, self.scale).value(path)
        of_bytes = self._sizes_differ and (units.RATE.of_bytes(value) or units.SEGMENTS.of_bytes(value))
        if not of_bytes:
            return settings.show(path, scaled_value)
        number, unit = of_bytes
        scale = 1.0 if scaled_value == there.value(path) else self.scale
        return f"{units.number_text(float(number) * scale)} {unit}"

    @cached_property
    def _sizes_differ(self) -> bool:
        """True if segments have more than one size, so that a value in bytes is no one number of segments."""
        varied = any(level.path.endswith("segment_bytes") for own in self.levels.values() for level in own)
        return varied or any("segment_bytes" in flow for flow in self.scenario.value("flows"))

    def _unscaled(self, number: int, algorithm: str) -> Scenario:
        places = self.rows.matrix[units.integer(number, "--condition", 1, self.conditions) - 1].tolist()
        values = {
            level.path: at(level, place)
            for levels, place in zip(self.levels.values(), places, strict=True)
            for level in levels
        }
        if self.deployment is not None and SCHEDULE in values:
            values[SCHEDULE] = [{**entry, "algorithm": algorithm} for entry in values[SCHEDULE]]
        shares = {path: parse_share(values.pop(path)) for path in [path for path in values if is_share(path)]}
        algorithms = mix(algorithm, self.mixed_with, shares) if self.mixed_with else algorithm
        if self.mixed_with and INCUMBENT not in {*self.scenario.settings, *values}:
            values[INCUMBENT] = self.mixed_with
        there = self.scenario.with_values({**values, "algorithms": algorithms}, f"set in {self.file}")
        return replace(there, name=f"{self.name} condition {number}")


def experiment(
    name_or_path: str | Path | None = None,
    /,
    *,
    duration: str | None = None,
    algorithms: str | Sequence[str] | None = None,
    scale: float = 1.0,
    replicates: int | None = None,
    seed: int | None = None,
    values: Mapping[str, Any] | None = None,
    model: Callable[..., Any] | Sequence[str] | None = None,
    factors: Mapping[str, Sequence[Any]] | None = None,
    design: Mapping[str, Any] | None = None,
    responses: Mapping[str, str | Mapping[str, Any]] | None = None,
    alternatives: Mapping[str, Sequence[str]] | None = None,
    name: str | None = None,
    title: str | None = None,
) -> Designed:
    """Return a built-in experiment, one from a TOML file, or one with any model.

    Parameters
    ----------
    name_or_path
        A built-in name (see `names`) or the path of a TOML file.
    duration
        Simulated time of a run, such as ``"5 min"``; the warm-up follows unless it is set. Where a factor varies it,
        the shorter level becomes this and the other keeps its ratio.
    algorithms
        Algorithms instead of those of the file: a list, names separated by commas, or ``"all"``. A model gets the
        algorithm of a run as the parameter ``algorithm``.
    scale
        Multiplies the speed of the network and the number of sources together; interfaces stay as they are.
    replicates, seed
        Instead of those of the file.
    values
        Other values for every run, by path; for a model, by parameter.
    model
        Instead of a name or a file: a function of (parameters, seed) that gives numbers by name, or a command line
        that reads and prints JSON; see `mesonet.models.model`.
    factors
        Levels by parameter, at least two each; with more than two of one, all combinations run. Only for a model.
    design
        Entries of the table ``[design]``, such as ``{"runs": 8}``; by default a full factorial. Only for a model.
    responses
        By response its unit, or a mapping with ``unit``, ``title``, ``better`` (``"lower"``, ``"higher"`` or the best
        value), ``share`` (True: shown in %) and ``missing``; only for a model.
    alternatives
        What is compared, by what it is called, such as ``{"policy": ["fifo", "sjf"]}``. A model gets the alternative of
        a run as this parameter. Only for a model.
    name, title
        Texts of the experiment; only for a model.

    Returns
    -------
    An `Experiment`, or with a model a `mesonet.experiments.model.ModelExperiment`.

    Raises
    ------
    InputError
        If there is no such experiment or a value is not allowed; the message names file, path, value and what is
        allowed.

    Examples
    --------
    >>> factors = {"servers": (1, 2), "load": (0.5, 0.9)}
    >>> chosen = experiment(model=["python3", "queue.py"], factors=factors, name="queue")
    >>> chosen.conditions, chosen.condition(2)
    (4, {'servers': 2, 'load': 0.5})
    """
    if isinstance(algorithms, str):
        algorithms = split(algorithms)
    given = {
        "algorithms": list(algorithms) if algorithms is not None else None,
        "duration": duration,
        "replicates": replicates,
        "seed": seed,
    }
    options = {key: value for key, value in given.items() if value is not None}
    if name_or_path is None:
        about = {"parameters": values, "design": design, "responses": responses, "name": name, "title": title,
                 "alternatives": alternatives}  # fmt: skip
        table = {**options, **{key: value for key, value in about.items() if value is not None}}
        return _of_function(model, factors, table, scale)
    own = {"model": model, "factors": factors, "design": design, "responses": responses, "name": name, "title": title,
           "alternatives": alternatives}  # fmt: skip
    for option, value in own.items():
        if value is not None:
            raise InputError("goes with a model in place of a file", path=option, value=value, allowed="the file's own")
    text, file, directory = find_toml(str(name_or_path), EXPERIMENTS, "experiment")
    table = read_toml(text, file)
    if "model" in table:
        return _of_file(
            table=table, file=file, directory=directory, options=plain(options), scale=scale, values=plain(values or {})
        )
    return experiment_of_parts(parts(table, file, directory), plain(options), plain(values or {}), scale)


def experiment_of_parts(
    read_parts: Sequence[Part], options: Mapping[str, Any], values: Mapping[str, Any], scale: float
) -> Experiment:
    """Return the experiment with a network that files describe."""
    return Experiment(**read(read_parts, options, values), file=read_parts[-1].file, scale=checked_scale(scale))


def experiment_of(table: Mapping[str, Any], file: str, directory: Path | None) -> Experiment:
    """Return the experiment with a network that a table describes."""
    return Experiment(**read((Part(plain(table), file, directory),), {}, {}), file=file)


def names() -> dict[str, str]:
    """Return the built-in experiments."""
    return builtin_titles(EXPERIMENTS)


def _of_function(
    model: Callable[..., Any] | Sequence[str] | None,
    factors: Mapping[str, Sequence[Any]] | None,
    table: dict[str, Any],
    scale: float,
) -> ModelExperiment:
    if model is None:
        raise InputError("an experiment needs a name, a file or a model", allowed=", ".join(names()))
    if factors is not None and not isinstance(factors, Mapping):
        allowed = 'a mapping, such as {"load": (1, 2)}'
        raise InputError("not levels by parameter", path="factors", value=factors, allowed=allowed)
    listed = [
        {"id": id, "levels": list(given) if isinstance(given, Sequence) else given}
        for id, given in (factors or {}).items()
    ]
    return experiment_of_model(model, {**table, "factors": listed}, "experiment(...)", scale)


def experiment_of_model(
    model: Callable[..., Any] | Sequence[str] | Mapping[str, Any], table: Mapping[str, Any], file: str, scale: float
) -> ModelExperiment:
    """Return the experiment with a function or a command line; `file`: as messages name the table."""
    from mesonet.experiments.model import from_table

    _refuse_network_options(table, scale)
    return from_table(plain({"name": getattr(model, "__name__", "model"), **table}), file, None, model)


def _of_file(
    table: dict[str, Any],
    file: str,
    directory: Path | None,
    options: dict[str, Any],
    scale: float,
    values: Mapping[str, Any],
) -> ModelExperiment:
    from mesonet.experiments.model import from_table

    _refuse_network_options(options, scale)
    own = table.get("parameters", {})
    parameters = {"parameters": {**own, **values}} if values and isinstance(own, Mapping) else {}
    return from_table({**table, **options, **parameters}, file, directory)


def _refuse_network_options(given: Mapping[str, Any], scale: float) -> None:
    for option, value, neutral in (("duration", given.get("duration"), None), ("scale", scale, 1.0)):
        if value != neutral:
            raise InputError("goes with networks only", path=f"--{option}", value=value)
