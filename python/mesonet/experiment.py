"""Experiments: a scenario, a two-level design over some of its values, and the algorithms to compare.

An experiment is a TOML file::

    name = "speed-and-delay"
    title = "Two factors, two algorithms"
    scenario = "abilene"                    # a built-in scenario or a TOML file
    algorithms = ["tcp", "cubic"]           # each runs in every condition, used by all sources
    seed = 1
    replicates = 1                          # runs per condition and algorithm, with other random numbers
    responses = "asme-22"                   # what to analyse: see `mesonet list response-sets`
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

    [design]
    generators = []                         # such as "X6=X1*X2*X3"; without any, a full factorial
                                            # or runs = 16, or resolution = "IV", or name = "nist-2012"

``algorithms = "all"`` stands for every one that there is; without factors there is one condition.

In a mixed experiment only a share of the sources uses the algorithm, and the others the one that all are mixed with::

    mixed_with = "tcp"

    [[factors]]
    id = "X15"
    path = "mixed_share"
    minus = 0.3
    plus = 0.7
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import core, places, settings, units
from mesonet.errors import InputError, unknown
from mesonet.experiment_file import Level, read
from mesonet.factors import Factor
from mesonet.mixing import SHARE, mix, parse_share
from mesonet.parameters import PARAMETERS
from mesonet.scaling import checked_scale, refuse_distorted, scaled
from mesonet.scenario import Scenario, builtin_titles, find_toml, read_toml

if TYPE_CHECKING:
    import polars as pl

    from mesonet.campaign.data import Campaign
    from mesonet.designs import Design


MOST_WORKERS = 1_000
"""Runs at a time: more than any machine that this was written for can bear."""

_MOST_LISTED = 8


@dataclass(frozen=True, eq=False)
class Experiment:
    """Everything that defines a campaign.

    `levels` holds, per factor, what its two levels set. Where `mixed_with` is an algorithm, the `algorithms` are
    alternates to it (`mesonet.mixing`).
    """

    name: str
    title: str
    description: str
    file: str
    scenario: Scenario
    levels: Mapping[str, tuple[Level, ...]] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    design: Design = field(repr=False)
    algorithms: tuple[str, ...]
    mixed_with: str | None
    seed: int
    replicates: int
    response_set: str
    keep: tuple[str, ...] = ()
    scale: float = 1.0

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors with their levels as text, scaled."""
        return tuple(
            Factor(
                id,
                self.names[id],
                ", ".join(level.path for level in levels),
                self._level_text(levels, -1),
                self._level_text(levels, 1),
            )
            for id, levels in self.levels.items()
        )

    def condition(self, number: int, algorithm: str | None = None) -> Scenario:
        """The scenario of a condition.

        Parameters
        ----------
        number
            Counts from 1, in the order of the design.
        algorithm
            What all sources use or, in a mixed experiment, the alternate; by default the first of the experiment.

        Raises
        ------
        InputError
            If there is no such condition or algorithm.
        """
        if algorithm is None:
            algorithm = self.algorithms[0]
        elif self.mixed_with and algorithm not in core.algorithms():
            raise unknown("algorithm", algorithm, core.algorithms(), path="--algorithm")
        try:
            settings.parse("algorithms", algorithm)
        except InputError as error:
            raise InputError(error.problem, None, "--algorithm", error.value, error.allowed) from None
        return scaled(self._unscaled(number, algorithm), self.scale)

    def document(self) -> dict[str, Any]:
        """The whole experiment as plain data: what a campaign folder holds as ``experiment.json``.

        Raises
        ------
        InputError
            If a condition contradicts itself.
        """
        from mesonet.campaign.documents import FORMAT

        return {
            "format": FORMAT,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "scenario": self.scenario.name,
            "scale": self.scale,
            "seed": self.seed,
            "replicates": self.replicates,
            "algorithms": list(self.algorithms),
            "mixed_with": self.mixed_with,
            "response_set": self.response_set,
            **({"keep": list(self.keep)} if self.keep else {}),
            "factors": [vars(factor) for factor in self.factors],
            "design": {"factors": list(self.design.factors), "generators": list(self.design.generators)},
            "parameters": self.parameters(),
            "scenarios": [
                {
                    "condition": number,
                    "algorithm": algorithm,
                    "scenario": self.condition(number, algorithm).canonical(),
                }
                for number in range(1, self.design.runs + 1)
                for algorithm in self.algorithms
            ],
        }

    def parameters(self) -> list[dict[str, str]]:
        """Every value of the base scenario and every constant of the algorithms: path, value, unit, doc, source.

        A value that a factor varies shows both its levels.
        """

        names = list(dict.fromkeys([*self.algorithms, *([self.mixed_with] if self.mixed_with else [])]))
        varied = {path: factor for factor in self.factors for path in factor.path.split(", ")}
        constants = {
            f"parameters.{name}.{constant.name}": constant
            for name in names
            for constant in core.algorithms()[name].params
        }
        rows: dict[str, dict[str, str]] = {}
        for algorithm in names:
            for explained in scaled(self.scenario.set("algorithms", algorithm), self.scale).explain():
                path, value, source = explained.path, explained.value, explained.source
                if path == "algorithms":
                    value, source = ", ".join(self.algorithms), f"set in {self.file}; one at a time"
                    value += f", each mixed with {self.mixed_with}" if self.mixed_with else ""
                elif path in varied:
                    value = f"{varied[path].minus} or {varied[path].plus}"
                    source = f"factor {varied[path].id}, set in {self.file}"
                about = PARAMETERS.get(path) or constants.get(path)
                row = {"value": value, "unit": constants[path].unit if path in constants else "", "source": source}
                rows.setdefault(path, {"path": path, **row, "doc": about.doc if about else ""})
        return list(rows.values())

    def plan(self) -> pl.DataFrame:
        """The run table: condition, algorithm, replicate, seed, the level of each factor, key, scenario (JSON)."""
        import polars as pl

        from mesonet.campaign.ledger import planned

        factors = self.factors
        rows = []
        for run in planned(self.document(), core.code_version()):
            signs = self.design.matrix[run.condition - 1]
            texts = {f.id: f.plus if sign > 0 else f.minus for f, sign in zip(factors, signs, strict=True)}
            row = {"condition": run.condition, "algorithm": run.algorithm, "replicate": run.replicate}
            rows.append({**row, "seed": run.seed, **texts, "key": run.key, "scenario": run.scenario})
        return pl.DataFrame(rows)

    def check(self, force: bool = False) -> list[str]:
        """Asks the simulator about every condition; returns its warnings, each with the conditions that it is about.

        Raises
        ------
        InputError
            If the simulator refuses a condition, or the scale distorts one and `force` is not set.
        """
        about: dict[str, list[int]] = {}
        for number in range(1, self.design.runs + 1):
            try:
                described = self.condition(number).describe()
                if not force:
                    self.refuse_distortion(number)
            except InputError as error:
                raise InputError(
                    error.problem, f"{self.file}, condition {number}", error.path, error.value, error.allowed
                ) from None
            for warning in described["warnings"]:
                about.setdefault(warning, []).append(number)
        return [f"{warning} ({_conditions(numbers, self.design.runs)})" for warning, numbers in about.items()]

    def refuse_distortion(self, number: int) -> None:
        """Raises an `InputError` where the scale makes another kind of network of a condition."""
        if self.scale != 1:
            refuse_distorted(self._unscaled(number, self.algorithms[0]), self.scale)

    def run(self, out: str | Path, workers: int | None = None, progress: bool = True, force: bool = False) -> Campaign:
        """Runs what is missing of the campaign in `out`.

        Parameters
        ----------
        out
            The campaign folder: new, empty, or begun with this experiment.
        workers
            Runs at a time; by default the number of processors.
        progress
            Whether to show progress on stderr.
        force
            Run even where the scale distorts the network.

        Raises
        ------
        InputError
            If a condition is refused or the folder holds something else; nothing is written then.
        """
        if workers is not None:
            workers = units.integer(workers, "workers", 1, MOST_WORKERS)
        from mesonet.campaign.data import load
        from mesonet.campaign.ledger import Ledger
        from mesonet.campaign.runner import run_missing

        with places.folder(out):
            document = self.document()
            Ledger(out).refuse_other(document)
            self.check(force)
            run_missing(Ledger.create(out, document), workers, progress)
        return load(out)

    def _unscaled(self, number: int, algorithm: str) -> Scenario:
        signs = self.design.matrix[units.integer(number, "--condition", 1, self.design.runs) - 1]
        values = {
            level.path: level.plus if sign > 0 else level.minus
            for levels, sign in zip(self.levels.values(), signs, strict=True)
            for level in levels
        }
        share = values.pop(SHARE, None)
        algorithms = mix(algorithm, self.mixed_with, parse_share(share)) if self.mixed_with else algorithm
        there = self.scenario.with_values({**values, "algorithms": algorithms}, f"set in {self.file}")
        return replace(there, name=f"{self.name} condition {number}")

    def _level_text(self, levels: tuple[Level, ...], sign: int) -> str:
        given = {level.path: level.plus if sign > 0 else level.minus for level in levels}
        there = scaled(self.scenario.with_values({p: v for p, v in given.items() if p != SHARE}), self.scale)
        return ", ".join(
            units.show("number", parse_share(value)) if path == SHARE else settings.show(path, there.value(path))
            for path, value in given.items()
        )


