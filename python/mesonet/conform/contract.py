"""The contract: requirements that hold for any congestion control, each checked by small simulations."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from mesonet.conform import behaviour, reproducible
from mesonet.conform.behaviour import (
    BACK_S,
    FIRST_WINDOW,
    LEAST_RATE,
    LEAST_SHARE,
    MARKED_FROM,
    MOST_GROWTH,
    MOST_LOST,
    MOST_RATE,
    SPAN_S,
    THIN_USED,
    USED,
)
from mesonet.conform.bench import Bench
from mesonet.conform.finding import SKIPPED, About, Finding, Outcome, with_known

GROUP = "contract"
Check = Callable[[Bench], Outcome]

_QUEUE_OF_FAST = "FAST keeps alpha = 200 segments in the queue. The buffer holds fewer, so that only losses limit it"
KNOWN_FAILURES: Mapping[str, Mapping[str, str]] = {
    "loss": {
        "bbr": "BBRv1 takes no loss as a sign of congestion: the failure that RFC 9743, section 5.1.3, names",
    },
    "shallow": {
        "bbr": "BBRv1 flows lose persistently if the buffer is below 1.5 BDP (RFC 9743, section 5.1.3)",
        "fast": _QUEUE_OF_FAST,
        "fast-at": _QUEUE_OF_FAST,
    },
    "beside": {
        "bbr": "the share of a BBRv1 flow hardly depends on its neighbours (Ware et al., IMC 2019)",
        "fast": _QUEUE_OF_FAST,
        "fast-at": _QUEUE_OF_FAST,
        "scalable": "Scalable TCP gives up an eighth of its window after a loss, standard TCP a half (Kelly 2003)",
    },
    "steps": {
        "fast": _QUEUE_OF_FAST,
        "fast-at": _QUEUE_OF_FAST,
    },
}
"""Causes of known failures, by check and algorithm of mesonet."""
NOT_VISIBLE: Mapping[str, str] = {
    "start": "packets of the handshake count as packets of the first round trip",
    "blackout": "timeouts of a stack",
}
"""Reasons why a whole transport stack does not show what a check needs, by check."""


def checks() -> list[About]:
    """Return the checks of the contract."""
    return [about for about, _ in _CHECKS]


def scenarios() -> list[tuple[str, Mapping[str, Any]]]:
    """Return names and values of the scenarios of the checks."""
    return [*behaviour.CONDITIONS.values(), (reproducible.SCENARIO, {})]


def check_contract(bench: Bench, skip: Collection[str] = ()) -> Iterator[Finding]:
    """Yield the finding of each check."""
    for about, check in _CHECKS:
        if about.name in skip:
            yield Finding.left_out(about)
            continue
        if bench.is_stack and about.id in NOT_VISIBLE:
            yield Finding(about, SKIPPED, f"not visible: {NOT_VISIBLE[about.id]}")
            continue
        began = time.perf_counter()
        verdict, why, values = check(bench)
        verdict, why = with_known(verdict, why, KNOWN_FAILURES.get(about.id, {}).get(bench.algorithm))
        yield Finding(about, verdict, why, values, time.perf_counter() - began)


def _about(id: str, title: str, reason: str, source: str) -> About:
    return About(GROUP, id, title, reason, source)


_CHECKS: tuple[tuple[About, Check], ...] = (
    (
        _about(
            "window",
            "The window is a finite number of at least one segment, and a pacing rate is above 0",
            "A flow with a smaller window can stall. NaN spreads to every later window. All conditions of the other "
            "checks count.",
            "RFC 5681, section 3.1: the loss window is one segment",
        ),
        behaviour.window,
    ),
    (
        _about(
            "start",
            f"Sends at most {FIRST_WINDOW} segments in its first round trip, and at most {MOST_GROWTH:g} times as "
            "many in each further one before the first loss",
            "Slow start doubles. Bound, chosen: BBR paces its STARTUP at up to 2.89 times its estimate. Not seen: "
            "growth after the first loss.",
            "RFC 6928, section 2; RFC 5681, section 3.1; RFC 9743, section 5.1.3",
        ),
        behaviour.start,
    ),
    (
        _about(
            "loss",
            f"Under 3 % and 10 % random loss it sends {LEAST_RATE:g} to {MOST_RATE:g} times the rate of the throughput "
            "equation of standard TCP",
            "A circuit breaker ends a flow that sends ten times as much. RFC 5348 calls a factor of two reasonably "
            "fair; a flow below it does not grow. Not seen: loss rates below 2 %, which BBRv3 "
            "tolerates.",
            "RFC 9743, sections 5.1.3 and 7.2; RFC 8083, section 4.3; RFC 5348, sections 1 and 3.1",
        ),
        behaviour.loss,
    ),
    (
        _about(
            "shallow",
            f"Four flows lose at most {MOST_LOST:.0%} of what they send over a buffer of 20 segments, 0.15 BDP",
            "Losses persist if senders do not reduce their rate. Bound, chosen: more than twice the 2 % that BBRv3 "
            "tolerates. Not seen: a queue without losses, which RFC 9743 accepts of Reno and CUBIC.",
            "RFC 2914, section 5; RFC 9743, sections 5.1.2 and 5.1.3",
        ),
        behaviour.shallow,
    ),
    (
        _about(
            "beside",
            f"A flow of standard TCP next to it keeps at least {LEAST_SHARE:.0%} of its fair share",
            "The path holds 40 segments: HighSpeed TCP acts as standard TCP up to windows of 38. Bound, chosen: "
            "the factor of two of RFC 5348. Not seen: its own share, and large windows, which `mesonet evidence` "
            "compares.",
            "RFC 9743, section 5.2.1; RFC 3649, section 5; RFC 5348, section 1",
        ),
        behaviour.beside,
    ),
    (
        _about(
            "blackout",
            "Without acknowledgements it sends one segment per timeout, and the gaps double",
            "The defence against congestion collapse. Each gap is known to two samples of 10 ms, so that a factor of "
            "1.9 to 2.1 counts as a doubling.",
            "RFC 6298, section 5.5; RFC 5681, section 3.1; RFC 9743, section 5.1.1",
        ),
        behaviour.blackout,
    ),
    (
        _about(
            "recovery",
            f"From {BACK_S:.0f} s after a blackout of 15 s on, it uses at least {USED:.0%} of the link in each "
            f"{SPAN_S:.0f} s",
            "The next retransmission may come 15 s after the end of the blackout, because the timeouts double; the "
            "other half of the time is for growth (chosen). 15 s are measured.",
            "RFC 6298, section 5; RFC 9743, section 7.8",
        ),
        behaviour.recovery,
    ),
    (
        _about(
            "burst",
            f"From 10 s after a burst of losses on, it uses at least {USED:.0%} of the link in each {SPAN_S:.0f} s",
            "All segments of 60 ms are lost, of a round trip of 80 ms. Standard TCP adds half a BDP, 67 segments, "
            "in 5 s. 10 s are measured.",
            "RFC 5681, section 3.2; RFC 9743, section 6.4",
        ),
        behaviour.burst,
    ),
    (
        _about(
            "idle",
            f"From 10 s after 10 s without data on, it uses at least {USED:.0%} of the link in each {SPAN_S:.0f} s",
            "A window may shrink without data, and must grow again. Standard TCP adds half a BDP, 67 segments, in 5 s. "
            "10 s are measured. Not seen: bursts at the restart.",
            "RFC 5681, section 4.1; RFC 7661",
        ),
        behaviour.idle,
    ),
    (
        _about(
            "fill",
            f"From 60 to 120 s it uses at least {USED:.0%} of an empty path of 100 Mbit/s in each {SPAN_S:.0f} s",
            "Standard TCP adds 667 segments, the BDP, in 53 s without slow start. Bound, chosen: BBR leaves 4 % to "
            "PROBE_RTT, 0.2 s in 5 s, and 1 % to its pacing margin. Not seen: a flow that stops later.",
            "RFC 5681, section 3.1; RFC 9743, section 5.1.4",
        ),
        behaviour.fill,
    ),
    (
        _about(
            "steps",
            "20 s after the rate rises from 5 to 20 Mbit/s, and 20 s after it falls back, it uses at least "
            f"{USED:.0%}. After the fall it loses at most {MOST_LOST:.0%}",
            "Standard TCP adds 100 segments, the difference of the BDPs, in 8 s. Each 5 s of 10 s are measured, "
            "and losses from 10 s after the fall on. The buffer holds 72 segments, a mean BDP.",
            "RFC 9743, section 6.4: the capacity varies over time",
        ),
        behaviour.steps,
    ),
    (
        _about(
            "thin-path",
            f"Uses at least {THIN_USED:.0%} of a path of 64 kbit/s that holds less than one segment",
            "A window that counts in segments can be too large or too small there. Bound, chosen.",
            "RFC 9743, section 7.4",
        ),
        behaviour.thin_path,
    ),
    (
        _about(
            "marks",
            f"Keeps the mean queue at or below the {MARKED_FROM} segments where marks begin",
            "A flow whose segments are ECN-capable must reduce its window after a mark as after a loss. The buffer "
            "holds 133 segments. Not seen: the size of a reduction.",
            "RFC 3168, section 6.1.2; RFC 8311; RFC 9743, section 7.1",
        ),
        behaviour.marks,
    ),
    (
        _about(
            "same-seed",
            "One seed gives the same bytes twice",
            "An algorithm that reads a clock or an own random source cannot be debugged or compared.",
            "Determinism of mesonet: docs/adr/0002",
        ),
        reproducible.again,
    ),
    (
        _about(
            "threads",
            "Threads and engines give the same bytes",
            "State that flows share would depend on the order in which threads advance.",
            "Determinism of mesonet: docs/adr/0010",
        ),
        reproducible.engines,
    ),
    (
        _about(
            "resume",
            "A run that is resumed from a snapshot ends with the same bytes",
            "State outside of the snapshot would be lost, and the results of long campaigns with it.",
            "Determinism of mesonet: docs/adr/0016",
        ),
        reproducible.resume,
    ),
)
