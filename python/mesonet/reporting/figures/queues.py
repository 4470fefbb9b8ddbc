"""Delay, drops and marks of queues: a row per class of routers, a colour per discipline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt
import polars as pl
from markupsafe import Markup

from mesonet.charts import theme
from mesonet.reporting.campaign_view.queues import disciplines, queue_summary
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text import html
from mesonet.responses.queues import COLUMNS, MEASURES, NOT_RECORDED, TITLES, measured_text
from mesonet.scenarios.parameters import discipline_title
from mesonet.words import counted, period_title

DATA = "queues"
WIDTH, STEP = 250, 15  # px
#: Titles of the panels, with the measures that each shows; the first measure of a panel has its range.
PANELS = {
    "delay, ms": ("delay_p95", "delay_p50", "delay_p99"),
    "dropped, %": ("loss_rate",),
    "marked, %": ("mark_rate",),
}
TITLE = "Queues: delay, drops and marks"


def figure(view: CampaignView) -> Figure | None:
    """Return delay, drops and marks of the queues; None if the runs recorded nothing of their queues."""
    summary = queue_summary(view)
    if summary.is_empty():
        return None
    there = set(summary["algorithm"])
    return Figure(
        id="queues",
        short_title="Queues by class",
        title="How long do segments wait, and how many are dropped and marked?",
        reading="One row per class of routers, one colour per queue discipline.",
        draw=partial(_draw, view),
        selections=[{"algorithm": name} for name in view.algorithms if name in there],
        height=80 + 18 * summary["router"].n_unique() * summary["discipline"].n_unique(),
        varied=True,
        own_tables=True,
        file="network/queues_{algorithm}",
        below=queues_html(view),
    )


def _draw(view: CampaignView, algorithm: str) -> Drawing:
    rows = queue_summary(view).filter(algorithm=algorithm).drop("algorithm")
    rows = rows.with_columns(
        rows["router"].replace_strict(TITLES), rows["discipline"].map_elements(discipline_title, return_dtype=pl.String)
    )
    names = [discipline_title(name) for name in dict.fromkeys(disciplines(view.campaign).values())]
    title = f"Delay, drops and marks of queues, {algorithm}, {period_title(view.main_period)}"
    chart = queues(rows, routers=[*TITLES.values()], disciplines=names, title=title)
    return drawing(chart, caption(view, algorithm))


def queues(
    summary: pl.DataFrame,
    *,
    routers: Sequence[str],
    disciplines: Sequence[str],
    title: str = "",
) -> alt.HConcatChart:
    """Draw delay, drops and marks of queues, medians and ranges.

    Parameters
    ----------
    summary
        Columns router, discipline, measure (of `mesonet.responses.queues.MEASURES`), median, least and most. Delays in
        ms, rates from 0 to 1.
    routers
        Classes of routers, from top to bottom.
    disciplines
        Disciplines, in the order of their colours.
    title
        As for every plot, see `mesonet.plots`.

    Returns
    -------
    The chart: a panel for delays, drops and marks. Measures without rows have no panel.
    """
    rate = pl.col("measure").str.ends_with("rate")
    columns = ("median", "least", "most")
    rows = summary.with_columns(
        pl.when(rate).then(100 * pl.col(name)).otherwise(pl.col(name)).alias(name) for name in columns
    )
    there = set(rows["measure"])
    panels = [_panel(text, names, routers, disciplines) for text, names in PANELS.items() if there.intersection(names)]
    for place, panel in enumerate(panels):
        if place:
            panel.layer[0].encoding.y.axis = alt.Axis(labels=False, ticks=False, title=None)
    chart = alt.hconcat(*panels, spacing=18, data=alt.NamedData(name=DATA))
    return theme.finish(chart, {DATA: rows}, title=title)


def _panel(text: str, measures: Sequence[str], routers: Sequence[str], disciplines: Sequence[str]) -> Any:
    palette = [theme.ORANGE, theme.BLUE, theme.GREEN, theme.PINK, theme.VERMILLION, theme.SKY, theme.BLACK]
    scale = theme.in_turn(disciplines, palette)
    first, *others = measures

    def marks(names: Sequence[str]) -> alt.Chart:
        kept = " || ".join(f"datum.measure === '{name}'" for name in names)
        return (
            alt.Chart(width=WIDTH, height=alt.Step(STEP, **{"for": "offset"}))
            .transform_filter(kept)
            .encode(
                y=alt.Y("router:N", sort=list(routers), title=None,
                        axis=alt.Axis(ticks=False, domain=False, labelLimit=140, labelPadding=8)),
                yOffset=alt.YOffset("discipline:N", sort=list(disciplines)),
                color=alt.Color("discipline:N", scale=scale,
                                legend=alt.Legend(title=None, orient="top", symbolType="circle", symbolOpacity=1)),
                tooltip=theme.tooltips("router:N", "discipline:N", "measure:N",
                                   *((f"{name}:Q", "", ".3~g") for name in ("median", "least", "most"))),
            )
        )  # fmt: skip

    x = alt.X("median:Q", title=text, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5))
    layers = [
        marks([first]).mark_rule(strokeWidth=1.5, opacity=0.45).encode(
            x=alt.X("least:Q", title=text), x2=alt.X2("most:Q")
        ),
        marks([first]).mark_point(filled=True, size=70, opacity=1).encode(x=x),
    ]  # fmt: skip
    if others:
        layers.append(marks(others).mark_tick(thickness=2, size=STEP - 4, opacity=1).encode(x=x))
    return alt.layer(*layers)


def caption(view: CampaignView, algorithm: str) -> str:
    """Return how to read the marks, and the measures that no run recorded."""
    own = queue_summary(view).filter(algorithm=algorithm)
    text = "Points are medians over the conditions, lines reach from the smallest to the largest condition."
    if own.filter(measure="delay_p95").is_empty():
        return f"{text} Delays were {NOT_RECORDED}."
    return f"{text} For delays the point and its line are of 95 % of the segments, ticks of half and of 99 % of them."


def queues_html(view: CampaignView) -> Markup:
    """Return the table of all classes of routers, disciplines and algorithms, folded; only what was recorded."""
    summary = queue_summary(view)
    several = len(view.algorithms) > 1
    there = [measure for measure in MEASURES if measure in set(summary["measure"])]
    rows = []
    for (router, discipline, algorithm), found in summary.group_by(
        "router", "discipline", "algorithm", maintain_order=True
    ):
        values = {row["measure"]: row for row in found.iter_rows(named=True)}
        cells = [_cell(measure, values.get(measure)) for measure in there]
        name = discipline_title(str(discipline))
        rows.append([TITLES[str(router)], name, *([algorithm] if several else []), *cells])
    titles = [title for measure, title in zip(MEASURES, COLUMNS[1:], strict=True) if measure in there]
    head = ["routers", "discipline", *(["algorithm"] if several else []), *titles]
    conditions = sorted({row["conditions"] for row in summary.iter_rows(named=True)})
    over = counted(conditions[-1], "condition")
    if conditions[0] < conditions[-1]:
        over = f"{conditions[0]} to {over}"
    caption = f"Medians over {over}, with the range in brackets."
    if any(measure.startswith("delay") for measure in there):
        caption += " A delay is the time that this share of all segments waited at most."
    table = html.table(head, rows, caption=caption, classes="queues")
    return html.folded(f"All algorithms and classes of routers: {len(rows)} rows", table)


def _cell(measure: str, row: dict[str, float] | None) -> str:
    if row is None:
        return NOT_RECORDED
    text = measured_text(measure, row["median"])
    if row["least"] == row["most"]:
        return text
    return f"{text} ({measured_text(measure, row['least'])} to {measured_text(measure, row['most'])})"
