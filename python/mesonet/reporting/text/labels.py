"""Headings and labels of figures, and words that several of them share."""

from __future__ import annotations

from mesonet.analysis.main_effects import Mode
from mesonet.charts.settings import Settings
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import number, percent, uncapitalised

#: What an effect is tested against, by the mode of `mesonet.analysis.main_effects`.
AGAINST: dict[Mode, str] = {
    "nist": "against the variation between the conditions",
    "full": "against what all main effects leave",
    "replicates": "against the scatter between replicates",
}
#: What has one value per condition and algorithm: a run, or the mean over its replicates.
CELL = "combination of condition and algorithm", "combinations of condition and algorithm"


def axis_title(view: CampaignView, response: str) -> str:
    """Return the title of the vertical axis: the title of a response and its unit.

    Such as ``Loss rate`` or ``Goodput, seg/s``; shares have no unit.
    """
    unit = view.unit_of(response)
    return view.responses[response].title + (f", {unit}" if unit not in ("", "1") else "")


def settings(view: CampaignView) -> Settings:
    """Return the left side of a condition-response summary.

    Factors, levels of each condition, and the measure of congestion with its text by condition.
    """
    unit = view.unit_of(view.congestion_response)
    text = {
        condition: (percent(100 * value) if unit == "1" else number(value))
        for condition, value in zip(view.conditions, view.congestion.tolist(), strict=True)
    }
    title = uncapitalised(view.responses[view.congestion_response].title)
    return Settings(view.campaign.design.factors, view.signs, title, text)


def effects_heading(view: CampaignView, response: str, period: str, algorithm: str) -> str:
    """Return the heading of a main-effects figure: response, algorithm, period.

    Such as ``Loss rate, tcp, whole measured time``.
    """
    whose = "mean of all algorithms" if algorithm == MEAN_OF_ALL else algorithm
    if view.is_model and len(view.algorithms) == 1:
        return view.responses[response].title
    return f"{view.responses[response].title}, {whose}{view.in_period_words(period)}"


def values_heading(view: CampaignView, response: str, period: str) -> str:
    """Return the heading of a figure of raw values: response and period."""
    return f"{view.responses[response].title}{view.in_period_words(period)}"
