"""Response sets of the experiments of the study, reconstructed.

Of some experiments the publications give only the number of responses and a few names. Every entry has its basis:
``published``, ``derived`` from a published count, or ``invented`` where nothing is known beyond its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mesonet.responses.definitions import BY_NAME, FILE_CATEGORIES, PAIR_CLASSES, RESPONSES, SIZE_CLASSES

Basis = Literal["published", "derived", "invented"]
Whose = Literal["", "alternate", "tcp"]


@dataclass(frozen=True)
class SetMember:
    """Response of a set."""

    symbol: str  #: symbol of the study; ``u`` stands for a flow group
    name: str  #: a response, or with `of` a column of the table of flow groups
    basis: Basis  #: basis of the entry
    note: str = ""  #: a remark
    period: str = ""  #: the measured period, where the set requires one
    #: Owner of the flows of a flow group: the algorithm under test or competing standard TCP. Empty for a response of
    #: the whole network.
    of: Whose = ""


@dataclass(frozen=True)
class ResponseSet:
    """Responses of an experiment: of the network, and of each of the 24 flow groups."""

    name: str
    title: str
    entries: tuple[SetMember, ...]
    per_group: tuple[SetMember, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The responses of the network, each once."""
        return tuple(dict.fromkeys(entry.name for entry in self.entries))


GROUPS = 24
"""Flow groups: movie, service pack, document, Web object x very fast, fast, typical path x fast, normal interface (ASME
paper, section 5.4; the last index varies fastest)."""

_TABLES_3_4 = tuple(response for response in RESPONSES if response.symbol.startswith("y"))

ASME_22 = ResponseSet(
    "asme-22",
    "The 22 responses of the ASME paper, Tables 3 and 4",
    tuple(SetMember(response.symbol, response.name, "published") for response in _TABLES_3_4),
)

_TABLE_6 = (
    "connecting_sources", "transmitting_sources", "initial_slow_start_share", "standard_share", "alternate_share",
    "retransmission_rate", "cwnd", "failed_connections", "rtt", "queueing_delay", "flow_rate", "segment_rate",
    "goodput_long_lived_1", "goodput_long_lived_2", "goodput_long_lived_3", "goodput_very_fast", "goodput_fast",
    "goodput_typical",
)  # fmt: skip

SENSITIVITY = ResponseSet(
    "sensitivity",
    "The 102 responses of the sensitivity analysis (ASME paper, Table 6): 18 in each of 3 periods, 24 flow groups x 2",
    tuple(
        SetMember(f"Y{number}({period})", name, "published", period=period)
        for number, name in enumerate(_TABLE_6, start=1)
        for period in ("1", "2", "3")
    ),
    (SetMember("T(u)", "goodput", "published", of="tcp"), SetMember("C(u)", "goodput", "published", of="alternate")),
)

_MACROSCOPIC_1: tuple[tuple[str, Basis], ...] = (
    ("cwnd", "invented"),
    ("cwnd_increases", "published"),
    ("segments_leaving", "invented"),
    ("flows_completed", "invented"),
    ("loss_rate", "invented"),
    ("retransmission_rate", "published"),
    ("rtt", "invented"),
    ("queueing_delay", "invented"),
)
_BUFFERS_1 = ("backbone", "pop", "normal", "fast", "direct")
_STATES_1: tuple[tuple[str, Basis], ...] = (
    ("connecting_sources", "published"),
    ("initial_slow_start_share", "derived"),
    ("standard_share", "published"),
    ("alternate_share", "published"),
)


def _exp_1() -> tuple[SetMember, ...]:
    named: list[tuple[str, Basis, str]] = []
    named += [(name, basis, "y1 to y8 are macroscopic; of these y2 and y6 are named") for name, basis in _MACROSCOPIC_1]
    for pair in PAIR_CLASSES:
        note = "y9 to y12 are throughputs of DD flows; four for each of six pair classes fill y9 to y32"
        named += [(f"goodput_{pair}_{category}", "derived", note) for category in FILE_CATEGORIES]
    note = "three are left between y32 and the buffers: as many as there are long-lived flows"
    named += [(f"goodput_long_lived_{number}", "derived", note) for number in (1, 2, 3)]
    note = "y36 to y41 are buffer uses; which is not known"
    named += [(f"buffer_use_{router}", "invented", note) for router in _BUFFERS_1]
    named += [("segments_dropped", "invented", "the sixth of the buffer responses: what buffers could not take")]
    named += [(name, basis, "y42 to y45 are flow states; y43 follows from the others") for name, basis in _STATES_1]
    return tuple(SetMember(f"y{number}", *about) for number, about in enumerate(named, start=1))


