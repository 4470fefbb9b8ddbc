"""The sections of the page as HTML: contents, summary, and the figures under their controls."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.page.page_figure import PageGroup
from mesonet.reporting.text import html
from mesonet.reporting.text.conclusions_text import conclusions_html
from mesonet.reporting.text.disciplines_text import disciplines_html
from mesonet.reporting.text.looks_text import looks_html
from mesonet.reporting.text.summary import findings, glance
from mesonet.reporting.text.verdict_text import verdict_html
from mesonet.units import with_bits


def contents(key: PageGroup, groups: Sequence[PageGroup], replay: str, emulator: bool) -> Markup:
    """Return links to all sections, with the figures gathered by group."""
    return html.render("contents.html", key=key, groups=groups, replay=replay, emulator=emulator)


def summary(view: CampaignView) -> Markup:
    """Return the findings in words, the conclusions, the verdict on each algorithm, and the algorithms at a glance."""
    shown = {"conclusions": "", "disciplines": "", "verdict": "", "looks": "", "glance": ""}
    if view.has_results:
        shown = {
            "conclusions": conclusions_html(view), "disciplines": disciplines_html(view), "verdict": verdict_html(view),
            "looks": looks_html(view.campaign), "glance": glance(view),
        }  # fmt: skip
    title = "Verdict" if view.is_model else "Verdict on deployment"
    in_words = [(name, with_bits(text, view.data_bytes)) for name, text in findings(view)]
    return html.render("summary.html", verdict_title=title, findings=html.definitions(in_words, "findings"), **shown)


def statement(view: CampaignView) -> Markup:
    """Return the statement that replaces the figures where there are none."""
    counts = view.campaign.counts
    text = "There are no figures yet: no run has given a result ({failed} failed, {missing} not run yet)."
    return html.section(html.statement(text.format(**counts)))


def level_filters(view: CampaignView) -> Markup:
    """Return a select per factor, for any level or one level."""
    options = [("", "any"), ("-1", "−"), ("1", "+")]
    return html.selects([({"data-factor": factor}, factor, options) for factor in view.campaign.design.factors])


def key_figures(
    view: CampaignView, key: PageGroup, algorithms: Sequence[str], order: Sequence[int], filters: Markup
) -> Markup:
    """Return the controls of all figures, and below them the figures to decide by.

    The controls choose response, algorithm, period and highlighted condition.
    """
    responses = [
        (name, f"{about.title} ({about.symbol})" if about.symbol else about.title)
        for name, about in view.responses.items()
    ]
    conditions = [("0", "none"), *((str(c), str(c)) for c in order)]
    controls = [
        ({"data-state": "response"}, "Response", responses),
        ({"data-state": "algorithm"}, "Algorithm (effects)", [(name, name) for name in algorithms]),
        ({"data-state": "period"}, "Period", []),
        ({"data-state": "hl"}, "Highlight condition", conditions),
    ]
    return html.render("controls.html", controls=controls, filters=filters) + figures([key])


def figures(groups: Sequence[PageGroup]) -> Markup:
    """Return groups of figures with their titles."""
    return html.render("figures.html", groups=groups)
