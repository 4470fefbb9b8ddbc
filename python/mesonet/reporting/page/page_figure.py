"""A figure as the page has it: one chart, and the tables of all selections, which the page swaps into it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mesonet.charts import theme
from mesonet.reporting.campaign_view.grid import is_grid
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures import Control, Drawing, Figure, Group
from mesonet.reporting.figures.figure import Selection
from mesonet.units import with_bits

#: Marks above which a figure is drawn on a canvas.
MOST_SVG_MARKS = 3_000
#: Selections with a select at the top of the page.
OFFERED = ("response", "algorithm", "period")


@dataclass(frozen=True)
class PageTable:
    """Rows of all selections; `keys` are the columns that say for which selection a row is."""

    rows: pl.DataFrame
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class DerivedTable:
    """A table that the page makes from others when it is asked for, by the function `maker` of the page's script."""

    maker: str
    keys: tuple[str, ...]


@dataclass(frozen=True)
class PageFigure:
    """Figure of the page; `captions`: heading and text per selection."""

    id: str
    short_title: str
    title: str
    declared: Figure
    chart: Any
    tables: Mapping[str, PageTable | DerivedTable]
    captions: PageTable | DerivedTable
    marks: int
    axis: str  #: text over the vertical axis; {} is the title of the response
    controls: Sequence[Control]
    renamed: Mapping[str, str]  #: tables of the chart that have other names on the page

    @property
    def main(self) -> str:
        """Name of the table that the data view shows."""
        return next(iter(self.tables))

    @property
    def renderer(self) -> str:
        """Renderer of the browser, "svg", or "canvas" for many marks."""
        return "canvas" if self.marks > MOST_SVG_MARKS else "svg"

    def spec(self) -> dict[str, Any]:
        """Return the chart in Vega-Lite without the tables, which the page puts in.

        Marks have no labels for listeners: screen readers would read thousands of them. The figure has its caption and
        its table of data.
        """
        definition = self.chart.definition()
        config = {**definition.get("config", {}), "aria": False}
        plain = {**definition, "datasets": definition.get("datasets", {}), "config": config, "title": None}
        return _renamed(plain, self.renamed) if self.renamed else plain


@dataclass(frozen=True)
class PageGroup:
    """Figures of the page that answer one question."""

    id: str
    title: str
    figures: list[PageFigure]


def page_groups(groups: Sequence[Group], start: Selection, segment_bytes: float | None) -> list[PageGroup]:
    """Return the groups with a figure that the page shows."""
    found = [
        PageGroup(
            group.id,
            group.title,
            [made for figure in group.figures for made in page_figures(figure, start, segment_bytes)],
        )
        for group in groups
    ]
    return [group for group in found if group.figures]


def start_of(view: CampaignView) -> dict[str, str]:
    """Return the selection that the page begins with."""
    return {
        "response": view.key_responses[0] if view.asked or is_grid(view.campaign) else view.congestion_response,
        "algorithm": view.choices_of_algorithm[0],
        "period": view.main_period,
    }


def page_figures(figure: Figure, start: Selection, segment_bytes: float | None) -> list[PageFigure]:
    """Return the figures of the page for a figure.

    No figure if the page does not show it; several if charts differ in more than their tables.
    """
    if not figure.height or not figure.selections:
        return []
    drawings = [(selection, figure.draw(**selection)) for selection in figure.selections]
    if not figure.varied:
        return [_page_figure(figure, drawings, start, 1, segment_bytes)]
    alike: dict[str, list[tuple[Selection, Drawing]]] = {}
    for selection, drawing in drawings:
        definition = {name: part for name, part in drawing.chart().definition().items() if name != "title"}
        alike.setdefault(json.dumps(definition, sort_keys=True), []).append((selection, drawing))
    return [
        _page_figure(figure, members, start, place, segment_bytes)
        for place, members in enumerate(alike.values(), start=1)
    ]


def _page_figure(
    figure: Figure,
    drawings: Sequence[tuple[Selection, Drawing]],
    start: Selection,
    place: int,
    segment_bytes: float | None,
) -> PageFigure:
    first = next((each for each in drawings if all(start.get(k, v) == v for k, v in each[0].items())), drawings[0])
    chart = first[1].chart()
    id_ = figure.id if place == 1 else f"{figure.id}-{place}"
    more = "" if place == 1 else f" ({place})"
    offered = {*OFFERED, *(control.state for control in figure.controls)}
    keys = _keys(drawings, offered)
    chosen = [({key: selection[key] for key in keys}, drawing) for selection, drawing in drawings]
    names = {name: f"{id_}-{name}" if figure.own_tables else name for name in first[1].tables}
    if figure.maker:
        tables: dict[str, PageTable | DerivedTable] = {name: DerivedTable(figure.maker, keys) for name in names}
        captions: PageTable | DerivedTable = DerivedTable(f"{figure.maker[:-1]}Captions", keys)
    else:
        tables = {
            names[name]: PageTable(first[1].tables[name])
            if name in figure.fixed
            else PageTable(_stacked([(selection, each.tables[name]) for selection, each in chosen]), keys)
            for name in names
        }
        texts = [{**selection, "heading": each.heading or figure.question or figure.title,
                  "text": with_bits(each.text, segment_bytes)}
                 for selection, each in chosen]  # fmt: skip
        captions = PageTable(pl.DataFrame(texts), keys)
    own = []
    for key in (key for key in keys if key not in offered):
        values = list(dict.fromkeys(selection[key] for selection, _ in chosen))
        own.append(Control(key, key.capitalize(), [(value, value) for value in values], values[0]))
    return PageFigure(
        id=id_,
        short_title=figure.short_title + more,
        title=figure.title + more,
        declared=figure,
        chart=chart,
        tables=tables,
        captions=captions,
        marks=figure.marks or max(next(iter(each.tables.values())).height for _, each in drawings),
        axis=figure.axis or ("{}" if "response" in keys else _own_axis(chart)),
        controls=[*figure.controls, *own],
        renamed={old: new for old, new in names.items() if old != new},
    )


def _keys(drawings: Sequence[tuple[Selection, Drawing]], offered: set[str]) -> tuple[str, ...]:
    """Return the keys of the selections, without keys that all share, unless the page offers a choice anyway."""
    first = drawings[0][0]
    return tuple(key for key in first if key in offered or any(other[key] != first[key] for other, _ in drawings))


def _stacked(parts: Sequence[tuple[Selection, pl.DataFrame]]) -> pl.DataFrame:
    """Return the rows of all selections, with columns in front that say for which selection a row is."""
    rows = pl.concat([table for _, table in parts], how="vertical_relaxed")
    keys = [
        pl.Series(key, [selection[key] for selection, table in parts for _ in range(table.height)], dtype=pl.String)
        for key in parts[0][0]
    ]
    return rows.select(*keys, pl.all())


def _own_axis(chart: Any) -> str:
    """Return the title over the vertical axis of a figure that does not follow the response chosen on the page."""
    params = chart.definition().get("params", [])
    return next((str(each["value"]) for each in params if each["name"] == theme.RESPONSE_TITLE), "{}")


def _renamed(part: Any, names: Mapping[str, str]) -> Any:
    """Return a part of a definition in which the tables have other names."""
    if isinstance(part, list):
        return [_renamed(each, names) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {**value, "name": names[value["name"]]}
        if key == "data" and isinstance(value, dict) and value.get("name") in names
        else _renamed(value, names)
        for key, value in part.items()
    }
