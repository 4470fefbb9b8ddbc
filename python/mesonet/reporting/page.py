"""One self-contained HTML file: everything the page needs is in it, and it asks for nothing from outside."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import vl_convert

from mesonet import places
from mesonet.plots.export import VL_VERSION
from mesonet.progress import Update
from mesonet.reporting import data, html
from mesonet.reporting.conditions import conditions_html, congestion_words
from mesonet.reporting.figures import PageFigure, axis_title, page_figures
from mesonet.reporting.methods import methods_html, provenance_html
from mesonet.reporting.study import Study, status_counts
from mesonet.reporting.summary import findings, glance
from mesonet.reporting.words import period_title

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def write_report(campaign: "Campaign", path: Path | str, *, progress: Update | None = None) -> Path:
    """Write the interactive report of a campaign, whatever part of it is done, and return its path.

    The file works from disk without a network. Missing folders above it are made; an earlier report stays until the
    new one is complete. `progress` is told (done, total, what is being made).

    Raises InputError, before any work, where it cannot be written.
    """
    with places.file(path) as aside:
        aside.write_text(report_html(campaign, progress), encoding="utf-8")
    return Path(path)


def report_html(campaign: "Campaign", progress: Update | None = None) -> str:
    """The report as one HTML document."""
    study = Study(campaign)
    if progress:
        progress(0, 1, "statistics")
    figures = page_figures(study)
    parts: dict[str, Callable[[], str]] = {
        "title": lambda: html.escape(campaign.title or campaign.name),
        "style": lambda: _asset("page.css"),
        "summary": lambda: _summary(study),
        "contents": lambda: _contents(figures),
        "figures": lambda: _figures(study, figures) if figures else _statement(study),
        "conditions": lambda: conditions_html(study),
        "methods": lambda: methods_html(study),
        "provenance": lambda: provenance_html(study),
        "data": lambda: _scripts(study, figures) if figures else "",
    }
    made = {}
    for place, (name, make) in enumerate(parts.items()):
        if progress:
            progress(1 + place, 1 + len(parts), name)
        made[name] = make()
    return Template(_asset("page.html")).substitute(made)


def _asset(name: str) -> str:
    return files("mesonet.reporting").joinpath(name).read_text(encoding="utf-8")


def _contents(figures: Sequence[PageFigure]) -> str:
    links = [("summary", "In short"), *((f"section-{f.id}", f.short_title) for f in figures)]
    links += [("conditions", "Conditions"), ("methods", "Methods"), ("provenance", "Provenance")]
    return " ".join(f'<a href="#{anchor}">{html.escape(title)}</a>' for anchor, title in links)


def _summary(study: Study) -> str:
    items = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>" for name, text in findings(study))
    table = glance(study) if study.has_results else ""
    return f'<dl class="findings">{items}</dl>{table}'


def _statement(study: Study) -> str:
    counts = status_counts(study.campaign)
    return (
        '<section><p class="statement">There are no figures yet: no run has given a result '
        f"({counts['failed']} failed, {counts['missing']} not run yet).</p></section>"
    )


def _figures(study: Study, figures: Sequence[PageFigure]) -> str:
    """The figures under their controls, which stay in sight as long as the figures do."""
    return f"<div>{_controls(study)}{''.join(_section(figure) for figure in figures)}</div>"


def _controls(study: Study) -> str:
    responses = [(name, study.label_of(name)) for name in study.responses]
    algorithms = [(name, name) for name in study.choices_of_algorithm]
    conditions = [("0", "none"), *((str(c), str(c)) for c in study.by_congestion)]
    filters = "".join(
        _select(f'data-factor="{html.escape(f)}"', f, [("0", "any"), ("-1", "−"), ("1", "+")])
        for f in study.campaign.design.factors
    )
    return (
        '<div class="controls" role="group" aria-label="What the figures show">'
        + _select('data-state="response"', "Response", responses)
        + _select('data-state="algorithm"', "Algorithm (main effects)", algorithms)
        + _select('data-state="period"', "Period", [])
        + _select('data-state="hl"', "Highlight condition", conditions)
        + f'<details><summary>Show only conditions with …</summary><div class="filters">{filters}</div></details>'
        + '<button type="button" id="show-all">Draw all figures (for printing)</button></div>'
    )


def _select(attribute: str, title: str, options: Sequence[tuple[str, str]]) -> str:
    items = "".join(f'<option value="{html.escape(value)}">{html.escape(text)}</option>' for value, text in options)
    return f"<label>{html.escape(title)}<select {attribute}>{items}</select></label>"


def _section(figure: PageFigure) -> str:
    _, height = figure.size()
    return Template(_asset("figure.html")).substitute(
        id=figure.id, title=html.escape(figure.title), reading=html.escape(figure.reading), height=height
    )


def _scripts(study: Study, figures: Sequence[PageFigure]) -> str:
    return (
        f'<script type="text/plain" id="page-data">{data.pack(_page_data(study, figures))}</script>'
        f'<script type="module">{_libraries()}</script><script type="module">{_asset("page.js")}</script>'
    )


@cache
def _libraries() -> str:
    """Vega, Vega-Lite and vega-embed as one script."""
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VL_VERSION)


def _page_data(study: Study, figures: Sequence[PageFigure]) -> dict[str, Any]:
    tables = {name: table for figure in figures for name, table in figure.tables.items()}
    tables |= {f"{figure.id}-captions": figure.captions for figure in figures}
    return {
        "tables": {name: data.columns(table.rows, table.keys) for name, table in tables.items()},
        "figures": {
            figure.id: {
                "spec": figure.spec(),
                "tables": list(figure.tables),
                "main": figure.main,
                "captions": f"{figure.id}-captions",
                "renderer": figure.renderer,
            }
            for figure in figures
        },
        "start": {
            "response": study.congestion_response,
            "algorithm": study.choices_of_algorithm[0],
            "period": study.main_period,
        },
        "titles": {name: axis_title(study, name) for name in study.responses},
        "periods": {
            name: [(period, period_title(period)) for period in study.periods if name in study.in_period[period]]
            for name in study.responses
        },
        "order": study.by_congestion,
        "signs": study.signs,
        "settings": {condition: _settings_words(study, condition) for condition in study.conditions},
    }


def _settings_words(study: Study, condition: int) -> str:
    signs = zip(study.campaign.design.factors, study.signs[condition], strict=True)
    words = " ".join(f"{factor}{'+' if sign > 0 else '−'}" for factor, sign in signs)
    congestion = congestion_words(study, condition)
    return f"{words}; {congestion}" if congestion else words
