"""Checks of the contract that measure the behaviour of an algorithm on small networks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from mesonet.conform.bench import Bench
from mesonet.conform.finding import FAIL, PASS, SKIPPED, Outcome
from mesonet.conform.samples import Samples

SMALLEST_WINDOW = 1.0
"""Segments (RFC 5681, section 3.1: the loss window is one segment)."""
LEAST_RATE, MOST_RATE = 0.5, 10.0
"""Rates under random losses over the equation of standard TCP (RFC 5348, section 1; RFC 8083, section 4.3)."""
FIRST_WINDOW, MOST_GROWTH = 10, 3.0
"""Segments of the first round trip, and growth from one round trip to the next (chosen, see the check ``start``)."""
USED = 0.9
"""Part of the link that is used (chosen, see the check ``fill``)."""
THIN_USED = 0.8
"""Part of a link that is used if the path holds less than one segment (chosen)."""
SPAN_S = 5.0
"""Time over which the use of the link is taken, s (chosen: a cycle of BBR with PROBE_RTT)."""
MOST_LOST = 0.05
"""Losses per segment sent (chosen, see the check ``shallow``)."""
LEAST_SHARE = 0.5
"""Rate of a flow of standard TCP over its fair share (chosen, see the check ``beside``)."""
MARKED_FROM = 20
"""Segments in the queue from which arriving segments are marked."""
BACK_S = 30.0
"""Time to recover after a blackout, s (chosen, see the check ``recovery``)."""
_LOSSES = {"3 % loss": 0.03, "10 % loss": 0.1}
_WARM_S = 10.0
_DARK, _LIGHT = 10.0, 25.0  # s
CONDITIONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    # Rates of BBR in 60 s differ by a third from seed to seed, in 200 s by a tenth.
    **{name: ("base", {"impairments.loss": loss, "time.duration": "200 s"}) for name, loss in _LOSSES.items()},
    "blackout of 15 s": (
        "base",
        {
            "impairments.outage_start": f"{_DARK} s",
            "impairments.outage_length": f"{_LIGHT - _DARK} s",
            "time.duration": "70 s",
        },
    ),
    "burst of losses": ("base", {"impairments.outage_start": "20 s", "impairments.outage_length": "60 ms"}),
    "100 Mbit/s": ("base", {"network.speed": "100 Mbit/s", "time.duration": "120 s"}),
    "64 kbit/s": (
        "base",
        {
            "network.speed": "64 kbit/s",
            "network.delay_multiplier": 20,
            "network.buffer": "20 segments",
            "time.duration": "60 s",
        },
    ),
    "steps": (
        "base",
        {
            "impairments.at": ["A -> B"],
            "impairments.capacity": [["0 s", "5 Mbit/s"], ["20 s", "20 Mbit/s"], ["50 s", "5 Mbit/s"]],
            "time.duration": "80 s",
        },
    ),
    "marks": ("base", {"network.ecn_threshold": f"{MARKED_FROM} segments"}),
    "idle for 10 s": ("idle", {}),
    "four flows": ("shallow", {}),
    "beside standard TCP": ("beside", {}),
}
"""Runs by name: scenario, and values that replace its own."""


def throughput(loss: float, round_trip: float) -> float:
    """Return the rate of standard TCP under random losses, segments/s.

    Source: RFC 5348, section 3.1, with b = 1 and a timeout of four round trips. `round_trip`: s.
    """
    timeouts = 4 * round_trip * 3 * np.sqrt(3 * loss / 8) * loss * (1 + 32 * loss**2)
    return float(1 / (round_trip * np.sqrt(2 * loss / 3) + timeouts))


def window(bench: Bench) -> Outcome:
    smallest, rows = np.inf, 0
    for name in CONDITIONS:
        flow = _run(bench, name).flow()
        if bench.is_stack and np.isnan(flow["cwnd"]).all():
            return SKIPPED, "not visible: the window of the stack", {}
        for column in ("cwnd", "pacing_rate"):
            # A sending flow has a window always. A rate it has from some instant on, or never: s2n-quic sends its
            # initial window without one.
            checked = flow["segments_sent"] > 0
            if column == "pacing_rate":
                checked = checked & np.logical_or.accumulate(~np.isnan(flow[column]))
            series = flow[column][checked]
            wrong = ~np.isfinite(series) | (series <= 0)
            if wrong.any():
                at = float(flow["time_s"][checked][wrong][0])
                return FAIL, f"{column} is {series[wrong][0]:g} at {at:.2f} s ({name})", {"time_s": at}
        smallest = min(smallest, float(flow["cwnd"].min()))
        rows += len(flow["cwnd"])
    values = {"smallest_window": smallest, "samples": float(rows)}
    return _verdict(smallest >= SMALLEST_WINDOW), f"smallest window {smallest:.3g} segments in {rows} samples", values


def start(bench: Bench) -> Outcome:
    samples = _run(bench, "100 Mbit/s")
    flow = samples.flow()
    sending = flow["time_s"][flow["segments_sent"] > 0]
    lost = flow["time_s"][flow["loss_events"] > 0]
    # The first segment left up to one sample before the first sample with it.
    edges = np.arange(sending[0] - samples.every, lost[0] if len(lost) else _WARM_S, samples.round_trip)
    sent = [samples.grown("segments_sent", *edge) for edge in pairwise(edges)]
    growth = max((after / max(before, 1.0) for before, after in pairwise(sent)), default=0.0)
    values = {"first": sent[0], "growth": growth}
    words = f"{sent[0]:.0f} segments in the first round trip, then at most {growth:.2f} times the one before"
    return _verdict(round(sent[0]) <= FIRST_WINDOW and growth <= MOST_GROWTH), words, values


def loss(bench: Bench) -> Outcome:
    ratios = {}
    for name, rate in _LOSSES.items():
        samples = _run(bench, name)
        sent = samples.grown("segments_sent", _WARM_S, samples.duration) / (samples.duration - _WARM_S)
        ratios[name] = sent / throughput(rate, samples.round_trip)
    words = ", ".join(f"{ratio:.2g} times the rate of the equation under {name}" for name, ratio in ratios.items())
    values = {f"ratio_at_{_LOSSES[name]:g}": ratio for name, ratio in ratios.items()}
    return _verdict(all(LEAST_RATE <= ratio <= MOST_RATE for ratio in ratios.values())), f"sends {words}", values


def shallow(bench: Bench) -> Outcome:
    samples = _run(bench, "four flows")
    share = samples.loss_share(15.0, samples.duration)
    return _verdict(share <= MOST_LOST), f"four flows lose {share:.2%} of what they send", {"loss_share": share}


def beside(bench: Bench) -> Outcome:
    samples = _run(bench, "beside standard TCP")
    own, other = (samples.grown("segments_delivered", 20.0, samples.duration, number) for number in (1, 2))
    share = 2 * other / (own + other)
    return _verdict(share >= LEAST_SHARE), f"standard TCP has {share:.0%} of its fair share", {"share": share}


def blackout(bench: Bench) -> Outcome:
    flow = _run(bench, "blackout of 15 s").flow()
    timeouts = flow["timeouts"].astype(int)
    began = flow["time_s"][(timeouts > timeouts[np.searchsorted(flow["time_s"], _DARK)])]
    if not len(began) or began[0] > _LIGHT:
        return FAIL, "no timeout in 15 s without acknowledgements", {}
    # From the first timeout on; the retransmission leaves with it.
    inside = (flow["time_s"] >= began[0]) & (flow["time_s"] <= _LIGHT)
    steps = np.diff(flow["segments_sent"][inside].astype(int))
    times = np.concatenate([[began[0]], flow["time_s"][inside][1:][steps > 0]])
    most = int(steps.max(initial=0))
    gaps = np.diff(times)
    factors = gaps[1:] / gaps[:-1]
    values = {"sends": float(len(times)), "most_at_once": float(most)}
    shown = ", ".join(f"{gap:.2f}" for gap in gaps)
    if most > 1:
        return FAIL, f"sends {most} segments at once without acknowledgements", values
    if len(factors) < 2:
        return FAIL, f"{len(times)} timeouts in the blackout, gaps {shown} s: too few to see them double", values
    # Two samples of the trace bound each gap.
    doubles = bool(np.all(np.abs(factors - 2) <= 0.1))
    return _verdict(doubles), f"one segment per timeout, gaps {shown} s", values


def recovery(bench: Bench) -> Outcome:
    return _uses(_run(bench, "blackout of 15 s"), (_LIGHT + BACK_S, 70.0))


def burst(bench: Bench) -> Outcome:
    return _uses(_run(bench, "burst of losses"), (30.0, 40.0))


def idle(bench: Bench) -> Outcome:
    return _uses(_run(bench, "idle for 10 s"), (40.0, 50.0))


def fill(bench: Bench) -> Outcome:
    return _uses(_run(bench, "100 Mbit/s"), (60.0, 120.0))


def steps(bench: Bench) -> Outcome:
    samples = _run(bench, "steps")
    verdict, why, values = _uses(samples, (40.0, 50.0), (70.0, 80.0))
    values["loss_share"] = samples.loss_share(60.0, samples.duration)
    holds = verdict == PASS and values["loss_share"] <= MOST_LOST
    return _verdict(holds), f"{why}; loses {values['loss_share']:.2%} after the fall", values


def thin_path(bench: Bench) -> Outcome:
    use = (samples := _run(bench, "64 kbit/s")).utilisation(20.0, samples.duration)
    return _verdict(use >= THIN_USED), f"uses {use:.1%} of the path", {"utilisation": use}


def marks(bench: Bench) -> Outcome:
    queue = _run(bench, "marks").queue
    if not float(np.sum(queue["segments_marked"])):
        is_short = float(np.max(queue["queue"])) <= MARKED_FROM
        cause = "its queue does not reach the marks" if is_short else "its segments are not ECN-capable"
        return SKIPPED, f"{cause}: nothing was marked", {}
    mean = float(np.mean(queue["queue"][queue["time_s"] > _WARM_S]))
    return _verdict(mean <= MARKED_FROM), f"mean queue {mean:.1f} segments", {"queue": mean}


def _run(bench: Bench, name: str) -> Samples:
    return bench.samples(name, *CONDITIONS[name])


def _verdict(holds: bool) -> str:
    return PASS if holds else FAIL


def _uses(samples: Samples, *periods: tuple[float, float]) -> Outcome:
    """Return the finding that the flow uses the link in each part of some periods. `periods`: start and end, s."""
    spans = [span for begin, end in periods for span in pairwise(np.arange(begin, end + SPAN_S / 2, SPAN_S))]
    uses = [samples.utilisation(*span) for span in spans]
    least = int(np.argmin(uses))
    words = f"least use of the link {uses[least]:.1%}, from {spans[least][0]:.0f} to {spans[least][1]:.0f} s"
    return _verdict(uses[least] >= USED), words, {"utilisation": uses[least]}
