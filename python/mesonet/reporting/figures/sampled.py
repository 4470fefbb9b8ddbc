"""Figures of a campaign with points between the levels of its factors, for every response, period and algorithm."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import polars as pl

from mesonet import charts
from mesonet.charts.level_lines import LINES, level_lines
from mesonet.charts.matrix import DATA as CELLS
from mesonet.charts.point_scatter import ACROSS, SETTINGS, SIDE, settings_table
from mesonet.charts.responses import DATA
from mesonet.designs import grid
from mesonet.reporting.campaign_view import levels
from mesonet.reporting.campaign_view.sampled import Sampled
from mesonet.reporting.figures import queues
from mesonet.reporting.figures.alike import response_pair
from mesonet.reporting.figures.differ import shown_values, values_figure
from mesonet.reporting.figures.figure import Content, Drawing, Figure, Group, made, of_response
from mesonet.words import period_title


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
    view = sampled.view
    found = [
        Group("drivers", "What drives the responses", made(sampled, _sensitivity, _levels, _points)),
        Group("values", "What came out", [*made(sampled, _values), *made(view, response_pair)]),
        Group("queues", queues.TITLE, made(view, queues.queues_figure)),
    ]
    return [group for group in found if group.figures]


def _sensitivity(sampled: Sampled) -> Figure:
    """Return the sensitivity of every response to every factor."""
    view = sampled.view

    def draw(algorithm: str, period: str) -> Drawing:
        names = {view.label_of(name): name for name in view.in_period[period]}
        found = {label: sampled.sensitivity(name, period, algorithm) for label, name in names.items()}
        heading = f"{algorithm}, {period_title(period)}"
        chart = charts.sensitivity(found, names=sampled.factor_names, title=heading)
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


def _levels(sampled: Sampled) -> Figure | None:
    """Return a response over the levels of the factors of a grid."""
    if sampled.campaign.rows.kind != grid.KIND:
        return None
    view = sampled.view
    across, lines = levels.names(sampled)
    places = levels.places(sampled)

    def content(response: str, period: str) -> Content:
        table = levels.values(sampled, response, period, places)
        varies = view.varies(response, period)
        text = levels.sentence(sampled, response) if varies else "It is the same everywhere, or was not measured."
        return partial(level_lines, table, across=across, lines=lines), {LINES: table}, text

    return of_response(
        view, "levels", content,
        short_title="Over the levels",
        title="How does the response go with the levels?",
        reading="One line for each level of a factor, over the levels of the one that has most; a panel per algorithm.",
        selections=view.selections(),
        marks=2 * len(sampled.points) * len(view.algorithms),
        height=80 + 290 * -(-len(view.algorithms) // 3),
        file="levels/{column}",
        folder="varying responses",
    )  # fmt: skip


def _finite(sampled: Sampled, response: str, period: str) -> pl.DataFrame:
    return sampled.values(response, period).filter(pl.col("value").is_finite())


def _points(sampled: Sampled) -> Figure:
    """Return a response over every factor, a mark per condition and algorithm."""
    view = sampled.view
    settings = settings_table(sampled.points, np.asarray(sampled.inputs))

    def content(response: str, period: str) -> Content:
        values = _finite(sampled, response, period)
        plot = partial(charts.point_scatter, sampled.points, sampled.campaign.factors, values, settings=sampled.inputs)
        return plot, {DATA: values, SETTINGS: settings}, sampled.sentence(response, period)

    return of_response(
        view, "points", content,
        short_title="Over the factors",
        title="Does the response rise, fall, bend or jump with a factor?",
        reading=(
            "One panel per factor, from its minus to its plus value; one mark per condition and algorithm. A cloud "
            "without a slope can still bend: coefficients do not see that, the eye does."
        ),
        selections=shown_values(view, len(sampled.points)),
        fixed=[SETTINGS],
        marks=2 * len(sampled.points) * len(view.algorithms) * len(sampled.factors),
        height=60 + -(-len(sampled.factors) // ACROSS) * (SIDE + 60),
        file="scatter/{column}",
        folder="responses",
    )  # fmt: skip


def _values(sampled: Sampled) -> Figure:
    """Return the raw values of a sample, for every response and period."""
    return values_figure(sampled.view, partial(_finite, sampled), sampled.by_first_response)
