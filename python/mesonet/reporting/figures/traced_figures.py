"""Tables and figures of flows given one by one: windows and latencies."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mesonet.analysis import AverageWindows, average_windows, envelope, latencies, queued
from mesonet.files.names import file_stem
from mesonet.plots.flow_windows import MOST_SAMPLES, flow_windows
from mesonet.plots.latencies import latencies as latencies_chart
from mesonet.reporting.campaign_view.traced import TracedRun, traced_runs
from mesonet.reporting.figures.drawable import Drawable
from mesonet.words import listed, number, percent

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def traced_tables(campaign: "Campaign") -> dict[str, pl.DataFrame]:
    """Return `windows`, a row per run, flow and span, and `latencies`, a row per run; empty tables are left out."""
    runs = list(traced_runs(campaign))
    tables = {"windows": [_windows_table(run) for run in runs], "latencies": [_latency_table(run) for run in runs]}
    return {
        name: pl.concat(there) for name, parts in tables.items() if (there := [part for part in parts if len(part)])
    }


def traced_figures(campaign: "Campaign") -> list[Drawable]:
    """Return the windows of every run with several flows, and the latencies of every condition."""
    several = campaign.design.runs > 1
    figures, measured = [], []
    for run in traced_runs(campaign):
        measured.append(_latency_table(run))
        if len(run.flows) > 1:
            name = f"windows/{file_stem(run.algorithm)}" + (f"_{run.condition}" if several else "")
            name += f"_{run.replicate}" if run.replicate > 1 else ""
            asked = "Does the algorithm fill the path, share it, converge?"
            which = f"{run.algorithm}, condition {run.condition}" if several else run.algorithm
            which += f", run {run.replicate}" if run.replicate > 1 else ""
            figures.append(Drawable(name, asked, partial(_windows_figure, run, several), "windows", {"run": which}))
    rows = pl.concat(measured) if measured else pl.DataFrame()
    for (condition,), own in rows.group_by("condition", maintain_order=True) if len(rows) else ():
        means = own.group_by("algorithm", maintain_order=True).agg(pl.col("goodput", "recovery").mean())
        name = "windows/latencies" + (f"_{condition}" if several else "")
        title = "Time to the full rate" + (f", condition {condition}" if several else "")
        figures.append(Drawable(name, "How soon is a flow at its full rate?", partial(_latency_figure, means, title)))
    return figures


def _latency_figure(means: pl.DataFrame, title: str) -> tuple[Any, str]:
    return latencies_chart(means, title=title), _latency_caption(means)


def own_windows(run: TracedRun) -> AverageWindows:
    """Return the average windows of a run in the spans between which flows start or stop."""
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
    # Long-lived flows are numbered like explicit flows, but the scenario gives them no start, stop or interface.
    if not run.given or run.flows[0] != "flow 1" or (len(run.given) > 1 and run.congestion is None):
        return pl.DataFrame()
    full = min(float(run.given[0]["interface"]), run.speed)
    found = latencies(
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


def _windows_figure(run: TracedRun, several: bool) -> tuple[Any, str]:
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
    return chart, _windows_caption(run, found)


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


def _windows_caption(run: TracedRun, found: AverageWindows) -> str:
    parts = []
    for place, (begin, end) in enumerate(found.spans):
        there = np.flatnonzero(np.isfinite(found.window[:, place]))
        words = [f"{found.flows[i]} {number(float(found.window[i, place]), 4)}" for i in there]
        text = f"{number(begin)} to {number(end)} s: {listed(words)}"
        if len(there) > 1:
            shares = listed([percent(100 * float(found.share[i, place])) for i in there])
            text += f", {number(float(found.total[place]), 4)} together ({shares})"
        parts.append(text)
    return f"Average windows of {run.algorithm}, segments. {'. '.join(parts)}."


def _latency_caption(means: pl.DataFrame) -> str:
    parts = []
    for kind in ("goodput", "recovery"):
        known = means.drop_nulls(kind).sort(kind)
        if len(known):
            least, most = known.row(0, named=True), known.row(-1, named=True)
            parts.append(
                f"{kind.capitalize()} latency is from {number(least[kind], 3)} s with {least['algorithm']} to "
                f"{number(most[kind], 3)} s with {most['algorithm']}."
            )
        if never := means.filter(pl.col(kind).is_null())["algorithm"].to_list():
            parts.append(f"Never within the run: {listed(never)} ({kind}).")
    return " ".join(parts)


def _mean(values: np.ndarray) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if len(there) else float("nan")
