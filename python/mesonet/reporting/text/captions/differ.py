"""Captions of the figures that compare the algorithms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import (
    Clustering,
    ConditionResponseSummary,
    MainEffects,
    Residuals,
)
from mesonet.analysis.condition_response import FEWEST_ALGORITHMS, FEWEST_STATEMENT, TOO_FEW_EVENTS
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL, ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.answer_text import plain
from mesonet.reporting.text.captions.drivers import effects_sentence
from mesonet.reporting.text.labels import CELL
from mesonet.reporting.text.settings_text import spelt_settings
from mesonet.words import (
    capitalised,
    counted,
    difference,
    listed,
    number,
    percent,
    period_title,
    quantity,
    some,
    span,
    verb,
)

Floats = NDArray[np.float64]
#: Share of false discoveries among the flagged cells that the third choice of outliers allows.
FALSE_DISCOVERIES = 0.05
#: Choices of outliers: every one, those far from the mean, those with few false discoveries.
ALL, FAR, DISCOVERIES = "all", "far", "discoveries"


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


def values_caption(view: CampaignView, response: str, table: pl.DataFrame) -> str:
    """Return the range of the values, and the place of the highest, as text.

    Parameters
    ----------
    view, response
        As for every text, see `mesonet.reporting.text`.
    table
        Columns condition, algorithm and value, all finite. Of equal highest values, the text names the first.

    Returns
    -------
    A sentence.
    """
    if table.is_empty():
        return "Nothing was measured."
    values = table["value"].to_numpy()
    low, high = float(values.min()), float(values.max())
    unit, title = view.unit_of(response), capitalised(view.title_of(response))
    if low == high:
        return f"{title} is {quantity(low, unit)} in every condition with every algorithm."
    alike = np.flatnonzero(values == high)
    first = table.row(int(alike[0]), named=True)
    where = f"condition {first['condition']} with {first['algorithm']}"
    if len(alike) > 1:
        where = f"{counted(len(alike), *CELL)} alike ({where} is one)"
    return f"{title} runs from {span(low, high, unit)}; it is highest in {where}."


def outliers_caption(view: CampaignView, result: ConditionResponseSummary, way: str) -> str:
    """Return the outlying algorithms, and the number of such cells expected by chance, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Outlying algorithms by condition and response.
    way
        Choice of outliers: `ALL`, `FAR` or `DISCOVERIES`.

    Returns
    -------
    Sentences.
    """
    text = summary_caption(view, result)
    if way == DISCOVERIES and result.cells_flagged:
        # The number expected by chance is that of the plain test.
        share = percent(100 * FALSE_DISCOVERIES)
        text = f"{text.split(' If no algorithm')[0]} Of these at most about {share} are false discoveries."
    return text


def summary_reading(view: CampaignView) -> str:
    """Return the guide to reading the condition-response summary.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    text = f"Rows are conditions with their settings, {view.order_words}; columns are responses. "
    if not view.summary(view.main_period).cells_tested:
        if len(view.algorithms) == 2:
            return (
                f"{text}A cell names the algorithm with the larger value, and how far it lies above the mean of both."
            )
        return f"{text}A cell names the algorithm farthest from the mean of all and its distance from it."
    text += "A named algorithm is an outlier among all in that cell (Grubbs' test): ▲ on blue above the others, "
    return text + "▼ on yellow below. High is neither good nor bad."


def mean_ranks_caption(algorithms: Sequence[str], mean: Floats, sd: Floats, meaning: str, alike: int) -> str:
    """Return mean ranks and their spread, as text.

    Parameters
    ----------
    algorithms
        Names of n algorithms.
    mean, sd
        Mean rank of each algorithm, from 1 to n, and standard deviation; shape (n,), NaN where not known.
    meaning
        Meaning of rank n, such as ``the highest value``.
    alike
        Number of conditions in which all algorithms are equal; they have no ranks.

    Returns
    -------
    Sentences.
    """
    count = len(algorithms)
    known = np.flatnonzero(np.isfinite(mean))
    if not len(known):
        return "All algorithms are equal in every condition." if alike else "Nothing to compare."
    equal = f" Left out: {counted(alike, 'condition')} in which all are equal." if alike else ""
    best = sorted(known.tolist(), key=lambda place: -mean[place])
    if mean[best[0]] == mean[best[-1]]:
        return f"All algorithms have the same mean rank.{equal}"
    known_sd = bool(np.isfinite(sd[best]).any())
    wording = [
        f"{algorithms[place]} {number(float(mean[place]), 2)}"
        + (f" ± {number(float(sd[place]), 2)}" if known_sd else "")
        for place in best
    ]
    what = "Mean rank and standard deviation" if known_sd else "Ranks"
    return f"Rank {count} is {meaning}. {what}: {listed(wording)}.{equal}"


