"""The whole analysis of a designed experiment that is a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mesonet.analysis.box_meyer import BoxMeyer, box_meyer, has_partial_aliases
from mesonet.analysis.curvature import Curvature, curvature
from mesonet.analysis.frames.coding import CodedTable, coded
from mesonet.analysis.one_model import model
from mesonet.analysis.pandas_data import polars_frame
from mesonet.analysis.partial_aliasing import PartialAliasing, partial_aliasing
from mesonet.analysis.result import AnalysisResult
from mesonet.analysis.ten_steps import TenSteps, ten_steps
from mesonet.analysis.terms import FEWEST_EFFECTS
from mesonet.errors import InputError
from mesonet.words import counted, listed, number, signed, some, verb

#: Most factors whose combinations are compared for the best settings (chosen).
_MOST_COMPARED = 16
#: Most effects that have a sentence of their own (chosen).
_MOST_SENTENCES = 8


@dataclass(frozen=True)
class Settings:
    """Levels of the factors that matter, and the mean that the effects predict there."""

    levels: dict[str, str]
    predicted: float


@dataclass(frozen=True, eq=False, repr=False)
class ExperimentAnalysis(AnalysisResult):
    """The steps of the analysis of one table. Its own table has the terms, by falling size of their effects."""

    response: str
    unit: str
    design: CodedTable  #: levels, signs, blocks and values of the runs; it goes where a design goes
    replicated: bool  #: True if replicates are the noise of the tests
    steps: TenSteps  #: main effects, terms, interactions and the other steps
    curvature: Curvature | None  #: None without centre points
    highest: Settings | None  #: None without an effect beyond chance
    lowest: Settings | None
    active: BoxMeyer | None  #: probabilities of active factors; None without partial aliases
    search: PartialAliasing | None  #: terms of the stepwise search; None without partial aliases
    notes: tuple[str, ...]  #: assumptions, runs and columns that are left out

    def _dimensions(self) -> Mapping[str, Sequence[Any]]:
        return self.steps.terms._dimensions()

    def _columns(self) -> Mapping[str, Any]:
        return self.steps.terms._columns()

    def _attributes(self) -> dict[str, Any]:
        return {"response": self.response, "unit": self.unit, "notes": " ".join(self.notes)}

    def __repr__(self) -> str:
        levels = [f"  {each.factor}: {each.level(-1)} (-), {each.level(1)} (+)" for each in self.design.codings]
        points = [f"* {sentence}" for sentence in self.sentences()]
        notes = [f"  {note}" for note in self.notes]
        return "\n".join([self.size(), *levels, "", *points, *(["", "Notes", *notes] if notes else [])])

    def size(self) -> str:
        """Return the number of factors, values, centre points and blocks.

        Returns
        -------
        A line that begins with the name of the response.
        """
        runs = f"{counted(int(np.isfinite(self.design.values).sum()), 'value')} at two levels"
        centre = f", {counted(len(self.design.centre), 'centre point')}" if len(self.design.centre) else ""
        shifts = f", {counted(len(set(self.design.block)), 'block')}" if self.design.block else ""
        return f"{self.response}: {counted(len(self.design.factors), 'factor')}, {runs}{centre}{shifts}"

    def sentences(self) -> list[str]:
        """Return the answer in sentences.

        Returns
        -------
        Sentences on the effects beyond chance, the curvature and the best settings, in the unit of the response.
        """
        found = self.steps.terms
        order = np.flatnonzero(found.active)
        noise = "the scatter of replicates" if self.replicated else "Lenth's margin"
        lines = [self._of_term(int(place)) for place in order[:_MOST_SENTENCES]]
        known = int(np.isfinite(found.effect).sum())
        if np.isfinite(found.noise.me):
            margin = f"{number(found.noise.me, 4)}{self._tail}"
            exceed = verb(len(order), "exceed")
            lines.append(
                f"{len(order)} of {counted(known, 'effect')} {exceed} chance, by {noise} ({margin}, 5 % each)."
            )
        else:
            lines.append(f"Nothing separates {counted(known, 'effect')} from chance: replicate the runs.")
        if self.curvature is not None:
            lines.append(self._of_curvature(self.curvature))
        if self.active is not None and self.search is not None:
            lines += [*self.active.sentences(), *self.search.sentences(self.unit)]
        for word, best in (("highest", self.highest), ("lowest", self.lowest)):
            if best is not None:
                at = listed([f"{factor} {level}" for factor, level in best.levels.items()])
                lines.append(f"{self.response} is predicted {word}, {self._value(best.predicted)}, at {at}.")
        return lines

    @property
    def _tail(self) -> str:
        return f" {self.unit}" if self.unit else ""

    def _value(self, value: float) -> str:
        return f"{number(value, 4)}{self._tail}"

    def _change(self, value: float) -> str:
        return f"{signed(value, 4)}{self._tail}"

    def _of_term(self, place: int) -> str:
        """Return the sentence on one term."""
        found = self.steps.terms
        names = found.terms[place].split("*")
        by_name = {each.factor: each for each in self.design.codings}
        others = found.strings[place].split(" = ")[1:]
        alias = f" It cannot be distinguished from {some(others)}." if others else ""
        effect = float(found.effect[place])
        if len(names) == 1:
            of = by_name[names[0]]
            low, high = (float(each[place]) for each in (found.mean_minus, found.mean_plus))
            ends = f"from {self._value(low)} at {of.level(-1)} to {self._value(high)} at {of.level(1)}"
            return f"{names[0]} changes {self.response} by {self._change(effect)}, {ends}.{alias}"
        if len(names) == 2:
            first, second = names
            main = float(self.steps.effects.effect[self.design.factors.index(first)])
            of = by_name[second]
            parts = f"{self._change(main - effect)} at {second} {of.level(-1)}, {self._change(main + effect)} at"
            return f"The effect of {first} depends on {second}: {parts} {second} {of.level(1)}.{alias}"
        return f"{listed(names)} act together: {self._change(effect)}.{alias}"

    def _of_curvature(self, found: Curvature) -> str:
        """Return the sentence on the centre points."""
        size = f"{self._value(found.mean_centre)} at the centre, {self._value(found.mean_factorial)} at two levels"
        if not np.isfinite(found.p):
            return f"Curvature is not tested: {size}. Replicate the centre points."
        p = "below 0.0001" if found.p < 0.0001 else number(found.p)
        return f"{'Curved' if found.p < 0.05 else 'No proof of curvature'}: {size} (p {p})."


def experiment(
    table: Any,
    response: str | Sequence[str],
    *,
    factors: Sequence[str] | Mapping[str, tuple[Any, Any]] | None = None,
    block: str | None = None,
    unit: str = "",
) -> ExperimentAnalysis:
    """Return the analysis of a table with a row for each run of a two-level experiment.

    Levels can be -1 and +1, other numbers, truths or words; `design.codings` of the result has them. The lower number,
    False, or the first word of the alphabet is the level -, and ``low`` is below ``high``. Numbers half-way between are
    centre points. Rows of equal settings are replicates.

    Parameters
    ----------
    table
        A frame of polars, pandas or Arrow, or columns by name.
    response
        Column of the measured values. Several columns are replicates of their row. Nothing and NaN mark a lost run.
    factors
        Columns of the factors, or a mapping from columns to two levels, low and high. None: all other columns of two
        levels; the notes name the columns that are left out.
    block
        Column that labels the block of each run, such as a day.
    unit
        Unit of the response, for sentences.

    Returns
    -------
    The ten steps, curvature and the settings of the highest and lowest prediction. Printed, it is the answer.

    Raises
    ------
    InputError
        If a column is missing or there twice, a factor has not two levels, the response is text or always equal, or the
        runs are fewer than the effects.

    Examples
    --------
    >>> table = {"heat": [160, 180, 160, 180], "stir": ["no", "no", "yes", "yes"], "yield": [60, 72, 54, 68]}
    >>> found = experiment(table, "yield", unit="g")
    >>> found.steps.effects.effect.tolist(), found.design.codings[1].high
    ([13.0, -5.0], 'yes')
    """
    columns = [response] if isinstance(response, str) else [str(name) for name in response]
    if not columns:
        raise InputError("no response", path="response", allowed="the name of a column, or several")
    if isinstance(factors, str):
        raise InputError("not a list of names", path="factors", value=factors, allowed="a sequence of names")
    design = coded(polars_frame(table, "table"), columns, _texts(factors), block)
    replicated = model(design, design.values, factors=None, algorithm=None, order=1).pure_error().known
    words = [each.factor for each in design.codings if not each.numeric]
    steps = ten_steps(design, design.values, mode="replicates" if replicated else "nist", categorical=words)
    best = _extremes(design, steps)
    partial = has_partial_aliases(design)
    return ExperimentAnalysis(
        response=" and ".join(columns),
        unit=unit,
        design=design,
        replicated=replicated,
        steps=steps,
        curvature=_curvature(design),
        highest=best[0],
        lowest=best[1],
        active=box_meyer(design, design.values) if partial else None,
        search=partial_aliasing(design, design.values) if partial else None,
        notes=_notes(design, steps, replicated),
    )


def _texts(factors: Sequence[str] | Mapping[str, tuple[Any, Any]] | None) -> Any:
    """Return factors with texts as names."""
    if factors is None:
        return None
    if isinstance(factors, Mapping):
        return {str(name): levels for name, levels in factors.items()}
    return [str(name) for name in factors]


def _curvature(design: CodedTable) -> Curvature | None:
    """Return the test of the centre points; None without one."""
    if not len(design.centre):
        return None
    rows = np.vstack([design.matrix, np.zeros((len(design.centre), design.matrix.shape[1]))])
    return curvature(rows, np.concatenate([design.values, design.centre]))


def _extremes(design: CodedTable, steps: TenSteps) -> tuple[Settings | None, Settings | None]:
    """Return the settings of the highest and lowest prediction by the effects beyond chance."""
    found = steps.terms
    products = [
        ([design.factors.index(name) for name in term.split("*")], effect)
        for term, effect, active in zip(found.terms, found.effect, found.active, strict=True)
        if active
    ]
    places = sorted({place for product, _ in products for place in product})
    if not places or len(places) > _MOST_COMPARED:
        return None, None
    signs = np.ones((2 ** len(places), len(design.factors)))
    signs[:, places] = 2.0 * (np.arange(len(signs))[:, None] >> np.arange(len(places)) & 1) - 1
    predicted = found.grand_mean + sum(signs[:, product].prod(axis=1) * effect / 2 for product, effect in products)

    def settings(row: int) -> Settings:
        levels = {design.factors[place]: design.codings[place].level(signs[row, place]) for place in places}
        return Settings(levels, float(predicted[row]))

    return settings(int(np.argmax(predicted))), settings(int(np.argmin(predicted)))


def _notes(design: CodedTable, steps: TenSteps, replicated: bool) -> tuple[str, ...]:
    """Return what was left out and assumed, each once."""
    own = list(design.notes)
    if not replicated and int(np.isfinite(steps.terms.effect).sum()) < FEWEST_EFFECTS:
        own.append("So few effects are no reliable measure of noise: replicate the runs before you trust the margin.")
    if len(design.centre) and design.block:
        own.append("The test of curvature does not know the blocks.")
    return tuple(dict.fromkeys([*own, *steps.effects.notes, *steps.terms.notes]))
