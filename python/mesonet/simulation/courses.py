"""Throughput, windows and queueing delay of a run over time, in the units that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.responses.segment_sizes import data_bytes, flow_bytes

if TYPE_CHECKING:
    from mesonet.simulation.result import Result

MOST_FLOWS = 6
"""Explicit flows with a line each; with more of them the network has one (chosen: colours that differ clearly)."""
THROUGHPUT, WINDOW, DELAY = "throughput, Mbit/s", "congestion window, segments", "queueing delay, ms"
THROUGHPUT_MIXED = "throughput, segments/s"
"""Of a network in which segments have different sizes."""
_MBIT = 8e-6


def courses(result: Result) -> pl.DataFrame:
    """Return the courses of a run.

    Columns panel, line, time_s and value. A few explicit flows have a line each; otherwise the lines are the throughput
    of the network, and means over its flows.
    """
    series = result.series.to_polars()
    scenario = result.provenance["scenario"]
    seconds = pl.col("time_s").diff().fill_null(pl.col("time_s").first())
    names = [name for name in series.columns if name.startswith("flow_") and name.endswith("_cwnd")]
    own = [name.split("_")[1] for name in names]
    queued = _panel(series, DELAY, "mean of all segments" if own else "all flows", pl.col("queueing_delay_ms"))
    if not 0 < len(own) <= MOST_FLOWS:
        sizes = data_bytes(scenario)
        title, one = (THROUGHPUT, _MBIT * sizes.pop()) if len(sizes) == 1 else (THROUGHPUT_MIXED, 1.0)
        rate = pl.col("segments_leaving") * one / seconds
        return pl.concat(
            [
                _panel(series, title, "all flows", rate),
                _panel(series, WINDOW, "all flows", pl.col("cwnd")),
                queued,
            ]
        )
    labels = {flow: _label(int(flow), scenario) for flow in own}
    rates = []
    for flow in own:
        total = pl.col(f"flow_{flow}_delivered") * (_MBIT * flow_bytes(scenario, int(flow) - 1))
        rates.append(_panel(series, THROUGHPUT, labels[flow], total.diff().fill_null(total.first()) / seconds))
    windows = [_panel(series, WINDOW, labels[flow], pl.col(f"flow_{flow}_cwnd")) for flow in own]
    return pl.concat([*rates, *windows, queued])


def _panel(series: pl.DataFrame, panel: str, line: str, value: pl.Expr) -> pl.DataFrame:
    return series.select(
        pl.lit(panel).alias("panel"),
        pl.lit(line).alias("line"),
        pl.col("time_s"),
        value.cast(pl.Float64).alias("value"),
    )


def _label(flow: int, scenario: dict[str, Any]) -> str:
    known = [each["name"] for each in scenario["algorithms"]]
    name = scenario["flows"][flow - 1]["algorithm"] or (known[0] if len(known) == 1 else "")
    return f"flow {flow}, {name}" if name else f"flow {flow}"
