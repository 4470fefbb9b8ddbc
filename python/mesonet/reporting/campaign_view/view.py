"""View of a campaign for reports: its values, and every analysis of them, each computed once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mesonet.algorithms import among
from mesonet.analysis import (
    AlgorithmComparison,
    Clustering,
    ConditionClasses,
    ConditionResponseSummary,
    Correlations,
    Extremes,
    FactorTable,
    FollowUp,
    Groupings,
    GroupRules,
    Interactions,
    MainEffects,
    PrincipalComponents,
    PsiTable,
    Residuals,
    Separation,
    Terms,
    clustering,
    compare_algorithms,
    condition_classes,
    condition_response_summary,
    correlations,
    extremes,
    factor_table,
    follow_up,
    group_rules,
    groupings,
    interactions,
    main_effects,
    principal_components,
    psi_table,
    residuals,
    score_groups,
    separating_settings,
    terms,
)
from mesonet.errors import InputError, unknown
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.columns import Column
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.campaign_view.traced import TracedRun, traced_runs
from mesonet.reporting.campaign_view.values import Values
from mesonet.reporting.campaign_view.vocabulary import vocabulary
from mesonet.words import span

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Floats = NDArray[np.float64]

#: Names of the classes of congestion, by the number of classes.
CLASS_NAMES = {1: ("all",), 2: ("low", "high"), 3: ("low", "moderate", "high"), 4: ("none", "low", "moderate", "high")}
#: Runs of a suggested follow-up.
FOLLOW_UP_RUNS = 16


def view_of(
    campaign: Campaign,
    against: str | None = None,
    thresholds: Thresholds = DEFAULTS,
    compare: Sequence[str] = (),
    *,
    asked: Sequence[str] = (),
) -> CampaignView:
    """Return the view of a campaign.

    `against`: incumbent of the verdicts, a level such as ``share=0``, or the folder of another campaign. None: the
    comparisons of the experiment, else the algorithm that all are mixed with, else the one deployed most. `compare`:
    comparisons such as ``share=0.3 : share=0``. `asked`: responses that come first, in place of the chosen ones.
    """
    if asked:
        _refuse_unknown(campaign, asked)
    first = tuple(asked)
    if against is not None and compare:
        raise InputError("given beside compare", path="against", value=against, allowed="one of both")
    if against is None:
        return CampaignView(campaign, None, tuple(compare), None, thresholds, asked=first)
    chosen = among(against, campaign.algorithms)
    is_level = re.match(r"[^()=]+=", against) and not Path(against).is_dir()
    if chosen in campaign.algorithms or is_level:
        return CampaignView(campaign, chosen, (), None, thresholds, asked=first)
    if Path(against).is_dir():
        from mesonet.campaign.data import load

        return CampaignView(campaign, None, (), load(against), thresholds, asked=first)
    noun, example = vocabulary(campaign).noun, "share=0"
    if campaign.experiment.get("model") is not None and campaign.factors:
        example = f"{campaign.factors[0].id}={campaign.factors[0].minus}"
    allowed = f"{', '.join(campaign.algorithms)}, a level such as {example}, or the folder of a campaign"
    raise InputError(
        f"not {'an' if noun[0] in 'aeiou' else 'a'} {noun} of the campaign",
        path="against",
        value=against,
        allowed=allowed,
    )


def _refuse_unknown(campaign: Campaign, responses: Sequence[str]) -> None:
    """Raise an `InputError` for a response that no run has."""
    if isinstance(responses, str):
        raise InputError("not a list", path="responses", value=responses, allowed="names in a list")
    known = campaign.responses["response"].unique(maintain_order=True).to_list()
    for name in responses:
        if name not in known:
            raise unknown("response", str(name), known, path="responses")


@dataclass(frozen=True)
class CampaignView(Values):
    """Values and analyses of a campaign; the analyses need results."""

    @cached
    def effects(self, response: str, period: str, algorithm: str) -> MainEffects:
        """Return the main effects of the factors on a response."""
        values = self.for_test(response, period, algorithm)
        return main_effects(self.campaign.design, values, mode=self.mode)

    @cached
    def terms(self, response: str, period: str, algorithm: str) -> Terms:
        """Return all estimable terms of a response."""
        values = self.for_test(response, period, algorithm)
        return terms(self.campaign.design, values, noise=self.noise)

    @cached
    def interactions(self, response: str, period: str, algorithm: str) -> Interactions:
        """Return the effects of every factor and pair on a response. Effects, shape (factors, factors)."""
        return interactions(self.campaign.design, self.for_algorithm(response, period, algorithm))

    @cached
    def residuals(self, response: str, period: str) -> Residuals:
        """Return the distance of every algorithm from the mean of all, by condition."""
        return residuals(
            self.values(response, period), algorithms=self.algorithms, conditions=self.conditions, response=response,
            too_few=self.too_few_of(response, period),
        )  # fmt: skip

    @cached_property
    def column_cube(self) -> Floats:
        """Values of all columns, shape (conditions, algorithms, columns); NaN where missing."""
        return self.values_of(self.columns)

    @property
    def runs(self) -> Floats:
        """Values of all columns with one row per condition and algorithm."""
        return self.column_cube.reshape(-1, len(self.columns))

    @cached
    def factor_table(self, algorithm: str, columns: tuple[Column, ...] = ()) -> FactorTable:
        """Return signs, stars and Psi of every factor for an algorithm over some columns.

        Table of the shape (columns, factors), and Psi per factor.
        """
        each = columns or self.columns
        values = np.stack([self.for_test(column.response, column.period, algorithm) for column in each], axis=-1)
        names = [column.name for column in each]
        return factor_table(self.campaign.design, values, responses=names, mode=self.mode)

    def psi(self, algorithm: str) -> PsiTable:
        """Return Psi over the sets of responses.

        As in the ASME paper, the sets of the network have half of the weight, and the sets of the flow groups the other
        half.
        """
        sets = self.sets
        tables = {name: self.factor_table(algorithm, tuple(columns)) for name, columns in sets.items()}
        flows = [name for name in sets if name.endswith((OWN, TCP))]
        weights = {name: 1 / len(flows) if name in flows else 1 / (len(sets) - len(flows)) for name in sets}
        return psi_table(tables, weights=weights)

    @cached_property
    def correlations(self) -> Correlations:
        """Correlations of the responses over all runs, conditions x algorithms."""
        return correlations(self.runs, responses=self.column_names, threshold=self.thresholds.correlation)

    @cached_property
    def components(self) -> PrincipalComponents:
        """Principal components of the runs, without the responses that some run lacks."""
        return self.of_all.components

    @cached_property
    def of_goodputs(self) -> Reduction | None:
        """Components of the goodputs of the flow groups alone; None for fewer than two.

        The ASME paper has 48 goodputs (Fig. 13).
        """
        places = [place for place, column in enumerate(self.columns) if column.set.endswith((OWN, TCP))]
        return self._reduction(places, " of the goodputs") if len(places) > 1 else None

    @cached_property
    def of_all(self) -> Reduction:
        """Components of all responses."""
        return self._reduction(range(len(self.columns)))

    def _reduction(self, places: Sequence[int], whose: str = "") -> Reduction:
        runs = self.runs[:, list(places)]
        there = np.isfinite(runs).any(axis=1)
        complete = np.asarray(np.isfinite(runs[there]).all(axis=0))
        names = np.array([self.column_names[place] for place in places], dtype=object)
        found = principal_components(runs[:, complete], responses=names[complete].tolist())
        return Reduction(self, found, tuple(names[~complete]), whose)

    @cached_property
    def groupings(self) -> Groupings:
        """Groups of the responses by correlation and by principal components."""
        return groupings(self.correlations, self.components)

    @cached_property
    def traced(self) -> list[TracedRun]:
        """Finished runs that have traces of explicit flows."""
        return list(traced_runs(self.campaign))

    @cached_property
    def split_rules(self) -> dict[str, GroupRules]:
        """Settings of the conditions in which an algorithm joins the tree last and alone, by algorithm."""
        apart = {
            condition: found.most_distant if found.distinct else None for condition, found in self.clusterings.items()
        }
        signs = np.array([self.signs[condition] for condition in apart], dtype=float)
        factors = self.campaign.design.factors
        return {
            name: group_rules(signs, ["alone" if who == name else "not alone" for who in apart.values()],
                              factors=factors)
            for name in self.algorithms
            if any(who == name for who in apart.values())
        }  # fmt: skip

    @cached_property
    def clusterings(self) -> dict[int, Clustering]:
        """The tree of the algorithms in every condition that has results."""
        return {
            condition: clustering(
                values, algorithms=self.algorithms, responses=self.column_names, cut=self.thresholds.cut
            )
            for condition, values in zip(self.conditions, self.column_cube, strict=True)
            if np.isfinite(values).any()
        }

    @cached
    def summary(self, period: str, min_relative_effect: float = 0.0) -> ConditionResponseSummary:
        """Return the condition-response summary of one period.

        Verdicts, shape (conditions, responses of the period). `min_relative_effect`: %, that an extreme must exceed to
        be flagged.
        """
        return self.summary_of(self.of_period(period), min_relative_effect=min_relative_effect)

    def summary_of(self, columns: Sequence[Column], **test: Any) -> ConditionResponseSummary:
        """Return the condition-response summary of some columns. Verdicts, shape (conditions, columns)."""
        return condition_response_summary(
            self.values_of(columns), responses=[column.name for column in columns], algorithms=self.algorithms,
            too_few=self.too_few(columns), **test,
        )  # fmt: skip

    @cached_property
    def adjusted_summary(self) -> ConditionResponseSummary:
        """The condition-response summary of the main period with the false discovery rate held at 5 %."""
        return self.summary_of(self.of_period(self.main_period), adjust="benjamini-hochberg")

    @cached_property
    def extremes(self) -> Extremes:
        """Most extreme condition of each outlying algorithm, by response."""
        period = self.main_period
        return extremes(self.summary(period), self.cube(period))

    @cached_property
    def separations(self) -> dict[tuple[str, str], Separation]:
        """Settings associated with the flags of an algorithm in a response, for pairs with at least two flags."""
        summary = self.summary(self.main_period)
        known = np.isfinite(summary.p) | (summary.statement == "not distinguishable")
        found = {}
        for algorithm, response, flagged in zip(
            self.extremes.algorithm, self.extremes.response, self.extremes.flagged, strict=True
        ):
            if flagged < 2:
                continue
            place = summary.responses.index(response)
            flags = summary.flagged[:, place] & (summary.extreme[:, place] == algorithm)
            found[algorithm, response] = separating_settings(
                self.campaign.design, flags, known=known[:, place], order=min(2, len(self.signs[1]))
            )
        return found

    def follow_up(self, response: str, period: str, algorithm: str, most: int = 3) -> FollowUp | None:
        """Return the runs that would break the aliases of the largest active strings.

        None if no active string is aliased.
        """
        found = self.terms(response, period, algorithm)
        active = found.active
        strings = [text for text, on in zip(found.strings, active, strict=True) if on and " = " in text][:most]
        return follow_up(self.campaign.design, strings, runs=FOLLOW_UP_RUNS) if strings else None

    @cached_property
    def classes(self) -> ConditionClasses:
        """Classes of congestion: conditions without any loss, and natural breaks of the others."""
        values = self.congestion
        known = values[np.isfinite(values)]
        calm = bool((known == 0).any()) and bool((known > 0).any())
        if not calm:
            found = condition_classes(values, classes=3)
        else:
            busy = condition_classes(known[known > 0], classes=3)
            found = condition_classes(values, limits=[float(busy.value[0]), *busy.limits])
        if not len(found.value):
            return found
        names = CLASS_NAMES[len(found.names)]
        if calm:
            names = ("none", *CLASS_NAMES[len(found.names) - 1]) if len(found.names) > 2 else ("none", "some")
        unit = self.unit_of(self.congestion_response)
        ranges = [span(float(own[0]), float(own[-1]), unit) for own in _by_class(found)]
        wording = names if len(names) == 1 else [f"{name} ({ends})" for name, ends in zip(names, ranges, strict=True)]
        return condition_classes(values, limits=found.limits, names=wording)

    @property
    def chosen(self) -> list[Column]:
        """Representative of each cluster of the correlation analysis, largest clusters first.

        The measure of congestion comes first and replaces the representative of its own cluster.
        """
        congestion = self.congestion_column.name
        named = [
            congestion if congestion in cluster else representative
            for cluster, representative in zip(
                self.correlations.clusters, self.correlations.representatives, strict=True
            )
        ]
        return [self.column(name) for name in dict.fromkeys([congestion, *named])]

    @property
    def congestion_column(self) -> Column:
        """The column that measures congestion, in the first period that has it."""
        return next((c for c in self.columns if c.response == self.congestion_response), self.columns[0])

    @cached_property
    def comparison(self) -> AlgorithmComparison:
        """The algorithms side by side in the main period."""
        return compare_algorithms(
            self.cube(self.main_period), responses=self.in_period[self.main_period], algorithms=self.algorithms
        )


def _by_class(found: ConditionClasses) -> list[Floats]:
    """Return the values of each class, rising."""
    return [found.value[found.number == place] for place in range(1, len(found.names) + 1)]


@dataclass(frozen=True)
class Reduction:
    """Principal components of some responses over all runs, and the settings that explain them."""

    view: CampaignView
    components: PrincipalComponents
    lacking: tuple[str, ...] = ()  #: responses left out because a run that has other responses lacks them
    whose: str = ""  #: words to follow its name, with a space in front; empty: of all responses

    @property
    def suffix(self) -> str:
        """End of the names of its files, such as ``_of_goodputs``."""
        return "_of_goodputs" if self.whose else ""

    @cached_property
    def run_groups(self) -> NDArray[np.object_]:
        """Group of each run in the plane of the first two components; None without a score."""
        return score_groups(self.components.scores[:, :2])

    @cached_property
    def run_rules(self) -> GroupRules:
        """Rules of settings and algorithms that explain the groups of runs."""
        design, algorithms = self.view.campaign.design, self.view.algorithms
        signs = np.repeat(np.asarray(design.matrix, dtype=float), len(algorithms), axis=0)
        names = list(design.factors)
        if len(algorithms) > 1:
            which = np.where(np.eye(len(algorithms), dtype=bool), 1.0, -1.0)
            signs = np.column_stack([signs, np.tile(which, (len(design.matrix), 1))])
            names += [f"algorithm {name}" for name in algorithms]
        return group_rules(signs, self.run_groups, factors=names)

    def effects(self, component: int) -> MainEffects:
        """Return the main effects of the factors on the scores of a component, means over the algorithms.

        Effects, in the unit of the scores. `component`: place of the component, from 0.
        """
        scores = self.components.scores[:, component].reshape(len(self.view.conditions), -1)
        return main_effects(self.view.campaign.design, scores.mean(axis=1))
