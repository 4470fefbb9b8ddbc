"""Settings of the conditions, beside the figures that have a row or a column per condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

SETTINGS = "condition_settings"


@dataclass(frozen=True)
class Settings:
    """Settings of the conditions, on the left side of the figure."""

    factors: Sequence[str]  #: short names
    signs: Mapping[int, Sequence[int]]  #: by condition, -1 or +1 for each factor
    measure: str = ""  #: title of one more column, such as the loss rate of each condition
    measures: Mapping[int, str] | None = None  #: by condition, the text in that column; None: no such column

    def table(self) -> pl.DataFrame:
        """Return a row per condition and factor, and a row per condition for the measure.

        Returns
        -------
        Columns condition, column (the factor, or the title of the measure) and text (``+``, ``−``, or the measure).
        """
        rows = [
            {"condition": condition, "column": factor, "text": "+" if sign > 0 else "−"}
            for condition, signs in self.signs.items()
            for factor, sign in zip(self.factors, signs, strict=True)
        ]
        rows += [
            {"condition": condition, "column": self.measure, "text": text}
            for condition, text in (self.measures or {}).items()
        ]
        return pl.DataFrame(rows, schema={"condition": pl.Int64, "column": pl.String, "text": pl.String})


def short_names(algorithms: Sequence[str], length: int = 6) -> dict[str, str]:
    """Return names of algorithms that fit a cell.

    The short name of each algorithm. A longer name is cut and ends with a full stop, or with a number from 2 where that
    would repeat another short name.
    """
    short: dict[str, str] = {}
    for name in algorithms:
        candidate = name if len(name) <= length else name[: length - 1] + "."
        counter = 2
        while candidate in short.values():
            candidate = f"{name[: length - 2]}{counter}"
            counter += 1
        short[name] = candidate
    return short
