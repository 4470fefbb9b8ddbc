"""The largest change of a response along each factor of a grid, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import altair as alt
import numpy as np
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.grid import Grid
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures.figure import Content, Figure, of_response
from mesonet.reporting.text.grid_text import changes_text

CHANGES = "level_changes"
WIDTH, ROW = 400, 18  #: px


def figure(sampled: Sampled) -> Figure | None:
    """Return the largest change along each factor of a grid, by algorithm."""
    grid = sampled.grid
    if grid is None:
        return None
    names, algorithms = [each.factor.name for each in grid.factors], list(sampled.view.algorithms)

    def content(response: str, period: str) -> Content:
        table = changes(grid, response, period)
        plot = partial(change_rows, table, names=names, algorithms=algorithms)
        return plot, {CHANGES: table}, changes_text(grid, response, period) or "Nothing was measured."

    return of_response(
        sampled.view,
        "level-changes",
        content,
        short_title="Changes",
        title="Along which factor does the response change most?",
        reading=(
            "A row per factor and algorithm: the change between the two levels that lie farthest apart, in the mean "
            "over the other factors. The interval holds for all pairs of levels; beyond 0 the change is proved."
        ),
        selections=sampled.view.selections(),
        marks=4 * len(names) * len(algorithms),
        height=110 + ROW * len(names) * len(algorithms),
        file="level_changes/{column}",
        folder="varying responses",
    )


def changes(grid: Grid, response: str, period: str) -> pl.DataFrame:
    """Return the table that `change_rows` draws.

    Columns factor (name), algorithm, levels (text), value, low and high (null without an interval).
    """
    rows = []
    for each in grid.factors:
        for algorithm in grid.view.algorithms:
            found = grid.changes(response, period, algorithm)
            n = found.largest(each.factor.id)
            if n is None:
                continue
            levels = f"{each.texts[found.first[n]]} → {each.texts[found.second[n]]}"
            ends = [float(found.low[n]), float(found.high[n])]
            known = ends if np.isfinite(ends).all() else [None, None]
            rows.append((each.factor.name, algorithm, levels, float(found.change[n]), *known))
    texts = dict.fromkeys(("factor", "algorithm", "levels"), pl.String)
    return pl.DataFrame(rows, schema={**texts, **dict.fromkeys(("value", "low", "high"), pl.Float64)}, orient="row")


def change_rows(
    values: pl.DataFrame, *, names: Sequence[str], algorithms: Sequence[str], title: str = "", response: str = ""
) -> alt.LayerChart:
    """Return a row per factor and algorithm. `values`: as `changes` returns them."""
    several = len(algorithms) > 1
    legend = alt.Legend(title=None, orient="bottom", symbolType="circle") if several else None
    base = alt.Chart(
        alt.NamedData(name=CHANGES), width=WIDTH,
        height=alt.Step(ROW, **{"for": "offset" if several else "position"}),
    ).encode(
        y=alt.Y("factor:N", sort=list(names), title=None, scale=alt.Scale(domain=list(names), paddingInner=0.25),
                axis=alt.Axis(ticks=False, domain=False, labelLimit=200)),
        color=alt.Color("algorithm:N", scale=theme.algorithm_colours(algorithms), legend=legend),
        tooltip=theme.tooltips("factor:N", "algorithm:N", "levels:N", ("value:Q", "change", "+.4~g"),
                               ("low:Q", "from", "+.4~g"), ("high:Q", "to", "+.4~g")),
    )  # fmt: skip
    if several:
        base = base.encode(yOffset=alt.YOffset("algorithm:N", sort=list(algorithms), scale=alt.Scale(paddingOuter=0.2)))
    x = alt.X("value:Q", title="change", scale=alt.Scale(zero=True, padding=12), axis=alt.Axis(labelExpr=_LABEL))
    layers = [
        alt.Chart(alt.NamedData(name=CHANGES)).mark_rule(color=theme.MUTED, strokeDash=[4, 3]).encode(x=alt.XDatum(0)),
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5)
        .encode(x=alt.X("low:Q", title="change"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=46, opacity=1).encode(
            x=x, shape=alt.Shape("algorithm:N", scale=theme.algorithm_shapes(algorithms), legend=None)
        ),
        base.mark_text(fontSize=10, align="left").encode(
            x=alt.XValue(WIDTH + 10), text="levels:N", color=alt.ColorValue(theme.INK)
        ),
    ]
    chart = alt.layer(*layers, title=theme.AXIS_TITLE)
    return theme.finish(alt.vconcat(chart), {CHANGES: values}, params=[theme.response_title(response)], title=title)


_LABEL = (
    "(datum.value > 0 ? '+' : '') + (abs(datum.value) < 1000 ? format(datum.value, '.3~g') : format(datum.value, '~s'))"
)
