"""Runs a set-up of the witness in mesonet."""

from __future__ import annotations

from typing import Any

import polars as pl

from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.scenario import scenario as named
from mesonet.simulation.simulate import simulate
from verification.witness.kernel.runs import PATH
from verification.witness.kernel.scenarios import PROPAGATION_S
from verification.witness.ns3.setups import SECONDS, SEGMENT_BYTES, WARMUP, SetUp

PORT = "A -> B"
IS_PORT = (pl.col("router") == PORT) & (pl.col("period") == "measured")


def scenario(setup: SetUp, seed: int, **values: Any) -> Scenario:
    """Return the scenario of a set-up; values by path come last."""
    flows = [
        {
            "from": "A",
            "to": "B",
            "start": f"{start} s",
            "interface": "1 Gbit/s",
            "extra_delay": f"{extra / 2} ms",
            "algorithm": "tcp",
        }
        for start, extra in zip(setup.starts(seed), setup.extra_ms, strict=True)
    ]
    return named("dumbbell").with_values(
        {
            "topology": str(PATH),
            "network.queue": "port",
            "network.speed": f"{setup.mbps} Mbit/s",
            "network.delay_multiplier": setup.rtt_ms / (2e3 * PROPAGATION_S),
            "network.buffer": f"{setup.places} segments",
            "aqm.discipline": setup.discipline,
            "aqm.at": [PORT],
            "aqm.ecn": setup.ecn,
            "flows": flows,
            # As in ns-3: no rate reduction, a round trip from each acknowledgement, growth at the end of recovery.
            "transport.segment_bytes": SEGMENT_BYTES,
            "transport.prr": "off",
            "transport.loss_detection": "dupthresh",
            "transport.rtt_samples": "every_ack",
            "transport.grow_at_recovery_exit": True,
            "time.duration": f"{SECONDS} s",
            "time.warmup": f"{WARMUP} s",
            "time.periods": 1,
            "measurement.interval": "10 ms",
            "measurement.flow_series": 0,
            "measurement.queue_delays": True,
            **values,
        }
    )


def run(setup: SetUp, seed: int, **values: Any) -> dict[str, float]:
    """Return the quantities of a run: those of ns-3, but the mean delay."""
    result = simulate(scenario(setup, seed, **values), seed)
    port = result.routers.to_polars().row(by_predicate=IS_PORT, named=True)
    series = result.series.to_polars()
    series = series.filter(series["time_s"] > WARMUP + 1e-9)
    return {
        "utilisation": port["utilisation"],
        "delay_p50_ms": port["delay_p50_ms"],
        "delay_p95_ms": port["delay_p95_ms"],
        "queue_mean": port["queue_mean"],
        "sent": port["utilisation"] * (SECONDS - WARMUP) * port["speed"],
        "drops": port["segments_dropped"],
        "marks": port["segments_marked"] or 0.0,
        "timeouts": float(series["timeouts"].sum()),
        "reductions": float(series["loss_events"].sum()),
    }
