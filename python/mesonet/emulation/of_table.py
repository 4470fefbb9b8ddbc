"""Emulator of a table with a row for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mesonet.analysis.frames.coding import column_numbers, column_values
from mesonet.analysis.pandas_data import polars_frame
from mesonet.designs.factor import Factor
from mesonet.emulation.emulator import Emulator, through
from mesonet.emulation.inputs import LEVELS, NUMBER, Input, is_logarithmic
from mesonet.errors import InputError, unknown


def emulate_table(
    table: Any,
    response: str | Sequence[str],
    *,
    factors: Sequence[str] | None = None,
    scale: str = "auto",
    log: Sequence[str] | None = None,
    unit: str = "",
) -> Emulator:
    """Return the emulator of a column of a table; arguments as for `mesonet.emulate`."""
    frame = polars_frame(table, "table")
    names = [response] if isinstance(response, str) else [str(name) for name in response]
    if isinstance(factors, str):
        raise InputError("not a list of names", path="factors", value=factors, allowed="a sequence of names")
    if not names:
        raise InputError("no response", path="response", allowed="the name of a column, or several")
    for path, each in [*(("response", name) for name in names), *(("factors", str(name)) for name in factors or ())]:
        if each not in frame.columns:
            raise unknown("column", each, frame.columns, path=path)
    if twice := [name for name in map(str, factors or ()) if name in names]:
        raise InputError("a factor that is the response", path="factors", value=twice[0])
    asked = [name for name in frame.columns if name not in names] if factors is None else [str(f) for f in factors]
    columns = {name: column_values(frame[name]) for name in asked}
    values = np.column_stack([column_numbers(frame[name]) for name in names])
    whole = np.array([all(column[row] is not None for column in columns.values()) for row in range(frame.height)])
    kept = np.flatnonzero(whole & np.isfinite(values).any(axis=1))
    if not len(kept):
        raise InputError("no row has a value and a level of every factor", path="response", value=", ".join(names))
    columns = {name: [column[row] for row in kept] for name, column in columns.items()}
    if factors is None:
        columns = {name: column for name, column in columns.items() if len({*column}) > 1}
    if not columns:
        raise InputError("no column is a factor", path="factors", allowed="a column whose values differ")
    for name in log or ():
        if str(name) not in columns:
            raise unknown("factor", str(name), list(columns), path="log")
    settings = list(zip(*columns.values(), strict=True))
    distinct = {setting: number for number, setting in enumerate(dict.fromkeys(settings), start=1)}
    condition = np.repeat([distinct[setting] for setting in settings], len(names))
    rows = pl.DataFrame({"condition": condition, "value": values[kept].ravel()}).filter(pl.col("value").is_finite())
    inputs = [
        _input(name, [setting[place] for setting in distinct], None if log is None else name in map(str, log))
        for place, name in enumerate(columns)
    ]
    about = {"response": " and ".join(names), "unit": unit or "1", "period": "", "algorithm": ""}
    return through(rows, inputs, len(distinct), about, scale)


def _input(name: str, column: Sequence[Any], log: bool | None) -> Input:
    """Return a column as an input: numbers, or words as levels. `column`: value of each setting."""
    if all(isinstance(value, float) for value in column):
        values = np.array(column)
        low, high = float(values.min()), float(values.max())
        if log and low <= 0:
            allowed = "a factor whose values are all above 0"
            raise InputError("a value of it has no logarithm", path="log", value=name, allowed=allowed)
        factor = Factor(name, name, name, f"{low:.10g}", f"{high:.10g}")
        is_log = is_logarithmic(values) if log is None else log
        return Input(factor, NUMBER, values, low, high, log=is_log, of_network=False)
    if log:
        raise InputError("no number of its own, so that it has no logarithm", path="log", value=name)
    levels = sorted({str(value) for value in column})
    factor = Factor(name, name, name, levels[0], levels[-1], inner=tuple(levels[1:-1]))
    places = np.array([levels.index(str(value)) for value in column], dtype=np.float64)
    return Input(factor, LEVELS, places, 0.0, len(levels) - 1.0, of_network=False)