def above_caption(algorithms: Sequence[str], result: Residuals) -> str:
    """Return the algorithms that lie above the mean of all most often.

    Parameters
    ----------
    algorithms
        Names of the algorithms.
    result
        Distances of the algorithms from the mean of all.

    Returns
    -------
    A sentence on at most three algorithms.
    """
    # Differences by rounding count for no algorithm.
    apart = np.array([extreme is not None for extreme in result.summary.extreme[:, 0]])
    above = ((result.residual > 0) & apart[:, None]).sum(axis=0)
    order = sorted(np.flatnonzero(above).tolist(), key=lambda place: -above[place])[:3]
    named = [f"{algorithms[place]} in {counted(int(above[place]), 'condition')}" for place in order]
    return f"Most often above the mean of all: {listed(named)}." if above.any() else "All are the same everywhere."


def who_differs(view: CampaignView, algorithm: str, reference: str) -> str:
    """Return the name of the algorithms that are compared with the incumbent.

    Parameters
    ----------
    view, algorithm
        As for every text, see `mesonet.reporting.text`.
    reference
        The incumbent.

    Returns
    -------
    The algorithm. For the incumbent and the mean of all: the other algorithm, or ``mean of all others``.
    """
    if algorithm not in (MEAN_OF_ALL, reference):
        return algorithm
    others = [name for name in view.algorithms if name != reference]
    return others[0] if len(others) == 1 else "mean of all others"


def difference_caption(view: CampaignView, result: MainEffects, response: str) -> str:
    """Return the mean difference of a response, and the significant effects on it, in words for who decides.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Main effects on the difference from the incumbent.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    title, unit = f"difference of {view.title_of(response)}", view.unit_of(response)
    wording = plain(view, effects_sentence(view, result, title, unit, relative=False, differences=True))
    return f"The mean difference is {difference(result.grand_mean, unit)}. {wording}" if result.runs else wording


def ends_of_values(result: Residuals, unit: str) -> str:
    """Return the range of the values of a detailed response plot; empty if there is none.

    Parameters
    ----------
    result
        Distances of the algorithms from the mean of all.
    unit
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    A sentence.
    """
    return f"Values run from {span(result.lowest, result.highest, unit)}." if result.highest > result.lowest else ""


def split_sentence(view: CampaignView) -> str:
    """Return the settings associated with an algorithm that joins its tree last and alone, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    A sentence; empty without such an association.
    """
    wording = []
    for name, rules in view.split_rules.items():
        alone = [rule for rule in rules.rules if rule.group == "alone" and rule.settings]
        if not alone or rules.right <= rules.largest:
            continue
        best = max(alone, key=lambda rule: rule.right)
        where = spelt_settings(view, best.settings)
        wording.append(f"{name} in {best.right} of {best.runs} conditions with {where}")
    return f"Standing alone is associated with: {'; '.join(wording)}." if wording else ""


def separation_caption(view: CampaignView) -> str:
    """Return the clearest associations with settings, and the condition to look at first, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    clear = []
    for (algorithm, response), found in view.separations.items():
        if np.isfinite(found.q[0]) and found.q[0] < 0.05 and found.level[0]:
            where = f"{found.strings[0]} at {'+' if found.level[0] > 0 else '−'}"
            if found.strings[0] in view.campaign.design.factors:
                where = spelt_settings(view, ((found.strings[0], int(found.level[0])),))
            clear.append((float(found.q[0]), f"{algorithm} for {view.title_of(response)} with {where}"))
    clear.sort(key=lambda pair: pair[0])
    rows = counted(len(view.separations), "row")
    counts = f"{len(clear)} of {rows} {verb(len(clear), 'show')} an association with a setting"
    wording = f"{counts}: {listed([text for _, text in clear[:4]])}." if clear else (
        "No setting is clearly associated with an algorithm standing out."
    )  # fmt: skip
    first = view.extremes
    if first.algorithm:
        effect = float(first.relative_effect[0])
        size = f", {percent(effect, sign=True)} from the mean of all" if np.isfinite(effect) else ""
        wording += (
            f" Look first at condition {first.condition[0]}, {view.title_of(first.response[0])}: "
            f"{first.algorithm[0]} ({first.side[0]}{size}) beside {first.against[0]} (in the middle)."
        )
    return wording + " An association is not yet a cause."


