"""Partial rank correlations of all factors with many responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import altair as alt
import polars as pl

from mesonet.analysis.sensitivity import Sensitivity
from mesonet.charts import theme
from mesonet.charts.matrix import DATA, Look, matrix
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Drawing, Figure
from mesonet.words import hundredths, number

UP, DOWN, NONE, UNKNOWN = "rises with the factor, p < .05", "falls, p < .05", "not significant", "not computable"
_COLOURS = {UP: "#9ccbe8", DOWN: theme.LOW, NONE: "#f4f5f7", UNKNOWN: "#d5dae0"}


def figure(sampled: Sampled) -> Figure | None:
    """Return the sensitivity of every response to every factor."""
    if sampled.grid is not None or sampled.surface is not None:  # they have intervals of changes or of terms
        return None
    view = sampled.view

    def draw(algorithm: str, period: str) -> Drawing:
        names = {view.label_of(name): name for name in view.in_period[period]}
        found = {label: sampled.sensitivity(name, period, algorithm) for label, name in names.items()}
        heading = f"{algorithm}{view.in_period_words(period)}"
        chart = sensitivity(found, names=sampled.factor_names, title=heading)
        cells = chart.tables[DATA].with_columns(
            pick_response=pl.col("row").replace_strict(names, return_dtype=pl.String), pick_period=pl.lit(period)
        )
        return Drawing(lambda: chart, {DATA: cells}, heading, sampled.drivers(period, algorithm))

    return Figure(
        id="sensitivity",
        short_title="Sensitivity",
        title="Which factors drive which response, and which way?",
        reading=(
            "Partial rank correlation (PRCC) x 100, a row per response and a column per factor: how the ranks of both "
            "go together after what the other factors explain is taken away. Click a cell to see its response below."
        ),
        draw=draw,
        selections=[
            {"algorithm": algorithm, "period": period} for algorithm, period in product(view.algorithms, view.periods)
        ],
        marks=2 * len(sampled.responses) * len(sampled.factors),
        height=220 + 18 * len(sampled.responses),
        axis="{}",
        file="sensitivity/{algorithm}" if len(view.algorithms) > 1 else "sensitivity",
        folder="main period",
    )


def sensitivity(
    results: Mapping[str, Sensitivity], *, names: Sequence[str] | None = None, title: str = ""
) -> alt.LayerChart:
    """Draw PRCC x 100: a row per response, a column per factor.

    Parameters
    ----------
    results
        Results by title of the row; at least one, all of the same factors.
    names
        Titles of the factors, in their order; None: their own names.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.

    Raises
    ------
    ValueError
        If there is no result.
    """
    if not results:
        raise ValueError("results is empty; allowed: at least one result")
    factors = next(iter(results.values())).factors
    columns = dict(zip(factors, names or factors, strict=True))
    rows = []
    for response, found in results.items():
        for factor, r, p in zip(found.factors, found.prcc, found.p, strict=True):
            kind = UNKNOWN if r != r else NONE if not p < 0.05 else UP if r > 0 else DOWN
            tip = f"PRCC {number(float(r))}, p {number(float(p), 2)}, R² of ranks {number(found.r_squared_ranks, 2)}"
            rows.append(
                {"row": response, "column": columns[factor], "text": hundredths(float(r)), "kind": kind, "tip": tip}
            )
    return matrix(
        pl.DataFrame(rows, schema=dict.fromkeys(("row", "column", "text", "kind", "tip"), pl.String)),
        rows=list(results),
        columns=list(columns.values()),
        look=Look(cell=42, row=18, colours=_COLOURS),
        title=title,
        subtitle=["Partial rank correlation (PRCC) x 100."],
    )
