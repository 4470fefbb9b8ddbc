"""Latencies of each algorithm to the full rate: at first, and again after congestion."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import polars as pl

from mesonet import analysis
from mesonet.charts import theme
from mesonet.reporting.campaign_view.traced import TracedRun, about_run
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import listed, number

DATA = "latencies"
STEP = 34  # px per algorithm
NAMES = {"goodput": "at first (goodput latency)", "recovery": "after congestion (recovery latency)"}


def figure(view: CampaignView) -> Figure | None:
    """Return the latencies of the first flow, for every condition."""
    several = view.campaign.design.runs > 1
    measured = [latency_table(run) for run in view.traced]
    rows = pl.concat(measured) if measured else pl.DataFrame()
    means = {
        str(condition): own.group_by("algorithm", maintain_order=True).agg(pl.col("goodput", "recovery").mean())
        for (condition,), own in (rows.group_by("condition", maintain_order=True) if len(rows) else ())
    }
    if not means:
        return None

    def draw(condition: str) -> Drawing:
        title = "Time to the full rate" + (f", condition {condition}" if several else "")
        chart = latencies(means[condition], title=title)
        return drawing(chart, caption(means[condition]))

    return Figure(
        id="latencies",
        short_title="Latencies",
        title="How soon is a flow at its full rate?",
        reading="",
        draw=draw,
        selections=[{"condition": condition} for condition in means],
        file="windows/latencies_{condition}" if several else "windows/latencies",
    )


def latency_table(run: TracedRun) -> pl.DataFrame:
    """Return the latencies of the first flow of a run in one row; no row if they are not defined."""
    # Long-lived flows have numbers like explicit flows, but no start, stop or interface in the scenario.
    if not run.given or run.flows[0] != "flow 1" or (len(run.given) > 1 and run.congestion is None):
        return pl.DataFrame()
    full = min(float(run.given[0]["interface"]), run.speed)
    found = analysis.latencies(
        run.time,
        run.cwnd[:, 0],
        run.delivered[:, 0],
        ssthresh=float(run.scenario["transport"]["initial_ssthresh"]),
        full=full,
        congestion=run.congestion,
    )
    row = {"full_rate": full, **vars(found)}
    return about_run(run, pl.DataFrame([row]).with_columns(pl.selectors.float().fill_nan(None)))


def latencies(values: pl.DataFrame, *, title: str = "") -> alt.LayerChart:
    """Return the figure of the latencies, algorithms by rising goodput latency.

    Parameters
    ----------
    values
        Columns algorithm, goodput and recovery, s; null for an algorithm that never reaches the full rate. Such
        algorithms are last.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart. Its axis is logarithmic. If there is a latency of 0 s, the axis begins at 0 and is linear below the
    power of ten under the smallest other latency.
    """
    order = values.sort("goodput", nulls_last=True)["algorithm"].to_list()
    rows = values.unpivot(index="algorithm", on=list(NAMES), variable_name="kind", value_name="seconds").with_columns(
        kind=pl.col("kind").replace(NAMES),
    )
    # The domain keeps the row of an algorithm without any latency.
    names = alt.Axis(grid=True, ticks=False, labelPadding=8)  # a mark at the left edge does not cover the name
    y = alt.Y("algorithm:N", sort=order, title=None, scale=alt.Scale(domain=order), axis=names)
    x = alt.X("seconds:Q", title="seconds to the full rate", **_axis(rows["seconds"]))
    kinds = list(NAMES.values())
    beside = alt.YOffset("kind:N", sort=kinds, scale=alt.Scale(paddingOuter=0.7))
    known = (
        alt.Chart(alt.NamedData(name=DATA), width=560, height=alt.Step(STEP, **{"for": "position"}))
        .transform_filter("isValid(datum.seconds)")
        .encode(x=x, y=y, yOffset=beside)
    )
    points = known.mark_point(filled=True, size=80, opacity=1).encode(
        color=alt.Color(
            "kind:N",
            scale=alt.Scale(domain=kinds, range=[theme.BLUE, theme.VERMILLION]),
            legend=alt.Legend(title=None, orient="top", labelLimit=400),
        ),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=["circle", "diamond"])),
        tooltip=theme.tooltips("algorithm:N", "kind:N", ("seconds:Q", "", ".3~g")),
    )
    numbers = known.mark_text(align="left", dx=8, fontSize=10, color=theme.MUTED).encode(
        text=alt.Text("seconds:Q", format=".3~g")
    )
    return theme.finish(alt.layer(points, numbers), {DATA: rows}, title=title)


def _axis(seconds: pl.Series) -> dict[str, Any]:
    """Return scale and axis: a logarithm has no 0, so that latencies of 0 s need a scale that is linear near it."""
    if not (seconds == 0).any():
        return {"scale": alt.Scale(type="log", nice=True)}
    positive = seconds.filter((seconds > 0) & seconds.is_finite()).to_list() or [1.0]
    most = max(positive)
    first, last = math.floor(math.log10(min(positive))), math.ceil(math.log10(most))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    ticks = [0.0] + [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    ticks = ticks[: 1 + next(place for place, tick in enumerate(ticks) if tick >= most)]
    scale = alt.Scale(type="symlog", constant=ticks[1], domain=[0, ticks[-1]], nice=False)
    return {"scale": scale, "axis": alt.Axis(values=ticks, format="~g")}


def caption(means: pl.DataFrame) -> str:
    """Return the least and largest latency of each kind, as text.

    `means`: columns algorithm, goodput and recovery, s; null where there is none.
    """
    parts = []
    for kind in ("goodput", "recovery"):
        known = means.drop_nulls(kind).sort(kind)
        if len(known):
            least, most = known.row(0, named=True), known.row(-1, named=True)
            parts.append(
                f"{kind.capitalize()} latency is from {number(least[kind], 3)} s with {least['algorithm']} to "
                f"{number(most[kind], 3)} s with {most['algorithm']}."
            )
        if never := means.filter(pl.col(kind).is_null())["algorithm"].to_list():
            parts.append(f"No {kind} latency within the run: {listed(never)}.")
    return " ".join(parts)
