"""Set-ups of long flows whose acknowledgements return over a narrow line, and their runs in mesonet and ns-2.

python -m verification.witness.way_back.way_back   # runs what runs.csv lacks in ns-2: 20 seconds
"""

from __future__ import annotations

import csv
import random
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.scenario import scenario as named
from mesonet.simulation.simulate import simulate

HERE = Path(__file__).parent
TABLE = HERE / "runs.csv"
SECONDS, WARMUP = 220, 20
SEEDS = tuple(range(1, 11))
SEGMENT_BYTES, ACK_BYTES = 1000, 40
RATE = 1000
"""Segments per second of the line there."""
RTT_MS, PLACES = 40, 40
"""Round trip without queues; packets that may wait in either queue: what the line holds."""
QUANTITIES = (
    "sent", "drops", "acks", "acks_dropped", "received", "timeouts", "reductions", "queue", "acks_queue",
)  # fmt: skip
"""Of the measured span: packets that leave the queue there and that it drops, the same of the way back, segments
acknowledged in order, timeouts, reductions that are no timeouts, and the mean packets that wait in each queue."""


@dataclass(frozen=True)
class WayBack:
    """Equal long flows over a line that is narrower on the way back."""

    flows: int  #: number of flows
    acks: int  #: acknowledgements per second that the way back carries
    delayed: bool  #: True: receivers acknowledge every second segment, or a single one after 100 ms (default of ns-2)
    recovery: str = "sack"  #: loss recovery: sack or newreno

    @property
    def name(self) -> str:
        """The set-up in words."""
        receivers = "every second segment" if self.delayed else "every segment"
        return f"{self.recovery}, {self.flows} flow{'s' if self.flows > 1 else ''}, {self.acks} ACKs/s, {receivers}"

    def starts(self, seed: int) -> list[float]:
        """Return the starts of the flows, s: uniform in the first second, equal in both simulators."""
        draw = random.Random(1000 * seed + self.flows)
        return [round(draw.random(), 3) for _ in range(self.flows)]

    def extra_ms(self, seed: int) -> list[float]:
        """Return how much longer the round trip of each flow is, ms: up to a tenth, so that runs of one flow differ."""
        draw = random.Random(1000 * seed + self.flows + 500)
        return [round(draw.uniform(0, RTT_MS / 10), 3) for _ in range(self.flows)]

    def arguments(self, seed: int) -> list[str]:
        """Return the arguments of the program of ns-2."""
        variables = {
            "windowInit_": 2, "window_": 1000000, "packetSize_": SEGMENT_BYTES - 40, "minrto_": 1, "rtxcur_init_": 1,
            "tcpTick_": 0.001,
        }  # fmt: skip
        return [
            f"agent={'Sack1' if self.recovery == 'sack' else 'Newreno'}", f"bps={8 * SEGMENT_BYTES * RATE}",
            f"backBps={8 * ACK_BYTES * self.acks}", f"rttMs={RTT_MS}", f"limit={PLACES}",
            f"starts={','.join(f'{start:g}' for start in self.starts(seed))}",
            f"extraMs={','.join(f'{extra:g}' for extra in self.extra_ms(seed))}",
            f"delayed={0.1 if self.delayed else 0}", f"warmup={WARMUP}", f"seconds={SECONDS}",
            *(f"{name}={value}" for name, value in variables.items()),
        ]  # fmt: skip

    def scenario(self, seed: int, folder: Path, **values: Any) -> Scenario:
        """Return the scenario of mesonet, whose network is written to a folder; values by path come last."""
        mbps, back_mbps = (8e-6 * size * rate for size, rate in ((SEGMENT_BYTES, RATE), (ACK_BYTES, self.acks)))
        # Ports towards hosts are a thousand times as fast.
        (folder / "nodes.csv").write_text("name,class,speed_factor\nA,plain,1000\nB,plain,1000\n")
        columns = "from,to,delay_ms,capacity_mbps,capacity_back_mbps"
        (folder / "links.csv").write_text(f"{columns}\nA,B,{RTT_MS / 2},{mbps},{back_mbps}\n")
        flows = [
            {"from": "A", "to": "B", "interface": "1 Gbit/s", "algorithm": "tcp"}
            | {"start": f"{start} s", "extra_delay": f"{extra / 2} ms"}
            for start, extra in zip(self.starts(seed), self.extra_ms(seed), strict=True)
        ]
        return named("dumbbell").with_values(
            {
                "topology": str(folder),
                "network.queue": "port",
                "network.ack_path": "queued",
                "network.ack_bytes": ACK_BYTES,
                "network.buffer_counts": "packets",
                "network.speed": f"{mbps} Mbit/s",
                "network.delay_multiplier": 1,
                "network.buffer": f"{PLACES} segments",
                "flows": flows,
                "transport.segment_bytes": SEGMENT_BYTES,
                "transport.initial_window": "2 segments",
                "transport.recovery": self.recovery,
                "transport.prr": "off",
                "transport.loss_detection": "dupthresh",
                "transport.delayed_acks": self.delayed,
                "transport.ack_delay": "100 ms",
                # ns-2: a window grows by acknowledgements; one round trip is timed at a time, by a clock.
                "transport.window_growth": "acks",
                "transport.rtt_samples": "round_trip",
                "transport.timer_tick": "1 ms",
                # tcp-newreno.cc:242 calls opencwnd at the end of recovery, tcp-sack1.cc:196 does not.
                "transport.grow_at_recovery_exit": self.recovery == "newreno",
                "time.duration": f"{SECONDS} s",
                "time.warmup": f"{WARMUP} s",
                "time.periods": 1,
                # No multiple of the times that packets take.
                "measurement.interval": "9.7 ms",
                "measurement.flow_series": 0,
                **values,
            }
        )


