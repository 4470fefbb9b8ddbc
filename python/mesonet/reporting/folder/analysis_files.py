"""The analysis of a campaign as files: tables for further work, figures for papers, a caption for each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from mesonet.campaign.ledger import ANALYSIS
from mesonet.errors import InputError, unknown
from mesonet.files import places
from mesonet.processes import processors
from mesonet.progress import Update
from mesonet.reporting.campaign_view.centre import curvature_sentence, has_centre_points
from mesonet.reporting.campaign_view.columns import Column
from mesonet.reporting.campaign_view.grid import Grid, is_grid
from mesonet.reporting.campaign_view.sampled import Sampled, is_sampled, left_out
from mesonet.reporting.campaign_view.surface import Surface, is_surface
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.campaign_view.view import CampaignView, view_of
from mesonet.reporting.figures import settings_of_outliers
from mesonet.reporting.folder.campaign_pair import CampaignPair
from mesonet.reporting.folder.drawing import Drawn, draw_all, fingerprint
from mesonet.reporting.folder.gallery import Extent, FigureFile, figures_of
from mesonet.reporting.folder.table_files import write_table
from mesonet.reporting.folder.tables import decision_tables, deployment_tables, two_level_tables
from mesonet.reporting.text import surface_text
from mesonet.reporting.text.conclusions_text import conclusion_lines
from mesonet.reporting.text.grid_text import grid_answers, note
from mesonet.units import with_bits
from mesonet.words import capitalised, counted, listed, markdown, number

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: Sections of the index by folder of figures, in their order.
SECTIONS = {
    "deployment": "What the deployment does",
    "network": "The network",
    "conditions": "The conditions",
    "windows": "Windows of single flows",
    "service": "Slowdown and late frames",
    "sensitivity": "Which factors drive the responses",
    "surface_terms": "Terms of the models",
    "surface": "Response surfaces",
    "levels": "Responses over the levels",
    "level_maps": "Responses as heat maps over the levels",
    "level_changes": "Largest changes along each factor",
    "scatter": "Responses over the factors",
    "ten_steps": "What drives the responses: ten steps each",
    "correlations": "Which responses vary together",
    "components": "Principal components",
    "components_of_goodputs": "Principal components of the goodputs",
    "factors": "Which factors matter over all",
    "algorithms": "The algorithms in every condition",
    "users": "What users get",
    "beside": "Two experiments",
}


def write_analysis(
    campaign: Campaign,
    directory: Path | str,
    *,
    responses: Sequence[str] | None = None,
    figures: Extent | str = "chosen",
    thresholds: Thresholds = DEFAULTS,
    beside: Campaign | None = None,
    against: str | None = None,
    png: bool = False,
    workers: int | None = 1,
    progress: Update | None = None,
) -> list[Path]:
    """Write the tables and figures of a campaign into the folder ``analysis``.

    ``analysis/tables`` has each table as Parquet and CSV (``docs/reference/analysis.md`` lists them). A figure is drawn
    again only if the data or the code changed. A campaign without results gives the table of conditions only.

    Paths of all files, up-to-date files included. `directory`: folder in which ``analysis`` is written. `responses`:
    responses whose ten steps are drawn; None: one response per cluster of the correlation analysis. `figures`:
    ``chosen`` draws the ten steps of `responses`, ``all`` of every response and algorithm, ``none`` draws nothing.
    """
    view = _view(campaign, thresholds, responses, against)
    _refuse(view, responses, figures, workers)
    pair = CampaignPair(view, beside) if beside is not None else None
    if not view.has_results:
        pair = None
    chosen = None if responses is None else tuple(responses)
    with places.folder(places.inside(directory, ANALYSIS), directory) as root:
        tables = Sampled(view).tables() | decision_tables(view) if is_sampled(campaign) else two_level_tables(view)
        tables |= deployment_tables(view)
        written = [
            path
            for name, table in (tables | (pair.tables() if pair else {})).items()
            for path in write_table(view.vocabulary.named(table), places.inside(root, "tables", name))
        ]
        drawn: list[Drawn] = []
        if view.has_results and figures != "none":
            drawn = draw_all(
                campaign, _figures(view, figures, chosen, pair), places.inside(root, "figures"),
                again=partial(
                    _again, extent=figures, responses=chosen, thresholds=thresholds, beside=beside, against=against
                ), png=png, chosen=repr((thresholds, against)) + (fingerprint(beside) if beside else ""),
                workers=workers or processors(), progress=progress,
            )  # fmt: skip
        index = places.inside(root, "index.md")
        with places.file(index) as aside:
            aside.write_text(_index(view, root, drawn, figures, pair), encoding="utf-8")
        pictures = [path for each in drawn for path in (each.path, each.path.with_suffix(".png")) if path.exists()]
        return [*written, *pictures, index]


def _view(
    campaign: Campaign, thresholds: Thresholds, responses: Sequence[str] | None, against: str | None
) -> CampaignView:
    """Return the view; of a grid the responses may be any that its runs have."""
    measured = {*campaign.responses["response"].unique()} if is_grid(campaign) else set()
    asked = tuple(name for name in responses or () if name in measured)
    return view_of(campaign, against, thresholds, asked=asked)


def _refuse(view: CampaignView, responses: Sequence[str] | None, figures: str, workers: int | None) -> None:
    """Raise an `InputError` for arguments of `write_analysis` that cannot be met."""
    if isinstance(responses, str):
        raise InputError("not a list", path="responses", value=responses, allowed="names in a list")
    if figures not in get_args(Extent):
        raise unknown("extent", str(figures), get_args(Extent), path="figures")
    if workers is not None and workers < 1:
        raise InputError("not a number of processes", path="workers", value=workers, allowed="at least 1")
    there = list(view.in_period[view.main_period]) if view.has_results else []
    there += view.column_names if view.has_results and not is_sampled(view.campaign) else []
    for name in responses or ():
        if name not in there:
            raise unknown("response", str(name), list(dict.fromkeys(there)), path="responses")


def _figures(
    view: CampaignView, extent: str, responses: Sequence[str] | None, pair: CampaignPair | None
) -> list[FigureFile]:
    """Return the figures in the order of `SECTIONS`, and in a section folder by folder."""
    found = [*figures_of(view, extent, responses), *(pair.figures() if pair else [])]
    sections, folders = list(SECTIONS), list(dict.fromkeys(figure.name.rpartition("/")[0] for figure in found))

    def place(figure: FigureFile) -> tuple[int, int, str]:
        section, folder = figure.name.partition("/")[0], figure.name.rpartition("/")[0]
        return sections.index(section), folders.index(folder), figure.name if section == "ten_steps" else ""

    return sorted(found, key=place)


def _again(
    campaign: Campaign,
    extent: str,
    responses: Sequence[str] | None,
    thresholds: Thresholds,
    beside: Campaign | None,
    against: str | None,
) -> list[FigureFile]:
    """Return the same figures in another process."""
    view = _view(campaign, thresholds, responses, against)
    return _figures(view, extent, responses, CampaignPair(view, beside) if beside is not None else None)


def _index(view: CampaignView, root: Path, drawn: Sequence[Drawn], extent: str, pair: CampaignPair | None) -> str:
    lines = [f"# {view.campaign.title or view.campaign.name}", ""]
    if is_grid(view.campaign):
        lines += _levels(view)
    elif is_sampled(view.campaign):
        lines += [f"{capitalised(left_out(view.campaign))}.", ""]
        lines += _surface(view) if is_surface(view.campaign) else []
    if not view.has_results:
        return markdown("\n".join([*lines, "No run has given a result yet: there are no figures.", ""]))
    lines += [*map(view.vocabulary.text, _reading(view, drawn, extent)), ""]
    lines += [] if is_sampled(view.campaign) else conclusion_lines(view)
    lines += [pair.sentence, ""] if pair is not None else []
    section = ""
    for figure in drawn:
        first = figure.name.partition("/")[0]
        if first != section:
            section = first
            lines += [f"## {view.vocabulary.text(SECTIONS[section])}", ""]
        title = (figure.name.partition("/")[2] or figure.name).replace("/", ", ").replace("_", " ")
        relative = figure.path.relative_to(root).as_posix()
        lines += [
            f"### {title}", "", f"*{figure.question}*", "", f"![{title}]({relative})", "", figure.caption, "",
        ]  # fmt: skip
    return markdown("\n".join(lines))


def _levels(view: CampaignView) -> list[str]:
    """Return what a grid shows, in lines."""
    if not view.has_results:
        return []
    grid = Grid(view)
    lines = [note(grid), ""]
    for each in grid_answers(grid, grid.key_responses):
        lines += [f"## {each.title}", "", *(f"* {with_bits(text, view.data_bytes)}" for text in each.sentences), ""]
    return lines


def _surface(view: CampaignView) -> list[str]:
    """Return what a response surface shows, in lines."""
    if not view.has_results:
        return []
    surface = Surface(view)
    lines = [surface_text.note(surface), ""]
    for each in surface_text.surface_answers(surface, view.key_responses):
        lines += [f"## {each.title}", "", *(f"* {with_bits(text, view.data_bytes)}" for text in each.sentences), ""]
    return lines


def _reading(view: CampaignView, drawn: Sequence[Drawn], extent: str) -> list[str]:
    """Return lines on the contents of the folder, the outliers, and runs that would separate aliases."""
    lines = [f"{counted(len(drawn), 'figure')}; the tables are in `tables/`."]
    if is_sampled(view.campaign):
        return lines
    if extent == "chosen":
        lines[0] += (
            f" Ten steps are drawn for chosen representatives of the {len(view.correlations.clusters)} clusters of "
            "responses; `mesonet analyze --figures all` draws them for every response."
        )
    lines += ["", *view.notes] if view.notes else []
    if len(view.algorithms) > 1:
        lines += ["", settings_of_outliers.caption(view)]
    if has_centre_points(view.campaign):
        lines += ["", curvature_sentence(view.network)]
    if view.campaign.design.factors:
        lines += ["", _follow_up_sentence(view, view.congestion_column, view.choices_of_algorithm[-1])]
    return lines


def _follow_up_sentence(view: CampaignView, column: Column, algorithm: str) -> str:
    """Return the effects that follow-up runs would separate, as text."""
    found = view.follow_up(column.response, column.period, algorithm)
    if found is None:
        return "No active effect is aliased: there is nothing to break."
    errors = found.standard_error[np.isfinite(found.standard_error)]
    wording = f"{counted(len(found.matrix), 'follow-up run')} would separate {listed(found.separated)}"
    if len(errors):
        wording += f", with standard errors of up to {number(float(errors.max()), 2)} SD of a run"
    return wording + (f"; still aliased: {listed(found.still_aliased)}." if found.still_aliased else ".")
