"""Keys of explicit flows: of ``[[flows]]``, and columns of a table of flows."""

from __future__ import annotations

from mesonet.scenarios.kinds import flow_applications, flow_receivers
from mesonet.scenarios.kinds.drawn import DRAWN
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.numbers import NUMBERS
from mesonet.scenarios.kinds.optional import Optional
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS
from mesonet.scenarios.kinds.text import Text
from mesonet.scenarios.kinds.time import TIME
from mesonet.scenarios.kinds.whole import Whole

MOST_FLOWS = 100_000
"""Most flows (chosen). Every run keeps its scenario, which has 20 MB with as many flows."""


COUNT = Whole(MOST_FLOWS)


def _router(key: str) -> Text:
    allowed = f'a router of the topology in quotes, such as {key} = "A"'
    return Text("router", "a flow needs the name of a router", allowed)


OWN = {
    "from": Key("flows[].from", _router("from"), "", "Access router of the sender.", "required"),
    "to": Key("flows[].to", _router("to"), "", "Access router of the receiver.", "required"),
    "start": Key("flows[].start", TIME, "0 s", "Instant at which the flow begins.", "chosen"),
    "start_within": Key(
        "flows[].start_within", TIME, "0 s", "The flow begins at a random instant of this time after `start`.", "chosen"
    ),
    "stop": Key(
        "flows[].stop", Optional("never", TIME), "never", "Instant from which nothing is sent.",
        "chosen: the end of the run",
    ),
    "size": Key(
        "flows[].size", Optional("unlimited", SEGMENTS), "unlimited", "Data to send, in whole segments, rounded up.",
        "chosen: data without end",
    ),
    "interface": Key("flows[].interface", RATE, "80 seg/ms", "Rate of the interface of the sender.", "chosen"),
    "algorithm": Key(
        "flows[].algorithm", DRAWN, DRAWN.word, "Congestion control; `mix`: drawn by the shares of the scenario.",
        "as of users",
    ),
    "user": Key(
        "flows[].user", Text("user", "not the name of a user", 'a name in quotes, such as user = "1"'), "",
        "User of the flow. Where users take an algorithm as a whole (`users.assignment`), the flows of one user draw "
        "together. Names of users without a name begin with `source `, `home ` or `flow `, and no other name does.",
        "each flow draws alone",
    ),
    "extra_delay": Key(
        "flows[].extra_delay", TIME, "0 s", "Propagation delay of the access of the flow, each way.", "chosen: none"
    ),
    "overhead": Key("flows[].overhead", TIME, "0 s", "Delay of each segment at the sender.", "chosen: none"),
    "segment_bytes": Key("flows[].segment_bytes", NUMBER, "", "Bytes of a segment.", "`transport.segment_bytes`"),
    "lost_segments": Key(
        "flows[].lost_segments", NUMBERS, "",
        "Numbers of data segments, from 1, whose first transmission never reaches the receiver, such as [17, 18, 40]. "
        "They pass all queues.", "none",
    ),
    "count": Key("flows[].count", COUNT, 1, f"Number of equal flows, 1 to {MOST_FLOWS:,}.", "chosen"),
}  # fmt: skip
"""Keys of a flow that has no application and a receiver of the transport; the first two are required."""
_AFTER = {**flow_applications.KEYS, **flow_receivers.KEYS, "count": OWN["count"]}
KEYS = {**{key: about for key, about in OWN.items() if key not in _AFTER}, **_AFTER}
"""All keys of a flow, in the order of the columns of a table."""
