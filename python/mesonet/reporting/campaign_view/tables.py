"""Tables of results: columns for the labels that all their rows share, and arrays by the labels of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.words import own_names


def by_response(responses: pl.DataFrame) -> pl.DataFrame:
    """Return a row per run and period, a column per response; a response with the name of a key is renamed."""
    keys = ["condition", "algorithm", "replicate", "period"]
    known = responses["response"].unique(maintain_order=True).to_list()
    names = dict(zip(known, own_names(known, keys, "response"), strict=True))
    rows = responses.with_columns(pl.col("response").replace(names))
    return rows.pivot(on="response", index=keys, values="value")


def labelled(table: pl.DataFrame, labels: Mapping[str, Any]) -> pl.DataFrame:
    """Return a table with columns in front for the labels that all its rows share."""
    return table.select(*(pl.lit(value).alias(name) for name, value in labels.items()), pl.all())


def filled(rows: pl.DataFrame, axes: Mapping[str, Sequence[Any]], value: str = "value") -> NDArray[np.float64]:
    """Return an array with the values of rows at the places that their labels name.

    One axis for each of `axes`; NaN where no row has a value. `axes`: labels of each axis in the order of their places,
    by the name of the column. No row has another label.
    """
    found = np.full([len(labels) for labels in axes.values()], np.nan)
    if rows.height:
        places = (
            rows[name].replace_strict({label: place for place, label in enumerate(labels)}, return_dtype=pl.Int64)
            for name, labels in axes.items()
        )
        found[*(np.asarray(place) for place in places)] = rows[value].cast(pl.Float64).fill_null(float("nan"))
    return found
