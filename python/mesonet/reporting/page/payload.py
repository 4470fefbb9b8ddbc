"""Data for the script of the page: figures, their tables, titles of responses, and settings of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mesonet.reporting import packing
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.page.page_figure import DerivedTable, PageGroup, PageTable, start_of
from mesonet.reporting.text.conditions import congestion_words
from mesonet.reporting.text.labels import axis_title


@dataclass(frozen=True)
class Conditions:
    """Conditions as the page uses them: their order, factor levels and descriptions."""

    order: list[int]  #: in which keys step through them
    levels: dict[int, list[float]]  #: of each factor, by which they can be filtered: -1 or +1, or what it sets
    settings: dict[int, str]  #: what is said of one that is highlighted


def two_level_conditions(view: CampaignView) -> Conditions:
    """Return the conditions whose factors are all at a level.

    Conditions by rising congestion; in their own order without results.
    """
    levels = {condition: [float(sign) for sign in signs] for condition, signs in view.signs.items()}
    words = {condition: _settings_words(view, condition) for condition in view.conditions}
    return Conditions(view.by_congestion if view.has_results else view.conditions, levels, words)


def page_data(view: CampaignView, groups: Sequence[PageGroup], conditions: Conditions) -> dict[str, Any]:
    """Return all data of the page as one JSON value.

    Tables, figures, titles and conditions; `mesonet.reporting.packing.pack` takes the value.
    """
    figures = [figure for group in groups for figure in group.figures]
    tables = {name: table for figure in figures for name, table in figure.tables.items()}
    tables |= {f"{figure.id}-captions": figure.captions for figure in figures}
    start = start_of(view) | {control.state: control.start for figure in figures for control in figure.controls}
    words = view.vocabulary

    def spoken(table: PageTable | DerivedTable) -> PageTable | DerivedTable:
        return (
            table
            if isinstance(table, DerivedTable)
            else replace(table, rows=words.table(table.rows, [*table.keys, "algorithm"]))
        )

    return {
        "noun": words.noun,
        "tables": {name: _table(spoken(table)) for name, table in tables.items()},
        "figures": {
            figure.id: {
                "spec": words.data(figure.spec()),
                "tables": list(figure.tables),
                "main": figure.main,
                "captions": f"{figure.id}-captions",
                "renderer": figure.renderer,
                "axis": words.text(figure.axis),
            }
            for figure in figures
        },
        "start": start,
        "titles": {name: axis_title(view, name) for name in view.responses},
        "units": {name: view.unit_of(name) for name in view.responses},
        "periods": {
            name: [(period, view.period_title(period)) for period in view.periods if name in view.in_period[period]]
            for name in view.responses
        },
        "order": conditions.order,
        "factors": list(view.campaign.design.factors),
        "levels": {
            number: [packing.rounded(level) for level in levels] for number, levels in conditions.levels.items()
        },
        "settings": conditions.settings,
    }


def _table(table: PageTable | DerivedTable) -> dict[str, Any]:
    if isinstance(table, DerivedTable):
        return {"maker": table.maker, "keys": list(table.keys)}
    return packing.columns(table.rows, table.keys)


def _settings_words(view: CampaignView, condition: int) -> str:
    signs = zip(view.campaign.design.factors, view.signs[condition], strict=True)
    words = " ".join(f"{factor}{'+' if sign > 0 else '−'}" for factor, sign in signs)
    congestion = congestion_words(view, condition)
    return "; ".join(part for part in (words, congestion) if part)
