"""Measures of many connections over one line: loss, shut-off connections, models of single connections (Part G).

W_c is the number of packets that path and buffer hold together: bandwidth x 2 x delay + buffer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from mesonet import core
from verification.scorecard.flows import FEWEST_FLOWS
from verification.scorecard.reasons import NotEvaluated

if TYPE_CHECKING:
    import polars as pl

    from mesonet.campaign import Campaign
    from verification.scorecard.campaigns import Campaigns

Floats = NDArray[np.float64]

ALGORITHM = "tcp"
IDLE = 0.05
"""A connection that gets less than this part of its fair share is shut off: chosen, well below what chance does."""

_OCCUPANCY = {"p5": "5", "p50": "50", "p95": "95", "sd": "sd"}


@dataclass(frozen=True)
class Line:
    """A condition: a number of connections over a line."""

    condition: int
    connections: int
    buffer: float  #: packets
    speed: float  #: packets/s
    round_trip: float  #: round trip of the line alone, without delays of senders, s
    span: tuple[float, float]  #: beginning and end of the measured span, s

    @property
    def path(self) -> float:
        """W_opt, packets."""
        return self.speed * self.round_trip

    @property
    def pipe(self) -> float:
        """W_c, packets."""
        return self.buffer + self.path


def loss(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return the part of the packets that the line drops. 0 to 1."""
    return _loss(campaigns, experiment, _line(campaigns, experiment, connections, buffer))


