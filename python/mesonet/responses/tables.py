"""Tables of a run: every column with its unit and its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mesonet.responses.definitions import COUNTS

_COUNT = "in the interval that ends at the row"
_TO_HERE = "since the flow began"
_PERIOD = "measured period from 1, or `measured` for all"
_SPREAD = "over the flows completed in the period"
_USER = "source (`source 17`), explicit flow (`flow 3`) or its `user`, or home (`home A1a`) of open-loop arrivals"
_RTT_CLASS = "propagation round trip when it began: below 20 ms, 20 to 50 ms, 50 to 100 ms, from 100 ms"
_POP = "point of presence above the home of the user; else the backbone router of its region, or the router itself"
_ACCESS = "kind of access of the home end: the name in `tiers.access`, or the class of its access router"


@dataclass(frozen=True)
class TableColumns:
    """Columns of a table."""

    row: str  #: meaning of a row
    #: Unit and meaning by name, in the order of the table. Text has no unit; ``N`` stands for the number of an explicit
    #: flow.
    columns: Mapping[str, tuple[str, str]]

    def unit(self, name: str) -> str:
        """Return the unit of a column.

        The unit; empty for text. `name`: a column; the number of an explicit flow may stand in place of ``N``.
        """
        known = name if name in self.columns else re.sub(r"^flow_\d+_", "flow_N_", name)
        return self.columns[known][0]


RESPONSES = TableColumns(
    "one row per response and period",
    {
        "response": ("", "name, as in the [list of responses](responses.md)"),
        "symbol": ("", "symbol of the study, where it has one"),
        "period": ("", f"{_PERIOD}, or `run` for counts from t = 0"),
        "unit": ("", "unit of the value"),
        "value": ("see column unit", "the number; null where there is nothing to measure"),
    },
)

_COUNTED = {
    "segments_entering": (
        "segments/interval",
        f"segments that left a source: data, retransmissions, SYNs, {_COUNT}",
    ),
    "segments_leaving": ("segments/interval", f"segments that reached a receiver, {_COUNT}"),
    "segments_dropped": ("segments/interval", f"segments that found a router full, {_COUNT}"),
    "acks_dropped": ("segments/interval", f"acknowledgements and SYN-ACKs that routers dropped, {_COUNT}"),
    "lost_on_links": ("segments/interval", f"segments and acknowledgements that links lost, {_COUNT}"),
    "duplicated_on_links": ("segments/interval", f"segments and acknowledgements that came twice, {_COUNT}"),
    "spurious_recoveries": ("episodes/interval", f"fast recoveries that were not needed, {_COUNT}"),
    "segments_marked": ("segments/interval", f"segments that routers marked (ECN), {_COUNT}"),
    "flows_completed": ("flows/interval", f"flows whose last segment was acknowledged, {_COUNT}"),
    "connection_failures": ("failures/interval", f"connections given up after the last SYN, {_COUNT}"),
    "cwnd_increases": ("increases/interval", f"acknowledgements and timer events that raised a window, {_COUNT}"),
    "duplicate_acks": ("acks/interval", f"acknowledgements that left the cumulative one where it was, {_COUNT}"),
    "timeouts": ("timeouts/interval", f"expiries of the retransmission timer, {_COUNT}"),
    "spurious_timeouts": (
        "timeouts/interval",
        f"expiries after which the original segment was acknowledged, {_COUNT}",
    ),
    "loss_events": ("events/interval", f"losses and marks that reduced a window, timeouts apart, {_COUNT}"),
}
"""Counts with a meaning of their own; all others have the words of their definition."""

SERIES = TableColumns(
    "one row per measurement interval",
    {
        "time_s": ("s", "end of the measurement interval"),
        "connecting": ("flows", "flows that are connecting at the sample instant"),
        "sending": ("flows", "flows that are sending at the sample instant"),
        "initial_slow_start": ("flows", "sending flows in their first slow start"),
        "standard": ("flows", "sending flows under the rules of standard TCP, slow start after a timeout included"),
        "alternate": ("flows", "sending flows under rules of their own algorithm"),
        "recovery": ("flows", "sending flows in fast recovery; they count in one of the three columns before, too"),
        "cwnd": ("segments", "mean window of the sending flows"),
        "rtt_ms": ("ms", "mean of the last smoothed round-trip times of the sending flows"),
        "queueing_delay_ms": ("ms", "the same less the propagation round-trip times of their paths"),
        **_COUNTED,
        **{
            column: (about.unit, f"{about.definition[0].lower()}{about.definition[1:]}, {_COUNT}")
            for column, about in COUNTS.items()
            if column not in _COUNTED
        },
        "flow_N_cwnd": ("segments", "window of the N-th explicit flow; null while it does not send"),
        "flow_N_rtt_ms": ("ms", "its smoothed round-trip time"),
        "flow_N_delivered": ("segments", "segments of it acknowledged so far"),
    },
)
"""The first ``measurement.flow_series`` explicit flows have three columns each: ``flow_1_cwnd`` and so on."""

FLOWS = TableColumns(
    "one row per recorded flow, in the order in which they ended",
    {
        "source": (
            "1",
            "number of the source, from 0: users, explicit flows, then each process and router of arrivals",
        ),
        "transfer": ("1", "which transfer of this source, from 0"),
        "user": ("", f"whose flow it is: {_USER}"),
        "category": ("", "file category; `explicit` for explicit flows, `arrival` for open-loop arrivals"),
        "algorithm": ("", "its congestion control"),
        "path_class": (
            "",
            "class of its path by its access routers: very fast, fast or typical; `other` between other routers",
        ),
        "rtt_class": ("", _RTT_CLASS),
        "rate_class": ("", "slower of the interfaces at its ends"),
        "from": ("", "access router of the source"),
        "to": ("", "access router of the receiver"),
        "pop": ("", _POP),
        "access": ("", _ACCESS),
        "size": ("segments", "data segments; null without an end"),
        "completed": ("1", "1 if the last segment was acknowledged, 0 if it failed, was given up or was cut short"),
        "started_s": ("s", "when its first SYN left, or its first segment where flows do not connect"),
        "first_sent_s": ("s", "when its first data segment left; null before"),
        "last_acked_s": ("s", "when the last acknowledgement of new data came; null before"),
        "segments_sent": ("segments", "data segments sent, retransmissions included"),
        "segments_delivered": ("segments", "data segments acknowledged, each once"),
        "loss_events": ("events", "losses and marks that reduced its window, timeouts apart"),
        "losses": ("segments", "segments of its data that routers dropped"),
        "timeouts": ("timeouts", "expiries of its retransmission timer"),
        "spurious_timeouts": ("timeouts", "expiries after which the original segment was acknowledged"),
        "syns": ("segments", "SYNs sent"),
        "goodput": ("segments/s", "segments delivered / (last acknowledgement - first segment sent)"),
        "rtt_ms": ("ms", "last smoothed round-trip time; null before the first sample"),
        "queueing_delay_ms": (
            "ms",
            "the same less propagation; null over links that delay segments",
        ),
        "slowdown": (
            "1",
            "time to the last acknowledgement / the time alone on an idle path; null if not completed, over links that "
            "delay segments, and with an optimistic receiver",
        ),
    },
)

GROUPS = TableColumns(
    "one row per period, flow group and algorithm; `units` has round trips, access and points of presence, too",
    {
        "period": ("", _PERIOD),
        "group": ("1", "flow group 1 to 24 of the ASME paper's Table 6; null where there is none"),
        "category": ("", "file category"),
        "path_class": ("", "class of path"),
        "rate_class": ("", "slower of the interfaces at the ends"),
        "algorithm": ("", "whose flows; `all` for all together"),
        "flows": ("flows", "flows completed in the period"),
        "flow_seconds": (
            "s",
            "time for which flows of the group were sending in the period, whether or not they completed",
        ),
        "throughput": ("segments/s", "segments acknowledged in the period / `flow_seconds`"),
        "mean_size": ("segments", f"mean size, {_SPREAD}"),
        "goodput": ("segments/s", f"mean goodput, {_SPREAD}"),
        "goodput_sd": ("segments/s", f"standard deviation of the goodput, {_SPREAD}"),
        "goodput_median": ("segments/s", f"median goodput, {_SPREAD}, to 1.6 %"),
        "goodput_by_size": ("segments/s", f"mean goodput weighted by size, {_SPREAD}"),
        "jain_index": ("1", f"Jain's index of the goodputs, {_SPREAD}"),
        "completion_time_p50": ("s", "median of the times from first SYN to last acknowledgement, to 1.6 %"),
        "completion_time_p95": ("s", "95th percentile of them"),
        "completion_time_p99": ("s", "99th percentile of them"),
        "slowdown_mean": ("1", f"mean slowdown, {_SPREAD}"),
        "slowdown_p50": ("1", "median slowdown, to 0.8 %"),
        "slowdown_p95": ("1", "95th percentile of the slowdowns"),
        "slowdown_p99": ("1", "99th percentile of the slowdowns"),
        "retransmission_rate": ("1", f"1 - size / data segments sent, {_SPREAD}"),
        "loss_events_per_flow": ("events", f"losses and marks that reduced a window, timeouts apart, mean {_SPREAD}"),
        "losses_per_flow": ("segments", f"segments dropped, mean {_SPREAD}"),
        "timeouts_per_flow": ("timeouts", f"expiries of the retransmission timer, mean {_SPREAD}"),
        "queueing_delay_ms": (
            "ms",
            f"last smoothed round-trip time less propagation, mean {_SPREAD}",
        ),
    },
)
"""Flow group: file category x path class x interface rate x algorithm; ``all`` stands for all algorithms together.

