"""Caption of the figure about slowdown and late frames."""

from __future__ import annotations

import polars as pl

from mesonet.reporting.campaign_view.service import LATE, OF_FRAMES, SIZES
from mesonet.reporting.campaign_view.values import ARRIVALS, FRAMES
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import number, percent


def service_caption(view: CampaignView, summary: pl.DataFrame) -> str:
    """Return the best and the worst algorithm for flows and for frames, and how to read the marks.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    summary
        The rows of `mesonet.reporting.campaign_view.service.service_summary`.

    Returns
    -------
    Sentences.
    """
    found = []
    for subject, row, measure in ((ARRIVALS, SIZES[""], "p95"), (FRAMES, OF_FRAMES, LATE)):
        rows = summary.filter(subject=subject, row=row, measure=measure).sort("median", maintain_order=True)
        if len(rows):
            found.append(_ends(subject, rows))
    text = " Points are medians over the conditions" if len(view.conditions) > 1 else " Points are the values"
    ends = ", lines reach from the smallest to the largest condition" if len(view.conditions) > 1 else ""
    marks = (
        f"{text}{ends}. Points of slowdowns and delays are of 95 % of the flows and frames, ticks of half and of 99 %."
    )
    return " ".join(found) + marks


def _ends(subject: str, rows: pl.DataFrame) -> str:
    """Return a sentence on the first and the last algorithm."""
    values = [number(value, 3) if subject == ARRIVALS else percent(100 * value) for value in rows["median"]]
    names = rows["algorithm"].to_list()
    what = "95 % of all flows have a slowdown of at most" if subject == ARRIVALS else "The share of late frames is"
    if len(names) == 1:
        return f"{what} {values[0]}."
    if values[0] == values[-1]:
        return f"{what} {values[0]} with every algorithm."
    return f"{what} {values[0]} with {names[0]} and {values[-1]} with {names[-1]}."
