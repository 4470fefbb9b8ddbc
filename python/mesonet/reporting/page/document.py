"""Report as one HTML file: everything that the page needs is in it, and it loads nothing from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from mesonet.assets import asset, carrier
from mesonet.charts import in_page
from mesonet.charts.theme import unchecked
from mesonet.files import places
from mesonet.progress import Update
from mesonet.reporting import packing
from mesonet.reporting.campaign_view.sampled import Sampled, is_sampled
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.campaign_view.view import CampaignView, view_of
from mesonet.reporting.emulator import (
    EmulatorSection,
    effects_section,
    emulator_script,
    emulator_section,
    emulator_style,
)
from mesonet.reporting.figures import figure_groups, sampled_groups
from mesonet.reporting.live import live_script, live_section, live_style
from mesonet.reporting.page import sampled as sampled_page
from mesonet.reporting.page import sections
from mesonet.reporting.page.answer import answer_html
from mesonet.reporting.page.key_figures import key_and_others
from mesonet.reporting.page.page_figure import PageGroup, page_groups, start_of
from mesonet.reporting.page.payload import Conditions, page_data, two_level_conditions
from mesonet.reporting.replay import recorded_runs, replay_section
from mesonet.reporting.text import html
from mesonet.reporting.text.conditions import conditions_html
from mesonet.reporting.text.methods import methods_html, provenance_html
from mesonet.reporting.verdicts.comparisons import paired_runs

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: The style sheets and the parts of the script, in the order in which they are put together. The parts of a script
#: share one scope: what one file declares, the later ones use.
STYLES = ("page.css", "replay.css")
FOLDER = "mesonet.reporting.page"
_asset = partial(asset, FOLDER)
PAGE_SCRIPTS = ("address.js",)
FIGURE_SCRIPTS = (
    "unpack.js", "table.js", "pairs.js", "state.js", "figures.js", "text.js", "highlight.js", "controls.js", "hints.js",
    "remember.js", "start.js",
)  # fmt: skip
REPLAY_SCRIPTS = ("unpack.js", "replay-run.js", "replay-map.js", "replay-series.js", "replay-states.js", "replay.js")


def write_report(
    campaign: Campaign,
    path: Path | str,
    *,
    thresholds: Thresholds = DEFAULTS,
    against: str | None = None,
    compare: Sequence[str] = (),
    responses: Sequence[str] = (),
    progress: Update | None = None,
    live: bool = True,
) -> Path:
    """Write the interactive report of a campaign, whatever part of it is done.

    The file works from disk without a network. Missing folders above it are made; an earlier report stays until the new
    one is complete.

    `against`, `compare`, `responses`: as for `mesonet.report`. `live`: the page holds the simulator if it has a
    replay, so that readers can simulate in it.
    """
    with places.file(path) as aside:
        aside.write_text(
            report_html(
                campaign, progress, thresholds, against=against, compare=compare, responses=responses, live=live
            ),
            encoding="utf-8",
        )
    return Path(path)


Part = Callable[[], str]
#: Parts that are no text of ours: the title is the user's.
_WITHOUT_WORDS = ("policy", "title", "style", "page_scripts", "scripts", "replay_scripts", "emulator_scripts")


def report_html(
    campaign: Campaign,
    progress: Update | None = None,
    thresholds: Thresholds = DEFAULTS,
    *,
    against: str | None = None,
    compare: Sequence[str] = (),
    responses: Sequence[str] = (),
    live: bool = True,
) -> str:
    """Return the report as one HTML document."""
    view = view_of(campaign, against, thresholds, compare, asked=responses)
    if progress:
        progress(0, 1, "statistics")
    parts = _parts(view, live)
    made = {}
    for place, (name, make) in enumerate(parts.items()):
        if progress:
            progress(1 + place, 1 + len(parts), name)
        with unchecked():
            made[name] = make() if name in _WITHOUT_WORDS else view.vocabulary.html(make())
    return str(html.render("page.html", **made))


def _parts(view: CampaignView, live: bool) -> dict[str, Part]:
    """Return the functions that make the parts of the page, in the order in which they are called."""
    campaign = view.campaign
    sampled = Sampled(view) if is_sampled(campaign) else None
    recorded = [] if sampled else recorded_runs(campaign)
    replay = replay_section(recorded, paired_runs(view))
    simulates = live_section(view, recorded[0].scenario["topology"]) if live and replay.html else Markup("")

    @cache
    def emulator() -> EmulatorSection:
        return emulator_section(sampled, live=live) if sampled else effects_section(view.network)

    @cache
    def groups() -> list[PageGroup]:
        if not view.has_results:
            return []
        declared = sampled_groups(sampled) if sampled else figure_groups(view)
        return page_groups(declared, start_of(view), view.data_bytes)

    @cache
    def divided() -> tuple[PageGroup, list[PageGroup]]:
        return key_and_others(groups(), with_replay=bool(replay.html))

    def key_figures() -> Markup:
        if not groups():
            return sections.statement(view)
        key, _ = divided()
        if sampled:
            filters = sampled_page.range_filters(sampled)
            return sections.key_figures(view, key, view.algorithms, sampled.by_first_response, filters)
        return sections.key_figures(
            view, key, view.choices_of_algorithm, view.by_congestion, sections.level_filters(view)
        )

    def scripts() -> str:
        if not groups():
            return ""
        conditions = sampled_page.conditions(sampled) if sampled else two_level_conditions(view)
        return _figure_scripts(view, groups(), conditions)

    return {
        "policy": lambda: _policy(bool(simulates), emulator().live),
        "title": lambda: campaign.title or campaign.name,
        "style": lambda: Markup(_style()),
        "provenance": lambda: provenance_html(view),
        "page_scripts": lambda: _element(_script(PAGE_SCRIPTS)),
        "answer": lambda: answer_html(view, sampled_page.answer(sampled)) if sampled else answer_html(view.network),
        "summary": lambda: sampled_page.summary(sampled) if sampled else sections.summary(view.network),
        "key_figures": key_figures,
        "figures": lambda: sections.figures(divided()[1]),
        "contents": lambda: sections.contents(*divided(), replay.title, emulator().has_sliders),
        "emulator": lambda: emulator().html,
        "replay": lambda: replay.html + simulates,
        "conditions": lambda: sampled_page.conditions_html(sampled) if sampled else conditions_html(view.network),
        "methods": lambda: sampled_page.methods_html(sampled) if sampled else methods_html(view),
        "scripts": scripts,
        "replay_scripts": lambda: _element(_replay_script(bool(simulates))) if replay.html else "",
        "emulator_scripts": lambda: _element(_emulator_script(emulator().live)) if emulator().has_sliders else "",
    }


@cache
def _style() -> str:
    sheets = (asset(in_page.FOLDER, "tooltip.css"), *map(_asset, STYLES), live_style(), emulator_style())
    return "".join(sheets)


@cache
def _script(names: Sequence[str]) -> str:
    return "\n".join(map(_asset, names))


@cache
def _replay_script(live: bool) -> str:
    return _script(REPLAY_SCRIPTS) + ("\n" + live_script() if live else "")


@cache
def _emulator_script(live: bool) -> str:
    return _script(("unpack.js",)) + "\n" + emulator_script(live)


@cache
def _policy(live: bool, emulated_live: bool) -> Markup:
    """Return the policy of the page, which is the same for every campaign: its scripts and styles hold no data."""
    scripts = [in_page.libraries(), _script(PAGE_SCRIPTS), _script(FIGURE_SCRIPTS), _replay_script(live)]
    scripts.append(_emulator_script(emulated_live))
    return Markup(in_page.content_policy(scripts, [_style()], simulator=live or emulated_live))


def _element(script: str) -> Markup:
    return Markup(f'<script type="module">{script}</script>')


def _figure_scripts(view: CampaignView, groups: Sequence[PageGroup], conditions: Conditions) -> Markup:
    data = packing.pack(page_data(view, groups, conditions))
    return carrier("page-data", data) + _element(in_page.libraries()) + _element(_script(FIGURE_SCRIPTS))
