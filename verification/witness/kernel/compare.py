"""Runs the scenarios in mesonet and prints its quantities beside those of the kernel.

.venv/bin/python verification/witness/kernel/compare.py --preset standard
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import metrics
import numpy as np
from metrics import Flow, Observation
from scenarios import RATE_MBPS, SAMPLE_S, Scenario
from witness import FILE, chosen, merged, read, write

import mesonet as mn

PATH = Path(__file__).with_name("path")
NAMES = {"reno": "tcp", "cubic": "cubic", "bbr": "bbr"}
"""Algorithms of mesonet by their names in the kernel."""
NEAR = 0.1
INSIDE, CLOSE, OUTSIDE = "inside", "within 10 %", "outside"


def of_scenario(scenario: Scenario, preset: str, values: Mapping[str, Any]) -> mn.scenario.Scenario:
    """Return the same set-up for mesonet; `values` come last.

    The sender's interface is so fast that a burst reaches the queue within microseconds per segment, as in the kernel.
    """
    size = f"{scenario.segments} segments" if scenario.segments else "unlimited"
    flows = [
        {
            "from": "A",
            "to": "B",
            "start": f"{start} s",
            "size": size,
            "interface": "1000 seg/ms",
            "algorithm": NAMES[name],
        }
        for name, start in zip(scenario.algorithms, scenario.starts_s, strict=True)
    ]
    settings = {
        "preset": preset,
        "topology": str(PATH),
        "network.speed": f"{RATE_MBPS:g} Mbps",
        "network.delay_multiplier": 1,
        "network.buffer": f"{scenario.places} segments",
        "network.buffer_counts_in_service": False,
        "users.base_sources": 0,
        "flows": flows,
        "transport.delayed_acks": True,
        "transport.min_rto": f"{scenario.floor_s} s",
        "time.duration": f"{scenario.duration_s} s",
        "time.warmup": "0 s",
        "time.periods": 1,
        "measurement.interval": "100 ms",
        "measurement.flow_records": 1,
        "trace.flows": [number + 1 for number in range(len(flows))],
        "trace.routers": ["A"],
        "trace.every": f"{SAMPLE_S} s",
    }
    return mn.scenario("dumbbell").with_values({**settings, **values})


def observe(scenario: Scenario, preset: str, values: Mapping[str, Any], seed: int) -> Observation:
    """Return the observation of a run of mesonet."""
    result = mn.simulate(of_scenario(scenario, preset, values), seed)
    router = result.router_traces.to_arrow().to_pydict()
    traces = result.flow_traces.to_polars()
    ended = result.flows.to_polars()
    flows = []
    for number in range(len(scenario.algorithms)):
        own = traces.filter(flow=f"flow {number + 1}")
        column = {name: own[name].cast(float).to_numpy() for name in own.columns if name not in ("flow", "state")}
        totals = ended.filter(source=ended["source"].sort()[number]).row(0, named=True)
        left = float(column["in_flight"][-1]) if len(own) and not totals["completed"] else 0.0
        again = totals["segments_sent"] - totals["segments_delivered"] - left
        flow = Flow(
            time_s=column["time_s"],
            cwnd=column["cwnd"],
            ssthresh=column["ssthresh"],
            in_flight=column["in_flight"],
            srtt_s=column["rtt_ms"] * 1e-3,
            delivered=column["segments_delivered"],
            reductions=column["loss_events"],
            timeouts=column["timeouts"],
            drops=column["losses"],
            retransmissions=float(again),
            spurious=max(0.0, float(again - totals["losses"])),
        )
        flows.append(flow)
    time_s = np.array(router["time_s"])
    took = totals["last_acked_s"] - totals["started_s"] if totals["completed"] else float("nan")
    return Observation(
        time_s=time_s,
        queue=np.array(router["queue"], dtype=float),
        accepted=np.cumsum(router["segments_accepted"]).astype(float),
        dropped=np.cumsum(router["segments_dropped"]).astype(float),
        busy_s=np.cumsum(router["utilisation"]) * SAMPLE_S,
        flows=flows,
        completion_s=took,
    )


def mark(value: float, mean: float, least: float, most: float) -> str:
    """Return where a value stands beside the kernel's."""
    if least <= value <= most:
        return INSIDE
    return CLOSE if abs(value - mean) <= NEAR * abs(mean) else OUTSIDE


def _value(text: str) -> tuple[str, Any]:
    """Return path and value of ``path=value``: a number, true, false or text."""
    path, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text}: not path=value")
    try:
        return path, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return path, value


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare mesonet with the kernel.")
    parser.add_argument("only", nargs="*", help="parts of names of scenarios")
    parser.add_argument("--preset", default="standard", help="preset of mesonet")
    parser.add_argument("--set", type=_value, action="append", default=[], metavar="PATH=VALUE", dest="values")
    parser.add_argument("--runs", type=int, default=3, help="seeds of each scenario")
    parser.add_argument("--kernel", type=Path, default=FILE, help="results of the kernel")
    parser.add_argument("--out", type=Path, help="write the quantities of mesonet as a table")
    parser.add_argument("--marks", nargs="*", default=[INSIDE, CLOSE, OUTSIDE], help="which rows to print")
    options = parser.parse_args()
    kernel = read(options.kernel)
    counts = dict.fromkeys((INSIDE, CLOSE, OUTSIDE), 0)
    rows = []
    for scenario in chosen(options.only):
        if scenario.loss or not scenario.gso_segments or not scenario.compressed_sacks:
            continue
        seeds = range(1, options.runs + 1)
        runs = [observe(scenario, options.preset, dict(options.values), seed) for seed in seeds]
        found = merged(metrics.quantities(run, scenario) for run in runs)
        rows += [(scenario.name, name, *(f"{v:.5g}" for v in values[:3]), values[3]) for name, values in found.items()]
        for name, values in found.items():
            if (scenario.name, name) not in kernel:
                continue
            mean, least, most, _ = kernel[scenario.name, name]
            where = mark(values[0], mean, least, most)
            counts[where] += 1
            if where in options.marks:
                kernels = f"{mean:>10.5g} ({least:.5g} to {most:.5g})"
                click.echo(f"{scenario.name:<34} {name:<38} {values[0]:>10.5g} {kernels:<34} {where}")
    click.echo(", ".join(f"{count} {where}" for where, count in counts.items()))
    if options.out:
        write(options.out, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
