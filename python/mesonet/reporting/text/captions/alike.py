"""Captions of the figures that reduce the responses: correlations, components, groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import Correlations, Groupings, GroupRules, main_effects
from mesonet.analysis.group_rules import DEEPEST, Rule
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView, Reduction
from mesonet.reporting.text.labels import AGAINST, CELL
from mesonet.reporting.text.settings_text import Settings, question_title, spelt_settings
from mesonet.words import capitalised, counted, listed, number, percent, some


def correlations_caption(titles: Mapping[str, str], result: Correlations) -> str:
    """Return the groups of correlated responses, as text.

    Parameters
    ----------
    titles
        As for every text, see `mesonet.reporting.text`.
    result
        Correlations of the responses.

    Returns
    -------
    Sentences on at most three groups, with the responses left out.
    """
    if not result.responses:
        return "No response varies."
    alike = [cluster for cluster in result.clusters if len(cluster) > 1]
    limit = number(result.threshold, 2)
    sentence = (
        f"Pairs with |r| above {limit} link the {counted(len(result.responses), 'response')} that vary into "
        f"{counted(len(result.clusters), 'group')}"
        + (
            f", {len(result.clusters) - len(alike)} of one response alone."
            if len(alike) < len(result.clusters)
            else "."
        )
    )
    for cluster, representative in list(zip(result.clusters, result.representatives, strict=True))[: len(alike)][:3]:
        others = [titles[name] for name in cluster if name != representative]
        size = np.nan_to_num(np.abs(_among(result, cluster)))
        kept = size > result.threshold
        pairs = len(cluster) * (len(cluster) - 1) // 2
        above, own = int(np.triu(kept, 1).sum()), int(kept[cluster.index(representative)].sum()) - 1
        name = titles[representative]
        if above == pairs:
            sentence += f" {capitalised(name)} and {some(others)} go together in every pair."
            continue
        least = number(float(size[np.triu_indices(len(cluster), 1)].min()), 2)
        sentence += (
            f" {capitalised(name)} and {some(others)} are linked by chains: {above} of the {pairs} pairs are above "
            f"{limit}, {own} of the {len(others)} with {name}; |r| goes down to {least}."
        )
    if result.constant:
        sentence += f" Left out because constant: {listed([titles[name] for name in result.constant])}."
    if result.scarce:
        sentence += f" Left out for want of values: {listed([titles[name] for name in result.scarce])}."
    return sentence


def _among(result: Correlations, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the correlations of some responses with each other."""
    places = [result.responses.index(name) for name in names]
    return np.asarray(result.r[np.ix_(places, places)])


def pairs_caption(view: CampaignView, result: Correlations) -> str:
    """Return the pair that correlates most, and how many pairs do.

    Parameters
    ----------
    view
        As for every text, see `mesonet.reporting.text`.
    result
        Correlations of the responses.

    Returns
    -------
    Sentences.
    """
    r = np.where(np.isfinite(result.r), result.r, 0.0)
    size = np.triu(np.abs(r), 1)
    if not size.any():
        return "No two responses are known to correlate."
    i, j = np.unravel_index(int(size.argmax()), size.shape)
    first, second = view.titles[result.responses[int(i)]], view.titles[result.responses[int(j)]]
    kept = int((result.absolute > result.threshold).sum())
    # What two digits cannot tell apart is not called the most.
    alike = int((result.absolute >= result.absolute.max() - 0.005).sum()) - 1
    also = f"; to two digits so {'does' if alike == 1 else 'do'} {counted(alike, 'other pair')}" if alike else ""
    # Cut off, so that what is not a line is not said to be one.
    largest = number(float(np.trunc(1e4 * r[i, j]) / 1e4), 4)
    return (
        f"{capitalised(first)} and {second} correlate most (r = {largest}{also}). "
        f"{kept} of {counted(len(result.absolute), 'pair')} have |r| above {number(result.threshold, 2)}."
    )


