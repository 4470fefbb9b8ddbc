"""Psi by set of responses and factor, and its weighted average (ASME paper, Table 8)."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import polars as pl

from mesonet.analysis.psi import PsiTable
from mesonet.charts.matrix import Look, matrix
from mesonet.words import number


def psi_table(result: PsiTable, *, names: Mapping[str, str] | None = None, title: str = "") -> alt.LayerChart:
    """Draw Psi x 100 of every factor and set of responses, and its weighted average.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    names
        Titles of factors, by factor; a factor without an entry has only its own name.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a row per set, factors from left to right by falling weighted average.
    """
    order = [result.factors[i] for i in result.order]
    columns = {name: f"{name} {names[name]}" if names and name in names else name for name in order}
    # The average of one set is the set itself.
    average = ["weighted average"] if len(result.sets) > 1 else []
    rows = []
    for i, name in enumerate((*result.sets, *average)):
        for j, factor in enumerate(result.factors):
            value = float(result.average[j] if i == len(result.sets) else result.psi[i, j])
            known = value == value
            rows.append(
                {"row": name, "column": columns[factor], "text": f"{100 * value:.0f}" if known else "–",
                 "shade": value if known else 0.0, "tip": f"Psi {number(value)}"}
            )  # fmt: skip
    wording = ", ".join(f"{name} {number(w, 2)}" for name, w in zip(result.sets, result.weight, strict=True))
    return matrix(
        pl.DataFrame(rows, infer_schema_length=None),
        rows=[*result.sets, *average],
        columns=list(columns.values()),
        look=Look(cell=38, row=22, font=11),
        title=title,
        subtitle=["Psi x 100." + (f" Weights: {wording}." if average else "")],
    )
