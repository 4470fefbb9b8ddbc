"""Tables and figures of explicit flows: windows and latencies."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mesonet import analysis, charts
from mesonet.analysis import AverageWindows, average_windows, envelope, queued, window_shares
from mesonet.charts.flow_windows import MOST_SAMPLES
from mesonet.reporting.campaign_view.series import kept_series
from mesonet.reporting.campaign_view.traced import TracedRun, traced_runs
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.captions import traced as captions

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def traced_tables(campaign: Campaign) -> dict[str, pl.DataFrame]:
    """Return the tables of runs with traces of explicit flows.

    Parameters
    ----------
    campaign
        The campaign.

    Returns
    -------
    ``windows``, a row per run, flow and span, and ``latencies``, a row per run; tables without rows are left out.
    """
    runs = list(traced_runs(campaign))
    tables = {"windows": [_windows_table(run) for run in runs], "latencies": [_latency_table(run) for run in runs]}
    return {
        name: pl.concat(there) for name, parts in tables.items() if (there := [part for part in parts if len(part)])
    }


def windows(view: CampaignView) -> Figure | None:
    """Return the windows of every run with explicit flows."""
    several = view.campaign.design.runs > 1
    runs: dict[str, Callable[[], Drawing]] = {}
    for condition, algorithm, file in _runs_with_windows(view.campaign):
        title = f"Windows of the flows, {algorithm}, condition {condition}"
        runs[f"{algorithm}, condition {condition}"] = partial(_windows_of_series, file, title)
    for run in view.traced:
        if len(run.flows) > 1:
            name = f"{run.algorithm}, condition {run.condition}" if several else run.algorithm
            name += f", run {run.replicate}" if run.replicate > 1 else ""
            runs[name] = partial(_windows, run, several)
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


def latencies(view: CampaignView) -> Figure | None:
    """Return the latencies of the first flow, for every condition."""
    several = view.campaign.design.runs > 1
    measured = [_latency_table(run) for run in view.traced]
    rows = pl.concat(measured) if measured else pl.DataFrame()
    means = {
        str(condition): own.group_by("algorithm", maintain_order=True).agg(pl.col("goodput", "recovery").mean())
        for (condition,), own in (rows.group_by("condition", maintain_order=True) if len(rows) else ())
    }
    if not means:
        return None

    def draw(condition: str) -> Drawing:
        title = "Time to the full rate" + (f", condition {condition}" if several else "")
        chart = charts.latencies(means[condition], title=title)
        return drawing(chart, captions.latencies_caption(means[condition]))

    return Figure(
        id="latencies",
        short_title="Latencies",
        title="How soon is a flow at its full rate?",
        reading="",
        draw=draw,
        selections=[{"condition": condition} for condition in means],
        file="windows/latencies_{condition}" if several else "windows/latencies",
    )


def _runs_with_windows(campaign: Campaign) -> list[tuple[int, str, str]]:
    """Return condition, algorithm and file of the first replicates that kept the series of an explicit flow."""
    found = []
    for condition, algorithm in campaign.runs.select("condition", "algorithm").unique(maintain_order=True).iter_rows():
        path = kept_series(campaign, condition, algorithm)
        if path and _windows_in(pl.read_parquet_schema(path)):
            found.append((condition, algorithm, str(path)))
    return found


def _windows_in(columns: Any) -> list[str]:
    """Return the columns of a time series that are windows of flows."""
    return [name for name in columns if re.fullmatch(r"flow_\d+_cwnd", name)]


def _windows_of_series(file: str, title: str) -> Drawing:
    series = pl.read_parquet(file)
    names = _windows_in(series.columns)
    values = series.select(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in names).to_numpy()
    values = np.where(values > 0, values, np.nan)
    flows = [name.removesuffix("_cwnd").replace("_", " ") for name in names]
    shares = window_shares(values, flows=flows)
    chart = charts.windows(series["time_s"].to_numpy(), values, shares, title=title)
    return drawing(chart, captions.window_shares_caption(shares))


def own_windows(run: TracedRun) -> AverageWindows:
    """Return the average windows of a run in the spans between which flows start or stop.

    Parameters
    ----------
    run
        A traced run.

    Returns
    -------
    Windows, segments, shape (flows, spans).
    """
    return average_windows(run.time, run.cwnd, run.delivered, run.spans, flows=run.flows)


def _windows_table(run: TracedRun) -> pl.DataFrame:
    found = own_windows(run)
    in_queue = np.array(
        [
            [_mean(column[(run.time > begin) & (run.time <= end)]) for begin, end in found.spans]
            for column in queued(run.cwnd, run.rtt).T
        ]
    )
    table = found.to_polars().drop("span").with_columns(queued=pl.Series(in_queue.ravel()).fill_nan(None))
    return _about(run, table).filter(pl.col("window").is_not_null())


def _latency_table(run: TracedRun) -> pl.DataFrame:
    # Long-lived flows have numbers like explicit flows, but no start, stop or interface in the scenario.
    if not run.given or run.flows[0] != "flow 1" or (len(run.given) > 1 and run.congestion is None):
        return pl.DataFrame()
    full = min(float(run.given[0]["interface"]), run.speed)
    found = analysis.latencies(
        run.time,
        run.cwnd[:, 0],
        run.delivered[:, 0],
        ssthresh=float(run.scenario["transport"]["initial_ssthresh"]),
        full=full,
        congestion=run.congestion,
    )
    row = {"full_rate": full, **vars(found)}
    return _about(run, pl.DataFrame([row]).with_columns(pl.selectors.float().fill_nan(None)))


def _about(run: TracedRun, table: pl.DataFrame) -> pl.DataFrame:
    return table.select(
        pl.lit(run.condition, pl.Int64).alias("condition"),
        pl.lit(run.algorithm).alias("algorithm"),
        pl.lit(run.replicate, pl.Int64).alias("replicate"),
        pl.all(),
    )


def _windows(run: TracedRun, several: bool) -> Drawing:
    found = own_windows(run)
    samples = pl.concat(
        [
            _samples(run.time, values[:, place], flow, measure)
            for measure, values in (("cwnd", run.cwnd), ("queued", queued(run.cwnd, run.rtt)))
            for place, flow in enumerate(run.flows)
        ]
    )
    averages = found.to_polars().select("flow", "begin", "end", "window").drop_nulls()
    chart: Any = charts.flow_windows(
        samples,
        averages,
        run.flows,
        marks=_marks(run),
        title=run.algorithm + (f", condition {run.condition}" if several else ""),
    )
    return drawing(chart, captions.average_windows_caption(run.algorithm, found))


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
