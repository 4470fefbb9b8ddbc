"""A run over time: throughput, windows and queueing delay in panels below one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme

SAMPLES = "run_samples"
WIDTH, HEIGHT = 860, 130  # px

_COLOURS = (theme.BLUE, theme.VERMILLION, theme.GREEN, theme.PINK, theme.ORANGE, theme.SKY)


def run_course(
    samples: pl.DataFrame, *, warmup: float = 0.0, title: str = "", subtitle: Sequence[str] = ()
) -> alt.VConcatChart:
    """Return the figure of one run.

    Parameters
    ----------
    samples
        Columns panel (its title, with the unit), line, time_s (s) and value, in the order of panels and lines.
    warmup
        End of the warm-up, s; what is before it is not measured. 0: no mark.
    title
        As for every plot, see `mesonet.plots`.
    subtitle
        Lines below the title.

    Returns
    -------
    The chart, one panel for each quantity.
    """
    lines = samples["line"].unique(maintain_order=True).to_list()
    colour = alt.Color(
        "line:N",
        scale=theme.in_turn(lines, _COLOURS),
        legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3, columns=6),
    )
    heading: dict[str, Any] = {"fontSize": 12, "fontWeight": "normal", "anchor": "start", "color": theme.INK}
    panels = samples["panel"].unique(maintain_order=True).to_list()
    parts = []
    for panel in panels:
        time = alt.X(
            "time_s:Q", title="time, s" if panel == panels[-1] else None, scale=alt.Scale(nice=False, zero=True)
        )
        line = (
            alt.Chart(alt.NamedData(name=SAMPLES), width=WIDTH, height=HEIGHT)
            .transform_filter(alt.datum.panel == panel)
            .mark_line(strokeWidth=1.3)
            .encode(
                x=time,
                y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=True), axis=alt.Axis(minExtent=44)),
                color=colour,
                order=alt.Order("time_s:Q"),
                tooltip=theme.tooltips("line:N", ("time_s:Q", "time, s"), ("value:Q", "", ",.4")),
            )
        )
        begin = alt.Chart(alt.NamedData(name=SAMPLES)).mark_rule(color=theme.MUTED, strokeDash=[3, 3])
        mark = [begin.encode(x=alt.XDatum(warmup))] if warmup else []
        parts.append(alt.layer(*mark, line).properties(title=alt.TitleParams(panel, **heading)))
    return theme.finish(alt.vconcat(*parts, spacing=14), {SAMPLES: samples}, title=title, subtitle=subtitle)
