"""Meanings of the columns of the tables of a run, for the reference; units are in `mesonet.responses.columns`."""

from __future__ import annotations

from mesonet.responses import columns

_COUNT = "in the interval that ends at the row"
_TO_HERE = "since the flow began"
_PERIOD = "measured period from 1, or `measured` for all"
_SPREAD = "over the flows completed in the period"

SERIES = {
    "time_s": "end of the measurement interval",
    "connecting": "flows that are connecting at the sample instant",
    "sending": "flows that are sending at the sample instant",
    "initial_slow_start": "sending flows in their first slow start",
    "standard": "sending flows under the rules of standard TCP, slow start after a timeout included",
    "alternate": "sending flows under rules of their own algorithm",
    "recovery": "sending flows in fast recovery; they count in one of the three columns before, too",
    "cwnd": "mean window of the sending flows",
    "rtt_ms": "mean of the last smoothed round-trip times of the sending flows",
    "queueing_delay_ms": "the same less the propagation round-trip times of their paths",
    "segments_entering": f"segments that left a source: data, retransmissions, SYNs, {_COUNT}",
    "segments_leaving": f"segments that reached a receiver, {_COUNT}",
    "segments_dropped": f"segments that found a router full, {_COUNT}",
    "segments_marked": f"segments that routers marked (ECN), {_COUNT}",
    "flows_completed": f"flows whose last segment was acknowledged, {_COUNT}",
    "connection_failures": f"connections given up after the last SYN, {_COUNT}",
    "cwnd_increases": f"acknowledgements and timer events that raised a window, {_COUNT}",
    "duplicate_acks": f"acknowledgements that left the cumulative one where it was, {_COUNT}",
    "timeouts": f"expiries of the retransmission timer, {_COUNT}",
    "spurious_timeouts": f"expiries after which the original segment was acknowledged, {_COUNT}",
    "loss_events": f"losses and marks that reduced a window, timeouts apart, {_COUNT}",
    "flow_N_cwnd": "window of the N-th explicit flow; null while it does not send",
    "flow_N_rtt_ms": "its smoothed round-trip time",
    "flow_N_delivered": "segments of it acknowledged so far",
}

FLOWS = {
    "source": "number of the source, from 0",
    "transfer": "which transfer of this source, from 0",
    "category": "file category; `explicit` for explicit flows",
    "algorithm": "its congestion control",
    "path_class": "class of its path by its access routers: very fast, fast or typical; `other` between other routers",
    "rate_class": "slower of the interfaces at its ends",
    "from": "access router of the source",
    "to": "access router of the receiver",
    "size": "data segments; null without an end",
    "completed": "1 if the last segment was acknowledged, 0 if it failed, was given up or was cut short",
    "started_s": "when its first SYN left, or its first segment where flows do not connect",
    "first_sent_s": "when its first data segment left; null before",
    "last_acked_s": "when the last acknowledgement of new data came; null before",
    "segments_sent": "data segments sent, retransmissions included",
    "segments_delivered": "data segments acknowledged, each once",
    "loss_events": "losses and marks that reduced its window, timeouts apart",
    "losses": "segments of its data that routers dropped",
    "timeouts": "expiries of its retransmission timer",
    "spurious_timeouts": "expiries after which the original segment was acknowledged",
    "syns": "SYNs sent",
    "goodput": "segments delivered / (last acknowledgement - first segment sent)",
}

