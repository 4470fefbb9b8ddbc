"""Measures pieces of senders, and paced beside unpaced Reno, on the kernel of this machine and in mesonet.

sudo .venv/bin/python -m verification.witness.kernel.bursts kernel --out linux-6.18-bursts.csv
.venv/bin/python -m verification.witness.kernel.bursts mesonet
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

import mesonet as mn
from mesonet.kernel import machine
from mesonet.kernel.observations import lateness
from mesonet.kernel.packets import ACK, MSS
from mesonet.kernel.replays import merged
from verification.witness.kernel import compare
from verification.witness.kernel.runs import PRESET, of_scenario
from verification.witness.kernel.scenarios import KernelScenario
from verification.witness.kernel.small_pipe import PIECE_NS
from verification.witness.kernel.table import mark, read
from verification.witness.kernel.witness import write

FILE = Path(__file__).with_name("linux-6.18-bursts.csv")
RATES_MBPS = (5, 20, 50, 100, 200)
PAIR_MBPS, PAIR_RTT_S = 200, 0.01
FLOWS = 4
PACED = {1: frozenset({2}), 2: frozenset({0, 2}), 3: frozenset({0, 2, 3})}
"""Flows that are paced, from 0, by their number."""
LATEST_MS = 8.0
STEP_S = 2e-5
"""Interval of the trace in which mesonet's pieces are counted: a third of the time that separates two pieces."""


def every() -> list[KernelScenario]:
    """Return flows alone, with and without offload, then paced beside unpaced flows; buffers of 1 BDP."""
    found = [_alone(name, rate, None) for name in ("reno", "cubic", "bbr") for rate in RATES_MBPS]
    found += [_alone("reno", rate, 1) for rate in (50, 200)]
    found += [_alone("reno", rate, None, paced=True) for rate in (50, 200)]
    return found + [_beside(paced, bdp, gso) for gso in (None, 1) for bdp in (0.25, 1.0) for paced in PACED]


def _alone(algorithm: str, rate_mbps: float, gso: int | None, *, paced: bool = False) -> KernelScenario:
    name = f"{algorithm}{' paced' * paced} {rate_mbps:g} Mb/s{'' if gso else ' gso'}"
    first = KernelScenario(name, (algorithm,), 1, 6.0, (3.0, 6.0), rate_mbps=rate_mbps, floor_s=0.2, gso_segments=gso)
    return replace(first, places=_bdp(first), paced=frozenset({0} if paced else ()))


def _beside(paced: int, bdp: float, gso: int | None) -> KernelScenario:
    first = KernelScenario(
        name=f"{paced} of {FLOWS} reno paced, {bdp:g} BDP{'' if gso else ' gso'}",
        algorithms=("reno",) * FLOWS,
        places=1,
        duration_s=20.0,
        span_s=(5.0, 20.0),
        starts_s=tuple(number / FLOWS for number in range(FLOWS)),
        floor_s=0.2,
        gso_segments=gso,
        rate_mbps=PAIR_MBPS,
        rtt_s=PAIR_RTT_S,
        paced=PACED[paced],
    )
    return replace(first, places=round(bdp * _bdp(first)))


def _bdp(scenario: KernelScenario) -> int:
    return round(scenario.rtt_s / scenario.service_s)


def of_arrivals(at_s: np.ndarray, segments: np.ndarray) -> dict[str, float]:
    """Return the sizes of pieces from numbers of segments that reached the queue at some instants."""
    begins = np.flatnonzero(np.diff(at_s, prepend=-1.0) > PIECE_NS * 1e-9)
    sizes = np.add.reduceat(segments, begins)
    return {"segments of a piece": float(sizes.mean()), "largest piece, 95 %": float(np.percentile(sizes, 95))}


def of_flows(delivered: np.ndarray, lost: np.ndarray, scenario: KernelScenario) -> dict[str, float]:
    """Return what paced flows have beside unpaced ones. Each array has a value for each flow."""
    own = np.isin(np.arange(FLOWS), list(scenario.paced))
    return {
        "goodput of paced over unpaced": float(delivered[own].mean() / delivered[~own].mean()),
        "drops of a paced flow": float(lost[own].mean()),
        "drops of an unpaced flow": float(lost[~own].mean()),
        "utilisation": float(delivered.sum() * scenario.service_s / (scenario.span_s[1] - scenario.span_s[0])),
    }


