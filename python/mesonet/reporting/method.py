"""The study's method applied to one campaign: effects by alias string, correlations, components, clusters, Psi."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mesonet.analysis import (
    Clustering,
    Correlations,
    FactorTable,
    Interactions,
    PrincipalComponents,
    Terms,
    clustering,
    correlations,
    factor_table,
    interactions,
    principal_components,
    terms,
)
from mesonet.reporting.study import Study


@dataclass(frozen=True)
class Method:
    """Results of the main period of a campaign that has results, each computed once."""

    study: Study

    def terms(self, response: str, algorithm: str) -> Terms:
        """All estimable terms of up to two factors, for one algorithm or the mean of all."""
        design = self.study.campaign.design
        y = self.study.for_algorithm(response, self.study.main_period, algorithm)
        return terms(design, y, order=min(2, len(design.factors)))

    def interactions(self, response: str, algorithm: str) -> Interactions:
        """Effects of every factor and pair, for one algorithm or the mean of all."""
        y = self.study.for_algorithm(response, self.study.main_period, algorithm)
        return interactions(self.study.campaign.design, y)

    def factor_table(self, algorithm: str) -> FactorTable:
        """Signs, stars and Psi of every factor over the responses, for one algorithm."""
        place = self.study.algorithms.index(algorithm)
        values = self.study.cube(self.study.main_period)[:, place]
        return factor_table(self.study.campaign.design, values, responses=self._responses)

    @cached_property
    def correlations(self) -> Correlations:
        """Correlations of the responses over all runs, conditions x algorithms."""
        return correlations(self._runs, responses=self._responses)

    @cached_property
    def components(self) -> PrincipalComponents:
        """Principal components of the same runs, without the responses that some run lacks."""
        runs = self._runs
        there = np.isfinite(runs).any(axis=1)
        complete = np.isfinite(runs[there]).all(axis=0)
        names = [name for name, keep in zip(self._responses, complete, strict=True) if keep]
        return principal_components(runs[:, complete], responses=names)

    @cached_property
    def clusterings(self) -> dict[int, Clustering]:
        """The tree of the algorithms in every condition that has results."""
        return {
            condition: clustering(values, algorithms=self.study.algorithms, responses=self._responses)
            for condition, values in zip(self.study.conditions, self.study.cube(self.study.main_period), strict=True)
            if np.isfinite(values).any()
        }

    @property
    def _responses(self) -> list[str]:
        return self.study.in_period[self.study.main_period]

    @property
    def _runs(self) -> np.ndarray:
        cube = self.study.cube(self.study.main_period)
        return cube.reshape(-1, cube.shape[2])
