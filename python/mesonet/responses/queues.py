"""Queues: delay, drops and marks as a table for people, by class of routers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mesonet.responses.definitions import ROUTER_CLASSES
from mesonet.words import number

MEASURES = ("loss_rate", "mark_rate", "delay_p50", "delay_p95", "delay_p99")
"""Shares of segments dropped and marked, and the delays of half, 95 % and 99 % of the segments, ms."""
TITLES = {
    "backbone": "backbone", "pop": "PoP", "normal": "normal access", "fast": "fast access", "direct": "direct access",
    "plain": "plain",
}  # fmt: skip
"""Classes of routers in words."""
NOT_RECORDED = "not recorded"


def response(measure: str, router_class: str) -> str:
    """Return the name of the response that is a measure of the queues of a class of routers.

    `measure`: one of `MEASURES`. `router_class`: one of `mesonet.responses.definitions.ROUTER_CLASSES`.
    """
    return f"queue_{measure}_{router_class}"


RESPONSES = frozenset(response(measure, router_class) for measure in MEASURES for router_class in ROUTER_CLASSES)
"""Names of all responses of queues."""
_EQUALLY_BUSY = 0.01
"""Queues are equally busy if their utilisations differ by less than this part of the highest one (chosen)."""
COLUMNS = ["queues of routers", "dropped, %", "marked, %", "delay, ms: median", "95 %", "99 %"]


def measured_text(measure: str, value: float | None) -> str:
    """Return a measure as text, to two digits behind the point.

    A percentage or a time in milliseconds, without its unit. `measure`: one of `MEASURES`.
    """
    if value is None:
        return NOT_RECORDED
    shown = 100 * value if measure.endswith("rate") else value
    return "< 0.01" if 0 < shown < 0.005 else number(round(shown, 2))


def class_rows(rows: Sequence[Mapping[str, Any]], period: str) -> list[list[str]]:
    """Return a row per class of routers that carried segments.

    Rows of text, in the columns `COLUMNS`. Delays are recorded with a discipline or ``measurement.queue_delays``.
    `rows`: responses of a run with ``response``, ``period`` and ``value``.
    """
    values = {row["response"]: row["value"] for row in rows if row["period"] == period}
    return [
        [TITLES[name], *(measured_text(measure, values.get(response(measure, name))) for measure in MEASURES)]
        for name in ROUTER_CLASSES
        if values.get(response("loss_rate", name)) is not None
    ]


def busiest_rows(queues: Sequence[Mapping[str, Any]], period: str) -> list[list[str]]:
    """Return a row for the busiest queue of each class of routers that carried segments.

    The responses of a class pool all its queues. At ports these include the queues towards hosts, in which segments of
    a bottleneck no longer wait. The busiest queue has the highest utilisation. Queues behind a bottleneck have nearly
    the same utilisation; of equally busy queues the longest counts.

    Rows of text, in the columns `COLUMNS`. `queues`: rows of the table ``routers`` of a run.
    """
    rows = []
    for name in ROUTER_CLASSES:
        own = [q for q in queues if q["period"] == period and q["class"].split()[0] == name]  # of "normal access"
        own = [q for q in own if q["segments_accepted"] + q["segments_dropped"] > 0]
        if own:
            most = max(q["utilisation"] for q in own)
            busy = [q for q in own if q["utilisation"] >= (1 - _EQUALLY_BUSY) * most]
            found = max(busy, key=lambda q: q["queue_mean"])
            values = {
                "loss_rate": found["loss_rate"],
                "mark_rate": found["segments_marked"] / max(found["segments_accepted"], 1),
                **{measure: found[f"{measure}_ms"] for measure in MEASURES if measure.startswith("delay")},
            }
            texts = (measured_text(measure, values[measure]) for measure in MEASURES)
            rows.append([f"{TITLES[name]}: {found['router']}", *texts])
    return rows
