"""The figures of the page of a campaign with points between the levels, for every response, period and algorithm."""

from itertools import product

import numpy as np
import polars as pl

from mesonet import plots
from mesonet.designs import grid
from mesonet.plots.level_lines import LINES, level_lines
from mesonet.plots.matrix import DATA as CELLS
from mesonet.plots.point_scatter import ACROSS, SETTINGS, SIDE, settings_table
from mesonet.plots.responses import DATA
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures import Group, grid_figures, scatter
from mesonet.reporting.figures.figure import PageFigure, PageTable, caption, keyed, stacked
from mesonet.reporting.figures.values import KEYS, MOST_VALUES
from mesonet.reporting.text import captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import capitalised, counted, period_title, quantity, span

_OF_ALGORITHM = ("algorithm", "period")


def groups(sampled: Sampled) -> list[Group]:
    """Return the figures by group; none without results."""
    if not sampled.responses:
        return []
    values = _values(sampled)
    marks = len(sampled.points) * len(sampled.study.algorithms)
    pairs = [scatter.figure(sampled.study, marks)] if len(sampled.responses) > 1 else []
    levels = [_levels(sampled)] if sampled.campaign.rows.kind == grid.KIND else []
    return [
        Group("drivers", "What drives the responses", [_sensitivity(sampled), *levels, _points(sampled, values)]),
        Group("values", "What came out", [_conditions(sampled, values), *pairs]),
    ]


def _sensitivity(sampled: Sampled) -> PageFigure:
    study = sampled.study
    rows, texts = [], []
    for algorithm, period in product(study.algorithms, study.periods):
        names = {study.label_of(name): name for name in study.in_period[period]}
        found = {label: sampled.sensitivity(name, period, algorithm) for label, name in names.items()}
        chart = plots.sensitivity(found, names=sampled.factor_names)
        cells = chart.tables[CELLS].with_columns(
            pick_response=pl.col("row").replace_strict(names, return_dtype=pl.String), pick_period=pl.lit(period)
        )
        selection = {"algorithm": algorithm, "period": period}
        rows.append(keyed(cells, selection))
        heading = f"{algorithm}, {period_title(period)}"
        texts.append(caption(selection, heading, sampled.drivers(period, algorithm)))
    first = plots.sensitivity(
        {study.label_of(name): sampled.sensitivity(name, study.main_period, study.algorithms[0])
         for name in sampled.responses},
        names=sampled.factor_names,
    )  # fmt: skip
    return PageFigure(
        id="sensitivity",
        short_title="Sensitivity",
        title="Which factors drive which response, and which way?",
        reading=(
            "Partial rank correlation (PRCC) x 100, a row per response and a column per factor: how the ranks of both "
            "go together after what the other factors explain is taken away. Click a cell to see its response below."
        ),
        chart=first,
        main=CELLS,
        tables={CELLS: PageTable(stacked(rows), _OF_ALGORITHM)},
        captions=PageTable(pl.DataFrame(texts), _OF_ALGORITHM),
        marks=2 * len(sampled.responses) * len(sampled.factors),
        height=220 + 18 * len(sampled.responses),
    )


