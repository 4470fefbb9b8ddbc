"""Columns of a table as a two-level design: levels, centre points, blocks and replicates.

The lower of two numbers is -, False is -, and of words the first in the alphabet, except for pairs such as low and
high. Runs whose numbers all lie half-way between their levels are centre points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.errors import InputError, unknown
from mesonet.words import counted, some

Floats = NDArray[np.float64]

#: Words whose order is not the alphabet's, - before +.
_PAIRS = (("low", "high"), ("off", "on"), ("-", "+"), ("small", "large"), ("without", "with"), ("old", "new"))
_ALLOWED = (
    "two levels, and numbers half-way between as centre points; factors={name: (low, high)} takes two of more levels, "
    "and mesonet.analysis.sensitivity takes numbers of many levels"
)


@dataclass(frozen=True)
class Coding:
    """A column as a factor."""

    factor: str
    low: Any  #: level that is -1
    high: Any  #: level that is +1

    @property
    def numeric(self) -> bool:
        """True if settings between the levels exist."""
        return isinstance(self.low, float)

    def level(self, sign: float) -> str:
        """Return the level of a sign as text."""
        value = self.high if sign > 0 else self.low
        return f"{value:.10g}" if self.numeric else str(value)

    def signs(self, values: Sequence[Any]) -> Floats:
        """Return -1, +1, 0 half-way between numbers, and NaN for any other value."""
        middle = (self.low + self.high) / 2 if self.numeric else None
        known = {middle: 0.0, self.low: -1.0, self.high: 1.0}
        return np.array([known.get(value, np.nan) for value in values])


@dataclass(frozen=True)
class CodedTable:
    """Runs at two levels, and centre points. It is a design, as `main_effects` takes it, of the two-level runs."""

    factors: tuple[str, ...]
    codings: tuple[Coding, ...]
    matrix: Floats  #: shape (n, k), a row for each value at two levels
    block: tuple[str, ...] | None  #: of each row
    values: Floats  #: of each row; NaN where it was lost
    centre: Floats  #: values at the centre
    notes: tuple[str, ...]


def coded(
    frame: pl.DataFrame,
    response: Sequence[str],
    factors: Sequence[str] | Mapping[str, tuple[Any, Any]] | None,
    block: str | None,
) -> CodedTable:
    """Return the design and the values of a table; several responses are replicates of a row."""
    for path, name in [*(("response", each) for each in response), *([("block", block)] if block else [])]:
        if name not in frame.columns:
            raise unknown("column", name, frame.columns, path=path)
    for name in factors or ():
        if name not in frame.columns:
            raise unknown("column", name, frame.columns, path="factors")
        if name in (*response, block):
            raise InputError("a factor that is the response or the block", path="factors", value=name)
    asked = list(factors) if factors else [name for name in frame.columns if name not in (*response, block)]
    levels = factors if isinstance(factors, Mapping) else {}
    notes: list[str] = []
    codings, signs = [], []
    for name in asked:
        values = _values(frame[name])
        try:
            coding = _coding(name, values, levels.get(name))
        except InputError as error:
            if factors:
                raise
            notes.append(f"The column {name} is no factor: {error.problem}.")
            continue
        codings.append(coding)
        signs.append(coding.signs(values))
    if not codings:
        raise InputError("no column is a factor", path="factors", value=", ".join(asked) or None, allowed=_ALLOWED)
    number = len(response)
    matrix = np.repeat(np.column_stack(signs), number, axis=0)
    value = np.column_stack([_numbers(frame[name]) for name in response]).ravel()
    label = None if block is None else [each for each in _values(frame[block]) for _ in range(number)]
    corner, centre = (np.abs(matrix) == 1).all(axis=1), (matrix == 0).all(axis=1)
    whole = np.array([label is None or label[place] is not None for place in range(len(matrix))])
    corner &= whole
    if lost := int((~np.isfinite(value)).sum()):
        notes.append(f"{counted(lost, 'value')} of {', '.join(response)} missing: left out.")
    if other := int((~(corner | centre)).sum()):
        notes.append(
            f"{counted(other, 'value')} left out: half-way in some factors only, at other levels, or in no block."
        )
    table = CodedTable(
        factors=tuple(each.factor for each in codings),
        codings=tuple(codings),
        matrix=matrix[corner],
        block=None if label is None else tuple(str(each) for each, used in zip(label, corner, strict=True) if used),
        values=value[corner],
        centre=value[centre & np.isfinite(value)],
        notes=tuple(notes),
    )
    _check(table, response)
    return table


def _check(table: CodedTable, response: Sequence[str]) -> None:
    """Refuse a table that cannot have main effects."""
    there = np.isfinite(table.values)
    if not there.any():
        raise InputError("no value at two levels", path="response", value=", ".join(response), allowed="numbers")
    if np.ptp(table.values[there]) == 0 and not (table.centre != table.values[there][0]).any():
        problem = "the same in all runs: it has no effects"
        raise InputError(problem, path="response", value=float(table.values[there][0]), allowed="values that differ")
    runs = np.unique(table.matrix[there], axis=0)
    needed = len(table.factors) + 1
    if len(runs) < needed:
        problem = f"{counted(len(runs), 'different run')} for {counted(len(table.factors), 'factor')}"
        raise InputError(problem, path="factors", value=some(table.factors), allowed=f"at least {needed} runs")
    columns = np.ones((len(runs), 1))
    for name, column in zip(table.factors, runs.T, strict=True):
        if np.linalg.matrix_rank(wider := np.column_stack([columns, column])) == columns.shape[1]:
            problem = "follows from the other factors in every run, or never changes"
            raise InputError(problem, path="factors", value=name, allowed="factors that change independently")
        columns = wider


def _values(column: pl.Series) -> list[Any]:
    """Return numbers as floats, also from a column of text; truths and words as text; None where it is empty."""
    if column.dtype == pl.Boolean:
        return column.cast(pl.String).to_list()
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_nan(None).to_list()
    texts = [None if each is None or not str(each).strip() else str(each).strip() for each in column]
    try:
        return [None if each is None or np.isnan(float(each)) else float(each) for each in texts]
    except ValueError:
        return texts


def _numbers(column: pl.Series) -> Floats:
    values = _values(column)
    for row, value in enumerate(values, start=1):
        if isinstance(value, str):
            where = f"response, {column.name}, row {row}"
            try:
                float(value)
            except ValueError:
                raise InputError("not a number", path=where, value=value, allowed="numbers, or nothing") from None
        elif value is not None and np.isinf(value):
            raise InputError("not finite", path=f"response, {column.name}, row {row}", value=value, allowed="numbers")
    return np.array([np.nan if value is None else float(value) for value in values])


def _coding(name: str, values: Sequence[Any], given: tuple[Any, Any] | None) -> Coding:
    """Return the two levels of a factor. `given`: low and high in place of the smallest and largest."""
    known = sorted({value for value in values if value is not None}, key=_order)
    shown = some([f"{each:.10g}" if isinstance(each, float) else each for each in known]) if known else "nothing"
    where = {"path": f"factors, {name}", "value": shown, "allowed": _ALLOWED}
    if given is not None:
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise InputError("not a pair of levels", path=f"factors, {name}", value=given, allowed="(low, high)")
        low, high = _values(pl.Series(list(given)))
        for level in (low, high):
            if level not in known:
                raise InputError(f"no run has the level {level}", **where)
        return Coding(name, low, high)
    if len(known) < 2:
        raise InputError("only one level" if known else "no level", **where)
    coding = Coding(name, known[0], known[-1])
    if np.isnan(coding.signs(known)).any():
        raise InputError(f"{len(known)} levels", **where)
    return coding


def _order(value: Any) -> tuple[bool, int, Any]:
    """Return the key of a level: numbers by size; words by known pairs, then by the alphabet."""
    if isinstance(value, float):
        return (False, 0, value)
    place = next((pair.index(value.lower()) for pair in _PAIRS if value.lower() in pair), 0)
    return (True, place, value)


column_values, column_numbers = _values, _numbers  # for models of chosen terms
