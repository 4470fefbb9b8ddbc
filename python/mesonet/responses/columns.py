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
    "segments_marked": "segments/interval",
    "flows_completed": "flows/interval",
    "connection_failures": "failures/interval",
    "cwnd_increases": "increases/interval",
    "duplicate_acks": "acks/interval",
    "timeouts": "timeouts/interval",
    "spurious_timeouts": "timeouts/interval",
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
    "losses": "segments",
    "timeouts": "timeouts",
    "spurious_timeouts": "timeouts",
    "syns": "segments",
    "goodput": "segments/s",
}

GROUP_UNITS = {
    "period": "",
    "group": "1",
    "category": "",
    "path_class": "",
    "rate_class": "",
    "algorithm": "",
    "flows": "flows",
    "flow_seconds": "s",
    "throughput": "segments/s",
    "mean_size": "segments",
    "goodput": "segments/s",
    "goodput_sd": "segments/s",
    "goodput_median": "segments/s",
    "goodput_by_size": "segments/s",
    "jain_index": "1",
    "completion_time_p50": "s",
    "completion_time_p95": "s",
    "completion_time_p99": "s",
    "retransmission_rate": "1",
    "loss_events_per_flow": "events",
    "losses_per_flow": "segments",
    "timeouts_per_flow": "timeouts",
}
"""One row per measured period (and ``measured`` for all) and flow group: file category x path class x interface rate
x algorithm (``all`` for all together, where there are several). `group` is the number in the ASME paper's Table 6, 1 to
24. Completion times are from the first SYN to the last acknowledgement, goodput is size / (last acknowledgement - first
segment sent), both over the flows completed in the period; percentiles and medians come from histograms of 1.6 %
resolution. `throughput` counts flows in progress, too: segments acknowledged in the period over `flow_seconds`, the
time for which flows of the group were sending in it. Periods end with a measurement interval."""

ROUTER_UNITS = {
    "period": "",
    "router": "",
    "class": "",
    "speed": "segments/s",
    "buffer": "segments",
    "utilisation": "1",
    "queue_mean": "segments",
    "queue_max": "segments",
    "segments_accepted": "segments",
    "segments_dropped": "segments",
    "loss_rate": "1",
}
"""One row per measured period (and ``measured`` for all) and router. Queues hold the segment in service too and are
sampled each measurement interval."""

FLOW_TRACE_UNITS = {
    "time_s": "s",
    "flow": "",
    "transfer": "1",
    "state": "",
    "cwnd": "segments",
    "ssthresh": "segments",
    "rtt_ms": "ms",
    "in_flight": "segments",
    "segments_sent": "segments",
    "segments_delivered": "segments",
    "loss_events": "events",
    "losses": "segments",
    "timeouts": "timeouts",
}
"""One row per traced flow and trace interval; counts are from the beginning of the flow."""

ROUTER_TRACE_UNITS = {
    "time_s": "s",
    "router": "",
    "queue": "segments",
    "segments_accepted": "segments",
    "segments_dropped": "segments",
    "utilisation": "1",
}
"""One row per traced router and trace interval; counts are of the interval before."""


class _SeriesUnits(dict[str, str]):
    """Units of the series, with three more columns for each explicit flow: ``flow_1_cwnd`` and so on.

    The first ``measurement.flow_series`` explicit flows have such columns.
    """

    def __missing__(self, name: str) -> str:
        match = re.fullmatch(r"flow_\d+_(\w+)", name)
        if not match:
            raise KeyError(name)
        return _EXPLICIT_FLOW_UNITS[match[1]]


SERIES_UNITS = _SeriesUnits(_SERIES_UNITS)