`group` is the number in the ASME paper's Table 6, 1 to 24. Completion times are from the first SYN to the last
acknowledgement; goodput is size / (last acknowledgement - first segment sent). Both are over the flows completed in
the period; percentiles and medians come from histograms of 1.6 % resolution. `throughput` counts flows in progress,
too: segments acknowledged in the period over `flow_seconds`. Periods end with a measurement interval."""

UNIT = ("period", "user", "home", "access", "algorithm", "path_class", "rtt_class", "rate_class")
"""Columns that identify a row of the table of units."""

UNITS = TableColumns(
    "one row per period, user and class of flows",
    {
        "period": ("", "measured period from 1"),
        "user": ("", f"whose flows: {_USER}"),
        "home": ("", "access router where the user is: of a source its own, else the home end of the flows"),
        "pop": ("", _POP),
        "access": ("", _ACCESS),
        "algorithm": ("", "congestion control of the flows"),
        "path_class": ("", "class of their paths"),
        "rtt_class": ("", "class of the propagation round trips of their paths, as in the table of flows"),
        "rate_class": ("", "slower of the interfaces at their ends"),
        "flows": ("flows", "flows completed in the period"),
        "segments_delivered": ("segments", "segments acknowledged in the period, of all flows"),
        "flow_seconds": ("s", "time for which flows were sending in the period, of all flows"),
        "mean_size": ("segments", f"mean size, {_SPREAD}"),
        "goodput": ("segments/s", f"mean goodput, {_SPREAD}"),
        "goodput_log": ("1", f"mean natural logarithm of the goodput in segments/s, {_SPREAD}"),
        "completion_time": ("s", f"mean time from first SYN to last acknowledgement, {_SPREAD}"),
        "completion_time_log": ("1", "mean natural logarithm of this time in seconds"),
        "slowdown_flows": ("flows", "of `flows`, those that have a slowdown"),
        "slowdown": ("1", "their mean slowdown"),
        "slowdown_log": ("1", "mean natural logarithm of their slowdowns"),
        "segments_sent": ("segments", f"data segments sent, retransmissions included, {_SPREAD}"),
        "retransmission_rate": ("1", "1 - size / `segments_sent`"),
        "loss_events": ("events", f"losses and marks that reduced a window, timeouts apart, {_SPREAD}"),
        "losses": ("segments", f"segments that routers dropped, {_SPREAD}"),
        "timeouts": ("timeouts", f"expiries of the retransmission timer, {_SPREAD}"),
        "queueing_delay_flows": ("flows", "of `flows`, those that have a queueing delay"),
        "queueing_delay_ms": ("ms", "mean of their last smoothed round-trip times less propagation"),
        "rtt_flows": ("flows", "of `flows`, those that have a round-trip time"),
        "rtt_ms": ("ms", "mean of their last smoothed round-trip times"),
    },
)
"""Recorded where `measurement.units` is set, or the experiment keeps the table: `keep = ["units"]`.

