"""Units of the columns that a run produces; columns of text have none."""

from __future__ import annotations

import re

RESPONSE_UNITS = {"response": "", "symbol": "", "period": "", "unit": "", "value": "see column unit"}

_SERIES_UNITS = {
    "time_s": "s",
    "connecting": "flows",
    "sending": "flows",
    "initial_slow_start": "flows",
    "standard": "flows",
    "alternate": "flows",
    "recovery": "flows",
    "cwnd": "segments",
    "rtt_ms": "ms",
    "queueing_delay_ms": "ms",
    "segments_entering": "segments/interval",
    "segments_leaving": "segments/interval",
    "segments_dropped": "segments/interval",
    "flows_completed": "flows/interval",
    "connection_failures": "failures/interval",
    "cwnd_increases": "increases/interval",
    "duplicate_acks": "acks/interval",
    "timeouts": "timeouts/interval",
    "loss_events": "events/interval",
}
_EXPLICIT_FLOW_UNITS = {"cwnd": "segments", "rtt_ms": "ms", "delivered": "segments"}

FLOW_UNITS = {
    "source": "1",
    "transfer": "1",
    "category": "",
    "algorithm": "",
    "path_class": "",
    "rate_class": "",
    "from": "",
    "to": "",
    "size": "segments",
    "completed": "1",
    "started_s": "s",
    "first_sent_s": "s",
    "last_acked_s": "s",
    "segments_sent": "segments",
    "segments_delivered": "segments",
    "loss_events": "events",
    "timeouts": "timeouts",
    "syns": "segments",
    "goodput": "segments/s",
}

GROUP_UNITS = {
    "category": "",
    "path_class": "",
    "rate_class": "",
    "algorithm": "",
    "flows": "flows",
    "mean_size": "segments",
    "goodput": "segments/s",
    "goodput_sd": "segments/s",
    "goodput_by_size": "segments/s",
    "retransmission_rate": "1",
}


class _SeriesUnits(dict[str, str]):
    """The series has three more columns for each flow that the scenario gives one by one: ``flow_1_cwnd`` and so on."""

    def __missing__(self, name: str) -> str:
        match = re.fullmatch(r"flow_\d+_(\w+)", name)
        if not match:
            raise KeyError(name)
        return _EXPLICIT_FLOW_UNITS[match[1]]


SERIES_UNITS = _SeriesUnits(_SERIES_UNITS)
