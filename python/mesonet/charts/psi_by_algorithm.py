"""Psi of every factor, algorithm by algorithm (Table 8 of Mills et al., ASME 2011)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.charts import theme

DATA = "psi"
CELL, ROW = 48, 24


def table(psi: Mapping[str, ArrayLike], factors: Sequence[str]) -> pl.DataFrame:
    """Return a row per algorithm and factor.

    Parameters
    ----------
    psi
        By algorithm, Psi of each factor, from 0 to 1; NaN where not computable.
    factors
        Names of the factors.

    Returns
    -------
    Columns algorithm, factor, psi (%) and text.
    """
    return pl.DataFrame(
        [
            {
                "algorithm": name,
                "factor": factor,
                "psi": 100 * float(value),
                "text": f"{100 * value:.0f}" if np.isfinite(value) else "–",
            }
            for name, values in psi.items()
            for factor, value in zip(factors, np.asarray(values, dtype=float), strict=True)
        ]
    )


def psi_by_algorithm(psi: Mapping[str, ArrayLike], factors: Sequence[str], *, title: str = "") -> alt.LayerChart:
    """Return the figure of Psi: a row per algorithm, a column per factor.

    Parameters
    ----------
    psi, factors
        As for `table`.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    algorithms = list(psi)
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(CELL), height=alt.Step(ROW)).encode(
        x=alt.X("factor:N", sort=list(factors), title=None,
                axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("algorithm:N", sort=algorithms, title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=theme.tooltips("algorithm:N", "factor:N", ("psi:Q", "Psi, %", ".3~g")),
    )  # fmt: skip
    scale = alt.Scale(domain=[0, 100], range=["#ffffff", theme.BLUE], interpolate="rgb")
    chart = alt.layer(
        base.mark_rect(stroke=theme.HAIRLINE, strokeWidth=0.5).encode(fill=alt.Fill("psi:Q", scale=scale, legend=None)),
        base.mark_text(fontSize=11).encode(text=alt.Text("text:N"), color=theme.ink_on_blue("datum.psi / 100")),
    )
    return theme.finish(chart, {DATA: table(psi, factors)}, title=title)
