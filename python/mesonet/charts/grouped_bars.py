"""Grouped bars: one panel per class of flows, one bar per algorithm.

(ASME paper, Fig. 26: share of the available throughput; SP 500-282 ch. 9, Figs. 11 to 14: goodput by path class and
interface speed.)
"""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "grouped_bars"
WIDTH, HEIGHT = 150, 190  # px


def grouped_bars(
    values: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    panels: Sequence[str],
    kinds: Sequence[str] = (),
    title: str = "",
    response: str = "",
    share: bool = False,
) -> alt.FacetChart:
    """Return a panel of bars per class of flows.

    Parameters
    ----------
    values
        Columns panel, algorithm and value; optionally kind, such as "own flows", for bars side by side.
    algorithms
        As for every plot, see `mesonet.plots`.
    panels
        Titles of the panels, in their order.
    kinds
        Kinds in their order; empty: as in `values`. Ignored without a column kind.
    title, response
        As for every plot, see `mesonet.plots`.
    share
        True: values are parts of 1, shown as percentages, and all panels have one scale.

    Returns
    -------
    The chart.
    """
    rows = values.drop_nulls("value")
    kinds = list(kinds) or list(dict.fromkeys(rows["kind"])) if "kind" in rows.columns else []
    step = max(11, 26 // max(1, len(kinds)))
    axis = alt.Axis(format="%", tickCount=5) if share else alt.Axis(labelExpr=theme.SHORT_NUMBER, tickCount=5)
    base = alt.Chart(alt.NamedData(name=DATA), width=alt.Step(step, **{"for": "position"}) if kinds else WIDTH,
                     height=HEIGHT)  # fmt: skip
    marks = base.mark_bar().encode(
        x=alt.X("algorithm:N", sort=list(algorithms), title=None, axis=alt.Axis(labelAngle=-60, ticks=False)),
        y=alt.Y("value:Q", title=None, axis=axis,
              # The axis ends at its highest tick, so that the titles of the panels in a row are level.
              scale=alt.Scale(zero=True, nice=5)),
        tooltip=theme.tooltips("panel:N", "algorithm:N", *(["kind:N"] if kinds else []),
                           ("value:Q", "", ".1%" if share else ".4~g")),
    )  # fmt: skip
    if kinds:
        palette = [theme.BLUE, theme.ORANGE, theme.GREEN, theme.PINK]
        scale = theme.in_turn(kinds, palette)
        marks = marks.encode(
            xOffset=alt.XOffset("kind:N", sort=kinds),
            color=alt.Color("kind:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
        )
    else:
        marks = marks.encode(color=alt.ColorValue(theme.BLUE))
    chart = marks.facet(
        facet=alt.Facet("panel:N", sort=list(panels), title=None,
                        header=alt.Header(labelFontSize=11)),
        columns=6 if not kinds else 3,
    ).resolve_scale(y="independent" if not share else "shared")  # fmt: skip
    return theme.finish(chart, {DATA: rows}, title=title, subtitle=[response] if response else ())
