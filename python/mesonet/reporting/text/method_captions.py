"""One or two generated sentences under each figure of the method: effects, correlations, clusters."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from mesonet.analysis import Clustering, Correlations, Interactions, Residuals, Terms
from mesonet.analysis.condition_response import TOO_FEW_EVENTS
from mesonet.numbers import number
from mesonet.reporting.campaign_view.study import Study, ordered
from mesonet.words import capitalised, counted, listed, quantity, some, verb


def terms_caption(title: str, result: Terms) -> str:
    """How many effects are more than noise, and which are the largest, with their aliases."""
    notes = " ".join(result.notes)
    if not len(result.terms) or not np.isfinite(result.noise.me):
        return notes or f"There are too few effects on {title} to tell noise from more than noise."
    active = int(result.active.sum())
    if not active:
        none = f"No effect on {title} exceeds the margin of error of {number(result.noise.me)}."
        return f"{none} {notes}".rstrip()
    largest = [text if " = " not in text else f"the string {text}" for text in result.strings[: min(active, 3)]]
    says = (
        f"{counted(active, 'term')} of {len(result.terms)} {verb(active, 'exceed')} the margin of error of "
        f"{number(result.noise.me)} (Lenth); largest: {listed(largest)}. Terms of one string cannot be told from one "
        "another."
    )
    return f"{says} {notes}".rstrip()


def interactions_caption(title: str, result: Interactions, terms: Terms) -> str:
    """Which pair of factors acts together most, and with what it is aliased."""
    pairs = [place for place, order in enumerate(terms.order) if order == 2]
    if not pairs or not np.isfinite(result.effect).any():
        return f"No interaction on {title} could be computed."
    best = pairs[0]
    string = terms.strings[best]
    beyond = abs(float(terms.effect[best])) > terms.noise.me
    verdict = "beyond" if beyond else "within"
    runner = ""
    if len(pairs) > 1:
        second = pairs[1]
        runner = f"; next {terms.terms[second]}, {number(float(terms.effect[second]))}"
    aliased = f" (one string: {string})" if " = " in string else " (aliased with no other pair)"
    return (
        f"The largest interaction on {title} is {terms.terms[best]}{aliased}: {number(float(terms.effect[best]))}, "
        f"{verdict} the margin of error of {number(terms.noise.me)}{runner}. Red: beyond it. {' '.join(terms.notes)}"
    ).rstrip()


def correlations_caption(titles: Mapping[str, str], result: Correlations) -> str:
    """How many different things the responses say; `titles`: of the responses, as they stand in a sentence."""
    if not result.responses:
        return "No response varies."
    alike = [cluster for cluster in result.clusters if len(cluster) > 1]
    says = (
        f"At |r| > {number(result.threshold, 2)} the {counted(len(result.responses), 'response')} that vary say "
        f"{counted(len(result.clusters), 'different thing')}; the histogram itself parts at {number(result.hint, 2)}."
    )
    for cluster, representative in list(zip(result.clusters, result.representatives, strict=True))[: len(alike)][:3]:
        others = [titles[name] for name in cluster if name != representative]
        shown = listed(others) if len(others) <= 4 else f"{', '.join(others[:3])} and {len(others) - 3} more"
        says += f" {capitalised(titles[representative])} stands for {shown}."
    if result.constant:
        says += f" Left out because constant: {listed([titles[name] for name in result.constant])}."
    if result.scarce:
        says += f" Left out for want of values: {listed([titles[name] for name in result.scarce])}."
    return says


def residuals_caption(study: Study, result: Residuals, response: str) -> str:
    """In how many conditions an algorithm stands out, and where the algorithms differ most."""
    return residuals_sentence(result, study.title_of(response), study.unit_of(response))


def residuals_sentence(result: Residuals, title: str, unit: str) -> str:
    """The same for anything that has a title, as it stands in a sentence, and a unit."""
    summary = result.summary
    known = np.flatnonzero(np.isfinite(result.spread))
    if not len(known) or result.spread[known].max() <= 0:
        return f"The algorithms have the same {title} in every condition."
    same = sum(extreme is None for extreme in summary.extreme[known, 0])
    who = Counter(str(name) for name in summary.extreme[:, 0][summary.flagged[:, 0]])
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(result.algorithms, who)]
    widest = int(known[-1])
    says = f"Stands out: {listed(alone)}." if alone else "No algorithm stands out."
    if same:
        says += f" In {counted(same, 'condition')} they cannot be told apart."
    if few := int((summary.statement[:, 0] == TOO_FEW_EVENTS).sum()):
        says += f" In {counted(few, 'condition')} too few events are counted for a verdict."
    says += f" They differ most in condition {result.conditions[widest]}, by {quantity(result.spread[widest], unit)}"
    if len(known) > 1 and result.spread[known[-2]] > 0:
        after = int(known[-2])
        says += f", before condition {result.conditions[after]}, by {quantity(result.spread[after], unit)}"
    return f"{says}."


def clusters_caption(results: Mapping[int, Clustering], algorithms: tuple[str, ...], titles: Mapping[str, str]) -> str:
    """Who stands apart, in how many conditions nobody can be told from another, and what took no part; `titles`: of
    the responses, as they stand in a sentence."""
    same = sum(not result.distinct for result in results.values())
    who = Counter(result.most_distant for result in results.values() if result.most_distant)
    alone = [f"{name} in {counted(who[name], 'condition')}" for name in ordered(algorithms, who)]
    parts = [f"Joins last and alone: {listed(alone)}." if alone else "No algorithm stands apart alone."]
    if same:
        parts.append(f"In {counted(same, 'condition')} of {len(results)} no response tells the algorithms apart.")
    lacking = Counter(name for result in results.values() for name in result.incomplete)
    if lacking:
        names = [f"{titles[name]} in {count}" for name, count in lacking.most_common()]
        parts.append(f"Left out, because some algorithm lacks it in that condition: {some(names)} of {len(results)}.")
    gone = Counter(name for result in results.values() for name in result.absent)
    if gone:
        names = [f"{name} in {counted(gone[name], 'condition')}" for name in ordered(algorithms, gone)]
        parts.append(f"Without values: {listed(names)}.")
    return " ".join(parts)
