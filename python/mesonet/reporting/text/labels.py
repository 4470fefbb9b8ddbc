"""Labels of axes and rows of figures."""

from __future__ import annotations

from mesonet.charts import Settings
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import number, percent, uncapitalised


def axis_title(view: CampaignView, response: str) -> str:
    """Return the title of the vertical axis: the title of a response and its unit.

    Parameters
    ----------
    view, response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Such as ``Loss rate`` or ``Goodput, seg/s``; shares have no unit.
    """
    unit = view.unit_of(response)
    return view.responses[response].title + (f", {unit}" if unit not in ("", "1") else "")


def settings(view: CampaignView) -> Settings:
    """Return the left side of a condition-response summary.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Factors, levels of each condition, and the measure of congestion with its text by condition.
    """
    unit = view.unit_of(view.congestion_response)
    text = {
        condition: (percent(100 * value) if unit == "1" else number(value))
        for condition, value in zip(view.conditions, view.congestion.tolist(), strict=True)
    }
    title = uncapitalised(view.responses[view.congestion_response].title)
    return Settings(view.campaign.design.factors, view.signs, title, text)
