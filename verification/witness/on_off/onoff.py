"""Set-ups of on-off flows over one bottleneck, and their runs in mesonet."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from mesonet.simulation.simulate import simulate
from verification.witness.ns3 import ours, setups

SECONDS, WARMUP = 220, 20
SEEDS = setups.SEEDS
OUR_SEEDS = tuple(range(1, 31))
TOOLS = ("ns3", "ns2")
QUANTITIES = ("offered", "received", "sent", "drops", "timeouts", "reductions", "queue_mean", "queue_p95", "window")
"""Of the measured span: segments handed over, segments that receivers get, segments that leave the queue, drops,
timeouts, reductions that are no timeouts, the queue with the segment in service, and the mean window with which a burst
begins. 0 where a set-up has none. ns-2 does not count what its sources hand over."""


@dataclass(frozen=True)
class OnOff:
    """Equal on-off flows over one bottleneck with drop-tail."""

    transport: str  #: tcp or udp
    law: str  #: distribution of the times on and off: constant or exponential
    flows: int  #: number of flows
    pps: float  #: segments per second that a flow hands over while it is on
    on_s: float  #: `on_s`, `off_s`: mean times on and off, s. A flow without a time off sends all the time.
    off_s: float
    #: `mbps`, `rtt_ms`, `places`: rate of the bottleneck, round trip without queue, segments that may wait.
    mbps: int = 10
    rtt_ms: int = 100
    places: int = 83
    restart: str = "keep"  #: window after an idle time: a value of ``transport.idle_restart``
    reduce_from: str = "cwnd"  #: what a reduction starts from: a value of ``transport.reduce_from``
    grows_if_limited: bool = False  #: True: windows grow only while they limit the flow. ns-3 has no such rule
    #: Tools that have the set-up. ns-3 has no restart; reductions of ns-2 start from the window.
    tools: tuple[str, ...] = TOOLS
    windows: bool = True  #: False: windows depend on whether the start lost a segment, and are not compared
    #: Further values of mesonet, by path, and variables of ``Agent/TCP``.
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """The set-up in words."""
        times = f"{self.on_s:g} s on, {self.off_s:g} s off" if self.off_s else "always on"
        restart = f", {self.restart}" if self.restart != "keep" else ""
        restart += ", growth limited" if self.grows_if_limited else ""
        restart += ", reductions from flight" if self.reduce_from == "flight" else ""
        count = f"{self.flows} flow{'s' if self.flows > 1 else ''}"
        return (
            f"{self.transport}, {self.law}, {count} of {self.pps:g}/s, {times}, "
            f"{self.mbps} Mbit/s, {self.rtt_ms} ms, {self.places} places{restart}"
        )

    @property
    def line(self) -> float:
        """Segments per second of the bottleneck."""
        return self.mbps * 1e6 / (8 * setups.SEGMENT_BYTES)

    @property
    def share_on(self) -> float:
        """Mean share of the time on."""
        return self.on_s / (self.on_s + self.off_s)

    @property
    def has_windows(self) -> bool:
        """True if the windows with which bursts begin are compared: times off are known."""
        return self.windows and self.transport == "tcp" and self.law == "constant" and self.off_s > 0

    def starts(self, seed: int) -> list[float]:
        """Return the starts of the flows, s: uniform in the first second, equal in all simulators."""
        draw = random.Random(1000 * seed + self.flows)
        return [round(draw.random(), 3) for _ in range(self.flows)]

    @property
    def burst_s(self) -> float:
        """Mean burst time of mesonet, s: its bursts have as many segments as in the tools, `pps` x `on_s` on average.

        mesonet hands over a segment at the beginning of each interval that a burst begins: an exponential number,
        rounded up, whose mean is 1 / (1 - exp(-1 / m)) for a mean m. ns-3 keeps the remainder for the next burst.
        """
        segments = self.pps * self.on_s
        return self.on_s if self.law == "constant" else -1 / (self.pps * math.log1p(-1 / segments))

    def scenario(self, seed: int, **values: Any) -> Any:
        """Return the scenario of mesonet."""
        application: dict[str, Any] = {"application": "constant", "rate": f"{self.pps} seg/s"}
        if self.off_s:
            application |= {
                "application": "on_off",
                "burst_time": f"{self.burst_s} s",
                "burst": self.law,
                "idle_time": f"{self.off_s + self.on_s - self.burst_s} s",
                "idle": self.law,
            }
        if self.transport == "tcp":
            application["algorithm"] = "tcp"
        shape = {"from": "A", "to": "B", "interface": "1 Gbit/s", "transport": self.transport, "late_after": "1 ms"}
        flows = [shape | application | {"start": f"{start} s"} for start in self.starts(seed)]
        base = setups.SetUp("drop_tail", self.mbps, self.rtt_ms, self.flows)
        return ours.scenario(base, seed).with_values(
            {
                "flows": flows,
                "network.buffer": f"{self.places} segments",
                "transport.grow_only_if_cwnd_limited": self.grows_if_limited,
                "transport.idle_restart": self.restart,
                "transport.reduce_from": self.reduce_from,
                "time.duration": f"{SECONDS} s",
                "time.warmup": f"{WARMUP} s",
                # No multiple of the intervals between segments.
                "trace.every": "9.7 ms",
                "trace.routers": ["A"],
                "trace.flows": list(range(1, self.flows + 1)) if self.has_windows else [],
                **{path: value for path, value in self.changes.items() if "." in path},
                **values,
            }
        )

    def of_ns3(self, seed: int) -> list[str]:
        """Return the arguments of the program of ns-3."""
        return [
            "tcp", "--discipline=drop_tail", f"--mbps={self.mbps}", f"--rttMs={self.rtt_ms}",
            f"--starts={','.join(f'{start:g}' for start in self.starts(seed))}", f"--limit={self.places}",
            f"--seconds={SECONDS}", f"--warmup={WARMUP}", f"--seed={seed}", f"--pps={self.pps:g}",
            f"--onS={self.on_s:g}", f"--offS={self.off_s:g}", f"--law={self.law}",
            f"--udp={int(self.transport == 'udp')}",
            f"--reduceFrom={'window' if self.reduce_from == 'cwnd' else 'flight'}",
        ]  # fmt: skip

    def of_ns2(self, seed: int) -> list[str]:
        """Return the arguments of the program of ns-2."""
        variables = {
            "windowInit_": 10, "window_": 1000000, "minrto_": 1, "rtxcur_init_": 1, "tcpTick_": 0.001,
            "slow_start_restart_": str(self.restart == "rfc5681").lower(), "QOption_": int(self.restart == "linux"),
            "control_increase_": int(self.grows_if_limited),
            **{name: value for name, value in self.changes.items() if "." not in name},
        }  # fmt: skip
        return [
            f"mbps={self.mbps}", f"rttMs={self.rtt_ms}",
            f"starts={','.join(f'{start:g}' for start in self.starts(seed))}", f"limit={self.places}",
            f"pps={self.pps:g}", f"onS={self.on_s:g}", f"offS={self.off_s:g}", f"law={self.law}",
            f"udp={int(self.transport == 'udp')}", f"warmup={WARMUP}", f"seconds={SECONDS}", f"seed={seed}",
            *(f"{name}={value}" for name, value in variables.items() if self.transport == "tcp"),
        ]  # fmt: skip


_AT_ONCE = {"pps": 1e5, "on_s": 0.004, "mbps": 1000, "places": 10_000}
"""A burst of 400 segments that its flow hands over at once, over a line that the burst does not fill."""
_CLOCK_OF_NS2 = {"transport.rtt_samples": "round_trip", "transport.timer_tick": "1 ms"}

SETUPS = (
    OnOff(transport="udp", law="constant", flows=1, pps=750, on_s=1000, off_s=0),
    OnOff(transport="udp", law="constant", flows=1, pps=1000, on_s=1000, off_s=0),
    OnOff(transport="udp", law="constant", flows=1, pps=1250, on_s=0.4, off_s=0.6, places=10_000),
    OnOff(transport="udp", law="constant", flows=1, pps=1250, on_s=0.4, off_s=0.6),
    OnOff(transport="udp", law="exponential", flows=1, pps=1250, on_s=0.2, off_s=0.3, places=10_000),
    OnOff(transport="udp", law="exponential", flows=4, pps=340, on_s=0.5, off_s=0.5),
    OnOff(transport="udp", law="exponential", flows=16, pps=100, on_s=0.5, off_s=0.5),
    OnOff(transport="tcp", law="constant", flows=1, pps=500, on_s=1, off_s=2),
    OnOff(transport="tcp", law="constant", flows=4, pps=340, on_s=0.5, off_s=0.5, windows=False),
    OnOff(transport="tcp", law="constant", flows=4, pps=400, on_s=0.5, off_s=0.5, places=20),
    OnOff(transport="tcp", law="exponential", flows=1, pps=1250, on_s=0.4, off_s=0.6),
    OnOff(transport="tcp", law="exponential", flows=4, pps=340, on_s=0.5, off_s=0.5),
    OnOff(transport="tcp", law="exponential", flows=4, pps=340, on_s=0.5, off_s=0.5, rtt_ms=20, places=17),
    OnOff(transport="tcp", law="exponential", flows=16, pps=100, on_s=0.5, off_s=0.5),
    OnOff(
        transport="tcp", law="exponential", flows=4, pps=340, on_s=0.5, off_s=0.5, reduce_from="flight", tools=("ns3",)
    ),
    OnOff(
        transport="tcp", law="exponential", flows=16, pps=100, on_s=0.5, off_s=0.5, reduce_from="flight", tools=("ns3",)
    ),
    OnOff("tcp", "constant", 1, off_s=3.996, **_AT_ONCE),
    OnOff("tcp", "constant", 1, off_s=3.996, grows_if_limited=True, tools=("ns2",), **_AT_ONCE),
    OnOff(
        "tcp",
        "constant",
        1,
        off_s=3.996,
        restart="rfc5681",
        tools=("ns2",),
        **_AT_ONCE,
        changes={"transport.initial_window": "1 segments", "windowInit_": 1},
    ),
    OnOff(
        "tcp",
        "constant",
        1,
        off_s=3.996,
        rtt_ms=400,
        restart="linux",
        tools=("ns2",),
        **_AT_ONCE,
        changes={"transport.min_rto": "0.2 s", "minrto_": 0.2, **_CLOCK_OF_NS2},
    ),
)


def _windows(setup: OnOff, seed: int, traces: pl.DataFrame) -> float:
    """Return the mean window in the first trace of a burst, up to 10 ms after it begins: before an acknowledgement."""
    period = setup.on_s + setup.off_s
    found = []
    for number, start in enumerate(setup.starts(seed), start=1):
        own = traces.filter(flow=f"flow {number}")
        times, windows = own["time_s"].to_numpy(), own["cwnd"].to_numpy()
        begins = start + period * np.arange(0, (SECONDS - start) / period)
        begins = begins[(begins >= WARMUP) & (begins < SECONDS - 0.02)]
        found.append(windows[np.searchsorted(times, begins + 1e-6)])
    return float(np.mean(np.concatenate(found)))


def mesonet(setup: OnOff, seed: int, **values: Any) -> dict[str, float]:
    """Return the quantities of a run of mesonet."""
    result = simulate(setup.scenario(seed, **values), seed)
    port = result.routers.to_polars().row(by_predicate=ours.IS_PORT, named=True)
    series = result.series.to_polars()
    series = series.filter(series["time_s"] > WARMUP + 1e-9)
    flows = result.applications.to_polars().filter(period="measured")
    queue = (
        result.router_traces.to_polars().filter(router=ours.PORT).filter(pl.col("time_s") > WARMUP)["queue"].to_numpy()
    )
    is_udp = setup.transport == "udp"
    return {
        "offered": float((flows["segments_sent"] if is_udp else flows["messages"]).sum()),
        "received": float(flows["segments_received"].sum()),
        "sent": float(port["segments_accepted"]),
        "drops": float(port["segments_dropped"]),
        "timeouts": float(series["timeouts"].sum()),
        "reductions": float(series["loss_events"].sum()),
        "queue_mean": float(np.mean(queue)),
        "queue_p95": float(np.quantile(queue, 0.95, method="inverted_cdf")),
        "window": _windows(setup, seed, result.flow_traces.to_polars()) if setup.has_windows else 0.0,
    }
