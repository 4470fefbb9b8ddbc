"""Every figure is declared once: its charts differ between selections in tables and titles only."""

from __future__ import annotations

from typing import Any

import pytest

from fake_campaign import fake_campaign
from mesonet.charts.theme import RESPONSE_TITLE
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import Drawing, Figure, figure_groups

pytestmark = pytest.mark.slow

VIEW = CampaignView(fake_campaign())
FIGURES = {figure.id: figure for group in figure_groups(VIEW) for figure in group.figures}
#: Selections of a figure that are drawn: the first and the last ones, and some between.
MOST = 4


def chosen(figure: Figure) -> list[Drawing]:
    step = max(1, len(figure.selections) // MOST)
    return [figure.draw(**selection) for selection in [*figure.selections[::step], figure.selections[-1]]]


def definition(drawing: Drawing) -> dict[str, Any]:
    """Return the chart without its titles."""
    found = {name: part for name, part in drawing.chart().definition().items() if name != "title"}
    params = [each for each in found.get("params", []) if each["name"] != RESPONSE_TITLE]
    return {**found, "params": params}


@pytest.mark.parametrize("id", [name for name, figure in FIGURES.items() if not figure.varied and not figure.maker])
def test_charts_do_not_depend_on_values(id: str) -> None:
    drawings = chosen(FIGURES[id])
    first = definition(drawings[0])
    assert all(definition(drawing) == first for drawing in drawings[1:])
    assert len({tuple(drawing.tables) for drawing in drawings}) == 1


@pytest.mark.parametrize("id", FIGURES)
def test_a_figure_has_a_heading_a_caption_and_columns(id: str) -> None:
    figure = FIGURES[id]
    assert figure.title
    assert figure.reading or not figure.height
    for drawing in chosen(figure) if not figure.maker else ():
        assert drawing.heading or figure.title
        assert drawing.text.endswith((".", ")"))
        for name, table in drawing.tables.items():
            assert table.columns, name
    for name in figure.fixed:
        first, *others = (drawing.tables[name] for drawing in chosen(figure))
        assert all(first.equals(other) for other in others), name
