"""Congestion windows of single flows over time: of traced flows with their averages, or of a time series."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mesonet.analysis import AverageWindows, average_windows, envelope, queued, window_shares
from mesonet.analysis.windows import WindowShares
from mesonet.charts import theme
from mesonet.reporting.campaign_view.series import kept_series
from mesonet.reporting.campaign_view.traced import TracedRun, about_run
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import listed, number, percent, quantity

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


SAMPLES, AVERAGES, MARKS = "window_samples", "window_averages", "window_marks"
WIDTH, HEIGHT, LOW = 860, 300, 110  # px
#: Samples of a flow that can be distinguished in a figure of this width.
MOST_SAMPLES = 2 * WIDTH
_COLOURS = (theme.VERMILLION, theme.BLUE, theme.GREEN, theme.PINK, theme.ORANGE, theme.SKY)
DATA = "windows"
_FLOW_COLOURS = (theme.VERMILLION, theme.BLUE, theme.GREEN, theme.PINK, theme.BLACK, "#8a6d00")
PANEL = 760, 300  # px
MOST = 1500  # points per flow


def figure(view: CampaignView) -> Figure | None:
    """Return the windows of every run with explicit flows."""
    several = view.campaign.design.runs > 1
    runs: dict[str, Callable[[], Drawing]] = {}
    for condition, algorithm in _runs_with_windows(view.campaign):
        title = f"Windows of the flows, {algorithm}, condition {condition}"
        runs[f"{algorithm}, condition {condition}"] = partial(_draw_series, view.campaign, condition, algorithm, title)
    for run in view.traced:
        if len(run.flows) > 1:
            name = f"{run.algorithm}, condition {run.condition}" if several else run.algorithm
            name += f", run {run.replicate}" if run.replicate > 1 else ""
            runs[name] = partial(_draw, run, several)
    if not runs:
        return None
    return Figure(
        id="windows",
        short_title="Windows of single flows",
        title="Does the algorithm fill the path, share it, converge?",
        reading="Congestion windows over time of explicit flows.",
        draw=lambda run: runs[run](),
        selections=[{"run": name} for name in runs],
        height=460,
        varied=True,
        own_tables=True,
        file="windows/{run}",
    )


def _runs_with_windows(campaign: Campaign) -> list[tuple[int, str]]:
    """Return condition and algorithm of the runs that kept the series of an explicit flow."""
    found = []
    for condition, algorithm in campaign.runs.select("condition", "algorithm").unique(maintain_order=True).iter_rows():
        series = kept_series(campaign, condition, algorithm)
        if series is not None and _windows_in(series.columns):
            found.append((condition, algorithm))
    return found


def _windows_in(columns: Any) -> list[str]:
    """Return the columns of a time series that are windows of flows."""
    return [name for name in columns if re.fullmatch(r"flow_\d+_cwnd", name)]


def _draw_series(campaign: Campaign, condition: int, algorithm: str, title: str) -> Drawing:
    series = kept_series(campaign, condition, algorithm)
    assert series is not None
    names = _windows_in(series.columns)
    values = series.select(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in names).to_numpy()
    values = np.where(values > 0, values, np.nan)
    flows = [name.removesuffix("_cwnd").replace("_", " ") for name in names]
    shares = window_shares(values, flows=flows)
    chart = windows(series["time_s"].to_numpy(), values, shares, title=title)
    return drawing(chart, window_shares_caption(shares))


def own_windows(run: TracedRun) -> AverageWindows:
    """Return the average windows of a run in the spans between which flows start or stop.

    Windows, segments, shape (flows, spans).
    """
    return average_windows(run.time, run.cwnd, run.delivered, run.spans, flows=run.flows)


def windows_table(run: TracedRun) -> pl.DataFrame:
    """Return the average windows of a run, and the segments in queues, by flow and span."""
    found = own_windows(run)
    in_queue = np.array(
        [
            [_mean(column[(run.time > begin) & (run.time <= end)]) for begin, end in found.spans]
            for column in queued(run.cwnd, run.rtt).T
        ]
    )
    table = found.to_polars().drop("span").with_columns(queued=pl.Series(in_queue.ravel()).fill_nan(None))
    return about_run(run, table).filter(pl.col("window").is_not_null())


def _draw(run: TracedRun, several: bool) -> Drawing:
    found = own_windows(run)
    samples = pl.concat(
        [
            _samples(run.time, values[:, place], flow, measure)
            for measure, values in (("cwnd", run.cwnd), ("queued", queued(run.cwnd, run.rtt)))
            for place, flow in enumerate(run.flows)
        ]
    )
    averages = found.to_polars().select("flow", "begin", "end", "window").drop_nulls()
    chart: Any = flow_windows(
        samples,
        averages,
        run.flows,
        marks=_marks(run),
        title=run.algorithm + (f", condition {run.condition}" if several else ""),
    )
    return drawing(chart, average_windows_caption(run.algorithm, found))


def _samples(time: np.ndarray, values: np.ndarray, flow: str, measure: str) -> pl.DataFrame:
    places = envelope(values, MOST_SAMPLES)
    columns = {"time_s": time[places], "value": np.round(values[places], 2)}
    return pl.DataFrame(columns).select(flow=pl.lit(flow), measure=pl.lit(measure), time_s="time_s", value="value")


def _marks(run: TracedRun) -> Sequence[tuple[str, float]]:
    """Return the segments that the path holds without and with full buffers, on a dumbbell; elsewhere nothing."""
    if run.scenario["topology"] != "dumbbell":
        return ()
    holds = run.speed * run.path["max_rtt"]
    buffer = run.path["classes"][0]["buffer"][0]
    return [(f"the path holds {holds:,.0f}", holds), (f"and its buffer {buffer:,.0f}", holds + buffer)]


def _mean(values: np.ndarray) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else float("nan")


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


def windows(
    time_s: ArrayLike, segments: ArrayLike, result: WindowShares, *, capacity: float | None = None, title: str = ""
) -> alt.LayerChart:
    """Return the figure of windows over time.

    Parameters
    ----------
    time_s
        Times, s, shape (samples,).
    segments
        Windows, segments, shape (samples, flows); NaN while a flow is absent. Above `MOST` samples, each point is the
        mean of several.
    result
        Mean windows and names of the flows.
    capacity
        Segments that the path holds, for a dashed line; None: no line.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.

    Raises
    ------
    ValueError
        If the windows do not have the shape.
    """
    time, values = np.asarray(time_s, dtype=float), np.asarray(segments, dtype=float)
    if values.shape != (len(time), len(result.flows)):
        raise ValueError(f"the windows have shape {values.shape}; expected ({len(time)}, {len(result.flows)})")
    each = max(1, -(-len(time) // MOST))
    parts = [slice(i, i + each) for i in range(0, len(time), each)]
    rows = []
    for place, name in enumerate(result.flows):
        for part in parts:
            some = values[part, place]
            some = some[np.isfinite(some)]
            if len(some):
                rows.append({"time": float(time[part].mean()), "flow": name, "cwnd": float(some.mean())})
    table = pl.DataFrame(rows, schema={"time": pl.Float64, "flow": pl.String, "cwnd": pl.Float64})
    scale = theme.in_turn(result.flows, _FLOW_COLOURS)
    base = alt.Chart(alt.NamedData(name=DATA), width=PANEL[0], height=PANEL[1])
    layers = [
        base.mark_line(strokeWidth=1.3).encode(
            x=alt.X("time:Q", title="time, s", scale=alt.Scale(nice=False, zero=False)),
            y=alt.Y("cwnd:Q", title="congestion window, segments"),
            color=alt.Color("flow:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
            tooltip=theme.tooltips("flow:N", ("time:Q", "", ".1f"), ("cwnd:Q", "", ".4~g")),
        )
    ]
    if capacity:
        layers.append(base.mark_rule(strokeDash=[5, 4], color=theme.MUTED).encode(y=alt.YDatum(capacity)))
    means = [f"{name} {number(float(mean), 4)}" for name, mean in zip(result.flows, result.mean, strict=True)]
    text = f"Mean windows: {', '.join(means)}"
    if result.total == result.total:
        text += f"; sum while all are there {number(result.total, 4)}"
    if result.filled == result.filled:
        text += f", {percent(result.filled)} of what the path holds (dashed)"
    return theme.finish(alt.layer(*layers), {DATA: table}, title=title, subtitle=[f"{text} segments."])


def window_shares_caption(result: WindowShares) -> str:
    """Return the mean windows, the use of the path and the final shares of the flows, as text."""
    if not np.isfinite(result.mean).any():
        return "No flow was there."
    means = [
        f"{name} {quantity(float(mean), 'segments')}" for name, mean in zip(result.flows, result.mean, strict=True)
        if np.isfinite(mean)
    ]  # fmt: skip
    wording = f"Mean windows: {listed(means)}."
    if np.isfinite(result.filled):
        wording += f" Together they are {percent(result.filled)} of what the path holds."
    if len(result.flows) > 1 and np.isfinite(result.share).all():
        shares = [percent(100 * float(share)) for share in result.share]
        equal = "they share nearly equally" if result.jain > 0.95 else "they do not share equally"
        wording += f" In the end they have {listed(shares)}: {equal} (Jain index {number(result.jain, 2)})."
    return wording


def average_windows_caption(algorithm: str, found: AverageWindows) -> str:
    """Return the average windows of a run in each span, as text. `found`: average windows, segments."""
    parts = []
    for place, (begin, end) in enumerate(found.spans):
        there = np.flatnonzero(np.isfinite(found.window[:, place]))
        words = [f"{found.flows[i]} {number(float(found.window[i, place]), 4)}" for i in there]
        text = f"{number(begin)} to {number(end)} s: {listed(words)}"
        if len(there) > 1:
            shares = listed([percent(100 * float(found.share[i, place])) for i in there])
            text += f", {number(float(found.total[place]), 4)} together ({shares})"
        parts.append(text)
    return f"Average windows of {algorithm}, segments. {'. '.join(parts)}."
