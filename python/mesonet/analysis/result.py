"""Base class of the results of analyses: conversion of the table into other forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from mesonet.assets import render
from mesonet.errors import needs_extra

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import xarray as xr


#: Rows of a table that a notebook shows.
_SHOWN_ROWS = 20

Values = Sequence[Any] | np.ndarray


class AnalysisResult(ABC):
    """A table with one row per combination of its dimensions, dimensions first, the last one running fastest.

    A result class defines `_dimensions` (name -> labels) and `_columns` (name -> values, one per row, the dimensions
    excluded). It can define `_attributes` (facts about the whole table) and the units of its columns.
    """

    UNITS: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def _dimensions(self) -> Mapping[str, Sequence[Any]]: ...

    @abstractmethod
    def _columns(self) -> Mapping[str, Values]: ...

    def _attributes(self) -> Mapping[str, Any]:
        return {}

    def __repr__(self) -> str:
        facts = ", ".join(f"{name} {value}" for name, value in self._attributes().items())
        return f"{type(self).__name__}: {facts}\n{self.to_polars()}"

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: attributes and the first rows."""
        table = self.to_polars()
        return render(
            "mesonet.analysis",
            "result.html",
            name=type(self).__name__,
            facts=[f"{name} {value}" for name, value in self._attributes().items() if value],
            columns=table.columns,
            rows=[[_shown(value) for value in row] for row in table.head(_SHOWN_ROWS).iter_rows()],
            count=table.height,
        )

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a polars frame.

        One row per combination of the dimensions; a number that could not be computed is null.
        """
        return _frame(self._table())

    def _table(self) -> dict[str, Values]:
        """Return the labels of the rows, then the columns."""
        dimensions = self._dimensions()
        index = np.indices([len(labels) for labels in dimensions.values()]).reshape(len(dimensions), -1)
        labels: dict[str, Values] = {
            name: [values[i] for i in positions]
            for (name, values), positions in zip(dimensions.items(), index, strict=True)
        }
        columns = {
            name: values.tolist() if isinstance(values, np.ndarray) and values.dtype == object else values
            for name, values in self._columns().items()
        }
        return labels | columns

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table.

        Each field carries its unit, the schema the facts about the whole table.
        """
        try:
            import pyarrow as pa
        except ImportError as error:
            raise needs_extra("to_arrow", "dataframes") from error
        table = self.to_polars().to_arrow()
        fields = [
            field.with_metadata({"unit": self.UNITS[field.name]}) if field.name in self.UNITS else field
            for field in table.schema
        ]
        facts = {name: str(value) for name, value in self._attributes().items()}
        return table.cast(pa.schema(fields, metadata=facts))

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame; pandas must be installed."""
        import pandas as pd

        return pd.DataFrame(self.to_polars().to_dict(as_series=False))

    def to_xarray(self) -> xr.Dataset:
        """Return the columns as arrays over the dimensions; xarray must be installed.

        One variable per column; units and facts are attributes.
        """
        import xarray as xr

        dimensions = self._dimensions()
        shape = [len(labels) for labels in dimensions.values()]
        variables = {}
        for name, values in self._columns().items():
            attributes = {"unit": self.UNITS[name]} if name in self.UNITS else {}
            variables[name] = (tuple(dimensions), np.asarray(values).reshape(shape), attributes)
        coordinates = {name: list(labels) for name, labels in dimensions.items()}
        return xr.Dataset(variables, coords=coordinates, attrs=dict(self._attributes()))


def stack(results: Iterable[tuple[Mapping[str, Any], AnalysisResult]]) -> pl.DataFrame:
    """Return the tables of results of one kind below each other; of many results, much faster than frame by frame.

    A column for each label, then the columns of the results. Empty without results. `results`: each result with its
    labels, the values of further columns in all its rows. All have the same labels.
    """
    parts: dict[str, list[Values]] = {}
    for labels, result in results:
        table = result._table()
        rows = len(next(iter(table.values())))
        for name, values in (*((name, [label] * rows) for name, label in labels.items()), *table.items()):
            parts.setdefault(name, []).append(values)
    return _frame({name: _joined(values) for name, values in parts.items()})


def _joined(parts: Sequence[Values]) -> Values:
    if all(isinstance(values, np.ndarray) for values in parts):
        return np.concatenate(parts)
    return list(chain.from_iterable(parts))


def _frame(columns: Mapping[str, Values]) -> pl.DataFrame:
    # Column by column: expressions over the whole table take longer than all else for the small tables of figures.
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def _column(name: str, values: Values) -> pl.Series:
    if isinstance(values, np.ndarray):
        return pl.Series(name, values, nan_to_null=True)
    column = pl.Series(name, values, strict=False)
    if column.dtype == pl.Null:  # text: only names can be absent everywhere, numbers are NaN
        return column.cast(pl.String)
    return column.fill_nan(None) if column.dtype.is_float() else column


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