EXP_1 = ResponseSet("exp-1", "The 45 responses of experiments 1a and 1b", _exp_1())

_OF_GROUP = (
    "flows", "goodput", "goodput_sd", "goodput_median", "goodput_by_size", "jain_index", "completion_time_p50",
    "completion_time_p95", "completion_time_p99", "mean_size", "retransmission_rate", "loss_events_per_flow",
    "losses_per_flow", "timeouts_per_flow",
)  # fmt: skip


def _exp_2_of_group() -> tuple[SetMember, ...]:
    entries = []
    kinds: tuple[tuple[Whose, int], ...] = (("alternate", 0), ("tcp", 14))
    for whose, offset in kinds:
        for number, name in enumerate(_OF_GROUP, start=1 + offset):
            known = name == "goodput"
            note = "" if known else "y2(u) and y16(u) are the same for both kinds of flows: 14 responses for each"
            entries.append(SetMember(f"y{number}(u)", name, "published" if known else "invented", note, of=whose))
    return tuple(entries)


EXP_2 = ResponseSet(
    "exp-2",
    "The responses of experiments 2a, 2b and 2c: 16 of the network and 28 of each flow group",
    tuple(
        SetMember(
            response.symbol, response.name, "derived", "16 = Tables 3 and 4 less the goodputs, which groups replace"
        )
        for response in _TABLES_3_4[:16]
    ),
    _exp_2_of_group(),
)

_QUEUES = (
    "loss_rate", "retransmission_rate", "segments_marked", "timeouts", "rtt", "queueing_delay", "flows_completed",
    "transmitting_sources", "goodput_very_fast", "goodput_fast", "goodput_typical",
    *(f"queue_{measure}_{router}" for router in _BUFFERS_1 for measure in ("loss_rate", "mark_rate", "delay_p95",
                                                                           "delay_p99")),
)  # fmt: skip

QUEUES = ResponseSet(
    "queues",
    "Delay, drops and marks of queues by class of routers, and the responses that they change",
    tuple(
        SetMember(BY_NAME[name].symbol, name, "invented", "chosen for experiments with queue disciplines")
        for name in _QUEUES
    ),
)

_FAIRNESS = (
    "loss_rate", "retransmission_rate", "rtt", "queueing_delay", "utilisation_bottleneck", "jain_index",
    "goodput_ratio", "goodput_ratio_half", "goodput_ratio_quarter", "goodput_ratio_eighth", "starved_flows",
    "fair_windows", "convergence_time",
)  # fmt: skip

FAIRNESS = ResponseSet(
    "fairness",
    "Fairness among explicit flows, and the responses that explain it",
    tuple(
        SetMember(BY_NAME[name].symbol, name, "invented", "chosen for experiments with explicit flows")
        for name in _FAIRNESS
    ),
)

_SLOWDOWN = (
    "loss_rate", "retransmission_rate", "timeouts", "rtt", "queueing_delay", "flows_completed",
    "connection_failure_ratio",
    *(f"slowdown_{measure}{size}" for size in SIZE_CLASSES for measure in ("mean", "p50", "p95", "p99")),
)  # fmt: skip

SLOWDOWN = ResponseSet(
    "slowdown",
    "Slowdown of flows by size, and the responses that explain it",
    tuple(
        SetMember(BY_NAME[name].symbol, name, "invented", "chosen for experiments with flows of all sizes")
        for name in _SLOWDOWN
    ),
)

ALL = ResponseSet(
    "all",
    "Everything that is measured in every period",
    tuple(SetMember(response.symbol, response.name, "published") for response in RESPONSES if not response.total),
)

SETS: dict[str, ResponseSet] = {
    each.name: each for each in (ASME_22, SENSITIVITY, EXP_1, EXP_2, QUEUES, FAIRNESS, SLOWDOWN, ALL)
}
"""The sets by name."""

DEFAULT = "asme-22"
FLOWS_ALONE = FAIRNESS.name
"""Default of a grid over explicit flows without users."""
"""The set of an experiment that names none."""
