"""Measures BBR beside CUBIC in pipes of a few packets for each flow, on the kernel of this machine and in mesonet.

sudo .venv/bin/python -m verification.witness.kernel.small_pipe kernel --out small-pipe.csv
.venv/bin/python -m verification.witness.kernel.small_pipe mesonet --preset linux
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

import mesonet as mn
from mesonet.kernel import machine
from mesonet.kernel.packets import ACCEPTED, ACK, MSS, PACKET, TAIL_DROP, Trace
from mesonet.kernel.replays import Row, merged
from mesonet.kernel.setups import constant
from mesonet.units import SEGMENT_BYTES
from verification.witness.kernel import compare
from verification.witness.kernel.runs import of_scenario
from verification.witness.kernel.scenarios import KernelScenario
from verification.witness.kernel.table import read
from verification.witness.kernel.witness import write

FILE = Path(__file__).with_name("linux-6.18-small-pipe.csv")
DURATION_S, SPAN_S = 40.0, (10.0, 40.0)
MOST_LATE_MS, MOST_TRIES = 20.0, 3
PIECE_NS = 60_000
"""Segments of a flow that reach the queue within this time of one another count as one piece."""
_ROUTER = "10.77.2.2"


@dataclass(frozen=True)
class Pipe:
    """A bottleneck: rate, round trip without queue, waiting places, and flows of each algorithm."""

    rate_mbps: float
    rtt_ms: float
    places: int
    pairs: int

    @property
    def name(self) -> str:
        return f"{self.rate_mbps:g} Mb/s {self.rtt_ms:g} ms, {self.pairs} bbr + {self.pairs} cubic"

    @property
    def algorithms(self) -> tuple[str, ...]:
        return ("bbr", "cubic") * self.pairs

    @property
    def starts_s(self) -> tuple[float, ...]:
        """Starts, evenly over the first second."""
        return tuple(number / (2 * self.pairs) for number in range(2 * self.pairs))

    def scenario(self, gso_segments: int | None = 1) -> KernelScenario:
        """Return what both sides run."""
        return KernelScenario(
            name=self.name,
            algorithms=self.algorithms,
            places=self.places,
            duration_s=DURATION_S,
            span_s=SPAN_S,
            starts_s=self.starts_s,
            floor_s=0.2,
            gso_segments=gso_segments,
            rate_mbps=self.rate_mbps,
            rtt_s=self.rtt_ms * 1e-3,
        )

    @property
    def service_s(self) -> float:
        return self.scenario().service_s


PIPES = (
    *(Pipe(50, 5, 104, pairs) for pairs in (5, 10, 25)),
    *(Pipe(20, 20, 167, pairs) for pairs in (1, 10)),
    *(Pipe(50, rtt_ms, 104, 10) for rtt_ms in (4.73, 4.9)),
)
"""5 BDP of waiting places; the last ones move the phase at which acknowledged segments arrive."""
QUEUES = ("segments", "pieces", "htb pfifo", "htb bfifo")
"""`segments`: the FIFO of bottleneck.c, gso_max_segs 1. `pieces`: the same, TCP chooses the size of pieces.
`htb pfifo`, `htb bfifo`: a router of the kernel limits the rate; its queue counts pieces, or bytes."""


def measure(pipe: Pipe, queue: str, program: Path) -> tuple[Trace, dict[str, float]]:
    """Run a pipe on the kernel; return what it left and counters of its router."""
    setup = pipe.scenario(1 if queue == "segments" else None).setup
    routed = queue.startswith("htb")
    router = f"witness-{os.getpid()}-router"
    # Behind a router of the kernel, bottleneck.c is only a delay: 1 us of service, no limit.
    delay = replace(setup.bottleneck, rate=constant(1e6), places=constant(8000))
    with machine.namespaces(setup) as (sender, receiver), tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        if routed:
            machine.ip("netns", "add", router)
        try:
            with machine.joined(
                program, router if routed else sender, receiver, log, setup, bottleneck=delay if routed else None
            ):
                machine.connect(receiver, machine.RECEIVER, machine.SENDER, setup)
                if routed:
                    _route(sender, router, pipe, queue)
                else:
                    machine.connect(sender, machine.SENDER, machine.RECEIVER, setup)
                began, samples, ended = machine.endpoints(setup, sender, receiver)
                counters = _router_counters(router, sender, ended) if routed else {}
        finally:
            if routed:
                machine.ip("netns", "del", router)
        return Trace(began, np.fromfile(log, dtype=PACKET), samples, ended), counters


def _route(sender: str, router: str, pipe: Pipe, queue: str) -> None:
    """Join sender and router by a pair of veth with the kernel's offloads; HTB is on the router's TUN device."""
    machine.ip("-n", sender, "link", "add", "out", "type", "veth", "peer", "name", "in", "netns", router)
    machine.ip("-n", sender, "addr", "add", f"{machine.SENDER}/32", "dev", "out")
    machine.ip("-n", sender, "link", "set", "lo", "up")
    machine.ip("-n", sender, "link", "set", "out", "up")
    machine.ip("-n", router, "link", "set", "in", "up")
    machine.ip("-n", router, "link", "set", "tun0", "mtu", "1500", "txqueuelen", "10000", "up")
    machine.ip("-n", router, "route", "add", machine.SENDER, "dev", "in")
    machine.ip("-n", router, "route", "add", machine.RECEIVER, "dev", "tun0")
    machine.ip("-n", router, "addr", "add", _ROUTER, "dev", "in")
    words = ("route", "add", machine.RECEIVER, "via", _ROUTER, "dev", "out", "onlink", "src", machine.SENDER)
    machine.ip("-n", sender, *words, "rto_min", "200ms")
    machine.ip("netns", "exec", router, "sysctl", "-qw", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.rp_filter=0")
    tc = ("netns", "exec", router, "tc")
    machine.ip(*tc, "qdisc", "add", "dev", "tun0", "root", "handle", "1:", "htb", "default", "1")
    rate = f"{pipe.rate_mbps:g}mbit"
    machine.ip(*tc, "class", "add", "dev", "tun0", "parent", "1:", "classid", "1:1", "htb", "rate", rate)
    limit = pipe.places * SEGMENT_BYTES if queue == "htb bfifo" else pipe.places
    machine.ip(*tc, "qdisc", "add", "dev", "tun0", "parent", "1:1", queue.split()[1], "limit", str(limit))


def _router_counters(router: str, sender: str, ended: Mapping[str, Any]) -> dict[str, float]:
    """Return the drops of the router's queue, and segments for each piece that the sender's device sent."""
    words = ["ip", "netns", "exec", router, "tc", "-s", "qdisc", "show", "dev", "tun0", "parent", "1:1"]
    text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    dropped = float(text.split("dropped ")[1].split(",")[0])
    with machine.inside(sender):
        rows = Path("/proc/thread-self/net/dev").read_text().splitlines()
    sent = float(next(row for row in rows if row.strip().startswith("out:")).split()[10])
    return {"drops of pieces, whole run": dropped, "segments of a piece": ended["sender"]["OutSegs"] / sent}


def of_kernel(trace: Trace, extra: Mapping[str, float], pipe: Pipe, routed: bool) -> dict[str, float]:
    """Return the quantities of a run of the kernel."""
    packets, samples = trace.packets, trace.samples
    at_s = (packets["read_ns"] - trace.began_ns) * 1e-9
    data = (packets["bytes"] > 0) & (packets["kind"] != ACK) & (at_s >= SPAN_S[0]) & (at_s < SPAN_S[1])
    found: dict[str, float] = {}
    if not routed:
        found["mean queue packets"] = float(packets["queue"][data].mean())
    delivered: dict[str, float] = {}
    for name in ("bbr", "cubic"):
        flows = [number for number, own in enumerate(pipe.algorithms) if own == name]
        inside = samples[np.isin(samples["flow"], flows) & (samples["time_s"] >= SPAN_S[0])]
        first, last = _ends(inside, flows)
        delivered[name] = float((last["bytes_acked"] - first["bytes_acked"]).sum())
        own = data & np.isin(packets["port"], [number + 1 for number in flows])
        if not routed:
            lost = np.count_nonzero(own & (packets["kind"] == TAIL_DROP))
            found[f"drops {name} %"] = 100 * lost / max(1, np.count_nonzero(own))
            found |= {f"{quantity} {name}": value for quantity, value in phases(packets, own, pipe).items()}
        found[f"retransmissions {name}, of a flow"] = float((last["total_retrans"] - first["total_retrans"]).mean())
        found[f"timeouts {name}, of a flow"] = float((last["timeouts"] - first["timeouts"]).mean())
        found[f"mean cwnd {name}"] = float(inside["cwnd"].mean())
        found[f"mean in flight {name}"] = float(inside["in_flight"].mean())
        found[f"mean smoothed RTT {name} ms"] = float(inside["srtt_s"].mean() * 1e3)
        sizes = pieces(packets[own])
        found[f"arrivals together {name}"] = float(sizes.mean())
        if name == "bbr":
            found["BBR min RTT ms"] = float(inside["bbr_min_rtt_s"].mean() * 1e3)
            found["BBR bandwidth of all over rate"] = (
                float(inside["bandwidth"].mean()) * pipe.pairs * 8 / linux_rate(pipe)
            )
            found["BBR time in PROBE_RTT %"] = float(100 * (inside["cwnd_gain"] < 1.5).mean())
    found["utilisation"] = sum(delivered.values()) / MSS * pipe.service_s / (SPAN_S[1] - SPAN_S[0])
    late = packets["late_ns"][np.isin(packets["kind"], (ACCEPTED, ACK))] * 1e-6
    found |= {"lateness p99 ms": float(np.percentile(late, 99)), "lateness largest ms": float(late.max())}
    return {"share of bbr": delivered["bbr"] / sum(delivered.values()), **found, **extra}


def phases(packets: np.ndarray, chosen: np.ndarray, pipe: Pipe) -> dict[str, float]:
    """Return when chosen packets reach the queue between two departures (0: just after one), and drops by that."""
    leaves_ns = np.sort(packets["leaves_ns"][packets["kind"] == ACCEPTED])
    own = packets[chosen]
    before = np.maximum(np.searchsorted(leaves_ns, own["read_ns"], side="right") - 1, 0)
    phase = (own["read_ns"] - leaves_ns[before]) / (pipe.service_s * 1e9)
    # Between departures of a queue that never empties.
    waiting, dropped = (own["queue"] > pipe.places // 2) & (phase < 1), own["kind"] == TAIL_DROP
    found = {"median phase": float(np.median(phase[waiting]))}
    for name, low, high in (("first", 0.0, 0.2), ("last", 0.8, 1.0)):
        there = waiting & (phase >= low) & (phase < high)
        found[f"drops % in the {name} fifth of a slot"] = 100 * float(dropped[there].mean())
    return found


def linux_rate(pipe: Pipe) -> float:
    """Return the rate of the bottleneck in bits of payload."""
    return MSS * 8 / pipe.service_s


def _ends(samples: np.ndarray, flows: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    own = [samples[samples["flow"] == number] for number in flows]
    return np.array([s[0] for s in own]), np.array([s[-1] for s in own])


def pieces(packets: np.ndarray) -> np.ndarray:
    """Return the numbers of segments that reached the queue together, flow by flow."""
    sizes = []
    for port in np.unique(packets["port"]):
        at = np.sort(packets["read_ns"][packets["port"] == port])
        begins = np.flatnonzero(np.diff(at, prepend=at[0] - 2 * PIECE_NS) > PIECE_NS)
        sizes.append(np.diff(np.append(begins, len(at))))
    return np.concatenate(sizes)


def of_mesonet(pipe: Pipe, preset: str, values: Mapping[str, Any], seed: int) -> dict[str, float]:
    """Return the same quantities of a run of mesonet."""
    result = mn.simulate(of_scenario(pipe.scenario(), preset, values), seed)
    router = result.router_traces.to_polars()
    inside = router.filter((router["time_s"] >= SPAN_S[0]) & (router["time_s"] < SPAN_S[1]))
    traces = result.flow_traces.to_polars()
    found = {"mean queue packets": float(inside["queue"].mean())}
    delivered: dict[str, float] = {}
    for name in ("bbr", "cubic"):
        flows = [f"flow {number + 1}" for number, own in enumerate(pipe.algorithms) if own == name]
        own = traces.filter(traces["flow"].is_in(flows) & (traces["time_s"] >= SPAN_S[0]))
        gain = {
            column: sum(float(own.filter(flow=flow)[column][-1] - own.filter(flow=flow)[column][0]) for flow in flows)
            for column in ("segments_delivered", "losses", "timeouts")
        }
        delivered[name] = gain["segments_delivered"]
        found[f"drops {name} %"] = 100 * gain["losses"] / (gain["segments_delivered"] + gain["losses"])
        found[f"timeouts {name}, of a flow"] = gain["timeouts"] / pipe.pairs
        found[f"mean cwnd {name}"] = float(own["cwnd"].mean())
        found[f"mean in flight {name}"] = float(own["in_flight"].mean())
        found[f"mean smoothed RTT {name} ms"] = float(own["rtt_ms"].mean())
    found["utilisation"] = sum(delivered.values()) * pipe.service_s / (SPAN_S[1] - SPAN_S[0])
    return {"share of bbr": delivered["bbr"] / sum(delivered.values()), **found}


def _seeds(pipe: Pipe, preset: str, values: Mapping[str, Any], runs: int) -> list[dict[str, float]]:
    return [of_mesonet(pipe, preset, values, seed) for seed in range(1, runs + 1)]


def on_kernel(pipe: Pipe, queue: str, runs: int, program: Path, keep: Path | None) -> list[dict[str, float]]:
    """Run a pipe until enough runs were on time."""
    found: list[dict[str, float]] = []
    for number in range(runs):
        for _ in range(MOST_TRIES):
            trace, extra = measure(pipe, queue, program)
            quantities = of_kernel(trace, extra, pipe, queue.startswith("htb"))
            if quantities["lateness largest ms"] <= MOST_LATE_MS:
                found.append(quantities)
                break
            click.echo(f"{pipe.name}, {queue}: {quantities['lateness largest ms']:.1f} ms late, rejected", err=True)
        if keep and found:
            name = f"{pipe.name}-{queue}-{number}.npz".replace(" ", "-").replace("/", "-")
            np.savez_compressed(keep / name, began=trace.began_ns, packets=trace.packets, samples=trace.samples)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure BBR beside CUBIC in small pipes.")
    parser.add_argument("what", choices=("kernel", "mesonet"))
    parser.add_argument("--only", nargs="+", default=[], help="parts of names of pipes")
    parser.add_argument("--queues", nargs="+", choices=QUEUES, default=QUEUES, help="queues of the kernel")
    parser.add_argument("--preset", default="linux", help="preset of mesonet")
    parser.add_argument("--set", type=compare._value, action="append", default=[], metavar="PATH=VALUE", dest="values")
    parser.add_argument("--runs", type=int, default=2, help="runs of each pipe and queue, or seeds")
    parser.add_argument("--out", type=Path, help="write the quantities as a table; rows of other scenarios stay")
    parser.add_argument("--keep", type=Path, help="folder for packets and samples of every run of the kernel")
    options = parser.parse_args()
    chosen = [pipe for pipe in PIPES if not options.only or any(word in pipe.name for word in options.only)]
    with tempfile.TemporaryDirectory() as folder:
        program = machine.build(Path(folder)) if options.what == "kernel" else Path()
        jobs: list[tuple[str, Callable[[], list[dict[str, float]]]]] = []
        for pipe in chosen:
            if options.what == "mesonet":
                jobs.append((pipe.name, partial(_seeds, pipe, options.preset, dict(options.values), options.runs)))
            for queue in options.queues if options.what == "kernel" else ():
                name = f"{pipe.name}, {queue}"
                jobs.append((name, partial(on_kernel, pipe, queue, options.runs, program, options.keep)))
        for name, job in jobs:
            rows = [(name, quantity, *values) for quantity, values in merged(job()).items()]
            for _, quantity, mean, least, most, runs in rows:
                click.echo(f"{name:<50} {quantity:<36} {mean:>10.5g} ({least:.5g} to {most:.5g}, {runs})")
            if options.out:
                known = {key: value for key, value in _known(options.out).items() if key[0] != name}
                known |= {(scenario, quantity): (*values,) for scenario, quantity, *values in rows}
                write(options.out, [(*key, *(f"{v:.5g}" for v in row[:3]), row[3]) for key, row in known.items()])
    return 0


def _known(path: Path) -> dict[tuple[str, str], Row]:
    return read(path) if path.exists() else {}


if __name__ == "__main__":
    raise SystemExit(main())
