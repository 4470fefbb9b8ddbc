"""Time line of a scenario (ASME paper, Fig. 24)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.words import counted, listed, number

DATA = "timeline"
WIDTH, ROW = 760, 26  # px
KINDS = {"warm-up": "#c9ced4", "measured": "#9ccbe8", "traffic": theme.ORANGE}


def figure(view: CampaignView) -> Figure | None:
    """Return what happens in a run from its beginning to its end."""
    # One bar would repeat the duration that the methods state.
    if len({row for row, *_ in _spans(view)[0]}) < 2:
        return None
    return Figure(
        id="timeline",
        short_title="Time line",
        title="What happens when?",
        reading="From the beginning of a run to its end.",
        draw=partial(_draw, view),
        height=160,
        own_tables=True,
        file="network/timeline",
    )


def _draw(view: CampaignView) -> Drawing:
    spans, wording = _spans(view)
    note = " Some conditions vary this." if _varies(view) else ""
    chart = timeline(spans, title="What happens when, in condition 1")
    return drawing(chart, f"{listed(wording)}.{note}".capitalize())


def _scenario(view: CampaignView) -> dict[str, Any]:
    scenarios = view.campaign.experiment.get("scenarios") or []
    scenario = scenarios[0].get("scenario", {}) if scenarios else {}
    return scenario if {"time", "users"} <= set(scenario) else {}


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


def timeline(spans: Sequence[tuple[str, str, float, float, str]], *, title: str = "") -> alt.LayerChart:
    """Draw a bar per span of time.

    Parameters
    ----------
    spans
        Row, text in the bar, begin and end (s), and one of `KINDS`. Rows are drawn in the order of their first spans.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart.
    """
    rows = pl.DataFrame(
        [
            {
                "row": row, "text": text, "from": begin, "to": end, "kind": kind,
                "tip": f"{number(begin)} to {number(end)} s",
            }
            for row, text, begin, end, kind in spans
        ],
        infer_schema_length=None,
    )  # fmt: skip
    names = list(dict.fromkeys(row for row, *_ in spans))
    shown = [kind for kind in KINDS if kind in {span[4] for span in spans}]
    scale = alt.Scale(domain=shown, range=[KINDS[kind] for kind in shown])
    base = alt.Chart(alt.NamedData(name=DATA), width=WIDTH, height=ROW * max(1, len(names))).encode(
        y=alt.Y("row:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, labelLimit=300)),
        tooltip=theme.tooltips("row:N", "text:N", ("tip:N", "time")),
    )
    x = alt.X("from:Q", title="simulated time, s", scale=alt.Scale(nice=False, zero=True))
    chart = alt.layer(
        base.mark_bar(height=ROW - 8, stroke="white").encode(
            x=x, x2=alt.X2("to:Q"),
            color=alt.Color("kind:N", scale=scale, legend=alt.Legend(title=None, orient="top")),
        ),
        base.transform_calculate(middle="(datum.from + datum.to) / 2").mark_text(fontSize=10).encode(
            x=alt.X("middle:Q"), text=alt.Text("text:N")
        ),
    )  # fmt: skip
    return theme.finish(chart, {DATA: rows}, title=title)
