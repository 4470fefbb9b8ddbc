"""Figures of the group "Queues: delay, drops and marks"."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet import charts
from mesonet.reporting.campaign_view.queues import disciplines, queue_summary
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.queues_text import queues_caption, queues_html
from mesonet.responses.queues import TITLES
from mesonet.scenarios.parameters import discipline_title
from mesonet.words import period_title

TITLE = "Queues: delay, drops and marks"


def queues_figure(view: CampaignView) -> Figure | None:
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
        draw=partial(_queues, view),
        selections=[{"algorithm": name} for name in view.algorithms if name in there],
        height=80 + 18 * summary["router"].n_unique() * summary["discipline"].n_unique(),
        varied=True,
        own_tables=True,
        file="network/queues_{algorithm}",
        below=queues_html(view),
    )


def _queues(view: CampaignView, algorithm: str) -> Drawing:
    rows = queue_summary(view).filter(algorithm=algorithm).drop("algorithm")
    rows = rows.with_columns(
        rows["router"].replace_strict(TITLES), rows["discipline"].map_elements(discipline_title, return_dtype=pl.String)
    )
    names = [discipline_title(name) for name in dict.fromkeys(disciplines(view.campaign).values())]
    title = f"Delay, drops and marks of queues, {algorithm}, {period_title(view.main_period)}"
    chart = charts.queues(rows, routers=[*TITLES.values()], disciplines=names, title=title)
    return drawing(chart, queues_caption(view, algorithm))