def _levels(sampled: Sampled) -> PageFigure:
    study, first = sampled.study, sampled.study.congestion_response
    across, lines = grid_figures.names(sampled)
    places = grid_figures.places(sampled)
    rows, texts = [], []
    for period, response in ((period, name) for period, names in study.in_period.items() for name in names):
        selection = {"response": response, "period": period}
        rows.append(keyed(grid_figures.values(sampled, response, period, places), selection))
        said = grid_figures.sentence(sampled, response)
        if not study.varies(response, period):
            said = "It is the same everywhere, or was not measured."
        texts.append(caption(selection, captions.values_heading(study, response, period), said))
    first_values = grid_figures.values(sampled, first, study.main_period, places)
    panels = -(-len(study.algorithms) // 3)
    return PageFigure(
        id="levels",
        short_title="Over the levels",
        title=grid_figures.QUESTION,
        reading="One line for each level of a factor, over the levels of the one that has most; a panel per algorithm.",
        chart=level_lines(first_values, across=across, lines=lines),
        main=LINES,
        tables={LINES: PageTable(stacked(rows), KEYS)},
        captions=PageTable(pl.DataFrame(texts), KEYS),
        marks=2 * len(sampled.points) * len(study.algorithms),
        height=80 + 290 * panels,
    )


def _values(sampled: Sampled) -> PageTable:
    """Return all responses, of the main period only where there are very many."""
    study = sampled.study
    in_page = study.periods
    if len(sampled.points) * len(study.algorithms) * sum(map(len, study.in_period.values())) > MOST_VALUES:
        in_page = [study.main_period]
    rows = [
        keyed(
            sampled.values(response, period).filter(pl.col("value").is_finite()),
            {"response": response, "period": period},
        )
        for period in in_page
        for response in study.in_period[period]
    ]
    return PageTable(stacked(rows), KEYS)


def _captions(sampled: Sampled, values: PageTable, drivers: bool) -> PageTable:
    study, texts = sampled.study, []
    # A response that no run has a value of has a caption, too.
    shown = set(values.rows["period"].unique()) | {study.main_period}
    for period, names in study.in_period.items():
        for response in names if period in shown else ():
            said = sampled.sentence(response, period) if drivers else _range(sampled, response, period)
            heading = captions.values_heading(study, response, period)
            texts.append(caption({"response": response, "period": period}, heading, said))
    return PageTable(pl.DataFrame(texts), KEYS)


def _range(sampled: Sampled, response: str, period: str) -> str:
    study = sampled.study
    rows = sampled.values(response, period).filter(pl.col("value").is_finite()).sort("value", maintain_order=True)
    if rows.is_empty():
        return "Nothing was measured."
    low, high = rows.row(0, named=True), rows.row(-1, named=True)
    unit, title = study.unit_of(response), capitalised(study.title_of(response))
    if low["value"] == high["value"]:
        return f"{title} is {quantity(low['value'], unit)} in every condition with every algorithm."
    ends = span(low["value"], high["value"], unit)
    where = f"condition {high['condition']} with {high['algorithm']}"
    if (alike := int((rows["value"] == high["value"]).sum())) > 1:
        where = f"{counted(alike, *captions.CELL)} alike ({where} is one)"
    return f"{title} runs from {ends}; it is highest in {where}."


def _points(sampled: Sampled, values: PageTable) -> PageFigure:
    study = sampled.study
    first = study.congestion_response
    rows = -(-len(sampled.factors) // ACROSS)
    return PageFigure(
        id="points",
        short_title="Over the factors",
        title="Does the response rise, fall, bend or jump with a factor?",
        reading=(
            "One panel per factor, from its minus to its plus value; one mark per condition and algorithm. A cloud "
            "without a slope can still bend: coefficients do not see that, the eye does."
        ),
        chart=plots.point_scatter(
            sampled.points, sampled.campaign.factors, sampled.values(first), settings=sampled.inputs,
            response=axis_title(study, first),
        ),
        main=DATA,
        tables={DATA: values, SETTINGS: PageTable(settings_table(sampled.points, np.asarray(sampled.inputs)))},
        captions=_captions(sampled, values, drivers=True),
        marks=2 * len(sampled.points) * len(study.algorithms) * len(sampled.factors),
        height=60 + rows * (SIDE + 60),
    )  # fmt: skip


def _conditions(sampled: Sampled, values: PageTable) -> PageFigure:
    study, first = sampled.study, sampled.study.congestion_response
    order = f"by rising mean {study.title_of(first)}"
    return PageFigure(
        id="responses",
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=f"One column per condition, {order}; one mark per algorithm.",
        chart=plots.responses(
            sampled.values(first), study.algorithms, order=sampled.by_first_response,
            response=axis_title(study, first), order_title=f"condition, {order}",
        ),
        main=DATA,
        tables={DATA: values},
        captions=_captions(sampled, values, drivers=False),
        marks=len(sampled.points) * len(study.algorithms),
        height=380,
    )  # fmt: skip
