"""Workloads that any simulator can run: routers, links and a list of flows, written as files.

`write` makes of a workload a scenario for mesonet (`scenario.toml` with a topology and a table of flows beside it) and
a plain text file for others (`workload.txt`), which the programs in `peers/` read::

    duration SECONDS
    link FROM TO BITS_PER_SECOND DELAY_SECONDS QUEUE_SEGMENTS      both directions alike
    flow FROM TO START_SECONDS SEGMENTS BITS_PER_SECOND            0 segments: without end

The rate of a flow is that of its own interface. Segments have 1,500 bytes on the wire; senders use standard TCP with
selective acknowledgements.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SEGMENT_BITS = 1500 * 8


@dataclass(frozen=True)
class Link:
    """Both directions of a link between routers."""

    ends: tuple[str, str]
    bits_per_s: float
    delay_s: float
    queue: int
    """Segments that wait in front of each direction."""


@dataclass(frozen=True)
class Flow:
    """A transfer over an interface of its own."""

    source: str
    receiver: str
    start_s: float
    segments: int
    """0: without end."""
    bits_per_s: float


@dataclass(frozen=True)
class Workload:
    """What is simulated."""

    links: tuple[Link, ...]
    flows: tuple[Flow, ...]
    duration_s: float


def dumbbell(
    flows: int, bits_per_s: float, round_trip_s: float, queue: int, apart_s: float, duration_s: float
) -> Workload:
    """Long-lived flows that start `apart_s` after each other, each faster than the bottleneck that they share."""
    link = Link(("A", "B"), bits_per_s, round_trip_s / 2, queue)
    interface = max(960e6, 2 * bits_per_s)
    return Workload(
        (link,), tuple(Flow("A", "B", number * apart_s, 0, interface) for number in range(flows)), duration_s
    )


def tree(flows_per_s: float, seed: int = 1) -> Workload:
    """Web flows for 10 s on a tree of 1 core, 4 aggregation (10 Gb/s, 10 ms) and 40 access (1 Gb/s, 2 ms) routers:
    arrivals at random, sizes Pareto with shape 1.5 and mean 50 segments, hosts of 100 Mb/s at random places."""
    links = [Link(("core", f"agg{i}"), 10e9, 0.010, 16_667) for i in range(4)]
    links += [Link((f"agg{i // 10}", f"access{i}"), 1e9, 0.002, 1_667) for i in range(40)]
    draw, flows, now = random.Random(seed), [], 0.0
    while (now := now + draw.expovariate(flows_per_s)) < 10:
        source, receiver = draw.sample(range(40), 2)
        size = max(1, round(50 / 3 * draw.paretovariate(1.5)))
        flows.append(Flow(f"access{source}", f"access{receiver}", now, size, 100e6))
    return Workload(tuple(links), tuple(flows), 15)


WORKLOADS: dict[str, Callable[[], Workload]] = {
    "dumbbell, 2 flows": lambda: dumbbell(2, 252e6, 0.162, 680, 100, 300),
    "dumbbell, 100 flows": lambda: dumbbell(100, 1e9, 0.100, 8_333, 0.05, 60),
    "dumbbell, 100 flows, 45 Mb/s": lambda: dumbbell(100, 45e6, 0.100, 375, 0.05, 60),
    "tree, 2,000 web flows": lambda: tree(200),
    "tree, 20,000 web flows": lambda: tree(2_000),
}


def write(workload: Workload, folder: Path, algorithm: str = "tcp") -> None:
    """Writes the files of a workload into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"duration {workload.duration_s}"]
    lines += [
        f"link {link.ends[0]} {link.ends[1]} {link.bits_per_s:.0f} {link.delay_s} {link.queue}"
        for link in workload.links
    ]
    lines += [f"flow {f.source} {f.receiver} {f.start_s:.6f} {f.segments} {f.bits_per_s:.0f}" for f in workload.flows]
    (folder / "workload.txt").write_text("\n".join(lines) + "\n")
    (folder / "scenario.toml").write_text(_scenario(workload, algorithm))
    (folder / "flows.csv").write_text(_flow_table(workload))
    _topology(workload, folder / "routers")


def _speed(bits_per_s: float) -> float:
    """Segments per millisecond."""
    return bits_per_s / SEGMENT_BITS / 1000


def _topology(workload: Workload, folder: Path) -> None:
    """A router is as fast as its fastest link: mesonet's routers, not their links, have speeds and buffers."""
    folder.mkdir(exist_ok=True)
    fastest: dict[str, float] = {}
    for link in workload.links:
        for end in link.ends:
            fastest[end] = max(fastest.get(end, 0.0), link.bits_per_s)
    base = min(fastest.values())
    nodes = [f"{name},plain,{speed / base:.9g}" for name, speed in fastest.items()]
    (folder / "nodes.csv").write_text("name,class,speed_factor\n" + "\n".join(nodes) + "\n")
    links = [f"{link.ends[0]},{link.ends[1]},{link.delay_s * 1000:.9g}" for link in workload.links]
    (folder / "links.csv").write_text("from,to,delay_ms\n" + "\n".join(links) + "\n")


def _scenario(workload: Workload, algorithm: str) -> str:
    slowest = min(workload.links, key=lambda link: link.bits_per_s)
    return f"""title = "A workload that other simulators run, too"
topology = "routers"
flows = "flows.csv"
algorithms = "{algorithm}"

[network]
speed = "{_speed(slowest.bits_per_s):.9g} seg/ms"
buffer = "{slowest.queue} segments"

[users]
base_sources = 0

# As the peers: no reduction in proportion, losses by duplicate acknowledgements.
[transport]
prr = "off"
loss_detection = "dupthresh"
initial_window = "10 segments"

[time]
duration = "{workload.duration_s} s"
warmup = "0 s"

[measurement]
interval = "100 ms"
flow_records = 1.0
"""


def _flow_table(workload: Workload) -> str:
    rows = ["from,to,start,size,interface"]
    for flow in workload.flows:
        size = "unlimited" if flow.segments == 0 else f"{flow.segments} segments"
        rate = f"{_speed(flow.bits_per_s):.9g} seg/ms"
        rows.append(f"{flow.source},{flow.receiver},{flow.start_s:.6f} s,{size},{rate}")
    return "\n".join(rows) + "\n"
