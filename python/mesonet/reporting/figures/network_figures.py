"""Figures about the network: congestion of the conditions, states of the flows, buffers, windows, time line."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet import plots
from mesonet.analysis import ConditionClasses, WindowShares, window_shares
from mesonet.files.names import file_stem
from mesonet.plots.flow_states import STATES
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.figures.drawable import ChartAndCaption, Drawable
from mesonet.reporting.text.labels import axis_title
from mesonet.responses.definitions import PERIODS, ROUTER_CLASSES
from mesonet.words import counted, listed, number, percent, period_title, quantity

#: What classes of routers are called where their own names are short.
_ROUTERS = {"pop": "PoP", "normal": "normal access", "fast": "fast access", "direct": "direct access"}

#: Responses from which the numbers of flows by state follow: connecting, transmitting, and shares of the latter.
_CONNECTING, _SENDING = "connecting_sources", "transmitting_sources"
_SHARES = dict(zip(STATES[1:], ("initial_slow_start_share", "standard_share", "alternate_share"), strict=True))
#: Columns of a time series with the same numbers.
_SERIES = dict(zip(STATES, ("connecting", "initial_slow_start", "standard", "alternate"), strict=True))


def network_figures(method: Method) -> list[Drawable]:
    """Return the figures of the network that the campaign can have."""
    study = method.study
    figures = [
        Drawable("network/congestion", "How congested is each condition?", partial(_classes, method)),
    ]
    if not flow_state_table(method).is_empty():
        asked = "In what state is the network?"
        for algorithm in study.algorithms:
            draw, chosen = partial(_states, method, algorithm), {"algorithm": algorithm}
            figures.append(
                Drawable(f"network/flow_states_{file_stem(algorithm)}", asked, draw, "network/flow_states", chosen)
            )
    if not buffer_table(study).is_empty():
        figures.append(Drawable("network/buffers", "Where does the queue stand?", partial(_buffers, method)))
    if _scenario(study):
        figures.append(Drawable("network/timeline", "What happens when?", partial(_timeline, study)))
    for condition, algorithm, file in _runs_with_windows(study):
        asked = "Does the algorithm fill the path, share it, converge?"
        figures.append(
            Drawable(
                f"windows/{file_stem(algorithm)}_condition_{condition}",
                asked,
                partial(_windows, condition, algorithm, file),
                "windows",
                {"run": f"{algorithm}, condition {condition}"},
            )
        )
    return figures


def _classes(method: Method) -> ChartAndCaption:
    study = method.study
    response = study.congestion_response
    chart = plots.condition_classes(
        method.classes, title=f"Congestion of the conditions, {period_title(study.main_period)}",
        response=f"{axis_title(study, response)}, mean of all algorithms",
    )  # fmt: skip
    return chart, classes_caption(method.classes)


def classes_caption(result: ConditionClasses) -> str:
    """Return the number of conditions in each class, as text; the name of a class has its range."""
    said = []
    for place, name in enumerate(result.names, start=1):
        values = result.value[result.number == place]
        if len(values):
            conditions = counted(len(values), "condition")
            said.append(f"{name} in {conditions}")
    lost = f" Without a value: condition {listed([str(c) for c in result.absent])}." if result.absent else ""
    if not said:
        return f"No condition has a value.{lost}"
    above = " of the values above zero" if result.value[result.number == 1].max(initial=0.0) == 0 else ""
    breaks = f" The classes are natural breaks{above}." if len(said) > 1 else ""
    return f"Among these conditions congestion is {listed(said)}.{breaks}{lost}"


def flow_state_table(method: Method) -> pl.DataFrame:
    """Return mean numbers of flows: period, condition, algorithm, state, flows. Empty where not measured."""
    study = method.study
    # Whatever the experiment asks about, runs answer these.
    there = set(study.campaign.responses.select("response", "period").unique().iter_rows())
    frames = []
    for period in (p for p in PERIODS if p != "run"):
        if not {(name, period) for name in (_SENDING, *_SHARES.values())} <= there:
            continue
        shares = study.campaign.cube([_SENDING, *_SHARES.values()], period)
        # Where nothing was sending there are no shares, and none in any state.
        parts = np.where(shares[:, :, :1] == 0, 0.0, shares[:, :, 1:])
        numbers = {state: parts[:, :, i] * shares[:, :, 0] for i, state in enumerate(_SHARES)}
        if (_CONNECTING, period) in there:
            numbers = {STATES[0]: study.campaign.cube([_CONNECTING], period)[:, :, 0], **numbers}
        for state, values in numbers.items():
            condition, algorithm = np.indices(values.shape)
            names = np.asarray(study.algorithms, dtype=object)[algorithm.ravel()]
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


def _states(method: Method, algorithm: str) -> ChartAndCaption:
    study, classes = method.study, method.classes
    typical = [
        (place, condition)
        for place in range(1, len(classes.names) + 1)
        if (condition := classes.typical(place)) is not None
    ]
    panels = {c: f"condition {c}, congestion {classes.names[place - 1]}" for place, c in typical}
    series = {c: _series(study, c, algorithm) for c in panels}
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
        table = flow_state_table(method).filter(
            (pl.col("algorithm") == algorithm) & pl.col("condition").is_in(list(panels))
        )
        periods = table["period"].unique().to_list()
        rows = table.filter(pl.col("period") != "measured") if len(periods) > 1 else table
        rows = rows.select(
            pl.col("condition").replace_strict(panels, return_dtype=pl.String).alias("panel"),
            pl.col("period").alias("time"), "state", "flows",
        )  # fmt: skip
    title = f"States of the flows, {algorithm}, one condition of each class of congestion"
    chart = plots.flow_states(rows, panels=list(panels.values()), over_time=over_time, title=title)
    return chart, states_caption(rows, list(panels.values()), over_time)


def states_caption(rows: pl.DataFrame, panels: Sequence[str], over_time: bool) -> str:
    """Return the most frequent state of flows in each panel, as text."""
    said = []
    for panel in panels:
        means = rows.filter(pl.col("panel") == panel).group_by("state", maintain_order=True).agg(pl.mean("flows"))
        total = float(means["flows"].sum() or 0.0)
        if total > 0:
            state, flows = means.sort("flows", descending=True, nulls_last=True).select("state", "flows").row(0)
            said.append(f"{panel}: {percent(100 * flows / total)} {state}")
    how = "over time" if over_time else "mean of the measured periods: not all of these runs kept a time series"
    return f"The most frequent state ({how}): {'; '.join(said)}." if said else "No flow was counted."


def _series(study: Study, condition: int, algorithm: str) -> pl.DataFrame | None:
    """Return the time series of a run, where it was kept."""
    keys = study.campaign.runs.filter(condition=condition, algorithm=algorithm, status="done")["key"]
    path = study.campaign.path / "runs" / keys[0] / "series.parquet" if len(keys) else None
    return pl.read_parquet(path) if path is not None and path.exists() else None


def _thinned(frame: pl.DataFrame, most: int = 400) -> pl.DataFrame:
    """Return every n-th row, so that at most 400 stay."""
    return frame.gather_every(max(1, -(-frame.height // most)))


def buffer_table(study: Study) -> pl.DataFrame:
    """Return mean use of buffers: router (class), condition, algorithm, value (0 to 1). Empty where not measured."""
    there = set(study.campaign.responses.filter(pl.col("period") == study.main_period)["response"].unique())
    frames = [
        study.campaign.response(f"buffer_use_{router}", study.main_period)
        .filter(pl.col("condition").is_in(study.conditions))
        .group_by("condition", "algorithm", maintain_order=True)
        .agg(pl.col("value").mean())
        .select(pl.lit(router).alias("router"), pl.all())
        for router in ROUTER_CLASSES
        if f"buffer_use_{router}" in there
    ]
    schema = {"router": pl.String, "condition": pl.Int64, "algorithm": pl.String, "value": pl.Float64}
    return pl.concat(frames).drop_nulls("value") if frames else pl.DataFrame(schema=schema)


def _buffers(method: Method) -> ChartAndCaption:
    study = method.study
    rows = buffer_table(study).with_columns(pl.col("router").replace(_ROUTERS))
    routers = [_ROUTERS.get(router, router) for router in ROUTER_CLASSES]
    chart = plots.buffers(
        rows, study.algorithms, routers=routers, order=study.by_congestion,
        order_title=f"condition, {study.order_words}",
        title=f"Share of the buffers in use, by class of router, {period_title(study.main_period)}",
    )  # fmt: skip
    means = rows.group_by("router", maintain_order=True).agg(pl.mean("value")).sort("value", descending=True)
    fullest = rows.sort("value", descending=True).row(0, named=True)
    said = (
        f"On average the buffers of {means['router'][0]} routers are the fullest "
        f"({percent(100 * means['value'][0])}); the fullest of all is {percent(100 * fullest['value'])} at "
        f"{fullest['router']} routers in condition {fullest['condition']} with {fullest['algorithm']}."
    )
    if fullest["value"] == 0:
        said = "No buffer is ever in use."
    return chart, said


def _scenario(study: Study) -> dict[str, Any]:
    scenarios = study.campaign.experiment.get("scenarios") or []
    scenario = scenarios[0].get("scenario", {}) if scenarios else {}
    return scenario if {"time", "users"} <= set(scenario) else {}


def _timeline(study: Study) -> ChartAndCaption:
    scenario = _scenario(study)
    time, users = scenario["time"], scenario["users"]
    warm_up, duration, periods = float(time["warmup"]), float(time["duration"]), int(time["periods"])
    each = (duration - warm_up) / periods
    spans = [("run", "warm-up", 0.0, warm_up, "warm-up")] if warm_up > 0 else []
    spans += [
        ("run", f"period {i + 1}", warm_up + i * each, warm_up + (i + 1) * each, "measured") for i in range(periods)
    ]
    said = [f"{number(warm_up)} s of warm-up", f"{counted(periods, 'measured period')} of {number(each)} s"]
    jumbo = int(users.get("jumbo_period", 0))
    if 1 <= jumbo <= periods:
        begin = warm_up + (jumbo - 1) * each
        text = f"files x {number(users['jumbo_factor'])}"
        spans.append(("jumbo files on very fast paths", text, begin, begin + each, "traffic"))
        said.append(f"jumbo files in period {jumbo}")
    if long := int(users.get("long_lived_flows", 0)):
        spans.append(("long-lived flows", counted(long, "flow"), warm_up, duration, "traffic"))
        said.append(f"{counted(long, 'long-lived flow')} from {number(warm_up)} s on")
    for place, flow in enumerate(scenario.get("flows") or [], start=1):
        begin = float(flow.get("start") or 0.0)
        end = min(float(flow.get("stop") or duration), duration)
        if end > begin:
            spans.append((f"flow {place}", str(flow.get("algorithm") or ""), begin, end, "traffic"))
    note = " Some conditions vary this." if _varies(study) else ""
    return plots.timeline(spans, title="What happens when, in condition 1"), f"{listed(said)}.{note}".capitalize()


def _varies(study: Study) -> bool:
    paths = ("time.", "users.jumbo", "users.long_lived")
    return any(factor.path.startswith(paths) for factor in study.campaign.factors)


def _runs_with_windows(study: Study) -> list[tuple[int, str, str]]:
    """Return condition, algorithm and file of first replicates that kept the series of a flow given one by one."""
    found = []
    for condition, algorithm, replicate, key in (
        study.campaign.runs.filter(status="done").select("condition", "algorithm", "replicate", "key").iter_rows()
    ):
        path = study.campaign.path / "runs" / key / "series.parquet"
        if replicate == 1 and path.exists() and windows_in(pl.read_parquet_schema(path)):
            found.append((condition, algorithm, str(path)))
    return found


def windows_in(columns: Any) -> list[str]:
    """Return the columns of a time series that are windows of flows."""
    return [name for name in columns if re.fullmatch(r"flow_\d+_cwnd", name)]


def _windows(condition: int, algorithm: str, file: str) -> ChartAndCaption:
    frame = pl.read_parquet(file)
    title = f"Windows of the flows, {algorithm}, condition {condition}"
    return window_figure(frame, title=title)


def window_figure(series: pl.DataFrame, *, title: str = "", capacity: float | None = None) -> ChartAndCaption:
    """Return chart and caption of the windows in a time series (`Result.series`).

    `capacity`: segments that the path holds.

    Raises ValueError for a series without flows given one by one.
    """
    names = windows_in(series.columns)
    if not names:
        raise ValueError("the series has no flow given one by one")
    values = series.select(pl.col(name).cast(pl.Float64).fill_null(float("nan")) for name in names).to_numpy()
    values = np.where(values > 0, values, np.nan)
    flows = [name.removesuffix("_cwnd").replace("_", " ") for name in names]
    shares = window_shares(values, flows=flows, capacity=capacity)
    chart = plots.windows(series["time_s"].to_numpy(), values, shares, capacity=capacity, title=title)
    return chart, windows_caption(shares)


def windows_caption(result: WindowShares) -> str:
    """Return the mean windows, the use of the path and the final shares of the flows, as text."""
    if not np.isfinite(result.mean).any():
        return "No flow was there."
    means = [
        f"{name} {quantity(float(mean), 'segments')}" for name, mean in zip(result.flows, result.mean, strict=True)
        if np.isfinite(mean)
    ]  # fmt: skip
    said = f"Mean windows: {listed(means)}."
    if np.isfinite(result.filled):
        said += f" Together they are {percent(result.filled)} of what the path holds."
    if len(result.flows) > 1 and np.isfinite(result.share).all():
        shares = [percent(100 * float(share)) for share in result.share]
        equal = "they share nearly equally" if result.jain > 0.95 else "they do not share equally"
        said += f" In the end they have {listed(shares)}: {equal} (Jain index {number(result.jain, 2)})."
    return said
