"""Derived properties of a scenario, in words and units for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mesonet import units
from mesonet.scenarios import access, impairment_sets, settings
from mesonet.scenarios.kinds import arrivals, timed
from mesonet.scenarios.kinds.access import STUDY
from mesonet.scenarios.kinds.sizes import SIZES
from mesonet.topologies import Topology
from mesonet.topologies.homes import Homes
from mesonet.words import counted, listed

if TYPE_CHECKING:
    from mesonet.scenarios.scenario import Scenario


def derived_rows(described: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the name and value of every number about the whole network. Pairs of text, values with their units."""
    very_fast, fast, typical = described["path_classes"]
    return [
        ("routers, links", f"{described['routers']:,}, {described['links']:,}"),
        ("sources", f"{described['sources']:,}"),
        ("traffic", described["traffic"]),
        ("data that users offer", units.RATE.show(float(f"{described['offered']:.4g}"))),
        ("mean file size", f"{described['mean_file_size']:.4g} segments"),
        ("paths between regions", f"{described['paths']:,}"),
        *_shared_paths(described),
        ("mean routers per path", f"{described['mean_routers_per_path']:.4g}"),
        ("mean hops, hosts counted", f"{described['mean_hops']:.4g}"),
        ("mean propagation round trip", f"{described['mean_rtt'] * 1e3:.4g} ms"),
        ("mean round trip of the traffic", _milliseconds(described["traffic_rtt"])),
        ("longest propagation round trip", f"{described['max_rtt'] * 1e3:.4g} ms{_between(described)}"),
        ("flows on very fast, fast, typical paths", f"{very_fast:.3%}, {fast:.3%}, {typical:.3%}"),
        ("mean propagation round trip of these", ", ".join(map(_milliseconds, described["class_rtt"]))),
    ]


def _shared_paths(described: Mapping[str, Any]) -> list[tuple[str, str]]:
    shared = described["shared_paths"]
    return [("paths with several routes", f"{shared:,}")] if shared else []


def segment_hops(scenario: Scenario) -> float:
    """Return about how many times segments cross routers in a run. This number determines the cost of the run.

    The demand is a file of mean size per think time and source. An explicit flow asks for its interface rate while it
    lasts, or for its size; open-loop arrivals ask for their mean sizes. The capacity of the backbone is the speed of
    its routers divided by the routers per path, for data and acknowledgements if these share queues. The rate is close
    to the smaller of both, and below either where they are alike. Acknowledgements that pass routers count as segments.
    """
    described = scenario.describe()
    backbone = described["classes"][0]
    duration = float(scenario.value("time.duration"))
    asked = described["sources"] * described["mean_file_size"] / max(scenario.value("users.think_time"), 1e-9)
    asked += sum(_asked(flow, duration) for flow in scenario.value("flows")) / max(duration, 1e-9)
    spans = (_span(process, duration) for process in scenario.value("arrivals"))
    of_arrivals = zip(described["arrivals"], spans, strict=True)
    asked += sum(each["rate"] * each["mean_size"] * span for each, span in of_arrivals) / max(duration, 1e-9)
    path = scenario.value("network.ack_path")
    carried = backbone["routers"] * backbone["speed"] / max(described["mean_routers_per_path"], 1.0)
    acks = 0.5 if scenario.value("transport.delayed_acks") else 1.0
    carried /= 1 + acks if path == "queued" else 1
    rate = 1 / (1 / max(asked, 1e-9) + 1 / max(carried, 1e-9))
    ways = 1 if path == "delay" else 1 + acks
    return float(_REACHED * rate * described["mean_hops"] * ways * duration)


def highest_load(described: Mapping[str, Any]) -> tuple[float, str]:
    """Return the highest offered load of users and arrivals as a share of a router's speed, and the router's class."""
    return max((float(entry["load"][1]), str(entry["class"])) for entry in described["classes"])


def _milliseconds(time: float | None) -> str:
    return "none" if time is None else f"{time * 1e3:.4g} ms"


def _asked(flow: Mapping[str, Any], duration: float) -> float:
    """Return the segments that an explicit flow has to send in a run."""
    stop = duration if flow["stop"] is None else min(flow["stop"], duration)
    most = flow["interface"] * max(stop - flow["start"], 0.0)
    return float(most if flow["size"] is None else min(most, flow["size"]))


def _span(process: Mapping[str, Any], duration: float) -> float:
    """Return the time in which flows of a process arrive."""
    stop = duration if process["stop"] is None else min(process["stop"], duration)
    return float(max(stop - process["start"], 0.0))


_REACHED = 0.6
"""Share of that rate that networks reach (measured: .48 to .68 in six conditions of the demo, of all loads)."""


