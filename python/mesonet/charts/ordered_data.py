"""Ordered data plot: conditions by rising response, with their settings below.

Step 1 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.1).
"""

from __future__ import annotations

import altair as alt
import polars as pl

from mesonet.analysis.ordered import OrderedData
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings

DATA = "ordered"
STEP, NARROW, LINE = 26, 6, 14  # px; the narrow step above 64 conditions


def table(result: OrderedData) -> pl.DataFrame:
    """Return a row per condition with a value.

    Parameters
    ----------
    result
        Conditions by rising response.

    Returns
    -------
    Columns condition, rank and value.
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