GROUPS = {
    "period": _PERIOD,
    "group": "flow group 1 to 24 of the ASME paper's Table 6; null where there is none",
    "category": "file category",
    "path_class": "class of path",
    "rate_class": "slower of the interfaces at the ends",
    "algorithm": "whose flows; `all` for all together",
    "flows": "flows completed in the period",
    "flow_seconds": "time for which flows of the group were sending in the period, whether or not they completed",
    "throughput": "segments acknowledged in the period / `flow_seconds`",
    "mean_size": f"mean size, {_SPREAD}",
    "goodput": f"mean goodput, {_SPREAD}",
    "goodput_sd": f"standard deviation of the goodput, {_SPREAD}",
    "goodput_median": f"median goodput, {_SPREAD}, to 1.6 %",
    "goodput_by_size": f"mean goodput weighted by size, {_SPREAD}",
    "jain_index": f"Jain's index of the goodputs, {_SPREAD}",
    "completion_time_p50": "median of the times from first SYN to last acknowledgement, to 1.6 %",
    "completion_time_p95": "95th percentile of them",
    "completion_time_p99": "99th percentile of them",
    "retransmission_rate": f"1 - size / data segments sent, {_SPREAD}",
    "loss_events_per_flow": f"losses and marks that reduced a window, timeouts apart, mean {_SPREAD}",
    "losses_per_flow": f"segments dropped, mean {_SPREAD}",
    "timeouts_per_flow": f"expiries of the retransmission timer, mean {_SPREAD}",
}

ROUTERS = {
    "period": _PERIOD,
    "router": "its name",
    "class": "its class: backbone, pop, normal access, fast access, direct access or plain",
    "speed": "segments that it can forward in a second",
    "buffer": "places in its queue",
    "utilisation": "part of the time in which it was forwarding",
    "queue_mean": "segments in it, the one in service included, mean over the sample instants",
    "queue_max": "the largest of them",
    "segments_accepted": "segments that it took, in the period",
    "segments_dropped": "segments that found it full, in the period",
    "loss_rate": "segments dropped / (dropped + accepted)",
}

FLOW_TRACES = {
    "time_s": "the instant, every `trace.every`",
    "flow": "which one: `flow 1` or `source 17`",
    "transfer": "which transfer of this source, from 0",
    "state": "closed, connecting, slow start, standard, alternate, fast recovery or after a time-out",
    "cwnd": "window",
    "ssthresh": "slow-start threshold; null where the algorithm has none",
    "rtt_ms": "smoothed round-trip time",
    "in_flight": "segments sent and neither acknowledged nor taken for lost",
    "segments_sent": f"data segments sent, {_TO_HERE}",
    "segments_delivered": f"data segments acknowledged, {_TO_HERE}",
    "loss_events": f"losses and marks that reduced its window, {_TO_HERE}",
    "losses": f"segments of its data that routers dropped, {_TO_HERE}",
    "timeouts": f"expiries of its retransmission timer, {_TO_HERE}",
}

ROUTER_TRACES = {
    "time_s": "the instant, every `trace.every`",
    "router": "its name",
    "queue": "segments in it, the one in service included",
    "segments_accepted": "segments that it took since the row before",
    "segments_dropped": "segments that found it full since the row before",
    "utilisation": "part of the time since the row before in which it was forwarding",
}

RESPONSES = {
    "response": "name, as in the [list of responses](responses.md)",
    "symbol": "symbol of the study, where it has one",
    "period": f"{_PERIOD}, or `run` for counts from t = 0",
    "unit": "unit of the value",
    "value": "the number; null where there is nothing to measure",
}

TABLES = {
    "responses": (RESPONSES, columns.RESPONSE_UNITS, "one row per response and period"),
    "series": (SERIES, columns.SERIES_UNITS, "one row per measurement interval"),
    "flows": (FLOWS, columns.FLOW_UNITS, "one row per recorded flow, in the order in which they ended"),
    "groups": (GROUPS, columns.GROUP_UNITS, "one row per period, flow group and algorithm"),
    "routers": (ROUTERS, columns.ROUTER_UNITS, "one row per period and router"),
    "flow_traces": (FLOW_TRACES, columns.FLOW_TRACE_UNITS, "one row per traced flow and instant"),
    "router_traces": (ROUTER_TRACES, columns.ROUTER_TRACE_UNITS, "one row per traced router and instant"),
}
"""Meanings and units by column, and the meaning of a row, by name of the table."""


def unit(table: str, column: str) -> str:
    """Return the unit of a column.

    Parameters
    ----------
    table
        A name of `TABLES`.
    column
        A column of the table; ``N`` stands for the number of an explicit flow.

    Returns
    -------
    The unit; empty for text.
    """
    return TABLES[table][1][column.replace("_N_", "_1_")]
