"""Definitions of responses: of the ASME paper (Tables 3, 4 and 6), further measurements, and totals.

An *interval* is the measurement interval of the scenario; rates are counts per interval in the whole
network, averaged over the intervals of a period. A *transmitting* source has an established connection and data that is
not yet acknowledged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mesonet.words import listed

PERIODS = ("1", "2", "3", "measured", "run")
"""The measured periods, all of them together, and everything from the start (totals only)."""

SegmentsOf = Literal["tcp", "udp", "all", "and acknowledgements", "users"]


@dataclass(frozen=True)
class Response:
    """Response: a number that a run yields."""

    name: str  #: name in tables and options
    #: Symbol of the ASME paper: y1 to y22 in Tables 3 and 4, Y1 to Y18 where only Table 6 has it. Empty if the study
    #: did not measure the response.
    symbol: str
    title: str  #: name in words
    unit: str  #: unit of the value; ``1`` for a plain number
    definition: str  #: definition in a sentence
    direction: Literal["higher", "lower", "neutral"]  #: the change that users would call better
    source: str  #: publication of the definition, or the reason for it
    #: The segments that a response with a unit of segments counts: of flows over ``tcp`` or ``udp``, of ``all`` flows,
    #: of all flows ``and acknowledgements``, or of ``users``.
    segments_of: SegmentsOf = "tcp"

    @property
    def total(self) -> bool:
        """Counted from the start of the run, not per period."""
        return self.name.startswith("total_")


def _goodput(pair: str, number: int) -> Response:
    names = {"d": "directly connected", "f": "fast", "n": "normal"}
    first, second = names[pair[0]], names[pair[1]]
    between = f"two {first} access routers" if first == second else f"a {first} and a {second} access router"
    return Response(
        f"goodput_{pair}",
        f"y{number}",
        f"Goodput of {pair.upper()} flows",
        "segments/s",
        f"Segments acknowledged per second / transmitting flows between {between}, both means over the period",
        direction="higher",
        source="ASME paper Table 4",
    )


_MACRO, _PER_FLOW, _SENSITIVITY = "ASME paper Table 3", "ASME paper Table 4", "ASME paper Table 6"

FILE_CATEGORIES = ("web_object", "document", "service_pack", "movie")
PAIR_CLASSES = ("dd", "df", "dn", "ff", "fn", "nn")
PATH_CLASSES = {"very fast": ("dd",), "fast": ("df", "ff"), "typical": ("dn", "fn", "nn")}
"""Pairs of routers by class of path: the slowest access router decides (ASME paper, 5.4)."""
ROUTER_CLASSES = ("backbone", "pop", "normal", "fast", "direct", "plain")


def _path_goodput(path: str, number: int) -> Response:
    pairs = listed([pair.upper() for pair in PATH_CLASSES[path]])
    return Response(
        f"goodput_{path.replace(' ', '_')}",
        f"Y{number}",
        f"Goodput on {path} paths",
        "segments/s",
        f"As y17 to y22, over the flows on {pairs} paths: the slowest access router decides",
        direction="higher",
        source=_SENSITIVITY,
    )


def _completed_goodput(pair: str, category: str) -> Response:
    words = category.replace("_", " ")
    return Response(
        f"goodput_{pair}_{category}",
        "",
        f"Goodput of completed {words}s, {pair.upper()}",
        "segments/s",
        f"Size / (last acknowledgement - first segment sent), mean over the {words}s between {pair.upper()} access "
        "routers that completed in the period",
        direction="higher",
        source="SP 500-282 ch. 10: experiment 1 looks at throughput by pair class; by file category is derived",
    )


def _of_queues(router: str) -> tuple[Response, ...]:
    """Return the responses of the queues of a class of routers."""
    words = {"pop": "PoP"}.get(router, router)
    chosen = "chosen: what an operator sees of a queue"
    delays = (("median", "p50", "half"), ("95 %", "p95", "95 %"), ("99 %", "p99", "99 %"))
    return (
        Response(
            f"buffer_use_{router}",
            "",
            f"Buffer use of {words} routers",
            "1",
            f"Share of the places in a router that segments fill, mean over the {words} routers and the sample "
            "instants",
            direction="lower",
            source="ASME paper section 6: experiment 1 has responses on buffer use; their definition is assumed",
        ),
        Response(
            f"queue_loss_rate_{router}",
            "",
            f"Loss rate in queues of {words} routers",
            "1",
            f"Segments dropped / (dropped + accepted), over all queues of {words} routers",
            direction="lower",
            source=chosen,
        ),
        Response(
            f"queue_mark_rate_{router}",
            "",
            f"Mark rate in queues of {words} routers",
            "1",
            f"Segments marked / accepted, over all queues of {words} routers",
            direction="neutral",
            source=chosen,
        ),
        *(
            Response(
                f"queue_delay_{name}_{router}",
                "",
                f"Queueing delay ({title}) of {words} routers",
                "ms",
                f"The time that {share} of all segments in the queues of {words} routers waited at most, before their "
                "service; recorded with a discipline or `measurement.queue_delays`",
                direction="lower",
                source=chosen,
            )
            for title, name, share in delays
        ),
    )


SIZE_CLASSES = {
    "": "",
    "_below_10kb": "below 10 kB",
    "_below_100kb": "10 kB to 100 kB",
    "_below_1mb": "100 kB to 1 MB",
    "_from_1mb": "of 1 MB and more",
}
"""Classes of flow sizes by the end of the names of their responses, in words; all flows first."""


def _slowdowns(end: str, words: str) -> tuple[Response, ...]:
    """Return the responses on slowdown of a class of flow sizes."""
    source = "chosen: the usual measure of transports (Li et al., HPCC, SIGCOMM 2019: base round trip + size / rate)"
    if words:
        source = "chosen: decades; 100 kB and 1 MB bound the short messages of the DCTCP paper (SIGCOMM 2010)"
    whose = f"the flows {words} that completed in the period" if words else "the flows that completed in the period"
    title = f", flows {words}" if words else ""
    return (
        Response(
            f"slowdown_mean{end}",
            "",
            f"Mean slowdown{title}",
            "1",
            "Completion time / the time alone on an idle path (handshake, round trip, size over the slowest rate of "
            f"interface and queues; no window), mean over {whose}. Flows over links that delay segments, and those "
            "with an optimistic receiver, have none",
            direction="lower",
            source=source,
        ),
        *(
            Response(
                f"slowdown_p{share}{end}",
                "",
                f"Slowdown ({'median' if share == 50 else f'{share} %'}){title}",
                "1",
                f"The slowdown that {share} % of {whose} have at most, to 0.8 %",
                direction="lower",
                source=source,
            )
            for share in (50, 95, 99)
        ),
    )


_QUALITY = "Dobrian et al. 2011, Understanding the Impact of Video Quality on User Engagement"


def _of_applications() -> tuple[Response, ...]:
    """Return the responses of the applications of explicit flows: frames of media, datagrams, and videos."""
    chosen = "chosen: what a viewer notices, and a sender of datagrams reports"
    delays = (("median", "p50", "half"), ("95 %", "p95", "95 %"), ("99 %", "p99", "99 %"))
    return (
        Response(
            "frames_sent",
            "",
            "Frames sent",
            "frames",
            "Frames that applications handed over in the period; those that could still be in time at the end of the "
            "run do not count",
            direction="neutral",
            source=chosen,
        ),
        Response(
            "frames_delivered",
            "",
            "Frames delivered",
            "frames",
            "Frames handed over in the period that were delivered: over TCP the last segment and all segments before "
            "it reached the receiver, over UDP all segments of the frame",
            direction="higher",
            source=chosen,
        ),
        Response(
            "frames_late",
            "",
            "Late frames",
            "frames",
            "Frames handed over in the period that were not delivered within `late_after` of their flow; includes "
            "frames that never arrived",
            direction="lower",
            source="draft-huitema-ccwg-c4-test",
        ),
        *(
            Response(
                f"frame_delay_{name}",
                "",
                f"Delay of frames ({title})",
                "ms",
                f"The time from its handing over to its delivery that {share} of the delivered frames took at most",
                direction="lower",
                source=chosen,
            )
            for title, name, share in delays
        ),
        Response(
            "datagrams_sent",
            "",
            "Datagrams sent",
            "segments",
            "Segments of `udp` flows that left their source",
            direction="neutral",
            source=chosen,
            segments_of="udp",
        ),
        Response(
            "datagrams_delivered",
            "",
            "Datagrams delivered",
            "segments",
            "Segments of `udp` flows that left their source in the period and reached their receiver",
            direction="higher",
            source=chosen,
            segments_of="udp",
        ),
        Response(
            "datagrams_lost",
            "",
            "Datagrams lost",
            "segments",
            "Segments of `udp` flows that routers dropped in the period",
            direction="lower",
            source=chosen,
            segments_of="udp",
        ),
        *(
            Response(
                f"datagram_delay_{name}",
                "",
                f"One-way delay of datagrams ({title})",
                "ms",
                f"The time from the source to the receiver that {share} of the delivered datagrams took at most",
                direction="lower",
                source=chosen,
            )
            for title, name, share in delays
        ),
        Response(
            "circuit_breaker_trips",
            "",
            "Trips of circuit breakers",
            "trips",
            "Times at which the circuit breakers of RFC 8083 (media timeout, congestion) would have stopped a `udp` "
            "flow; the flow does not stop, and they count again",
            direction="lower",
            source="RFC 8083 sections 4.2 and 4.3",
        ),
        Response(
            "video_bitrate",
            "",
            "Bitrate of videos",
            "segments/s",
            "Mean bitrate of the video that was played in the period, weighted by time",
            direction="higher",
            source=f"{_QUALITY}: average bitrate",
        ),
        Response(
            "video_rebuffering",
            "",
            "Rebuffering ratio of videos",
            "1",
            "Time for which videos stalled / (played + stalled); the time before the playback begins does not count",
            direction="lower",
            source=f"{_QUALITY}: buffering ratio",
        ),
        Response(
            "video_stalls",
            "",
            "Stalls of videos",
            "stalls",
            "Times at which a video that was played came to a stand, because its buffer was empty",
            direction="lower",
            source=f"{_QUALITY}: rate of buffering events",
        ),
        Response(
            "video_startup_delay",
            "",
            "Startup delay of videos",
            "s",
            "Mean time from the start of a video in the period to its playback, or to its end if it is never played",
            direction="lower",
            source=f"{_QUALITY}: join time",
        ),
        Response(
            "video_switches",
            "",
            "Switches of the bitrate of videos",
            "switches",
            "Chunks that were played in the period with another bitrate than the chunk before",
            direction="lower",
            source="Jiang et al. 2012, FESTIVE: stability",
        ),
    )


def _of_network() -> tuple[Response, ...]:
    """Return the responses on the busiest queue, and on one-way delays of segments."""
    delays = (("median", "p50", "half"), ("95 %", "p95", "95 %"), ("99 %", "p99", "99 %"))
    return (
        Response(
            "utilisation_bottleneck",
            "",
            "Utilisation of the busiest queue",
            "1",
            "Largest utilisation of a queue: part of the period in which it was forwarding; if its rate varies "
            "(`impairments`), part of the segments that it could have forwarded",
            direction="higher",
            source="RFC 5166 (link utilisation); RFC 9743, section 6.4, names links of varying capacity",
        ),
        *(
            Response(
                f"segment_delay_{name}",
                "",
                f"One-way delay of segments ({title})",
                "ms",
                f"The time from source to receiver that {share} of the segments over TCP took at most: data, "
                "retransmissions, SYNs. Recorded with `measurement.segment_delays`",
                direction="lower",
                source="RFC 5166 (delay); to 1.6 %",
            )
            for title, name, share in delays
        ),
    )


def _of_fairness() -> tuple[Response, ...]:
    """Return the responses on fairness among explicit flows."""
    flows = "the explicit flows over TCP, without an application, that were in progress for the whole of the period"
    horizons = (("half", "half"), ("quarter", "quarter"), ("eighth", "eighth"))
    arun = "Arun et al., SIGCOMM 2022: under starvation the ratio of two goodputs has no bound in time"
    return (
        Response(
            "jain_index",
            "",
            "Jain's index of explicit flows",
            "1",
            f"Jain's index of the goodputs of {flows}; null with fewer than two. Goodputs are in segments, of whatever "
            "size (`flows[].segment_bytes`)",
            direction="higher",
            source="Jain, Chiu and Hawe 1984; RFC 5166",
        ),
        Response(
            "goodput_ratio",
            "",
            "Lowest goodput / highest goodput",
            "1",
            "Over the flows of `jain_index`, in segments; they are epsilon-fair with epsilon = 1 - this ratio",
            direction="higher",
            source="RFC 5166 (epsilon-fairness)",
        ),
        *(
            Response(
                f"goodput_ratio_{name}",
                "",
                f"Lowest goodput / highest goodput, first {words} of the period",
                "1",
                f"As `goodput_ratio`, over the first {words} of the period; flows starve if the ratio keeps falling as "
                "this horizon doubles",
                direction="higher",
                source=arun,
            )
            for name, words in horizons
        ),
        Response(
            "starved_flows",
            "",
            "Share of explicit flows starved",
            "1",
            "Share of the flows of `jain_index` with less than 5 % of their mean goodput",
            direction="lower",
            source="chosen: RFC 9743, section 5.2, names starvation without a number",
        ),
        Response(
            "fair_windows",
            "",
            "Share of fair windows",
            "1",
            "Share of the windows of `measurement.fair_window`, ended in the period, in which every flow is within "
            "`measurement.fair_within` of the mean goodput; of the flows of `convergence_time`",
            direction="higher",
            source="RFC 5166 (delta-fair)",
        ),
        Response(
            "convergence_time",
            "",
            "Convergence time",
            "s",
            "Time from the last start of an explicit flow to the first of `measurement.fair_windows` fair windows in a "
            "row, over flows with TCP, without size and application. Null if this did not happen by the end of the "
            "period, or with fewer than two flows in progress then (`fair_windows` is null, too)",
            direction="lower",
            source="RFC 5166 (delta-fair convergence time)",
        ),
    )


# In the order of the tables.
RESPONSES: tuple[Response, ...] = (
    Response(
        "transmitting_sources",
        "y1",
        "Transmitting sources",
        "sources",
        "Sources transmitting at a sample instant, mean over the instants",
        direction="neutral",
        source=_MACRO,
    ),
    Response(
        "transmitting_fraction",
        "y2",
        "Share of sources transmitting",
        "1",
        "y1 divided by the number of sources, explicit flows counted as sources; null with open-loop arrivals",
        direction="neutral",
        source=_MACRO,
    ),
    Response(
        "segments_entering",
        "y3",
        "Segments entering the network",
        "segments/interval",
        "Segments that left a source: data, retransmissions, SYNs",
        direction="neutral",
        source=_MACRO,
        segments_of="all",
    ),
    Response(
        "segments_leaving",
        "y4",
        "Segments leaving the network",
        "segments/interval",
        "Segments that reached a receiver: data, retransmissions, SYNs",
        direction="higher",
        source=_MACRO,
        segments_of="all",
    ),
    Response(
        "loss_rate",
        "y5",
        "Loss rate",
        "1",
        "Segments dropped / (dropped + leaving); the formula in print is not a loss rate",
        direction="lower",
        source=_MACRO,
    ),
    Response(
        "flows_completed",
        "y6",
        "Flows completed",
        "flows/interval",
        "Flows whose last segment was acknowledged",
        direction="higher",
        source=_MACRO,
    ),
    Response(
        "completion_ratio",
        "y7",
        "Completion ratio",
        "1",
        "y6 / (y6 + y1)",
        direction="higher",
        source=_MACRO,
    ),
    Response(
        "connection_failures",
        "y8",
        "Connection failures",
        "failures/interval",
        "Connection attempts given up after the last SYN",
        direction="lower",
        source=_MACRO,
    ),
    Response(
        "connection_failure_ratio",
        "y9",
        "Connection failure ratio",
        "1",
        "y8 / (y8 + y1)",
        direction="lower",
        source=_MACRO,
    ),
    Response(
        "retransmission_rate",
        "y10",
        "Retransmission rate",
        "1",
        "1 - size / data segments sent, over the flows completed",
        direction="lower",
        source=_MACRO,
    ),
    Response(
        "cwnd",
        "y11",
        "Congestion window",
        "segments",
        "Mean over the transmitting sources at a sample instant, mean over the instants",
        direction="neutral",
        source=_PER_FLOW,
    ),
    Response(
        "cwnd_increases",
        "y12",
        "Window increases",
        "increases/interval",
        "Acknowledgements and timer events that raised a congestion window",
        direction="neutral",
        source=_PER_FLOW,
    ),
    Response(
        "duplicate_acks",
        "y13",
        "Duplicate acknowledgements",
        "acks/interval",
        "Acknowledgements that left the cumulative one where it was",
        direction="lower",
        source=_PER_FLOW,
    ),
    Response(
        "timeouts",
        "y14",
        "Timeouts",
        "timeouts/interval",
        "Expiries of the retransmission timer",
        direction="lower",
        source=_PER_FLOW,
    ),
    Response(
        "rtt",
        "y15",
        "Round-trip time",
        "ms",
        "Last smoothed round-trip time, mean over the transmitting sources and the sample instants",
        direction="lower",
        source=_PER_FLOW,
    ),
    Response(
        "queueing_delay",
        "y16",
        "Queueing delay",
        "ms",
        "Round-trip time less the propagation round-trip time of the path, mean as for y15. Flows over links that "
        "delay segments have none",
        direction="lower",
        source=_PER_FLOW,
    ),
    *(_goodput(pair, 17 + place) for place, pair in enumerate(PAIR_CLASSES)),
    Response(
        "connecting_sources",
        "Y1",
        "Connecting sources",
        "sources",
        "Sources waiting for the answer to a SYN at a sample instant, mean over the instants",
        direction="lower",
        source=_SENSITIVITY,
    ),
    Response(
        "initial_slow_start_share",
        "Y3",
        "Share in initial slow start",
        "1",
        "Share of the transmitting sources in their first slow start, mean over the instants with any",
        direction="neutral",
        source=_SENSITIVITY,
    ),
    Response(
        "standard_share",
        "Y4",
        "Share in standard congestion avoidance",
        "1",
        "Share of the transmitting sources under the rules of standard TCP (slow start after a timeout included), "
        "mean over the instants with any",
        direction="neutral",
        source=_SENSITIVITY,
    ),
    Response(
        "alternate_share",
        "Y5",
        "Share in alternate congestion avoidance",
        "1",
        "Share of the transmitting sources under the rules of their own algorithm, mean over the instants with any",
        direction="neutral",
        source=_SENSITIVITY,
    ),
    Response(
        "failed_connections",
        "Y8",
        "Failed connections",
        "failures",
        "Connection attempts given up in the period",
        direction="lower",
        source=_SENSITIVITY,
    ),
    Response(
        "flow_rate",
        "Y11",
        "Flows completed per second",
        "flows/s",
        "Flows whose last segment was acknowledged",
        direction="higher",
        source=_SENSITIVITY,
    ),
    Response(
        "segment_rate",
        "Y12",
        "Segments output per second",
        "segments/s",
        "Segments that reached a receiver: data, retransmissions, SYNs",
        direction="higher",
        source=_SENSITIVITY,
        segments_of="all",
    ),
    *(
        Response(
            f"goodput_long_lived_{number}",
            f"Y{12 + number}",
            f"Goodput of long-lived flow {number}",
            "segments/s",
            "Segments acknowledged in the period / its length",
            direction="higher",
            source=_SENSITIVITY,
            segments_of="users",
        )
        for number in (1, 2, 3)
    ),
    *(_path_goodput(path, number) for number, path in enumerate(PATH_CLASSES, start=16)),
    Response(
        "recovery_share",
        "",
        "Share in fast recovery",
        "1",
        "Share of the transmitting sources in fast recovery, mean over the instants with any; they count in Y4 or "
        "Y5 too",
        direction="lower",
        source="chosen: state occupancy",
    ),
    Response(
        "starved_share",
        "",
        "Share starved",
        "1",
        "Share of the transmitting sources of which nothing was acknowledged for measurement.starved_after, mean over "
        "the instants with any",
        direction="lower",
        source="chosen: shows shut-off flows",
    ),
    Response(
        "segments_dropped",
        "",
        "Segments dropped",
        "segments/interval",
        "Segments that found a router full: data, retransmissions, SYNs",
        direction="lower",
        source="chosen: the numerator of y5",
        segments_of="all",
    ),
    Response(
        "acks_dropped",
        "",
        "Acknowledgements dropped",
        "segments/interval",
        "Acknowledgements and SYN-ACKs that found a router full (network.ack_path)",
        direction="lower",
        source="SP 500-282: a sender may fail to receive acknowledgements",
        segments_of="and acknowledgements",
    ),
    Response(
        "lost_on_links",
        "",
        "Segments lost on links",
        "segments/interval",
        "Segments and acknowledgements that impaired links lost (impairments); they count as dropped, too",
        direction="neutral",
        source="chosen: separates losses by chance from losses in queues",
        segments_of="and acknowledgements",
    ),
    Response(
        "duplicated_on_links",
        "",
        "Segments duplicated on links",
        "segments/interval",
        "Segments and acknowledgements that impaired links delivered twice (impairments)",
        direction="neutral",
        source="chosen: separates copies of the network from retransmissions",
        segments_of="and acknowledgements",
    ),
    Response(
        "spurious_recoveries",
        "",
        "Spurious fast recoveries",
        "episodes/interval",
        "Fast recoveries of which the first segment had not been lost but was late (transport.undo)",
        direction="lower",
        source="RFC 3522; RFC 9743, section 7.2",
    ),
    Response(
        "segments_marked",
        "",
        "Segments marked",
        "segments/interval",
        "Segments that routers marked instead of dropping them, each once (network.ecn_threshold)",
        direction="neutral",
        source="chosen: the signal of RFC 3168",
        segments_of="all",
    ),
    Response(
        "window_reductions",
        "",
        "Window reductions",
        "reductions/interval",
        "Losses and marks that reduced a window, timeouts apart: on fast paths many segments are lost in one",
        direction="lower",
        source="chosen: losses and halvings differ on large links",
    ),
    Response(
        "timeouts_per_loss",
        "",
        "Timeouts per segment dropped",
        "1",
        "Expiries of the retransmission timer / segments dropped, SYNs included; none where nothing was dropped",
        direction="lower",
        source="chosen: the mechanism in which simulators and real senders differ most",
    ),
    Response(
        "spurious_timeouts",
        "",
        "Spurious timeouts",
        "timeouts/interval",
        "Expiries of the retransmission timer after which the copy sent before them was acknowledged",
        direction="lower",
        source="RFC 3522 (Eifel): nothing was lost, or fast retransmit had repaired it",
    ),
    *(_completed_goodput(pair, category) for pair in PAIR_CLASSES for category in FILE_CATEGORIES),
    *(response for end, words in SIZE_CLASSES.items() for response in _slowdowns(end, words)),
    Response(
        "flows_without_slowdown",
        "",
        "Flows without a slowdown",
        "flows",
        "Flows that completed in the period and have no slowdown: over links that delay segments, with an optimistic "
        "receiver, or with data that an application hands over in pieces",
        direction="neutral",
        source="chosen: lists what the slowdowns leave out",
    ),
    *(response for router in ROUTER_CLASSES for response in _of_queues(router)),
    *_of_network(),
    *_of_applications(),
    *_of_fairness(),
    Response(
        "total_flows_completed",
        "",
        "Flows completed in the run",
        "flows",
        "Counted from the start of the run",
        direction="higher",
        source="SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_connection_failures",
        "",
        "Connection failures in the run",
        "failures",
        "Counted from the start of the run",
        direction="lower",
        source="ASME paper Table 6",
    ),
    Response(
        "total_flows_aborted",
        "",
        "Flows given up in the run",
        "flows",
        "Counted from the start of the run: flows that an impatient source gave up",
        direction="lower",
        source="chosen: shows X8 at work",
    ),
    Response(
        "total_data_segments_sent",
        "",
        "Data segments sent in the run",
        "segments",
        "Counted from the start of the run, retransmissions included",
        direction="neutral",
        source="SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_data_segments_delivered",
        "",
        "Data segments delivered in the run",
        "segments",
        "Segments acknowledged from the start of the run, each once",
        direction="higher",
        source="SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_segments_dropped",
        "",
        "Segments dropped in the run",
        "segments",
        "Counted from the start of the run, SYNs included",
        direction="lower",
        source="chosen: the numerator of the loss rate",
        segments_of="all",
    ),
)

BY_NAME: dict[str, Response] = {response.name: response for response in RESPONSES}

COUNTS: dict[str, Response] = {
    "loss_events" if response.name == "window_reductions" else response.name: response
    for response in RESPONSES
    if response.unit.endswith("/interval")
}
"""Counts per interval, by their column of the series: all responses with such a unit."""
