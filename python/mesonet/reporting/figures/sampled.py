"""Figures of a campaign with points between the levels of its factors, for every response, period and algorithm."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl

from mesonet import plots
from mesonet.designs import grid
from mesonet.plots.level_lines import LINES, level_lines
from mesonet.plots.matrix import DATA as CELLS
from mesonet.plots.point_scatter import ACROSS, SETTINGS, SIDE, settings_table
from mesonet.plots.responses import DATA
from mesonet.reporting.campaign_view import levels
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures import queues
from mesonet.reporting.figures.alike import response_pair
from mesonet.reporting.figures.differ import MOST_VALUES
from mesonet.reporting.figures.figure import Drawing, Figure, Group, Selection, lazily
from mesonet.reporting.text.captions import differ as differ_captions
from mesonet.reporting.text.captions import drivers as drivers_captions
from mesonet.reporting.text.labels import axis_title
from mesonet.words import capitalised, counted, period_title, quantity, span


def groups(sampled: Sampled) -> list[Group]:
    """Return the figures by group.

    Parameters
    ----------
    sampled
        View of a sampled campaign.

    Returns
    -------
    The groups; none without results.
    """
    if not sampled.responses:
        return []
    over_levels = [_levels(sampled)] if sampled.campaign.rows.kind == grid.KIND else []
    pairs = [response_pair(sampled.view)] if len(sampled.responses) > 1 else []
    found = [
        Group("drivers", "What drives the responses", [_sensitivity(sampled), *over_levels, _points(sampled)]),
        Group("values", "What came out", [_conditions(sampled), *pairs]),
        queues.group(sampled.view),
    ]
    return [group for group in found if group.figures]


def _sensitivity(sampled: Sampled) -> Figure:
    view = sampled.view

    def draw(algorithm: str, period: str) -> Drawing:
        names = {view.label_of(name): name for name in view.in_period[period]}
        found = {label: sampled.sensitivity(name, period, algorithm) for label, name in names.items()}
        heading = f"{algorithm}, {period_title(period)}"
        chart = plots.sensitivity(found, names=sampled.factor_names, title=heading)
        cells = chart.tables[CELLS].with_columns(
            pick_response=pl.col("row").replace_strict(names, return_dtype=pl.String), pick_period=pl.lit(period)
        )
        return Drawing(lambda: chart, {CELLS: cells}, heading, sampled.drivers(period, algorithm))

    return Figure(
        id="sensitivity",
        short_title="Sensitivity",
        title="Which factors drive which response, and which way?",
        reading=(
            "Partial rank correlation (PRCC) x 100, a row per response and a column per factor: how the ranks of both "
            "go together after what the other factors explain is taken away. Click a cell to see its response below."
        ),
        draw=draw,
        selections=[
            {"algorithm": algorithm, "period": period} for algorithm, period in product(view.algorithms, view.periods)
        ],
        marks=2 * len(sampled.responses) * len(sampled.factors),
        height=220 + 18 * len(sampled.responses),
        axis="{}",
        file="sensitivity/{algorithm}" if len(view.algorithms) > 1 else "sensitivity",
        folder="main period",
    )


def _levels(sampled: Sampled) -> Figure:
    view = sampled.view
    across, lines = levels.names(sampled)
    places = levels.places(sampled)

    def draw(response: str, period: str) -> Drawing:
        table = levels.values(sampled, response, period, places)
        varies = view.varies(response, period)
        heading = differ_captions.values_heading(view, response, period)
        return Drawing(
            lazily(
                level_lines, table, across=across, lines=lines, title=heading,
                response=axis_title(view, response),
            ),
            {LINES: table},
            heading,
            levels.sentence(sampled, response) if varies else "It is the same everywhere, or was not measured.",
        )  # fmt: skip

    return Figure(
        id="levels",
        short_title="Over the levels",
        title="How does the response go with the levels?",
        reading="One line for each level of a factor, over the levels of the one that has most; a panel per algorithm.",
        draw=draw,
        selections=_every(sampled),
        marks=2 * len(sampled.points) * len(view.algorithms),
        height=80 + 290 * -(-len(view.algorithms) // 3),
        axis="{}",
        file="levels/{column}",
        folder="varying responses",
    )


def _every(sampled: Sampled) -> list[Selection]:
    return [
        {"response": response, "period": period}
        for period, names in sampled.view.in_period.items()
        for response in names
    ]


def _shown(sampled: Sampled) -> list[Selection]:
    """Return responses and periods whose values the page holds: of the main period only where there are very many."""
    view = sampled.view
    if len(sampled.points) * len(view.algorithms) * sum(map(len, view.in_period.values())) <= MOST_VALUES:
        return _every(sampled)
    return [each for each in _every(sampled) if each["period"] == view.main_period]


def _values(sampled: Sampled, response: str, period: str) -> pl.DataFrame:
    return sampled.values(response, period).filter(pl.col("value").is_finite())


def _range(sampled: Sampled, response: str, period: str) -> str:
    view = sampled.view
    rows = sampled.values(response, period).filter(pl.col("value").is_finite()).sort("value", maintain_order=True)
    if rows.is_empty():
        return "Nothing was measured."
    low, high = rows.row(0, named=True), rows.row(-1, named=True)
    unit, title = view.unit_of(response), capitalised(view.title_of(response))
    if low["value"] == high["value"]:
        return f"{title} is {quantity(low['value'], unit)} in every condition with every algorithm."
    ends = span(low["value"], high["value"], unit)
    where = f"condition {high['condition']} with {high['algorithm']}"
    if (alike := int((rows["value"] == high["value"]).sum())) > 1:
        where = f"{counted(alike, *drivers_captions.CELL)} alike ({where} is one)"
    return f"{title} runs from {ends}; it is highest in {where}."


def _points(sampled: Sampled) -> Figure:
    view = sampled.view
    settings = settings_table(sampled.points, np.asarray(sampled.inputs))

    def draw(response: str, period: str) -> Drawing:
        values = _values(sampled, response, period)
        heading = differ_captions.values_heading(view, response, period)
        return Drawing(
            lazily(
                plots.point_scatter, sampled.points, sampled.campaign.factors, values, settings=sampled.inputs,
                title=heading, response=axis_title(view, response),
            ),
            {DATA: values, SETTINGS: settings},
            heading,
            sampled.sentence(response, period),
        )  # fmt: skip

    return Figure(
        id="points",
        short_title="Over the factors",
        title="Does the response rise, fall, bend or jump with a factor?",
        reading=(
            "One panel per factor, from its minus to its plus value; one mark per condition and algorithm. A cloud "
            "without a slope can still bend: coefficients do not see that, the eye does."
        ),
        draw=draw,
        selections=_shown(sampled),
        fixed=[SETTINGS],
        marks=2 * len(sampled.points) * len(view.algorithms) * len(sampled.factors),
        height=60 + -(-len(sampled.factors) // ACROSS) * (SIDE + 60),
        axis="{}",
        file="scatter/{column}",
        folder="responses",
    )


def _conditions(sampled: Sampled) -> Figure:
    view = sampled.view
    order = f"by rising mean {view.title_of(view.congestion_response)}"

    def draw(response: str, period: str) -> Drawing:
        values = _values(sampled, response, period)
        heading = differ_captions.values_heading(view, response, period)
        return Drawing(
            lazily(
                plots.responses, values, view.algorithms, order=sampled.by_first_response, title=heading,
                response=axis_title(view, response), order_title=f"condition, {order}",
            ),
            {DATA: values},
            heading,
            _range(sampled, response, period),
        )  # fmt: skip

    return Figure(
        id="responses",
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=f"One column per condition, {order}; one mark per algorithm.",
        draw=draw,
        selections=_shown(sampled),
        marks=len(sampled.points) * len(view.algorithms),
        height=380,
        axis="{}",
    )
