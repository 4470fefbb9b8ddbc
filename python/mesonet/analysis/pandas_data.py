"""Frames of several libraries as frames of polars, and series of pandas, whose values belong to labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from mesonet.errors import InputError


def polars_frame(given: Any, path: str) -> pl.DataFrame:
    """Return a frame of polars from a frame of polars, pandas or Arrow, or from columns by name.

    `path`: name of the argument in a refusal.
    """
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, pl.DataFrame):
        return given
    if not isinstance(given, Mapping) and not hasattr(given, "columns"):
        allowed = "a frame of polars, pandas or Arrow, or columns by name"
        raise InputError("no frame", path=path, value=type(given).__name__, allowed=allowed)
    names = list(given) if isinstance(given, Mapping) else list(getattr(given, "column_names", given.columns))
    texts = [str(name) for name in names]
    for name in texts:
        if texts.count(name) > 1:
            raise InputError("a column that is there twice", path=path, value=name, allowed="each column once")
    return pl.DataFrame([pl.Series(str(name), _values(given[name]), strict=False) for name in names])


def _values(column: Any) -> Any:
    """Return a column as an array, or as a list with None for the missing values of pandas."""
    if not hasattr(column, "isna"):
        return column
    values = column.to_numpy()
    return values if values.dtype.kind in "biuf" else column.astype(object).where(~column.isna(), None).tolist()


def by_label(values: Any, others: Any, path: str) -> Any:
    """Return values in the order of the labels of others, or of 0, 1, 2 and so on if others have no labels.

    Values without labels are returned unchanged. `values`, `others`: arrays, or data of pandas. `path`: name of the
    argument in a refusal.
    """
    own = _labels(values)
    if own is None:
        return values
    labels = _labels(others)
    wanted = list(range(len(own))) if labels is None else labels
    if own == wanted:
        return values
    if len(own) != len(wanted) or len(set(own)) != len(own) or set(own) != set(wanted):
        which = "0, 1, 2 and so on" if labels is None else "the labels of the other rows"
        allowed = f"{which}, each once; values alone are in the order of the rows: {path}.to_numpy()"
        raise InputError("labels that match no rows", path=f"{path}.index", value=own[:5], allowed=allowed)
    return values.loc[wanted]


def _labels(values: Any) -> list[Any] | None:
    return list(values.index) if hasattr(values, "reindex") else None
