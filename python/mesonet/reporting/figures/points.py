"""Scatter of one response over every factor that takes values between its levels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from mesonet.charts import theme
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.figures.main_effects import FactorLike
from mesonet.reporting.figures.responses import DATA, finite, shown_values
from mesonet.reporting.text.surface_text import sentences

SETTINGS = "point_settings"
SIDE, ACROSS = 190, 4  #: px of a panel, panels side by side


def figure(sampled: Sampled) -> Figure | None:
    """Return a response over every factor, a mark per condition and algorithm."""
    if sampled.grid is not None:  # levels have lines and intervals
        return None
    view = sampled.view
    settings = settings_table(sampled.points, np.asarray(sampled.inputs))

    def content(response: str, period: str) -> Content:
        values = finite(sampled, response, period)
        plot = partial(point_scatter, sampled.points, sampled.campaign.factors, values, settings=sampled.inputs)
        surface = sampled.surface
        text = sampled.sentence(response, period) if surface is None else " ".join(sentences(surface, response, period))
        return plot, {DATA: values, SETTINGS: settings}, text

    return of_response(
        view,
        "points",
        content,
        short_title="Over the factors",
        title="Does the response rise, fall, bend or jump with a factor?",
        reading=(
            "One panel per factor, from its minus to its plus value; one mark per condition and algorithm. A cloud "
            "without a slope can still bend: coefficients do not see that, the eye does."
        ),
        selections=shown_values(view, len(sampled.points)),
        fixed=[SETTINGS],
        marks=2 * len(sampled.points) * len(view.algorithms) * len(sampled.factors),
        height=60 + -(-len(sampled.factors) // ACROSS) * (SIDE + 60),
        file="scatter/{column}",
        folder="responses",
    )


def settings_table(points: NDArray[np.float64], settings: ArrayLike | None = None) -> pl.DataFrame:
    """Return a row per condition with its place and its setting of each factor.

    Columns condition (from 1) and, for factor i from 0, ``x{i}``, its place, and ``set{i}``, its setting. `points`:
    places, shape (conditions, factors), from -1 to +1. `settings`: settings in the units of the factors, shape
    (conditions, factors); None: the places.
    """
    values = np.asarray(points if settings is None else settings, dtype=float)
    columns = {f"x{i}": points[:, i] for i in range(points.shape[1])}
    columns |= {f"set{i}": values[:, i] for i in range(points.shape[1])}
    return pl.DataFrame({"condition": np.arange(1, len(points) + 1), **columns})


def point_scatter(
    points: NDArray[np.float64],
    factors: Sequence[FactorLike],
    values: pl.DataFrame,
    *,
    settings: ArrayLike | None = None,
    title: str = "",
    response: str = "",
) -> alt.VConcatChart:
    """Return a panel per factor, with the response over the factor.

    Parameters
    ----------
    points
        Places, shape (conditions, factors), from -1 to +1.
    factors
        Names and levels.
    values
        Columns condition (from 1), algorithm and value.
    settings
        Settings in the units of the factors, shape (conditions, factors); None: the places.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    there = values.filter(pl.col("value").is_not_null() & pl.col("value").is_finite())
    algorithms = values["algorithm"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title=None, orient="bottom") if len(algorithms) > 1 else None
    panels = [_panel(place, factor, algorithms, legend) for place, factor in enumerate(factors)]
    rows = [alt.hconcat(*panels[i : i + ACROSS], spacing=14) for i in range(0, len(panels), ACROSS)]
    # All panels show the same response, on one vertical axis.
    sheet = alt.vconcat(*[row.resolve_scale(y="shared") for row in rows], spacing=18).resolve_scale(y="shared")
    chart = alt.vconcat(sheet.properties(title=theme.AXIS_TITLE))
    tables = {DATA: there.select("condition", "algorithm", "value"), SETTINGS: settings_table(points, settings)}
    return theme.finish(chart, tables, params=theme.condition_params(response), title=title)


def _panel(place: int, factor: FactorLike, algorithms: Sequence[str], legend: Any) -> Any:
    x, setting = f"x{place}", f"set{place}"
    ends = f"datum.value < 0 ? '{_quoted(factor.minus)}' : '{_quoted(factor.plus)}'"
    x_axis = alt.Axis(values=[-1, 1], labelExpr=ends, labelLimit=SIDE // 2 - 4, labelFlush=True, grid=True)
    where = alt.LookupData(alt.NamedData(name=SETTINGS), key="condition", fields=[x, setting])
    base = (
        theme.kept(DATA, width=SIDE, height=SIDE)
        .transform_lookup(lookup="condition", from_=where)
        .encode(
            x=alt.X(f"{x}:Q", title=_titled(factor), axis=x_axis, scale=alt.Scale(domain=[-1, 1], nice=False)),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(labels=place % ACROSS == 0)),
        )
    )
    points = base.mark_point(size=26, strokeWidth=1.2, opacity=1).encode(
        **theme.by_algorithm(algorithms, legend, both=True),
        tooltip=theme.tooltips(
            "condition:O", "algorithm:N", ("value:Q", "", ".5~g"), (f"{setting}:Q", factor.id, ".5~g")
        ),
    )
    ring = base.mark_point(size=160, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT)
    # The ring is below the points: above, it would take the pointer from them.
    return alt.layer(ring, points)


def _titled(factor: FactorLike) -> str:
    return factor.id if factor.name == factor.id else f"{factor.id} {factor.name}"


def _quoted(text: str) -> str:
    """Return text for use inside a string of a Vega expression."""
    return text.replace("\\", "\\\\").replace("'", "\\'")
