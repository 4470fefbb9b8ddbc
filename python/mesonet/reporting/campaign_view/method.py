"""The study's method applied to one campaign: effects, correlations, components, clusters, Psi, causes, each once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import (
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
    Separation,
    TenSteps,
    Terms,
    clustering,
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
    score_groups,
    separating_settings,
    ten_steps,
    terms,
)
from mesonet.analysis.main_effects import replicate_frame
from mesonet.reporting.campaign_view.events import too_few_events
from mesonet.reporting.campaign_view.space import OWN, TCP, Space, response_space
from mesonet.reporting.campaign_view.study import Study, categorical, of_algorithm
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.words import span, uncapitalised

Floats = NDArray[np.float64]

#: Names of the classes of congestion, by how many there are.
CLASS_NAMES = {1: ("all",), 2: ("low", "high"), 3: ("low", "moderate", "high"), 4: ("none", "low", "moderate", "high")}
#: Runs of the follow-up that is suggested.
FOLLOW_UP_RUNS = 16


@dataclass(frozen=True)
class Method:
    """Results of a campaign that has results."""

    study: Study
    thresholds: Thresholds = DEFAULTS

    @cached_property
    def space(self) -> Space:
        """Responses of the experiment's response set."""
        return response_space(self.study)

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of the responses, as they stand in a sentence."""
        return {column.name: uncapitalised(column.title) for column in self.space.columns}

    @cached_property
    def labels(self) -> dict[str, str]:
        """Symbols and titles of the responses, for axes and tables."""
        return {column.name: column.label for column in self.space.columns}

    def values(self, response: str, algorithm: str) -> Floats:
        """Return a response of the space by condition, for an algorithm or the mean of all; NaN where missing."""
        values = self.space.cube[:, :, self.space.place(response)]
        return of_algorithm(self.study, values, algorithm)

    def for_test(self, response: str, algorithm: str) -> Floats | pl.DataFrame:
        """Return a response as tests of effects take it: every replicate where runs are replicated."""
        values = self.space.for_tests[..., self.space.place(response)]
        return replicate_frame(of_algorithm(self.study, values, algorithm))

    def terms(self, response: str, algorithm: str) -> Terms:
        """Return all estimable terms, for one algorithm or the mean of all."""
        return terms(self.study.campaign.design, self.for_test(response, algorithm), noise=self.study.noise)

    def interactions(self, response: str, algorithm: str) -> Interactions:
        """Return the effects of every factor and pair, for one algorithm or the mean of all."""
        return interactions(self.study.campaign.design, self.values(response, algorithm))

    def ten_steps(self, response: str, algorithm: str) -> TenSteps:
        """Return the results of the ten steps; the last ones asked for are kept."""
        key = (response, algorithm)
        if key not in self._last_steps:
            self._last_steps.clear()
            self._last_steps[key] = ten_steps(
                self.study.campaign.design,
                self.for_test(response, algorithm),
                mode=self.study.mode,
                categorical=categorical(self.study),
            )
        return self._last_steps[key]

    @cached_property
    def _last_steps(self) -> dict[tuple[str, str], TenSteps]:
        return {}

    def factor_table(self, algorithm: str, places: Sequence[int] | None = None) -> FactorTable:
        """Return signs, stars and Psi of every factor for an algorithm over the responses `places` (default: all)."""
        which = list(places) if places is not None else list(range(len(self.space.columns)))
        own = self.study.algorithms.index(algorithm)
        values = self.space.for_tests[..., own, :][..., which]
        names = [self.space.names[i] for i in which]
        return factor_table(self.study.campaign.design, values, responses=names, mode=self.study.mode)

    def psi(self, algorithm: str) -> PsiTable:
        """Return Psi over the sets of responses.

        As in the ASME paper the sets of the network have half of the weight, and the sets of the flow groups the
        other half.
        """
        sets = self.space.sets
        tables = {name: self.factor_table(algorithm, places) for name, places in sets.items()}
        flows = [name for name in sets if name.endswith((OWN, TCP))]
        weights = {name: 1 / len(flows) if name in flows else 1 / (len(sets) - len(flows)) for name in sets}
        return psi_table(tables, weights=weights)

    @cached_property
    def correlations(self) -> Correlations:
        """Correlations of the responses over all runs, conditions x algorithms."""
        return correlations(self.runs, responses=self.space.names, threshold=self.thresholds.correlation)

    @cached_property
    def components(self) -> PrincipalComponents:
        """Principal components of the runs, without the responses that some run lacks."""
        return self.of_all.components

    @cached_property
    def of_goodputs(self) -> "Reduction | None":
        """Components of the goodputs of the flow groups alone; None for fewer than two.

        The ASME paper has 48 of them (Fig. 13).
        """
        places = [place for name, own in self.space.sets.items() if name.endswith((OWN, TCP)) for place in own]
        return self._reduction(places) if len(places) > 1 else None

    @cached_property
    def of_all(self) -> "Reduction":
        """Components of all responses."""
        return self._reduction(range(len(self.space.columns)))

    def _reduction(self, places: Sequence[int]) -> "Reduction":
        runs = self.runs[:, list(places)]
        there = np.isfinite(runs).any(axis=1)
        complete = np.asarray(np.isfinite(runs[there]).all(axis=0))
        names = np.array([self.space.names[place] for place in places], dtype=object)
        found = principal_components(runs[:, complete], responses=names[complete].tolist())
        return Reduction(self, found, tuple(names[~complete]))

    @cached_property
    def groupings(self) -> Groupings:
        """Groups of the responses by correlation and by principal components."""
        return groupings(self.correlations, self.components)

    @cached_property
    def split_rules(self) -> dict[str, GroupRules]:
        """For each algorithm that joins the tree last and alone somewhere: the settings of the conditions where it
        does."""
        apart = {
            condition: found.most_distant if found.distinct else None for condition, found in self.clusterings.items()
        }
        signs = np.array([self.study.signs[condition] for condition in apart], dtype=float)
        factors = self.study.campaign.design.factors
        return {
            name: group_rules(signs, ["alone" if who == name else "not alone" for who in apart.values()],
                              factors=factors)
            for name in self.study.algorithms
            if any(who == name for who in apart.values())
        }  # fmt: skip

    @cached_property
    def clusterings(self) -> dict[int, Clustering]:
        """The tree of the algorithms in every condition that has results."""
        return {
            condition: clustering(
                values, algorithms=self.study.algorithms, responses=self.space.names, cut=self.thresholds.cut
            )
            for condition, values in zip(self.study.conditions, self.space.cube, strict=True)
            if np.isfinite(values).any()
        }

    def summary_of(self, places: Sequence[int]) -> ConditionResponseSummary:
        """Return the condition-response summary of the responses of the space at `places`."""
        return condition_response_summary(
            self.space.cube[:, :, list(places)], responses=[self.space.names[place] for place in places],
            algorithms=self.study.algorithms,
            too_few=np.column_stack([self.too_few(place) for place in places]) if places else None,
        )  # fmt: skip

    def too_few(self, place: int) -> NDArray[np.bool_]:
        """Return a mask by condition: True where values of the response at `place` count too few events."""
        column = self.space.columns[place]
        values = self.space.cube[:, :, place]
        return too_few_events(values, column.unit, self.study.campaign.experiment, column.period)

    @cached_property
    def adjusted_summary(self) -> ConditionResponseSummary:
        """The condition-response summary of the main period with the false discovery rate held at 5 %."""
        period = self.study.main_period
        return condition_response_summary(
            self.study.cube(period), responses=self.study.in_period[period], algorithms=self.study.algorithms,
            adjust="benjamini-hochberg", too_few=self.study.too_few(period),
        )  # fmt: skip

    @cached_property
    def extremes(self) -> Extremes:
        """Most extreme condition of each outlying algorithm, by response."""
        period = self.study.main_period
        return extremes(self.study.summary(period), self.study.cube(period))

    @cached_property
    def separations(self) -> dict[tuple[str, str], Separation]:
        """(Algorithm, response) of every column of flags with at least two: the settings associated with them."""
        summary = self.study.summary(self.study.main_period)
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
                self.study.campaign.design, flags, known=known[:, place], order=min(2, len(self.study.signs[1]))
            )
        return found

    def follow_up(self, response: str, algorithm: str, most: int = 3) -> FollowUp | None:
        """Return the runs that would break the aliases of the largest active strings; None where none is aliased."""
        found = self.terms(response, algorithm)
        active = found.active
        strings = [text for text, on in zip(found.strings, active, strict=True) if on and " = " in text][:most]
        return follow_up(self.study.campaign.design, strings, runs=FOLLOW_UP_RUNS) if strings else None

    @cached_property
    def classes(self) -> ConditionClasses:
        """Classes of congestion: conditions without any loss, and natural breaks of the others."""
        values = self.study.congestion
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
        unit = self.study.unit_of(self.study.congestion_response)
        ranges = [span(float(own[0]), float(own[-1]), unit) for own in _by_class(found)]
        said = names if len(names) == 1 else [f"{name} ({ends})" for name, ends in zip(names, ranges, strict=True)]
        return condition_classes(values, limits=found.limits, names=said)

    @property
    def chosen(self) -> list[str]:
        """Representative of each cluster of the correlation analysis, largest clusters first.

        The measure of congestion comes first and replaces the representative of its own cluster.
        """
        congestion = self.congestion
        named = [
            congestion if congestion in cluster else representative
            for cluster, representative in zip(
                self.correlations.clusters, self.correlations.representatives, strict=True
            )
        ]
        return list(dict.fromkeys([congestion, *named]))

    @property
    def congestion(self) -> str:
        """The column of the space that measures congestion, in the first period that has it."""
        wanted = self.study.congestion_response
        return next((c.name for c in self.space.columns if c.response == wanted), self.space.names[0])

    @property
    def runs(self) -> Floats:
        """The cube with one row per condition and algorithm."""
        cube = self.space.cube
        return cube.reshape(-1, cube.shape[2])


def _by_class(found: ConditionClasses) -> list[Floats]:
    """Return the values of each class, rising."""
    return [found.value[found.number == place] for place in range(1, len(found.names) + 1)]


@dataclass(frozen=True)
class Reduction:
    """Principal components of some responses over all runs, and what explains them."""

    method: Method
    components: PrincipalComponents
    lacking: tuple[str, ...] = ()  #: responses left out because a run that has others lacks them

    @cached_property
    def run_groups(self) -> NDArray[np.object_]:
        """Group of each run in the plane of the first two components; None without a score."""
        return score_groups(self.components.scores[:, :2])

    @cached_property
    def run_rules(self) -> GroupRules:
        """Rules of settings and algorithms that explain the groups of runs."""
        design, algorithms = self.method.study.campaign.design, self.method.study.algorithms
        signs = np.repeat(np.asarray(design.matrix, dtype=float), len(algorithms), axis=0)
        names = list(design.factors)
        if len(algorithms) > 1:
            which = np.where(np.eye(len(algorithms), dtype=bool), 1.0, -1.0)
            signs = np.column_stack([signs, np.tile(which, (len(design.matrix), 1))])
            names += [f"algorithm {name}" for name in algorithms]
        return group_rules(signs, self.run_groups, factors=names)

    def effects(self, component: int) -> MainEffects:
        """Return the main effects on the scores of a component (from 0), means over the algorithms."""
        scores = self.components.scores[:, component].reshape(len(self.method.study.conditions), -1)
        return main_effects(self.method.study.campaign.design, scores.mean(axis=1))
