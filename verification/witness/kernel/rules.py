"""Measures single rules of the kernel's TCP on scripted paths, for the witnesses of preset `linux`.

sudo .venv/bin/python -m verification.witness.kernel.rules --out linux-6.18-rules.csv
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from itertools import groupby, pairwise
from pathlib import Path

import click

from mesonet.kernel.replays import merged
from mesonet.units import SEGMENT_BYTES
from verification.witness.kernel.relay import Log, Packet, Route, State, run
from verification.witness.kernel.witness import write

RUNS = 5
LATEST_S = 0.008
"""A run is rejected if the relay wrote a packet later than this."""
MOST_TRIES = 6
DEFAULT_RMEM = "4096 131072 33554432"
"""`net.ipv4.tcp_rmem` of a kernel 6.18 that no administrator has changed."""
SERVICE_S = 0.001
RECOVERY = 3
"""State of congestion control (TCP_CA_Recovery)."""


def losing(copies: dict[int, int]) -> Callable[[Packet], bool]:
    """Return a rule that drops the first copies of segments, by their numbers. Segment -1 is the SYN."""
    seen: dict[int, int] = {}

    def drops(packet: Packet) -> bool:
        number = -1 if packet.is_syn else packet.segment
        seen[number] = seen.get(number, 0) + 1
        return seen[number] <= copies.get(number, 0)

    return drops


def _established(log: Log) -> State:
    return next(state for state in log.states if state.state == 1)


def never_answered() -> tuple[Log, dict[str, float]]:
    """Return the instants of SYNs that are never answered."""
    log = run(Route(0.04, drops=lambda packet: packet.is_syn), "cubic", [(0.0, 1)], 37.0)
    sent = [packet.time_s for packet in log.packets if packet.is_syn]
    return log, {f"instant of SYN {number} s": at for number, at in enumerate(sent, 1)}


def lost_syns(count: int) -> tuple[Log, dict[str, float]]:
    """Return the window and the timeout after a handshake that lost SYNs, and when 300 segments were acknowledged."""
    log = run(Route(0.04, drops=losing({-1: count})), "cubic", [(0.0, 300)], 1.1 * count + 1.0)
    first = _established(log)
    return log, {"first window": first.cwnd, "first timeout s": first.rto_s, "completion s": log.completed_s}


def long_round_trip() -> tuple[Log, dict[str, float]]:
    """Return the outcome of a handshake over 5 s, in which nothing is lost."""
    log = run(Route(5.0), "cubic", [(0.0, 300)], 6.0)
    first = _established(log)
    syns = sum(packet.is_syn and packet.from_sender for packet in log.packets)
    return log, {"SYNs": syns, "first window": first.cwnd, "first timeout s": first.rto_s}


def idle_after_lost_syns() -> tuple[Log, dict[str, float]]:
    """Return the window with which a flow sends after an idle time, if the handshake lost two SYNs."""
    log = run(Route(0.04, drops=losing({-1: 2})), "cubic", [(0.0, 100), (8.0, 100)], 8.5)
    after = [state.cwnd for state in log.states if state.time_s > 8.02]
    return log, {"first window": _established(log).cwnd, "window after the idle time": after[0]}


def half_used() -> tuple[Log, dict[str, float]]:
    """Return the growth of a window of which 60 % is used, in congestion avoidance and in slow start."""
    writes = [(0.0, 100), *((1.0 + 0.05 * number, 30) for number in range(60))]
    log = run(Route(0.04, SERVICE_S / 10, drops=losing({60: 1})), "reno", writes, 4.0)
    at = [next(state.cwnd for state in log.states if state.time_s > instant) for instant in (1.5, 3.9)]
    few = [(0.1 * number, 10) for number in range(30)]
    slow = run(Route(0.04), "reno", few, 3.0)
    return log, {"growth in congestion avoidance": at[1] - at[0], "window with 10 segments used": slow.states[-1].cwnd}


def reordering_timer(round_trip_s: float) -> tuple[Log, dict[str, float]]:
    """Return the time from the only selective acknowledgement behind a gap to the retransmission."""
    log = run(Route(round_trip_s, drops=losing({10: 1})), "cubic", [(0.0, 10), (0.5, 2)], 1.0)
    sacked = next(packet.time_s for packet in log.acks() if packet.sacked)
    heard = next(at for at in log.arrived_s if at > sacked)
    again = [packet.time_s for packet in log.data() if packet.segment == 10][1]
    return log, {"from acknowledgement to retransmission ms": 1e3 * (again - heard)}


def _reductions(states: Iterable[State]) -> int:
    return sum(b.ssthresh < a.ssthresh for a, b in pairwise(states))


def lost_retransmission() -> tuple[Log, dict[str, float]]:
    """Return the reductions of a recovery in which a retransmission is lost twice."""
    log = run(Route(0.1, SERVICE_S, drops=losing({90: 3})), "cubic", [(0.0, 600)], 3.0)
    lost = log.counters["TCPLostRetransmit"]
    return log, {"reductions": _reductions(log.states), "lost retransmissions": lost}


def lost_retransmission_after_timeout() -> tuple[Log, dict[str, float]]:
    """Return the reductions where a timeout declared all lost, and a retransmission is lost then."""
    copies = dict.fromkeys(range(30, 50), 1) | {33: 2, 49: 2}
    log = run(Route(0.1, SERVICE_S / 2, drops=losing(copies)), "cubic", [(0.0, 30), (0.6, 20)], 4.0)
    timeouts = log.counters["TCPTimeouts"]
    return log, {"reductions": _reductions(log.states), "timeouts": timeouts}


def growing_window() -> tuple[Log, dict[str, float]]:
    """Return the lengths of the first trains of acknowledgements for one segment each, in slow start."""
    log = run(Route(0.1, SERVICE_S, 100, rmem=DEFAULT_RMEM), "cubic", [(0.0, 3000)], 0.65)
    steps = [b.segment - a.segment for a, b in pairwise(log.acks())]
    trains = [sum(1 for _ in train) for step, train in groupby(steps) if step == 1]
    long = [length for length in trains if length > 2][:3]
    return log, {f"train {number}": length for number, length in enumerate(long, 1)}


SLOW_STARTS = {"10 Mb/s": (10.0, 0.1, 42), "8 Mb/s": (8.0, 0.06, 80), "12 Mb/s": (12.0, 0.1, 100)}
"""Rate, Mb/s, round trip, s, and places of the queue in which CUBIC starts."""
CUTS = (5.0, 0.02, 33)
"""Rate, round trip and places of the queue in which CUBIC is cut again and again."""


def _queue(rate_mbps: float, round_trip_s: float, places: int) -> Route:
    return Route(round_trip_s, SEGMENT_BYTES * 8e-6 / rate_mbps, places, rmem=DEFAULT_RMEM)


def slow_start(name: str) -> tuple[Log, dict[str, float]]:
    """Return the drops of CUBIC alone in its first 3 s."""
    log = run(_queue(*SLOW_STARTS[name]), "cubic", [(0.0, 4000)], 3.0)
    return log, {"drops in first 3 s": len(log.dropped)}


def cuts() -> tuple[Log, dict[str, float]]:
    """Return the mean time between the recoveries of CUBIC alone after the first 3 s."""
    log = run(_queue(*CUTS), "cubic", [(0.0, 8000)], 14.0)
    at = [b.time_s for a, b in pairwise(log.states) if a.congestion != RECOVERY == b.congestion and b.time_s > 3]
    return log, {"time between cuts s": (at[-1] - at[0]) / (len(at) - 1)}


CASES: dict[str, Callable[[], tuple[Log, dict[str, float]]]] = {
    "SYNs never answered": never_answered,
    **{f"{count} SYNs lost": (lambda count=count: lost_syns(count)) for count in (0, 1, 2)},
    "round trip of 5 s": long_round_trip,
    "idle after 2 lost SYNs": idle_after_lost_syns,
    "window partly used": half_used,
    **{f"reordering timer, {ms} ms": (lambda ms=ms: reordering_timer(ms / 1e3)) for ms in (20, 40, 60, 100)},
    "retransmission lost twice": lost_retransmission,
    "retransmission lost after a timeout": lost_retransmission_after_timeout,
    "receive window grows": growing_window,
    **{f"slow start at {name}": (lambda name=name: slow_start(name)) for name in SLOW_STARTS},
    "cuts at 5 Mb/s": cuts,
}


def measured(case: Callable[[], tuple[Log, dict[str, float]]], runs: int) -> list[dict[str, float]]:
    """Return the quantities of the runs that were on time."""
    found: list[dict[str, float]] = []
    for _ in range(runs):
        for _ in range(MOST_TRIES):
            log, quantities = case()
            if log.latest_s <= LATEST_S:
                found.append(quantities)
                break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure single rules of the kernel's TCP.")
    parser.add_argument("only", nargs="*", help="parts of names of cases")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each case")
    parser.add_argument("--out", type=Path, help="write the quantities as a table")
    options = parser.parse_args()
    rows = []
    for name, case in CASES.items():
        if options.only and not any(word in name for word in options.only):
            continue
        runs = 1 if case is never_answered else options.runs
        for quantity, (mean, least, most, count) in merged(measured(case, runs)).items():
            click.echo(f"{name:<38} {quantity:<44} {mean:>9.4g} ({least:.4g} to {most:.4g}, {count})")
            rows.append((name, quantity, *(f"{value:.5g}" for value in (mean, least, most)), count))
    if options.out:
        write(options.out, rows)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
