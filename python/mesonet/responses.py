"""What a run answers: the 22 responses of the ASME paper (Tables 3 and 4) and the totals of a run.

An *interval* is the measurement interval of the scenario; rates are counts per interval in the whole
network, averaged over the intervals of a period. A *transmitting* source has an established connection and data that is
not yet acknowledged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PERIODS = ("1", "2", "3", "measured", "run")
"""The measured periods, all of them together, and everything from the start (totals only)."""


@dataclass(frozen=True)
class Response:
    """One number that a run answers.

    `symbol` is that of the ASME paper, empty for totals; `direction` says which change users would call better.
    """

    name: str
    symbol: str
    title: str
    unit: str
    definition: str
    direction: Literal["higher", "lower", "neutral"]
    source: str


def _goodput(pair: str, number: int) -> Response:
    names = {"d": "directly connected", "f": "fast", "n": "normal"}
    first, second = names[pair[0]], names[pair[1]]
    between = f"two {first} access routers" if first == second else f"a {first} and a {second} access router"
    return Response(
        f"goodput_{pair}",
        f"y{number}",
        f"Goodput of {pair.upper()} flows",
        "segments/s",
        f"Segments acknowledged per second and transmitting flow between {between}, mean over the intervals with any",
        "higher",
        "ASME paper Table 4",
    )


_MACRO, _PER_FLOW = "ASME paper Table 3", "ASME paper Table 4"

RESPONSES: tuple[Response, ...] = (
    Response(
        "transmitting_sources", "y1", "Transmitting sources", "sources",
        "Sources transmitting at a sample instant, mean over the instants", "neutral", _MACRO,
    ),
    Response(
        "transmitting_fraction", "y2", "Share of sources transmitting", "1",
        "y1 divided by the number of sources", "neutral", _MACRO,
    ),
    Response(
        "segments_entering", "y3", "Segments entering the network", "segments/interval",
        "Segments that left a source: data, retransmissions, SYNs", "neutral", _MACRO,
    ),
    Response(
        "segments_leaving", "y4", "Segments leaving the network", "segments/interval",
        "Segments that reached a receiver: data, retransmissions, SYNs", "higher", _MACRO,
    ),
    Response(
        "loss_rate", "y5", "Loss rate", "1",
        "Segments dropped / (dropped + leaving); the formula in print is not a loss rate",
        "lower", _MACRO,
    ),
    Response(
        "flows_completed", "y6", "Flows completed", "flows/interval",
        "Flows whose last segment was acknowledged", "higher", _MACRO,
    ),
    Response(
        "completion_ratio", "y7", "Completion ratio", "1", "y6 / (y6 + y1)", "higher", _MACRO,
    ),
    Response(
        "connection_failures", "y8", "Connection failures", "failures/interval",
        "Connection attempts given up after the last SYN", "lower", _MACRO,
    ),
    Response(
        "connection_failure_ratio", "y9", "Connection failure ratio", "1", "y8 / (y8 + y1)", "lower", _MACRO,
    ),
    Response(
        "retransmission_rate", "y10", "Retransmission rate", "1",
        "1 - size / data segments sent, over the flows completed", "lower", _MACRO,
    ),
    Response(
        "cwnd", "y11", "Congestion window", "segments",
        "Mean over the transmitting sources at a sample instant, mean over the instants", "neutral", _PER_FLOW,
    ),
    Response(
        "cwnd_increases", "y12", "Window increases", "increases/interval",
        "Acknowledgements and timer events that raised a congestion window", "neutral", _PER_FLOW,
    ),
    Response(
        "duplicate_acks", "y13", "Duplicate acknowledgements", "acks/interval",
        "Acknowledgements that left the cumulative one where it was", "lower", _PER_FLOW,
    ),
    Response(
        "timeouts", "y14", "Time-outs", "timeouts/interval",
        "Expiries of the retransmission timer", "lower", _PER_FLOW,
    ),
    Response(
        "rtt", "y15", "Round-trip time", "ms",
        "Last smoothed round-trip time, mean over the transmitting sources and the sample instants", "lower", _PER_FLOW,
    ),
    Response(
        "queueing_delay", "y16", "Queueing delay", "ms",
        "Round-trip time less the propagation round-trip time of the path, mean as for y15", "lower", _PER_FLOW,
    ),
    *(_goodput(pair, 17 + place) for place, pair in enumerate(("dd", "df", "dn", "ff", "fn", "nn"))),
    Response(
        "total_flows_completed", "", "Flows completed in the run", "flows",
        "Counted from the start of the run", "higher", "SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_connection_failures", "", "Connection failures in the run", "failures",
        "Counted from the start of the run", "lower", "ASME paper Table 6",
    ),
    Response(
        "total_flows_aborted", "", "Flows given up in the run", "flows",
        "Counted from the start of the run: flows that an impatient source gave up", "lower",
        "chosen: shows X8 at work",
    ),
    Response(
        "total_data_segments_sent", "", "Data segments sent in the run", "segments",
        "Counted from the start of the run, retransmissions included", "neutral", "SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_data_segments_delivered", "", "Data segments delivered in the run", "segments",
        "Segments acknowledged from the start of the run, each once", "higher", "SP 500-282 ch. 9 Table 9-9",
    ),
    Response(
        "total_segments_dropped", "", "Segments dropped in the run", "segments",
        "Counted from the start of the run, SYNs included", "lower", "chosen: the numerator of the loss rate",
    ),
)  # fmt: skip

BY_NAME: dict[str, Response] = {response.name: response for response in RESPONSES}
