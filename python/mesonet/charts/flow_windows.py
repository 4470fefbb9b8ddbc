"""Windows over time of flows that share a path, with the averages and the segments of each flow in the queue.

The upper panel follows the ASME paper, Figs. 3 and 17 to 23: the first flow red, the second blue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme

SAMPLES, AVERAGES, MARKS = "window_samples", "window_averages", "window_marks"
WIDTH, HEIGHT, LOW = 860, 300, 110  # px
#: Samples of a flow that can be distinguished in a figure of this width.
MOST_SAMPLES = 2 * WIDTH

_COLOURS = (theme.VERMILLION, theme.BLUE, theme.GREEN, theme.PINK, theme.ORANGE, theme.SKY)


def flow_windows(
    samples: pl.DataFrame,
    averages: pl.DataFrame,
    flows: Sequence[str],
    *,
    marks: Sequence[tuple[str, float]] = (),
    title: str = "",
    subtitle: Sequence[str] = (),
) -> alt.VConcatChart:
    """Return the figure of one run.

    Parameters
    ----------
    samples
        Columns flow, measure (``cwnd`` or ``queued``), time_s (s) and value (segments), in the order of time.
    averages
        Columns flow, begin and end (s), and window (segments): the time average of cwnd in each span.
    flows
        Names in the order of their colours.
    marks
        Names and values, in segments, of windows to mark, such as the segments that the path holds.
    title
        As for every plot, see `mesonet.plots`.
    subtitle
        Lines below the title.

    Returns
    -------
    The chart: windows, and below them the segments in the queue.
    """
    colour = alt.Color(
        "flow:N",
        scale=theme.in_turn(flows, _COLOURS),
        legend=alt.Legend(title=None, orient="top", symbolType="stroke", symbolStrokeWidth=3),
    )
    time = alt.X("time_s:Q", title=None, scale=alt.Scale(nice=False, zero=True))
    segments = alt.Y("value:Q", title=None, axis=alt.Axis(minExtent=44))
    placed = averages.with_columns(
        text=pl.col("window").round(0).cast(pl.Int64).map_elements(lambda w: f"{w:,}", return_dtype=pl.String),
        lower=pl.col("window") < pl.col("window").max().over("begin"),
    )
    base = alt.Chart(alt.NamedData(name=SAMPLES), width=WIDTH, height=HEIGHT).transform_filter(
        "datum.measure === 'cwnd'"
    )
    lines = base.mark_line(strokeWidth=1.1, opacity=0.75).encode(
        x=time, y=segments, color=colour, order=alt.Order("time_s:Q")
    )
    average = alt.Chart(alt.NamedData(name=AVERAGES))
    rules = average.mark_rule(strokeWidth=2, strokeDash=[7, 4]).encode(
        x=alt.X("begin:Q"),
        x2=alt.X2("end:Q"),
        y=alt.Y("window:Q"),
        color=colour,
        tooltip=theme.tooltips("flow:N", ("window:Q", "average window", ",.1f")),
    )
    wording: dict[str, Any] = {
        "align": "left",
        "dx": 6,
        "fontWeight": "bold",
        "stroke": "white",
        "strokeWidth": 3,
        "strokeOpacity": 0.9,
    }
    texts = [
        layer.encode(x=alt.X("begin:Q"), y=alt.Y("window:Q"), text=alt.Text("text:N"), color=alt.ColorValue(theme.INK))
        for below in (False, True)
        for style in (wording, {key: value for key, value in wording.items() if not key.startswith("stroke")})
        for layer in [
            average.transform_filter(f"datum.lower === {str(below).lower()}").mark_text(
                **style, baseline="top" if below else "bottom", dy=4 if below else -4
            )
        ]
    ]
    mark = alt.Chart(alt.NamedData(name=MARKS))
    marked = [
        mark.mark_rule(color=theme.MUTED, strokeWidth=1).encode(y=alt.Y("value:Q")),
        mark.mark_text(align="right", baseline="bottom", dx=-2, dy=-2, color=theme.MUTED).encode(
            x=alt.XValue(WIDTH), y=alt.Y("value:Q"), text=alt.Text("name:N")
        ),
    ]
    upper = alt.layer(*(marked if marks else []), lines, rules, *texts)
    lower = (
        alt.Chart(alt.NamedData(name=SAMPLES), width=WIDTH, height=LOW)
        .transform_filter("datum.measure === 'queued'")
        .mark_line(strokeWidth=1.1)
        .encode(x=time.title("time, s"), y=segments, color=colour, order=alt.Order("time_s:Q"))
    )
    heading: dict[str, Any] = {"fontSize": 12, "fontWeight": "normal", "anchor": "start", "color": theme.INK}
    chart = alt.vconcat(
        upper.properties(title=alt.TitleParams("cwnd, segments (dashed: its average)", **heading)),
        lower.properties(title=alt.TitleParams("in the queue by the flow's own measure, segments", **heading)),
        spacing=18,
    )
    tables = {SAMPLES: samples, AVERAGES: placed}
    if marks:
        tables[MARKS] = pl.DataFrame(marks, schema=["name", "value"], orient="row")
    return theme.finish(chart, tables, title=title, subtitle=subtitle)
