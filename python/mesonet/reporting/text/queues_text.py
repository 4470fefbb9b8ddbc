"""Queues as text: the table of delay, drops and marks, its caption, and a sentence at the top of the page."""

from __future__ import annotations

from markupsafe import Markup

from mesonet.reporting.campaign_view.queues import disciplines, queue_summary
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.responses.queues import COLUMNS, MEASURES, NOT_RECORDED, TITLES, measured_text
from mesonet.scenarios.parameters import discipline_title
from mesonet.words import counted, listed, number, percent


def queues_html(view: CampaignView) -> Markup:
    """Return the table of all classes of routers, disciplines and algorithms, folded; only what was recorded.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    HTML.
    """
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


def queues_sentence(view: CampaignView) -> str:
    """Return a sentence on the class of routers with the longest delays, by discipline, or on what was not recorded.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences; empty for a campaign of a model.
    """
    if not disciplines(view.campaign):
        return ""
    summary = queue_summary(view)
    if summary.is_empty():
        return "Delay, drops and marks of the queues were not recorded: an earlier version made these runs."
    drops, delays = (
        summary.filter(measure=name).sort("median", descending=True, maintain_order=True)
        for name in ("loss_rate", "delay_p95")
    )
    if delays.is_empty():
        router, share = drops["router"][0], drops["median"][0]
        return (
            f"Queues of {TITLES[router]} routers drop most: {percent(100 * share)} (median over the conditions). "
            "Delays were not recorded: measurement.queue_delays records them."
        )
    router = delays["router"][0]
    parts = []
    own = summary.filter(measure="delay_p95", router=router)
    for (discipline,), rows in own.group_by("discipline", maintain_order=True):
        medians = sorted(rows["median"].to_list())
        text = " to ".join(dict.fromkeys(number(each) for each in (medians[0], medians[-1])))
        parts.append(f"{text} ms with {discipline_title(str(discipline))}")
    over = "over the conditions" + (", by algorithm" if len(view.algorithms) > 1 else "")
    return (
        f"Delays are longest at {TITLES[router]} routers: 95 % of their segments wait for at most {listed(parts)} "
        f"(medians {over})."
    )


def queues_caption(view: CampaignView, algorithm: str) -> str:
    """Return how to read the marks, and the measures that no run recorded.

    Parameters
    ----------
    view, algorithm
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    own = queue_summary(view).filter(algorithm=algorithm)
    text = "Points are medians over the conditions, lines reach from the smallest to the largest condition."
    if own.filter(measure="delay_p95").is_empty():
        return f"{text} Delays were {NOT_RECORDED}."
    return f"{text} For delays the point and its line are of 95 % of the segments, ticks of half and of 99 % of them."
