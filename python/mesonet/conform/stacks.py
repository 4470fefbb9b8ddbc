"""Checks of whole transport stacks: what a model of a congestion control alone does not have."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from statistics import fmean
from typing import Any

import numpy as np

from mesonet.analysis.flow_metrics import jain_index
from mesonet.conform import behaviour, reproducible
from mesonet.conform.behaviour import LEAST_SHARE, USED
from mesonet.conform.bench import SEED, Bench
from mesonet.conform.finding import FAIL, PASS, About, Finding, Outcome
from mesonet.conform.samples import Samples

GROUP = "stack"
MOST_SPURIOUS = 0.001
"""Packets declared lost that had arrived, per packet sent (chosen, see the check ``reordering``)."""
HELD = 0.93
"""Part of the link that is used over a long time (chosen, see the check ``hold``)."""
LEAST_JAIN = 0.9
"""Mean of Jain's index of four equal flows: two of them have twice the rate of the others (chosen)."""
SHARE_SEEDS = range(1, 7)
"""Seeds of the check ``share`` (chosen)."""
_REORDERED = {
    "impairments.jitter": "uniform",
    "impairments.jitter_mean": "0.8 ms",
    "impairments.keep_order": False,
}
_CONDITIONS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "transfers": ("transfers", {}),
    "reordering": ("base", {**_REORDERED, "impairments.at": ["A -> B"], "time.duration": "60 s"}),
    "long": ("base", {"network.delay_multiplier": 40, "time.duration": "120 s"}),
    "shares": ("shares", {}),
}
"""Runs by name: scenario, and values that replace its own."""


def checks() -> list[About]:
    """Return the checks of a stack."""
    return [about for about, _ in _CHECKS]


def scenarios() -> list[tuple[str, Mapping[str, Any]]]:
    """Return names and values of the scenarios of the checks."""
    return list(_CONDITIONS.values())


def check_stack(bench: Bench, skip: Collection[str] = ()) -> Iterator[Finding]:
    """Yield the finding of each check."""
    for about, check in _CHECKS:
        if about.name in skip:
            yield Finding.left_out(about)
            continue
        began = time.perf_counter()
        verdict, why, values = check(bench)
        yield Finding(about, verdict, why, values, time.perf_counter() - began)


def completion(bench: Bench) -> Outcome:
    transfers = _run(bench, "transfers").connections
    done = transfers.filter(outcome="completed").height
    for name, chosen in {**_CONDITIONS, **behaviour.CONDITIONS}.items():
        aborted = bench.samples(name, *chosen).connections.filter(outcome="aborted")
        if aborted.height:
            reason, at = aborted["reason"][0], aborted["ended_s"][0]
            words = f"{aborted.height} of {len(bench.samples(name, *chosen).connections)} connections aborted"
            return FAIL, f"{words} ({name}), the first at {at:.2f} s: {reason}", {"aborted": float(aborted.height)}
    values = {"completed": float(done)}
    return _verdict(done == transfers.height), f"{done} of {transfers.height} transfers complete, none aborted", values


def reordering(bench: Bench) -> Outcome:
    samples = _run(bench, "reordering")
    use = samples.utilisation(10.0, samples.duration)
    row = samples.connections.row(0, named=True)
    words, values = f"uses {use:.1%} of the link", {"utilisation": use}
    if row["packets_lost"] is None:
        return _verdict(use >= USED), f"{words}; not visible: packets declared lost", values
    share = values["spurious_share"] = row["spurious_losses"] / row["packets_sent"]
    words += f"; {share:.3%} of its packets are declared lost and had arrived"
    return _verdict(use >= USED and share <= MOST_SPURIOUS), words, values


def hold(bench: Bench) -> Outcome:
    samples = _run(bench, "long")
    use = samples.utilisation(20.0, samples.duration)
    return _verdict(use >= HELD), f"uses {use:.1%} of the link from 20 to 120 s", {"utilisation": use}


