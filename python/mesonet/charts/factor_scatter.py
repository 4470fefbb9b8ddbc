"""Multi-factor scatter plot: all values at the - and the + level of every factor.

Step 2 of the ten-step analysis (NIST/SEMATECH e-Handbook, section 5.5.9.2).
"""

from __future__ import annotations

import altair as alt
import numpy as np
import polars as pl

from mesonet.analysis.factor_scatter import FactorScatter
from mesonet.charts import theme
from mesonet.charts.ordered_data import DATA
from mesonet.charts.settings import SETTINGS, Settings


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
