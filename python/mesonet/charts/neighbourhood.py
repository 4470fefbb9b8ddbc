"""Scores around a point: a panel for each number that varies while the others stay."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "neighbourhood"
WIDTH, HEIGHT, COLUMNS = 230, 110, 3  # px


def neighbourhood(scores: pl.DataFrame, *, response: str, unit: str) -> alt.ConcatChart:
    """Return the figure of the scores around a point; all panels have one vertical scale.

    `scores`: columns panel (title of the number, with its unit), value (above 0), score (at least 0), and is_own: True
    at the point. `response`: title of the scores. `unit`: their unit; ``1`` for a part of 1.
    """
    high = float(scores["score"].max() or 1)  # type: ignore[arg-type]
    heading: dict[str, Any] = {
        "fontSize": 12,
        "fontWeight": "normal",
        "anchor": "start",
        "color": theme.INK,
        "offset": 4,
    }
    axis = alt.Axis(format="%" if unit == "1" else "~g", tickCount=4)
    panels = []
    for title in scores["panel"].unique(maintain_order=True).to_list():
        base = (
            alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=HEIGHT)
            .transform_filter(alt.datum.panel == title)
            .encode(
                x=alt.X("value:Q", title=None, scale=alt.Scale(type="log", nice=False), axis=alt.Axis(tickCount=4)),
                y=alt.Y("score:Q", title=None, scale=alt.Scale(domain=[0, high]), axis=axis),
                tooltip=theme.tooltips(("value:Q", title, ",.4"), ("score:Q", response, ".3")),
            )
        )
        own = base.transform_filter("datum.is_own").mark_point(filled=True, size=90, opacity=1, color=theme.VERMILLION)
        points = base.mark_line(point=True, color=theme.BLUE, strokeWidth=1.5)
        panels.append(alt.layer(points, own).properties(title=alt.TitleParams(title, **heading)))
    return theme.finish(alt.concat(*panels, columns=COLUMNS, spacing=18), {DATA: scores}, title="")
