"""Columns of a table as factors with any number of levels: numbers are scaled to -1 and +1, words are levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.frames.coding import column_numbers, column_values
from mesonet.analysis.observations import first_equal
from mesonet.designs.model_terms import sum_coded
from mesonet.designs.plan import BLOCK, RUN, STANDARD
from mesonet.errors import InputError, unknown
from mesonet.words import counted

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coded:
    """A factor of a table."""

    name: str
    levels: tuple[Any, ...]  #: different values, rising: numbers, or words

    @property
    def numeric(self) -> bool:
        """True for a factor of numbers."""
        return isinstance(self.levels[0], float)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each column."""
        return (self.name,) if self.numeric else tuple(f"{self.name}[{level}]" for level in self.levels[:-1])

    def columns(self, values: Sequence[Any]) -> Floats:
        """Return the columns of values, shape (n, d); numbers from -1 at the lowest to +1 at the highest."""
        if self.numeric:
            low, high = self.levels[0], self.levels[-1]
            return np.asarray(2 * (np.asarray(values, dtype=float) - low) / (high - low) - 1)[:, None]
        return sum_coded(np.array([self.levels.index(value) for value in values]), len(self.levels))

    def real(self, place: float) -> float:
        """Return the value of a coded number."""
        return float(self.levels[0] + (self.levels[-1] - self.levels[0]) * (place + 1) / 2)

    def checked(self, value: Any) -> Any:
        """Return a setting for a prediction, which must lie among the runs."""
        where = f"settings, {self.name}"
        given = column_values(pl.Series([value], strict=False))[0]
        if self.numeric:
            low, high = self.levels[0], self.levels[-1]
            if not isinstance(given, float) or not low <= given <= high:
                allowed = f"{low:.10g} to {high:.10g}, where there are runs"
                raise InputError("not a setting of the factor", path=where, value=value, allowed=allowed)
            return given
        text = str(value).lower() if isinstance(value, bool) else given
        if text not in self.levels:
            raise unknown("level", str(value), [str(level) for level in self.levels], path=where)
        return text


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of a table that have a value."""

    factors: tuple[Coded, ...]
    values: Mapping[str, Sequence[Any]]  #: of each factor, one for each run
    y: Floats
    block: tuple[str, ...] | None
    notes: tuple[str, ...]

    @property
    def settings(self) -> NDArray[np.intp]:
        """Number of the settings of each run, from 0."""
        places = [[each.levels.index(value) for value in self.values[each.name]] for each in self.factors]
        _, number = np.unique(first_equal(np.column_stack(places).astype(float)), return_inverse=True)
        return np.asarray(number.ravel(), dtype=np.intp)


def runs_of(frame: pl.DataFrame, response: Sequence[str], factors: Sequence[str] | None, block: str | None) -> Runs:
    """Return the runs of a table; several responses are replicates of a row.

    `factors`: None takes all other columns that vary, but for those of a plan that are no factors.
    """
    wanted = [*(("response", name) for name in response), *(("factors", name) for name in factors or ())]
    for path, name in [*wanted, *([("block", block)] if block else [])]:
        if name not in frame.columns:
            raise unknown("column", name, frame.columns, path=path)
    taken = (*response, block, *((RUN, STANDARD, BLOCK) if STANDARD in frame.columns else ()))
    notes = []
    if block is None and factors is None and STANDARD in frame.columns and BLOCK in frame.columns:
        block = BLOCK
        notes.append("The column block of the plan has the blocks.")
    names = list(factors) if factors is not None else [name for name in frame.columns if name not in taken]
    for name in factors or ():
        if name in (*response, block):
            raise InputError("a factor that is the response or the block", path="factors", value=name)
    values = {name: [each for each in column_values(frame[name]) for _ in response] for name in names}
    y = np.column_stack([column_numbers(frame[name]) for name in response]).ravel()
    label = None if block is None else [each for each in column_values(frame[block]) for _ in response]
    known = np.isfinite(y)
    if lost := int((~known).sum()):
        notes.append(f"{counted(lost, 'value')} of {', '.join(response)} missing: left out.")
    whole = np.array([all(values[name][row] is not None for name in names) for row in range(len(y))], dtype=bool)
    if label is not None:
        whole &= np.array([each is not None for each in label])
    if other := int((known & ~whole).sum()):
        notes.append(f"{counted(other, 'run')} without a level of every factor or a block: left out.")
    rows = np.flatnonzero(known & whole)
    found = []
    for name in names:
        values[name] = [values[name][row] for row in rows]
        levels = tuple(sorted(set(values[name])))
        if len(levels) > 1:
            found.append(Coded(name, levels))
        elif factors is not None:
            raise InputError("only one level", path=f"factors, {name}", allowed="a column that varies")
        else:
            notes.append(f"The column {name} is no factor: it never changes.")
    if not found or len(rows) < 2:
        raise InputError("no column is a factor", path="factors", allowed="at least two runs whose settings differ")
    return Runs(
        factors=tuple(found),
        values={each.name: values[each.name] for each in found},
        y=y[rows],
        block=None if label is None else tuple(str(label[row]) for row in rows),
        notes=tuple(notes),
    )
