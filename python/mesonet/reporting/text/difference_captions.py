"""Captions of figures that compare the algorithms."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import ConditionResponseSummary, MainEffects, Residuals
from mesonet.reporting.campaign_view.values import MEAN_OF_ALL
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.text.captions import effects_sentence, summary_caption
from mesonet.reporting.text.settings_text import spelt_settings
from mesonet.words import counted, difference, listed, number, percent, span, verb

Floats = NDArray[np.float64]

#: Share of false discoveries among the flagged cells that the third choice of outliers allows.
FALSE_DISCOVERIES = 0.05
#: Choices of outliers: every one, those far from the mean, those with few false discoveries.
ALL, FAR, DISCOVERIES = "all", "far", "discoveries"


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
    text += "A named algorithm is an outlier among all in that cell (Grubbs' test): ▲ on green above the others, "
    return text + "▼ on orange below. High says nothing about good or bad."


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
    said = [
        f"{algorithms[place]} {number(float(mean[place]), 2)}"
        + (f" ± {number(float(sd[place]), 2)}" if known_sd else "")
        for place in best
    ]
    what = "Mean rank and standard deviation" if known_sd else "Ranks"
    return f"Rank {count} is {meaning}. {what}: {listed(said)}.{equal}"


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
    """Return the mean difference of a response, and the significant effects on it.

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
    said = effects_sentence(view, result, title, unit, relative=False, differences=True)
    return f"The mean difference is {difference(result.grand_mean, unit)}. {said}" if result.runs else said


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
    said = []
    for name, rules in view.split_rules.items():
        alone = [rule for rule in rules.rules if rule.group == "alone" and rule.settings]
        if not alone or rules.right <= rules.largest:
            continue
        best = max(alone, key=lambda rule: rule.right)
        where = spelt_settings(view, best.settings)
        said.append(f"{name} in {best.right} of {best.runs} conditions with {where}")
    return f"Standing alone is associated with: {'; '.join(said)}." if said else ""


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
    said = f"{counts}: {listed([text for _, text in clear[:4]])}." if clear else (
        "No setting is clearly associated with an algorithm standing out."
    )  # fmt: skip
    first = view.extremes
    if first.algorithm:
        effect = float(first.relative_effect[0])
        size = f", {percent(effect, sign=True)} from the mean of all" if np.isfinite(effect) else ""
        said += (
            f" Look first at condition {first.condition[0]}, {view.title_of(first.response[0])}: "
            f"{first.algorithm[0]} ({first.side[0]}{size}) beside {first.against[0]} (in the middle)."
        )
    return said + " An association is not yet a cause."
