"""Offered and carried data of a run: by demand of a matrix, and by queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mesonet.simulation.summary import WHOLE, rate_text
from mesonet.words import listed, percent

if TYPE_CHECKING:
    from mesonet.simulation.result import Table

_FAR = 0.1
"""Relative difference of carried and offered data beyond which notes name it (chosen)."""
_IDLE = 0.1
"""Offered load of a queue, as a share of its speed, below which no note names it (chosen): few flows cross it."""
_WORST = 3
"""Pairs and queues that a note names."""
_USERS = "users"
"""Traffic of the demands of users, as in the table."""


@dataclass(frozen=True)
class QueueCarried:
    """Load of a queue of data over the measured time, as a share of its speed."""

    queue: str  #: name, as in the table of routers
    offered: float  #: data of users and arrivals, and their acknowledgements where these take its time
    carried: float  #: part of the time in which it was forwarding


def queues_carried(
    scenario: Mapping[str, Any], described: Mapping[str, Any], routers: Iterable[Mapping[str, Any]]
) -> list[QueueCarried]:
    """Return the queues of links between regions, or of backbone and plain routers, with offered and carried loads.

    Access routers below a region have few flows each, whose sums differ by chance. Empty where no number is comparable:
    without demands, with explicit flows or changes of the network, and with arrivals that begin or end within the
    measured time. `scenario`: in canonical form. `described`: as `Scenario.describe`. `routers`: rows of the table of
    the result.
    """
    arrivals = scenario.get("arrivals", ())
    warmup, duration = scenario["time"]["warmup"], scenario["time"]["duration"]
    is_partial = any(
        process["start"] > warmup or (process["stop"] is not None and process["stop"] < duration)
        for process in arrivals
    )
    if is_partial or scenario["network"]["changes"] or not _has_demands_only(scenario, described):
        return []
    busy = {row["router"]: row["utilisation"] for row in routers if row["period"] == WHOLE}
    regions = set(described["regions"])
    is_port = scenario["network"]["queue"] == "port"
    return [
        QueueCarried(each["queue"], (each["data"] + each["acks"]) / each["speed"], busy[each["queue"]])
        for each in described["loads"]
        if each["from"] in regions and (each["to"] in regions or not is_port) and busy.get(each["queue"]) is not None
    ]


def data_of_demands(
    scenario: Mapping[str, Any], described: Mapping[str, Any], demands: Table
) -> tuple[float, float] | None:
    """Return the data that all demands carried and offered, segments/s; None if the run has other traffic.

    `scenario`: in canonical form. `described`: as `Scenario.describe`. `demands`: of the result.
    """
    if not _has_demands_only(scenario, described):
        return None
    return float(demands.columns["carried"].sum()), float(demands.columns["offered"].sum())


def carried_notes(scenario: Mapping[str, Any], demands: Table, queues: Sequence[QueueCarried]) -> list[str]:
    """Return sentences on data that was not carried as offered.

    Empty if the sum of all demands, and each queue, carried 90 % to 110 % of what was offered. `demands`: of the
    result. `queues`: as `queues_carried`.
    """
    offered, carried = (demands.columns[name] for name in ("offered", "carried"))
    asked, got = float(offered.sum()), float(carried.sum())
    far_queues = [each for each in queues if each.offered > _IDLE and _is_far(each.carried, each.offered)]
    if asked <= 0 or not (_is_far(got, asked) or far_queues):
        return []
    size = float(scenario["transport"]["segment_bytes"])
    notes = [f"carried {percent(100 * got / asked)} of the demands: {rate_text(got, size)} of {rate_text(asked, size)}"]
    far = np.flatnonzero(np.abs(carried - offered) > _FAR * offered)
    if len(far):
        worst = far[np.argsort(-np.abs(carried - offered)[far], kind="stable")][:_WORST]
        names = [
            f"{demands.columns['from'][row]} to {demands.columns['to'][row]} "
            f"({rate_text(carried[row], size)} of {rate_text(offered[row], size)})"
            for row in worst
        ]
        notes.append(_far_sentence(len(far), len(offered), "pairs", names))
    if far_queues:
        far_queues.sort(key=lambda each: -abs(each.carried - each.offered))
        shown = [f"{each.queue} ({each.carried:.2f} of {each.offered:.2f})" for each in far_queues[:_WORST]]
        noun = "links" if scenario["network"]["queue"] == "port" else "routers"
        notes.append(f"{_far_sentence(len(far_queues), len(queues), noun, shown)}, as shares of their speeds")
    return [*notes, *_reasons(demands, queues, far_queues)]


def _far_sentence(far: int, count: int, noun: str, names: Sequence[str]) -> str:
    return f"{far:,} of {count:,} {noun} carried less than 90 % or more than 110 %, farthest {listed(names)}"


def _reasons(demands: Table, queues: Sequence[QueueCarried], far: Sequence[QueueCarried]) -> list[str]:
    """Return the reasons, and what helps. `far`: queues that did not carry what was offered."""
    traffic = set(demands.columns["traffic"])
    reasons = []
    if _USERS in traffic:
        reasons.append(
            "users request a file only after the previous file has arrived: [[arrivals]] with `matrix` offer the rates "
            "in any network"
        )
    full = [each for each in queues if each.offered > 1]
    if full:
        fullest = max(full, key=lambda each: each.offered)
        reasons.append(f"{fullest.queue} is offered {fullest.offered:.2f} times its speed: it cannot carry the demands")
    if any(each.carried > each.offered for each in far):
        reasons.append("retransmissions, and SYNs of small files, are not part of the offered load of a link")
    elif traffic != {_USERS} and not full:
        reasons.append(
            "the sum of few flows, or of sizes that vary much, differs from its mean by chance: use a longer run"
        )
    return reasons


def _has_demands_only(scenario: Mapping[str, Any], described: Mapping[str, Any]) -> bool:
    """Return True if all traffic has rows in the table of demands."""
    users, matrix = described["sources"] > 0, scenario["users"]["traffic"]
    has_rates = not isinstance(matrix, str) and matrix[0]["rate"] is not None
    others = scenario["flows"] or scenario["users"]["long_lived_flows"] or (users and not has_rates)
    return bool((users or scenario.get("arrivals")) and not others)


def _is_far(carried: float, offered: float) -> bool:
    return abs(carried - offered) > _FAR * offered
