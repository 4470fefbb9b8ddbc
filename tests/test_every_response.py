"""Every response of a run, recomputed from its tables and traces.

A web of all kinds of files on all pairs of access routers makes each response non-trivial: losses, marks, timeouts,
failed connections, impatient users, long-lived flows. A second network adds plain routers and spurious timeouts, a
third one losses in routers of every class, a fourth one video and datagrams.

No table holds the delay of every segment, so that in those four runs percentiles of delays have bounds only. In a fifth
run all senders are open-loop: when each segment leaves, waits and arrives follows by hand. A last test exchanges any
two responses, which must fail in at least one run.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from functools import cached_property
from itertools import count, pairwise
from math import ceil

import numpy as np
import polars as pl
import pytest

import mesonet as mn
from mesonet.responses.definitions import COUNTS, RESPONSES
from mesonet.scenarios.scenario import Scenario

INTERVAL, WARMUP, LENGTH, STARVED = 0.2, 2.0, 4.0, 1.0
WINDOW, WITHIN = 0.4, 0.3
HORIZONS = {"half": 0.5, "quarter": 0.25, "eighth": 0.125}
PERIODS = {"1": (2.0, 6.0), "2": (6.0, 10.0), "measured": (2.0, 10.0)}
TIME = {
    "time.duration": "10 s", "time.warmup": f"{WARMUP} s", "time.periods": 2, "measurement.interval": f"{INTERVAL} s",
    "measurement.flow_records": 1, "measurement.flow_series": 3, "measurement.starved_after": f"{STARVED} s",
    "trace.routers": ["all"], "trace.every": f"{INTERVAL} s", "measurement.queue_delays": True,
    "measurement.segment_delays": True,
    "measurement.fair_window": f"{WINDOW} s", "measurement.fair_within": WITHIN, "measurement.fair_windows": 2,
}  # fmt: skip
WEB = TIME | {
    "algorithms": {"tcp": 0.5, "scalable": 0.5}, "network.speed": "20 seg/ms", "network.buffer": "0.3 bdp",
    "network.ack_path": "queued", "network.ecn_threshold": "6 segments",
    "users.base_sources": 10, "users.source_distribution": [0.3, 0.4, 0.3],
    "users.receiver_distribution": [0.3, 0.3, 0.4], "users.think_time": "0.5 s", "users.size_shape": 1.15,
    "users.web_object_size": "10 segments",
    "users.document_probability": 0.25, "users.service_pack_probability": 0.2, "users.movie_probability": 0.1,
    "users.document_factor": 2, "users.service_pack_factor": 3, "users.movie_factor": 5,
    "users.patience_probability": 0.5, "users.patience_time": "3 s", "users.long_lived_flows": 3,
    "impairments.loss": 0.0005, "impairments.duplicate": 0.0005, "transport.segment_bytes": 9000,
    "connection.syn_timeout": "0.3 s", "connection.syn_attempts": 2,
}  # fmt: skip
PLAIN = TIME | {
    "algorithms": {"tcp": 1.0}, "network.ecn_threshold": "26 segments", "network.speed": "1 seg/ms",
    "network.buffer": "30 segments", "users.base_sources": 0,
    "flows": [{"from": "A", "to": "B", "count": 2}, {"from": "A", "to": "B", "interface": "5 seg/s"}],
    "network.changes": [{"time": f"{t} s", "link": ["A", "B"], "delay": d} for t, d in ((3, "2 s"), (7, "4 s"))],
}  # fmt: skip
#: Three bursts join on their way: each router is slower than what comes to it. Later a file to an optimistic receiver.
NARROW = TIME | {
    "algorithms": {"tcp": 1.0}, "network.ecn_threshold": "8 segments", "network.speed": "1 seg/ms",
    "network.buffer": "10 segments", "transport.initial_window": "200 segments", "users.base_sources": 0,
    "impairments.late": 0.01, "impairments.late_by": "20 ms", "impairments.keep_order": False, "transport.undo": True,
    "flows": [
        *({"from": begin, "to": "Q", "interface": "5 seg/ms", "start": "3 s"} for begin in "NFD"),
        {"from": "N", "to": "Q", "size": "9 segments", "start": "6 s", "receiver": "optimistic"},
    ],
}  # fmt: skip
#: Frames by TCP and by UDP, floods of half a second that fill their queue, and videos that switch and stall.
MEDIA = TIME | {
    "algorithms": {"tcp": 1.0}, "network.speed": "1 seg/ms", "network.buffer": "90 segments",
    "users.base_sources": 0,
    "flows": [
        {"from": "A", "to": "B", "application": "frames", "frame_rate": 20, "frame_size": "4 segments"},
        *({"from": "B", "to": "A", "application": "video", "ladder": ["0.05 seg/ms", "0.1 seg/ms"], "chunk_time": "1 s",
           "playback_buffer": "4 s", "resume_buffer": "2 s", "interface": rate, "start": start}
          for rate, start in (("80 seg/s", "1 s"), ("0.4 seg/ms", "2.1 s"), ("60 seg/s", "6.3 s"))),
        {"from": "A", "to": "B", "application": "frames", "frame_rate": 7, "frame_size": "3 segments",
         "transport": "udp", "report_interval": "1 s", "extra_delay": "150 ms"},
        {"from": "A", "to": "B", "application": "on_off", "burst_time": "0.5 s", "rate": "1400 seg/s",
         "idle_time": "0.3 s", "idle": "constant", "transport": "udp", "report_interval": "1 s"},
    ],
}  # fmt: skip
#: Bursts into queues that drop nothing: frames of datagrams, and files that fit into the first window. Times are in ms.
FRAMES = [
    {"from": "N", "rate": 2, "segments": 20, "gap": 0.2, "start": 103},
    {"from": "F", "rate": 1.25, "segments": 37, "gap": 0.25, "start": 151},
]
BURST_FILES = [
    {"from": "D", "segments": 40, "gap": 0.2, "start": 3000},
    {"from": "N", "segments": 90, "gap": 0.2, "start": 7110},
]
BURSTS = TIME | {
    "algorithms": {"tcp": 1.0}, "network.speed": "1 seg/ms", "network.buffer": "1000 segments",
    "transport.initial_window": "200 segments", "users.base_sources": 0,
    "flows": [
        *({"from": flow["from"], "to": "Q", "start": f"{flow['start']} ms", "interface": f"{1 / flow['gap']} seg/ms",
           "application": "frames", "frame_rate": flow["rate"], "frame_size": f"{flow['segments']} segments",
           "transport": "udp"} for flow in FRAMES),
        *({"from": flow["from"], "to": "Q", "start": f"{flow['start']} ms", "interface": f"{1 / flow['gap']} seg/ms",
           "size": f"{flow['segments']} segments"} for flow in BURST_FILES),
    ],
}  # fmt: skip
#: Routers with their class and their time for a segment, ms; paths; delays of links, ms.
SERVICE = {
    "N": ("normal", 1.25), "F": ("fast", 1.6), "P": ("pop", 2.5), "D": ("direct", 10), "B": ("backbone", 3.2),
    "Q": ("plain", 4),
}  # fmt: skip
PATHS = {"N": "NPBQ", "F": "FPBQ", "D": "DBQ"}
DELAY = {"NP": 1, "FP": 2, "PB": 3, "DB": 4, "BQ": 5}
NODES = "name,class,speed_factor\nN,normal,0.9\nF,fast,0.85\nP,pop,0.7\nD,direct,0.1\nB,backbone,0.65\nQ,plain,0.6\n"
LINKS = "from,to,delay_ms\nN,P,1\nF,P,2\nP,B,3\nD,B,4\nB,Q,5\n"
#: Pairs of classes of access routers by their letters.
LETTERS = {"direct access": "d", "fast access": "f", "normal access": "n"}
BY_SPEED = {"goodput_very_fast": ("dd",), "goodput_fast": ("df", "ff"), "goodput_typical": ("dn", "fn", "nn")}
SIZES = {
    "": (0, np.inf), "_below_10kb": (0, 1e4), "_below_100kb": (1e4, 1e5), "_below_1mb": (1e5, 1e6),
    "_from_1mb": (1e6, np.inf),
}  # fmt: skip
FILES = ("web object", "document", "service pack", "movie")
#: Columns of the series whose mean over the intervals is a response, by the response.
IN_SERIES = {"transmitting_sources": "sending", "connecting_sources": "connecting"} | {
    response.name: column for column, response in COUNTS.items()
}
SHARES = {
    "initial_slow_start_share": "initial_slow_start", "standard_share": "standard", "alternate_share": "alternate",
    "recovery_share": "recovery",
}  # fmt: skip


#: A response: its value, or bounds of it.
Expected = float | tuple[float, float]
SHARES_OF_DELAYS = (50, 95, 99)


def percentile(values: list[int], share: int) -> float:
    """The number below or at which a share of whole numbers lies, as the simulator rounds it: to 1/64 of itself."""
    if not values:
        return float("nan")
    found = sorted(values)[max(1, -(-share * len(values) // 100)) - 1]
    width = 1 << max(0, found.bit_length() - 7)
    return found // width * width + (width - 1) / 2


def bounds(of_parts: pl.Series) -> Expected:
    """Bounds of a percentile of a mixture: it lies between those of the parts."""
    return (of_parts.min(), of_parts.max()) if of_parts.count() else float("nan")


class Run:
    """A run in which every source and router is traced, and its responses computed from tables and traces."""

    def __init__(self, name: str, values: dict) -> None:
        start = mn.scenario(name).with_values(values)
        self.sources = start.describe()["sources"]
        self.explicit = range(1, 1 + max(3, len(values.get("flows", ()))))
        traced = {"trace.sources": list(range(self.sources)), "trace.flows": list(self.explicit)}
        self.scenario: Scenario = start.with_values(traced)
        self.result = mn.simulate(self.scenario, seed=7)
        self.series = self.result.series.to_polars()
        self.routers = self.result.routers.to_polars()
        self.queue_traces = self.result.router_traces.to_polars()

    @cached_property
    def flows(self) -> pl.DataFrame:
        """Flows with the name of their trace, and the pair of their access routers."""
        classes = dict(self.routers.select("router", "class").unique().iter_rows())
        flows = self.result.flows.to_polars()
        names, pairs = [], []
        explicit = iter(self.explicit)
        order = flows.filter(pl.col("category") == "explicit")["source"].to_list()
        number = {source: next(explicit) for source in sorted(order)}
        for row in flows.iter_rows(named=True):
            names.append(
                f"flow {number[row['source']]}" if row["category"] == "explicit" else f"source {row['source']}"
            )
            pairs.append("".join(sorted(LETTERS.get(classes[row[end]], "p") for end in ("from", "to"))))
        return flows.with_columns(flow=pl.Series(names), pair=pl.Series(pairs))

    @cached_property
    def traced(self) -> pl.DataFrame:
        """Rows of sending flows at the sample instants, with the pair of each flow and the number of the instant."""
        rows = self.result.flow_traces.to_polars().with_columns(
            step=(pl.col("time_s") / INTERVAL).round().cast(pl.Int64)
        )
        rows = rows.filter(~pl.col("state").is_in(["closed", "connecting"]))
        about = self.flows.select("flow", "transfer", "pair", "first_sent_s", "started_s")
        return rows.join(about, on=["flow", "transfer"], how="left")

    def steps(self, period: str) -> range:
        """Numbers of the sample instants of a period."""
        begin, end = PERIODS[period]
        return range(round(begin / INTERVAL) + 1, round(end / INTERVAL) + 1)

    def rows(self, period: str) -> pl.DataFrame:
        """Rows of the series of a period."""
        begin, end = PERIODS[period]
        return self.series.filter((pl.col("time_s") > begin + 1e-9) & (pl.col("time_s") < end + 1e-9))

    def completed(self, period: str) -> pl.DataFrame:
        """Flows that completed in a period."""
        begin, end = PERIODS[period]
        return self.flows.filter(
            (pl.col("completed") == 1) & (pl.col("last_acked_s") > begin) & (pl.col("last_acked_s") <= end)
        )

    @cached_property
    def acked(self) -> pl.DataFrame:
        """Segments acknowledged by step and pair: what traces gain, and the rest of each flow after its last trace."""
        delivered = pl.col("segments_delivered")
        gains = self.traced.sort("flow", "transfer", "step").with_columns(
            gain=delivered - delivered.shift(1, fill_value=0).over("flow", "transfer")
        )
        last = self.traced.group_by("flow", "transfer").agg(seen=delivered.max())
        rest = self.flows.join(last, on=["flow", "transfer"], how="left").with_columns(
            gain=delivered - pl.col("seen").fill_null(0),
            step=(pl.col("last_acked_s") / INTERVAL).ceil().fill_null(0).cast(pl.Int64),
        )
        both = [each.select("step", "pair", pl.col("gain").cast(pl.Int64)) for each in (gains, rest)]
        return pl.concat(both).group_by("step", "pair").agg(pl.col("gain").sum())

    def goodput(self, period: str, pairs: tuple[str, ...]) -> float:
        """Segments per second over flows, both means over the instants; NaN if none has a transmitting flow."""
        own = pl.col("pair").is_in(pairs)
        gains = dict(self.acked.filter(own).group_by("step").agg(pl.col("gain").sum()).iter_rows())
        sending = dict(self.traced.filter(own).group_by("step").len().iter_rows())
        gained, flows = (sum(of.get(step, 0) for step in self.steps(period)) for of in (gains, sending))
        return gained / INTERVAL / flows if flows else float("nan")

    def starved(self, period: str) -> float:
        """Share of the sending flows without an acknowledgement for `STARVED` seconds."""
        back = round(STARVED / INTERVAL)
        before = self.traced.select("flow", "transfer", step=pl.col("step") + back, then=pl.col("segments_delivered"))
        rows = self.traced.join(before, on=["flow", "transfer", "step"], how="left")
        began = pl.col("first_sent_s").fill_null(pl.col("started_s"))
        rows = rows.with_columns(
            starved=(pl.col("segments_delivered") == pl.col("then")) & (began + STARVED < pl.col("step") * INTERVAL)
        )
        shares = rows.group_by("step").agg(pl.col("starved").fill_null(False).mean()).sort("step")
        return float(shares.filter(pl.col("step").is_in(list(self.steps(period))))["starved"].mean())

    def over_instants(self, period: str, column: str) -> float:
        """Mean over the sending flows with a value at an instant, mean over the instants."""
        rows = self.traced.filter(pl.col("step").is_in(list(self.steps(period))) & (pl.col(column) > 0))
        return float(rows.group_by("step").agg(pl.col(column).mean())[column].mean())

    def buffer_use(self, period: str, name: str) -> float:
        """Share of the places of the routers of a class, those in service included."""
        places = dict(self.routers.filter(pl.col("class") == name).select("router", "buffer").iter_rows())
        steps = [step * INTERVAL for step in self.steps(period)]
        rows = self.queue_traces.filter(
            pl.col("router").is_in(list(places)) & pl.col("time_s").is_between(steps[0] - 1e-9, steps[-1] + 1e-9)
        )
        return (
            float((rows["queue"] / (rows["router"].replace_strict(places) + 1)).mean()) if len(rows) else float("nan")
        )

    def queues(self, period: str, name: str) -> dict[str, Expected]:
        """Losses and marks of the queues of a class, and bounds of their delays."""
        rows = self.routers.filter((pl.col("class") == name) & (pl.col("period") == period))
        begin, end = PERIODS[period]
        own = pl.col("router").is_in(rows["router"].to_list())
        traced = self.queue_traces.filter(own & (pl.col("time_s") > begin + 1e-9) & (pl.col("time_s") < end + 1e-9))
        accepted, dropped, marked = (
            float(traced[f"segments_{what}"].sum()) for what in ("accepted", "dropped", "marked")
        )
        short = name.removesuffix(" access")
        nothing = float("nan")
        return {
            f"queue_loss_rate_{short}": dropped / (dropped + accepted) if accepted else nothing,
            f"queue_mark_rate_{short}": marked / accepted if accepted else nothing,
            **{f"queue_delay_p{s}_{short}": bounds(rows[f"delay_p{s}_ms"].drop_nulls()) for s in SHARES_OF_DELAYS},
        }

    def of_period(self, period: str) -> dict[str, Expected]:
        """Every response of a period."""
        rows, done = self.rows(period), self.completed(period)
        found: dict[str, Expected] = {name: float(rows[column].mean()) for name, column in IN_SERIES.items()}
        sums = {column: float(rows[column].sum()) for column in rows.columns if rows[column].dtype == pl.UInt64}
        sending = rows.filter(pl.col("sending") > 0)
        found |= {name: float((sending[column] / sending["sending"]).mean()) for name, column in SHARES.items()}
        y1 = found["transmitting_sources"]
        queueing = sending["queueing_delay_ms"].drop_nans().mean()  # null over links that delay segments
        found |= {
            "transmitting_fraction": y1 / (self.sources + len(self.explicit)),
            "loss_rate": sums["segments_dropped"] / (sums["segments_dropped"] + sums["segments_leaving"]),
            "completion_ratio": found["flows_completed"] / (found["flows_completed"] + y1),
            "connection_failure_ratio": found["connection_failures"] / (found["connection_failures"] + y1),
            "retransmission_rate": 1 - done["size"].sum() / done["segments_sent"].sum() if len(done) else float("nan"),
            "cwnd": self.over_instants(period, "cwnd"),
            "rtt": self.over_instants(period, "rtt_ms"),
            "queueing_delay": float("nan") if queueing is None else float(queueing),
            "failed_connections": sums["connection_failures"],
            "flow_rate": found["flows_completed"] / INTERVAL,
            "segment_rate": found["segments_leaving"] / INTERVAL,
            "starved_share": self.starved(period),
            "timeouts_per_loss": sums["timeouts"] / sums["segments_dropped"]
            if sums["segments_dropped"]
            else float("nan"),
        }
        long_lived = self.flows.filter(pl.col("category") == "explicit").height == 3 and self.sources > 0
        for number in (1, 2, 3):
            column = self.series[f"flow_{number}_delivered"].to_numpy()
            times = self.series["time_s"].to_numpy()
            first, last = (int(column[np.isclose(times, end)][0]) for end in PERIODS[period])
            rate = (last - first) / (PERIODS[period][1] - PERIODS[period][0])
            found[f"goodput_long_lived_{number}"] = rate if long_lived else float("nan")
        for pair in ("dd", "df", "dn", "ff", "fn", "nn"):
            found[f"goodput_{pair}"] = self.goodput(period, (pair,))
            for file in FILES:
                own = done.filter((pl.col("pair") == pair) & (pl.col("category") == file))
                mean = own["goodput"].mean()
                found[f"goodput_{pair}_{file.replace(' ', '_')}"] = float("nan") if mean is None else float(mean)
        for name, pairs in BY_SPEED.items():
            found[name] = self.goodput(period, pairs)
        for name, title in (("normal", "normal access"), ("fast", "fast access"), ("direct", "direct access")):
            found[f"buffer_use_{name}"] = self.buffer_use(period, title)
            found |= self.queues(period, title)
        for name in ("backbone", "pop", "plain"):
            found[f"buffer_use_{name}"] = self.buffer_use(period, name)
            found |= self.queues(period, name)
        found |= self.one_way() | {"utilisation_bottleneck": self.bottleneck(period)}
        return found | self.slowdowns(period) | self.applications(period) | self.fairness(period)

    def bottleneck(self, period: str) -> float:
        """Largest mean utilisation of a router over the instants of its trace."""
        begin, end = PERIODS[period]
        rows = self.queue_traces.filter((pl.col("time_s") > begin + 1e-9) & (pl.col("time_s") < end + 1e-9))
        return float(rows.group_by("router").agg(pl.col("utilisation").mean())["utilisation"].max())

    def one_way(self) -> dict[str, Expected]:
        """Bounds of one-way delays: the shortest link and the longest queues."""
        flows = self.scenario.value("flows")
        is_udp = bool(flows) and all(flow.get("transport") == "udp" for flow in flows)
        return {f"segment_delay_p{s}": float("nan") if is_udp else (1, 1e4) for s in SHARES_OF_DELAYS}

    def fairness(self, period: str) -> dict[str, float]:
        """Fairness among the explicit flows, which all have the same start, from the time series."""
        names = ["jain_index", "goodput_ratio", "starved_flows", "fair_windows", "convergence_time"]
        found = dict.fromkeys([*names, *(f"goodput_ratio_{part}" for part in HORIZONS)], float("nan"))
        flows = self.scenario.value("flows")
        if any("application" in flow for flow in flows):
            return found
        start = flows[0].get("start", 0.0) if flows else WARMUP
        delivered = self.series.select(f"flow_{number}_delivered" for number in (1, 2, 3)).to_numpy().astype(float)
        delivered = np.vstack([np.zeros(3), delivered])

        def goodputs(first: float, last: float) -> np.ndarray:
            return delivered[round(last / INTERVAL)] - delivered[round(first / INTERVAL)]

        begin, end = PERIODS[period]
        if start <= begin:
            whole = goodputs(begin, end)
            found["jain_index"] = whole.sum() ** 2 / 3 / (whole**2).sum()
            found["goodput_ratio"] = whole.min() / whole.max()
            found["starved_flows"] = (whole < 0.05 * whole.mean()).mean()
            for part, share in HORIZONS.items():
                # Horizons end at samples.
                until = np.ceil((begin + share * (end - begin)) / INTERVAL - 1e-9) * INTERVAL
                first = goodputs(begin, until)
                found[f"goodput_ratio_{part}"] = first.min() / first.max() if first.any() else float("nan")
        ends = np.arange(start + WINDOW, 10 + 1e-9, WINDOW)
        rates = [goodputs(last - WINDOW, last) for last in ends]
        fair = np.array([rate.any() and bool(np.all(np.abs(rate / rate.mean() - 1) <= WITHIN)) for rate in rates])
        found["fair_windows"] = fair[(ends > begin + 1e-9) & (ends < end + 1e-9)].mean()
        in_a_row = [last for last, one, other in zip(ends[1:], fair, fair[1:], strict=False) if one and other]
        if in_a_row and in_a_row[0] < end + 1e-9:
            found["convergence_time"] = in_a_row[0] - 2 * WINDOW - start
        return found

    def slowdowns(self, period: str) -> dict[str, float]:
        """Mean and percentiles of the slowdowns of each class of sizes, in whole units of 2^-10."""
        done = self.completed(period)
        size = done["size"] * self.scenario.value("transport.segment_bytes")
        found = {"flows_without_slowdown": done["slowdown"].null_count()}
        for end, (least, most) in SIZES.items():
            values = done.filter((size >= least) & (size < most))["slowdown"].drop_nulls()
            units = [round(value * 1024) for value in values]
            found[f"slowdown_mean{end}"] = float(values.mean()) if units else float("nan")
            found |= {f"slowdown_p{share}{end}": percentile(units, share) / 1024 for share in SHARES_OF_DELAYS}
        return found

    def applications(self, period: str) -> dict[str, Expected]:
        """Frames and datagrams: what was sent by the clocks of the applications, the rest by flow; bounds of delays."""
        names = [r.name for r in RESPONSES if r.name.startswith(("frame", "datagram", "circuit", "video"))]
        flows = self.scenario.value("flows")
        if not any("application" in flow for flow in flows):
            return dict.fromkeys(names, float("nan"))
        begin, end = PERIODS[period]
        late = 0.25
        rows = self.result.applications.to_polars().filter(pl.col("period") == period)
        frames, datagrams = (
            rows.filter(own) for own in (pl.col("application") == "frames", pl.col("transport") == "udp")
        )
        found: dict[str, Expected] = {
            "frames_delivered": float(frames["messages_delivered"].sum()),
            "frames_late": float(frames["messages_late"].sum()),
            "datagrams_delivered": float(datagrams["segments_received"].sum()),
            "datagrams_lost": float(datagrams["segments_dropped"].sum()),
            "circuit_breaker_trips": float(datagrams["circuit_breaker_trips"].sum()),
        }
        sent = 0
        for flow in flows:
            source = flow["application"]["source"]
            ((kind, about),) = source.items()
            if kind == "video":
                continue
            times = np.arange(0, 10 * about["rate"] + 1) / about["rate"]
            if kind == "on_off":
                burst = times[times < about["burst_time"]]
                starts = np.arange(0, 10, about["burst_time"] + about["idle_time"])
                times = np.round(starts[:, None] + burst, 9).ravel()
                times = times[times <= 10]
            inside = (times > begin) & (times <= end)
            if flow.get("transport") == "udp":
                sent += int(np.sum(inside)) * int(about.get("size", 1))
            if kind == "frames":
                row = frames.filter(pl.col("flow") == flows.index(flow) + 1)
                # Frames that could still be in time when the run ends count if they were delivered.
                most, least = np.sum(inside), np.sum(inside & (times < 10 - late))
                assert least <= row["messages"].item() <= most
                assert row["messages_late"].item() >= least - row["messages_delivered"].item()
        found |= {"frames_sent": float(frames["messages"].sum()), "datagrams_sent": float(sent)}
        videos = rows.filter(pl.col("application") == "video").fill_null(0)
        played, stalled = videos["video_played_s"], videos["video_stalled_s"]
        startup = rows["video_startup_delay_s"].mean()
        found |= {
            "video_bitrate": float((videos["video_bitrate"] * played).sum() / played.sum()),
            "video_rebuffering": float(stalled.sum() / (played + stalled).sum()),
            "video_stalls": float(videos["video_stalls"].sum()),
            "video_startup_delay": float("nan") if startup is None else float(startup),
            "video_switches": float(videos["video_switches"].sum()),
        }
        for group, column, kind in ((frames, "message", "frame"), (datagrams, "segment", "datagram")):
            found |= {f"{kind}_delay_p{s}": bounds(group[f"{column}_delay_p{s}_ms"]) for s in SHARES_OF_DELAYS}
        return found

    def totals(self) -> dict[str, float]:
        """Every response that counts from the start."""
        flows, series = self.flows, self.series
        last = self.result.flow_traces.to_polars().filter(pl.col("time_s") > 10 - 1e-9)
        cut_short = int((last["state"] != "closed").sum())
        failed = float(series["connection_failures"].sum())
        return {
            "total_flows_completed": float(flows["completed"].sum()),
            "total_connection_failures": failed,
            "total_flows_aborted": float((flows["completed"] == 0).sum()) - failed - cut_short,
            "total_data_segments_sent": float(flows["segments_sent"].sum()),
            "total_data_segments_delivered": float(flows["segments_delivered"].sum()),
            "total_segments_dropped": float(series["segments_dropped"].sum()),
        }

    def answered(self, period: str) -> dict[str, float]:
        """The responses of the simulator."""
        rows = self.result.responses.to_polars().filter(pl.col("period") == period)
        return {
            name: float("nan") if value is None else value
            for name, value in rows.select("response", "value").iter_rows()
        }


class Bursts(Run):
    """A run of open-loop senders, of which every delay is computed here: routers serve in the order of arrival."""

    @cached_property
    def delays(self) -> dict[tuple[str, str], list[int]]:
        """Delays in microseconds, rounded down, by what is delayed and period.

        A queue and a segment of TCP count when the segment arrives, a datagram when it leaves, a frame when it is
        handed over.
        """
        ms = 10**9  # in picoseconds, in which the simulator counts, too
        found: dict[tuple[str, str], list[int]] = defaultdict(list)

        def add(what: str, at: int, delay: int) -> None:
            period = next((p for p in ("1", "2") if PERIODS[p][0] < at / 1000 / ms <= PERIODS[p][1]), "none")
            found[what, period].append(delay // 10**6)

        order = count()
        on_the_way: list[tuple] = []

        def send(at: int, flow: dict, frame: int | None = None) -> None:
            heapq.heappush(on_the_way, (at, next(order), 0, at, flow, frame))

        handed_over, missing = {}, {}
        for number, flow in enumerate(FRAMES):
            for frame in range(ceil((10_000 - flow["start"]) * flow["rate"] / 1000)):
                at = round((flow["start"] + 1000 * frame / flow["rate"]) * ms)
                handed_over[number, frame], missing[number, frame] = at, flow["segments"]
                for place in range(flow["segments"]):
                    send(at + round(place * flow["gap"] * ms), flow, frame)
        for flow in BURST_FILES:
            send(flow["start"] * ms, flow)
        is_connected = [False] * len(BURST_FILES)
        free: dict[str, int] = defaultdict(int)
        while on_the_way and on_the_way[0][0] <= 10_000 * ms:
            now, _, hop, left, flow, frame = heapq.heappop(on_the_way)
            path = PATHS[flow["from"]]
            links = ["".join(pair) for pair in pairwise(path)]
            if hop < len(path):
                name, service = SERVICE[path[hop]]
                begin = max(now, free[name])
                add(name, now, begin - now)
                free[name] = begin + round(service * ms)
                arrives = free[name] + sum(DELAY[link] for link in links[hop : hop + 1]) * ms
                heapq.heappush(on_the_way, (arrives, next(order), hop + 1, left, flow, frame))
            elif frame is None:
                add("segment", now, now - left)
                number = BURST_FILES.index(flow)
                if not is_connected[number]:
                    is_connected[number] = True
                    for place in range(flow["segments"]):
                        send(now + sum(DELAY[link] for link in links) * ms + round(place * flow["gap"] * ms), flow)
            else:
                add("datagram", left, now - left)
                key = FRAMES.index(flow), frame
                missing[key] -= 1
                if not missing[key]:
                    add("frame", handed_over[key], now - handed_over[key])
        return found

    def of_period(self, period: str) -> dict[str, Expected]:
        """Percentiles of delays, ms."""
        parts = ("1", "2") if period == "measured" else (period,)
        names = {name: f"queue_delay_p{{}}_{name}" for name, _ in SERVICE.values()}
        names |= {what: f"{what}_delay_p{{}}" for what in ("segment", "frame", "datagram")}
        return {
            name.format(share): percentile([d for part in parts for d in self.delays[what, part]], share) / 1000
            for what, name in names.items()
            for share in SHARES_OF_DELAYS
        }


@pytest.fixture(scope="module")
def web() -> Run:
    return Run("abilene", WEB)


@pytest.fixture(scope="module")
def plain() -> Run:
    return Run("dumbbell", PLAIN)


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("narrow")
    (folder / "nodes.csv").write_text(NODES)
    (folder / "links.csv").write_text(LINKS)
    return Run("abilene", NARROW | {"topology": str(folder)})


@pytest.fixture(scope="module")
def bursts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("bursts")
    nodes = [f"{router},{name},{1 / service}\n" for router, (name, service) in SERVICE.items()]
    (folder / "nodes.csv").write_text("name,class,speed_factor\n" + "".join(nodes))
    (folder / "links.csv").write_text("from,to,delay_ms\n" + "".join(f"{a},{b},{d}\n" for (a, b), d in DELAY.items()))
    return Bursts("abilene", BURSTS | {"topology": str(folder)})


@pytest.fixture(scope="module")
def media() -> Run:
    return Run("dumbbell", MEDIA)


RUNS = ("web", "plain", "narrow", "media", "bursts")
OF_PERIODS = [r.name for r in RESPONSES if not r.total]
OF_RUNS = [r.name for r in RESPONSES if r.total]
ALIKE = {("goodput_dd", "goodput_very_fast")}
"""Equal by definition."""


def fits(names: list[str], expected: dict[str, Expected], answered: dict[str, float]) -> np.ndarray:
    """Return True where the expectation of a response (row) is met by the answer of a response (column)."""
    # The simulator sums windows, and goodputs of completed flows, in whole units of 2^-10.
    of_files = tuple(file.replace(" ", "_") for file in FILES)
    slack = np.array([2**-10 * (name == "cwnd" or name.endswith(of_files)) for name in names])
    ends = [expected.get(name, (-np.inf, np.inf)) for name in names]
    low, high = np.array([end if isinstance(end, tuple) else (end, end) for end in ends], dtype=float).T
    values = np.array([answered[name] for name in names])
    low, high = low - slack - 1e-9 * abs(low), high + slack + 1e-9 * abs(high)
    is_between = (low[:, None] <= values) & (values <= high[:, None])
    any_value = np.isinf(low)[:, None]
    return is_between | any_value | (np.isnan(low)[:, None] & np.isnan(values))


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("name", RUNS)
def test_responses_of_a_period(request: pytest.FixtureRequest, name: str, period: str) -> None:
    run = request.getfixturevalue(name)
    expected, answered = run.of_period(period), run.answered(period)
    delays = {each for each in OF_PERIODS if "_delay_p" in each}
    assert set(expected) == (delays if name == "bursts" else set(OF_PERIODS))
    assert set(answered) == set(OF_PERIODS)
    right = fits(OF_PERIODS, expected, answered).diagonal()
    wrong = {each: (answered[each], expected[each]) for each, fit in zip(OF_PERIODS, right, strict=True) if not fit}
    assert not wrong


@pytest.mark.parametrize("name", ["web", "plain", "narrow"])
def test_responses_of_the_run(request: pytest.FixtureRequest, name: str) -> None:
    run = request.getfixturevalue(name)
    assert run.answered("run") == run.totals()


def test_every_response_is_there_and_not_zero_in_a_run(request: pytest.FixtureRequest) -> None:
    """A response that is zero or missing would test nothing."""
    seen = set()
    for name in RUNS:
        run = request.getfixturevalue(name)
        for period in ("measured", "run"):
            seen |= {k for k, v in run.answered(period).items() if np.isfinite(v) and v != 0}
    assert seen == {*OF_PERIODS, *OF_RUNS}


def test_exchanging_any_two_responses_fails(request: pytest.FixtureRequest) -> None:
    """Of each pair one expectation does not hold for the other's value, in at least one run."""
    periods = np.ones((len(OF_PERIODS),) * 2, dtype=bool)
    totals = np.ones((len(OF_RUNS),) * 2, dtype=bool)
    for name in RUNS:
        run = request.getfixturevalue(name)
        for period in PERIODS:
            fit = fits(OF_PERIODS, run.of_period(period), run.answered(period))
            periods &= fit & fit.T
        if name in ("web", "plain", "narrow"):
            fit = fits(OF_RUNS, run.totals(), run.answered("run"))
            totals &= fit & fit.T
    for names, unseen in ((OF_PERIODS, periods), (OF_RUNS, totals)):
        assert unseen.diagonal().all()
        pairs = {(names[i], names[j]) for i, j in np.argwhere(np.triu(unseen, 1))}
        assert {tuple(sorted(pair)) for pair in pairs} == (ALIKE if names is OF_PERIODS else set())
