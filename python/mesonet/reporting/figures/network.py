"""Figures of the group "What happens in the network": congestion, states of the flows, buffers, time line."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet import charts
from mesonet.charts.flow_states import STATES
from mesonet.reporting.campaign_view.series import kept_series
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import traced
from mesonet.reporting.figures.figure import Drawing, Figure, drawing, made
from mesonet.reporting.text.captions import network as captions
from mesonet.reporting.text.labels import axis_title
from mesonet.responses.definitions import PERIODS, ROUTER_CLASSES
from mesonet.words import counted, listed, number, period_title

#: Titles of the classes of routers whose names are short.
_ROUTERS = {"pop": "PoP", "normal": "normal access", "fast": "fast access", "direct": "direct access"}

#: Responses that give the numbers of flows by state: connecting, transmitting, and shares of the transmitting flows.
_CONNECTING, _SENDING = "connecting_sources", "transmitting_sources"
_SHARES = dict(zip(STATES[1:], ("initial_slow_start_share", "standard_share", "alternate_share"), strict=True))
#: Columns of a time series with the same numbers.
_SERIES = dict(zip(STATES, ("connecting", "initial_slow_start", "standard", "alternate"), strict=True))


def figures(view: CampaignView) -> list[Figure]:
    """Return the figures of the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The figures that the campaign can have.
    """
    return made(
        view, _congestion, _flow_states, _buffer_figure, traced.windows, traced.latencies, _timeline_figure,
    )  # fmt: skip


def _congestion(view: CampaignView) -> Figure:
    """Return the congestion of the conditions, and their classes."""
    return Figure(
        id="congestion",
        short_title="Congestion",
        title="How congested is each condition?",
        reading="One bar per condition, ordered; the colour shows its class, which is relative to these conditions.",
        draw=partial(_classes, view),
        height=380,
        own_tables=True,
        file="network/congestion",
    )


def _flow_states(view: CampaignView) -> Figure | None:
    """Return the states of the flows in a condition of each class of congestion."""
    if flow_state_table(view).is_empty():
        return None
    return Figure(
        id="flow-states",
        short_title="States of flows",
        title="In what state is the network?",
        reading=(
            "For one condition of each class of congestion: how many flows are connecting, and in which phase "
            "of congestion control the others are."
        ),
        draw=partial(_states, view),
        selections=[{"algorithm": name} for name in view.algorithms],
        height=560,
        varied=True,
        own_tables=True,
        file="network/flow_states_{algorithm}",
    )


def _buffer_figure(view: CampaignView) -> Figure | None:
    """Return the use of the buffers by class of router."""
    if buffer_table(view).is_empty():
        return None
    return Figure(
        id="buffers",
        short_title="Buffers",
        title="Where does the queue stand?",
        reading=(
            "One panel per class of router: the share of its buffer in use on average, in conditions from the "
            "least to the most congested."
        ),
        draw=partial(_buffers, view),
        height=560,
        own_tables=True,
        file="network/buffers",
    )


def _timeline_figure(view: CampaignView) -> Figure | None:
    """Return what happens in a run from its beginning to its end."""
    # One bar would repeat the duration that the methods state.
    if len({row for row, *_ in _spans(view)[0]}) < 2:
        return None
    return Figure(
        id="timeline",
        short_title="Time line",
        title="What happens when?",
        reading="From the beginning of a run to its end.",
        draw=partial(_timeline, view),
        height=160,
        own_tables=True,
        file="network/timeline",
    )


def _classes(view: CampaignView) -> Drawing:
    response = view.congestion_response
    chart = charts.condition_classes(
        view.classes, title=f"Congestion of the conditions, {period_title(view.main_period)}",
        response=f"{axis_title(view, response)}, mean of all algorithms",
    )  # fmt: skip
    return drawing(chart, captions.classes_caption(view.classes), subtitle=False)


def flow_state_table(view: CampaignView) -> pl.DataFrame:
    """Return mean numbers of flows by state, means over replicates.

    Parameters
    ----------
    view
        View of the campaign.

    Returns
    -------
    Columns period, condition, algorithm, state (one of `STATES`) and flows; no rows if the states were not measured.
    """
    # Runs have these responses, whether or not the response set contains them.
    there = set(view.campaign.responses.select("response", "period").unique().iter_rows())
    frames = []
    for period in (p for p in PERIODS if p != "run"):
        if not {(name, period) for name in (_SENDING, *_SHARES.values())} <= there:
            continue
        shares = view.campaign.cube([_SENDING, *_SHARES.values()], period)
        # If no source was sending there are no shares, and no flows in any state.
        parts = np.where(shares[:, :, :1] == 0, 0.0, shares[:, :, 1:])
        numbers = {state: parts[:, :, i] * shares[:, :, 0] for i, state in enumerate(_SHARES)}
        if (_CONNECTING, period) in there:
            numbers = {STATES[0]: view.campaign.cube([_CONNECTING], period)[:, :, 0], **numbers}
        for state, values in numbers.items():
            condition, algorithm = np.indices(values.shape)
            names = np.asarray(view.algorithms, dtype=object)[algorithm.ravel()]
            frames.append(
                pl.DataFrame(
                    {
                        "condition": condition.ravel() + 1, "algorithm": names.tolist(), "state": state,
                        "flows": values.ravel(),
                    }
                ).select(pl.lit(period).alias("period"), pl.all())
            )  # fmt: skip
    schema = {
        "period": pl.String, "condition": pl.Int64, "algorithm": pl.String, "state": pl.String, "flows": pl.Float64,
    }  # fmt: skip
    return pl.concat(frames).with_columns(pl.col("flows").fill_nan(None)) if frames else pl.DataFrame(schema=schema)


def _states(view: CampaignView, algorithm: str) -> Drawing:
    classes = view.classes
    typical = [
        (place, condition)
        for place in range(1, len(classes.names) + 1)
        if (condition := classes.typical(place)) is not None
    ]
    panels = {c: f"condition {c}, congestion {classes.names[place - 1]}" for place, c in typical}
    series = {c: _series(view, c, algorithm) for c in panels}
    over_time = bool(series) and all(frame is not None for frame in series.values())
    if over_time:
        rows = pl.concat(
            [
                _thinned(frame).select(pl.lit(panels[c]).alias("panel"), pl.col("time_s").alias("time"),
                                       pl.lit(state).alias("state"), pl.col(name).cast(pl.Float64).alias("flows"))
                for c, frame in series.items() if frame is not None
                for state, name in _SERIES.items() if name in frame.columns
            ]
        )  # fmt: skip
    else:
        table = flow_state_table(view).filter(
            (pl.col("algorithm") == algorithm) & pl.col("condition").is_in(list(panels))
        )
        periods = table["period"].unique().to_list()
        rows = table.filter(pl.col("period") != "measured") if len(periods) > 1 else table
        rows = rows.select(
            pl.col("condition").replace_strict(panels, return_dtype=pl.String).alias("panel"),
            pl.col("period").alias("time"), "state", "flows",
        )  # fmt: skip
    title = f"States of the flows, {algorithm}, one condition of each class of congestion"
    chart = charts.flow_states(rows, panels=list(panels.values()), over_time=over_time, title=title)
    return drawing(chart, captions.states_caption(rows, list(panels.values()), over_time))


def _series(view: CampaignView, condition: int, algorithm: str) -> pl.DataFrame | None:
    """Return the time series of the first replicate that kept one."""
    path = kept_series(view.campaign, condition, algorithm)
    return pl.read_parquet(path) if path else None


def _thinned(frame: pl.DataFrame, most: int = 400) -> pl.DataFrame:
    """Return every n-th row, so that at most 400 stay."""
    return frame.gather_every(max(1, -(-frame.height // most)))


def buffer_table(view: CampaignView) -> pl.DataFrame:
    """Return the mean use of buffers in the main period, means over replicates.

    Parameters
    ----------
    view
        View of the campaign.

    Returns
    -------
    Columns router (a class), condition, algorithm and value, from 0 to 1; no rows if the use was not measured.
    """
    there = set(view.campaign.responses.filter(pl.col("period") == view.main_period)["response"].unique())
    frames = [
        view.campaign.response(f"buffer_use_{router}", view.main_period)
        .filter(pl.col("condition").is_in(view.conditions))
        .group_by("condition", "algorithm", maintain_order=True)
        .agg(pl.col("value").mean())
        .select(pl.lit(router).alias("router"), pl.all())
        for router in ROUTER_CLASSES
        if f"buffer_use_{router}" in there
    ]
    schema = {"router": pl.String, "condition": pl.Int64, "algorithm": pl.String, "value": pl.Float64}
    return pl.concat(frames).drop_nulls("value") if frames else pl.DataFrame(schema=schema)


def _buffers(view: CampaignView) -> Drawing:
    rows = buffer_table(view).with_columns(pl.col("router").replace(_ROUTERS))
    routers = [_ROUTERS.get(router, router) for router in ROUTER_CLASSES]
    chart = charts.buffers(
        rows, view.algorithms, routers=routers, order=view.by_congestion,
        order_title=f"condition, {view.order_words}",
        title=f"Share of the buffers in use, by class of router, {period_title(view.main_period)}",
    )  # fmt: skip
    return drawing(chart, captions.buffers_caption(rows))


def _scenario(view: CampaignView) -> dict[str, Any]:
    scenarios = view.campaign.experiment.get("scenarios") or []
    scenario = scenarios[0].get("scenario", {}) if scenarios else {}
    return scenario if {"time", "users"} <= set(scenario) else {}


def _timeline(view: CampaignView) -> Drawing:
    spans, wording = _spans(view)
    note = " Some conditions vary this." if _varies(view) else ""
    chart = charts.timeline(spans, title="What happens when, in condition 1")
    return drawing(chart, f"{listed(wording)}.{note}".capitalize())


def _spans(view: CampaignView) -> tuple[list[tuple[str, str, float, float, str]], list[str]]:
    """Return the bars of the time line, row first, and what they show in words; nothing without a scenario."""
    if not (scenario := _scenario(view)):
        return [], []
    time, users = scenario["time"], scenario["users"]
    warm_up, duration, periods = float(time["warmup"]), float(time["duration"]), int(time["periods"])
    each = (duration - warm_up) / periods
    spans = [("run", "warm-up", 0.0, warm_up, "warm-up")] if warm_up > 0 else []
    spans += [
        ("run", f"period {i + 1}", warm_up + i * each, warm_up + (i + 1) * each, "measured") for i in range(periods)
    ]
    wording = [f"{number(warm_up)} s of warm-up", f"{counted(periods, 'measured period')} of {number(each)} s"]
    jumbo = int(users.get("jumbo_period", 0))
    if 1 <= jumbo <= periods:
        begin = warm_up + (jumbo - 1) * each
        text = f"files x {number(users['jumbo_factor'])}"
        spans.append(("jumbo files on very fast paths", text, begin, begin + each, "traffic"))
        wording.append(f"jumbo files in period {jumbo}")
    if long := int(users.get("long_lived_flows", 0)):
        spans.append(("long-lived flows", counted(long, "flow"), warm_up, duration, "traffic"))
        wording.append(f"{counted(long, 'long-lived flow')} from {number(warm_up)} s on")
    for place, flow in enumerate(scenario.get("flows") or [], start=1):
        begin = float(flow.get("start") or 0.0)
        end = min(float(flow.get("stop") or duration), duration)
        if end > begin:
            spans.append((f"flow {place}", str(flow.get("algorithm") or ""), begin, end, "traffic"))
    return spans, wording


def _varies(view: CampaignView) -> bool:
    paths = ("time.", "users.jumbo", "users.long_lived")
    return any(factor.path.startswith(paths) for factor in view.campaign.factors)
