"""Quantities of one run, by equal rules for the kernel and for mesonet."""

from __future__ import annotations

import numpy as np

from mesonet.kernel.observations import Flow, Observation, at
from mesonet.units import SEGMENT_BYTES
from verification.witness.kernel.scenarios import PROPAGATION_S, SERVICE_S, START_S, KernelScenario


def quantities(run: Observation, scenario: KernelScenario) -> dict[str, float]:
    """Return the quantities of a run. Value by name; the names end with the unit."""
    if scenario.segments:
        found = {"completion ms": 1e3 * run.completion_s, "drops": float(run.dropped[-1])}
        return {**found, "retransmissions": run.flows[0].retransmissions}
    if scenario.spans_s:
        return _spans(run, scenario)
    span = scenario.span_s
    inside = (run.time_s >= span[0]) & (run.time_s < span[1])
    rtt_ms = 1e3 * (2 * PROPAGATION_S + SERVICE_S * run.queue[inside])
    accepted, dropped = run.gain(run.accepted, span), run.gain(run.dropped, span)
    delivered = [flow.gain(flow.delivered, span) for flow in run.flows]
    found = {
        "goodput Mb/s": sum(delivered) * SEGMENT_BYTES * 8e-6 / (span[1] - span[0]),
        "utilisation": run.gain(run.busy_s, span) / (span[1] - span[0]),
        "mean RTT ms": float(rtt_ms.mean()),
        "p95 RTT ms": float(np.percentile(rtt_ms, 95)),
        "drop rate %": 100 * dropped / (accepted + dropped) if accepted + dropped else float("nan"),
        "drops in first 3 s": at(run.time_s, run.dropped, START_S),
        "timeouts": sum(float(flow.timeouts[-1]) for flow in run.flows),
    }
    if len(run.flows) == 1:
        if scenario.algorithms[0] != "bbr":
            found |= _cuts(run.flows[0], span)
        return found | _flow_quantities(run, 0, span, "")
    found["share of newcomer"] = delivered[1] / sum(delivered)
    for number, name in enumerate((" of first", " of newcomer")):
        found |= _flow_quantities(run, number, span, name)
    return found


def _spans(run: Observation, scenario: KernelScenario) -> dict[str, float]:
    """Return the quantities of a flow whose path changes: by span, and of the whole run."""
    (flow,) = run.flows
    found = {}
    for span in scenario.spans_s:
        inside = (run.time_s >= span[0]) & (run.time_s < span[1])
        words = f"{span[0]:g} to {span[1]:g} s"
        gain = flow.gain(flow.delivered, span)
        found[f"goodput {words} Mb/s"] = gain * SEGMENT_BYTES * 8e-6 / (span[1] - span[0])
        service_s = SEGMENT_BYTES * 8e-6 / scenario.rate_at(span[0])
        found[f"mean RTT {words} ms"] = 1e3 * (2 * PROPAGATION_S + service_s * float(run.queue[inside].mean()))
    found |= {
        "retransmissions": flow.retransmissions,
        "spurious retransmissions": flow.spurious,
        "drops": float(run.dropped[-1]),
        "timeouts": float(flow.timeouts[-1]),
    }
    if scenario.outage_s:
        end = sum(scenario.outage_s)
        later = (flow.time_s > end) & (flow.delivered > at(flow.time_s, flow.delivered, end))
        found["first delivery after the outage s"] = float(flow.time_s[later][0] - end) if later.any() else float("nan")
    return found


def _cuts(flow: Flow, span: tuple[float, float]) -> dict[str, float]:
    """Return mean time between reductions of a window, and the median of threshold after / window before."""
    at = np.flatnonzero(np.diff(flow.reductions) > 0) + 1
    at = at[(flow.time_s[at] >= span[0]) & (flow.time_s[at] < span[1])]
    found = {"time between cuts s": float("nan"), "decrease factor": float("nan")}
    if len(at) > 1:
        found["time between cuts s"] = float((flow.time_s[at[-1]] - flow.time_s[at[0]]) / (len(at) - 1))
    if len(at):
        found["decrease factor"] = float(np.median(flow.ssthresh[at] / flow.cwnd[at - 1]))
    return found


def _flow_quantities(run: Observation, number: int, span: tuple[float, float], name: str) -> dict[str, float]:
    """Return the quantities of a flow in the span; retransmissions are of the whole run."""
    flow = run.flows[number]
    found = {
        f"drops{name}": flow.gain(flow.drops, span),
        f"reductions{name}": flow.gain(flow.reductions, span),
        f"mean cwnd{name} segments": flow.mean(flow.cwnd, span),
        f"mean in flight{name} segments": flow.mean(flow.in_flight, span),
        f"mean smoothed RTT{name} ms": 1e3 * flow.mean(flow.srtt_s, span),
        f"retransmissions{name}": flow.retransmissions,
        f"spurious retransmissions{name}": flow.spurious,
    }
    if run.dsacks:
        found[f"DSACKs{name}"] = run.dsacks[number]
    if run.smallest_rtt_s:
        found[f"smallest RTT{name} ms"] = 1e3 * run.smallest_rtt_s[number]
    return found
