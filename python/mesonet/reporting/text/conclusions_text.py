"""Conclusions of an experiment in words: where they hold, and on which factors they depend."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from mesonet.analysis.conclusions import DECIDES, FAILS, HOLDS, POWER, SHIFTS
from mesonet.analysis.decisions.decision import CANNOT_TELL, DEPENDS
from mesonet.reporting.campaign_view.conclusions import Evaluated, conclusions
from mesonet.reporting.campaign_view.values import factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text import html
from mesonet.words import counted, listed, percent

#: How the page marks them.
CLASSES = {HOLDS: "none", FAILS: "harm", DEPENDS: "some", CANNOT_TELL: "unclear"}
#: Verdict on a conclusion without values.
NOT_EVALUATED = "not evaluated"


def conclusion_rows(view: CampaignView) -> list[dict[str, Any]]:
    """Return the conclusions as data.

    One entry per conclusion: its definition, its verdict, counts, and the role of every factor. Empty without results.
    """
    if not (view.has_results and view.campaign.design.factors):
        return []
    rows = []
    for each in conclusions(view):
        row = {**each.about, "verdict": NOT_EVALUATED, "why": why(view, each)}
        if each.found is not None:
            factors = each.found.to_polars().to_dicts()
            counts = {"holds": each.found.holds, "known": each.found.known, "mean_support_percent": each.found.mean}
            row |= {"verdict": each.found.verdict, **counts, "factors": factors}
        rows.append(row)
    return rows


def why(view: CampaignView, each: Evaluated) -> str:
    """Return the reasons of a verdict."""
    found = each.found
    if found is None:
        names = [name for name in (each.about["higher"], *each.about["algorithms"]) if name]
        lacking = [name for name in names if name not in view.algorithms]
        return f"No runs of {listed(lacking)}." if lacking else f"No run has a value of {each.about['response']}."
    parts = [f"Holds in {found.holds} of {counted(found.known, 'condition')}, with a mean support of "
             f"{percent(found.mean, sign=True)}."]  # fmt: skip
    for place in range(len(found.factors)):
        if found.role[place] == DECIDES:
            parts.append(f"{_effect(view, each, place)}.")
    shifting = [_shift(view, each, place) for place, role in enumerate(found.role) if role == SHIFTS]
    if shifting:
        parts.append(f"Shifted by {'; '.join(shifting)}.")
    if found.margin_of_error > 0:
        parts.append(f"Visible effects of a factor: {percent(found.visible)} and more.")
    elif found.margin_of_error == 0:
        parts.append("There is no noise: any difference is an effect.")
    else:
        parts.append("No noise is known to test effects against.")
    return " ".join(parts)


def _effect(view: CampaignView, each: Evaluated, place: int) -> str:
    found, factor = each.found, view.campaign.design.factors[place]
    assert found is not None
    levels = [
        f"{level_text(view, factor, sign)}: {percent(mean, sign=True)}, holds in {holds} of {known}"
        for sign, mean, holds, known in (
            (-1, float(found.mean_minus[place]), found.holds_minus[place], found.known_minus[place]),
            (1, float(found.mean_plus[place]), found.holds_plus[place], found.known_plus[place]),
        )
    ]
    title = factor_title(view, factor)
    return f"Depends on {title} ({'; '.join(levels)})"


def _shift(view: CampaignView, each: Evaluated, place: int) -> str:
    assert each.found is not None
    effect = percent(float(each.found.effect[place]), sign=True)
    return f"{factor_title(view, view.campaign.design.factors[place])} by {effect}"


def conclusions_html(view: CampaignView) -> Markup:
    """Return the conclusions as a table. HTML; empty without conclusions."""
    rows = conclusion_rows(view)
    if not rows:
        return Markup("")
    cells = [[html.strong(row["text"]), row["verdict"], row["why"], row["source"]] for row in rows]
    marks = [{"class": f"verdict-{CLASSES.get(row['verdict'], 'not')}"} for row in rows]
    head = ["conclusion", "verdict", "why", "source"]
    table = html.table(head, cells, caption=_caption(), classes="verdicts", attributes=marks)
    return table + html.reading(_words())


def conclusion_lines(view: CampaignView) -> list[str]:
    """Return the conclusions as lines of Markdown. A heading and one item per conclusion; empty without conclusions."""
    rows = conclusion_rows(view)
    if not rows:
        return []
    items = [f"* **{row['text']}** ({row['source']}): {row['verdict']}. {row['why']}" for row in rows]
    return ["## Conclusions under other assumptions", "", f"{_caption()} {_words()}", "", *items, ""]


def _caption() -> str:
    return (
        "Each conclusion is evaluated in every condition. Its support is the difference of the values compared, in % "
        "of their mean, less the difference that the conclusion asks for."
    )


def _words() -> str:
    return (
        f"“{HOLDS}”: at both levels of every factor the mean support is above 0, and by more than its error. "
        f"“{DEPENDS}”: a factor has an effect on the support, and only one of its levels confirms or contradicts "
        f"the conclusion. “{FAILS}”: as “{HOLDS}”, below 0. “{CANNOT_TELL}”: none of these. Factors of one conclusion "
        "are tested together at 5 % (Bonferroni). A visible effect is found with a probability of "
        f"{percent(100 * POWER)}."
    )