The means over rows are exact: a mean times its number of flows is a sum. `flows` is the number for sizes, goodputs and
completion times, `slowdown_flows` for slowdowns, and so on. The mean of `retransmission_rate` has the weights
`segments_sent`. `segments_delivered` / `flow_seconds` is a throughput of all flows, completed or not.

A user has a row for each period and each combination of algorithm and classes that its flows had there. So the number
of rows follows from the users, not from the flows. A source is at its own access router, whose name is `home`; the
slower access of its paths, `access`, may be at the other end."""

ROUTERS = TableColumns(
    "one row per period and router",
    {
        "period": ("", _PERIOD),
        "router": ("", "its name"),
        "class": ("", "its class: backbone, pop, normal access, fast access, direct access or plain"),
        "speed": ("segments/s", "segments that it can forward in a second"),
        "buffer": ("segments", "places in its queue"),
        "utilisation": ("1", "part of the time in which it was forwarding"),
        "queue_mean": ("segments", "segments in it, the one in service included, mean over the sample instants"),
        "queue_max": ("segments", "the largest of them"),
        "segments_accepted": ("segments", "segments that it took, in the period"),
        "segments_dropped": ("segments", "segments that it dropped, in the period"),
        "loss_rate": ("1", "segments dropped / (dropped + accepted)"),
        "segments_marked": ("segments", "segments that it marked (discipline, `network.ecn_threshold`), in the period"),
        "delay_p50_ms": ("ms", "median time that segments waited before their service; empty unless recorded"),
        "delay_p95_ms": ("ms", "the time that 95 % of them waited at most"),
        "delay_p99_ms": ("ms", "the time that 99 % of them waited at most"),
    },
)
"""Queues hold the segment in service, too, and are sampled each measurement interval."""

DEMANDS = TableColumns(
    "one row per demand of a traffic matrix of rates, and per pair of routers of open-loop arrivals",
    {
        "traffic": ("", "`users`, or the process of arrivals, such as `arrivals[0]`"),
        "from": ("", "router of the sources, as in the matrix"),
        "to": ("", "router of the receivers"),
        "offered": ("segments/s", "data that the scenario asks for, mean over the measured time"),
        "carried": ("segments/s", "data that was acknowledged in the measured time, each segment once"),
        "ratio": ("1", "carried / offered; null where nothing is offered"),
    },
)
"""The measured time is from the warm-up to the end. Users offer the rates of the matrix times `users.traffic_factor`,
arrivals their rate times their mean size while they last. What flows between two access routers carry counts for the
demands that both belong to, in proportion to the parts that these have there."""

APPLICATIONS = TableColumns(
    "one row per period and explicit flow that has an application or a receiver of its own",
    {
        "period": ("", _PERIOD),
        "flow": ("1", "number of the explicit flow, from 1"),
        "user": ("", "whose flow it is"),
        "algorithm": ("", "its congestion control; empty with udp"),
        "path_class": ("", "class of its path, as in the table of flows"),
        "rtt_class": ("", _RTT_CLASS),
        "pop": ("", _POP),
        "access": ("", _ACCESS),
        "application": ("", "frames, constant, on_off or video; bulk without one"),
        "transport": ("", "tcp or udp"),
        "receiver": ("", "standard, ack_division, optimistic or ignores_ce"),
        "messages": ("1", "messages handed over in the period: frames, bursts of a size, or segments at a rate"),
        "messages_delivered": ("1", "of these, messages that were delivered"),
        "messages_late": ("1", "of these, messages that were not delivered within `late_after`"),
        "message_delay_p50_ms": ("ms", "median time from handing over to delivery, to 1.6 %"),
        "message_delay_p95_ms": ("ms", "95th percentile of it"),
        "message_delay_p99_ms": ("ms", "99th percentile of it"),
        "segments_sent": ("segments", "segments sent in the period; null with tcp"),
        "segments_received": ("segments", "segments that left in the period and reached the receiver, each once"),
        "segments_dropped": ("segments", "segments that routers dropped in the period; null with tcp"),
        "segment_delay_p50_ms": ("ms", "median one-way delay of the segments received, to 1.6 %"),
        "segment_delay_p95_ms": ("ms", "95th percentile of it"),
        "segment_delay_p99_ms": ("ms", "99th percentile of it"),
        "circuit_breaker_trips": ("trips", "trips of the circuit breakers of RFC 8083; null with tcp"),
        "video_bitrate": ("segments/s", "mean bitrate of the video that was played; null without playback"),
        "video_rebuffering": ("1", "rebuffering ratio: time stalled / (played + stalled)"),
        "video_played_s": ("s", "time for which the video was played; null for other applications, as all that follow"),
        "video_stalled_s": ("s", "time for which it stood still after it had been played"),
        "video_stalls": ("stalls", "times at which it came to a stand"),
        "video_startup_delay_s": ("s", "time from the start to the playback; null unless started in the period"),
        "video_switches": ("switches", "chunks played with another bitrate than the chunk before"),
    },
)
"""A message is delivered when its receiver can use it. Over TCP that is when its last segment and all segments before
have arrived, over UDP when all of its own segments have. Messages that could still be in time at the end of the run do
not count. With data without end (`burst_time` without `rate`), and with a video, there are no messages."""

FLOW_TRACES = TableColumns(
    "one row per traced flow and instant; `flows` has user, path and classes of a flow",
    {
        "time_s": ("s", "the instant, every `trace.every`"),
        "flow": ("", "which one: `flow 1` or `source 17`"),
        "transfer": ("1", "which transfer of this source, from 0"),
        "state": ("", "closed, connecting, slow start, standard, alternate, fast recovery or after a timeout"),
        "cwnd": ("segments", "window"),
        "ssthresh": ("segments", "slow-start threshold; null where the algorithm has none"),
        "rtt_ms": ("ms", "smoothed round-trip time"),
        "in_flight": ("segments", "segments sent and neither acknowledged nor taken for lost"),
        "segments_sent": ("segments", f"data segments sent, {_TO_HERE}"),
        "segments_delivered": ("segments", f"data segments acknowledged, {_TO_HERE}"),
        "loss_events": ("events", f"losses and marks that reduced its window, {_TO_HERE}"),
        "losses": ("segments", f"segments of its data that routers dropped, {_TO_HERE}"),
        "timeouts": ("timeouts", f"expiries of its retransmission timer, {_TO_HERE}"),
        "pacing_rate": ("segments/s", "rate at which it may send; null where it does not pace"),
        "bandwidth": ("segments/s", "rate of the path as its algorithm estimates it; null without an estimate"),
        "mode": ("", "mode of an algorithm that has modes, such as `startup` of BBR; else empty"),
    },
)
"""Counts are from the beginning of the flow."""

ROUTER_TRACES = TableColumns(
    "one row per traced router and instant",
    {
        "time_s": ("s", "the instant, every `trace.every`"),
        "router": ("", "its name"),
        "queue": ("segments", "segments in it, the one in service included"),
        "segments_accepted": ("segments", "segments that it took since the row before"),
        "segments_dropped": ("segments", "segments that it dropped since the row before"),
        "segments_marked": ("segments", "segments that it marked since the row before"),
        "utilisation": ("1", "part of the time since the row before in which it was forwarding"),
    },
)
"""Counts are of the interval before."""

PACKETS = TableColumns(
    "one row per event of a data segment of a flow of `trace.flows` or `trace.sources`, with `trace.packets`",
    {
        "time_s": ("s", "when it happened"),
        "flow": ("", "whose segment: `flow 1` or `source 17`"),
        "transfer": ("1", "which transfer of this source, from 0"),
        "event": ("", "sent, retransmitted, acknowledged, lost (the sender counts it as lost) or dropped (on its way)"),
        "transmission": ("1", "number of the transmission, from 1; a retransmission has a number of its own"),
        "segment": ("1", "number of the data segment, from 1; a retransmission keeps it"),
        "marked": ("1", "1 if its acknowledgement reports a mark (ECN)"),
        "cwnd": ("segments", "window when it was sent or retransmitted; null for other events"),
        "in_flight": ("segments", "segments in flight then, itself included; null for other events"),
    },
)
"""Rows are in the order of time. An acknowledgement that covers several segments has a row for each. A transmission is
lost at most once, and may be acknowledged later: the loss was spurious."""

TIDY = TableColumns(
    "one row per run, response and period",
    {
        "condition": ("1", "number of the condition, from 1"),
        "algorithm": ("", "the algorithm of the run"),
        "replicate": ("1", "number of the replicate, from 1"),
        "response": ("", "name of the response; `goodput` of explicit flows"),
        "flow_algorithm": (
            "",
            "algorithm of the flows that a goodput of explicit flows is of; `all` for any other response",
        ),
        "period": ("", _PERIOD),
        "unit": ("", "unit of the value"),
        "value": ("see column unit", "the number; null where there is nothing to measure"),
    },
)
"""Columns of `Campaign.tidy`, without the factors: each has its level as text, and as a number where it is one."""

STACKS = TableColumns(
    "one row per connection of a whole transport stack, in the order in which they ended",
    {
        "source": ("1", "number of the source, as in `flows`"),
        "transfer": ("1", "which transfer of this source, from 0"),
        "category": ("", "file category; `explicit` for explicit flows, `arrival` for open-loop arrivals"),
        "algorithm": ("", "the stack and its congestion control"),
        "outcome": (
            "",
            "completed; aborted (by a stack); given up (by an impatient user); cut short (by the end of the run)",
        ),
        "reason": ("", "why a stack aborted it, in the words of the stack; else empty"),
        "started_s": ("s", "when it began"),
        "connected_s": ("s", "when the handshake of the source was complete; null before"),
        "ended_s": ("s", "when it ended, or the run did"),
        "bytes_read": ("bytes", "data that the receiving application has read, without headers"),
        "goodput_bit_s": ("bit/s", "these data / (last read - connected)"),
        "packets_sent": ("packets", "packets of the source, handshake and retransmissions included"),
        "packets_answered": ("packets", "packets of the receiver"),
        "packets_dropped": ("packets", "packets of the source that queues or links dropped"),
        "packets_lost": ("packets", "packets that the source declared lost; null where the stack does not show them"),
        "spurious_losses": ("packets", "packets declared lost less packets dropped: at least so many had arrived"),
        "window_reductions": ("events", "congestion events of the source; null where it does not show them"),
        "spurious_reductions": ("events", "congestion events that the source found needless; null as well"),
        "rtt_ms": ("ms", "last smoothed round-trip time of the source; null as well"),
        "cwnd_bytes": ("bytes", "last congestion window of the source; null as well"),
        "bandwidth_bit_s": ("bit/s", "last bandwidth estimate of the source; null as well"),
    },
)

TABLES = {
    "responses": RESPONSES,
    "series": SERIES,
    "flows": FLOWS,
    "groups": GROUPS,
    "units": UNITS,
    "routers": ROUTERS,
    "demands": DEMANDS,
    "applications": APPLICATIONS,
    "flow_traces": FLOW_TRACES,
    "router_traces": ROUTER_TRACES,
    "packets": PACKETS,
    "stacks": STACKS,
}
"""Tables of a run by name."""
