"""Captions of figures: a generated sentence or two on the numbers of this campaign."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import ConditionResponseSummary, MainEffects, OrderedData
from mesonet.analysis.main_effects import Mode
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL, factor_title, level_text, ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import (
    capitalised,
    counted,
    difference,
    listed,
    number,
    numbered,
    percent,
    period_title,
    quantity,
    span,
)

#: What an effect is tested against, by the mode of `mesonet.analysis.main_effects`.
AGAINST: dict[Mode, str] = {
    "nist": "against the variation between the conditions",
    "full": "against what all main effects leave",
    "replicates": "against the scatter between replicates",
}
#: What has one value per condition and algorithm: a run, or the mean over its replicates.
CELL = "combination of condition and algorithm", "combinations of condition and algorithm"


def effects_heading(view: CampaignView, response: str, period: str, algorithm: str) -> str:
    """Return the heading of a main-effects figure: response, algorithm, period.

    Parameters
    ----------
    view, response, period, algorithm
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Such as ``Loss rate, tcp, whole measured time``.
    """
    whose = "mean of all algorithms" if algorithm == MEAN_OF_ALL else algorithm
    return f"{view.responses[response].title}, {whose}, {period_title(period)}"


def effects_caption(view: CampaignView, result: MainEffects, response: str) -> str:
    """Return the factors with significant effects on the response, and their size, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Main effects on the response.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    As `effects_sentence`.
    """
    return effects_sentence(view, result, view.title_of(response), view.unit_of(response))


def effects_sentence(
    view: CampaignView, result: MainEffects, title: str, unit: str, *, relative: bool = True, differences: bool = False
) -> str:
    """Return the factors with significant effects on a quantity, and their size, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Main effects on the quantity.
    title, unit
        As for every text, see `mesonet.reporting.text`.
    relative
        Sizes are said in % of the mean. False for scores and differences, whose mean is no size to compare with.
    differences
        The values are differences, so that differences of shares are percentage points.

    Returns
    -------
    Sentences: the largest effects, the significant effects, and notes of the analysis.
    """
    value = difference if differences else quantity
    notes = " ".join(result.notes)
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    if result.runs == 0 or known.max(initial=-1) <= 0:
        return notes or f"No factor changes {title}."
    top = int(np.argmax(known))
    factor = result.factors[top]
    change = (
        f"{capitalised(factor_title(view, factor))} has the largest effect: mean {title} is "
        f"{value(float(result.mean_minus[top]), unit)} at {level_text(view, factor, -1)} and "
        f"{value(float(result.mean_plus[top]), unit)} at {level_text(view, factor, 1)}"
    )

    def size(place: int) -> str:
        if relative and np.isfinite(result.relative_effect[top]):
            return f"{percent(abs(float(result.relative_effect[place])))} of the mean"
        return difference(float(known[place]), unit)

    change += f", a difference of {size(top)}"
    second = int(np.argsort(-known, kind="stable")[min(1, len(known) - 1)])
    if second != top and known[second] > 0:
        change += f"; next is {factor_title(view, result.factors[second])} with {size(second)}"
    return " ".join(part for part in (f"{change}.", _significant(view, result), notes) if part)


def _significant(view: CampaignView, result: MainEffects) -> str:
    """Return the factors with a significant effect, each at the strongest level reached; empty without a test."""
    if not np.isfinite(result.p).any():
        return ""
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    ranked = [result.factors[place] for place in np.argsort(-known, kind="stable")]
    stars = dict(zip(result.factors, result.stars, strict=True))
    parts = []
    for level, mark in (("99 %", "**"), ("95 %", "*")):
        if names := [factor_title(view, name) for name in ranked if stars[name] == mark]:
            parts.append(f"at {level}: {listed(names)}")
    return f"Significant {'; '.join(parts)}." if parts else f"No effect is significant at 95 % {AGAINST[result.mode]}."


def summary_heading(period: str) -> str:
    """Return the heading of a condition-response summary.

    Parameters
    ----------
    period
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    The title of the period.
    """
    return capitalised(period_title(period))


def summary_caption(view: CampaignView, result: ConditionResponseSummary) -> str:
    """Return the outlying algorithms and the number of such cells expected by chance, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Outlying algorithms by condition and response.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    notes = " ".join(result.notes)
    if not result.cells_tested:
        return notes or "There is no cell that could be tested."
    cells = f"{result.cells_flagged:,} of {counted(result.cells_tested, 'cell')} that could be tested"
    chance = (
        f"If no algorithm differed, about {number(result.expected_by_chance, 2)} would be flagged by chance"
        f"{' before the filter' if result.min_relative_effect else ''}."
    )
    if result.adjust != "none":
        chance = f"Of those flagged, {number(result.expected_by_chance, 2)} at most are expected to be by chance."
    far = f" by more than {percent(result.min_relative_effect)} of the mean" if result.min_relative_effect else ""
    if not result.cells_flagged:
        return f"No algorithm stands out{far} in any of {counted(result.cells_tested, 'cell')} tested. {chance} {notes}"
    who = Counter(str(name) for name in result.extreme[result.flagged])
    by_name = [f"{name} in {who[name]}" for name in ordered(result.algorithms, who)]
    return f"An algorithm stands out{far} in {cells}: {listed(by_name)}. {chance} {notes}".rstrip()


def extremes_of(result: OrderedData, value: float) -> str:
    """Return the conditions with a value, in words.

    Parameters
    ----------
    result
        The values in their order.
    value
        A value that occurs in them.

    Returns
    -------
    Such as ``condition 3`` or ``conditions 3 and 5``.
    """
    there = np.asarray(result.value) == value
    return numbered("condition", sorted(np.asarray(result.condition)[there].tolist()))


def before_ties(values: NDArray[np.float64], run: int) -> int:
    """Return the length of a run of values, shortened to end where the value changes.

    Equal values have no order, so that a run cannot end between them.

    Parameters
    ----------
    values
        Values in their order.
    run
        Number of first values.

    Returns
    -------
    At most `run`; 0 if all of these values equal the next value.
    """
    while 0 < run < len(values) and values[run - 1] == values[run]:
        run -= 1
    return run


def values_heading(view: CampaignView, response: str, period: str) -> str:
    """Return the heading of a figure of raw values: response and period.

    Parameters
    ----------
    view, response, period
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Title of the response, and of the period.
    """
    return f"{view.responses[response].title}, {period_title(period)}"


def values_caption(view: CampaignView, response: str, period: str) -> str:
    """Return the range of the values, and the places of its ends, as text.

    Parameters
    ----------
    view, response, period
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    A sentence.
    """
    values = view.values(response, period)
    if not np.isfinite(values).any():
        return "Nothing was measured."
    low = np.unravel_index(int(np.nanargmin(values)), values.shape)
    high = np.unravel_index(int(np.nanargmax(values)), values.shape)
    unit, title = view.unit_of(response), capitalised(view.title_of(response))
    if values[low] == values[high]:
        return f"{title} is {quantity(float(values[low]), unit)} in every condition with every algorithm."
    ends = span(float(values[low]), float(values[high]), unit)
    alike = np.argwhere(values == values[high])
    where = f"condition {high[0] + 1} with {view.algorithms[high[1]]}"
    if len(alike) > 1:
        where = f"{counted(len(alike), *CELL)} alike ({where} is one)"
    return f"{title} runs from {ends}; it is highest in {where}."
