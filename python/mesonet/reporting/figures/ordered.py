"""Ordered data plot: conditions by rising response, with their settings below.

Step 1 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.1).
"""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import analysis
from mesonet.analysis.ordered import OrderedData
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings
from mesonet.reporting.campaign_view.values import Described, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.reporting.text.labels import settings
from mesonet.words import numbered, quantity

DATA = "ordered"
STEP, NARROW, LINE = 26, 6, 14  # px; the narrow step above 64 conditions


def figure(view: CampaignView) -> Figure | None:
    """Return the conditions by rising response, with their settings."""
    if not view.campaign.design.factors:
        return None
    shown, factors = settings(view), view.campaign.design.factors

    def content(response: str, period: str, algorithm: str) -> Content:
        result = analysis.ordered_data(view.campaign.design, view.for_algorithm(response, period, algorithm))
        tables = {DATA: table(result), SETTINGS: shown.table()}
        return partial(ordered_data, result, shown), tables, caption(view, result, response)

    return of_response(
        view,
        "ordered",
        content,
        short_title="Ordered data",
        title="Which settings give most and least: ordered data",
        question="Which settings give the best and worst, and which factor decides?",
        reading=(
            "Conditions by rising response, with their settings below. A factor whose sign is the same in a long "
            "run at either end decides the response there."
        ),
        selections=of_steps(view),
        fixed=[SETTINGS],
        marks=len(view.conditions) * (1 + len(factors)),
        height=300 + LINE * len(factors),
        file=f"{STEPS}01_ordered_data",
        folder="steps",
    )


def table(result: OrderedData) -> pl.DataFrame:
    """Return a row per condition with a value.

    Columns condition, rank and value. `result`: conditions by rising response.
    """
    return result.to_polars().select("condition", "rank", "value")


def ordered_data(
    result: OrderedData, settings: Settings | None = None, *, title: str = "", response: str = ""
) -> alt.VConcatChart:
    """Return the figure of one result.

    Parameters
    ----------
    result
        As for every plot, see `mesonet.plots`.
    settings
        Settings of all conditions; None: of the conditions of the result.
    title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: values by rank, and below them the levels of the factors.
    """
    shown = settings or Settings(
        result.factors, dict(zip(result.condition.tolist(), result.signs.tolist(), strict=True))
    )
    conditions, factors = len(shown.signs), result.factors
    wide = conditions <= 64
    width = (STEP if wide else NARROW) * conditions
    scale = alt.Scale(domain=[0.4, conditions + 0.6], nice=False)
    base = theme.kept(DATA, width=width, height=220).encode(
        x=alt.X("rank:Q", scale=scale, axis=None),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True)),
        tooltip=theme.tooltips("condition:O", "rank:Q", ("value:Q", "", ".5~g")),
    )
    points = alt.layer(
        base.mark_bar(width=12 if wide else 5, color="#fdf0d5").encode(
            y=alt.YValue(0), y2=alt.Y2Value(220), opacity=theme.LIT
        ),
        base.mark_point(filled=True, opacity=1, size=44, color=theme.BLUE),
        title=theme.AXIS_TITLE,
    )
    below = theme.kept(DATA, width=width, height=LINE)
    ranks = below.mark_text(fontSize=9 if wide else 6, angle=0 if wide else 270).encode(
        x=alt.X("rank:Q", scale=scale, axis=None), text=alt.Text("condition:N")
    )
    place = alt.LookupData(alt.NamedData(name=DATA), key="condition", fields=["rank"])
    levels = (
        theme.kept(SETTINGS, width=width, height=alt.Step(LINE))
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=place)
        .transform_filter("isValid(datum.rank)")
        .mark_text(fontSize=10 if wide else 7)
        .encode(
            x=alt.X("rank:Q", scale=scale, axis=None),
            y=alt.Y("column:N", sort=list(factors), title=None, axis=alt.Axis(ticks=False, domain=False, grid=False)),
            text=alt.Text("text:N"),
        )
    )
    chart = alt.vconcat(points, ranks, levels, spacing=4)
    return theme.finish(
        chart,
        {DATA: table(result), SETTINGS: shown.table()},
        params=theme.condition_params(response),
        title=title,
        subtitle=["Conditions by rising value; below each its number and its settings."],
    )


def caption(view: Described, result: OrderedData, response: str) -> str:
    """Return the range of the response, and the factors with the longest run of a setting at each end, as text."""
    if not len(result.value):
        return "Nothing was measured."
    low, high, unit = float(result.value[0]), float(result.value[-1]), view.unit_of(response)
    if high == low:
        return f"All conditions have the same value, {quantity(low, unit)}: no setting is better than another."
    wording = (
        f"The smallest, {quantity(low, unit)}, is in {extremes_of(result, low)}; the largest, "
        f"{quantity(high, unit)}, in {extremes_of(result, high)}."
    )
    for ends, which, row in ((result.longest_high, "largest", -1), (result.longest_low, "smallest", 0)):
        best = int(np.argmax(ends))
        factor, sign = result.factors[best], int(result.signs[row, best])
        # Which of equal values come first says nothing: the run ends before them.
        run = before_ties(result.value if row == 0 else result.value[::-1], int(ends[best]))
        if run > 1:
            wording += f" The {run} {which} all have {factor_title(view, factor)} at {level_text(view, factor, sign)}."
    return wording


def extremes_of(result: OrderedData, value: float) -> str:
    """Return the conditions with a value, in words, such as ``condition 3`` or ``conditions 3 and 5``."""
    there = np.asarray(result.value) == value
    return numbered("condition", sorted(np.asarray(result.condition)[there].tolist()))


def before_ties(values: NDArray[np.float64], run: int) -> int:
    """Return the length of a run of values, shortened to end where the value changes.

    Equal values have no order, so that a run cannot end between them.

    At most `run`; 0 if all of these values equal the next value.
    """
    while 0 < run < len(values) and values[run - 1] == values[run]:
        run -= 1
    return run