IS_RATE = (pl.col("response") == "segment_rate") & (pl.col("period") == "measured")

SETUPS = tuple(
    WayBack(flows, acks, delayed, recovery)
    for recovery in ("newreno", "sack")
    for flows in (1, 4, 16)
    for acks in (2000, 700, 300, 100)
    for delayed in (False, True)
    # Sack1 of ns-2 believes that lost acknowledgements are lost segments: see README.md.
    if recovery == "newreno" or acks / RATE >= (0.7 if delayed else 2)
)


def mesonet(setup: WayBack, seed: int, **values: Any) -> dict[str, float]:
    """Return the quantities of a run of mesonet."""
    with tempfile.TemporaryDirectory() as folder:
        result = simulate(setup.scenario(seed, Path(folder), **values), seed)
    ports = {row["router"]: row for row in result.routers.to_polars().filter(period="measured").iter_rows(named=True)}
    series = result.series.to_polars()
    series = series.filter(series["time_s"] > WARMUP + 1e-9)
    there, back = ports["A -> B"], ports["B -> A"]
    return {
        "sent": float(there["segments_accepted"]),
        "drops": float(there["segments_dropped"]),
        "acks": float(back["segments_accepted"]),
        "acks_dropped": float(back["segments_dropped"]),
        "received": result.responses.to_polars().row(by_predicate=IS_RATE, named=True)["value"] * (SECONDS - WARMUP),
        "timeouts": float(series["timeouts"].sum()),
        "reductions": float(series["loss_events"].sum()),
        "queue": there["queue_mean"] - there["utilisation"],
        "acks_queue": back["queue_mean"] - back["utilisation"],
    }


def ns2(setup: WayBack, seed: int) -> dict[str, str]:
    """Return the quantities that a run of ns-2 prints."""
    command = ["ns", str(HERE / "way-back.tcl"), *setup.arguments(seed)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    return dict(line.split() for line in lines.splitlines())


def read() -> dict[tuple[str, int], Mapping[str, str]]:
    """Return the rows of the table by name of the set-up and seed."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        return {(row["setup"], int(row["seed"])): row for row in csv.DictReader(file)}


def main() -> None:
    """Write the table; rows that are there are not repeated."""
    rows = read()
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ("setup", "seed", *QUANTITIES, "arguments"), lineterminator="\n")
        table.writeheader()
        for setup in SETUPS:
            for seed in SEEDS:
                words = " ".join(setup.arguments(seed))
                row = rows.get((setup.name, seed), {})
                if row.get("arguments") != words:
                    row = {"setup": setup.name, "seed": str(seed), **ns2(setup, seed), "arguments": words}
                table.writerow(row)


if __name__ == "__main__":
    main()
