"""Values of a response in every condition, the algorithms side by side: raw values, no statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.sampled import Sampled, is_sampled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.text.labels import CELL
from mesonet.words import capitalised, counted, quantity, span

DATA = "responses"
STEP, NARROW = 34, 12  # px per condition; the narrow one above 64 conditions
#: Most raw values on the page: above, it has the main period only. The tables of the analysis have all values.
MOST_VALUES = 150_000


def figure(view: CampaignView) -> Figure:
    """Return the raw values, for every response and period."""
    return values_figure(
        view,
        view.long,
        view.by_congestion,
        note=" Where marks lie side by side at one height, the choice of algorithm makes no difference.",
        file="algorithms/values/{column}",
        folder="responses",
    )


def values_figure(
    view: CampaignView,
    values: Callable[[str, str], pl.DataFrame],
    order: Sequence[int],
    *,
    note: str = "",
    **about: Any,
) -> Figure:
    """Return the figure of the raw values, for every response and period.

    `values`: called with response and period; returns the columns condition, algorithm and value, all finite. `order`:
    numbers of all conditions by rising mean of the congestion response.
    """
    order_title = f"condition, {view.order_words}"

    def content(response: str, period: str) -> Content:
        table = values(response, period)
        plot = partial(responses, table, view.algorithms, order=order, order_title=order_title)
        # Of equal largest values, the caption names the first of a design and the last of a sample.
        rows = table.reverse() if is_sampled(view.campaign) else table
        return plot, {DATA: table}, caption(view, response, rows)

    return of_response(
        view,
        "responses",
        content,
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=f"One column per condition, {view.order_words}; one mark per algorithm.{note}",
        selections=shown_values(view, len(order)),
        marks=len(order) * len(view.algorithms),
        height=380,
        **about,
    )


def shown_values(view: CampaignView, conditions: int) -> list[dict[str, str]]:
    """Return the responses and periods whose values the page has: at most `MOST_VALUES`, or the main period only."""
    found = view.selections()
    if conditions * len(view.algorithms) * len(found) <= MOST_VALUES:
        return found
    return [each for each in found if each["period"] == view.main_period]


def figure_of_sample(sampled: Sampled) -> Figure:
    """Return the raw values of a sample, for every response and period."""
    return values_figure(sampled.view, partial(finite, sampled), sampled.by_first_response)


def finite(sampled: Sampled, response: str, period: str) -> pl.DataFrame:
    """Return the finite values of a response."""
    return sampled.values(response, period).filter(pl.col("value").is_finite())


def responses(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    order: Sequence[int],
    title: str = "",
    response: str = "",
    order_title: str = "condition",
) -> alt.HConcatChart:
    """Return the figure of one response.

    Parameters
    ----------
    values
        Columns condition, algorithm and value.
    algorithms, order, title, response, order_title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    wide = len(order) <= 64
    base = theme.kept(DATA, width=alt.Step(STEP if wide else NARROW, **{"for": "position"}), height=280).encode(
        x=alt.X(
            "condition:O",
            sort=list(order),
            axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap=True, offset=6, grid=wide, tickBand="extent"),
            scale=alt.Scale(paddingInner=0, paddingOuter=0),
            title=order_title,
        )
    )
    tooltip = theme.tooltips("condition:O", "algorithm:N", ("value:Q", "", ".5~g"))
    points = base.mark_point(opacity=1, size=34 if wide else 14, strokeWidth=1.6 if wide else 1.2).encode(
        xOffset=alt.XOffset("algorithm:N", sort=list(algorithms), scale=alt.Scale(paddingOuter=1)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=True)),
        **theme.by_algorithm(algorithms, alt.Legend(title=None, orient="bottom")),
        tooltip=tooltip,
    )
    chart = alt.layer(theme.band(base, STEP if wide else NARROW), points, title=theme.AXIS_TITLE)
    return theme.finish(alt.hconcat(chart), {DATA: values}, params=theme.condition_params(response), title=title)


def caption(view: CampaignView, response: str, table: pl.DataFrame) -> str:
    """Return the range of the values, and the place of the highest, as text.

    `table`: columns condition, algorithm and value, all finite. Of equal highest values, the text names the first.
    """
    if table.is_empty():
        return "Nothing was measured."
    values = table["value"].to_numpy()
    low, high = float(values.min()), float(values.max())
    unit, title = view.unit_of(response), capitalised(view.title_of(response))
    if low == high:
        return f"{title} is {quantity(low, unit)} in every condition with every algorithm."
    alike = np.flatnonzero(values == high)
    first = table.row(int(alike[0]), named=True)
    where = f"condition {first['condition']} with {first['algorithm']}"
    if len(alike) > 1:
        where = f"{counted(len(alike), *CELL)} alike ({where} is one)"
    return f"{title} runs from {span(low, high, unit)}; it is highest in {where}."
