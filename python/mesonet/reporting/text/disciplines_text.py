"""The better queue discipline for groups of flows and classes of routers, in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from mesonet.analysis.decisions.decision import BETTER, CANNOT_TELL, WORSE
from mesonet.reporting.campaign_view.values import level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.reporting.verdicts.disciplines import (
    ALIKE,
    SAME,
    TRADE,
    Choice,
    Outcome,
    discipline_choices,
)
from mesonet.reporting.verdicts.verdict import MARGIN
from mesonet.scenarios.parameters import discipline_title
from mesonet.units import with_bits
from mesonet.words import capitalised, listed, percent, quantity, span, uncapitalised

#: How the page marks them; the disciplines have the colours of the figure of the queues.
CLASSES = {TRADE: "some", ALIKE: "not", CANNOT_TELL: "unclear"}


def disciplines_html(view: CampaignView) -> Markup:
    """Return the better discipline of each group of flows and each class of routers, as a table.

    HTML; empty if no factor with two levels chooses the discipline.
    """
    found = discipline_choices(view)
    if not found:
        return Markup("")
    rows = [[html.strong(each.whom), discipline_title(each.chosen), _why_html(view, each)] for each in found]
    marks = [{"class": f"verdict-{CLASSES.get(each.chosen, 'none')}"} for each in found]
    table = html.table(["for whom", "discipline", "why"], rows, caption=_caption(found), classes="verdicts",
                       attributes=marks)  # fmt: skip
    return table + html.reading(_words())


def disciplines_sentence(view: CampaignView) -> str:
    """Return the answer in short. Sentences; empty if no factor with two levels chooses the discipline."""
    found = discipline_choices(view)
    answers = {each.whom: _in_short(each) for each in found}
    wording = [
        f"For {listed([whom for whom, answer in answers.items() if answer == each])}: {each}."
        for each in dict.fromkeys(answers.values())
    ]
    return " ".join([*wording, "The table below has the reasons."]) if wording else ""


def discipline_answers(view: CampaignView) -> list[tuple[str, str, str]]:
    """Return each answer once, with all flows and routers that it is for.

    The mark of the answer, the answer, and for whom it is; none if no factor with two levels chooses the discipline.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for each in discipline_choices(view):
        key = CLASSES.get(each.chosen, "none"), discipline_title(each.chosen), _gains(each)
        found.setdefault(key, []).append(each.whom)
    return [
        (mark, chosen, f"for {listed(whom)}{f'; {gains}' if gains else ''}.")
        for (mark, chosen, gains), whom in found.items()
    ]


def _in_short(choice: Choice) -> str:
    """Return the answer for one group of flows or class of routers; both sides of a trade."""
    gains = _gains(choice)
    return f"{discipline_title(choice.chosen)} ({gains})" if gains else discipline_title(choice.chosen)


def _gains(choice: Choice) -> str:
    """Return what each side of a trade is better in; empty if the answer is no trade."""
    if choice.chosen != TRADE:
        return ""
    sides = zip(choice.disciplines, (WORSE, BETTER), strict=True)
    return ", ".join(
        f"{discipline_title(name)} is better in {listed([each.title for each in choice.outcomes if each.kind == kind])}"
        for name, kind in sides
    )


def discipline_rows(view: CampaignView) -> list[dict[str, Any]]:
    """Return the answers as data."""
    return [
        {
            "whom": each.whom, "discipline": each.chosen, "compared": list(each.disciplines), "why": why(view, each),
            "margin_percent": MARGIN, "quantities": [{**asdict(one), "kind": one.kind} for one in each.outcomes],
        }
        for each in discipline_choices(view)
    ]  # fmt: skip


def why(view: CampaignView, choice: Choice) -> str:
    """Return the reasons of an answer.

    Sentences on the quantities that are better, worse, alike and not clear at the + level of the discipline.
    """
    wording = []
    for kind, title in ((BETTER, "Better"), (WORSE, "Worse")):
        if parts := [_changed(view, each) for each in choice.outcomes if each.kind == kind]:
            wording.append(f"{title} with {discipline_title(choice.disciplines[1])}: {'; '.join(parts)}.")
    if parts := [f"{each.title} ({_interval(each)})" for each in choice.outcomes if each.kind == SAME]:
        wording.append(f"No change beyond {percent(MARGIN)}: {listed(parts)}.")
    if parts := [f"{each.title} ({_interval(each)})" for each in choice.outcomes if each.kind == CANNOT_TELL]:
        wording.append(f"Not clear: {listed(parts)}.")
    return " ".join(wording)


def _changed(view: CampaignView, outcome: Outcome) -> str:
    values = with_bits(span(outcome.minus, outcome.plus, outcome.unit), view.data_bytes)
    return f"{outcome.title} {percent(outcome.change, sign=True)}, {values}{_dependence(view, outcome)}"


def _dependence(view: CampaignView, outcome: Outcome) -> str:
    """Return the factor on which a change depends most, with the change at both of its levels."""
    if not outcome.depends_on:
        return ""
    name = next(uncapitalised(each.name) for each in view.campaign.factors if each.id == outcome.depends_on)
    low, high = (
        f"{percent(change, sign=True)} at {level_text(view, outcome.depends_on, sign)}"
        for sign, change in ((-1, outcome.at_minus), (1, outcome.at_plus))
    )
    return f" (by {name}: {low}, {high})"


def _interval(outcome: Outcome) -> str:
    return f"{percent(outcome.low, sign=True)} to {percent(outcome.high, sign=True)}"


def _why_html(view: CampaignView, choice: Choice) -> Markup:
    names = [discipline_title(name) for name in choice.disciplines]
    head = ["quantity", *names, "change", "95 % interval", f"at {names[1]}"]
    rows = [
        [
            capitalised(each.title), with_bits(quantity(each.minus, each.unit), view.data_bytes),
            with_bits(quantity(each.plus, each.unit), view.data_bytes), percent(each.change, sign=True),
            _interval(each), each.kind,
        ]
        for each in choice.outcomes
    ]  # fmt: skip
    inner = html.table(head, rows, classes="judged")
    return why(view, choice) + html.folded("Every quantity", inner)


def _caption(found: Sequence[Choice]) -> str:
    minus, plus = (discipline_title(name) for name in found[0].disciplines)
    return (
        f"{plus} instead of {minus}, in the mean over all levels of the other factors. Throughput counts flows while "
        "they send; the queueing delay of a flow is its last round-trip time less propagation. Delays that stay below "
        "1 ms and loss rates that stay below 0.1 % are not compared."
    )


def _words() -> str:
    return (
        f"Better or worse is a change by more than {percent(MARGIN)} that is not chance. “{TRADE}”: some quantities "
        f"are better and some are worse. “{ALIKE}”: every interval is within {percent(MARGIN)}. “{CANNOT_TELL}”: the "
        "intervals are too wide. Intervals hold with 95 % for all quantities of a line together. The noise is the "
        "scatter that the main effects of all factors leave. If a change depends on another factor, and not by chance, "
        "its values at both levels of that factor are in brackets."
    )
