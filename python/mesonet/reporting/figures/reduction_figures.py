"""Figures that reduce the responses: correlations, components, signs and Psi; a sentence for each."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mesonet import plots
from mesonet.analysis import Correlations, FactorTable, Groupings, GroupRules, PrincipalComponents, PsiTable
from mesonet.analysis.group_rules import DEEPEST, Rule
from mesonet.files.names import file_stem
from mesonet.plots.sign_table import varies
from mesonet.reporting.campaign_view.method import Method, Reduction
from mesonet.reporting.campaign_view.study import Study, factor_title, level_text
from mesonet.reporting.figures.drawable import ChartAndCaption, Drawable
from mesonet.reporting.text.captions import AGAINST, CELL, effects_sentence
from mesonet.reporting.text.method_captions import correlations_caption
from mesonet.words import capitalised, counted, listed, number, percent, some

Settings = tuple[tuple[str, int], ...]  # a factor and its level, -1 or +1
#: Components whose main effects are drawn.
COMPONENTS = 2


def reduction_figures(method: Method) -> list[Drawable]:
    """Return the figures of correlations, components and factors that the campaign can have."""
    figures = []
    alike = method.correlations
    if len(alike.responses) > 1:
        figures += [
            Drawable("correlations/scatter_matrix", "Which responses say the same?", partial(_scatter_matrix, method)),
            Drawable("correlations/correlations", "Which responses say the same?", partial(_correlations, method)),
            Drawable("correlations/histogram", "Where to cut?", partial(_histogram, method)),
            Drawable("correlations/index_index", "How many behaviours are there?", partial(_index_index, method)),
        ]
    figures += _component_figures(method, method.of_all, "components", "")
    if len(method.components.variance):
        asked = "Do components and correlations group the responses alike?"
        figures.append(Drawable("components/groupings", asked, partial(_groupings, method)))
    if method.of_goodputs is not None:
        figures += _component_figures(method, method.of_goodputs, "components_of_goodputs", " of the goodputs")
    for algorithm in method.study.algorithms:
        for name, places in method.space.sets.items():
            asked = f"Which factors matter for {algorithm}, and which way: {name}?"
            stem = f"factors/signs_{_slug(name)}_{_slug(algorithm)}"
            figures.append(Drawable(stem, asked, partial(_signs, method, algorithm, name, tuple(places))))
        asked = f"Which factors matter over all for {algorithm}?"
        figures.append(
            Drawable(f"factors/psi_{_slug(algorithm)}", asked, partial(_psi, method, algorithm), "factors/psi",
                   {"algorithm": algorithm})
        )  # fmt: skip
    return figures


def _component_figures(method: Method, found: Reduction, folder: str, whose: str) -> list[Drawable]:
    parts, figures = found.components, []
    if len(parts.variance):
        asked = f"How many components{whose} matter?"
        figures.append(Drawable(f"{folder}/scree", asked, partial(_scree, found, whose)))
        asked = f"What are the components{whose} made of?"
        figures.append(Drawable(f"{folder}/loadings", asked, partial(_loadings, method, parts, whose)))
    if len(parts.variance) > 1:
        asked = f"Which settings explain the groups in the plane of components{', by goodputs' if whose else ''}?"
        figures.append(Drawable(f"{folder}/pc1_pc2", asked, partial(_scores, method, found, whose)))
    for place in range(min(COMPONENTS, len(parts.variance))):
        asked = f"Which factors drive PC{place + 1}{whose}?"
        figures.append(
            Drawable(f"{folder}/main_effects_pc{place + 1}", asked, partial(_effects, method, found, whose, place))
        )
    return figures


def _slug(text: str) -> str:
    return file_stem(text).replace(" ", "_")


def _scatter_matrix(method: Method) -> ChartAndCaption:
    alike = method.correlations
    data = method.runs[:, [method.space.place(name) for name in alike.responses]]
    chart = plots.scatter_matrix(alike, data, labels=method.labels, title="All pairs of responses")
    return chart, pairs_caption(method, alike)


def _correlations(method: Method) -> ChartAndCaption:
    chart: Any = plots.correlations(method.correlations, labels=method.labels, title="Correlations of the responses")
    return chart, correlations_caption(method.titles, method.correlations)


def _histogram(method: Method) -> ChartAndCaption:
    alike = method.correlations
    return plots.correlation_histogram(alike, title="How correlations are distributed"), histogram_caption(alike)


def _index_index(method: Method) -> ChartAndCaption:
    chart = plots.index_index(method.correlations, labels=method.labels, title="Clusters of responses")
    return chart, correlations_caption(method.titles, method.correlations)


def _scree(found: Reduction, whose: str) -> ChartAndCaption:
    parts, titles = found.components, found.method.titles
    together = np.cumsum(parts.share)
    needed = int(np.searchsorted(together, 0.9 - 1e-12)) + 1
    above = int((parts.variance > parts.variance.mean()).sum())
    said = (
        f"{counted(needed, 'component')} of {len(parts.variance)} {'holds' if needed == 1 else 'hold'} 90 % of the "
        f"variance; {above} {'varies' if above == 1 else 'vary'} more than a response on average. The first holds "
        f"{percent(100 * float(parts.share[0]))}."
    )
    if parts.left_out:
        said += f" Without a value and left out: {counted(len(parts.left_out), *CELL)}."
    if found.lacking:
        said += f" Left out because values are missing: {some([titles[name] for name in found.lacking])}."
    return plots.scree(parts, title=f"Principal components{whose}"), said


def _loadings(method: Method, parts: PrincipalComponents, whose: str) -> ChartAndCaption:
    said = []
    for place in range(min(3, len(parts.variance))):
        heavy = np.argsort(-np.abs(parts.loadings[place]), kind="stable")[:3]
        names = [
            ("" if parts.loadings[place, i] > 0 else "minus ") + method.titles[parts.responses[int(i)]] for i in heavy
        ]
        said.append(f"PC{place + 1}: above all {'; '.join(names)}.")
    return plots.loadings(parts, labels=method.labels, title=f"Loadings{whose}"), " ".join(said)


def _groupings(method: Method) -> ChartAndCaption:
    found = method.groupings
    chart = plots.groupings(found, labels=method.labels, title="Groups of responses by correlation and by components")
    return chart, groupings_caption(found)


def _scores(method: Method, found: Reduction, whose: str) -> ChartAndCaption:
    parts, rules = found.components, found.run_rules
    algorithms = list(method.study.algorithms)
    chart = plots.component_scores(
        parts.scores[:, :2],
        list(found.run_groups),
        conditions=np.repeat(method.study.conditions, len(algorithms)).tolist(),
        algorithms=algorithms * len(method.study.conditions),
        share=parts.share.tolist(),
        explained=[f"group {rule.group}: {rule.text} ({rule.right} of {rule.runs})" for rule in rules.rules]
        if rules.right > rules.largest
        else [],
        title=f"The plane of the first two components{whose}",
    )
    return chart, scores_caption(method, found)


def _effects(method: Method, found: Reduction, whose: str, place: int) -> ChartAndCaption:
    effects = found.effects(place)
    share = percent(100 * float(found.components.share[place]))
    title = f"PC{place + 1}{whose} ({share} of the variance), mean of all algorithms"
    chart: Any = plots.main_effects(
        effects, method.study.campaign.factors, title=title, response=f"PC{place + 1}", relative=False
    )
    said = effects_sentence(method.study, effects, f"PC{place + 1}", "", relative=False)
    # Scores have no replicates of their own.
    if effects.mode != getattr(method.study, "mode", "nist"):
        said += f" Tested {AGAINST[effects.mode]}."
    return chart, said


def _signs(method: Method, algorithm: str, name: str, places: tuple[int, ...]) -> ChartAndCaption:
    table = method.factor_table(algorithm, places)
    chart = plots.sign_table(table, labels=method.labels, title=f"{algorithm}: {name}")
    return chart, signs_caption(method.study, table)


def _psi(method: Method, algorithm: str) -> ChartAndCaption:
    table = method.psi(algorithm)
    names = {factor.id: factor.name for factor in method.study.campaign.factors}
    chart = plots.psi_table(table, names=names, title=f"{algorithm}: Psi of the factors")
    return chart, psi_caption(method.study, table)


def pairs_caption(method: Method, result: Correlations) -> str:
    """Return the pair that correlates most, and how many pairs do."""
    r = np.where(np.isfinite(result.r), result.r, 0.0)
    size = np.triu(np.abs(r), 1)
    if not size.any():
        return "No two responses are known to correlate."
    i, j = np.unravel_index(int(size.argmax()), size.shape)
    first, second = method.titles[result.responses[int(i)]], method.titles[result.responses[int(j)]]
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
    """Return the pairs kept by the threshold, and by the hint of the histogram, as text."""
    if not len(result.absolute):
        return "There are too few values to correlate."
    kept = int((result.absolute > result.threshold).sum())
    suggested = int((result.absolute > result.hint).sum())
    return (
        f"The threshold {number(result.threshold, 2)} keeps {kept} of {counted(len(result.absolute), 'pair')}; the "
        f"histogram itself parts at {number(result.hint, 2)} (Otsu), which would keep {suggested}."
    )


def groupings_caption(result: Groupings) -> str:
    """Return the agreement of both groupings, as text."""
    if not result.responses:
        return "No response varies."
    # Components that no response follows most are no groups.
    clusters, components = len(set(result.cluster.tolist())), len(set(result.component.tolist()))
    left_out = f" Left out: {counted(len(result.left_out), 'response')}." if result.left_out else ""
    said = f"Correlation gives {counted(clusters, 'group')}; the responses follow {counted(components, 'component')}"
    if clusters == 1 or components == 1:
        return f"{said}: nothing to compare.{left_out}"
    return (
        f"{said}. Both agree to {number(result.agreement, 2)} (adjusted Rand index: 1 for the same groups, 0 for "
        f"chance).{left_out}"
    )


def scores_caption(method: Method, found: Reduction) -> str:
    """Return the settings associated with the groups of points in the plane of the components, as text."""
    rules, study = found.run_rules, method.study
    there = sorted({*found.run_groups} - {None})
    if len(there) < 2:
        return "The points are one cloud: no groups to explain."
    if rules.right <= rules.largest:
        # As many are right without any rule.
        return (
            f"No rule of up to {DEEPEST} settings says more than that {rules.largest} of "
            f"{counted(rules.runs, *CELL)} are in the largest group."
        )
    leaves = merged_rules(rules.rules)
    by_group: dict[Any, list[str]] = {}
    for settings, group in leaves:
        by_group.setdefault(group, []).append(spelt_settings(study, settings))
    said = [f"group {group}: {'; or '.join(by_group[group])}" for group in sorted(by_group)]
    unnamed = [str(group) for group in there if group not in by_group]
    text = (
        f"The groups are associated with settings. {'. '.join(map(capitalised, said))}. These rules are right for "
        f"{rules.right} of {counted(rules.runs, *CELL)}; {rules.largest} are in the largest group."
    )
    text += f" No rule singles out group {listed(unnamed)}." if unnamed else ""
    kept = {settings[:depth] for settings, _ in leaves for depth in range(len(settings))}
    for prefix, name, others in questions(rules):
        if others and prefix in kept:
            where = f" among those with {spelt_settings(study, prefix)}" if prefix else ""
            instead = " or ".join(_title(study, other) for other in others)
            text += f" In place of {_title(study, name)}{where}, {instead} would do as well."
    return text


def merged_rules(rules: Sequence[Rule]) -> list[tuple[Settings, Any]]:
    """Return settings and group of every rule; two of one group that differ in their last setting only are one."""
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
    """Return per question of the tree the settings before it, its factor, and the factors that would do as well."""
    found: dict[Settings, str] = {}
    for rule in rules.rules:
        for depth, (name, _) in enumerate(rule.settings):
            found.setdefault(rule.settings[:depth], name)
    # Rules stand from left to right, so that their questions come up in the order in which the tree has grown.
    return [(*pair, others) for pair, others in zip(found.items(), rules.equally_good, strict=True)]


def spelt_settings(study: Study, settings: Settings) -> str:
    """Return settings with the values of their levels."""

    def one(name: str, level: int) -> str:
        if name.startswith("algorithm "):
            return f"{'' if level > 0 else 'not '}{name}"
        return f"{factor_title(study, name)} at {level_text(study, name, level)}"

    return " and ".join(one(name, level) for name, level in settings) or "all"


def _title(study: Study, name: str) -> str:
    return name if name.startswith("algorithm ") else factor_title(study, name)


def signs_caption(study: Study, result: FactorTable) -> str:
    """Return the factors that are significant most often, and the number of tested responses, as text."""
    tested = np.isfinite(result.p) & varies(result)[:, None]
    if not tested.any():
        return "No response has a test: too few values, or all are constant."
    counts = (tested & (result.p < 0.05)).sum(axis=0)
    responses, cells = int(tested.any(axis=1).sum()), int(tested.sum())
    order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]][:3]
    if not order:
        return f"No factor is significant at 95 % for any of {counted(responses, 'tested response')}."
    named = [f"{factor_title(study, result.factors[i])} for {counts[i]}" for i in order]
    untested = len(result.responses) - responses
    return (
        f"Significant at 95 % {AGAINST[result.mode]}, of {counted(responses, 'tested response')}: {listed(named)}. "
        f"About {number(0.05 * cells, 2)} of {cells} cells would be by chance."
        + (f" {counted(untested, 'response')} {'has' if untested == 1 else 'have'} no test." if untested else "")
    )


def psi_caption(study: Study, result: PsiTable) -> str:
    """Return the factors that matter most over all."""
    known = [i for i in result.order if np.isfinite(result.average[i])]
    if not known:
        return "No response has a test: too few values."
    top = [i for i in known if result.average[i] > 0][:3]
    if not top:
        return "No factor is significant for any response."
    named = [f"{factor_title(study, result.factors[i])} {percent(100 * float(result.average[i]))}" for i in top]
    none = [result.factors[i] for i in known if result.average[i] == 0]
    return f"Largest {'weighted average of Psi' if len(result.sets) > 1 else 'Psi'}: {listed(named)}." + (
        f" Never significant: {listed(none)}." if none else ""
    )