def loss_over_model(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return loss over 1/S, S = sum of floor((W + 1)/2) to W, + 2 W + 1, with W = W_c / connections rounded."""
    line = _line(campaigns, experiment, connections, buffer)
    window = round(line.pipe / connections)
    cycle = sum(range((window + 1) // 2, window + 1)) + 2 * window + 1
    return _loss(campaigns, experiment, line) * cycle


def loss_change(campaigns: Campaigns, experiment: str, other: str, connections: int, buffer: float) -> float:
    """Return loss in `experiment` over loss in `other`."""
    return loss(campaigns, experiment, connections, buffer) / loss(campaigns, other, connections, buffer)


def fit(
    campaigns: Campaigns,
    experiment: str,
    curve: str,
    law: str,
    buffer: float,
    what: str,
    most: float = np.inf,
    pipe: str = "any",
) -> float:
    """Return a result of a law fitted to a curve over the connections x, in the conditions with a buffer.

    The curve is ``loss`` or ``goodput``; `LAWS` has the laws with their results. Conditions count up to `most`
    connections; with a ``large`` pipe W_c > 3 x only, with a ``small`` one x > W_c / 3 only.
    """
    measure = {"loss": _loss, "goodput": _goodput}[curve]
    chosen = [
        line
        for line in lines(campaigns.load(experiment))
        if line.buffer == buffer
        and line.connections <= most
        and (pipe != "large" or line.pipe > 3 * line.connections)
        and (pipe != "small" or line.connections > line.pipe / 3)
    ]
    x = np.array([float(line.connections) for line in chosen])
    y = np.array([measure(campaigns, experiment, line) for line in chosen])
    return LAWS[law](x, y)[what]


def fit_ratio(
    campaigns: Campaigns,
    experiment: str,
    other: str,
    curve: str,
    law: str,
    buffer: float,
    other_buffer: float,
    what: str,
    most: float = np.inf,
) -> float:
    """Return `fit` in one experiment and buffer over its value in another."""
    own, others = (
        fit(campaigns, name, curve, law, buffer=room, what=what, most=most)
        for name, room in ((experiment, buffer), (other, other_buffer))
    )
    return own / others


def active(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return the connections that are not shut off, over W_c."""
    line = _line(campaigns, experiment, connections, buffer)
    return float(np.count_nonzero(_working(campaigns, experiment, line))) / line.pipe


def shut_off(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return the part of the connections that is shut off. 0 to 1."""
    working = _working(campaigns, experiment, _line(campaigns, experiment, connections, buffer))
    return float(1 - np.count_nonzero(working) / len(working))


def fewer_shut_off(campaigns: Campaigns, experiment: str, other: str, connections: int, buffer: float) -> float:
    """Return the part of the connections shut off in `other` less the part shut off in `experiment`. -1 to 1."""
    return shut_off(campaigns, other, connections, buffer) - shut_off(campaigns, experiment, connections, buffer)


def jain(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return Jain's index of the deliveries of the connections."""
    found = _delivered(campaigns, experiment, _line(campaigns, experiment, connections, buffer))
    return float(found.sum() ** 2 / (len(found) * (found**2).sum()))


def fairness_change(campaigns: Campaigns, experiment: str, other: str, connections: int, buffer: float) -> float:
    """Return the spread (variation coefficient) of deliveries in `experiment` over the spread in `other`."""
    spreads = [
        float(np.std(found) / np.mean(found))
        for found in (
            _delivered(campaigns, name, _line(campaigns, name, connections, buffer)) for name in (experiment, other)
        )
    ]
    return spreads[0] / spreads[1]


def throughput(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return the rate of packets that left the line, as a share of its speed. 0 to 1."""
    line = _line(campaigns, experiment, connections, buffer)
    return campaigns.value(experiment, ALGORITHM, line.condition, "segment_rate") / line.speed


def least_throughput(campaigns: Campaigns, experiment: str) -> float:
    """Return the least `throughput` over the conditions. 0 to 1."""
    conditions = lines(campaigns.load(experiment))
    return min(throughput(campaigns, experiment, line.connections, line.buffer) for line in conditions)


def goodput(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return the rate of packets delivered for the first time, as a share of the speed of the line. 0 to 1."""
    return _goodput(campaigns, experiment, _line(campaigns, experiment, connections, buffer))


def throughput_change(
    campaigns: Campaigns, experiment: str, other: str, what: str, small_pipe: bool | None = None
) -> float:
    """Return the largest difference of the ``throughput`` or ``goodput`` of two experiments over conditions.

    0 to 1. `small_pipe`: True: only conditions with more connections than W_c. False: only the others. None: all.
    """
    measure = {"throughput": throughput, "goodput": goodput}[what]
    changes = [
        measure(campaigns, experiment, line.connections, line.buffer)
        - measure(campaigns, other, line.connections, line.buffer)
        for line in lines(campaigns.load(experiment))
        if small_pipe is None or small_pipe == (line.connections > line.pipe)
    ]
    return float(np.abs(changes).max())


def throughput_order(campaigns: Campaigns, experiment: str, by: str) -> float:
    """Return the number of neighbours between which throughput falls though ``buffer`` or ``connections`` grow.

    Falls of more than 0.001 count, in conditions whose buffer is smaller than the segments that the path holds, W_opt.

    0 if throughput grows everywhere.
    """
    table = {
        (line.connections, line.buffer): throughput(campaigns, experiment, line.connections, line.buffer)
        for line in lines(campaigns.load(experiment))
        if line.buffer < round(line.path)
    }
    place = {"connections": 0, "buffer": 1}[by]
    falls = 0
    for rest in sorted({key[1 - place] for key in table}):
        row = [value for key, value in sorted(table.items()) if key[1 - place] == rest]
        falls += sum(after < before - 1e-3 for before, after in pairwise(row))
    return float(falls)


def epoch(campaigns: Campaigns, experiment: str, connections: int, buffer: float, what: str) -> float:
    """Return the saw teeth of the traced windows over the model's, W = W_c / connections rounded; medians.

    ``top``: whole packets of the window when it falls, over W + 1; ``bottom``: after it, over floor((W + 1)/2);
    ``slope``: packets per round trip from the first rise to the last, over 1; ``losses``: packets lost by a
    connection for each time it halves, the mean over all connections.

    The ratio; for ``losses`` a number of packets.
    """
    line = _line(campaigns, experiment, connections, buffer)
    if what == "losses":
        flows = _flows(campaigns, experiment, line)
        return float(flows["losses"].sum() / flows["indications"].sum())  # type: ignore[operator]
    run = campaigns.run(experiment, ALGORITHM, line.condition)
    inside = run.time > line.span[0]
    model = round(line.pipe / connections)
    teeth = [
        tooth
        for flow in range(run.cwnd.shape[1])
        for tooth in _teeth(run.time[inside], run.cwnd[inside, flow], run.rtt[inside, flow])
    ]
    bottoms, tops, slopes = np.array(teeth).T
    return {
        "top": float(np.median(np.floor(tops))) / (model + 1),
        "bottom": float(np.median(np.floor(bottoms))) / ((model + 1) // 2),
        "slope": float(np.median(slopes)),
    }[what]


def occupancy(campaigns: Campaigns, experiment: str, connections: int, buffer: float, which: str) -> float:
    """Return packets in the buffer over its places: the ``5``, ``50`` or ``95`` percentile over time, or ``sd``."""
    line = _line(campaigns, experiment, connections, buffer)
    trace = _kept(campaigns, experiment, line, "router_traces").filter(_after(line))
    used = trace["queue"].to_numpy() / line.buffer
    return float(np.std(used)) if which == "sd" else float(np.percentile(used, float(which)))


def occupancy_change(campaigns: Campaigns, experiment: str, other: str, connections: int, buffer: float) -> float:
    """Return the SD of the buffer's occupancy in `experiment` over its SD in `other`."""
    return occupancy(campaigns, experiment, connections, buffer, "sd") / occupancy(
        campaigns, other, connections, buffer, "sd"
    )


def timeouts_per_loss(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> float:
    """Return timeouts over lost packets, both summed over the connections; 0 where no packet is lost."""
    flows = _flows(campaigns, experiment, _line(campaigns, experiment, connections, buffer))
    lost = float(flows["losses"].sum())
    return float(flows["timeouts"].sum()) / lost if lost else 0.0


def in_round_trip_band(campaigns: Campaigns, experiment: str) -> float:
    """Return the part of the conditions with (RTT2/RTT1)^2 <= Thr1/Thr2 <= 2 (RTT2/RTT1)^2.

    Conditions have two groups of round trips, which include the mean wait in the queue.

    0 to 1.
    """
    inside = []
    for line, scenario in zip(lines(campaigns.load(experiment)), _scenarios(campaigns.load(experiment)), strict=True):
        delivered = _delivered(campaigns, experiment, line)
        extra = np.array([flow["extra_delay"] for flow in scenario["flows"]])
        trace = _kept(campaigns, experiment, line, "router_traces").filter(_after(line))
        waiting = float(trace["queue"].mean()) / line.speed  # type: ignore[arg-type]
        trips = [line.round_trip + waiting + 2 * each for each in (extra.min(), extra.max())]
        ratio = delivered[extra == extra.min()].mean() / delivered[extra == extra.max()].mean()
        square = (trips[1] / trips[0]) ** 2
        inside.append(square <= ratio <= 2 * square)
    return float(np.mean(inside))


def within_factor(
    campaigns: Campaigns, experiment: str, model: str, factor: float, connections: Sequence[int] = (1, 600)
) -> float:
    """Return the part of the connections whose rate the model of Padhye et al. predicts within a factor.

    Inputs are the loss indications per packet of the connection, the mean round trip of the condition, and a first
    timeout: the minimum or a round trip, whichever is more (assumed: single timeouts are not recorded). Connections
    without a loss or a packet are left out: the model does not cover them.

    0 to 1. `model`: ``full`` or ``approximate``. `factor`: at least 1.
    """
    hits = total = 0
    for line, scenario in zip(lines(campaigns.load(experiment)), _scenarios(campaigns.load(experiment)), strict=True):
        if not connections[0] <= line.connections <= connections[1]:
            continue
        flows = _flows(campaigns, experiment, line)
        trip = campaigns.value(experiment, ALGORITHM, line.condition, "rtt") / 1e3
        first = max(scenario["transport"]["min_rto"], trip)
        sent, indications = (flows[name].to_numpy().astype(float) for name in ("segments_sent", "indications"))
        lossy = (indications > 0) & (sent > 0)
        rate = sent[lossy] / line.span[1]
        ratio = pftk(np.minimum(indications[lossy] / sent[lossy], 0.999), trip, first, full=model == "full") / rate
        hits += int(np.count_nonzero((ratio <= factor) & (ratio >= 1 / factor)))
        total += len(ratio)
    if total < FEWEST_FLOWS:
        raise NotEvaluated(f"{total} connections had a loss; {FEWEST_FLOWS} are the fewest")
    return hits / total


def worse_model(campaigns: Campaigns, experiment: str, factor: float) -> float:
    """Return the part of the connections that the approximate model predicts within a factor, less the full model's.

    -1 to 1. `factor`: at least 1.
    """
    shares = [within_factor(campaigns, experiment, model, factor) for model in ("full", "approximate")]
    return shares[1] - shares[0]


def pftk(loss: Floats, round_trip: float, time_out: float, *, full: bool) -> Floats:
    """Return the rate that the model of Padhye et al. predicts for a rate of loss indications.

    b = 1, and the receiver sets no limit.

    Packets/s, in the shape of `loss`. `loss`: loss indications per packet, above 0 and below 1. `round_trip`: s.
    `time_out`: first timeout, s.
    """
    p = loss
    spread = 1 + p * (1 + p * (2 + p * (4 + p * (8 + p * (16 + 32 * p)))))
    if not full:
        often = np.minimum(1, 3 * np.sqrt(3 * p / 8))
        return np.asarray(1 / (round_trip * np.sqrt(2 * p / 3) + time_out * often * p * (1 + 32 * p**2)))
    window = 1 + np.sqrt(8 * (1 - p) / (3 * p) + 1)  # (2 + b)/(3 b) = 1 for b = 1
    keeps = 1 - p
    by_time_out = np.minimum(1, (1 - keeps**3) * (1 + keeps**3 * (1 - keeps ** (window - 3))) / (1 - keeps**window))
    return np.asarray(
        ((1 - p) / p + window + by_time_out / (1 - p))
        / (round_trip * (window / 2 + 1) + by_time_out * spread * time_out / (1 - p))
    )


def table(campaigns: Campaigns, experiment: str, line: str) -> Iterator[dict[str, str | float]]:
    """Yield a row for each condition of an experiment, for the comparison with witnesses.

    Part of the packets lost; goodput over capacity; Jain's index; part of the connections shut off; active
    connections; percentiles and standard deviation of the buffer over its places; timeouts over lost packets.
    """
    for each in lines(campaigns.load(experiment)):
        of = (campaigns, experiment, each.connections, each.buffer)
        off = shut_off(*of)
        measured = {
            "loss": loss(*of),
            "goodput": goodput(*of),
            "jain": jain(*of),
            "shut_off": off,
            "active": each.connections * (1 - off),
            **{f"buffer_{name}": occupancy(*of, which) for name, which in _OCCUPANCY.items()},
            "timeouts_per_drop": timeouts_per_loss(*of),
        }
        yield {
            "line": line,
            "connections": each.connections,
            "buffer_packets": int(each.buffer),
            **{name: round(value, 4) for name, value in measured.items()},
        }


MEASURES = (
    loss, loss_over_model, loss_change, fit, fit_ratio, active, shut_off, fewer_shut_off, jain, fairness_change,
    throughput, least_throughput, goodput, throughput_change, throughput_order, occupancy, timeouts_per_loss,
    occupancy_change, in_round_trip_band, within_factor, worse_model, epoch,
)  # fmt: skip


def _straight(x: Floats, y: Floats) -> dict[str, float]:
    """Fit y = c + slope x; the slope is per 100 connections."""
    return {"slope": float(np.polyfit(x, y, 1)[0] * 100), "R^2": float(np.corrcoef(x, y)[0, 1] ** 2)}


def _power(x: Floats, y: Floats) -> dict[str, float]:
    """Fit y = c x^exponent where there is any y: the slope of the logarithms."""
    return {"exponent": float(np.polyfit(np.log(x[y > 0]), np.log(y[y > 0]), 1)[0])}


def _hyperbola(x: Floats, y: Floats) -> dict[str, float]:
    """Fit y = b x / (x + a) by least squares; the error is the largest relative one."""
    (a, b), _ = optimize.curve_fit(lambda x, a, b: b * x / (x + a), x, y, p0=(float(x.mean()), 0.5))
    return {"a": float(a), "b": float(b), "error": float(np.abs(b * x / (x + a) / y - 1).max())}


LAWS = {"line": _straight, "power": _power, "hyperbola": _hyperbola}
"""Fits of a curve over the connections: results by name."""


def _teeth(time: Floats, window: Floats, round_trip: Floats) -> list[tuple[float, float, float]]:
    """Return the window at the bottom and top of each rise, and its slope in packets per round trip (given in ms)."""
    falls = np.flatnonzero(np.diff(window) < 0)
    teeth = []
    for begin, end in pairwise(falls.tolist()):
        rises = begin + 2 + np.flatnonzero(np.diff(window[begin + 1 : end + 1]) > 0)
        if len(rises) > 1:
            first, last = int(rises[0]), int(rises[-1])
            trips = (time[last] - time[first]) / (float(np.nanmean(round_trip[first : last + 1])) / 1e3)
            teeth.append((window[begin + 1], window[end], (window[last] - window[first]) / trips))
    return teeth


@cache
def _scenarios(campaign: Campaign) -> list[dict[str, Any]]:
    return [entry["scenario"] for entry in campaign.experiment["scenarios"] if entry["algorithm"] == ALGORITHM]


@cache
def lines(campaign: Campaign) -> list[Line]:
    """Return the conditions of a campaign, in order."""
    found = []
    for number, scenario in enumerate(_scenarios(campaign), start=1):
        described = core.describe(json.dumps(scenario))
        (classed,) = described["classes"]
        span = (float(scenario["time"]["warmup"]), float(scenario["time"]["duration"]))
        count, room = len(scenario["flows"]), float(classed["buffer"][0])
        found.append(
            Line(
                condition=number,
                connections=count,
                buffer=room,
                speed=float(classed["speed"]),
                round_trip=float(described["max_rtt"]),
                span=span,
            )
        )
    return found


def _line(campaigns: Campaigns, experiment: str, connections: int, buffer: float) -> Line:
    for line in lines(campaigns.load(experiment)):
        if (line.connections, line.buffer) == (connections, buffer):
            return line
    raise NotEvaluated(f"{experiment} has no condition with {connections} connections and a buffer of {buffer:g}")


def _loss(campaigns: Campaigns, experiment: str, line: Line) -> float:
    return campaigns.value(experiment, ALGORITHM, line.condition, "loss_rate")


def _goodput(campaigns: Campaigns, experiment: str, line: Line) -> float:
    return float(_delivered(campaigns, experiment, line).sum()) / (line.speed * line.span[1])


def _kept(campaigns: Campaigns, experiment: str, line: Line, table: str) -> pl.DataFrame:
    return campaigns.load(experiment).kept(table, line.condition, ALGORITHM, campaigns.seed_of(experiment))


def _after(line: Line) -> pl.Expr:
    import polars as pl

    return pl.col("time_s") > line.span[0]


def _flows(campaigns: Campaigns, experiment: str, line: Line) -> pl.DataFrame:
    """Return the connections of a condition, in the order in which they are given, with their loss indications."""
    import polars as pl

    table = _kept(campaigns, experiment, line, "flows")
    return table.sort("source").with_columns(indications=pl.col("loss_events") + pl.col("timeouts"))


def _delivered(campaigns: Campaigns, experiment: str, line: Line) -> Floats:
    return _flows(campaigns, experiment, line)["segments_delivered"].to_numpy().astype(float)


def _working(campaigns: Campaigns, experiment: str, line: Line) -> NDArray[np.bool_]:
    found = _delivered(campaigns, experiment, line)
    return np.asarray(found >= IDLE * line.speed * line.span[1] / line.connections)
