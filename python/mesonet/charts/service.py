"""Slowdown of flows by size, late frames and delays of frames: a row per class, a colour per algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme

DATA = "service"
WIDTH, STEP = 520, 14  # px


def service(
    summary: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    panels: Mapping[str, str],
    title: str = "",
) -> alt.VConcatChart:
    """Draw what flows and frames get, by algorithm.

    Parameters
    ----------
    summary
        Columns panel, row, algorithm, measure (p50, p95, p99, or another word for a single number), median, least and
        most.
    algorithms
        As for every plot, see `mesonet.plots`.
    panels
        Panels that may have rows, from top to bottom: the titles of their axes. An axis whose title ends with ``×`` is
        logarithmic and has no 0.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a panel above the other. Points are of 95 %, or of the single number; their lines reach from least to
    most. Ticks are of half and of 99 %.
    """
    there = [(name, text) for name, text in panels.items() if name in set(summary["panel"])]
    drawn = [_panel(summary.filter(panel=name), name, text, list(algorithms)) for name, text in there]
    chart = alt.vconcat(*drawn, spacing=22, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: summary}, title=title)


def _panel(rows: pl.DataFrame, name: str, text: str, algorithms: list[str]) -> Any:
    order = list(dict.fromkeys(rows["row"]))
    scale = theme.algorithm_colours(algorithms)
    scaled = alt.Scale(type="log", nice=False, padding=8) if text.endswith("×") else alt.Scale(zero=True, nice=True)

    def marks(condition: str) -> alt.Chart:
        return (
            alt.Chart(width=WIDTH, height=alt.Step(STEP, **{"for": "offset"}))
            .transform_filter(f"datum.panel === '{name}' && {condition}")
            .encode(
                y=alt.Y("row:N", sort=order, title=None,
                        axis=alt.Axis(ticks=False, domain=False, labelLimit=150, labelPadding=8)),
                yOffset=alt.YOffset("algorithm:N", sort=algorithms),
                color=alt.Color("algorithm:N", scale=scale,
                                legend=alt.Legend(title=None, orient="top", columns=6, symbolType="circle",
                                                  symbolOpacity=1)),
                tooltip=theme.tooltips("row:N", "algorithm:N", "measure:N",
                                   *((f"{each}:Q", "", ".3~g") for each in ("median", "least", "most"))),
            )
        )  # fmt: skip

    ends = "(datum.measure === 'p50' || datum.measure === 'p99')"
    x = alt.X("median:Q", title=text, scale=scaled, axis=alt.Axis(tickCount=6, format="~r"))
    return alt.layer(
        marks(f"!{ends}").mark_rule(strokeWidth=1.5, opacity=0.45).encode(
            x=alt.X("least:Q", title=text, scale=scaled), x2=alt.X2("most:Q")
        ),
        marks(f"!{ends}").mark_point(filled=True, size=60, opacity=1).encode(x=x),
        marks(ends).mark_tick(thickness=2, size=STEP - 4, opacity=1).encode(x=x),
    )  # fmt: skip
