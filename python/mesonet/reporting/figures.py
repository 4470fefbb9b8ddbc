"""The figures of the page: the chart of the first selection, and the tables of all selections to swap into it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import polars as pl

from mesonet.plots import Settings, condition_response, main_effects, responses, to_svg
from mesonet.plots.condition_response import DATA as SUMMARY_DATA
from mesonet.plots.condition_response import SETTINGS
from mesonet.plots.condition_response import table as summary_table
from mesonet.plots.main_effects import DATA as EFFECTS_DATA
from mesonet.plots.main_effects import table as effects_table
from mesonet.plots.numbers import number, percent
from mesonet.plots.responses import DATA as VALUES_DATA
from mesonet.reporting import captions
from mesonet.reporting.study import LARGE, Study
from mesonet.reporting.words import uncapitalised

#: Rows of raw values above which the page holds those of the main period only; the tables of the analysis hold all.
MOST_VALUES = 150_000
#: Cells above which a figure is drawn on a canvas.
MOST_SVG_MARKS = 3_000


@dataclass(frozen=True)
class PageTable:
    """Rows of all selections; `keys` are the columns that say for which selection a row is."""

    rows: pl.DataFrame
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageFigure:
    """One figure. `main`: the table that its data view shows; `captions`: a heading and a text per selection."""

    id: str
    short_title: str
    title: str
    reading: str  #: how to read it
    chart: Any
    main: str
    tables: Mapping[str, PageTable]
    captions: PageTable
    marks: int

    @property
    def renderer(self) -> str:
        """How the browser draws it."""
        return "canvas" if self.marks > MOST_SVG_MARKS else "svg"

    @cached_property
    def definition(self) -> dict[str, Any]:
        """The chart in Vega-Lite."""
        definition: dict[str, Any] = self.chart.to_dict()
        return definition

    def spec(self) -> dict[str, Any]:
        """The definition without the tables, which the page puts in."""
        datasets = self.definition["datasets"]
        return self.definition | {"datasets": {name: datasets[name] for name in datasets if name not in self.tables}}

    def size(self) -> tuple[int, int]:
        """Width and height in px."""
        match = re.search(r'<svg[^>]*\bwidth="([\d.]+)"[^>]*\bheight="([\d.]+)"', to_svg(self.definition))
        assert match is not None
        return round(float(match[1])), round(float(match[2]))


def page_figures(study: Study) -> list[PageFigure]:
    """The figures that this campaign can have, in the order of the page."""
    if not study.has_results:
        return []
    figures = [effects_figure(study)] if study.campaign.design.factors else []
    figures.append(values_figure(study))
    if len(study.algorithms) > 1:
        figures += [summary_figure(study, 0.0), summary_figure(study, LARGE)]
    return figures


def axis_title(study: Study, response: str) -> str:
    """What stands over the vertical axis: the title of a response and its unit."""
    unit = study.unit_of(response)
    return study.responses[response].title + (f", {unit}" if unit != "1" else "")


def settings(study: Study) -> Settings:
    """The left side of a condition-response summary."""
    unit = study.unit_of(study.congestion_response)
    text = {
        condition: (percent(100 * value) if unit == "1" else number(value))
        for condition, value in zip(study.conditions, study.congestion.tolist(), strict=True)
    }
    title = uncapitalised(study.responses[study.congestion_response].title)
    return Settings(study.campaign.design.factors, study.signs, title, text)


def effects_figure(study: Study) -> PageFigure:
    """Main effects, for every response, period and algorithm."""
    keys = ("response", "period", "algorithm")
    rows, texts = [], []
    for period, names in study.in_period.items():
        for response, algorithm in product(names, study.choices_of_algorithm):
            result = study.effects(response, period, algorithm)
            selection = {"response": response, "period": period, "algorithm": algorithm}
            rows.append(_keyed(effects_table(result, study.campaign.factors), selection))
            heading = captions.effects_heading(study, response, period, algorithm)
            texts.append({**selection, "heading": heading, "text": captions.effects_caption(study, result, response)})
    response, period, algorithm = study.congestion_response, study.main_period, study.choices_of_algorithm[0]
    return PageFigure(
        id="main-effects",
        short_title="What drives it",
        title="What drives it: main effects",
        reading=(
            "For each factor, the mean of the response over the conditions at its − level (open) and at its + level "
            "(filled); the dashed line is the mean over all. A steep line is a large effect. ** and * mark effects "
            "significant at 99 % and 95 %. Highlight a condition to ring its levels."
        ),
        chart=main_effects(
            study.effects(response, period, algorithm), study.campaign.factors, response=axis_title(study, response)
        ),
        main=EFFECTS_DATA,
        tables={EFFECTS_DATA: PageTable(pl.concat(rows, how="vertical_relaxed"), keys)},
        captions=PageTable(pl.DataFrame(texts), keys),
        marks=20 * len(study.campaign.design.factors),
    )


def values_figure(study: Study) -> PageFigure:
    """The raw values, for every response and period."""
    keys = ("response", "period")
    rows, texts = [], []
    per_response = len(study.conditions) * len(study.algorithms)
    in_page = [study.main_period]
    if per_response * sum(len(names) for names in study.in_period.values()) <= MOST_VALUES:
        in_page = study.periods
    for period in in_page:
        for response in study.in_period[period]:
            selection = {"response": response, "period": period}
            rows.append(_keyed(study.long(response, period), selection))
            heading = captions.values_heading(study, response, period)
            texts.append({**selection, "heading": heading, "text": captions.values_caption(study, response, period)})
    response = study.congestion_response
    return PageFigure(
        id="responses",
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=(
            f"One column per condition, {study.order_words}; one mark per algorithm. "
            "Where marks lie side by side at one height, the choice of algorithm makes no difference."
        ),
        chart=responses(
            study.long(response, study.main_period),
            study.algorithms,
            order=study.by_congestion,
            response=axis_title(study, response),
            order_title=f"condition, {study.order_words}",
        ),
        main=VALUES_DATA,
        tables={VALUES_DATA: PageTable(pl.concat(rows), keys)},
        captions=PageTable(pl.DataFrame(texts), keys),
        marks=per_response,
    )


def summary_figure(study: Study, min_relative_effect: float) -> PageFigure:
    """The condition-response summary, for every period."""
    labels = {name: study.label_of(name) for name in study.responses}
    name = f"{SUMMARY_DATA}_large" if min_relative_effect else SUMMARY_DATA
    rows, texts = [], []
    for period in _summary_periods(study):
        result = study.summary(period, min_relative_effect)
        rows.append(_keyed(summary_table(result, labels), {"period": period}))
        text = captions.summary_caption(study, result)
        texts.append({"period": period, "heading": captions.summary_heading(period), "text": text})
    first = study.summary(study.main_period, min_relative_effect)
    filtered = f", by more than {percent(min_relative_effect)}" if min_relative_effect else ""
    return PageFigure(
        id=name.replace("_", "-"),
        short_title=f"Who stands out{filtered}",
        title=f"Who stands out{filtered}: condition-response summary",
        reading=_summary_reading(study, min_relative_effect),
        chart=condition_response(first, settings(study), labels=labels, order=study.by_congestion, name=name),
        main=name,
        tables={
            name: PageTable(pl.concat(rows, how="vertical_relaxed"), ("period",)),
            SETTINGS: PageTable(settings(study).table()),
        },
        captions=PageTable(pl.DataFrame(texts), ("period",)),
        marks=2 * len(study.conditions) * len(first.responses),
    )


def _summary_reading(study: Study, min_relative_effect: float) -> str:
    text = f"Rows are conditions with their settings, {study.order_words}; columns are responses. "
    if not study.summary(study.main_period).cells_tested:
        only = f" where it is above {percent(min_relative_effect)}" if min_relative_effect else ""
        return f"{text}A cell names the algorithm farthest from the mean of all and its distance from it{only}."
    text += "A named algorithm is an outlier among all in that cell (Grubbs' test, 5 %): ▲ on green above the others, "
    text += "▼ on red below. High says nothing about good or bad."
    if min_relative_effect:
        text += f" Here only outliers farther than {percent(min_relative_effect)} from the mean of all are named."
    return text


def _summary_periods(study: Study) -> Sequence[str]:
    """The periods with the same responses as the main one: their columns are those of the figure."""
    main = study.in_period[study.main_period]
    return [period for period, names in study.in_period.items() if names == main]


def _keyed(rows: pl.DataFrame, selection: Mapping[str, str]) -> pl.DataFrame:
    return rows.select(*(pl.lit(value).alias(name) for name, value in selection.items()), pl.all())
