"""Expected size of a run: rows and memory, computed before the run from the canonical scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mesonet import core
from mesonet.errors import InputError
from mesonet.scenarios import canonical

MOST_MEMORY = 4 * 2**30
"""Most memory expected of a run without ``--memory``, bytes (chosen): a run of the published experiments at full size
is expected to need at most 0.27 GiB."""

_ROW, _FLOW_IN_ROW = 660, 48
"""Bytes of a row of the series, and of an explicit flow in it: columns, their copy for Polars and the file.

Measured as the peak of a dumbbell with 10^6 rows, less the program; and as the difference that 100 flows in 40,000 rows
make."""
_FLOW_TRACE_ROW, _ROUTER_TRACE_ROW = 410, 180
"""Bytes of a row of a trace (measured as the rows of the series)."""
_SOURCE = 1_000
"""Bytes of a source and its segments in flight (measured: 630 in abilene with 349,200 idle sources)."""
_FLOW = 4_200
"""Bytes of an explicit flow and of its record (measured: the difference between 50,000 and 100 flows of a dumbbell)."""
_ARRIVAL, _RECORD = 1_500, 1_000
"""Bytes of an arrival in progress with its segments in flight, and of the record of a flow that ended.

Measured: 900 with 50,000 flows in progress in an overloaded dumbbell, whose windows are small; and 940 for each of
200,000 records."""

_UNIT = 1_800
"""Bytes of a row of the table of units (measured: 1,680 with 34,262 rows in abilene)."""
_CLASSES = 24
"""Combinations of path class, class of round trip and interface rate that the flows of a user can have."""

_WATCHED_IN_PERIOD = 20_000
"""Bytes of the record of a receiver that is watched, by period (derived: two histograms of delays up to 10 s, 1,200
buckets of 8 bytes each)."""


@dataclass(frozen=True)
class RunSize:
    """Expected size of a run; upper bounds, because a run and its flows may end early. Of arrivals an estimate."""

    samples: int  #: rows of the time series
    trace_rows: int  #: rows of traces of flows, sources and routers
    flows: int  #: sources, explicit flows, and arrivals that are expected to be in progress at once
    memory_bytes: int  #: memory of the run, without the program


def run_size(scenario: Mapping[str, Any], described: Mapping[str, Any]) -> RunSize:
    """Return the expected size of a run."""
    duration, measurement, trace = scenario["time"]["duration"], scenario["measurement"], scenario["trace"]
    samples = _rows(duration, measurement["interval"])
    explicit = len(scenario["flows"]) + int(scenario["users"]["long_lived_flows"])
    in_row = min(explicit, int(measurement["flow_series"]))
    every = _rows(duration, trace["every"])
    flow_rows = every * (len(trace["flows"]) + len(trace["sources"]))
    queues = described["routers"] if scenario["network"]["queue"] == "router" else 2 * described["links"]
    per_router = max(1, queues // described["routers"])
    router_rows = every * (queues if "all" in trace["routers"] else len(trace["routers"]) * per_router)
    memory = samples * (_ROW + in_row * _FLOW_IN_ROW)
    memory += flow_rows * _FLOW_TRACE_ROW + router_rows * _ROUTER_TRACE_ROW
    memory += described["sources"] * _SOURCE + explicit * _FLOW
    watched = sum("application" in flow or "receiver" in flow for flow in scenario["flows"])
    memory += watched * (int(scenario["time"]["periods"]) + 1) * _WATCHED_IN_PERIOD
    in_progress = sum(each["in_progress"] for each in described["arrivals"])
    memory += in_progress * _ARRIVAL + _arrivals(scenario, described) * measurement["flow_records"] * _RECORD
    memory += _units(scenario, described) * _UNIT
    flows = described["sources"] + explicit + math.ceil(in_progress)
    return RunSize(samples, flow_rows + router_rows, flows, int(memory))


def refuse_large(scenario_json: str, memory: int | None = None) -> None:
    """Raise an `InputError` for a run that would need more memory than is allowed.

    `memory`: most memory of the run, bytes; None: `MOST_MEMORY`.
    """
    scenario = canonical.content(scenario_json)
    described = core.describe(scenario_json)
    size = run_size(scenario, described)
    most = memory or MOST_MEMORY
    if size.memory_bytes <= most:
        return
    path = max(
        (size.samples * _ROW, "measurement.interval"),
        (size.trace_rows * _ROUTER_TRACE_ROW, "trace.every"),
        (size.flows * _SOURCE, "arrivals" if scenario.get("arrivals") else "users.base_sources"),
        (
            _arrivals(scenario, described) * scenario["measurement"]["flow_records"] * _RECORD,
            "measurement.flow_records",
        ),
        (_units(scenario, described) * _UNIT, "measurement.units"),
    )[1]
    problem = (
        f"the run would have {size.samples:,} samples, {size.trace_rows:,} rows of traces and {size.flows:,} sources "
        f"and flows, and need about {size.memory_bytes / 2**30:,.1f} GiB of memory"
    )
    allowed = f"at most {most / 2**30:.3g} GiB; --memory raises it"
    raise InputError(problem, path=path, allowed=allowed)


def _arrivals(scenario: Mapping[str, Any], described: Mapping[str, Any]) -> float:
    """Return the expected number of open-loop arrivals of a run."""
    duration, total = scenario["time"]["duration"], 0.0
    for process, found in zip(scenario.get("arrivals", ()), described["arrivals"], strict=True):
        stop = duration if process["stop"] is None else min(process["stop"], duration)
        total += found["rate"] * max(stop - process["start"], 0.0)
    return total


def _units(scenario: Mapping[str, Any], described: Mapping[str, Any]) -> float:
    """Return the most rows of the table of units: of each user and period one for a flow, or one for a class."""
    if not scenario["measurement"]["units"]:
        return 0
    time, periods = scenario["time"], int(scenario["time"]["periods"])
    transfers = described["offered"] / described["mean_file_size"] * (time["duration"] - time["warmup"])
    in_progress = sum(each["in_progress"] for each in described["arrivals"])
    classes = _CLASSES * len(scenario["algorithms"])
    rows = (len(scenario["flows"]) + int(scenario["users"]["long_lived_flows"])) * periods
    for flows, at_once, users in (
        (transfers, described["sources"], described["sources"]),
        (_arrivals(scenario, described), in_progress, described["routers"]),
    ):
        rows += min(flows + at_once * periods, users * periods * classes)
    return rows


def _rows(duration: float, every: float) -> int:
    return int(duration / every) + 1