def on_kernel(scenario: KernelScenario, program: Path) -> dict[str, float]:
    """Return the quantities of a run of the kernel; empty if a packet was too late."""
    trace = machine.run(scenario.setup, 1, program)
    if lateness(trace, scenario.setup)["largest_ms"] > LATEST_MS:
        return {}
    (begin, end), packets, samples = scenario.span_s, trace.packets, trace.samples
    at_s = (packets["read_ns"] - trace.began_ns) * 1e-9
    data = (packets["bytes"] > 0) & (packets["kind"] != ACK) & (at_s >= begin) & (at_s < end)
    if len(scenario.algorithms) == 1:
        return of_arrivals(np.sort(at_s[data]), np.ones(np.count_nonzero(data)))
    own = [samples[(samples["flow"] == flow) & (samples["time_s"] >= begin)] for flow in range(FLOWS)]
    delivered = np.array([flow["bytes_acked"][-1] - flow["bytes_acked"][0] for flow in own]) / MSS
    again = np.array([flow["total_retrans"][-1] - flow["total_retrans"][0] for flow in own])
    return of_flows(delivered, again, scenario)


def in_mesonet(scenario: KernelScenario, preset: str, values: Mapping[str, Any], run: int) -> dict[str, float]:
    """Return the quantities of a run of mesonet. Each run starts its flows at other phases of a round trip."""
    rng = np.random.default_rng(run)
    starts = tuple(start + float(rng.uniform(0, scenario.rtt_s)) for start in scenario.starts_s)
    (begin, _), alone = scenario.span_s, len(starts) == 1
    step = {"trace.every": f"{1e6 * STEP_S:g} us"} if alone else {}
    chosen = of_scenario(replace(scenario, starts_s=starts), preset, {**step, **values})
    result = mn.simulate(chosen, run)
    if alone:
        queue = result.router_traces.to_polars()
        arrived = queue["segments_accepted"] + queue["segments_dropped"]
        some = queue.with_columns(arrived=arrived).filter((queue["time_s"] >= begin) & (arrived > 0))
        return of_arrivals(some["time_s"].to_numpy(), some["arrived"].to_numpy())
    traces = result.flow_traces.to_polars()
    flows = [traces.filter((traces["flow"] == f"flow {n + 1}") & (traces["time_s"] >= begin)) for n in range(FLOWS)]
    gains = [
        np.array([float(flow[name][-1] - flow[name][0]) for flow in flows]) for name in ("segments_delivered", "losses")
    ]
    return of_flows(*gains, scenario)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure pieces of senders, and paced beside unpaced flows.")
    parser.add_argument("what", choices=("kernel", "mesonet"))
    parser.add_argument("--only", nargs="+", default=[], help="parts of names of scenarios")
    parser.add_argument("--preset", default=PRESET, help="preset of mesonet")
    parser.add_argument("--set", type=compare._value, action="append", default=[], metavar="PATH=VALUE", dest="values")
    parser.add_argument("--runs", type=int, default=3, help="runs of each scenario")
    parser.add_argument("--out", type=Path, help="write the quantities as a table; rows of other scenarios stay")
    options = parser.parse_args()
    kernel = read(FILE) if FILE.exists() else {}
    rows = read(options.out) if options.out and options.out.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        program = machine.build(Path(folder)) if options.what == "kernel" else Path()
        for scenario in every():
            if options.only and not any(word in scenario.name for word in options.only):
                continue
            if options.what == "kernel":
                runs = [on_kernel(scenario, program) for _ in range(options.runs)]
            else:
                numbers = range(1, options.runs + 1)
                runs = [in_mesonet(scenario, options.preset, dict(options.values), run) for run in numbers]
            for quantity, row in merged(run for run in runs if run).items():
                rows[scenario.name, quantity] = row
                theirs = kernel.get((scenario.name, quantity))
                beside = f"{theirs.mean:>9.4g} {mark(quantity, row.mean, theirs)}" if theirs else ""
                values = f"{row.mean:>9.4g} ({row.least:.4g} to {row.most:.4g}; {row.runs})"
                click.echo(f"{scenario.name:<38} {quantity:<30} {values:<38} {beside}")
    if options.out:
        write(options.out, [(*name, *(f"{v:.5g}" for v in row[:3]), row.runs) for name, row in rows.items()])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
