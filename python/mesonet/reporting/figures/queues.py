"""Figures of the group "Queues: delay, drops and marks"."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet import charts
from mesonet.reporting.campaign_view.queues import disciplines, queue_summary
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, Group, drawing
from mesonet.reporting.text.queues_text import queues_caption, queues_html
from mesonet.responses.queues import TITLES
from mesonet.scenarios.parameters import discipline_title
from mesonet.words import period_title


def group(view: CampaignView) -> Group:
    """Return the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The group with its figure, and the table below it; without figures if the runs recorded nothing of their queues.
    """
    return Group("queues", "Queues: delay, drops and marks", _figures(view))


def _figures(view: CampaignView) -> list[Figure]:
    summary = queue_summary(view)
    if summary.is_empty():
        return []
    there = set(summary["algorithm"])
    return [
        Figure(
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
    ]


def _queues(view: CampaignView, algorithm: str) -> Drawing:
    rows = queue_summary(view).filter(algorithm=algorithm).drop("algorithm")
    rows = rows.with_columns(
        rows["router"].replace_strict(TITLES), rows["discipline"].map_elements(discipline_title, return_dtype=pl.String)
    )
    names = [discipline_title(name) for name in dict.fromkeys(disciplines(view.campaign).values())]
    title = f"Delay, drops and marks of queues, {algorithm}, {period_title(view.main_period)}"
    chart = charts.queues(rows, routers=[*TITLES.values()], disciplines=names, title=title)
    return drawing(chart, queues_caption(view, algorithm))
