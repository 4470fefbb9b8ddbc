"""Captions of the figures of the method: a generated sentence or two on effects, correlations, clusters."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mesonet.analysis import Clustering, Correlations, Interactions, Residuals, Terms
from mesonet.analysis.condition_response import FEWEST_ALGORITHMS, FEWEST_STATEMENT, TOO_FEW_EVENTS
from mesonet.plots.half_normal import has_margins
from mesonet.reporting.campaign_view.values import ordered
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import capitalised, counted, difference, listed, number, some, verb


def few_effects(result: Terms) -> str:
    """Return the reason why no margin of error is known, as text.

    Parameters
    ----------
    result
        Terms of a response.

    Returns
    -------
    A sentence; empty if a margin is known, or if the notes of the result have the reason.
    """
    if has_margins(result) or result.noise.replicated or result.noise.pse == 0:
        return ""
    count = result.noise.effects
    return f"{counted(count, 'effect')} {'is' if count == 1 else 'are'} too few to separate effects from noise."


def source_of_noise(result: Terms) -> str:
    """Return the source of the margin of error, as text.

    Parameters
    ----------
    result
        Terms of a response.

    Returns
    -------
    A clause, such as ``after Lenth``.
    """
    return "from the scatter between replicates" if result.noise.replicated else "after Lenth"


def terms_caption(title: str, unit: str, result: Terms) -> str:
    """Return the number of effects above the noise, and the largest with their aliases, as text.

    Parameters
    ----------
    title, unit
        As for every text, see `mesonet.reporting.text`.
    result
        Terms of the response.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    notes = " ".join(result.notes)
    if not has_margins(result):
        return f"{few_effects(result)} {notes}".strip() or f"No effect on {title} could be tested."
    noise, active = result.noise, int(result.active.sum())
    margin = f"the margin of error of {difference(noise.me, unit)} ({source_of_noise(result)})"
    if not active:
        return f"No effect on {title} exceeds {margin}. {notes}".rstrip()
    strings = result.strings[: min(active, 3)]
    largest = [text if " = " not in text else f"the string {text}" for text in strings]
    all_together = int((np.abs(result.effect) > noise.sme).sum())
    says = (
        f"{active} of {counted(len(result.terms), 'effect')} on {title} {verb(active, 'exceed')} {margin}; chance "
        f"alone would give about {number(0.05 * noise.effects, 2)}. {all_together or 'None'} "
        f"{verb(all_together or 1, 'exceed')} the simultaneous margin of {difference(noise.sme, unit)}. "
        f"Largest: {listed(largest)}."
    )
    if any(" = " in text for text in strings):
        says += " Terms of one string cannot be distinguished from each other."
    return f"{says} {notes}".rstrip()


def interactions_caption(title: str, unit: str, result: Interactions, terms: Terms) -> str:
    """Return the largest two-factor interaction, with its aliases, as text.

    Parameters
    ----------
    title, unit
        As for every text, see `mesonet.reporting.text`.
    result
        Effects of every factor and pair.
    terms
        Terms of the same response.

    Returns
    -------
    Sentences, with notes of the analysis.
    """
    pairs = [place for place, order in enumerate(terms.order) if order == 2]
    if not pairs or not np.isfinite(result.effect).any():
        return f"No interaction on {title} could be computed."
    best = pairs[0]
    string = terms.strings[best]
    aliased = f" (one string: {string})" if " = " in string else ""
    said = f"The largest interaction on {title} is {terms.terms[best]}{aliased}: {difference(terms.effect[best], unit)}"
    if has_margins(terms):
        beyond = bool(abs(terms.effect[best]) > terms.noise.me)
        margin = f"the margin of error of {difference(terms.noise.me, unit)} ({source_of_noise(terms)})"
        said += f", {'beyond' if beyond else 'within'} {margin}"
    if len(pairs) > 1:
        said += f"; next {terms.terms[pairs[1]]}, {difference(terms.effect[pairs[1]], unit)}"
    drawn = bool((np.abs(result.effect[np.isfinite(result.effect)]) > terms.noise.me).any())
    colour = "Orange: beyond the margin." if has_margins(terms) and drawn else few_effects(terms)
    return " ".join(part for part in (f"{said}.", colour, *terms.notes) if part)


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
    says = (
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
            says += f" {capitalised(name)} and {some(others)} go together in every pair."
            continue
        least = number(float(size[np.triu_indices(len(cluster), 1)].min()), 2)
        says += (
            f" {capitalised(name)} and {some(others)} are linked by chains: {above} of the {pairs} pairs are above "
            f"{limit}, {own} of the {len(others)} with {name}; |r| goes down to {least}."
        )
    if result.constant:
        says += f" Left out because constant: {listed([titles[name] for name in result.constant])}."
    if result.scarce:
        says += f" Left out for want of values: {listed([titles[name] for name in result.scarce])}."
    return says


def _among(result: Correlations, names: Sequence[str]) -> NDArray[np.float64]:
    """Return the correlations of some responses with each other."""
    places = [result.responses.index(name) for name in names]
    return np.asarray(result.r[np.ix_(places, places)])


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
    says = f"Stands out: {listed(alone)}." if alone else "No algorithm stands out."
    if not summary.cells_tested:
        says = "No verdict." if len(result.algorithms) >= FEWEST_ALGORITHMS else f"No verdict: {FEWEST_STATEMENT}."
    if same:
        says += f" In {counted(same, 'condition')} they cannot be distinguished."
    if few := int((summary.statement[:, 0] == TOO_FEW_EVENTS).sum()):
        says += f" In {counted(few, 'condition')} too few events are counted for a verdict."
    says += f" They differ most in condition {result.conditions[widest]}, by {difference(result.spread[widest], unit)}"
    if len(known) > 1 and result.spread[known[-2]] > 0:
        after = int(known[-2])
        says += f", before condition {result.conditions[after]}, by {difference(result.spread[after], unit)}"
    return f"{says}."


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