def experiment(
    name_or_path: str | Path,
    /,
    *,
    duration: str | None = None,
    algorithms: Sequence[str] | None = None,
    scale: float = 1.0,
    replicates: int | None = None,
    seed: int | None = None,
    values: Mapping[str, Any] | None = None,
) -> Experiment:
    """A built-in experiment or one from a TOML file.

    Parameters
    ----------
    name_or_path
        A built-in name (see `names`) or the path of a TOML file.
    duration
        Simulated time of a run, such as ``"5 min"``; the warm-up follows unless it is set. Where a factor varies it,
        the shorter level becomes this and the other keeps its ratio.
    algorithms
        Algorithms instead of those of the file.
    scale
        Multiplies the speed of the network and the number of sources together; interfaces stay as they are.
    replicates, seed
        Instead of those of the file.
    values
        Other values for every run, by path.

    Raises
    ------
    InputError
        If there is no such experiment or a value is not allowed; the message names file, path, value and what is.
    """
    text, file, directory = find_toml(str(name_or_path), "studies", "experiment")
    table = read_toml(text, file)
    given = {
        "algorithms": list(algorithms) if algorithms is not None else None,
        "duration": duration,
        "replicates": replicates,
        "seed": seed,
    }
    options = {key: value for key, value in given.items() if value is not None}
    parts = read(table, file, directory, options, values or {})
    return Experiment(**parts, file=file, scale=checked_scale(scale))


def names() -> dict[str, str]:
    """The built-in experiments: title by name."""
    return builtin_titles("studies")


def _conditions(numbers: list[int], runs: int) -> str:
    if len(numbers) == runs:
        return "every condition"
    if len(numbers) > _MOST_LISTED:
        return f"{len(numbers)} of {runs} conditions, the first is {numbers[0]}"
    return f"condition{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
