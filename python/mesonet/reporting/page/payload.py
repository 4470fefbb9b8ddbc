"""Data for the script of the page: figures, their tables, titles of responses, and settings of conditions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mesonet.reporting import packing
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.figures import DerivedTable, Group, PageTable
from mesonet.reporting.text.conditions import congestion_words
from mesonet.reporting.text.labels import axis_title
from mesonet.words import period_title


@dataclass(frozen=True)
class Conditions:
    """Conditions as the page uses them: their order, factor levels and descriptions."""

    order: list[int]  #: in which keys step through them
    levels: dict[int, list[float]]  #: of each factor, by which they can be filtered: -1 or +1, or what it sets
    settings: dict[int, str]  #: what is said of one that is highlighted


def two_level_conditions(study: Study) -> Conditions:
    """Return the conditions whose factors are all at a level."""
    levels = {condition: [float(sign) for sign in signs] for condition, signs in study.signs.items()}
    words = {condition: _settings_words(study, condition) for condition in study.conditions}
    return Conditions(study.by_congestion if study.has_results else study.conditions, levels, words)


def page_data(study: Study, groups: Sequence[Group], conditions: Conditions) -> dict[str, Any]:
    """Return all data of the page as one JSON value."""
    figures = [figure for group in groups for figure in group.figures]
    tables = {name: table for figure in figures for name, table in figure.tables.items()}
    tables |= {f"{figure.id}-captions": figure.captions for figure in figures}
    start = {
        "response": study.congestion_response,
        "algorithm": study.choices_of_algorithm[0],
        "period": study.main_period,
    }
    start |= {control.state: control.start for figure in figures for control in figure.controls}
    return {
        "tables": {name: _table(table) for name, table in tables.items()},
        "figures": {
            figure.id: {
                "spec": figure.spec(),
                "tables": list(figure.tables),
                "main": figure.main,
                "captions": f"{figure.id}-captions",
                "renderer": figure.renderer,
                "axis": figure.axis,
            }
            for figure in figures
        },
        "start": start,
        "titles": {name: axis_title(study, name) for name in study.responses},
        "units": {name: study.unit_of(name) for name in study.responses},
        "periods": {
            name: [(period, period_title(period)) for period in study.periods if name in study.in_period[period]]
            for name in study.responses
        },
        "order": conditions.order,
        "factors": list(study.campaign.design.factors),
        "levels": {
            number: [packing.rounded(level) for level in levels] for number, levels in conditions.levels.items()
        },
        "settings": conditions.settings,
    }


def _table(table: PageTable | DerivedTable) -> dict[str, Any]:
    if isinstance(table, DerivedTable):
        return {"maker": table.maker, "keys": list(table.keys)}
    return packing.columns(table.rows, table.keys)


def _settings_words(study: Study, condition: int) -> str:
    signs = zip(study.campaign.design.factors, study.signs[condition], strict=True)
    words = " ".join(f"{factor}{'+' if sign > 0 else '−'}" for factor, sign in signs)
    congestion = congestion_words(study, condition)
    return "; ".join(part for part in (words, congestion) if part)
