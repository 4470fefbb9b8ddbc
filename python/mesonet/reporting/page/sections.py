"""The sections of the page as HTML: summary, contents, controls, and a frame for every figure."""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from mesonet.reporting.campaign_view.values import status_counts
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import Control
from mesonet.reporting.page.page_figure import PageFigure, PageGroup
from mesonet.reporting.text import html
from mesonet.reporting.text.summary import findings, glance
from mesonet.reporting.text.verdict_text import verdict_html


def contents(groups: Sequence[PageGroup], replay: str) -> str:
    """Return links to all sections, figures gathered by group. `replay`: title of the replay, empty for none."""
    links = [_link("summary", "In short")]
    for group in groups:
        inside = " ".join(_link(f"section-{figure.id}", figure.short_title) for figure in group.figures)
        links.append(f"<span>{html.escape(group.title)}: {inside}</span>")
    links += [_link("replay", replay)] if replay else []
    links += [_link(anchor, title) for anchor, title in
              (("conditions", "Conditions"), ("methods", "Methods"), ("provenance", "Provenance"))]  # fmt: skip
    return " ".join(links)


def summary(view: CampaignView) -> str:
    """Return the findings in words, the verdict on each algorithm, and the algorithms at a glance."""
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in findings(view))
    if not view.has_results:
        return f'<dl class="findings">{items}</dl>'
    verdict = verdict_html(view)
    if verdict:
        verdict = f'<h3 id="verdict">Verdict on deployment</h3>{verdict}'
    return f'<dl class="findings">{items}</dl>{verdict}<h3>At a glance</h3>{glance(view)}'


def statement(view: CampaignView) -> str:
    """Return the statement that replaces the figures where there are none."""
    counts = status_counts(view.campaign)
    return (
        '<section><p class="statement">There are no figures yet: no run has given a result '
        f"({counts['failed']} failed, {counts['missing']} not run yet).</p></section>"
    )


def figures(groups: Sequence[PageGroup], controls: str) -> str:
    """Return the figures under their controls, which stay in sight as long as the figures do."""
    parts = [
        f'<h2 class="group" id="group-{group.id}">{html.escape(group.title)}</h2>'
        + "".join(_section(figure) for figure in group.figures)
        for group in groups
    ]
    return f"<div>{controls}{''.join(parts)}</div>"


def level_filters(view: CampaignView) -> str:
    """Return a select per factor: any level, or one."""
    return "".join(
        _select(f'data-factor="{html.escape(f)}"', f, [("", "any"), ("-1", "−"), ("1", "+")])
        for f in view.campaign.design.factors
    )


def controls(view: CampaignView, algorithms: Sequence[str], order: Sequence[int], filters: str) -> str:
    """Return the controls of all figures: response, algorithm, period, highlighted condition, `filters`."""
    responses = [(name, view.label_of(name)) for name in view.responses]
    conditions = [("0", "none"), *((str(c), str(c)) for c in order)]
    only = f'<details><summary>Show only conditions with …</summary><div class="filters">{filters}</div></details>'
    return (
        '<div class="controls" role="group" aria-label="What the figures show">'
        + _select('data-state="response"', "Response", responses)
        + _select('data-state="algorithm"', "Algorithm (effects)", [(name, name) for name in algorithms])
        + _select('data-state="period"', "Period", [])
        + _select('data-state="hl"', "Highlight condition", conditions)
        + (only if filters else "")
        + '<button type="button" id="show-all">Draw all figures (for printing)</button></div>'
    )


def _select(attribute: str, title: str, options: Sequence[tuple[str, str]]) -> str:
    items = "".join(f'<option value="{html.escape(value)}">{html.escape(text)}</option>' for value, text in options)
    return f"<label>{html.escape(title)}<select {attribute}>{items}</select></label>"


def _own_controls(controls: Sequence[Control]) -> str:
    selects = [_select(f'data-state="{control.state}"', control.label, control.options) for control in controls]
    return f'<div class="own-controls">{"".join(selects)}</div>' if selects else ""


def _section(figure: PageFigure) -> str:
    return Template(files("mesonet.reporting.page").joinpath("figure.html").read_text(encoding="utf-8")).substitute(
        id=figure.id,
        title=html.escape(figure.title),
        reading=html.escape(figure.declared.reading),
        controls=_own_controls(figure.controls),
        height=figure.declared.height,
        below=figure.declared.below,
    )


def _link(anchor: str, title: str) -> str:
    return f'<a href="#{anchor}">{html.escape(title)}</a>'
