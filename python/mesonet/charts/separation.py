"""Factor settings that are associated with outlying algorithms: a row per algorithm and response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from mesonet.analysis.separation import Separation
from mesonet.charts import theme
from mesonet.charts.matrix import Look, matrix
from mesonet.words import number

PLUS, MINUS, NEITHER = "more often at +, q < .05", "more often at −, q < .05", "no association"
_COLOURS = {PLUS: "#9ccbe8", MINUS: theme.LOW, NEITHER: "#f4f5f7"}


def separation(results: Mapping[str, Separation], *, factors: Sequence[str], title: str = "") -> alt.LayerChart:
    """Draw a row per result and a column per factor.

    Parameters
    ----------
    results
        Results by title of the row.
    factors
        The factors to show; other terms of the results are left out.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows = []
    for name, result in results.items():
        for place, term in enumerate(result.terms):
            if term not in factors:
                continue
            q, level = float(result.q[place]), int(result.level[place])
            share = (
                f"− {result.flagged_minus[place]} of {result.runs_minus[place]}, "
                f"+ {result.flagged_plus[place]} of {result.runs_plus[place]}, p {number(float(result.p[place]), 2)}"
            )
            clear = q == q and q < 0.05 and level != 0
            counts = f"{result.flagged_minus[place]}:{result.flagged_plus[place]}"
            kind = (PLUS if level > 0 else MINUS) if clear else NEITHER
            rows.append({"row": name, "column": term, "text": counts, "kind": kind, "tip": share})
    schema = dict.fromkeys(("row", "column", "text", "kind", "tip"), pl.String)
    return matrix(
        pl.DataFrame(rows, schema=schema),
        rows=list(results),
        columns=factors,
        look=Look(cell=44, row=18, colours=_COLOURS),
        title=title,
        subtitle=[
            "Conditions flagged at − : at +. Coloured: associated (Fisher's exact test, Benjamini-Hochberg 5 %)."
        ],
    )
