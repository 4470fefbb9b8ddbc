"""Figures of a campaign: each is declared once, for the page and for the folder; one file per group.

May import `campaign_view`, `verdicts` and `text` of reporting. `figure_groups` returns the figures of a campaign.
"""

from __future__ import annotations

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import alike, differ, drivers, network, queues, service, users
from mesonet.reporting.figures.figure import Control, Drawing, Figure, Group, made

__all__ = ["Control", "Drawing", "Figure", "Group", "figure_groups"]


def figure_groups(view: CampaignView) -> list[Group]:
    """Return the figures that a campaign can have, in the order of the page.

    Parameters
    ----------
    view
        View of the campaign.

    Returns
    -------
    Groups that have a figure; none without results.
    """
    if not view.has_results:
        return []
    groups = [
        Group(
            "differ",
            "How the algorithms differ" if len(view.algorithms) > 1 else "What came out",
            differ.figures(view),
        ),
        Group("service", service.group_title(view), made(view, service.service_figure)),
        Group("users", "What users get", users.figures(view)),
        Group("queues", queues.TITLE, made(view, queues.queues_figure)),
        Group("drivers", "What drives the responses", drivers.figures(view)),
        Group("alike", "What the responses have in common", alike.figures(view)),
        Group("network", "What happens in the network", network.figures(view)),
    ]
    return [group for group in groups if group.figures]
