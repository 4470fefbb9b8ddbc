"""NumPy's scalars and paths of files as plain data, so that both are accepted wherever numbers and text are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a value with each NumPy scalar in it as a plain number or text, and each path of a file as text.

    Plain data of the same shape; a column of names as a list.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plain(entry) for entry in value)
    return names(value) if _is_column(value) else value


def names(value: Any) -> Any:
    """Return the names in a column of text of NumPy, pandas or Polars as a list.

    A column has no truth value, so that ``names or default`` fails on it.
    """
    return [plain(entry) for entry in value] if _is_column(value) else value


def _is_column(value: Any) -> bool:
    kind = getattr(value, "dtype", None)
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "OUT"
    return kind is not None and str(kind).lower() in ("object", "str", "string")
