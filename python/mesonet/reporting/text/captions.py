"""One generated sentence or two under each figure, saying what this figure shows with these numbers."""

from collections import Counter

import numpy as np

from mesonet.analysis import ConditionResponseSummary, MainEffects, OrderedData
from mesonet.numbers import number, percent
from mesonet.reporting.campaign_view.study import MEAN_OF_ALL, Study, factor_title, level_text, ordered
from mesonet.words import capitalised, counted, listed, numbered, period_title, quantity, span


def effects_heading(study: Study, response: str, period: str, algorithm: str) -> str:
    """What a main-effects figure is about."""
    whose = "mean of all algorithms" if algorithm == MEAN_OF_ALL else algorithm
    return f"{study.responses[response].title}, {whose}, {period_title(period)}"


def effects_caption(study: Study, result: MainEffects, response: str) -> str:
    """What drives the response, and by how much."""
    return effects_sentence(study, result, study.title_of(response), study.unit_of(response))


def effects_sentence(study: Study, result: MainEffects, title: str, unit: str, *, relative: bool = True) -> str:
    """The same for anything that has a title, as it stands in a sentence, and a unit; `relative`: whether its mean is
    something to compare with, which that of scores is not: it is zero."""
    notes = " ".join(result.notes)
    known = np.nan_to_num(np.abs(result.effect), nan=-1.0)
    if result.runs == 0 or known.max(initial=-1) <= 0:
        return notes or f"No factor changes {title}."
    top = int(np.argmax(known))
    factor = result.factors[top]
    starred = [name for name, stars in zip(result.factors, result.stars, strict=True) if stars]
    change = (
        f"{capitalised(factor_title(study, factor))} has the largest effect: mean {title} is "
        f"{quantity(float(result.mean_minus[top]), unit)} at {level_text(study, factor, -1)} and "
        f"{quantity(float(result.mean_plus[top]), unit)} at {level_text(study, factor, 1)}"
    )
    if relative and np.isfinite(result.relative_effect[top]):
        change += f", a difference of {percent(abs(float(result.relative_effect[top])))} of the mean"
    second = int(np.argsort(-known, kind="stable")[min(1, len(known) - 1)])
    if second != top and known[second] >= 0:
        of_mean = percent(abs(float(result.relative_effect[second])))
        size = of_mean if relative and of_mean != "–" else quantity(float(known[second]), unit)
        change += f"; next is {factor_title(study, result.factors[second])} with {size}"
    if not starred:
        verdict = "No effect is significant at 95 % against the variation between the conditions."
    else:
        ranked = sorted(starred, key=lambda name: -known[result.factors.index(name)])
        verdict = f"Significant at 95 %: {listed([factor_title(study, name) for name in ranked])}."
    return " ".join(part for part in (f"{change}.", verdict, notes) if part)


def summary_heading(period: str) -> str:
    """What a condition-response summary is about."""
    return capitalised(period_title(period))


def summary_caption(study: Study, result: ConditionResponseSummary) -> str:
    """Who stands out, where, and how many such cells chance alone would give."""
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
    """The condition, or all of them, with this value, in words."""
    there = np.asarray(result.value) == value
    return numbered("condition", sorted(np.asarray(result.condition)[there].tolist()))


def values_heading(study: Study, response: str, period: str) -> str:
    """What a figure of raw values is about."""
    return f"{study.responses[response].title}, {period_title(period)}"


def values_caption(study: Study, response: str, period: str) -> str:
    """The range of the values and where its ends lie."""
    values = study.values(response, period)
    if not np.isfinite(values).any():
        return "Nothing was measured."
    low = np.unravel_index(int(np.nanargmin(values)), values.shape)
    high = np.unravel_index(int(np.nanargmax(values)), values.shape)
    unit, title = study.unit_of(response), capitalised(study.title_of(response))
    if values[low] == values[high]:
        return f"{title} is {quantity(float(values[low]), unit)} in every run."
    ends = span(float(values[low]), float(values[high]), unit)
    alike = np.argwhere(values == values[high])
    where = f"condition {high[0] + 1} with {study.algorithms[high[1]]}"
    if len(alike) > 1:
        where = f"{counted(len(alike), 'run')} alike ({where} is one)"
    return f"{title} runs from {ends}; it is highest in {where}."
