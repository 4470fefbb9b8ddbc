"""Bar graphs of the algorithms, one per condition, from the least to the most congested.

Bars are differences, blue above zero, orange below. (SP 500-282 ch. 9, Figs. 17, 19 and 21: goodput of the alternate
less goodput of standard TCP.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.users import Users
from mesonet.reporting.figures.against_tcp import caption, compared_files, pairs
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.figures.goodput import rate_unit

DATA = "condition_bars"
HEIGHT = 70


def figure(found: Users) -> Figure | None:
    """Return the difference from the goodput of the incumbent, by condition."""
    files = compared_files(found)
    if not files:
        return None
    return Figure(
        id="differences",
        short_title="Differences by condition",
        title="When does it win against the incumbent?",
        reading=(
            "One bar graph per condition, from the least to the most congested: goodput of the algorithm's flows less "
            "the goodput of the incumbent's. Upwards (blue) the algorithm gets more."
        ),
        draw=partial(_draw, found),
        selections=files,
        height=620,
        varied=True,
        own_tables=True,
        file="users/differences_{file}",
    )


def _draw(found: Users, file: str) -> Drawing:
    table, wording = pairs(found, file)
    chart = condition_bars(
        table.with_columns(value=pl.col("x") - pl.col("y")), found.view.algorithms, order=found.view.by_congestion,
        title=f"Goodput of {file} flows less the goodput of {wording}", response=rate_unit(found.view)[1],
    )  # fmt: skip
    return drawing(chart, caption(table, wording))


def condition_bars(
    values: pl.DataFrame, algorithms: Sequence[str], *, order: Sequence[int], title: str = "", response: str = ""
) -> alt.FacetChart:
    """Return a panel of bars per condition.

    Parameters
    ----------
    values
        Columns condition, algorithm and value.
    algorithms, order, title, response
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; conditions without values have no panel.
    """
    rows = values.drop_nulls("value")
    there = set(rows["condition"])
    width = max(70, 13 * len(algorithms))
    base = alt.Chart(width=width, height=HEIGHT)
    x = alt.X("algorithm:N", sort=list(algorithms), title=None,
              axis=alt.Axis(labelFontSize=9, labelAngle=-90, ticks=False, domain=False))  # fmt: skip
    bars = base.mark_bar().encode(
        x=x,
        y=alt.Y("value:Q", title=None, axis=alt.Axis(tickCount=3, domain=False, ticks=False)),
        color=alt.ColorValue(**theme.either("datum.value >= 0", theme.BLUE, theme.ORANGE)),
        tooltip=theme.tooltips("condition:O", "algorithm:N", ("value:Q", "", "+.4~g")),
    )
    zero = base.mark_rule(color=theme.INK, strokeWidth=0.8, aria=False).encode(y=alt.YDatum(0))
    shown = [c for c in order if c in there]
    chart = theme.sheet(base, bars, zero, data=DATA, order=shown, gaps=(14, 12))
    text = "Conditions from the least to the most congested. Blue: above zero; orange: below."
    return theme.finish(
        chart,
        {DATA: rows},
        params=theme.condition_params(),
        title=title,
        subtitle=[*([response] if response else []), text],
    )
