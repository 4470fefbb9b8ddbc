"""Multi-factor scatter plot: all values at the - and the + level of every factor.

Step 2 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.2).
"""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet import analysis
from mesonet.analysis.factor_scatter import FactorScatter
from mesonet.charts import theme
from mesonet.charts.settings import SETTINGS, Settings
from mesonet.reporting.campaign_view.values import Described, factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import STEPS, Content, Figure, of_response, of_steps
from mesonet.reporting.figures.ordered import DATA, table
from mesonet.reporting.text.labels import settings
from mesonet.words import counted, listed, verb


def figure(view: CampaignView) -> Figure | None:
    """Return all values at the − and the + level of every factor."""
    if not view.campaign.design.factors:
        return None
    shown, design = settings(view), view.campaign.design

    def content(response: str, period: str, algorithm: str) -> Content:
        y = view.for_algorithm(response, period, algorithm)
        result = analysis.factor_scatter(design, y)
        tables = {DATA: table(analysis.ordered_data(design, y)), SETTINGS: shown.table()}
        return partial(factor_scatter, result, shown), tables, caption(view, result)

    return of_response(
        view,
        "factor-scatter",
        content,
        short_title="Values by factor",
        title="Where each factor puts the response: values by factor",
        question="Do location and spread change with a factor, and are there outliers?",
        reading=(
            "For each factor all values: conditions at its − level are left (open), conditions at its + level right "
            "(filled). Look for shifts, for changes of spread and for single values apart."
        ),
        selections=of_steps(view),
        fixed=[SETTINGS],
        marks=len(view.conditions) * (1 + len(design.factors)),
        height=360,
        file=f"{STEPS}02_multi_factor_scatter",
        folder="steps",
    )


def factor_scatter(
    result: FactorScatter, settings: Settings | None = None, *, title: str = "", response: str = ""
) -> alt.LayerChart:
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
    The chart: the values at both levels, factor after factor.
    """
    signs = dict(zip(result.condition.tolist(), result.signs.tolist(), strict=True))
    shown, factors = settings or Settings(result.factors, signs), result.factors
    order = np.argsort(result.value, kind="stable")
    rows = pl.DataFrame(
        {"condition": result.condition[order], "rank": range(1, len(order) + 1), "value": result.value[order]},
        schema={"condition": pl.Int64, "rank": pl.Int64, "value": pl.Float64},
    )
    width = max(48, min(110, 1080 // len(factors)))
    value = alt.LookupData(alt.NamedData(name=DATA), key="condition", fields=["value"])
    base = (
        theme.kept(SETTINGS, width=alt.Step(width, **{"for": "position"}), height=280)
        .transform_filter(alt.FieldOneOfPredicate(field="column", oneOf=list(factors)))
        .transform_lookup(lookup="condition", from_=value)
        .transform_filter("isValid(datum.value)")
        .encode(
            x=alt.X(
                "column:N", sort=list(factors), title=None, scale=alt.Scale(paddingInner=0, paddingOuter=0),
                axis=alt.Axis(labelAngle=0, ticks=False, domain=False, offset=6),
            ),
            xOffset=alt.XOffset("text:N", sort=["−", "+"], scale=alt.Scale(paddingOuter=0.5)),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, nice=True)),
            tooltip=theme.tooltips("condition:O", ("column:N", "factor"), ("text:N", "at"), ("value:Q", "", ".5~g")),
        )
    )  # fmt: skip
    filled = alt.FillValue(**theme.either("datum.text === '+'", theme.BLUE, "white"))
    chart = alt.layer(
        base.mark_point(opacity=1, size=34, stroke=theme.BLUE, strokeWidth=1.4).encode(fill=filled),
        base.mark_point(size=150, color=theme.HIGHLIGHT, strokeWidth=2.5, aria=False).encode(opacity=theme.LIT),
        title=theme.AXIS_TITLE,
    )
    return theme.finish(
        chart,
        {DATA: rows, SETTINGS: shown.table()},
        params=theme.condition_params(response),
        title=title,
        subtitle=["Open: at the − level; filled: at the + level."],
    )


def caption(view: Described, result: FactorScatter) -> str:
    """Return the factor that moves the mean most, changes of the spread, and values far out, as text."""
    if not len(result.value):
        return "Nothing was measured."
    notes = " ".join(result.notes)
    shift = np.abs(result.mean[:, 1] - result.mean[:, 0])
    if not np.isfinite(shift).any() or np.nanmax(shift) == 0:
        return notes or "No factor moves the response."
    best = result.factors[int(np.nanargmax(shift))]
    spread = [name for name, p in zip(result.factors, result.spread_p, strict=True) if p < 0.05]
    wording = f"{factor_title(view, best)} moves the mean most."
    wording = wording[:1].upper() + wording[1:]
    wording += (
        f" The spread differs between the settings of {listed(spread)} (Brown and Forsythe, 5 %)."
        if spread
        else " No change of the spread is significant (Brown and Forsythe, 5 %)."
    )
    # Every value stands once at each factor: the largest count over the factors is of different values.
    far = int(result.far_out.sum(axis=1).max(initial=0))
    if far:
        wording += f" {counted(far, 'value')} {verb(far, 'lie')} beyond Tukey's fences at the factor where most do."
    return f"{wording} {notes}".rstrip()