def histogram_caption(result: Correlations) -> str:
    """Return the pairs kept by the threshold, and by the hint of the histogram, as text.

    Parameters
    ----------
    result
        Correlations of the responses.

    Returns
    -------
    A sentence.
    """
    if not len(result.absolute):
        return "There are too few values to correlate."
    kept = int((result.absolute > result.threshold).sum())
    suggested = int((result.absolute > result.hint).sum())
    return (
        f"The threshold {number(result.threshold, 2)} keeps {kept} of {counted(len(result.absolute), 'pair')}; the "
        f"histogram itself parts at {number(result.hint, 2)} (Otsu), which would keep {suggested}."
    )


def groupings_caption(result: Groupings) -> str:
    """Return the agreement of both groupings, as text.

    Parameters
    ----------
    result
        The groups of responses by correlation and by component.

    Returns
    -------
    Sentences.
    """
    if not result.responses:
        return "No response varies."
    # Components that no response follows most are no groups.
    clusters, components = len(set(result.cluster.tolist())), len(set(result.component.tolist()))
    left_out = f" Left out: {counted(len(result.left_out), 'response')}." if result.left_out else ""
    wording = f"Correlation gives {counted(clusters, 'group')}; the responses follow {counted(components, 'component')}"
    if clusters == 1 or components == 1:
        return f"{wording}: nothing to compare.{left_out}"
    return (
        f"{wording}. Both agree to {number(result.agreement, 2)} (adjusted Rand index: 1 for the same groups, 0 for "
        f"chance).{left_out}"
    )


def scores_caption(found: Reduction) -> str:
    """Return the settings associated with the groups of points in the plane of the components, as text.

    Parameters
    ----------
    found
        Components of the responses, with the groups of points.

    Returns
    -------
    Sentences; a remark if there is one group, or no rule explains the groups.
    """
    rules, view = found.run_rules, found.view
    there = sorted({*found.run_groups} - {None})
    if len(there) < 2:
        return "The points are one cloud: no groups to explain."
    if rules.right <= rules.largest:
        # As many are right without any rule.
        return (
            f"No rule of up to {DEEPEST} settings predicts the groups better than the largest group "
            f"alone, which has {rules.largest} of {counted(rules.runs, *CELL)}."
        )
    leaves = merged_rules(rules.rules)
    by_group: dict[Any, list[str]] = {}
    for settings, group in leaves:
        by_group.setdefault(group, []).append(spelt_settings(view, settings))
    wording = [f"group {group}: {'; or '.join(by_group[group])}" for group in sorted(by_group)]
    unnamed = [str(group) for group in there if group not in by_group]
    text = (
        f"The groups are associated with settings. {'. '.join(map(capitalised, wording))}. These rules are right for "
        f"{rules.right} of {counted(rules.runs, *CELL)}; {rules.largest} are in the largest group."
    )
    text += f" No rule singles out group {listed(unnamed)}." if unnamed else ""
    kept = {settings[:depth] for settings, _ in leaves for depth in range(len(settings))}
    for prefix, name, others in questions(rules):
        if others and prefix in kept:
            where = f" among those with {spelt_settings(view, prefix)}" if prefix else ""
            instead = " or ".join(question_title(view, other) for other in others)
            text += f" In place of {question_title(view, name)}{where}, {instead} would do as well."
    return text


def merged_rules(rules: Sequence[Rule]) -> list[tuple[Settings, Any]]:
    """Return settings and group of every rule, rules merged that differ in their last setting only.

    Parameters
    ----------
    rules
        Rules from left to right, as a tree gives them.

    Returns
    -------
    Settings and group of each rule. Two neighbours of one group that differ in their last setting only are one rule.
    """
    leaves = [(rule.settings, rule.group) for rule in rules]
    place = 0
    while place + 1 < len(leaves):
        (first, group), (second, other) = leaves[place], leaves[place + 1]
        if first and group == other and len(first) == len(second) and first[:-1] == second[:-1]:
            leaves[place : place + 2] = [(first[:-1], group)]
            place = 0
        else:
            place += 1
    return leaves


