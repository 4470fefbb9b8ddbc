"""Base class of experiments: conditions of a design x algorithms x replicates, run into a folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import models, plugins, units
from mesonet.designs.factor import Factor
from mesonet.errors import InputError, unknown
from mesonet.experiments.comparands import Choices
from mesonet.files import places
from mesonet.words import own_names

if TYPE_CHECKING:
    import polars as pl

    from mesonet.campaign.backlog import RunOptions
    from mesonet.campaign.data import Campaign
    from mesonet.campaign.ledger import Ledger
    from mesonet.designs import Design
    from mesonet.designs.rows import Rows

ALGORITHM = "algorithm"
"""What an alternative is called, unless the experiment names it."""
NO_ALGORITHM = ("model",)
"""Algorithms of an experiment with a model and without alternatives."""
MOST_WORKERS = 1_000
"""Most runs at a time."""


@dataclass(frozen=True)
class Level:
    """Values that a factor sets at `path`, as users write them: both levels, and any levels between them."""

    path: str
    minus: Any
    plus: Any
    inner: tuple[Any, ...] = ()

    @property
    def values(self) -> tuple[Any, ...]:
        """Values of the levels, from minus to plus."""
        return (self.minus, *self.inner, self.plus)


@dataclass(frozen=True, eq=False)
class Designed(ABC):
    """An experiment: everything that defines a campaign.

    Attributes
    ----------
    name, title, description
        Texts of the experiment; the name is also the default folder of the campaign.
    file
        The file that it was read from, as messages name it.
    levels
        Per factor the values that its levels set.
    names
        Per factor its name in words.
    rows
        The conditions.
    algorithms
        Algorithms that each run in every condition.
    seed
        Seed of the campaign; each run has its own, derived from it.
    replicates
        Runs per condition and algorithm.
    comparisons
        Comparisons that the report decides, such as ``share=0.3 : share=0``; empty: algorithms against the incumbent.
    common_random_numbers
        True if all conditions share the random numbers of a replicate, so that levels of a factor are pairs.
    alternative
        What an entry of `algorithms` is called, and the parameter that gives it to a model.
    """

    name: str
    title: str
    description: str
    file: str
    levels: Mapping[str, tuple[Level, ...]] = field(repr=False)
    names: Mapping[str, str] = field(repr=False)
    rows: Rows = field(repr=False)
    algorithms: tuple[str, ...]
    seed: int
    replicates: int
    comparisons: tuple[str, ...] = field(default=(), kw_only=True)
    common_random_numbers: bool = field(default=False, kw_only=True)
    alternative: str = field(default=ALGORITHM, kw_only=True)

    def __post_init__(self) -> None:
        for place, text in enumerate(self.comparisons):
            try:
                self.choices.pairs(*self.choices.comparison(text))
            except InputError as error:
                where = f"comparisons[{place}]"
                raise InputError(error.problem, self.file, where, error.value or text, error.allowed) from None

    @property
    def design(self) -> Design:
        """The conditions at which all factors are at a level, and their aliases."""
        return self.rows.design

    @property
    def conditions(self) -> int:
        """Number of conditions."""
        return self.rows.conditions

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors with their levels as text."""
        return tuple(
            Factor(
                id,
                self.names[id],
                ", ".join(level.path for level in levels),
                minus=self.level_text(id, -1),
                plus=self.level_text(id, 1),
                inner=tuple(self.level_text(id, place) for place in _inner(levels)),
            )
            for id, levels in self.levels.items()
        )

    @property
    def choices(self) -> Choices:
        """Algorithms, factors and conditions from which comparisons choose."""
        return Choices(self.algorithms, self.factors, self.rows.matrix, self.rows.is_sampled)

    @property
    def model(self) -> dict[str, Any] | None:
        """Description of the model that runs, as in `mesonet.models.model`; None for a network."""
        return None

    @abstractmethod
    def level_text(self, factor: str, place: float) -> str:
        """Return the value that a factor sets at a place, as text.

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

    @abstractmethod
    def canonical(self, number: int, algorithm: str) -> dict[str, Any]:
        """Return all that a run of a condition depends on but its seed.

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

    @abstractmethod
    def _own_entries(self) -> dict[str, Any]:
        """Return the entries of the document that depend on the kind of experiment."""

    @abstractmethod
    def parameters(self) -> list[dict[str, str]]:
        """Return every value that holds for all runs, or that a factor varies.

        Returns
        -------
        Rows of path, value, unit, doc and source, as text.
        """

    def refuse_large(self, memory: int | None = None) -> None:  # noqa: B027 - models have no size
        """Raise an `InputError` if a run would need more memory than is allowed. The memory of a model is not known.

        Parameters
        ----------
        memory
            Most memory of a run, bytes; None: 4 GiB.

        Raises
        ------
        InputError
            With the condition.
        """

    @abstractmethod
    def check(self, force: bool = False) -> list[str]:
        """Check that every condition can be run.

        Parameters
        ----------
        force
            Accept conditions that the scale distorts.

        Returns
        -------
        Warnings.

        Raises
        ------
        InputError
            If a condition cannot be run.
        """

    def expected_cost(self) -> list[float]:
        """Return the expected relative cost of a run of each condition.

        Returns
        -------
        One number per condition, in any unit; empty if it cannot be known before a run.
        """
        return []

    def offered_loads(self) -> list[tuple[float, str]]:
        """Return the highest load that users offer to a router of each condition, and the class of the router.

        Returns
        -------
        Shares of the router's speed and classes, one pair per condition; empty if they cannot be known before a run.
        """
        return []

    def document(self) -> dict[str, Any]:
        """Return the whole experiment as plain data: the content of ``experiment.json`` in a campaign folder.

        Returns
        -------
        Data that can be written as JSON: a `mesonet.campaign.documents.ExperimentDocument`.

        Raises
        ------
        InputError
            If a condition contradicts itself.
        """
        from msgspec import UNSET

        from mesonet.campaign import documents

        document = documents.ExperimentDocument(
            format=documents.FORMAT,
            name=self.name,
            title=self.title,
            description=self.description,
            seed=self.seed,
            replicates=self.replicates,
            algorithms=list(self.algorithms),
            factors=list(self.factors),
            design=documents.DesignRows(**self.rows.document()),
            parameters=[documents.ExplainedParameter(**row) for row in self.parameters()],
            scenarios=[
                documents.ConditionScenario(number, algorithm, self.canonical(number, algorithm))
                for number in range(1, self.conditions + 1)
                for algorithm in self.algorithms
            ],
            comparisons=list(self.comparisons) or UNSET,
            common_random_numbers=self.common_random_numbers or UNSET,
            **self._own_entries(),
        )
        plain = documents.plain(document)
        used = {} if self.model else plugins.used(entry["scenario"] for entry in plain["scenarios"])
        return {**plain, "plugins": used} if used else plain

    def plan(self) -> pl.DataFrame:
        """Return the run table.

        Returns
        -------
        One row per run: condition, block if there are blocks, algorithm, replicate, seed, the value that each factor
        sets, key, and scenario (JSON). The column of a factor with one of these names ends with `` (factor)``.

        Raises
        ------
        InputError
            If a condition contradicts itself.
        """
        import polars as pl

        from mesonet.campaign.ledger import planned

        names = dict(zip(self.levels, own_names(list(self.levels), _OF_PLAN), strict=True))
        texts = {
            number: {names[id]: text for id, text in each.items()}
            for number, each in enumerate(self.condition_texts(), start=1)
        }
        rows = []
        for run in planned(self.document(), models.code_version(self.model)):
            block = {} if self.rows.block is None else {"block": self.rows.block[run.condition - 1]}
            row = {"condition": run.condition, **block, "algorithm": run.algorithm, "replicate": run.replicate}
            rows.append({**row, "seed": run.seed, **texts[run.condition], "key": run.key, "scenario": run.scenario})
        return pl.DataFrame(rows)

    def condition_texts(self) -> list[dict[str, str]]:
        """Return for each condition the values that the factors set.

        Returns
        -------
        One mapping per condition, text by factor id.
        """
        ids, known = list(self.levels), {}
        for place, id in enumerate(ids):
            for value in set(self.rows.matrix[:, place].tolist()):
                known[id, value] = self.level_text(id, value)
        return [{id: known[id, x] for id, x in zip(ids, row, strict=True)} for row in self.rows.matrix.tolist()]

    def run(
        self, out: str | Path, workers: int | None = None, progress: bool = True, force: bool = False, **how: Any
    ) -> Campaign:
        """Run the missing runs of the campaign, and return the campaign.

        Parameters
        ----------
        out
            The campaign folder: new, empty, or begun with this experiment.
        workers
            Runs at a time, 1 to 1000; by default the number of processors.
        progress
            True: show progress on stderr.
        force
            Run even where the scale distorts the network, and continue a campaign that other code began.
        **how
            ``memory``, ``time_limit``, ``dask``, ``shard``, ``tries``, ``retry``, ``trusted``, ``watch``: see
            `mesonet.campaign.backlog.RunOptions`.

        Returns
        -------
        The campaign, with the responses of all finished runs.

        Raises
        ------
        InputError
            If a condition is refused or the folder holds something else; nothing is written then. Also for an unknown
            or malformed argument.
        """
        from mesonet.campaign.data import load

        return load(self.run_missing(out, workers, progress, force, **how))

    def run_missing(
        self, out: str | Path, workers: int | None = None, progress: bool = True, force: bool = False, **how: Any
    ) -> Path:
        """Run the missing runs of the campaign as `run` does, but return only the folder.

        Parameters
        ----------
        out, workers, progress, force, **how
            As for `run`.

        Returns
        -------
        The campaign folder.

        Raises
        ------
        InputError
            As `run`.
        """
        from mesonet.campaign.ledger import UNTIL
        from mesonet.campaign.runner import run_missing

        with places.folder(out):
            ledger, asked = self.begin(out, workers, force, **how)
            if UNTIL in ledger.document():
                problem = "this campaign runs until its comparisons are decided"
                raise InputError(
                    problem, path="out", value=str(out), allowed="mesonet.run_until_decided, or another folder"
                )
            run_missing(ledger, asked, progress)
        return Path(out)

    def begin(
        self, out: str | Path, workers: int | None = None, force: bool = False, **how: Any
    ) -> tuple[Ledger, RunOptions]:
        """Check the experiment, and make its campaign folder unless the folder has it already.

        Parameters
        ----------
        out, workers, force, **how
            As for `run`.

        Returns
        -------
        The campaign folder, and the options of its runner.

        Raises
        ------
        InputError
            As `run`.
        """
        models.refuse_while_imported()
        for name in how:
            if name not in _HOW:
                raise unknown("argument of run", name, ("out", "workers", "progress", "force", *_HOW))
        if workers is not None:
            workers = units.integer(workers, "workers", 1, MOST_WORKERS)
        from mesonet.campaign.backlog import RunOptions
        from mesonet.campaign.integrity import restore_experiment
        from mesonet.campaign.ledger import EXPERIMENT, Ledger
        from mesonet.campaign.trust import SNAPSHOTS, named_code, trust

        document = self.document()
        ledger = Ledger(out)
        try:
            ledger.refuse_other(document)
        except InputError:
            whole = {**document, "expected_cost": self.expected_cost()}
            if not restore_experiment(ledger, whole):
                self.check(force)
                if not ledger.extend(whole):
                    raise
        asked = RunOptions(workers=workers, mix=force, **how)
        if not (ledger.path / EXPERIMENT).exists():
            self.check(force)
            self.refuse_large(asked.memory)
            if asked.dask is not None:
                from mesonet.campaign.cluster import answering

                answering(asked.dask)
            ledger = Ledger.create(out, {**document, "expected_cost": self.expected_cost()})
            if self.model is None:
                trust(ledger.path, SNAPSHOTS)
        held = ledger.document()
        # Equal files that moved, and other questions, change no run.
        free = {key: document.get(key) for key in ("plugins", "comparisons", "words")}
        if any(held.get(key) != value for key, value in free.items()):
            kept = {key: value for key, value in held.items() if key not in free}
            ledger.write_document(kept | {key: value for key, value in free.items() if value})
        trust(ledger.path, named_code(document))  # this very call names the code
        return ledger, asked


_OF_PLAN = ("condition", "block", "algorithm", "replicate", "seed", "key", "scenario")
"""Columns of the run table beside the factors."""
_HOW = ("memory", "time_limit", "dask", "shard", "tries", "retry", "trusted", "watch")
"""Fields of `mesonet.campaign.backlog.RunOptions` that a caller may give."""


def _inner(levels: Sequence[Level]) -> list[float]:
    """Return the places of the levels between minus and plus."""
    count = len(levels[0].values) if levels else 0
    return [2 * number / (count - 1) - 1 for number in range(1, count - 1)]


def share_of_runs(numbers: Sequence[int], runs: int, most: int = 8) -> str:
    """Return the numbers of conditions in words.

    `numbers`: conditions, from 1, rising; at least one.

    Examples
    --------
    >>> share_of_runs([2, 5], 8)
    'conditions 2, 5'
    >>> share_of_runs(range(1, 9), 8)
    'every condition'
    """
    if len(numbers) == runs:
        return "every condition"
    if len(numbers) > most:
        return f"{len(numbers)} of {runs} conditions, the first is {numbers[0]}"
    return f"condition{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
