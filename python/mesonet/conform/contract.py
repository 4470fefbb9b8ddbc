"""The contract: requirements that hold for any congestion control, each checked by small simulations."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from mesonet import core
from mesonet.conform.bench import SEED, Bench
from mesonet.conform.finding import FAIL, PASS, SKIPPED, About, Finding
from mesonet.conform.samples import Samples
from mesonet.simulation.result import TABLES
from mesonet.simulation.simulate import simulate

GROUP = "contract"
SMALLEST_WINDOW = 1.0
"""Segments (RFC 5681, section 3.1: the loss window is one segment)."""
_LOSSES = (0.0, 0.01, 0.1)
_BLACKOUT = {"impairments.outage_start": "10 s", "impairments.outage_length": "15 s", "time.duration": "70 s"}
_DARK, _LIGHT = 10.0, 25.0
_FILLED = 0.9
_SNAPSHOT_S = 3.7
_FILL_S = 120.0
_BACK = 0.5
_BACK_S = 30.0
_THIN = {
    "network.speed": "64 kbit/s",
    "network.delay_multiplier": 20,
    "network.buffer": "20 segments",
    "time.duration": "60 s",
}
_MARKING = {"network.ecn_threshold": "20 segments"}

Check = Callable[[Bench], tuple[str, str, dict[str, float]]]


def checks() -> list[About]:
    """Return the checks of the contract."""
    return [about for about, _ in _CHECKS]


def check_contract(bench: Bench, skip: Collection[str] = ()) -> Iterator[Finding]:
    """Yield the finding of each check."""
    for about, check in _CHECKS:
        if about.name in skip:
            yield Finding.left_out(about)
            continue
        began = time.perf_counter()
        verdict, why, values = check(bench)
        yield Finding(about, verdict, why, values, time.perf_counter() - began)


def _window(bench: Bench) -> tuple[str, str, dict[str, float]]:
    smallest, rows = np.inf, 0
    for name, samples in _all_conditions(bench).items():
        flow = samples.flow()
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
    verdict = PASS if smallest >= SMALLEST_WINDOW else FAIL
    return verdict, f"smallest window {smallest:.3g} segments in {rows} samples", values


def _loss(bench: Bench) -> tuple[str, str, dict[str, float]]:
    sent = {loss: _sent(_lossy(bench, loss), 20.0) for loss in _LOSSES}
    ratios = {loss: sent[loss] / sent[0.0] for loss in _LOSSES[1:]}
    words = ", ".join(f"{ratio:.1%} of it under {loss:.0%} loss" for loss, ratio in ratios.items())
    values = {f"sent_at_{loss:g}": ratio for loss, ratio in ratios.items()}
    return (PASS if ratios[0.1] <= 0.95 else FAIL), f"sends {words}", values


def _blackout(bench: Bench) -> tuple[str, str, dict[str, float]]:
    flow = _dark(bench).flow()
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
    return (PASS if doubles else FAIL), f"one segment per timeout, gaps {shown} s", values


def _recovery(bench: Bench) -> tuple[str, str, dict[str, float]]:
    samples = _dark(bench)
    time_s, rate = samples.flow()["time_s"], samples.delivered_rate(window=1.0)
    before = float(np.median(rate[(time_s > 5) & (time_s < _DARK)]))
    again = time_s[(time_s > _LIGHT) & (rate >= _BACK * before)]
    if not len(again):
        return FAIL, "never delivers half of its former rate again", {}
    took = float(again[0] - _LIGHT)
    return (PASS if took <= _BACK_S else FAIL), f"half of the former rate after {took:.1f} s", {"seconds": took}


def _fill(bench: Bench) -> tuple[str, str, dict[str, float]]:
    samples = _fat(bench)
    time_s, rate = samples.flow()["time_s"], samples.delivered_rate(window=1.0)
    filled = time_s[rate >= _FILLED * samples.link(time_s)]
    if not len(filled):
        return FAIL, f"does not reach {_FILLED:.0%} of 100 Mbit/s in {_FILL_S:.0f} s", {}
    return PASS, f"reaches {_FILLED:.0%} of 100 Mbit/s after {filled[0]:.2f} s", {"seconds": float(filled[0])}


def _thin(bench: Bench) -> tuple[str, str, dict[str, float]]:
    samples = bench.samples("64 kbit/s", "base", _THIN)
    flow = samples.flow()
    late = flow["time_s"] > 20
    delivered = float(np.ptp(flow["segments_delivered"][late]))
    share = delivered / (samples.duration - 20) / float(samples.link(np.array([0.0]))[0])
    return (PASS if share >= 0.8 else FAIL), f"uses {share:.1%} of 64 kbit/s", {"utilisation": share}


def _marks(bench: Bench) -> tuple[str, str, dict[str, float]]:
    marked = bench.samples("marks", "base", _MARKING)
    if not float(np.sum(marked.queue["segments_marked"])):
        return SKIPPED, "its segments are not ECN-capable: nothing was marked", {}
    queues = [float(np.mean(each.queue["queue"])) for each in (marked, bench.samples("plain", "base"))]
    values = {"queue_with_marks": queues[0], "queue_without": queues[1]}
    words = f"mean queue {queues[0]:.1f} segments with marks, {queues[1]:.1f} without"
    return (PASS if queues[0] < queues[1] else FAIL), words, values


def _again(bench: Bench) -> tuple[str, str, dict[str, float]]:
    first, second = (_digest(simulate(bench.scenario("crowd"), SEED)) for _ in range(2))
    other = _digest(simulate(bench.scenario("crowd"), SEED + 1))
    if first != second:
        return FAIL, f"tables {_unequal(first, second)} differ between two runs with one seed", {}
    if first == other:
        return FAIL, "another seed gives the same tables: the comparison proves nothing", {}
    return PASS, "all tables are equal, and differ with another seed", {}


def _engines(bench: Bench) -> tuple[str, str, dict[str, float]]:
    chosen = bench.scenario("crowd")
    one = _digest(simulate(chosen, SEED))
    for words, other in (
        ("4 threads", simulate(chosen, SEED, threads=4)),
        ("the reference engine", simulate(chosen, SEED, engine="reference")),
    ):
        if (found := _digest(other)) != one:
            return FAIL, f"tables {_unequal(one, found)} differ with {words}", {}
    return PASS, "1 thread, 4 threads and the reference engine give equal tables", {}


def _resume(bench: Bench) -> tuple[str, str, dict[str, float]]:
    chosen = bench.scenario("crowd")
    text, end = chosen.to_json(), float(chosen.value("time.duration"))
    make = core.module().Simulation
    whole = make(text, SEED)
    whole.advance(end)
    before = make(text, SEED)
    before.advance(_SNAPSHOT_S)
    try:
        state = before.snapshot()
        after = make(text, SEED, 1, "domains", state)
    except ValueError as error:
        return SKIPPED, f"no snapshot: {error}", {}
    after.advance(end)
    results = [run.finish() for run in (whole, after)]
    unequal = [name for name in results[0] if not _same(results[0][name], results[1][name])]
    if unequal:
        return FAIL, f"tables {', '.join(unequal)} differ after a resume at {_SNAPSHOT_S} s", {}
    return PASS, f"a resume at {_SNAPSHOT_S} s gives equal tables", {}


def _lossy(bench: Bench, loss: float) -> Samples:
    values = {"impairments.loss": loss, "time.duration": "60 s"}
    return bench.samples(f"{loss:.0%} loss", "base", values)


def _dark(bench: Bench) -> Samples:
    return bench.samples("blackout of 15 s", "base", _BLACKOUT)


def _fat(bench: Bench) -> Samples:
    values = {"network.speed": "100 Mbit/s", "time.duration": f"{_FILL_S:.0f} s"}
    return bench.samples("100 Mbit/s", "base", values)


def _all_conditions(bench: Bench) -> dict[str, Samples]:
    for loss in _LOSSES:
        _lossy(bench, loss)
    _dark(bench)
    _fat(bench)
    bench.samples("64 kbit/s", "base", _THIN)
    bench.samples("marks", "base", _MARKING)
    bench.samples("plain", "base")
    return bench.runs


def _sent(samples: Samples, start: float) -> float:
    """Return the segments sent per second after a time."""
    flow = samples.flow()
    before = np.interp(start, flow["time_s"], flow["segments_sent"])
    return float((flow["segments_sent"][-1] - before) / (samples.duration - start))


def _digest(result: Any) -> dict[str, str]:
    """Return the SHA-256 of the bytes of each table."""
    found = {}
    for name in TABLES:
        content = io.BytesIO()
        getattr(result, name).frame.write_ipc_stream(content)
        found[name] = hashlib.sha256(content.getbuffer()).hexdigest()
    return found


def _unequal(one: dict[str, str], other: dict[str, str]) -> str:
    return ", ".join(name for name in one if one[name] != other[name])


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return set(one) == set(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return bool(one == other)


def _about(id: str, title: str, reason: str, source: str) -> About:
    return About(GROUP, id, title, reason, source)


_CHECKS: tuple[tuple[About, Check], ...] = (
    (
        _about(
            "window",
            "The window is a finite number of at least one segment, and a pacing rate is above 0",
            "A flow with a smaller window can stall. NaN spreads to every later window.",
            "RFC 5681, section 3.1: the loss window is one segment",
        ),
        _window,
    ),
    (
        _about(
            "loss",
            "Sends less under 10 % random loss than without loss",
            "Losses are the last sign of congestion that every network gives. Bound, chosen: 95 % of what it sends "
            "without loss, so that no sample of losses decides.",
            "RFC 2914, section 3.2; RFC 9743, section 5.1.3",
        ),
        _loss,
    ),
    (
        _about(
            "blackout",
            "Without acknowledgements it sends one segment per timeout, and the gaps double",
            "The defence against congestion collapse. Each gap is known to two samples of 10 ms, so that a factor of "
            "1.9 to 2.1 counts as a doubling.",
            "RFC 6298, section 5.5; RFC 5681, section 3.1; RFC 9743, section 5.1.1",
        ),
        _blackout,
    ),
    (
        _about(
            "recovery",
            f"Delivers half of its former rate within {_BACK_S:.0f} s after a blackout of 15 s",
            "The next retransmission may come 15 s after the end of the blackout, because the timeouts double; the "
            "other half of the time is for growth (chosen).",
            "RFC 6298, section 5; RFC 9743, section 7.8",
        ),
        _recovery,
    ),
    (
        _about(
            "fill",
            f"Fills an empty path of 100 Mbit/s to {_FILLED:.0%} within {_FILL_S:.0f} s",
            "Chosen: standard TCP adds 667 segments, the BDP, in 53 s without slow start. The finding has the time.",
            "RFC 5681, section 3.1; RFC 9743, section 5.1.4",
        ),
        _fill,
    ),
    (
        _about(
            "thin-path",
            "Uses a path of 64 kbit/s that holds less than one segment",
            "A window that counts in segments can be too large or too small there. Bound, chosen: 80 %.",
            "RFC 9743, section 7.4",
        ),
        _thin,
    ),
    (
        _about(
            "marks",
            "Answers marks: the queue is shorter with marks above 20 segments than without marks",
            "A flow whose segments are ECN-capable must treat marks as signs of congestion.",
            "RFC 3168, section 6.1.2; RFC 8311",
        ),
        _marks,
    ),
    (
        _about(
            "same-seed",
            "One seed gives the same bytes twice",
            "An algorithm that reads a clock or an own random source cannot be debugged or compared.",
            "Determinism of mesonet: docs/adr/0002",
        ),
        _again,
    ),
    (
        _about(
            "threads",
            "Threads and engines give the same bytes",
            "State that flows share would depend on the order in which threads advance.",
            "Determinism of mesonet: docs/adr/0010",
        ),
        _engines,
    ),
    (
        _about(
            "resume",
            "A run that is resumed from a snapshot ends with the same bytes",
            "State outside of the snapshot would be lost, and the results of long campaigns with it.",
            "Determinism of mesonet: docs/adr/0016",
        ),
        _resume,
    ),
)
