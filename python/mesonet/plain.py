"""NumPy's scalars as plain numbers: what users compute with NumPy is accepted wherever a number is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def plain(value: Any) -> Any:
    """Return the value with each NumPy scalar in it, and in its lists and mappings, as a plain number or text."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(entry) for entry in value)
    return names(value) if _is_column(value) else value


def names(value: Any) -> Any:
    """Return the names in a column of text of NumPy, pandas or Polars as a list; anything else as it is.

    A column has no truth value, so that ``names or default`` fails on it.
    """
    return [plain(entry) for entry in value] if _is_column(value) else value


def _is_column(value: Any) -> bool:
    kind = getattr(value, "dtype", None)
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "OUT"
    return kind is not None and str(kind).lower() in ("object", "str", "string")


def plain_arguments(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Return the function with NumPy scalars among its arguments made plain."""

    @wraps(function)
    def called(*arguments: Arguments.args, **options: Arguments.kwargs) -> Answer:
        scalars = {name: plain(value) for name, value in options.items()}
        return function(*map(plain, arguments), **scalars)

    return called
