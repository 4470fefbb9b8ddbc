"""Figures of the group "How the algorithms differ": values, differences, outliers, ranks and trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from mesonet import analysis, charts
from mesonet.analysis import ConditionResponseSummary, MainEffects, ranks
from mesonet.analysis.main_effects import replicate_frame
from mesonet.charts.condition_response import DATA as SUMMARY
from mesonet.charts.condition_response import table as summary_table
from mesonet.charts.dendrograms import HEIGHT as TREE
from mesonet.charts.main_effects import DATA as EFFECTS
from mesonet.charts.main_effects import table as effects_table
from mesonet.charts.ranks_by_condition import CELLS, MEANS, sides_of
from mesonet.charts.ranks_by_condition import ROW as RANK_ROW
from mesonet.charts.residual_bars import HEIGHT as BARS
from mesonet.charts.residuals import LINE, POINTS, STATISTICS, VERDICTS, points_table, verdicts_table
from mesonet.charts.responses import DATA as VALUES
from mesonet.charts.settings import SETTINGS
from mesonet.charts.theme import PER_ROW
from mesonet.reporting.campaign_view.sampled import is_sampled
from mesonet.reporting.campaign_view.values import LARGE, MEAN_OF_ALL
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.figures.figure import Content, Control, Drawing, Figure, drawing, made, of_response
from mesonet.reporting.text.answer_text import in_words
from mesonet.reporting.text.captions import differ as captions
from mesonet.reporting.text.captions.differ import (
    ALL,
    DISCOVERIES,
    FALSE_DISCOVERIES,
    FAR,
    above_caption,
    difference_caption,
    ends_of_values,
    mean_ranks_caption,
    outliers_caption,
    separation_caption,
    split_sentence,
    summary_reading,
    who_differs,
)
from mesonet.reporting.text.labels import AGAINST, axis_title, settings, values_heading
from mesonet.reporting.verdicts.verdict import incumbent
from mesonet.words import capitalised, listed, number, percent, period_title

#: Most raw values on the page: above, it has the main period only. The tables of the analysis have all values.
MOST_VALUES = 150_000


def figures(view: CampaignView) -> list[Figure]:
    """Return the figures of the group.

    Parameters
    ----------
    view
        View of a campaign with results.

    Returns
    -------
    The figures that the campaign can have.
    """
    return made(
        view, _effects_on_difference, _condition_response, _residuals, _values, _condition_bars, _mean_ranks,
        _summaries_by_set, _clusters, _settings_of_outliers,
    )  # fmt: skip


def _effects_on_difference(view: CampaignView) -> Figure | None:
    """Return main effects on the difference between each algorithm and the incumbent."""
    reference = incumbent(view)
    if reference is None or not view.campaign.design.factors:
        return None
    size = view.segment_bytes
    factors = [
        replace(factor, minus=in_words(factor.minus, size), plus=in_words(factor.plus, size))
        for factor in view.campaign.factors
    ]
    selections = view.selections(view.choices_of_algorithm)

    def draw(response: str, period: str, algorithm: str) -> Drawing:
        result = _difference_effects(view, response, period, algorithm, reference)
        who = who_differs(view, algorithm, reference)
        heading = f"{view.responses[response].title}, {who} minus {reference}, {period_title(period)}"
        title = axis_title(view, response)
        return Drawing(
            partial(charts.main_effects, result, factors, title=heading, response=title, relative=False, codes=False),
            {EFFECTS: effects_table(result, factors, relative=False)},
            heading,
            difference_caption(view, result, response),
        )

    mode = _difference_effects(view, **selections[0], reference=reference).mode
    return Figure(
        id="effects-on-difference",
        short_title="Effects on the difference",
        title=f"Where a change from {reference} matters: effects on the difference",
        reading=(
            f"For each factor, the mean of the difference (algorithm minus {reference}, condition by condition) at the "
            "− level (open) and at the + level (filled); the dashed line is the mean difference. A steep line: what "
            "the change does depends on that factor. ** and * mark effects significant at 99 % and 95 % "
            f"{AGAINST[mode]}."
        ),
        draw=draw,
        selections=selections,
        marks=20 * len(factors),
        height=500,
        axis=f"{{}}: difference from {reference}",
        own_tables=True,
    )


def _difference_effects(view: CampaignView, response: str, period: str, algorithm: str, reference: str) -> MainEffects:
    """Return the main effects on the difference of an algorithm from the incumbent."""
    values = view.cube_for_tests(period)[..., view.in_period[period].index(response)]
    place = view.algorithms.index(reference)
    if algorithm in (MEAN_OF_ALL, reference):
        own = np.delete(values, place, axis=-1).mean(axis=-1)
    else:
        own = values[..., view.algorithms.index(algorithm)]
    # Replicates share their random numbers between algorithms: differences are taken within each.
    return analysis.main_effects(view.campaign.design, replicate_frame(own - values[..., place]), mode=view.mode)


def _condition_response(view: CampaignView) -> Figure | None:
    """Return the condition-response summary, for every period and three choices of outliers."""
    if len(view.algorithms) < 2:
        return None
    labels = {name: view.label_of(name) for name in view.responses}
    shown = settings(view)
    main = view.in_period[view.main_period]
    # The columns of the figure are the responses of the main period.
    periods = [period for period, names in view.in_period.items() if names == main]

    def draw(period: str, outliers: str) -> Drawing:
        result = _outliers_of(view, period, outliers)
        heading = captions.summary_heading(period)
        return Drawing(
            partial(charts.condition_response, result, shown, labels=labels, order=view.by_congestion, title=heading),
            {SUMMARY: summary_table(result, labels), SETTINGS: shown.table()},
            heading,
            outliers_caption(view, result, outliers),
        )

    first = view.summary(view.main_period)
    far = f"more than {percent(LARGE)} from the mean"
    options = [(ALL, "every extreme"), (FAR, f"extremes {far}")]
    if first.cells_tested:
        options = [
            (ALL, "every outlier (Grubbs, 5 %)"),
            (FAR, f"outliers {far}"),
            (DISCOVERIES, f"false discoveries held to {percent(100 * FALSE_DISCOVERIES)} (Benjamini, Hochberg)"),
        ]
    return Figure(
        id="condition-response",
        short_title="Who stands out",
        title="Who stands out: condition-response summary",
        reading=summary_reading(view),
        draw=draw,
        selections=[{"period": period, "outliers": way} for period in periods for way in (ALL, FAR, DISCOVERIES)],
        fixed=[SETTINGS],
        marks=2 * len(view.conditions) * len(first.responses),
        height=260 + 17 * len(view.conditions),
        controls=[Control("outliers", "Name", options, ALL)],
        file="algorithms/condition_response_{outliers}",
        folder="main period",
    )


def _outliers_of(view: CampaignView, period: str, way: str) -> ConditionResponseSummary:
    """Return the summary with the cells flagged in one of the three ways."""
    if way == FAR:
        return view.summary(period, LARGE)
    result = view.summary(period)
    if way == ALL:
        return result
    with np.errstate(invalid="ignore"):
        return replace(result, flagged=result.q < FALSE_DISCOVERIES)


def _summaries_by_set(view: CampaignView) -> Figure | None:
    """Return the condition-response summary of each set of responses beyond the whole measured time."""
    names = [name for name in view.sets if name != period_title(view.main_period)]
    if len(view.algorithms) < 2 or not names:
        return None

    def draw(set: str) -> Drawing:
        cells = view.summary_of(view.sets[set])
        title = f"Condition-response summary, {set}"
        chart = charts.condition_response(
            cells, settings(view), labels=view.labels, order=view.by_congestion, title=title
        )
        return drawing(chart, captions.summary_caption(view, cells))

    return Figure(
        id="condition-response-of-sets",
        short_title="Who stands out, by set",
        title="Where does an algorithm stand out in a set of responses?",
        reading="",
        draw=draw,
        selections=[{"set": name} for name in names],
        file="algorithms/condition_response_of_{set}",
    )


def _residuals(view: CampaignView) -> Figure | None:
    """Return the detailed response plot: the distance of every algorithm from the mean of all, by condition."""
    if len(view.algorithms) < 2:
        return None
    period = view.main_period
    factors = view.campaign.design.factors
    tested = any(view.residuals(name, period).summary.cells_tested for name in view.in_period[period])
    shown = settings(view)
    farthest = (
        "the algorithm with the larger value"
        if len(view.algorithms) == 2
        else "the algorithm farthest from the mean"
    )  # fmt: skip
    wording = [farthest, "the logarithm of its distance", "its relative effect", *(["Grubbs' G"] if tested else [])]
    lines = len(STATISTICS) if tested else len(STATISTICS) - 1
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(view.algorithms, start=1))

    def content(response: str, period: str) -> Content:
        result, unit = view.residuals(response, period), view.unit_of(response)
        tables = {POINTS: points_table(result), VERDICTS: verdicts_table(result), SETTINGS: shown.table()}
        text = f"{captions.residuals_caption(view, result, response)} {ends_of_values(result, unit)}".rstrip()
        return partial(charts.residuals, result, shown, tested=tested), tables, text

    return of_response(
        view, "residuals", content,
        short_title="One response in detail",
        title="One response in detail: distance of every algorithm from the mean of all",
        reading=(
            "Conditions by rising range. The number stands for the algorithm, and its height is the distance from the "
            f"mean of all in this condition. Below: the settings; then {listed(wording)}. {numbers}. "
            "Dots: too close together for numbers."
        ),
        selections=[{"response": name} for name in view.in_period[period]],
        fixed=[SETTINGS],
        marks=len(view.conditions) * (len(view.algorithms) + len(factors) + lines),
        height=400 + LINE * (len(factors) + lines),
        axis="{}, less the mean of all algorithms",
        file="algorithms/residuals/{column}",
        folder="columns",
    )  # fmt: skip


def _values(view: CampaignView) -> Figure:
    """Return the raw values, for every response and period."""
    return values_figure(
        view, view.long, view.by_congestion,
        note=" Where marks lie side by side at one height, the choice of algorithm makes no difference.",
        file="algorithms/values/{column}",
        folder="responses",
    )  # fmt: skip


def values_figure(
    view: CampaignView,
    values: Callable[[str, str], pl.DataFrame],
    order: Sequence[int],
    *,
    note: str = "",
    **about: Any,
) -> Figure:
    """Return the figure of the raw values, for every response and period.

    Parameters
    ----------
    view
        View of the campaign.
    values
        Called with response and period; returns the columns condition, algorithm and value, all finite.
    order
        Numbers of all conditions by rising mean of the congestion response.
    note
        More on how to read the figure, with a space in front.
    **about
        Other attributes of the figure.

    Returns
    -------
    The figure.
    """
    order_title = f"condition, {view.order_words}"

    def content(response: str, period: str) -> Content:
        table = values(response, period)
        plot = partial(charts.responses, table, view.algorithms, order=order, order_title=order_title)
        # Of equal largest values, the caption names the first of a design and the last of a sample.
        rows = table.reverse() if is_sampled(view.campaign) else table
        return plot, {VALUES: table}, captions.values_caption(view, response, rows)

    return of_response(
        view, "responses", content,
        short_title="The values",
        title="The values: every condition, the algorithms side by side",
        reading=f"One column per condition, {view.order_words}; one mark per algorithm.{note}",
        selections=shown_values(view, len(order)),
        marks=len(order) * len(view.algorithms),
        height=380,
        **about,
    )  # fmt: skip


def shown_values(view: CampaignView, conditions: int) -> list[dict[str, str]]:
    """Return the responses and periods whose values the page has: at most `MOST_VALUES`, or the main period only.

    Parameters
    ----------
    view
        View of the campaign.
    conditions
        Number of conditions.

    Returns
    -------
    Selections with the keys response and period.
    """
    found = view.selections()
    if conditions * len(view.algorithms) * len(found) <= MOST_VALUES:
        return found
    return [each for each in found if each["period"] == view.main_period]


def _condition_bars(view: CampaignView) -> Figure | None:
    """Return a bar graph per condition of the algorithms above and below the mean of all."""
    if len(view.algorithms) < 2:
        return None
    period = view.main_period
    numbers = ", ".join(f"{place} {name}" for place, name in enumerate(view.algorithms, start=1))

    def draw(response: str) -> Drawing:
        result, heading = view.residuals(response, period), values_heading(view, response, period)
        return Drawing(
            partial(charts.residual_bars, result, order=view.by_congestion, response=axis_title(view, response)),
            {POINTS: points_table(result)},
            heading,
            above_caption(view.algorithms, result),
        )

    return Figure(
        id="condition-bars",
        short_title="Bars by condition",
        title="Above or below the mean of all: one bar graph per condition",
        reading=(
            f"Conditions {view.order_words}. Bars upwards (blue): above the mean of all algorithms in this condition; "
            f"downwards (orange): below. All graphs share one scale. {numbers}."
        ),
        draw=draw,
        selections=[{"response": name} for name in view.in_period[period]],
        axis="{}, less the mean of all algorithms",
        marks=len(view.conditions) * len(view.algorithms),
        height=60 + -(-len(view.conditions) // PER_ROW) * (BARS + 34),
    )


def _mean_ranks(view: CampaignView) -> Figure | None:
    """Return the ranks of the algorithms in every condition, their mean and their spread."""
    if len(view.algorithms) < 2:
        return None
    count, period = len(view.algorithms), view.main_period

    def draw(response: str) -> Drawing:
        direction = view.responses[response].direction
        meaning = "the lowest value" if direction == "lower" else "the highest value"
        meaning += " (which is neither good nor bad)" if direction == "neutral" else ""
        cells, means, mean, sd, alike = _ranks_of(view, response)
        return Drawing(
            partial(charts.ranks_by_condition, cells, means, view.algorithms, order=view.by_congestion),
            {CELLS: cells, **({MEANS: means} if len(view.conditions) > 1 else {})},
            values_heading(view, response, period),
            mean_ranks_caption(view.algorithms, mean, sd, meaning, alike),
        )

    return Figure(
        id="ranks",
        short_title="Ranks",
        title="Who is good everywhere: ranks",
        reading=(
            f"Conditions {view.order_words}. In each, the best of {count} algorithms has rank {count}; equal ones "
            "share their mean rank. Below, the mean and the standard deviation of the ranks over the conditions in "
            "which not all are equal: good everywhere is lower right."
        ),
        draw=draw,
        selections=[{"response": name} for name in view.in_period[period]],
        marks=2 * len(view.conditions) * count,
        height=max(60 + RANK_ROW * count, 110) + 330,
    )


def _ranks_of(view: CampaignView, response: str) -> tuple[pl.DataFrame, pl.DataFrame, np.ndarray, np.ndarray, int]:
    """Return the ranks of the algorithms in the main period, their means and their spread."""
    values = view.values(response, view.main_period)
    # The best has the highest rank; of a response that is neither good nor bad, the largest value.
    order = ranks(-values if view.responses[response].direction == "lower" else values)
    known = np.isfinite(order)
    # If all are equal, or differ by rounding, their ranks are not compared.
    summary = view.summary(view.main_period)
    extreme = summary.extreme[:, summary.responses.index(response)]
    apart = np.array([name is not None for name in extreme], dtype=bool)
    judged = known & apart[:, None]
    count = judged.sum(axis=0)
    alike = int(((known.sum(axis=1) > 1) & ~apart).sum())
    with np.errstate(all="ignore"):
        mean = np.where(judged, order, 0).sum(axis=0) / count
        squares = np.where(judged, (order - mean) ** 2, 0).sum(axis=0)
        sd = np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)
    condition, algorithm = np.nonzero(known)
    cells = pl.DataFrame(
        {
            "condition": condition + 1,
            "algorithm": [view.algorithms[place] for place in algorithm],
            "rank": order[known],
            "text": [number(rank, 2) for rank in order[known]],
            "value": values[known],
        },
        schema_overrides={"algorithm": pl.String, "text": pl.String},
    )
    sides = pl.Series(sides_of(view.algorithms, mean, sd), dtype=pl.String)
    means = pl.DataFrame({"algorithm": list(view.algorithms), "mean": mean, "sd": sd})
    return cells, means.with_columns(pl.col("mean", "sd").fill_nan(None), side=sides), mean, sd, alike


def _clusters(view: CampaignView) -> Figure | None:
    """Return the trees of the algorithms in every condition."""
    if len(view.algorithms) < 3 or not view.clusterings:
        return None
    results = view.clusterings
    algorithms = max(len(result.algorithms) for result in results.values())

    def draw() -> Drawing:
        chart = charts.dendrograms(
            results, order=[c for c in view.by_congestion if c in results], title="The algorithms in every condition"
        )
        text = captions.clusters_caption(results, view.algorithms, view.titles)
        heading = capitalised(period_title(view.main_period))
        return drawing(chart, f"{text} {split_sentence(view)}".rstrip(), heading=heading, subtitle=False)

    return Figure(
        id="clusters",
        short_title="Who behaves alike",
        title="Who behaves alike: the algorithms as trees",
        reading=(
            f"One tree per condition, {view.order_words}: algorithms that join low behave alike over all responses. "
            f"Blue: groups below {percent(100 * view.thresholds.cut)} of the largest distance. Orange name: joins "
            "last and alone. No tree: all the same."
        ),
        draw=draw,
        marks=len(results) * 2 * algorithms,
        height=40 + -(-len(results) // PER_ROW) * (TREE + 90),
        file="algorithms/clusters",
    )


def _settings_of_outliers(view: CampaignView) -> Figure | None:
    """Return the settings that are associated with the flags of an algorithm."""
    if len(view.algorithms) < 2 or not view.campaign.design.factors or not view.separations:
        return None

    def draw() -> Drawing:
        rows = {
            f"{algorithm}: {view.label_of(response)}": found
            for (algorithm, response), found in view.separations.items()
        }
        chart = charts.separation(rows, factors=view.campaign.design.factors, title="Settings of flagged conditions")
        return drawing(chart, separation_caption(view))

    return Figure(
        id="settings-of-outliers",
        short_title="Settings of outliers",
        title="Which settings are associated with standing out?",
        reading=(
            "One row per algorithm and response that stand out in at least two conditions, one column per factor: how "
            "many of the conditions at − and at + are flagged."
        ),
        draw=draw,
        height=420,
        own_tables=True,
        file="algorithms/settings_of_outliers",
    )
