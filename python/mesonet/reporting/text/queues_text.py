"""Queues as text: the table of delay, drops and marks, its caption, and a sentence at the top of the page."""

from __future__ import annotations

from mesonet.reporting.campaign_view.queues import disciplines, queue_summary
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.responses.queues import TITLES
from mesonet.scenarios.parameters import discipline_title
from mesonet.words import listed, number, percent


def queues_sentence(view: CampaignView) -> str:
    """Return a sentence on the class of routers with the longest delays, by discipline, or on what was not recorded.

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
