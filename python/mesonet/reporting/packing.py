"""Tables and charts packed for the page: columns, not rows; repeated text once; compressed; as text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mesonet.assets import packed

DIGITS = 6  # significant digits of numbers on the page


def pack(value: Any) -> str:
    """Return a value as compressed JSON.

    JSON, compressed with gzip, in base64; the DecompressionStream of browsers reads it. `value`: a value that JSON can
    hold, without NaN.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return packed(text.encode("utf-8"))


def columns(table: pl.DataFrame, keys: Sequence[str] = ()) -> dict[str, Any]:
    """Return a table for `pack`.

    Keys, and values by column; floats are `rounded`. Text that repeats is a list of words and their places, from 0.
    """
    return {"keys": list(keys), "columns": {name: _column(table[name]) for name in table.columns}}


def _column(values: pl.Series) -> list[Any] | Mapping[str, Any]:
    if values.dtype.is_float():
        return [rounded(value) for value in values]
    plain = values.to_list()
    if values.dtype == pl.String:
        words = list(dict.fromkeys(plain))
        if 2 * len(words) < len(plain):
            place = {word: i for i, word in enumerate(words)}
            return {"words": words, "places": [place[value] for value in plain]}
    return plain


def rounded(value: float | None) -> float | int | None:
    """Return a number with `DIGITS` significant digits.

    The number, as an integer if it is one; None if it is not finite.
    """
    if value is None or not math.isfinite(value):
        return None
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short
