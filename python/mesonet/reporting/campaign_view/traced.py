"""Explicit flows of a campaign that keeps their traces, as arrays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet import core

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Floats = NDArray[np.float64]

TRACES = "flow_traces"


@dataclass(frozen=True, eq=False)
class TracedRun:
    """The traced flows of one run, sampled together."""

    condition: int
    algorithm: str
    replicate: int
    scenario: dict[str, Any]  #: canonical
    flows: tuple[str, ...]  #: names, such as ``flow 1``
    time: Floats  #: s, shape (n,)
    cwnd: Floats  #: segments, shape (n, flows); NaN while a flow is not sending
    rtt: Floats  #: smoothed, ms, shape (n, flows)
    delivered: Floats  #: segments since the beginning of the flow, shape (n, flows)

    @property
    def given(self) -> list[dict[str, Any]]:
        """All explicit flows of the scenario."""
        return list(self.scenario["flows"])

    @property
    def spans(self) -> list[tuple[float, float]]:
        """Spans of the run, s, cut where an explicit flow starts or stops."""
        last = float(self.time[-1])
        changes = {float(flow[key]) for flow in self.given for key in ("start", "stop") if flow[key] is not None}
        cuts = sorted({0.0, last, *(cut for cut in changes if cut < last)})
        return list(pairwise(cuts))

    @property
    def congestion(self) -> tuple[float, float] | None:
        """Span with flows other than the first, s; None if it does not end, or never begins."""
        others = self.given[1:]
        if not others or any(flow["stop"] is None for flow in others):
            return None
        return min(flow["start"] for flow in others), max(flow["stop"] for flow in others)

    @cached_property
    def path(self) -> dict[str, Any]:
        """Derived properties of the scenario (`mesonet.scenarios.scenario.Scenario.describe`)."""
        return core.describe(json.dumps(self.scenario))

    @property
    def speed(self) -> float:
        """Speed of the slowest router, segments/s."""
        return float(min(group["speed"] for group in self.path["classes"]))


def traced_runs(campaign: Campaign) -> Iterator[TracedRun]:
    """Yield every finished run that has traces of explicit flows."""
    if TRACES not in campaign.experiment.get("keep", []):
        return
    scenarios = {
        (entry["condition"], entry["algorithm"]): entry["scenario"] for entry in campaign.experiment["scenarios"]
    }
    done = campaign.runs.filter(status="done").select("condition", "algorithm", "replicate")
    for condition, algorithm, replicate in done.iter_rows():
        table = campaign.kept(TRACES, condition, algorithm, replicate)
        table = table.filter(pl.col("flow").str.starts_with("flow "))
        if table.is_empty():
            continue
        flows = tuple(sorted(table["flow"].unique(), key=lambda name: int(name.split()[1])))
        arrays = {name: _by_flow(table, name, flows) for name in ("cwnd", "rtt_ms", "segments_delivered")}
        yield TracedRun(
            condition, algorithm, replicate, scenarios[condition, algorithm], flows,
            time=table["time_s"].unique().sort().to_numpy(),
            cwnd=arrays["cwnd"], rtt=arrays["rtt_ms"], delivered=arrays["segments_delivered"],
        )  # fmt: skip


def _by_flow(table: pl.DataFrame, name: str, flows: tuple[str, ...]) -> Floats:
    """Return a column as an array of the shape (instants, flows); NaN where a flow has no row."""
    wide = table.select("time_s", "flow", pl.col(name).cast(pl.Float64)).pivot(
        on="flow", index="time_s", values=name, aggregate_function="first"
    )
    return wide.sort("time_s").select(flows).fill_null(float("nan")).to_numpy()


def about_run(run: TracedRun, table: pl.DataFrame) -> pl.DataFrame:
    """Return a table with the condition, the algorithm and the replicate of its run in front."""
    return table.select(
        pl.lit(run.condition, pl.Int64).alias("condition"),
        pl.lit(run.algorithm).alias("algorithm"),
        pl.lit(run.replicate, pl.Int64).alias("replicate"),
        pl.all(),
    )