def _between(described: Mapping[str, Any]) -> str:
    """Return the first pair of routers with the longest round trip, and the number of other such pairs."""
    pairs = described["longest_paths"]
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    return f", {' - '.join(pairs[0])}{more}" if pairs else ""


CLASS_COLUMNS = ["class", "routers", "speed", "buffer", "sources", "offered load: mean, most"]


ARRIVAL_COLUMNS = ["arrivals", "from, to", "process", "sizes", "mean size", "rate", "offered load"]


def arrival_rows(scenario: Scenario, described: Mapping[str, Any]) -> list[list[str]]:
    """Return a row per process of open-loop arrivals: the rate that follows from a load, or the load of a rate.

    Rows of text, in the columns `ARRIVAL_COLUMNS`. The load is of data, on the queue that the scenario names, or on the
    queue with the highest.
    """
    rows = []
    for number, (process, found) in enumerate(zip(scenario.value("arrivals"), described["arrivals"], strict=True)):
        law = process["process"] + (f", sigma {process['sigma']:g}" if process["process"] == "bursty" else "")
        rows.append(
            [
                f"arrivals[{number}]",
                arrivals.ends_text(process),
                law,
                SIZES.show(process["sizes"]),
                f"{found['mean_size']:.6g} segments",
                f"{found['rate']:.6g} flows/s",
                f"{found['load']:.4g} of {found['queue']}",
            ]
        )
    return rows


ROUTE_COLUMNS = ["routes from", "paths that change", "highest offered load"]


def route_rows(described: Mapping[str, Any]) -> list[list[str]]:
    """Return a row per change of routes.

    Rows of text, in the columns `ROUTE_COLUMNS`. The load is of users and arrivals, on the queue with the highest.
    """
    return [
        [
            units.TIME.show(each["time"]),
            f"{each['paths']} of {described['paths']}",
            f"{each['load']:.4g} of {each['queue']}",
        ]
        for each in described["routes"]
    ]


def class_rows(described: Mapping[str, Any]) -> list[list[str]]:
    """Return a row per class of routers. Rows of text, in the columns `CLASS_COLUMNS`."""
    rows = []
    for entry in described["classes"]:
        least, most = entry["buffer"]
        buffer = f"{least:,} segments" if least == most else f"{least:,} to {most:,} segments"
        slowest, fastest = (f"{entry[which] / 1e3:,.6g}" for which in ("speed", "fastest"))
        speed = f"{slowest} seg/ms" if slowest == fastest else f"{slowest} to {fastest} seg/ms"
        load = "{:.2f}, {:.2f}".format(*entry["load"])
        rows.append([entry["class"], str(entry["routers"]), speed, buffer, f"{entry['sources']:,}", load])
    return rows


def access_notes(scenario: Scenario, described: Mapping[str, Any]) -> list[str]:
    """Return notes on the access that is built below a topology, and on values about it that have no effect."""
    topology, chosen = scenario.value("topology"), scenario.value(access.PATH)
    below = described["routers"] - len(topology.routers) if isinstance(topology, Topology) else 0
    found = []
    if chosen == STUDY and below:
        found.append(
            f"{below:,} routers are built below {counted(len(topology.routers), 'router')} as in the study, with "
            f'speeds of 2006 to 2010; {access.PATH} = "none" puts hosts at your routers, {access.PATH} = "cable 50/10" '
            "homes below them"
        )
    if not isinstance(chosen, str):
        found.append(_of_homes(scenario.network.homes))
    idle = [path for path in scenario.settings if path.startswith("tiers.") and path not in access.PATHS]
    idle = [] if chosen == STUDY else idle
    has_shares = not isinstance(chosen, str) and any(entry["share"] is not None for entry in chosen)
    if access.HOMES in scenario.settings and not has_shares:
        idle.append(access.HOMES)
    if idle:
        text = chosen if isinstance(chosen, str) else "homes"
        found.append(f"{listed(idle)} {'has' if len(idle) == 1 else 'have'} no effect: {access.PATH} = {text}")
    return found


def _of_homes(kinds: Sequence[Homes]) -> str:
    """Return a sentence with the number of homes of each kind."""
    totals = [sum(kind.counts) for kind in kinds]
    routers = sum(any(counts) for counts in zip(*(kind.counts for kind in kinds), strict=True))
    parts = [
        f"{total:,} {kind.name} ({100 * total / sum(totals):.3g} %)" for total, kind in zip(totals, kinds, strict=True)
    ]
    return (
        f"{counted(sum(totals), 'home')} below {counted(routers, 'router')}: {listed(parts)}; by default servers at "
        "these routers send, and homes receive"
    )