def residuals_caption(view: CampaignView, result: Residuals, response: str) -> str:
    """Return the conditions with an outlying algorithm, and the largest differences, as text.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Distances of the algorithms from the mean of all.
    response
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    As `residuals_sentence`.
    """
    return residuals_sentence(result, view.title_of(response), view.unit_of(response))


def residuals_sentence(result: Residuals, title: str, unit: str) -> str:
    """Return the conditions with an outlying algorithm, and the largest differences, as text.

    Parameters
    ----------
    result
        Distances of the algorithms from the mean of all.
    title, unit
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    summary = result.summary
    known = np.flatnonzero(np.isfinite(result.spread))
    if not len(known) or result.spread[known].max() <= 0:
        return f"The algorithms have the same {title} in every condition."
    same = sum(extreme is None for extreme in summary.extreme[known, 0])
    who = Counter(str(name) for name in summary.extreme[:, 0][summary.flagged[:, 0]])
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(result.algorithms, who)]
    widest = int(known[-1])
    sentence = f"Stands out: {listed(alone)}." if alone else "No algorithm stands out."
    if not summary.cells_tested:
        sentence = "No verdict." if len(result.algorithms) >= FEWEST_ALGORITHMS else f"No verdict: {FEWEST_STATEMENT}."
    if same:
        sentence += f" In {counted(same, 'condition')} they cannot be distinguished."
    if few := int((summary.statement[:, 0] == TOO_FEW_EVENTS).sum()):
        sentence += f" In {counted(few, 'condition')} too few events are counted for a verdict."
    sentence += (
        f" They differ most in condition {result.conditions[widest]}, by {difference(result.spread[widest], unit)}"
    )
    if len(known) > 1 and result.spread[known[-2]] > 0:
        after = int(known[-2])
        sentence += f", before condition {result.conditions[after]}, by {difference(result.spread[after], unit)}"
    return f"{sentence}."


def clusters_caption(results: Mapping[int, Clustering], algorithms: tuple[str, ...], titles: Mapping[str, str]) -> str:
    """Return the algorithms that join last and alone, conditions without differences, and omissions, as text.

    Parameters
    ----------
    results
        Trees of the algorithms by condition.
    algorithms
        Names of the algorithms.
    titles
        As for every text, see `mesonet.reporting.text`.

    Returns
    -------
    Sentences.
    """
    same = sum(not result.distinct for result in results.values())
    who = Counter(result.most_distant for result in results.values() if result.most_distant)
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(algorithms, who)]
    parts = [f"Joins last and alone: {listed(alone)}." if alone else "No algorithm stands apart alone."]
    if same:
        parts.append(f"In {counted(same, 'condition')} of {len(results)} no response separates the algorithms.")
    lacking = Counter(name for result in results.values() for name in result.incomplete)
    if lacking:
        names = [f"{titles[name]} in {count}" for name, count in lacking.most_common()]
        parts.append(f"Left out, because some algorithm lacks it in that condition: {some(names)} of {len(results)}.")
    gone = Counter(name for result in results.values() for name in result.absent)
    if gone:
        names = [f"{name} in {counted(gone[name], 'condition')}" for name in ordered(algorithms, gone)]
        parts.append(f"Without values: {listed(names)}.")
    return " ".join(parts)
