"""Figures of the group "Slowdown and late frames": what flows that arrive, and frames of media, get."""

from __future__ import annotations

from functools import partial

import polars as pl

from mesonet import charts
from mesonet.reporting.campaign_view.service import LATE, service_summary
from mesonet.reporting.campaign_view.values import ARRIVALS, FRAMES
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.captions.service import service_caption
from mesonet.words import listed, period_title

#: Panels of the figure, with the titles of their axes.
SLOWDOWN, SHARE, DELAY = "slowdown", "late", "delay"
PANELS = {SLOWDOWN: "slowdown, ×", SHARE: "late frames, %", DELAY: "delay of frames, ms"}
#: Titles of the group, and of the figure, by what the campaign has.
TITLES = {ARRIVALS: "slowdown", FRAMES: "late frames"}


def group_title(view: CampaignView) -> str:
    """Return the title of the group.

    Parameters
    ----------
    view
        View of a campaign.

    Returns
    -------
    The traffic that the campaign has.
    """
    return listed([TITLES[name] for name in view.traffic]).capitalize()


def service_figure(view: CampaignView) -> Figure | None:
    """Return slowdown and late frames; None if the campaign has neither arrivals nor frames."""
    summary = service_summary(view)
    if summary.is_empty():
        return None
    questions = {ARRIVALS: "how slow are flows of each size", FRAMES: "how late are frames"}
    there = [name for name in view.traffic if name in set(summary["subject"])]
    rows = summary.select("subject", "row").n_unique() + summary.filter(measure=LATE).select("row").n_unique()
    return Figure(
        id="service",
        short_title=listed([TITLES[name] for name in there]).capitalize(),
        title=f"{' and '.join(questions[name] for name in there)}?".capitalize(),
        reading="One colour per algorithm. Left is better.",
        draw=partial(_service, view),
        height=120 * len(there) + (14 * len(view.algorithms) + 6) * rows,
        file="service/service",
    )


def _service(view: CampaignView) -> Drawing:
    summary = service_summary(view)
    late = pl.col("measure") == LATE
    columns = ("median", "least", "most")
    rows = summary.with_columns(
        pl.when(pl.col("subject") == ARRIVALS).then(pl.lit(SLOWDOWN)).when(late).then(pl.lit(SHARE))
        .otherwise(pl.lit(DELAY)).alias("panel"),
        *(pl.when(late).then(100 * pl.col(name)).otherwise(pl.col(name)).alias(name) for name in columns),
    ).drop("subject")  # fmt: skip
    title = f"{group_title(view)}, {period_title(view.main_period)}"
    chart = charts.service(rows, view.algorithms, panels=PANELS, title=title)
    return drawing(chart, service_caption(view, summary))
