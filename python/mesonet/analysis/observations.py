"""Designs and responses as callers give them, and values by condition as analyses use them.

Equal settings in one block are one condition: its values are replicates, whether they stand in rows of the design or of
a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.analysis.checks import factor_names
from mesonet.analysis.decisions.pairs import Moments, moments
from mesonet.analysis.pandas_data import by_label

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@runtime_checkable
class DesignLike(Protocol):
    """Protocol of designs that `main_effects` accepts."""

    @property
    def factors(self) -> Sequence[str]:
        """Names of the k factors."""
        ...

    @property
    def matrix(self) -> Any:
        """Signs, -1 and +1, shape (n, k)."""
        ...


@dataclass(frozen=True)
class Observations:
    """Values of a response. A condition is known by the first row of the design that has its settings and block."""

    row: Places  #: condition of each value, from 0
    value: Floats
    conditions: int  #: with and without a value

    @cached_property
    def used(self) -> Places:
        """Conditions that have a value, rising."""
        return np.unique(self.row)

    @cached_property
    def mean(self) -> Floats:
        """Mean of each used condition."""
        return self.moments.mean

    @cached_property
    def moments(self) -> Moments:
        """Moments of each used condition."""
        base = self.value[0] if len(self.value) else 0.0  # values far from 0 lose nothing when they are added
        found = moments(by_replicate(np.searchsorted(self.used, self.row), self.value - base, len(self.used)))
        return replace(found, mean=found.mean + base)

    @property
    def notes(self) -> list[str]:
        """Remark on the conditions without a value."""
        lost = self.conditions - len(self.used)
        verb = "has no value and is" if lost == 1 else "have no value and are"
        return [f"{lost} of {self.conditions} conditions {verb} left out."] if lost else []

    def per(self, unit: Floats) -> Observations:
        """Return the observations in a unit."""
        return replace(self, value=self.value / unit)


def design_signs(design: DesignLike | ArrayLike, factors: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    """Return the signs and the factor names of a design. Signs, shape (n, k), and k names."""
    own = design.factors if isinstance(design, DesignLike) else None
    matrix = np.asarray(design.matrix if isinstance(design, DesignLike) else design, dtype=float)
    if matrix.ndim != 2 or not np.all(np.abs(matrix) == 1):
        raise ValueError("the design must be an (n, k) array of -1 and +1")
    return matrix, factor_names(factors, matrix.shape[1], own)


def design_blocks(design: object, runs: int, given: Sequence[Any] | None = None) -> Places | None:
    """Return the block of each run, from 0; None without blocks.

    `design`: its attribute `block`, if it has one, labels the block of each run. `given`: labels in its place.
    """
    labels = getattr(design, "block", None) if given is None else given
    if labels is None:
        return None
    if len(labels) != runs:
        raise ValueError(f"{len(labels)} blocks for {runs} conditions")
    different = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return np.array([different[label] for label in labels], dtype=np.intp)


def observations(
    y: pl.DataFrame | ArrayLike, design: Any, algorithm: str | None, block: Places | None = None
) -> Observations:
    """Return the values of a response by condition.

    `design`: settings, shape (n, k), or an object with such a `matrix`. `block`: of each row.
    """
    settings = np.asarray(getattr(design, "matrix", design), dtype=float)
    runs = len(settings)
    if isinstance(y, pl.DataFrame):
        row, value = _from_frame(y, runs, algorithm)
    else:
        value = np.asarray(by_label(y, design, "y"), dtype=float)
        if value.ndim not in (1, 2) or len(value) != runs:
            needed = f"({runs},) or ({runs}, replicates)"
            raise ValueError(f"the response has shape {value.shape}; a design of {runs} runs needs {needed}")
        row, value = np.repeat(np.arange(runs), value[0].size if runs else 0), value.ravel()
    first = first_equal(settings if block is None else np.column_stack([settings, block]))
    there = np.isfinite(value)
    return Observations(row=first[row[there]], value=value[there], conditions=len(np.unique(first)))


def first_equal(rows: Floats) -> Places:
    """Return the place of the first equal row of each row."""
    if not rows.size:
        return np.zeros(len(rows), dtype=np.intp)  # without a column all rows are equal
    _, first, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return np.asarray(first[same.ravel()], dtype=np.intp)


def by_replicate(row: Places, value: Floats, runs: int) -> Floats:
    """Return values as a table, shape (runs, replicates), NaN where a run has fewer; `row`: run of each value."""
    order = np.argsort(row, kind="stable")
    count = np.bincount(row, minlength=runs)
    place = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    table = np.full((runs, int(count.max(initial=0))), np.nan)
    table[row[order], place] = value[order]
    return table


def _from_frame(frame: pl.DataFrame, runs: int, algorithm: str | None) -> tuple[Places, Floats]:
    missing = {"condition", "value"} - set(frame.columns)
    if missing:
        raise ValueError(f"the response frame lacks the column {' and '.join(sorted(missing))}")
    if "algorithm" in frame.columns:
        present = sorted(frame["algorithm"].drop_nulls().unique())
        if algorithm is not None:
            if algorithm not in present:
                raise ValueError(f"no values of algorithm {algorithm!r}; there are: {', '.join(present)}")
            frame = frame.filter(pl.col("algorithm") == algorithm)
        elif len(present) > 1:
            raise ValueError(
                f"the response holds {len(present)} algorithms ({', '.join(present)}); they are not replicates of one "
                "another: choose one with algorithm=..."
            )
    row = frame["condition"].to_numpy().astype(np.intp) - 1
    if len(row) and (row.min() < 0 or row.max() >= runs):
        raise ValueError(f"conditions must be 1 to {runs}, the rows of the design")
    return row, frame["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
