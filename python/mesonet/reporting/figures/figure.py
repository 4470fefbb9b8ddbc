"""Figures of the page: a chart, and the tables of all selections that the page swaps into it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from mesonet.reporting.campaign_view.study import Study

#: Marks above which a figure is drawn on a canvas.
MOST_SVG_MARKS = 3_000
#: Keys of what is shown for one response and one algorithm, or the mean of all.
RESPONSE_AND_ALGORITHM = ("response", "algorithm")


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
class Control:
    """A choice that belongs to single figures: what it changes in the state of the page, its label, its options."""

    state: str
    label: str
    options: Sequence[tuple[str, str]]
    start: str


@dataclass(frozen=True)
class PageFigure:
    """Figure of the page. `main`: the table that its data view shows; `captions`: heading and text per selection."""

    id: str
    short_title: str
    title: str
    reading: str  #: how to read it
    chart: Any
    main: str
    tables: Mapping[str, PageTable | DerivedTable]
    captions: PageTable | DerivedTable
    marks: int
    height: int  #: px, about: room kept until it is drawn
    controls: Sequence[Control] = ()
    axis: str = "{}"  #: what stands over the vertical axis; {} is the title of the response
    renamed: Mapping[str, str] = field(default_factory=dict)  #: tables of the chart that have other names on the page
    below: str = field(default="", repr=False)  #: HTML that belongs to it and does not change

    @property
    def renderer(self) -> str:
        """Renderer of the browser, "svg", or "canvas" for many marks."""
        return "canvas" if self.marks > MOST_SVG_MARKS else "svg"

    def spec(self) -> dict[str, Any]:
        """Return the chart in Vega-Lite without the tables, which the page puts in.

        Marks have no labels for listeners: thousands of them would be read one by one. The figure has its caption and
        its table of data.
        """
        definition: dict[str, Any] = self.chart.definition()
        config = {**definition.get("config", {}), "aria": False}
        plain = {**definition, "datasets": definition.get("datasets", {}), "config": config, "title": None}
        return _renamed(plain, self.renamed) if self.renamed else plain


def keyed(rows: pl.DataFrame, selection: Mapping[str, str]) -> pl.DataFrame:
    """Return the rows of one selection, with columns in front that say which."""
    return rows.select(*(pl.lit(value).alias(name) for name, value in selection.items()), pl.all())


def stacked(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all selections."""
    return pl.concat(parts, how="vertical_relaxed")


def caption(selection: Mapping[str, str], heading: str, text: str) -> dict[str, str]:
    """Return a row of a table of captions."""
    return {**selection, "heading": heading, "text": text}


def factor_control(study: Study) -> Control:
    """Return the control that selects the factor of a figure."""
    names = {factor.id: factor.name for factor in study.campaign.factors}
    factors = study.campaign.design.factors
    return Control("factor", "Factor", [(f, f"{f} {names.get(f, '')}".strip()) for f in factors], factors[0])


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
