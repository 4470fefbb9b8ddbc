"""Scatter of one response over every factor that takes values between its levels: does it rise, fall, bend, jump?"""

from collections.abc import Sequence

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.plots import theme
from mesonet.plots.main_effects import FactorLike

POINTS = "point_scatter"
SIDE, ACROSS = 190, 4  #: px of a panel, panels side by side


def table(points: NDArray[np.float64], factors: Sequence[FactorLike], values: pl.DataFrame) -> pl.DataFrame:
    """One row per factor and value: factor, x from -1 to +1, condition, algorithm, value. `points`: shape (conditions,
    factors); `values`: condition (from 1), algorithm, value."""
    there = values.filter(pl.col("value").is_not_null() & pl.col("value").is_finite())
    rows = there["condition"].to_numpy() - 1
    return pl.concat(
        [
            there.with_columns(factor=pl.lit(factor.id), x=pl.Series(points[rows, place], dtype=pl.Float64))
            for place, factor in enumerate(factors)
        ]
    ).select("factor", "x", "condition", "algorithm", "value")


def point_scatter(
    points: NDArray[np.float64],
    factors: Sequence[FactorLike],
    values: pl.DataFrame,
    *,
    title: str = "",
    response: str = "",
) -> alt.VConcatChart:
    """A panel per factor, in which `response` stands over the factor; arguments as `table`."""
    data = table(points, factors, values)
    algorithms = values["algorithm"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title="algorithm") if len(algorithms) > 1 else None
    y_scale = alt.Scale(zero=False, nice=True, domain=_span(data["value"]))
    panels = []
    for place, factor in enumerate(factors):
        ends = f"datum.value < 0 ? '{_quoted(factor.minus)}' : '{_quoted(factor.plus)}'"
        x_axis = alt.Axis(values=[-1, 1], labelExpr=ends, labelLimit=SIDE // 2 - 4, labelFlush=True, grid=True)
        first = place % ACROSS == 0
        panels.append(
            alt.Chart(alt.NamedData(name=POINTS), width=SIDE, height=SIDE)
            .transform_filter(alt.datum.factor == factor.id)
            .mark_point(size=26, strokeWidth=1.2, opacity=1)
            .encode(
                x=alt.X("x:Q", title=_titled(factor), axis=x_axis, scale=alt.Scale(domain=[-1, 1], nice=False)),
                y=alt.Y("value:Q", title=response if first else None, scale=y_scale, axis=alt.Axis(labels=first)),
                color=alt.Color("algorithm:N", scale=theme.algorithm_colours(algorithms), legend=legend),
                shape=alt.Shape("algorithm:N", scale=theme.algorithm_shapes(algorithms), legend=legend),
                tooltip=[
                    alt.Tooltip("condition:O"), alt.Tooltip("algorithm:N"), alt.Tooltip("value:Q", format=".5~g"),
                ],
            )
        )  # fmt: skip
    rows = [alt.hconcat(*panels[i : i + ACROSS], spacing=14) for i in range(0, len(panels), ACROSS)]
    return theme.finish(alt.vconcat(*rows, spacing=18), {POINTS: data}, title=title)


def _titled(factor: FactorLike) -> str:
    return factor.id if factor.name == factor.id else f"{factor.id} {factor.name}"


def _quoted(text: str) -> str:
    """Text inside a string of a Vega expression."""
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _span(values: pl.Series) -> list[float]:
    """The same vertical axis for all panels."""
    if values.is_empty():
        return [0.0, 1.0]
    low, high = float(values.min()), float(values.max())  # type: ignore[arg-type]
    return [low, high] if high > low else [low - 1, high + 1]