def questions(rules: GroupRules) -> list[tuple[Settings, str, tuple[str, ...]]]:
    """Return per question of the tree the settings before it, its factor, and the factors that would do as well.

    Parameters
    ----------
    rules
        Rules that explain groups.

    Returns
    -------
    One entry per question, in the order in which the tree has grown.
    """
    found: dict[Settings, str] = {}
    for rule in rules.rules:
        for depth, (name, _) in enumerate(rule.settings):
            found.setdefault(rule.settings[:depth], name)
    # Rules stand from left to right, so that their questions come up in the order in which the tree has grown.
    return [(*pair, others) for pair, others in zip(found.items(), rules.equally_good, strict=True)]


def scree_caption(found: Reduction) -> str:
    """Return the number of components that hold most of the variance, as text.

    Parameters
    ----------
    found
        Components of the responses.

    Returns
    -------
    Sentences, with the responses and runs left out.
    """
    parts, titles = found.components, found.view.titles
    together = np.cumsum(parts.share)
    needed = int(np.searchsorted(together, 0.9 - 1e-12)) + 1
    above = int((parts.variance > parts.variance.mean()).sum())
    wording = (
        f"{counted(needed, 'component')} of {len(parts.variance)} {'holds' if needed == 1 else 'hold'} 90 % of the "
        f"variance; {above} {'varies' if above == 1 else 'vary'} more than a response on average. The first holds "
        f"{percent(100 * float(parts.share[0]))}."
    )
    if parts.left_out:
        wording += f" Without a value and left out: {counted(len(parts.left_out), *CELL)}."
    if found.lacking:
        wording += f" Left out because values are missing: {some([titles[name] for name in found.lacking])}."
    return wording


def loadings_caption(found: Reduction) -> str:
    """Return the responses that weigh most in the first components, as text.

    Parameters
    ----------
    found
        Components of the responses.

    Returns
    -------
    One sentence for each of the first three components.
    """
    parts, titles = found.components, found.view.titles
    wording = []
    for place in range(min(3, len(parts.variance))):
        heavy = np.argsort(-np.abs(parts.loadings[place]), kind="stable")[:3]
        names = [("" if parts.loadings[place, i] > 0 else "minus ") + titles[parts.responses[int(i)]] for i in heavy]
        wording.append(f"PC{place + 1}: above all {'; '.join(names)}.")
    return " ".join(wording)


def components_caption(found: Reduction) -> str:
    """Return the share of the first two components, and the factors associated with them, as text.

    Parameters
    ----------
    found
        Components of the responses.

    Returns
    -------
    Sentences, with the responses and runs left out.
    """
    view, result = found.view, found.components
    share = percent(100 * float(result.share[:2].sum()))
    text = f"The first two components hold {share} of the variation of {counted(len(result.responses), 'response')}."
    factors = view.campaign.design.factors
    associated, against = [], ""
    shape = (len(view.conditions), len(view.algorithms))
    for component in range(2) if factors else ():
        scores = result.scores[:, component].reshape(shape)
        known = np.isfinite(scores)
        with np.errstate(invalid="ignore"):
            mean = np.where(known, scores, 0).sum(axis=1) / known.sum(axis=1)
        effects = main_effects(view.campaign.design, mean)
        strong = [name for name, stars in zip(factors, effects.stars, strict=True) if stars]
        size = dict(zip(factors, np.abs(effects.effect), strict=True))
        strong.sort(key=lambda name: -size[name])
        if strong:
            wording = some([factor_title(view, name) for name in strong])
            associated.append(f"PC{component + 1} is associated with {wording}")
            against = AGAINST[effects.mode]
    if associated:
        text += f" {'; '.join(associated)} (significant at 95 % {against})."
    if result.left_out:
        verb = "is" if len(result.left_out) == 1 else "are"
        text += f" {counted(len(result.left_out), *CELL)} without all responses {verb} left out."
    if lacking := found.lacking:
        names = some([view.titles[name] for name in lacking])
        text += f" Left out because values are missing: {names}."
    return text
