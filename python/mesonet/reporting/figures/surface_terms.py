"""Coefficients of the model of a response surface, with intervals and the analysis of variance."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from mesonet.analysis.regression.fitted import FittedModel
from mesonet.charts import theme
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_algorithms, of_response

DATA = "surface_terms"
WIDTH, ROW = 340, 22  #: px
_NUMBERS = ("coefficient", "low", "high", "squares", "freedom", "f", "p")


def figure(sampled: Sampled) -> Figure | None:
    """Return the terms of each response and algorithm."""
    surface = sampled.surface
    if surface is None:
        return None
    view = surface.view

    def content(response: str, period: str, algorithm: str) -> Content:
        found = surface.model(response, period, algorithm)
        text = f"No model: {found}." if isinstance(found, str) else " ".join(found.sentences())
        rows = table(None if isinstance(found, str) else found)
        return partial(surface_terms, rows), {DATA: rows}, text

    return of_response(
        view,
        "surface-terms",
        content,
        short_title="Terms",
        title="Which terms matter: linear, interactions, squares?",
        reading=(
            "A row per term: its coefficient with its interval of 95 %, for factors coded from −1 to +1. Blue: beyond "
            "chance at 5 %. The data below have the analysis of variance, each term given all others."
        ),
        selections=of_algorithms(view, view.algorithms),
        height=110 + ROW * 3 * len(sampled.factors),
        file="surface_terms/{column}/{algorithm}",
    )


def table(found: FittedModel | None) -> pl.DataFrame:
    """Return a row per coefficient but the mean, with the test of its term, and active (p < .05)."""
    schema = {"term": pl.String, **dict.fromkeys(_NUMBERS, pl.Float64)}
    if found is None:
        return pl.DataFrame(schema=schema).with_columns(active=pl.col("p") < 0.05)
    own = found.to_polars()
    rows = []
    for place, test in enumerate(found.tests[: len(found.terms)]):
        at = found.fit.places(place)
        for term, coefficient, _, low, high, *_ in own[at].iter_rows():
            rows.append((term, coefficient, low, high, test.squares, float(test.freedom), test.f, test.p))
    frame = pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.selectors.float().fill_nan(None))
    return frame.with_columns(active=(pl.col("p") < 0.05).fill_null(value=False))


def surface_terms(rows: pl.DataFrame, *, title: str = "", response: str = "") -> alt.LayerChart:
    """Return a row per coefficient. `rows`: as `table` returns them."""
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=alt.Step(ROW)).encode(
        y=alt.Y("term:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=240)),
        color=theme.ACTIVE,
        tooltip=theme.tooltips(
            "term:N", ("coefficient:Q", "", "+.4~g"), ("low:Q", "from", "+.4~g"), ("high:Q", "to", "+.4~g"),
            ("p:Q", "", ".2~g"),
        ),
    )  # fmt: skip
    title_x = "coefficient, half the change from −1 to +1"
    zero = alt.Chart().mark_rule(color=theme.MUTED, strokeDash=[4, 3]).encode(x=alt.XDatum(0))
    chart = alt.layer(
        zero,
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.6)
        .encode(x=alt.X("low:Q", title=title_x), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            x=alt.X("coefficient:Q", title=title_x, scale=alt.Scale(zero=True, padding=12))
        ),
        data=alt.NamedData(name=DATA),
        title=theme.AXIS_TITLE,
    )
    return theme.finish(chart, {DATA: rows}, params=[theme.response_title(response)], title=title)
