"""The scenarios of the kernel in mesonet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from mesonet.kernel.observations import Observation, of_mesonet
from mesonet.kernel.packets import SAMPLE_S
from mesonet.kernel.replays import Row, merged
from mesonet.scenarios.scenario import Scenario as Simulated
from mesonet.scenarios.scenario import scenario as named
from mesonet.simulation.simulate import simulate
from verification.witness.kernel.metrics import quantities
from verification.witness.kernel.scenarios import PROPAGATION_S, KernelScenario, changing, every

PATH = Path(__file__).with_name("path")
PORT = "A -> B"
PRESET = "linux"
BUFFER = 7241
"""Segments of 2317 bytes of memory in the buffer of the kernel's receiver, 16 MiB (`machine.SYSCTLS`)."""
RUNS = 5
"""Runs of each scenario. Run k has seed k, and its newcomer starts later by (k - 1) / 5 of a round trip without queue.
A pair depends on the phase at which the second flow begins, to which runs of the kernel are not exact."""


def of_scenario(scenario: KernelScenario, preset: str, values: Mapping[str, Any]) -> Simulated:
    """Return the set-up of a scenario for mesonet.

    Where the kernel sends single segments, so do hosts of mesonet; else pieces are those of the preset. The
    sender's interface is so fast that a burst reaches the queue within microseconds per segment, as in the kernel.
    """
    size = f"{scenario.segments} segments" if scenario.segments else "unlimited"
    flows = [
        {
            "from": "A",
            "to": "B",
            "start": f"{start} s",
            "size": size,
            "interface": "1000 seg/ms",
            "algorithm": name + "(paced=1)" * (number in scenario.paced),
        }
        for number, (name, start) in enumerate(zip(scenario.algorithms, scenario.starts_s, strict=True))
    ]
    settings = {
        "preset": preset,
        "topology": str(PATH),
        "network.speed": f"{scenario.rate_mbps:g} Mbps",
        "network.delay_multiplier": scenario.rtt_s / (2 * PROPAGATION_S),
        "network.buffer": f"{scenario.places} segments",
        "network.buffer_counts_in_service": False,
        "users.base_sources": 0,
        "flows": flows,
        "transport.delayed_acks": scenario.delayed_acks,
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
    if preset == PRESET:
        settings["transport.receive_buffer"] = f"{BUFFER} segments"
    if scenario.gso_segments:
        settings["transport.burst"] = "0 segments"
    if not scenario.compressed_sacks:
        settings["transport.sack_compression"] = "0 s"
    if scenario.loss:
        settings |= {"impairments.at": [PORT], "impairments.of": "data", "impairments.loss": scenario.loss}
    if scenario.spans_s:
        settings |= {"network.queue": "port", "impairments.at": [PORT]}
    if scenario.changes:
        rates = ((0.0, scenario.rate_mbps), *scenario.changes)
        settings["impairments.capacity"] = [[f"{at} s", f"{rate:g} Mbit/s"] for at, rate in rates]
    if scenario.outage_s:
        start, length = scenario.outage_s
        settings |= {"impairments.outage_start": f"{start} s", "impairments.outage_length": f"{length} s"}
    return named("dumbbell").with_values({**settings, **values})


def in_phase(scenario: KernelScenario, run: int, runs: int) -> KernelScenario:
    """Return the scenario of a run: the newcomer, or the flow on a path that changes, starts at another phase in each.

    `run`: number of the run, from 1.
    """
    later = 2 * PROPAGATION_S * (run - 1) / runs
    only = bool(scenario.spans_s)
    return replace(scenario, starts_s=tuple(start + later * (only or start > 0) for start in scenario.starts_s))


def observe(scenario: KernelScenario, preset: str, values: Mapping[str, Any], seed: int) -> Observation:
    """Return the observations of a run of mesonet."""
    result = simulate(of_scenario(scenario, preset, values), seed)
    return of_mesonet(result, PORT if scenario.spans_s else "A", lossy=bool(scenario.loss or scenario.outage_s))


def found(scenario: KernelScenario, preset: str = PRESET, runs: int = RUNS, **values: Any) -> dict[str, Row]:
    """Return the quantities of a scenario over some runs of mesonet."""
    each = (observe(in_phase(scenario, run, runs), preset, values, run) for run in range(1, runs + 1))
    return merged(quantities(run, scenario) for run in each)


@cache
def reference(name: str) -> dict[str, Row]:
    """Return the quantities of a scenario with the preset of Part K; computed once in a process."""
    (scenario,) = (each for each in [*every(), *changing()] if each.name == name)
    return found(scenario)
