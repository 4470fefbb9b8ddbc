"""Labels of axes and rows of figures."""

from mesonet.plots import Settings
from mesonet.reporting.campaign_view.study import Study
from mesonet.words import number, percent, uncapitalised


def axis_title(study: Study, response: str) -> str:
    """Return the title of the vertical axis: the title of a response and its unit."""
    unit = study.unit_of(response)
    return study.responses[response].title + (f", {unit}" if unit not in ("", "1") else "")


def settings(study: Study) -> Settings:
    """Return the left side of a condition-response summary."""
    unit = study.unit_of(study.congestion_response)
    text = {
        condition: (percent(100 * value) if unit == "1" else number(value))
        for condition, value in zip(study.conditions, study.congestion.tolist(), strict=True)
    }
    title = uncapitalised(study.responses[study.congestion_response].title)
    return Settings(study.campaign.design.factors, study.signs, title, text)
