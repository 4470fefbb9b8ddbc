"""Y-Y scatter plots: a response against another, a panel per algorithm, a point per condition.

With goodputs of an algorithm's own flows across and of competing standard TCP up, points below the diagonal are
conditions in which the algorithm wins. (ASME paper, Fig. 25; SP 500-282 ch. 9, Figs. 16, 18 and 20.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.charts.classes import SHADES

DATA, DIAGONAL = "yy_scatter", "diagonal"
SIDE, PER_ROW = 170, 4  # px


def yy_scatter(
    values: pl.DataFrame, algorithms: Sequence[str], *, x: str, y: str, equal: bool = True, title: str = ""
) -> alt.FacetChart:
    """Return a panel per algorithm.

    Parameters
    ----------
    values
        Columns condition, algorithm, x and y; optionally class, for the colour of the points.
    algorithms
        As for every plot, see `mesonet.plots`.
    x
        Title of the horizontal axis.
    y
        Title of the vertical axis.
    equal
        True: the same scale on both axes, and a diagonal.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart; algorithms without values have no panel.
    """
    rows = values.drop_nulls(["x", "y"])
    ends = [*rows["x"], *rows["y"]] if equal else []
    top = 1.05 * max(ends, default=1.0) or 1.0
    low = min(0.0, *ends) if ends else 0.0
    # The ends of the diagonal make both domains the same.
    scale = alt.Scale(nice=False, zero=False) if equal else alt.Scale(zero=False, nice=True)
    classes = list(dict.fromkeys(rows["class"])) if "class" in rows.columns else []
    lit = alt.when(theme.IS_HIGHLIGHTED).then(alt.value(theme.HIGHLIGHT))
    fill: Any = lit.otherwise(alt.value(theme.BLUE))
    if classes:
        shades = [SHADES[min(i, len(SHADES) - 1)] for i in range(len(classes))]
        fill = lit.otherwise(alt.Color("class:N", scale=alt.Scale(domain=classes, range=shades),
                                       legend=alt.Legend(title=None, orient="top")))  # fmt: skip
    base = alt.Chart(width=SIDE, height=SIDE)
    points = base.transform_filter("isValid(datum.condition)").transform_filter(theme.IS_KEPT).mark_point(
        filled=True, size=40, opacity=1, stroke=theme.INK, strokeWidth=0.5
    ).encode(
        x=alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=4)),
        y=alt.Y("y:Q", title=y, scale=scale, axis=alt.Axis(tickCount=4)),
        color=fill,
        tooltip=theme.tooltips("algorithm:N", "condition:O", ("x:Q", x, ".4~g"), ("y:Q", y, ".4~g")),
    )  # fmt: skip
    layers = []
    if equal:
        line = pl.DataFrame({"end": [low, top]})
        layers.append(
            alt.Chart(alt.NamedData(name=DIAGONAL), width=SIDE, height=SIDE)
            .mark_line(color=theme.MUTED, strokeDash=[4, 3], strokeWidth=1)
            .encode(x=alt.X("end:Q", scale=scale), y=alt.Y("end:Q", scale=scale))
        )
    shown = [name for name in algorithms if name in set(rows["algorithm"])]
    # Full rows if possible: a row that is not full has axes below absent panels.
    columns = next((n for n in (PER_ROW, 3, 5) if len(shown) % n == 0), PER_ROW)
    chart = alt.layer(*layers, points, data=alt.NamedData(name=DATA)).facet(
        facet=alt.Facet("algorithm:N", sort=shown, title=None, header=alt.Header(labelFontSize=12)),
        columns=columns,
    )
    if len(shown) > columns and len(shown) % columns:
        chart = chart.resolve_axis(x="independent")
    text = "One point per condition." + (" Dashed: equal." if equal else "")
    tables = {DATA: rows, **({DIAGONAL: line} if equal else {})}
    return theme.finish(chart, tables, params=theme.condition_params(), title=title, subtitle=[text])