def capacity_notes(scenario: Scenario) -> list[str]:
    """Return notes on capacities of links that are not used, and on those that are filled in."""
    links = getattr(scenario.value("topology"), "links", ())
    known = sum(link.capacity is not None for link in links)
    if scenario.value("network.queue") == "router":
        note = f"capacities of {counted(known, 'link')} have no effect with network.queue = router"
        return [note + "; network.queue = port uses them"] if known else []
    rule = "the speed of the slower router at its ends"
    if known == 0:
        return [f"no link has a capacity: each serves at {rule}"]
    if known < len(links):
        return [f"{counted(len(links) - known, 'link')} without a capacity: each serves at {rule}"]
    return []


def traffic_notes(scenario: Scenario) -> list[str]:
    """Return notes on values of the traffic that have no effect."""
    matrix = scenario.value("users.traffic")
    has_rates = not isinstance(matrix, str) and matrix[0]["rate"] is not None
    idle = ("users.base_sources", "users.source_multiplier") if has_rates else ("users.traffic_factor",)
    why = "the rates of users.traffic set the sources" if has_rates else "users.traffic has no rates"
    unused = [path for path in idle if path in scenario.settings]
    verb = "has" if len(unused) == 1 else "have"
    return [f"{' and '.join(unused)} {verb} no effect: {why}"] if unused else []


def impairment_notes(scenario: Scenario) -> list[str]:
    """Return notes on impairments of links that have no effect."""
    sections = ["impairments", *(f"impairments.{name}" for name in scenario.impairment_sets())]
    return [note for section in sections for note in _idle_impairments(scenario, section)]


def _idle_impairments(scenario: Scenario, section: str) -> list[str]:
    """Return notes on impairments of one set."""
    value = {key: scenario.value(f"{section}.{key}") for key in impairment_sets.key_names()}

    def is_used(key: str) -> bool:
        return any(number > 0 for number in timed.values(value[key]))

    is_late = is_used("jitter_mean") or is_used("late") or value["delays"] is not None
    has_outage = value["outage_length"] > 0
    fits = [
        (("to_good", "loss_bad"), f"{section}.to_bad is 0", is_used("to_bad")),
        (("jitter_mean", "jitter_slot"), f"{section}.jitter is none", value["jitter"] != "none"),
        (("jitter",), f"{section}.jitter_mean is 0", value["jitter"] == "none" or is_used("jitter_mean")),
        (("late",), f"{section}.late_by is 0", not is_used("late") or is_used("late_by")),
        (("late_by",), f"{section}.late is 0", is_used("late")),
        (("outage_start", "outage_period"), f"{section}.outage_length is 0", has_outage),
        (("outage",), "there is no outage", has_outage or value["outages"] is not None),
        (("policer_burst",), f"{section}.policer_rate is 0", is_used("policer_rate")),
        (("keep_order",), "links add no delay", is_late),
    ]
    return [
        f"{section}.{key} has no effect: {why}"
        for keys, why, fit in fits
        for key in keys
        if f"{section}.{key}" in scenario.settings and not fit
    ]


def name_notes(scenario: Scenario) -> list[str]:
    """Return notes on words of other software, and the words of the simulator for them."""
    return [
        f"{path} = {setting.given} is {setting.value} here"
        for path, setting in scenario.settings.items()
        if isinstance(setting.given, str) and setting.given in getattr(settings.at(path).kind, "others", {})
    ]


def ecn_notes(scenario: Scenario) -> list[str]:
    """Return notes on values about marks that have no effect."""
    asks = bool(scenario.value("aqm.ecn"))
    if not asks and scenario.value("network.ecn_threshold") is None:
        unused = [path for path in ("network.ecn_rewrite", "connection.ecn") if path in scenario.settings]
        return [f"{path} has no effect: aqm.ecn and network.ecn_threshold are off" for path in unused]
    if asks and scenario.value("aqm.discipline") == "drop_tail":
        return ["aqm.ecn has no effect on queues with drop_tail, which mark above network.ecn_threshold only"]
    constants = [algorithm["parameters"] for algorithm in scenario.canonical()["algorithms"]]
    if all(values.get("ecn") == 0 for values in constants):
        return ["no segment is marked: the constant ecn of each algorithm is 0"]
    return []


def load_notes(described: Mapping[str, Any]) -> list[str]:
    """Return a note on each class of routers that cannot serve the offered load of users and arrivals.

    Sentences; empty if all routers are fast enough.
    """
    opens = bool(described["arrivals"])
    who = "users and arrivals offer" if opens and described["sources"] else "arrivals offer" if opens else "users offer"
    end = "as long as flows arrive" if opens else "until the users wait for the network"
    return [
        f"{who} up to {entry['load'][1]:.2f} times the load that routers of the class {entry['class']} serve: "
        f"active flows accumulate {end}"
        for entry in described["classes"]
        if entry["load"][1] > 1
    ]