def share(bench: Bench) -> Outcome:
    jain, lowest = [], []
    for seed in SHARE_SEEDS:
        samples = _run(bench, "shares", seed)
        rates = np.array([samples.grown("segments_delivered", 20.0, samples.duration, each) for each in range(1, 5)])
        if not rates.any():
            return FAIL, f"no flow delivers anything from 20 s on, with seed {seed}", {}
        jain.append(jain_index(rates))
        lowest.append(float(rates.min() / rates.mean()))
    values = {"jain": fmean(jain), "lowest": fmean(lowest), "lowest_of_all": min(lowest)}
    words = f"Jain's index {fmean(jain):.3f}, the slowest of four flows has {fmean(lowest):.0%} of its fair share"
    words += f" (means of {len(jain)} seeds; with seed {SHARE_SEEDS[int(np.argmin(lowest))]} {min(lowest):.0%})"
    return _verdict(fmean(jain) >= LEAST_JAIN and fmean(lowest) >= LEAST_SHARE), words, values


def process(bench: Bench) -> Outcome:
    unequal = reproducible.elsewhere(bench)
    if unequal:
        return FAIL, f"tables {unequal} differ in another process with the same seed", {}
    return PASS, "another process gives equal tables", {}


def _run(bench: Bench, name: str, seed: int = SEED) -> Samples:
    scenario, values = _CONDITIONS[name]
    return bench.samples(name if seed == SEED else f"{name}, seed {seed}", scenario, values, seed)


def _verdict(holds: bool) -> str:
    return PASS if holds else FAIL


def _about(id: str, title: str, reason: str, source: str) -> About:
    return About(GROUP, id, title, reason, source)


_CHECKS: tuple[tuple[About, Callable[[Bench], Outcome]], ...] = (
    (
        _about(
            "completion",
            "20 transfers over a path that loses 1 % and changes the order complete, and no connection is aborted in a "
            "scenario of these checks or of the contract",
            "An aborted connection is an outcome with its reason, never a low rate. The scenarios have a blackout of "
            "15 s. Not seen: connections of more than 200 s.",
            "RFC 9293, section 3.8; RFC 9000, section 10",
        ),
        completion,
    ),
    (
        _about(
            "reordering",
            f"If later packets overtake by at most 2 places, at most {MOST_SPURIOUS:.1%} of its packets are declared "
            f"lost and had arrived, and from 10 s on it uses at least {USED:.0%} of the link",
            "A loss is declared after 3 later packets at the earliest. Delays of 0 to 1.6 ms, and a packet takes "
            "0.6 ms. The bound leaves room for short packets (chosen).",
            "RFC 9002, section 6.1.1; RFC 5681, section 3.2",
        ),
        reordering,
    ),
    (
        _about(
            "hold",
            f"From 20 to 120 s it uses at least {HELD:.0%} of a link of 20 Mbit/s with a round trip of 40 ms",
            "An estimate of the bandwidth must last from one probe to the next. BBR leaves 4 % to PROBE_RTT, and 1 % "
            "to its pacing margin; 2 % more are chosen.",
            "draft-ietf-ccwg-bbr, section 5.5",
        ),
        hold,
    ),
    (
        _about(
            "share",
            f"Of four equal flows on one link, Jain's index is at least {LEAST_JAIN}, and the slowest has at least "
            f"{LEAST_SHARE:.0%} of its fair share (means of {len(SHARE_SEEDS)} seeds)",
            "Flows of one stack must not starve each other. The index is 0.9 if two flows have twice the rate of the "
            "other two (chosen). The link has 20 Mbit/s, a round trip of 40 ms and a buffer of one BDP. Flows start "
            "within 5 s. Goodput counts from 20 to 60 s. Not seen: flows that begin later or have other round trips.",
            "Jain, Chiu and Hawe 1984; RFC 9743, section 5.1",
        ),
        share,
    ),
    (
        _about(
            "process",
            "A run in another process gives equal tables",
            "What `contract/same-seed` cannot see: addresses, and numbers that a process draws once. Not seen: what "
            "differs from machine to machine only.",
            "docs/how-to/your-stack.md",
        ),
        process,
    ),
)
