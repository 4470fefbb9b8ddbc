"""Parameters of scenarios: a table that drives validation, defaults, listings and the reference page.

`PARAMETERS` maps each path to its `Parameter`. Some things that a scenario may hold are not single values and are in
`settings`: the mix of `algorithms`, and lists such as `flows`. The registry of algorithms has the constants
`parameters.ALGORITHM.NAME` (`constants`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mesonet import core
from mesonet.scenarios.kinds import access, arrivals, deployment, flow_applications, flow_keys, flow_receivers
from mesonet.scenarios.kinds.access import ACCESS
from mesonet.scenarios.kinds.algorithm import ALGORITHM
from mesonet.scenarios.kinds.buffer import BUFFER
from mesonet.scenarios.kinds.capacity import CAPACITY
from mesonet.scenarios.kinds.changes import CHANGES
from mesonet.scenarios.kinds.choice import Choice
from mesonet.scenarios.kinds.count import COUNT
from mesonet.scenarios.kinds.delays import DELAYS, OUTAGES
from mesonet.scenarios.kinds.distribution import DISTRIBUTION
from mesonet.scenarios.kinds.flag import FLAG
from mesonet.scenarios.kinds.key import Key
from mesonet.scenarios.kinds.names import NAMES
from mesonet.scenarios.kinds.number import NUMBER
from mesonet.scenarios.kinds.numbers import NUMBERS
from mesonet.scenarios.kinds.optional import Optional
from mesonet.scenarios.kinds.places import Places
from mesonet.scenarios.kinds.probability import PROBABILITY
from mesonet.scenarios.kinds.rate import RATE
from mesonet.scenarios.kinds.segments import SEGMENTS, WHOLE_SEGMENTS
from mesonet.scenarios.kinds.threshold import THRESHOLD
from mesonet.scenarios.kinds.time import TIME, Time
from mesonet.scenarios.kinds.timed import BUFFERS, PROBABILITIES, RATES, SIZES, TIMES
from mesonet.scenarios.kinds.topology import Topology
from mesonet.scenarios.kinds.traffic import TRAFFIC
from mesonet.scenarios.profiles import PROFILES

PRESETS = {
    "standard": "today's RFCs",
    "sp500_282": "what the study of NIST SP 500-282 used, 2006 to 2010",
    "linux": "a current Linux sender and receiver (6.x)",
    "ns-2000": "the simulator ns as it was in 2000, which the many-flow study used",
}

TOPOLOGIES = {
    "abilene": "the Abilene backbone: 11 backbone, 22 PoP and 139 access routers (ASME paper, Fig. 4)",
    "isp": "16 backbone routers routed by cost, 32 PoPs, 170 access routers (ASME paper, section 5.4; map constructed)",
    "dumbbell": "two routers, A and B, with one path of 81 ms each way (ASME paper, Fig. 2)",
    "dumbbell-two-rtt": "the dumbbell and a fast router F, 81 ms beyond A: twice the round trip to B (delays assumed)",
    "bottleneck": "two routers, A and B, with a round trip of 1 ms: `network.delay_multiplier` is the round trip in ms",
    "parking-lot": "four routers, A to D, in a line of three hops of 10 ms each way (delays assumed)",
}

DISCIPLINES = {
    "drop_tail": "drop-tail",
    "red": "RED",
    "pie": "PIE",
    "pi2": "PI2",
    "codel": "CoDel",
    "fq_codel": "FQ-CoDel",
    "dualpi2": "DualPI2",
}
"""Queue disciplines, as people write them."""

DISCIPLINE_RULES = {
    "drop_tail": "drops what does not fit",
    "red": "drops or marks by chance, more often the longer the mean queue is (Floyd and Jacobson 1993)",
    "pie": "drops or marks by chance, so that the queueing delay stays near a target (RFC 8033)",
    "pi2": "as PIE, with the square of a probability for senders that are not scalable (De Schepper et al. 2016)",
    "codel": "drops or marks when the smallest delay of an interval is above a target (RFC 8289)",
    "fq_codel": "a queue for each flow, served in turn, each with CoDel (RFC 8290)",
    "dualpi2": "a queue with a short delay for scalable senders beside a classic one (RFC 9332)",
}
"""What each queue discipline does, and its source."""


def discipline_title(name: str) -> str:
    """Return a queue discipline as people write it; the name itself if there is none."""
    return DISCIPLINES.get(name, name)


@dataclass(frozen=True)
class Derived:
    """A default that follows from another value."""

    path: str  #: path of the other value
    text: str  #: the rule in words
    compute: Callable[[Any], Any]  #: function of the other value, both in base units


@dataclass(frozen=True, eq=False)
class Parameter(Key):
    """Parameter of a scenario; its default and source are those of the preset ``standard``."""

    presets: Mapping[str, tuple[Any, str]] = field(default_factory=dict)  #: default and source, where they differ
    study_id: str = ""  #: X1 to X20 where the study varied it

    @property
    def example(self) -> str:
        """The default, if it is text."""
        return self.default if isinstance(self.default, str) else ""

    def default_for(self, preset: str) -> Any:
        """Return the default of a preset as a user would write it, or `Derived`."""
        return self.presets.get(preset, (self.default, self.source))[0]

    def source_for(self, preset: str) -> str:
        """Return the source of the default in a preset."""
        return self.presets.get(preset, (self.default, self.source))[1]


_LARGEST_WINDOW = "2147483648 segments"
_CLASSES = (
    ("backbone", "backbone routers", "twice "), ("pop", "PoPs", "1/4 of "),
    ("normal", "normal access routers", "1/40 of "), ("fast", "fast access routers", "1/20 of "),
    ("direct", "direct access routers", "1/4 of "), ("plain", "plain routers", ""),
)  # fmt: skip
"""Classes of routers in words, with their multiples of the base speed."""
_PLACES = ("metropolitan", "near", "far", "spread")
"""Rules that choose backbone routers."""


def _with_sack(recovery: str, chosen: str, otherwise: str) -> str:
    """Return `chosen` if `transport.recovery` is sack, else `otherwise`."""
    return chosen if recovery == "sack" else otherwise


def _of_access(study: list[float], homes: list[float], chosen: Any) -> list[float]:
    """Return the weights of classes of access routers: servers of a network with homes send, and homes receive."""
    return study if isinstance(chosen, str) else homes


_TABLE = (
    # -- what network ------------------------------------------------------------------------------------------------
    Parameter(
        "topology", Topology(*TOPOLOGIES), "abilene",
        "The map of routers and links: a built-in name or a network of your own.",
        "ASME paper section 5.3; the study's X4 MINUS", study_id="X4",
    ),
    Parameter(
        "preset", Choice(*PRESETS), "standard", "Where values that are not set come from.",
        "chosen: `standard` for predictions, `sp500_282` to repeat the study",
    ),
    Parameter(
        "network.speed", RATE, "800 seg/ms",
        "Base speed of the network. Backbone routers forward at twice this speed, PoP and directly connected access "
        "routers at 1/4, fast access routers at 1/20, normal access routers at 1/40.",
        "ASME paper Table 5, X1 MINUS; the backbone factor follows from SP 500-282 ch. 9 Table 9-5",
        study_id="X1",
    ),
    *(
        Parameter(
            f"network.{name}_speed", Optional("none", RATE), "none",
            f"Speed of {routers} without a `speed_factor`; `none`: {multiple}`network.speed`.",
            "chosen: the multiple of the study",
        )
        for name, routers, multiple in _CLASSES
    ),
    Parameter(
        "network.delay_multiplier", NUMBER, 1, "Multiplies the propagation delay of every backbone link.",
        "SP 500-282 ch. 9 Table 9-2, MINUS", study_id="X2",
    ),
    Parameter(
        "network.buffer", BUFFER, "1 bdp",
        "Buffer of every router, or of every port (`network.queue`). `bdp`: a multiple of mean propagation round-trip "
        "time x speed. `bdp/sqrt(n)`: this divided by the root of the expected number of flows. Or a number of "
        "segments, bytes (kB, MB), or the time in which a full buffer is served.",
        "SP 500-282 ch. 9 Tables 9-2 and 9-7; ASME paper Table 5", study_id="X3",
    ),
    Parameter(
        "network.buffer_floor", WHOLE_SEGMENTS, "8 segments",
        "No buffer of a multiple of rate and delay (`bdp`, `bdp/sqrt(n)`) is smaller. Buffers in segments, bytes or "
        "time are as given, but at least a segment. Bytes are rounded up to whole segments.",
        "assumed: keeps networks that were scaled down usable",
    ),
    Parameter(
        "network.buffer_counts_in_service", FLAG, False,
        "Whether the segment in service takes a place in the buffer.",
        "assumed: the model that was calibrated on ASME Fig. 3 leaves it out",
        presets={
            "ns-2000": (True, "ns: limit_ of DropTail counts the packet in service"),
        },
    ),
    Parameter(
        "network.buffer_counts", Choice("bytes", "packets"), "bytes",
        "What the buffers of ports count. `bytes`: an acknowledgement takes its part of the place of a data segment. "
        "`packets`: it takes a place, as do data of any size. Routers with one queue count segments.",
        "RFC 7141, section 2: network devices count bytes or packets; `pfifo` of Linux counts packets",
    ),
    Parameter(
        "network.ecn_threshold", THRESHOLD, "off",
        "A segment that finds more segments in a router than this, the one in service included, is marked (ECN) where "
        "its flow understands marks; `off` marks nothing. BBR does not understand them; the constant `ecn` of an "
        "algorithm is the codepoint of its segments.",
        "RFC 3168: marking is optional; RFC 8257 section 3.1 has the rule",
    ),
    Parameter(
        "network.ecn_rewrite", Choice("none", "not_ect", "ect0", "ect1"), "none",
        "What hops do to the ECN field of data before they enter a queue. `not_ect`: they clear it, marks included "
        "(bleaching). `ect0`: ECT(1) becomes ECT(0). `ect1`: ECT(0) becomes ECT(1).",
        "RFC 3168, section 5: hops leave the field alone; RFC 6040 and RFC 9331, section 5.4 name those that do not",
    ),
    Parameter(
        "network.ecn_rewrite_at", NAMES, ["all"],
        "Queues before which hops rewrite the ECN field: `all`, `access`, a class of routers, the name of a router, or "
        "of a port such as `A -> B`.",
        "chosen: all",
    ),
    Parameter(
        "network.ack_path", Choice("delay", "queued", "direction"), "delay",
        "The way back of acknowledgements and SYN-ACKs. `delay`: propagation only, no router serves or drops them. "
        "`queued`: every router of the way back serves them in the queue of data and may drop them. A router that "
        "carries both then has half of its speed for data. `direction`: the same in a second queue of every router, "
        "with equal speed and buffer, as on links with two directions.",
        "derived: the window of BIC in the ASME paper does not fit where acknowledgements share the queues "
        "(docs/adr/0025)",
        presets={
            "sp500_282": ("queued", "the texts of SP 500-282: segments have no size, a sender may fail to receive "
                          "acknowledgements (docs/adr/0025)"),
        },
    ),
    Parameter(
        "network.queue", Choice("router", "port"), "router",
        "Where segments queue. `router`: one queue in each router for all its links, and segments have no size (the "
        "study). `port`: one queue at each output of a router. It serves bytes at the capacity of its link, and "
        "towards hosts at the speed of the router. At a plain router without a `speed_factor`, that is at least the "
        "capacity of all links into it. A link without a capacity has the speed of the slower router at its ends.",
        "ASME paper: routers of the study have one queue; real routers have one at each output",
    ),
    Parameter(
        "network.routing", Choice("shortest", "ecmp"), "shortest",
        "Routes of equal cost. `shortest`: all flows take the route of the fewest links, then over the router that the "
        "topology lists first. `ecmp`: at each router the hash of a connection chooses the next link "
        "(highest random weight). A link that fails moves its own flows only. Acknowledgements have a hash of their "
        "own; with `network.ack_path` = delay they take the time of the route that `shortest` chooses.",
        "RFC 2991 section 4; `shortest`: the study, whose routes are unique",
    ),
    Parameter(
        "network.ack_bytes", NUMBER, 64,
        "Bytes of an acknowledgement, a SYN or a SYN-ACK on the way back, for ports (`network.queue`) that serve them "
        "(`network.ack_path = queued`). A data segment and a SYN have `transport.segment_bytes`.",
        "IEEE 802.3: the smallest Ethernet frame, which an acknowledgement of 40 to 60 bytes fills",
    ),
    Parameter(
        "network.capacity_factor", NUMBER, 1,
        "Multiplies the capacities that a topology gives its links, for ports (`network.queue`).",
        "chosen: the capacities as given",
    ),
    Parameter(
        "network.changes", CHANGES, [],
        "Speeds of routers and delays of links that change during the run: a list of tables with `time`, `router` and "
        "`speed` or `factor`, or `link` (the two routers at its ends) and `delay` or `factor`. A factor multiplies the "
        "value at the start. Segments in a queue are served at the new speed; segments in transit arrive as before. "
        "Routes change with the routing `cost` of a link, or its `state`, `up` or `down`. A link that is down loses "
        "what leaves for it, and routes go around it.",
        "chosen: none",
    ),
    Parameter(
        "aqm.discipline", Choice(*DISCIPLINES, others={"fifo": "drop_tail"}), "drop_tail",
        "Queue discipline at the queues that `aqm.at` names. `drop_tail`: what does not fit is dropped. `red`, `pie`, "
        "`pi2` decide when a segment arrives; `codel`, `fq_codel`, `dualpi2` when it leaves. `fifo` is `drop_tail`.",
        "RFC 7567: active queue management is recommended; drop-tail is what the study has",
    ),
    Parameter(
        "aqm.at", NAMES, ["all"],
        "Queues that have the discipline: `all`, `access`, a class of routers (`backbone`, `pop`, `normal`, `fast`, "
        "`direct`, `plain`), the name of a router, or of a port such as `A -> B`. All others are drop-tail.",
        "chosen: all",
    ),
    Parameter(
        "aqm.ecn", FLAG, False,
        "Flows whose algorithm understands marks are ECN-capable, and the discipline marks their segments instead of "
        "dropping them. BBR does not understand marks; BBRv3 does with `parameters.bbr3.ecn`.",
        "RFC 3168: marking is optional",
    ),
    Parameter("aqm.codel_target", TIME, "5 ms", "CoDel, FQ-CoDel: delay that is accepted.", "RFC 8289, section 4.3"),
    Parameter(
        "aqm.codel_interval", TIME, "100 ms",
        "CoDel, FQ-CoDel: time for which the delay must exceed the target before the first signal.",
        "RFC 8289, section 4.3",
    ),
    Parameter("aqm.fq_codel_queues", COUNT, 1024, "FQ-CoDel: number of queues.", "RFC 8290, section 5.2.2"),
    Parameter("aqm.fq_codel_quantum", COUNT, 1514, "FQ-CoDel: bytes of a turn.", "RFC 8290, section 5.2.1"),
    Parameter(
        "aqm.red_min", SEGMENTS, "5 segments", "RED: average queue below which nothing is signalled.",
        "Floyd, Jacobson 1993, section 4; ns-2 and ns-3 have the same",
    ),
    Parameter(
        "aqm.red_max", SEGMENTS, "15 segments",
        "RED: average queue at which the probability reaches its largest value.",
        "Floyd, Jacobson 1993, section 4: at least twice the minimum; three times in ns-2 and ns-3",
    ),
    Parameter(
        "aqm.red_weight", NUMBER, 0.002, "RED: weight of an arrival in the average queue.",
        "Floyd, Jacobson 1993, section 6",
    ),
    Parameter(
        "aqm.red_max_probability", PROBABILITY, 0.02, "RED: largest probability of a signal below `aqm.red_max`.",
        "Floyd, Jacobson 1993, section 4: 1/50",
    ),
    Parameter(
        "aqm.red_gentle", FLAG, True,
        "RED: the probability rises to 1 at twice `aqm.red_max`, instead of at `aqm.red_max`.",
        "Floyd 2000: recommended; the default of ns-2 since 2001 and of ns-3",
    ),
    Parameter(
        "aqm.red_adaptive", FLAG, False,
        "RED: thresholds and weight follow from `aqm.red_target`, and the largest probability adapts.",
        "Floyd, Gummadi, Shenker 2001",
    ),
    Parameter(
        "aqm.red_target", TIME, "5 ms", "RED: delay at which adaptive RED aims.",
        "Floyd, Gummadi, Shenker 2001, section 5.1: the target of ns-2",
    ),
    Parameter("aqm.pie_target", TIME, "15 ms", "PIE: delay at which it aims.", "RFC 8033, section 4.2"),
    Parameter("aqm.pie_update", TIME, "15 ms", "PIE: time between two updates.", "RFC 8033, section 4.2"),
    Parameter("aqm.pie_burst", TIME, "150 ms", "PIE: burst that passes after calm.", "RFC 8033, section 4.4"),
    Parameter(
        "aqm.pie_alpha", NUMBER, 0.125, "PIE: gain on the distance from the target, Hz.", "RFC 8033, section 4.2"
    ),
    Parameter("aqm.pie_beta", NUMBER, 1.25, "PIE: gain on the change of the delay, Hz.", "RFC 8033, section 4.2"),
    Parameter(
        "aqm.pie_mark_below", PROBABILITY, 0.1, "PIE: probability from which on it drops instead of marking.",
        "RFC 8033, section 5.1",
    ),
    Parameter(
        "aqm.pi2_target", TIME, "15 ms", "PI2, DualPI2: delay at which the classic queue aims.",
        "RFC 9332, appendix A.1",
    ),
    Parameter(
        "aqm.pi2_update", TIME, "16 ms", "PI2, DualPI2: time between two updates.", "RFC 9332, appendix A.1",
    ),
    Parameter(
        "aqm.pi2_alpha", NUMBER, 0.156, "PI2, DualPI2: gain on the distance from the target, Hz.",
        "RFC 9332, appendix A.1: .1 update / RTT_max^2 with 100 ms; the value of Linux",
    ),
    Parameter(
        "aqm.pi2_beta", NUMBER, 3.195, "PI2, DualPI2: gain on the change of the delay, Hz.",
        "RFC 9332, appendix A.1: .3 / RTT_max with 100 ms; the value of Linux",
    ),
    Parameter(
        "aqm.dualpi2_coupling", NUMBER, 2,
        "PI2, DualPI2: probability of a signal to a scalable flow, as a multiple of the base probability. A classic "
        "flow has the square of the base probability.",
        "RFC 9332, section 2.1",
    ),
    Parameter(
        "aqm.dualpi2_step", TIME, "1 ms", "DualPI2: a scalable segment that waited for longer is marked.",
        "RFC 9332, appendix A.1",
    ),
    Parameter(
        "aqm.dualpi2_step_floor", WHOLE_SEGMENTS, "0 segments",
        "DualPI2: a scalable segment that found fewer others in the queue of scalable flows is not marked for the time "
        "that it waited. Bytes are rounded up to whole segments.",
        "sch_dualpi2 of Linux: `min_qlen_step`, of which 0 is recommended",
    ),
    Parameter(
        "aqm.dualpi2_classic_share", PROBABILITY, 0.1,
        "DualPI2: least share of the bytes that classic flows have while both queues are full.",
        "sch_dualpi2 of Linux: 10 %; RFC 9332, section 2.5.2.1: a weight for the classic queue",
    ),
    # -- what links do to what crosses them --------------------------------------------------------------------------
    Parameter(
        "impairments.at", NAMES, ["all"],
        "Links that have the impairments. `all`: those between routers. Or a link `A - B`, or one direction `A -> B`. "
        "`A -> hosts`: the way to the hosts of a router; `hosts`: all such ways. A router, a class of routers or "
        "`access`: the links on which segments leave them. A set with a name, `[impairments.NAME]`, has the keys of "
        "this section for other links; its values have paths such as `impairments.NAME.loss`.",
        "chosen: all",
    ),
    Parameter(
        "impairments.of", Choice("data", "acks", "both"), "both",
        "Segments that links impair. Acknowledgements cross links only where they pass routers (`network.ack_path`).",
        "chosen: both",
    ),
    Parameter(
        "impairments.loss", PROBABILITIES, 0,
        "Probability that a link loses a segment; with `impairments.to_bad` while it is in its good state.",
        "off; RFC 9743, section 7.2, asks for random loss",
    ),
    Parameter(
        "impairments.to_bad", PROBABILITIES, 0,
        "Probability that a segment ends the good state of a link (p of Gilbert and Elliott); 0: one state.",
        "off; Gilbert 1960, Elliott 1963",
    ),
    Parameter(
        "impairments.to_good", PROBABILITIES, 1,
        "Probability that a segment ends the bad state of a link (r of Gilbert and Elliott).",
        "chosen: a bad state of one segment; Gilbert 1960, Elliott 1963",
    ),
    Parameter(
        "impairments.loss_bad", PROBABILITIES, 1, "Probability that a link in its bad state loses a segment.",
        "Gilbert 1960: 1 in the simplest case; Elliott 1963",
    ),
    Parameter(
        "impairments.jitter", Choice("none", "uniform", "exponential", "wifi"), "none",
        "Law of delays that links add without a queue. `uniform`: from 0 to twice the mean. `wifi`: short waits of "
        "about 1 ms, and long ones of about 90 ms with the probability that gives the mean.",
        "off; `wifi`: draft-huitema-ccwg-c4-test",
    ),
    Parameter(
        "impairments.jitter_mean", TIMES, "0 s",
        "Mean of the law of jitter. `wifi` counts 1 ms for the short waits and 90 ms for each long one, and needs 1 to "
        "91 ms.", "chosen: none",
    ),
    Parameter(
        "impairments.jitter_slot", TIME, "0 s",
        "Time for which a delay holds for all segments of a link; 0: each segment has its own.", "chosen: its own",
    ),
    Parameter(
        "impairments.keep_order", FLAG, True,
        "Whether segments on impaired links wait for those that left before them. Without it jitter and late segments "
        "change the order.",
        "chosen: layer 2 of most links keeps the order (RFC 3366, section 2.3)",
    ),
    Parameter(
        "impairments.late", PROBABILITIES, 0, "Probability that a link delivers a segment late (reordering).",
        "off; RFC 9743, section 7.2",
    ),
    Parameter("impairments.late_by", TIMES, "0 s", "Delay of late segments.", "chosen: none"),
    Parameter(
        "impairments.duplicate", PROBABILITIES, 0,
        "Probability that a link delivers a segment twice. The receiver of datagrams counts the first copy.",
        "off; RFC 9743, section 7.2",
    ),
    Parameter(
        "impairments.outage", Choice("drop", "hold"), "drop",
        "What an outage does. `drop`: what leaves the queue is lost. `hold`: the queue of the link is not served; at "
        "ports only.", "chosen: drop",
    ),
    Parameter("impairments.outage_start", TIME, "0 s", "Beginning of the first outage.", "chosen: at once"),
    Parameter("impairments.outage_length", TIME, "0 s", "Length of each outage; 0: none.", "off"),
    Parameter(
        "impairments.outage_period", TIME, "0 s",
        "Time from the beginning of an outage to the beginning of the next one; 0: one outage.", "chosen: one",
    ),
    Parameter(
        "impairments.outages", OUTAGES, "none",
        "Outages at chosen instants, in place of `outage_start`, `outage_length` and `outage_period`: beginnings and "
        "lengths; a CSV file; or a table with `points` or `file`, and `period`.", "off",
    ),
    Parameter(
        "impairments.policer_rate", RATES, "0 seg/s",
        "Rate of a token bucket without a queue, which drops what finds no tokens; 0: none.", "off; RFC 2697",
    ),
    Parameter(
        "impairments.policer_burst", SIZES, "10 segments", "Size of the token bucket.",
        "chosen: an initial window of today (RFC 6928)",
    ),
    Parameter(
        "impairments.delays", DELAYS, "none",
        "Delays that links add by time: points of time and delay, from each time on; a CSV file; or a table with "
        "`points` or `file`, and `period`. Before the first point links add none.", "off",
    ),
    Parameter(
        "impairments.capacity", CAPACITY, "none",
        "Rates of links by time, at ports only: points of time and rate, from each time on; a CSV file; a file of "
        "mahimahi; or a table with `points` or `file`, and `period`. The first rate holds before its time, too. "
        "Buffers and loads follow the mean rate.",
        "off; the format of mahimahi: Netravali et al., USENIX ATC 2015",
    ),
    Parameter(
        "impairments.buffers", BUFFERS, "none",
        "Buffers of the queues before these links by time, in place of `network.buffer`; with drop-tail at ports only. "
        "Points of time and size, from each time on, the first at 0 s. What waits stays if a buffer shrinks. Tables "
        "and checks show the largest.", "off",
    ),
    Parameter(
        "tiers.access", ACCESS, "study",
        "What is built below the backbone routers of a topology of your own, where it has backbone routers only. "
        "`study`: PoPs and access routers, by the next keys. `none`: hosts are at these routers. A profile, or "
        "`[[tiers.access]]`: homes, each with a link of its own; queues are at ports then. A router with homes has "
        "servers, too; a router without them has hosts.",
        "ASME paper Fig. 4",
    ),
    Parameter(
        "tiers.homes_per_pop", COUNT, 10,
        "Homes below each router that has homes, which the entries of `tiers.access` divide by their shares.", "chosen",
    ),
    Parameter(
        "tiers.pops_per_backbone", COUNT, 2,
        "Points of presence that are built below each backbone router of a topology of your own, where it has backbone "
        "routers only (`tiers.access`). Any other topology is taken as it is.",
        "ASME paper Fig. 4: 22 PoPs on 11 backbone routers",
    ),
    Parameter(
        "tiers.fast_per_pop", COUNT, 1,
        "Fast access routers below each such PoP; one more on the PoPs of `tiers.second_fast_at`.",
        "ASME paper Fig. 4: 28 = 22 PoPs + 6 more",
    ),
    Parameter(
        "tiers.normal_per_pop", COUNT, 5, "Normal access routers below each such PoP.",
        "ASME paper Fig. 4: 105 over 22 PoPs, rounded up",
    ),
    Parameter(
        "tiers.direct_share", PROBABILITY, 0.5,
        "Number of backbone routers that a rule of `tiers.direct_at` chooses, as a share of all of them. On `abilene` "
        "a rule chooses 6, on `isp` 8.",
        "ASME paper Fig. 4: 6 direct routers on 11 backbone routers",
    ),
    Parameter(
        "tiers.direct_at", Places(*_PLACES), "metropolitan",
        "Backbone routers with a direct access router, by a rule or by name; a name given twice has two. "
        "`metropolitan`: the largest metropolitan areas of `abilene` and `isp`, the backbone routers with the most "
        "links of a topology of your own. `near`, `far`: the smallest, the largest mean propagation delay to all other "
        "backbone routers. `spread`: the first of `near`, then always the one farthest from all chosen before.",
        "assumed: only the counts are published, 6 on Abilene and 8 on the ISP network",
    ),
    Parameter(
        "tiers.second_fast_at", Places(*_PLACES),
        Derived("tiers.direct_at", "as tiers.direct_at", lambda places: places),
        "Points of presence with one more fast access router than the others, by a rule or by name. A backbone router "
        "stands for its first point of presence.",
        "assumed: only the counts are published, 28 fast routers on 22 PoPs and 40 on 32",
    ),
    Parameter(
        "tiers.double_normal_at", Places(*_PLACES), [],
        "Backbone routers whose points of presence have twice as many normal access routers as the others, by a rule "
        "or by name; the total is unchanged. With `none` normal routers are as even as their number allows.",
        "assumed: only the counts are published, 105 normal routers on 22 PoPs and 122 on 32",
    ),
    # -- who uses it -------------------------------------------------------------------------------------------------
    Parameter(
        "users.base_sources", NUMBER, 100,
        "Sources per access router before the multiplier and the distribution; 0 leaves only the explicit flows.",
        "derived: 27,800 sources = 139 x 2 x 100 (ASME paper, experiment 1b)",
    ),
    Parameter(
        "users.source_multiplier", NUMBER, 2, "Multiplies the number of sources.",
        "SP 500-282 ch. 9 Table 9-2, MINUS", study_id="X12",
    ),
    Parameter(
        "users.source_distribution", DISTRIBUTION,
        Derived("tiers.access", "0.1, 0.6, 0.3; with homes 0, 0, 1", partial(_of_access, [0.1, 0.6, 0.3], [0, 0, 1])),
        "Shares of sources at normal, fast and directly connected access routers: a router of class c has "
        "round(base x multiplier x 3 x share) sources.",
        "SP 500-282 ch. 9 Table 9-3 (.1/.6/.3; one table of the ASME paper misprints .4)", study_id="X13",
    ),
    Parameter(
        "users.receiver_distribution", DISTRIBUTION,
        Derived("tiers.access", "0.6, 0.2, 0.2; with homes 1, 0, 0", partial(_of_access, [0.6, 0.2, 0.2], [1, 0, 0])),
        "The same weights for receivers; a receiver never stands behind the backbone router of its source.",
        "SP 500-282 ch. 9 Table 9-3", study_id="X14",
    ),
    Parameter(
        "users.think_time", TIME, "5 s", "Mean of the exponential pause between two transfers of a source.",
        "ASME paper Table 5, X7 PLUS", study_id="X7",
    ),
    Parameter(
        "users.web_object_size", SEGMENTS, "100 segments", "Mean size of a Web object, Pareto distributed.",
        "ASME paper Table 10, X5 PLUS", study_id="X5",
    ),
    Parameter(
        "users.size_shape", NUMBER, 1.5, "Shape of the Pareto distribution of sizes; at most 1 has no mean.",
        "derived: the shape of the same authors' earlier Abilene model",
    ),
    Parameter(
        "users.document_probability", PROBABILITY, 0.02, "Probability that a transfer is a document.",
        "SP 500-282 ch. 9 Table 9-2, x6 MINUS", study_id="X6",
    ),
    Parameter(
        "users.service_pack_probability", PROBABILITY, 0.002, "Probability that a transfer is a service pack.",
        "SP 500-282 ch. 9 Table 9-2, x6 MINUS", study_id="X6",
    ),
    Parameter(
        "users.movie_probability", PROBABILITY, 0.0002, "Probability that a transfer is a movie.",
        "SP 500-282 ch. 9 Table 9-2, x6 MINUS", study_id="X6",
    ),
    Parameter(
        "users.large_files", Choice("drawn", "concurrent"), "drawn",
        "The rule that decides which files are service packs and movies. `drawn`: each transfer draws its category. "
        "`concurrent`: a group of flows (path class, interface, algorithm) that has too few movies under way starts "
        "one, then service packs likewise; the other transfers are Web objects and documents. Of their probabilities "
        "it then matters only which ones are 0: such files do not occur. A flow counts for the algorithm with which "
        "it began: the groups of an algorithm that is deployed later fill from then on, beside the others.",
        "chosen: the size of a file does not depend on other users",
        presets={
            "sp500_282": ("concurrent", "the packets of SP 500-282 Table 9-9, far fewer than drawn (docs/adr/0026)"),
        },
    ),
    Parameter(
        "users.concurrent_movies", COUNT, 1,
        "Movies under way in each group with `large_files` = `concurrent`. Scales do not change it.",
        "derived: the packets of both networks in SP 500-282 Table 9-9 (docs/adr/0026)",
    ),
    Parameter(
        "users.concurrent_service_packs", COUNT, 10,
        "Service packs under way in each group with `large_files` = `concurrent`.",
        "derived: the packets of both networks in SP 500-282 Table 9-9 (docs/adr/0026)",
    ),
    Parameter(
        "users.document_factor", NUMBER, 10, "A document is this many times a Web object.",
        "ASME paper Table 11 (its text has 100; 10 fits the document goodputs)",
    ),
    Parameter(
        "users.service_pack_factor", NUMBER, 1000, "A service pack is this many times a Web object.",
        "ASME paper section 7",
    ),
    Parameter(
        "users.movie_factor", NUMBER, 10000, "A movie is this many times a Web object.",
        "ASME paper section 7",
    ),
    Parameter(
        "users.fast_interface_probability", PROBABILITY, 0.3,
        "Probability that a source, and independently a receiver, has a fast interface; the slower end of a flow "
        "limits it.", "SP 500-282 ch. 9 Table 9-2, x7 MINUS", study_id="X11",
    ),
    Parameter(
        "users.normal_interface", RATE, "8 seg/ms", "Speed of a normal interface (96 Mbps).",
        "ASME paper; SP 500-282 ch. 9",
    ),
    Parameter(
        "users.fast_interface", RATE, "80 seg/ms", "Speed of a fast interface (960 Mbps).",
        "ASME paper; SP 500-282 ch. 9",
    ),
    Parameter(
        "users.allow_same_backbone", FLAG, False,
        "Whether a receiver may stand behind the backbone router of its source (no propagation delay).",
        "derived: the published 9.43 hops average over pairs of different backbone routers",
    ),
    Parameter(
        "users.start", Choice("thinking", "half_early"), "half_early",
        "`thinking`: every source starts with a full pause. `half_early`: a quarter connects at once, a quarter starts "
        "with a pause of a quarter of the mean.",
        "ASME paper Table 11, X20 PLUS; how early is assumed", study_id="X20",
    ),
    Parameter(
        "users.receiver_reading", Choice("per_router", "per_class"), "per_router",
        "What `receiver_distribution` weighs. `per_router`: each router of a class, as for sources. `per_class`: the "
        "share is the probability that a receiver sits behind a router of the class.",
        "derived: the published 9.43 hops need per_router",
    ),
    Parameter(
        "users.traffic", TRAFFIC, "tiers",
        "Who sends to whom. `tiers`: sources and receivers by the class of their access router. `gravity`: between "
        "regions by the product of the capacities, or numbers, of their links, and by class below them; the number of "
        "sources is as for `tiers`. Or a matrix: a CSV file, or `[[users.traffic]]`, with `from`, `to` and `share` or "
        "`rate`. Shares divide the sources of `tiers`. Rates set the number of sources from `think_time`, round trips "
        "and mean file sizes, without queues; `base_sources` then has no effect.",
        "tiers: SP 500-282 ch. 9 Table 9-3; gravity: chosen, the usual model where no matrix is known",
    ),
    Parameter(
        "users.traffic_factor", NUMBER, 1, "Multiplies the rates of a traffic matrix.", "chosen: as given",
    ),
    Parameter(
        "users.patience_probability", PROBABILITY, 0,
        "Probability that a source has finite patience: it gives up a flow that is too slow and thinks again.",
        "SP 500-282 ch. 9: infinite patience in all comparisons", study_id="X8",
    ),
    Parameter(
        "users.patience_time", TIME, "30 s",
        "An impatient source gives up a short flow that is not complete by then, and looks at a long one then.",
        "assumed: three times the 8 to 11 s at which users are annoyed",
    ),
    Parameter(
        "users.patience_interval", TIME, "10 s", "Later it looks at a long flow each time this has passed.",
        "assumed",
    ),
    Parameter(
        "users.patience_rate", PROBABILITY, 0.005,
        "A long flow is too slow below this fraction of the rate of its interfaces, on average since its first SYN.",
        "assumed: 0.5 % of 96 Mbps is 0.48 Mbps",
    ),
    Parameter(
        "users.patience_short", NUMBER, 10, "Flows of at most this many mean Web objects are short.", "assumed",
        ),
    Parameter(
        "users.jumbo_period", COUNT, 0,
        "Measured period in which every file on a very fast path (direct routers at both ends) is a jumbo file; 0 for "
        "none. The study's 4th time period is measured period 2.",
        "ASME paper Table 11: none in experiments 2", study_id="X9",
    ),
    Parameter(
        "users.jumbo_factor", NUMBER, 10, "A jumbo file is this many times the file drawn.",
        "ASME paper section 6",
    ),
    Parameter(
        "users.long_lived_flows", COUNT, 0,
        "Unlimited flows between direct routers, with fast interfaces, from the beginning of the measured span: on a "
        "long, a medium and a short path.",
        "ASME paper Table 11 has three, experiments 2 none; their end points are assumed", study_id="X10",
    ),
    Parameter(
        "users.assignment", Choice("user", "home", "flow", "place"), "user",
        "The unit that takes an algorithm as a whole, by the shares of `algorithms` and `deployment`. `user`: a "
        "source, the explicit flows that have one `user`, or one open-loop arrival. `home`: the access router of the "
        "home end. `flow`: each flow. `place`: the point of presence above the home end, or its backbone router where "
        "there is none. The home end is the end at the slower class of access router. Of equal classes it is the "
        "source of a user, and the receiver of another flow.",
        "chosen: A/B tests divide users",
    ),
    Parameter(
        "users.ranks", Choice("independent", "even"), "independent",
        "The ranks by which units leave the incumbent. `independent`: each unit draws its own, so that shares hold on "
        "average. `even`: units are in random order at equal distances, so that a share of n units is the whole number "
        "next to it. Arrivals, and transfers of users where flows are units, draw independently.",
        "SP 500-282 ch. 9: each source draws its algorithm",
    ),
    Parameter(
        "users.incumbent", Optional("auto", ALGORITHM), "auto",
        "The algorithm of the mix that others replace. Units have ranks: those with the highest rank leave it first. "
        "So those that leave it at one share also leave it at every larger one, whichever algorithm replaces it. "
        "`auto`: of the algorithms with a share `cubic`, else `tcp`, else the last by name. Mixed experiments set it "
        "to `mixed_with`.",
        "chosen: the default of today's systems, then standard TCP",
    ),
    # -- transport ---------------------------------------------------------------------------------------------------
    Parameter(
        "connection.establish", FLAG, True,
        "Whether a flow begins with SYNs that can be lost. Without, it sends at once: the study's model before "
        "connection establishment was added, in which more flows are active under overload.",
        "SP 500-282 ch. 10, section 10.2.2.1",
        presets={
            "ns-2000": (False, "ns: syn_ false"),
        },
    ),
    Parameter(
        "connection.syn_timeout", TIME, "1 s",
        "Wait for the answer to the first SYN. It doubles with each retry after the first `syn_linear_timeouts`.",
        "RFC 6298",
        presets={
            "sp500_282": ("3 s", "recalled, second-hand: SP 500-282 ch. 5; also RFC 2988"),
        },
        ),
    Parameter(
        "connection.syn_linear_timeouts", COUNT, 0, "Retries of a SYN before the wait for its answer doubles.",
        "RFC 6298 (5.5): each retry doubles it",
        presets={
            "linux": (4, "Linux: tcp_syn_linear_timeouts, since 6.5"),
        },
        ),
    Parameter(
        "connection.syn_attempts", COUNT, 6,
        "SYNs sent before the connection counts as failed, the first one included.",
        "chosen: fails after 63 s; RFC 9293 section 3.8.3 has 3 minutes at least",
        presets={
            "sp500_282": (3, "recalled, second-hand: SP 500-282 ch. 5"),
            "linux": (
                Derived("connection.syn_linear_timeouts", "7 + connection.syn_linear_timeouts", lambda n: 7 + n),
                "Linux: the first one, tcp_syn_retries (6) and tcp_syn_linear_timeouts; fails after 131 s",
            ),
        },
        ),
    Parameter(
        "connection.retry_rule", Choice("rfc", "linux"), "rfc",
        "What a flow concludes from a SYN that was sent again. `rfc`: the initial window is `window_after_retry`, no "
        "round trip is known, and the timeout is 3 s. `linux`: only a second retry reduces the window, and none if the "
        "answer is to the first SYN. Timestamps give the round trip, and no wait is longer than `max_rto`.",
        "RFC 5681 section 3.1; RFC 6298 sections 3 and 5.7",
        presets={
            "linux": ("linux", "Linux: tcp_init_transfer, tcp_try_undo_spurious_syn"),
        },
        ),
    Parameter(
        "connection.window_after_retry", SEGMENTS, "1 segment",
        "Initial window after a SYN had to be sent again, or was marked: see `retry_rule`.",
        "RFC 5681 section 3.1; RFC 5562 for marks",
        presets={
            "sp500_282": (
                Derived("transport.initial_window", "transport.initial_window", lambda window: window),
                "assumed: the study describes no exception",
            ),
        },
        ),
    Parameter(
        "connection.ecn", FLAG, False,
        "Whether the first SYN of a flow is ECN-capable as its data are, so that a discipline marks it instead of "
        "dropping it. A repeated SYN is not.",
        "RFC 3168, section 6.1.1: it is not; draft-ietf-tcpm-generalized-ecn (ECN++): it is",
    ),
    Parameter(
        "transport.initial_window", SEGMENTS, "10 segments", "Initial congestion window.",
        "RFC 6928",
        presets={
            "sp500_282": ("2 segments", "ASME paper Tables 11 and 13"),
            "ns-2000": ("1 segment", "ns before 2002: windowInit_ 1"),
        },
        study_id="X16",
    ),
    Parameter(
        "transport.initial_ssthresh", SEGMENTS, _LARGEST_WINDOW, "Initial slow-start threshold.",
        "RFC 5681: arbitrarily high; SP 500-282 ch. 9 Table 9-3", study_id="X17",
    ),
    Parameter(
        "transport.saved_window", SEGMENTS, "0 segments",
        "Window that an earlier connection saved, for careful resume with `saved_rtt`. A flow jumps to half of it once "
        "its initial window is acknowledged without congestion. 0: no careful resume. A plug-in that computes its "
        "window anew with each acknowledgement continues as without it.",
        "RFC 9959",
    ),
    Parameter(
        "transport.saved_rtt", TIME, "0 s",
        "Smallest round-trip time of the earlier connection. A flow jumps only if its own one is more than half and at "
        "most ten times as long.",
        "RFC 9959, section 4.2.1",
    ),
    Parameter(
        "transport.receiver_window", SEGMENTS, _LARGEST_WINDOW,
        "Largest number of segments between the first one not acknowledged and the last one sent: what receivers "
        "advertise.",
        "ASME paper: receivers never limit a flow",
    ),
    Parameter(
        "transport.segment_bytes", NUMBER, 1500,
        "Bytes in a segment: what turns Mbit/s and kB into segments, and the size of data at ports (`network.queue`).",
        "ASME paper; SP 500-282 ch. 9",
    ),
    Parameter(
        "transport.recovery", Choice("sack", "newreno", "reno"), "sack",
        "What repairs losses. `sack`: selective acknowledgements (RFC 6675). `newreno`: duplicates of the cumulative "
        "acknowledgement, one hole a round trip (RFC 6582). `reno`: the same, and the first acknowledgement that moves "
        "on ends recovery (RFC 5681).",
        "RFC 6675; ASME paper: duplicate acknowledgements name the segments that are missing, and Fig. 3 needs it",
        presets={
            "ns-2000": ("reno", "ns: Agent/TCP/Reno"),
        },
    ),
    Parameter(
        "transport.prr", Choice("off", "crb", "ssrb", "safe_ack"),
        Derived("transport.recovery", "safe_ack; off without sack", lambda k: _with_sack(k, "safe_ack", "off")),
        "Proportional rate reduction: how much recovery with selective acknowledgements sends for each of them. `off`: "
        "what the reduced window allows. Otherwise the segments in flight fall to the window over a round trip. Below "
        "it, `crb` sends as much as is delivered, `ssrb` one segment more, and `safe_ack` one more where the "
        "acknowledgement reports no further loss. BBR has its own rule.",
        "RFC 9937 (`safe_ack`); RFC 6937 has the other bounds",
        presets={
            "sp500_282": ("off", "assumed: RFC 6937 is later than the study"),
        },
    ),
    Parameter(
        "transport.loss_detection", Choice("dupthresh", "rack"),
        Derived("transport.recovery", "rack; dupthresh without sack", lambda k: _with_sack(k, "rack", "dupthresh")),
        "When a segment counts as lost. `dupthresh`: once `duplicate_threshold` later ones were acknowledged. `rack`: "
        "once one that left later was acknowledged and a round trip has passed, retransmissions too. Where "
        "acknowledgements do not come, a tail loss probe causes one after two round trips. Needs sack.",
        "RFC 8985; the default of Linux since 4.18",
        presets={
            "sp500_282": ("dupthresh", "assumed: the rule in force at the time of the study"),
        },
    ),
    Parameter(
        "transport.rack_timer_margin", TIME, "0 s",
        "With `loss_detection = rack`: time by which the timer that declares a segment lost comes later than it could.",
        "RFC 8985 section 6.2: none",
        presets={
            "linux": ("2 ms", "Linux: TCP_TIMEOUT_MIN_US"),
        },
        ),
    Parameter(
        "transport.rack_timer_tick", TIME, "0 s",
        "Tick of the clock of that timer, which counts whole ticks, and not the present one. 0 for an exact clock.",
        "RFC 8985 has none",
        presets={
            "linux": ("4 ms", "Linux: CONFIG_HZ 250, the default; calc_index of the timer wheel"),
        },
        ),
    Parameter(
        "transport.second_reduction", Choice("rfc5681", "after_timeout"), "rfc5681",
        "With `loss_detection = rack`: which lost retransmissions reduce the window once more. `rfc5681`: those that "
        "left after the last reduction. `after_timeout`: only those that repair what a timeout declared lost.",
        "RFC 5681, section 4.3",
        presets={
            "linux": ("after_timeout", "Linux: tcp_fastretrans_alert"),
        },
    ),
    Parameter(
        "transport.probe_ack_delay", TIME, "200 ms",
        "How long a receiver may hold back the acknowledgement of a single segment, as tail loss probes assume "
        "(max_ack_delay).",
        "RFC 8985 section 7.2; Linux",
    ),
    Parameter(
        "transport.delayed_acks", FLAG, False,
        "Whether receivers hold acknowledgements back. They acknowledge every second segment, or a single one after "
        "`ack_delay`. They acknowledge at once a segment that arrives out of order, fills a gap or is the last, and "
        "where marks begin or end.",
        "assumed: the study's rules per round trip fit its goodput latencies without; RFC 5681 leaves it open",
        presets={
            "linux": (True, "Linux: tcp_delack_min"),
        },
    ),
    Parameter(
        "transport.ack_delay", TIME, "200 ms", "How long receivers hold an acknowledgement back at most.",
        "the usual timer of BSD stacks (Linux: 40 to 200 ms); RFC 1122 section 4.2.3.2: less than 0.5 s",
        presets={
            "linux": ("40 ms", "Linux: TCP_DELACK_MIN"),
        },
    ),
    Parameter(
        "transport.quick_acks", COUNT, 0,
        "With delayed acknowledgements: how many acknowledgements of a new flow, and after a segment that had arrived "
        "before, are sent at once.",
        "RFC 5681 has no such rule",
        presets={
            "linux": (16, "Linux: TCP_MAX_QUICKACKS"),
        },
    ),
    Parameter(
        "transport.receive_buffer", WHOLE_SEGMENTS, "0 segments",
        "With delayed acknowledgements: segments that the buffer of a receiver holds at first. The window that it "
        "advertises grows by 2 with each segment, up to the buffer. The buffer grows with what is read in a round "
        "trip. Segments that make the window grow are acknowledged at once. The window itself limits no flow. 0 for no "
        "such rule.",
        "RFC 5681 has no such rule",
        presets={
            "linux": ("57 segments", "Linux: tcp_grow_window; tcp_rmem of 128 KiB, with 2317 bytes of memory each"),
        },
    ),
    Parameter(
        "transport.sack_compression", TIME, "0 s",
        "With delayed acknowledgements: how long receivers hold selective acknowledgements back behind a gap. At most "
        "a twentieth of a round trip and 44 segments; the first three are sent at once. 0 for not at all.",
        "RFC 5681 section 4.2: at once",
        presets={
            "linux": ("1 ms", "Linux: tcp_comp_sack_delay_ns, tcp_comp_sack_nr, since 4.18"),
        },
        ),
    Parameter(
        "transport.timestamp_tick", TIME, "0 s",
        "Tick of the timestamps by which congestion control learns the round trip of a segment that was sent again. "
        "0 for no sample of such a segment.",
        "RFC 6298 section 3 (Karn)",
        presets={
            "linux": ("1 ms", "Linux: tcp_rtt_tsopt_us with TCP_TS_HZ of 1000"),
        },
        ),
    Parameter(
        "transport.unpaced_segments", COUNT, 0,
        "How many segments of a paced flow leave back to back before pacing begins.",
        "pacing from the first segment on",
        presets={
            "linux": (10, "Linux: tcp_update_skb_after_send, as fq does"),
        },
    ),
    Parameter(
        "transport.burst", WHOLE_SEGMENTS, "0 segments",
        "Largest piece that a host hands to its interface at once, as with segmentation offload. A piece leaves back "
        "to back, and its gap follows if the flow is paced. Its size is what the pacing rate sends in `burst_time`, at "
        "least 2 segments, more where the round trip is below 4 ms. A flow waits up to 1 ms for a full piece, unless a "
        "third of its window is free. 0: segments leave separately. Needs `loss_detection = rack`.",
        "chosen: hosts without offload",
        presets={
            "linux": (
                Derived("transport.loss_detection", "45 segments; 0 without rack", lambda k: 45 * (k == "rack")),
                "Linux: tcp_tso_autosize, tcp_tso_should_defer; gso_max_size of 64 KiB, 45 segments of 1448 bytes",
            ),
        },
    ),
    Parameter(
        "transport.burst_time", TIME, "0.9765625 ms",
        "With `burst`: time whose segments at the pacing rate make a piece. Flows that are not paced have the rate, "
        "too: 1.2 times the window in a round trip, and twice the window below half of ssthresh.",
        "Linux: sk_pacing_shift 10, so 1/1024 s; tcp_update_pacing_rate",
    ),
    Parameter(
        "transport.duplicate_threshold", COUNT, 3,
        "A segment is lost once this many segments sent after it were acknowledged.",
        "RFC 5681, RFC 6675",
    ),
    Parameter(
        "transport.limited_transmit", FLAG, True,
        "Whether each duplicate acknowledgement before fast retransmit lets a new segment go, with `recovery` newreno"
        " or reno. Selective acknowledgements always do.",
        "RFC 3042",
        presets={
            "ns-2000": (False, "ns before 2002: singledup_ 0"),
        },
    ),
    Parameter(
        "transport.undo", FLAG, True,
        "Whether a reduction is undone if the segment that seemed lost arrives after all: in fast recovery and after a "
        "timeout, with selective acknowledgements. The controller returns to its state before; BBR and BBRv3 only end "
        "recovery.",
        "RFC 3522, RFC 4015 and RFC 9438, section 4.9; Linux: tcp_try_undo_recovery, tcp_try_undo_loss",
        presets={
            "sp500_282": (False, "the texts of SP 500-282 have none"),
            "ns-2000": (False, "ns before 2001 has none"),
        },
    ),
    Parameter(
        "transport.recover_guard", FLAG, False,
        "Whether with `recovery = reno` duplicates of data sent before the last reduction begin no fast retransmit, as "
        "with newreno (RFC 6582): a second loss in a window then needs a timeout.",
        "RFC 5681 has no such rule",
        presets={
            "ns-2000": (True, "ns: bugFix_ true"),
        },
    ),
    Parameter(
        "transport.initial_rto", TIME, "1 s", "Retransmission timeout before the first round-trip sample.",
        "RFC 6298",
        presets={
            "sp500_282": ("3 s", "RFC 2988, in force at the time of the study"),
            "ns-2000": ("6 s", "ns: rtxcur_init_ 6"),
        },
        ),
    Parameter(
        "transport.min_rto", TIME, "1 s",
        "Smallest retransmission timeout, or smallest variance term of it: see `rto_floor`.",
        "RFC 6298 (2.4)",
        presets={
            "linux": ("200 ms", "Linux: TCP_RTO_MIN"),
            "ns-2000": ("0 s", "ns before 2004: minrto_ 0; two ticks are the least"),
        },
        ),
    Parameter(
        "transport.max_rto", TIME, "60 s", "Largest retransmission timeout.", "RFC 6298 (2.5)",
        presets={
            "linux": ("120 s", "Linux: TCP_RTO_MAX"),
            "ns-2000": ("64 s", "ns before 2007: maxrto_ 64"),
        },
        ),
    Parameter(
        "transport.rto_floor", Choice("rfc6298", "linux"), "rfc6298",
        "What `min_rto` bounds. `rfc6298`: the timeout. `linux`: its variance term, so that it is at least `min_rto`"
        " longer than the smoothed round-trip time.",
        "RFC 6298 (2.4)",
        presets={
            "linux": ("linux", "Linux: tcp_rtt_estimator"),
        },
    ),
    Parameter(
        "transport.rto_restart", Choice("new_data", "retransmission", "linux"), "retransmission",
        "What restarts the retransmission timer. `new_data`: acknowledgements of new data only, RFC 6298 to the "
        "letter. `retransmission`: also a fast retransmit, and with sack each retransmission of the lowest "
        "outstanding segment. `linux`: also selective acknowledgements of data that left before that retransmission.",
        "what senders do: Linux, BSD, ns (RFC 6298 section 5 leaves it open)",
        presets={
            "linux": ("linux", "Linux: tcp_clean_rtx_queue, FLAG_SET_XMIT_TIMER"),
        },
    ),
    Parameter(
        "transport.rtt_samples", Choice("rfc7323", "every_ack", "round_trip", "linux"), "rfc7323",
        "Which acknowledgements the timer learns from. `rfc7323`: all, by timestamps, with gains divided by the "
        "samples of a window (appendix G). `every_ack`: all, with the gains of RFC 6298, which forget within eight "
        "acknowledgements. `round_trip`: without timestamps, one segment is timed at once. `linux`: all; the variance"
        " is the largest of a round trip.",
        "RFC 7323 appendix G",
        presets={
            "sp500_282": (
                "rfc7323",
                "assumed: one acknowledgement a segment, and the gains per round trip of RFC 2988",
            ),
            "linux": ("linux", "Linux: tcp_rtt_estimator"),
            "ns-2000": ("round_trip", "ns: timestamps_ false"),
        },
    ),
    Parameter(
        "transport.timer_tick", TIME, "0 s",
        "Tick of the clock that times segments, with `rtt_samples = round_trip`: round trips count in whole ticks, "
        "and the timeout has at least two. 0 for an exact clock.",
        "clocks of today have ticks of 1 to 10 ms",
        presets={
            "ns-2000": ("100 ms", "ns before 2004: tcpTick_ 0.1"),
        },
        ),
    Parameter(
        "transport.ack_rtt", Choice("first", "last"), "first",
        "With delayed acknowledgements: whose round trip congestion control sees. `first`: of the first segment of an "
        "acknowledgement, which was held back. `last`: of the last. The timer always sees the first.",
        "RFC 7323 section 4.3",
        presets={
            "linux": ("last", "Linux: ca_rtt_us of tcp_clean_rtx_queue"),
        },
    ),
    Parameter(
        "transport.timeout_rule", Choice("rfc", "rfc2581", "own_reduction", "linux"), "rfc",
        "After a timeout. `rfc` halves into ssthresh and restarts at 1 segment. `rfc2581` halves again each time "
        "the same segment times out. `own_reduction` uses the algorithm's own reduction and restarts at the initial "
        "window. `linux` uses the algorithm's own reduction and restarts at 1.",
        "RFC 5681",
        presets={
            "linux": ("linux", "Linux: tcp_enter_loss"),
            "ns-2000": ("rfc2581", "ns: slowdown(CLOSE_SSTHRESH_HALF)"),
            "sp500_282": ("own_reduction", "recalled, second-hand: SP 500-282 ch. 5"),
        },
    ),
    Parameter(
        "transport.idle_restart", Choice("keep", "rfc5681", "linux"), "rfc5681",
        "The window with which a flow sends again, if its application let it send nothing for more than a "
        "retransmission timeout. `keep`: as before. `rfc5681`: at most the initial window. "
        "`linux`: halved for each timeout that has passed, down to `initial_window`, even if the handshake lost a SYN, "
        "and ssthresh keeps three fourths of the window. BBR and BBRv3 keep their model of the path.",
        "RFC 5681, section 4.1",
        presets={
            "linux": ("linux", "Linux: tcp_cwnd_restart (RFC 2861), tcp_slow_start_after_idle 1"),
            "ns-2000": ("keep", "not examined: the many-flow study has no idle flows"),
            "sp500_282": ("keep", "the texts of SP 500-282 have none: no flow is idle"),
        },
    ),
    Parameter(
        "transport.reduce_from", Choice("cwnd", "flight"), "flight",
        "What a reduction starts from: the segments in flight or cwnd.",
        "RFC 5681, RFC 9438",
        presets={
            "sp500_282": ("cwnd", "assumed: the study writes its rules in cwnd"),
            "linux": ("cwnd", "Linux: ssthresh of each congestion control"),
            "ns-2000": ("cwnd", "ns: slowdown() halves the window"),
        },
    ),
    Parameter(
        "transport.window_growth", Choice("segments", "acks"), "segments",
        "What makes windows grow. `segments`: each segment that is acknowledged. `acks`: each acknowledgement that "
        "moves on, whatever it covers, by one segment; such a sender is exposed to receivers that divide "
        "acknowledgements (`receiver` of a flow). Algorithms that measure delivery rates always count segments.",
        "RFC 3465 and RFC 5681 section 3.1; `acks`: RFC 2581",
    ),
    Parameter(
        "transport.grow_only_if_cwnd_limited", FLAG, True, "Windows grow only while they limit the flow.",
        "RFC 7661",
        presets={
            "sp500_282": (False, "SP 500-282 ch. 10: windows of flows limited by their interface grew without bound"),
            "ns-2000": (False, "ns: opencwnd()"),
        },
    ),
    Parameter(
        "transport.window_use", Choice("rfc7661", "linux"), "rfc7661",
        "When a window counts as limiting the flow. `rfc7661`: half of it was in flight in the last two round trips. "
        "`linux`: it was full in the last round trip; in slow start it is enough if half of it was outstanding.",
        "RFC 7661 section 4.3",
        presets={
            "linux": ("linux", "Linux: tcp_is_cwnd_limited"),
        },
    ),
    Parameter(
        "transport.grow_at_recovery_exit", FLAG, False,
        "Whether the acknowledgement that ends fast recovery raises the window.",
        "RFC 5681 section 3.2 step 6: it sets the window to ssthresh",
        presets={
            "linux": (True, "Linux: tcp_cong_control"),
            "ns-2000": (True, "ns: opencwnd()"),
        },
    ),
    Parameter(
        "transport.max_cwnd", SEGMENTS, _LARGEST_WINDOW, "No congestion window grows beyond this.",
        "assumed: a guard, never reached in a sensible run",
    ),
    Parameter(
        "transport.slow_start", Choice("classic", "limited", "hystart++"), "classic",
        "How windows grow below ssthresh. `classic`: by one segment per acknowledged segment. `limited`: by less in "
        "large windows (RFC 3742). `hystart++`: until the round-trip time grows, at first (RFC 9406, which RFC 9438 "
        "recommends for CUBIC but does not require). Vegas ends its slow start by rules of its own, too.",
        "RFC 5681",
    ),
    Parameter(
        "transport.slow_start_max_acked", COUNT, 2,
        "Slow start but HyStart++: most segments of one acknowledgement that count (L), and after a timeout 1. 0: no "
        "limit. It matters where acknowledgements are lost or cover many segments. Algorithms that measure delivery "
        "rates, and plug-ins, have rules of their own.",
        "RFC 3465, section 2.3; RFC 5681, section 3.1, recommends 1",
        presets={
            "sp500_282": (0, "assumed: its receivers acknowledge each segment"),
            "linux": (0, "Linux: tcp_slow_start takes all that is acknowledged"),
            "ns-2000": (1, "ns: opencwnd()"),
        },
    ),
    Parameter(
        "transport.limited_slow_start_from", SEGMENTS, "100 segments",
        "Limited slow start: beyond this window (max_ssthresh) it grows by at most half of this per round trip.",
        "RFC 3742",
    ),
    Parameter(
        "transport.hystart_min_threshold", TIME, "4 ms",
        "HyStart++: smallest growth of the round-trip time that ends slow start (MIN_RTT_THRESH).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_max_threshold", TIME, "16 ms",
        "HyStart++: growth of the round-trip time that always ends slow start (MAX_RTT_THRESH).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_divisor", NUMBER, 8,
        "HyStart++: between the two thresholds, growth by the round-trip time divided by this ends slow start "
        "(MIN_RTT_DIVISOR).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_samples", COUNT, 8,
        "HyStart++: fewest round-trip times of a round trip that are compared (N_RTT_SAMPLE).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_css_divisor", NUMBER, 4,
        "HyStart++: conservative slow start grows by so many times less than slow start (CSS_GROWTH_DIVISOR).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_css_rounds", COUNT, 5,
        "HyStart++: round trips of conservative slow start before congestion avoidance (CSS_ROUNDS).",
        "RFC 9406",
    ),
    Parameter(
        "transport.hystart_max_acked", COUNT, 8,
        "HyStart++: most segments of one acknowledgement that count (L). It matters where acknowledgements are lost or "
        "cover many segments.",
        "RFC 9406, for senders that do not pace",
    ),
    # -- how long, what is measured ----------------------------------------------------------------------------------
    Parameter(
        "time.duration", TIME, "60 s", "Simulated time, warm-up included.",
        "chosen: a first look within a minute; the study ran 25 min and longer", study_id="X19",
    ),
    Parameter(
        "time.warmup", Time("10 s"),
        Derived("time.duration", "2/5 of time.duration", lambda duration: 2 * duration / 5),
        "Simulated time before the first measured period.",
        "ASME paper section 5: two of five equal phases",
    ),
    Parameter(
        "time.periods", COUNT, 3, "Measured periods of equal length after the warm-up.",
        "ASME paper Table 6",
    ),
    Parameter(
        "time.converged", PROBABILITY, 0,
        "The run ends early once the means of transmitting sources and of segments leaving are known to within this "
        "fraction of themselves. Known: by the 95 % confidence interval of 20 equal batches of the samples after the "
        "warm-up, once these are not correlated. 0 for never. Needs one period.",
        "chosen: the study ran for fixed times",
    ),
    Parameter(
        "measurement.interval", TIME, "200 ms", "Distance between two samples of the time series.",
        "ASME paper Table 11", study_id="X18",
    ),
    Parameter(
        "measurement.flow_records", PROBABILITY, 0.01, "Share of completed flows that leave a row in the flow table.",
        "assumed: a large run completes 10^8 flows",
    ),
    Parameter(
        "measurement.flow_series", COUNT, 100,
        "Number of explicit flows, from the first, that have their own columns in the time series; "
        "long-lived flows come last.",
        "chosen: three columns a flow",
    ),
    Parameter(
        "measurement.queue_delays", FLAG, False,
        "Drop-tail queues record how long segments wait, as queues with a discipline do (`aqm.discipline`).",
        "chosen: off, because it takes time",
    ),
    Parameter(
        "measurement.segment_delays", FLAG, False,
        "One-way delays of segments over TCP are recorded (`segment_delay_p50` to `p99`).",
        "chosen: off, because it takes time",
    ),
    Parameter(
        "measurement.units", FLAG, False,
        "Flows are summed by user, period and class (table `units`). An experiment that keeps the table sets it.",
        "chosen: off, because the table has a row for each user, period and class",
    ),
    Parameter(
        "measurement.starved_after", TIME, "5 s",
        "A transmitting source counts as starved when nothing was acknowledged for this long.",
        "assumed: several retransmission timeouts",
    ),
    Parameter(
        "measurement.fair_window", TIME, "1 s",
        "Length of the windows in which goodputs of explicit flows are compared (`fair_windows`, `convergence_time`), "
        "rounded to whole measurement intervals. Choose it longer than the sawtooth of the flows.",
        "chosen: several round trips of most paths",
    ),
    Parameter(
        "measurement.fair_within", PROBABILITY, 0.1,
        "In a fair window, the goodput of every explicit flow differs from the mean by at most this part of the mean "
        "(delta).",
        "RFC 5166 (delta-fair); .1 as in Bansal et al., SIGCOMM 2001 (recalled)",
    ),
    Parameter(
        "measurement.fair_windows", COUNT, 3, "Fair windows in a row after which flows count as converged.",
        "chosen: one window can be fair by chance, when goodputs cross",
    ),
    # -- detailed traces ---------------------------------------------------------------------------------------------
    Parameter(
        "trace.flows", NUMBERS, [],
        "Numbers, from 1, of explicit flows to trace; long-lived flows come last.",
        "chosen: off, because traces are large",
    ),
    Parameter(
        "trace.sources", NUMBERS, [], "Numbers, from 0, of sources whose transfers to trace in detail.",
        "chosen: off, because traces are large",
    ),
    Parameter(
        "trace.routers", NAMES, [], "Names of routers to trace in detail, or `all`.",
        "chosen: off, because traces are large",
    ),
    Parameter(
        "trace.every", TIME, "10 ms", "Distance between two rows of a trace.", "chosen",
    ),
    Parameter(
        "trace.packets", FLAG, False,
        "Record each segment of the traced flows and sources: when it is sent, acknowledged, lost and dropped.",
        "chosen: off, because every segment has two rows",
    ),
)  # fmt: skip

PARAMETERS: dict[str, Parameter] = {parameter.path: parameter for parameter in _TABLE}
"""Every single value of a scenario by path, in the order of the canonical form."""


def reference_page() -> str:
    """Return the page docs/reference/parameters.md."""
    lines = [
        "# Scenario parameters",
        "",
        "Generated from `mesonet.scenarios.parameters`; `mesonet check SCENARIO` shows the values of one scenario.",
        "A value that a scenario does not set comes from its preset. Where another preset than `standard` has another",
        "default, its row follows.",
        "",
        "| preset | what it is |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in PRESETS.items()),
        "",
    ]
    section = None
    for parameter in _TABLE:
        head = parameter.path.partition(".")[0] if "." in parameter.path else "scenario"
        if head != section:
            section = head
            lines += [f"## {head}", "", "| path | kind | default | allowed | meaning | source of the default |"]
            lines += ["|---|---|---|---|---|---|"]
        lines += _rows(parameter)
    lines += [
        "## tiers.access",
        "",
        "Keys of `[[tiers.access]]`: homes of one kind. A path such as `tiers.access[0].down` names one value.",
        "",
        *_key_rows(access.KEYS),
        "",
        "Profiles:",
        "",
        "| profile | key | value | source |",
        "|---|---|---|---|",
        *(
            f"| `{name}` | `{key}` | `{_profile_text(key, value)}` | {source} |"
            for name, values in PROFILES.items()
            for key, (value, source) in values.items()
        ),
        "",
        "## arrivals",
        "",
        "Keys of a process of open-loop arrivals, `[[arrivals]]`. A path such as `arrivals[0].load` names",
        "one value of a process.",
        "",
        *_key_rows(arrivals.KEYS),
        "## deployment",
        "",
        "Keys of `[[deployment]]`: the share of the units that use an algorithm, by time and place. A path such as",
        "`deployment[0].share` names one value of an entry.",
        "",
        *_key_rows(deployment.KEYS),
        "## flows",
        "",
        "Keys of `[[flows]]`, and of the next two sections. A path such as `flows[0].count` names one value of an",
        "entry; entries count from 0, in the order of the file.",
        "",
        *_key_rows(flow_keys.OWN),
    ]
    text = "\n".join([*lines, *flow_applications.reference_lines(), *flow_receivers.reference_lines()])
    return text.replace("\n## ", "\n\n## ").replace("\n\n\n", "\n\n") + "\n"


def _profile_text(key: str, value: Any) -> str:
    """Return a value of a profile as a user would write it."""
    return value if isinstance(value, str) else access.KEYS[key].show(access.KEYS[key].parse(value))


def default_text(parameter: Parameter, preset: str) -> str:
    """Return the default of a preset as a user would write it.

    The value with its unit, or the rule of a derived default. `preset`: a key of `PRESETS`.
    """
    default = parameter.default_for(preset)
    if isinstance(default, Derived):
        return default.text
    return parameter.show(parameter.parse(default))


def _rows(parameter: Parameter) -> list[str]:
    name = f"`{parameter.path}`" + (f" ({parameter.study_id})" if parameter.study_id else "")
    first = (name, parameter.kind.name, f"`{default_text(parameter, 'standard')}`", parameter.allowed, parameter.doc)
    rows = ["| " + " | ".join((*first, parameter.source)) + " |"]
    for preset, (_, source) in parameter.presets.items():
        default = f"`{default_text(parameter, preset)}`"
        rows += [f"| | | {default} | | in the preset `{preset}` | {source} |"]
    return rows


def _key_rows(keys: Mapping[str, Key]) -> list[str]:
    """Return the table of the keys of an entry of a list."""
    rows = ["| key | kind | default | allowed | meaning | source of the default |", "|---|---|---|---|---|---|"]
    for name, key in keys.items():
        default = f"`{key.default}`" if key.default else ""
        allowed = key.allowed if key.path in core.bounds() else ""
        rows.append(f"| `{name}` | {key.kind.name} | {default} | {allowed} | {key.doc} | {key.source} |")
    return rows
