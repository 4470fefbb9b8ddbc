"""Values of measures in the runs of a campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.responses.definitions import BY_NAME

if TYPE_CHECKING:
    from mesonet.campaign.data import Campaign

Floats = NDArray[np.float64]


def values(campaign: Campaign, name: str, of: str, algorithm: str) -> Floats:
    """Return a measure in all runs of an algorithm.

    Shape (conditions, replicates); NaN where a run is missing or has no value. `name`: a response, or a name of `NAMED`
    or `DERIVED`. `of`: ``incumbent``: explicit flows with an algorithm of their own; ``newcomer``: those with the
    algorithm of the run; ``all``: both.
    """
    runs = campaign.runs.filter(pl.col("algorithm") == algorithm)
    found = np.full((campaign.rows.conditions, int(campaign.runs["replicate"].max() or 0)), np.nan)  # type: ignore[arg-type]
    if name in NAMED:
        scenarios = {each["condition"]: each["scenario"] for each in campaign.experiment["scenarios"]}
        for run in runs.filter(pl.col("status") == "done").iter_rows(named=True):
            place = run["condition"] - 1, run["replicate"] - 1
            found[place] = NAMED[name](campaign, run["key"], scenarios[run["condition"]], of)
        return found
    if name in DERIVED:
        rows = DERIVED[name](campaign, algorithm)
    else:
        period = "run" if BY_NAME[name].total else "measured"
        rows = campaign.response(name, period).filter(pl.col("algorithm") == algorithm)
    for condition, replicate, value in rows.select("condition", "replicate", "value").iter_rows():
        found[condition - 1, replicate - 1] = np.nan if value is None else value
    return found


def unit(name: str) -> str:
    """Return the unit of a measure.

    The unit; ``1`` for a part of 1. `name`: a response, or a name of `NAMED` or `DERIVED`.
    """
    return _UNITS.get(name) or (BY_NAME[name].unit if name in BY_NAME else "1")


def in_role(scenario: Mapping[str, Any], of: str) -> list[int]:
    """Return the numbers of the TCP flows in a role, from 1."""
    wanted = {"incumbent": (True,), "newcomer": (False,), "all": (True, False)}[of]
    return [
        number
        for number, flow in enumerate(scenario["flows"], start=1)
        if flow.get("transport", "tcp") == "tcp" and (flow["algorithm"] is not None) in wanted
    ]


def goodput(columns: Mapping[str, Any], scenario: Mapping[str, Any], of: str) -> float:
    """Return the mean goodput of flows in the measured time, Mbit/s. `columns`: those of the table ``series``."""
    times = np.asarray(columns["time_s"], dtype=float)
    flows = [columns[f"flow_{number}_delivered"] for number in in_role(scenario, of)]
    delivered = np.nan_to_num(np.array(flows, dtype=float)).sum(axis=0)
    warmup = scenario["time"]["warmup"]
    before = int(np.searchsorted(times, warmup + 1e-9, side="right")) - 1
    start, time = (delivered[before], times[-1] - warmup) if before >= 0 else (0.0, times[-1])
    return float((delivered[-1] - start) / len(flows) / time * 8 * scenario["transport"]["segment_bytes"] / 1e6)


def _goodput(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> float:
    return goodput(campaign.table(key, "series").to_dict(), scenario, of)


def _completion_time(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> float:
    """Return the mean time from the start to the last acknowledgement of flows with a size, s.

    A flow that does not complete counts with the rest of the run, so that its time is at least as long.
    """
    flows = campaign.table(key, "flows").filter(pl.col("category") == "explicit")
    ended = {row["source"]: row for row in flows.iter_rows(named=True)}
    times = []
    for number in in_role(scenario, of):
        row = ended.get(number - 1)  # without users the sources are the explicit flows, from 0
        if scenario["flows"][number - 1]["size"] and row:
            end = row["last_acked_s"] if row["completed"] else scenario["time"]["duration"]
            times.append(end - row["started_s"])
    return float(np.mean(times)) if times else np.nan


def _load(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> float:
    """Return the goodput of flows while others are in progress too, as a part of the speed of the network.

    The time begins with the latest start and ends with the first flow that ends. NaN if there is no such time.
    """
    mine, everyone = in_role(scenario, of), in_role(scenario, "all")
    table = campaign.table(key, "flows").filter(pl.col("category") == "explicit")
    ended = {row["source"] + 1: row for row in table.iter_rows(named=True)}
    if len(mine) == len(everyone) or not set(everyone) <= set(ended):
        return np.nan
    begin = max(ended[number]["started_s"] for number in everyone)
    end = min(
        ended[number]["last_acked_s"] if ended[number]["completed"] else scenario["time"]["duration"]
        for number in everyone
    )
    if end <= begin:
        return np.nan
    series = campaign.table(key, "series")
    times = series["time_s"].to_numpy()
    sums = series.select(pl.sum_horizontal(pl.col(f"flow_{number}_delivered").fill_null(0) for number in mine))
    first, last = np.interp([begin, end], times, sums.to_series().to_numpy(), left=0.0)
    return float((last - first) / (end - begin) / scenario["network"]["speed"])


def _messages(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> pl.DataFrame:
    """Return the rows of flows with an application in a role, over the measured time."""
    rows = campaign.table(key, "applications").filter(pl.col("period") == "measured")
    return rows.filter((pl.col("application") != "bulk") & pl.col("flow").is_in(in_role(scenario, of)))


def _late_messages(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> float:
    """Return the share of messages that were late: frames, segments at a rate, bursts."""
    rows = _messages(campaign, key, scenario, of)
    sent, late = (float(rows[name].sum()) for name in ("messages", "messages_late"))
    return late / sent if sent else np.nan


def _message_delay_p95(campaign: Campaign, key: str, scenario: dict[str, Any], of: str) -> float:
    """Return the 95th percentile of the delay of messages, a mean over flows, ms."""
    delays = _messages(campaign, key, scenario, of)["message_delay_p95_ms"].drop_nulls()
    return float(delays.to_numpy().mean()) if len(delays) else np.nan


def _late_share(campaign: Campaign, algorithm: str) -> pl.DataFrame:
    late, sent = (
        campaign.response(name).filter(pl.col("algorithm") == algorithm) for name in ("frames_late", "frames_sent")
    )
    both = late.join(sent, on=["condition", "algorithm", "replicate"], suffix="_sent")
    return both.with_columns(value=pl.col("value") / pl.col("value_sent"))


NAMED: dict[str, Callable[[Campaign, str, dict[str, Any], str], float]] = {
    "goodput": _goodput,
    "completion_time": _completion_time,
    "load": _load,
    "late_messages": _late_messages,
    "message_delay_p95": _message_delay_p95,
}
"""Measures of explicit flows in a role, by name."""
TABLES: dict[str, tuple[str, ...]] = {
    "goodput": ("series",),
    "completion_time": ("flows",),
    "load": ("flows", "series"),
    "late_messages": ("applications",),
    "message_delay_p95": ("applications",),
}
"""Tables that the runs keep for these measures."""
_UNITS = {
    "goodput": "Mbit/s", "completion_time": "s", "message_delay_p95": "ms",
    "segments_entering": "segments/s",  # the interval of its cases is 1 s
    "slowdown_p50": "times", "slowdown_p95_below_100kb": "times",
}  # fmt: skip
"""Units of measures that are no response, and of responses whose unit needs words in a sentence."""
DERIVED: dict[str, Callable[[Campaign, str], pl.DataFrame]] = {"late_share": _late_share}
"""Measures that are computed from responses, by name: the columns condition, replicate and value of an algorithm."""
