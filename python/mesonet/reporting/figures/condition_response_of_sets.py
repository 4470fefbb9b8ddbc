"""The condition-response summary of each set of responses beyond the whole measured time."""

from __future__ import annotations

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.condition_response import condition_response, summary_caption
from mesonet.reporting.figures.figure import Drawing, Figure, drawing
from mesonet.reporting.text.labels import settings


def figure(view: CampaignView) -> Figure | None:
    """Return the condition-response summary of each set of responses beyond the whole measured time."""
    names = [name for name in view.sets if name != view.period_title(view.main_period)]
    if len(view.algorithms) < 2 or not names:
        return None

    def draw(set: str) -> Drawing:
        cells = view.summary_of(view.sets[set])
        title = f"Condition-response summary, {set}"
        chart = condition_response(cells, settings(view), labels=view.labels, order=view.by_congestion, title=title)
        return drawing(chart, summary_caption(view, cells))

    return Figure(
        id="condition-response-of-sets",
        short_title="Who stands out, by set",
        title="Where does an algorithm stand out in a set of responses?",
        reading="",
        draw=draw,
        selections=[{"set": name} for name in names],
        file="algorithms/condition_response_of_{set}",
    )
