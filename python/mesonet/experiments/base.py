"""Base class of experiments: conditions of a design x algorithms x replicates, run into a folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesonet import models, units
from mesonet.designs.factor import Factor
from mesonet.errors import unknown
from mesonet.files import places

if TYPE_CHECKING:
    import polars as pl

    from mesonet.campaign.data import Campaign
    from mesonet.designs import Design
    from mesonet.designs.rows import Rows

MOST_WORKERS = 1_000
"""Runs at a time: more than any machine that this was written for can bear."""


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
    """An experiment: everything that defines a campaign. `levels` holds, per factor, what its two levels set."""

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

    @property
    def design(self) -> Design:
        """The conditions at which all factors are at a level, and what they cannot tell apart."""
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
                self.level_text(id, -1),
                self.level_text(id, 1),
            )
            for id, levels in self.levels.items()
        )

    @property
    def model(self) -> dict[str, Any] | None:
        """Description of the model that runs, as in `mesonet.models.model`; None for a network."""
        return None

    @abstractmethod
    def level_text(self, factor: str, place: float) -> str:
        """Return the value that a factor sets at a place from -1 for minus to +1 for plus, as text."""

    @abstractmethod
    def canonical(self, number: int, algorithm: str) -> Mapping[str, Any]:
        """Return all that a run of a condition depends on but its seed, as plain data."""

    @abstractmethod
    def parameters(self) -> list[dict[str, str]]:
        """Return every value that holds for all runs, or that a factor varies: path, value, unit, doc, source."""

    @abstractmethod
    def check(self, force: bool = False) -> list[str]:
        """Raise an `InputError` where a condition cannot be run; returns warnings."""

    def expected_cost(self) -> list[float]:
        """Return the expected relative cost of a run of each condition; empty if it cannot be known before a run."""
        return []

    def document(self) -> dict[str, Any]:
        """Return the whole experiment as plain data: what a campaign folder holds as ``experiment.json``.

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
            "seed": self.seed,
            "replicates": self.replicates,
            "algorithms": list(self.algorithms),
            "factors": [vars(factor) for factor in self.factors],
            "design": self.rows.document(),
            "parameters": self.parameters(),
            "scenarios": [
                {"condition": number, "algorithm": algorithm, "scenario": self.canonical(number, algorithm)}
                for number in range(1, self.conditions + 1)
                for algorithm in self.algorithms
            ],
        }

    def plan(self) -> pl.DataFrame:
        """Return the run table: condition, its block where there are some, algorithm, replicate, seed, what each factor
        sets, key, scenario (JSON)."""
        import polars as pl

        from mesonet.campaign.ledger import planned

        texts = dict(enumerate(self.condition_texts(), start=1))
        rows = []
        for run in planned(self.document(), models.code_version(self.model)):
            block = {} if self.rows.block is None else {"block": self.rows.block[run.condition - 1]}
            row = {"condition": run.condition, **block, "algorithm": run.algorithm, "replicate": run.replicate}
            rows.append({**row, "seed": run.seed, **texts[run.condition], "key": run.key, "scenario": run.scenario})
        return pl.DataFrame(rows)

    def condition_texts(self) -> list[dict[str, str]]:
        """Return for each condition the values that the factors set, by factor id."""
        ids, known = list(self.levels), {}
        for place, id in enumerate(ids):
            for value in set(self.rows.matrix[:, place].tolist()):
                known[id, value] = self.level_text(id, value)
        return [{id: known[id, x] for id, x in zip(ids, row, strict=True)} for row in self.rows.matrix.tolist()]

    def run(
        self, out: str | Path, workers: int | None = None, progress: bool = True, force: bool = False, **how: Any
    ) -> Campaign:
        """Run the missing runs of the campaign in `out`, and return the campaign.

        Parameters
        ----------
        out
            The campaign folder: new, empty, or begun with this experiment.
        workers
            Runs at a time; by default the number of processors.
        progress
            Whether to show progress on stderr.
        force
            Run even where the scale distorts the network, and go on with a campaign that other code began.
        how
            ``memory``, ``dask``, ``shard``, ``tries``, ``retry``: see `mesonet.campaign.backlog.How`.

        Raises
        ------
        InputError
            If a condition is refused or the folder holds something else; nothing is written then.
        """
        from mesonet.campaign.data import load

        return load(self.run_missing(out, workers, progress, force, **how))

    def run_missing(
        self, out: str | Path, workers: int | None = None, progress: bool = True, force: bool = False, **how: Any
    ) -> Path:
        """Run as `run` does, but return only the folder."""
        models.refuse_while_imported()
        for name in how:
            if name not in _HOW:
                raise unknown("argument of run", name, ("out", "workers", "progress", "force", *_HOW))
        if workers is not None:
            workers = units.integer(workers, "workers", 1, MOST_WORKERS)
        from mesonet.campaign.backlog import RunOptions
        from mesonet.campaign.ledger import Ledger
        from mesonet.campaign.runner import run_missing

        with places.folder(out):
            document = self.document()
            ledger = Ledger(out)
            ledger.refuse_other(document)
            asked = RunOptions(workers=workers, mix=force, **how)
            if not (ledger.path / "experiment.json").exists():
                self.check(force)
                if asked.dask is not None:
                    from mesonet.campaign.cluster import answering

                    answering(asked.dask)
                ledger = Ledger.create(out, {**document, "expected_cost": self.expected_cost()})
            run_missing(ledger, asked, progress)
        return Path(out)


_HOW = ("memory", "time_limit", "dask", "shard", "tries", "retry")
"""Fields of `mesonet.campaign.backlog.How` that a caller may give."""


def as_told(numbers: Sequence[int], runs: int, most: int = 8) -> str:
    """Return the numbers of conditions in words, of `runs` in all."""
    if len(numbers) == runs:
        return "every condition"
    if len(numbers) > most:
        return f"{len(numbers)} of {runs} conditions, the first is {numbers[0]}"
    return f"condition{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
