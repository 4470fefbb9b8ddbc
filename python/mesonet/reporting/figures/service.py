"""Slowdown of flows by size, frames and videos: a row per class, a colour per algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.values import ARRIVALS, FRAMES, VIDEO
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.figures.goodput import rate_unit
from mesonet.responses.definitions import SIZE_CLASSES
from mesonet.words import counted, listed, number, percent, period_title

DATA = "service"
WIDTH, STEP = 520, 14  # px
#: Panels of the figure, with the titles of their axes. Names from `LATE` on are measures of the summary, too.
SLOWDOWN, DELAY, LATE, BITRATE, REBUFFERING = "slowdown", "delay", "late", "bitrate", "rebuffering"
PANELS = {
    SLOWDOWN: "slowdown, ×", LATE: "late frames, %", DELAY: "delay of frames, ms", BITRATE: "bitrate of videos, {}",
    REBUFFERING: "time for which videos stall, %",
}  # fmt: skip
#: Titles of the group, and of the figure, by what the campaign has.
TITLES = {ARRIVALS: "slowdown", FRAMES: "late frames", VIDEO: "videos"}
QUESTIONS = {
    ARRIVALS: "how slow are flows of each size", FRAMES: "how late are frames", VIDEO: "how good and steady are videos",
}  # fmt: skip
#: Measures of the summary: the share of the flows or frames that get at most this.
SHARES = ("p50", "p95", "p99")
#: Response that counts the flows whose slowdown is not known.
WITHOUT = "flows_without_slowdown"
#: Rows of the summary: classes of flow sizes in words, frames and videos.
SIZES = {"": "all flows"} | {end: f"flows {words}" for end, words in SIZE_CLASSES.items() if words}
OF_FRAMES, OF_VIDEOS = "frames", "videos"
#: Beginnings of sentences on measures that are shares.
SHARES_OF = {LATE: "The share of late frames is", REBUFFERING: "Videos stall for a share of"}
_SCHEMA: dict[str, Any] = {
    "subject": pl.String, "row": pl.String, "algorithm": pl.String, "measure": pl.String, "conditions": pl.Int64,
    "median": pl.Float64, "least": pl.Float64, "most": pl.Float64,
}  # fmt: skip


def figure(view: CampaignView) -> Figure | None:
    """Return slowdown, late frames and videos; None if the campaign has none of them."""
    summary = service_summary(view)
    if summary.is_empty():
        return None
    there = [name for name in view.traffic if name in set(summary["subject"])]
    rows = _in_panels(view, summary).select("panel", "row").n_unique()
    return Figure(
        id="service",
        short_title=listed([TITLES[name] for name in there]).capitalize(),
        title=f"{' and '.join(QUESTIONS[name] for name in there)}?".capitalize(),
        reading="One colour per algorithm. Left is better, except for bitrates.",
        draw=partial(_draw, view),
        height=120 * len(there) + (14 * len(view.algorithms) + 6) * rows,
        file="service/service",
    )


def group_title(view: CampaignView) -> str:
    """Return the title of the group."""
    return listed([TITLES[name] for name in view.traffic if name in TITLES]).capitalize()


def _draw(view: CampaignView) -> Drawing:
    summary = service_summary(view)
    title = f"{group_title(view)}, {period_title(view.main_period)}"
    panels = PANELS | {BITRATE: PANELS[BITRATE].format(rate_unit(view)[1])}
    chart = service(_in_panels(view, summary), view.algorithms, panels=panels, title=title)
    return drawing(chart, caption(view, summary))


def _in_panels(view: CampaignView, summary: pl.DataFrame) -> pl.DataFrame:
    """Return the summary with the panel of each row, in the units of the panels."""
    measure = pl.col("measure")
    of_shares = pl.when(pl.col("subject") == ARRIVALS).then(pl.lit(SLOWDOWN)).otherwise(pl.lit(DELAY))
    factor = measure.replace_strict(
        {LATE: 100.0, REBUFFERING: 100.0, BITRATE: 1 / rate_unit(view)[0]}, default=1.0, return_dtype=pl.Float64
    )
    return summary.with_columns(
        pl.when(measure.is_in(list(PANELS))).then(measure).otherwise(of_shares).alias("panel"),
        *(pl.col(name) * factor for name in ("median", "least", "most")),
    ).drop("subject")


def service_summary(view: CampaignView) -> pl.DataFrame:
    """Return what flows, frames and videos get: medians over the conditions, and their ranges.

    A row per subject (`ARRIVALS`, `FRAMES` or `VIDEO`), row (of `SIZES`, `OF_FRAMES` or `OF_VIDEOS`), algorithm and
    measure (of `SHARES`, or `LATE`, `BITRATE`, `REBUFFERING`): columns subject, row, algorithm, measure, conditions
    (that have a value), median, least and most, of means over replicates. Slowdowns are ratios, delays ms, bitrates
    segments/s; late frames and rebuffering are shares from 0 to 1. Only traffic that the campaign has, and only what
    it recorded.
    """
    frames = []
    if ARRIVALS in view.traffic:
        names = {f"slowdown_{share}{end}": (text, share) for end, text in SIZES.items() for share in SHARES}
        frames.append(_summary(_values(view, names), ARRIVALS))
    if FRAMES in view.traffic:
        delays = {f"frame_delay_{share}": (OF_FRAMES, share) for share in SHARES}
        counts = {"frames_late": (OF_FRAMES, LATE), "frames_sent": (OF_FRAMES, "sent")}
        late, sent = (_values(view, {name: place}) for name, place in counts.items())
        keys = ["row", "algorithm", "condition"]
        share = late.join(sent.select(*keys, sent="value"), on=keys, maintain_order="left").with_columns(
            pl.col("value") / pl.col("sent")
        )
        frames.append(_summary(pl.concat([share.drop("sent"), _values(view, delays)]), FRAMES))
    if VIDEO in view.traffic:
        names = {f"video_{measure}": (OF_VIDEOS, measure) for measure in (BITRATE, REBUFFERING)}
        frames.append(_summary(_values(view, names), VIDEO))
    return pl.concat(frames) if frames else pl.DataFrame(schema=_SCHEMA)


def _values(view: CampaignView, names: dict[str, tuple[str, str]]) -> pl.DataFrame:
    """Return a row per row, measure, algorithm and condition, in the order of the names."""
    rows = view.campaign.responses.filter(
        pl.col("response").is_in(list(names)) & (pl.col("period") == view.main_period) & pl.col("value").is_finite()
    )
    # Conditions of a design with two levels; of a grid or a sample, whose design has none, all.
    if view.conditions:
        rows = rows.filter(pl.col("condition").is_in(view.conditions))
    order = {name: place for place, name in enumerate(names)}
    means = rows.group_by("response", "algorithm", "condition").agg(pl.col("value").mean())
    to_row = {name: row for name, (row, _) in names.items()}
    to_measure = {name: measure for name, (_, measure) in names.items()}
    return means.sort(pl.col("response").replace_strict(order, return_dtype=pl.Int64), "algorithm", "condition").select(
        pl.col("response").replace_strict(to_row, return_dtype=pl.String).alias("row"),
        pl.col("response").replace_strict(to_measure, return_dtype=pl.String).alias("measure"),
        "algorithm",
        "condition",
        "value",
    )


def _summary(rows: pl.DataFrame, subject: str) -> pl.DataFrame:
    value = pl.col("value")
    return rows.filter(value.is_finite()).group_by("row", "algorithm", "measure", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("conditions"), value.median().alias("median"), value.min().alias("least"),
        value.max().alias("most"),
    ).with_columns(subject=pl.lit(subject)).select(list(_SCHEMA))  # fmt: skip


def service(
    summary: pl.DataFrame,
    algorithms: Sequence[str],
    *,
    panels: Mapping[str, str],
    title: str = "",
) -> alt.VConcatChart:
    """Draw what flows, frames and videos get, by algorithm.

    Parameters
    ----------
    summary
        Columns panel, row, algorithm, measure (p50, p95, p99, or another word for a single number), median, least and
        most.
    algorithms
        As for every plot, see `mesonet.plots`.
    panels
        Panels that may have rows, from top to bottom: the titles of their axes. An axis whose title ends with ``×`` is
        logarithmic and has no 0.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a panel above the other. Points are of 95 %, or of the single number; their lines reach from least to
    most. Ticks are of half and of 99 %.
    """
    there = [(name, text) for name, text in panels.items() if name in set(summary["panel"])]
    drawn = [_panel(summary.filter(panel=name), name, text, list(algorithms)) for name, text in there]
    chart = alt.vconcat(*drawn, spacing=22, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: summary}, title=title)


def _panel(rows: pl.DataFrame, name: str, text: str, algorithms: list[str]) -> Any:
    order = list(dict.fromkeys(rows["row"]))
    scale = theme.algorithm_colours(algorithms)
    scaled = alt.Scale(type="log", nice=False, padding=8) if text.endswith("×") else alt.Scale(zero=True, nice=True)

    def marks(condition: str) -> alt.Chart:
        return (
            alt.Chart(width=WIDTH, height=alt.Step(STEP, **{"for": "offset"}))
            .transform_filter(f"datum.panel === '{name}' && {condition}")
            .encode(
                y=alt.Y("row:N", sort=order, title=None,
                        axis=alt.Axis(ticks=False, domain=False, labelLimit=150, labelPadding=8)),
                yOffset=alt.YOffset("algorithm:N", sort=algorithms),
                color=alt.Color("algorithm:N", scale=scale,
                                legend=alt.Legend(title=None, orient="top", columns=6, symbolType="circle",
                                                  symbolOpacity=1)),
                tooltip=theme.tooltips("row:N", "algorithm:N", "measure:N",
                                   *((f"{each}:Q", "", ".3~g") for each in ("median", "least", "most"))),
            )
        )  # fmt: skip

    ends = "(datum.measure === 'p50' || datum.measure === 'p99')"
    x = alt.X("median:Q", title=text, scale=scaled, axis=alt.Axis(tickCount=6, format="~r"))
    return alt.layer(
        marks(f"!{ends}").mark_rule(strokeWidth=1.5, opacity=0.45).encode(
            x=alt.X("least:Q", title=text, scale=scaled), x2=alt.X2("most:Q")
        ),
        marks(f"!{ends}").mark_point(filled=True, size=60, opacity=1).encode(x=x),
        marks(ends).mark_tick(thickness=2, size=STEP - 4, opacity=1).encode(x=x),
    )  # fmt: skip


def caption(view: CampaignView, summary: pl.DataFrame) -> str:
    """Return the best and the worst algorithm for flows, frames and videos, and how to read the marks."""
    found = []
    for row, measure in ((SIZES[""], "p95"), (OF_FRAMES, LATE), (OF_VIDEOS, REBUFFERING)):
        rows = summary.filter(row=row, measure=measure).sort("median", maintain_order=True)
        if len(rows):
            found.append(_ends(measure, rows))
    text = " Points are medians over the conditions" if len(view.conditions) > 1 else " Points are the values"
    ends = ", lines reach from the smallest to the largest condition" if len(view.conditions) > 1 else ""
    marks = (
        f"{text}{ends}. Points of slowdowns and delays are of 95 % of the flows and frames, ticks of half and of 99 %."
    )
    return " ".join(found) + marks + _left_out(view)


def _left_out(view: CampaignView) -> str:
    """Return a sentence on the flows that have no slowdown; empty if all have one."""
    rows = view.campaign.responses.filter(
        (pl.col("response") == WITHOUT) & (pl.col("period") == view.main_period) & (pl.col("value") > 0)
    )
    if ARRIVALS not in view.traffic or rows.is_empty():
        return ""
    flows = number(float(rows["value"].sum()), 3)
    what = "that completed have no slowdown (links that delay segments, optimistic receivers, applications)"
    return f" {flows} flows {what} and are left out, in {counted(len(rows), 'run')}."


def _ends(measure: str, rows: pl.DataFrame) -> str:
    """Return a sentence on the first and the last algorithm."""
    values = [percent(100 * value) if measure in SHARES_OF else number(value, 3) for value in rows["median"]]
    names = rows["algorithm"].to_list()
    what = SHARES_OF.get(measure, "95 % of all flows have a slowdown of at most")
    if len(names) == 1:
        return f"{what} {values[0]}."
    if values[0] == values[-1]:
        return f"{what} {values[0]} with every algorithm."
    return f"{what} {values[0]} with {names[0]} and {values[-1]} with {names[-1]}."
