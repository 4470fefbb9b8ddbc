"""Data that several figures of the page share, computed once."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import FactorTable, Interactions, Residuals, Terms, factor_table, interactions, residuals, terms
from mesonet.analysis.main_effects import replicate_frame
from mesonet.plots.condition_response import SETTINGS
from mesonet.plots.half_normal import table as terms_rows
from mesonet.reporting.campaign_view.method import Method
from mesonet.reporting.campaign_view.study import Study
from mesonet.reporting.campaign_view.thresholds import DEFAULTS, Thresholds
from mesonet.reporting.figures.figure import RESPONSE_AND_ALGORITHM, PageTable, keyed, stacked
from mesonet.reporting.text.labels import settings

__all__ = ["SETTINGS", "Sources"]


@dataclass(frozen=True)
class Sources:
    """Results of a campaign that has some, shared by the figures."""

    study: Study
    thresholds: Thresholds = DEFAULTS

    @cached_property
    def method(self) -> Method:
        """Results of the method over all responses of the experiment's response set."""
        return Method(self.study, self.thresholds)

    @cached_property
    def selections(self) -> list[tuple[str, str]]:
        """Response and algorithm of every figure about one of each, for the main period."""
        return list(product(self.study.in_period[self.study.main_period], self.study.choices_of_algorithm))

    @cached_property
    def terms(self) -> dict[tuple[str, str], Terms]:
        """All estimable terms by response and algorithm."""
        study = self.study
        found = {}
        for response, algorithm in self.selections:
            values = replicate_frame(study.for_test(response, study.main_period, algorithm))
            found[response, algorithm] = terms(study.campaign.design, values, noise=study.noise)
        return found

    def values(self, response: str, algorithm: str) -> NDArray[np.float64]:
        """Return a response of the main period by condition, for an algorithm or the mean of all."""
        return self.study.for_algorithm(response, self.study.main_period, algorithm)

    def interactions(self, response: str, algorithm: str) -> Interactions:
        """Return the effects of every factor and pair."""
        return interactions(self.study.campaign.design, self.values(response, algorithm))

    @cached_property
    def factor_tables(self) -> dict[str, FactorTable]:
        """Signs, stars and Psi of every factor over the responses of the main period, by algorithm."""
        study = self.study
        names, cube = study.in_period[study.main_period], study.cube_for_tests(study.main_period)
        return {
            algorithm: factor_table(study.campaign.design, cube[..., place, :], responses=names, mode=study.mode)
            for place, algorithm in enumerate(study.algorithms)
        }

    @cached_property
    def terms_table(self) -> PageTable:
        """Terms by falling |effect|, with the means at both levels, the grand mean, and the residual SD of the model up
        to this term."""
        parts = []
        for (response, algorithm), result in self.terms.items():
            more = {name: pl.Series(getattr(result, name)) for name in ("mean_minus", "mean_plus", "residual_sd")}
            rows = terms_rows(result).with_columns(
                **more, grand_mean=pl.lit(result.grand_mean), sd=pl.lit(result.sd), runs=pl.lit(result.runs)
            )
            parts.append(keyed(rows, {"response": response, "algorithm": algorithm}))
        return PageTable(stacked(parts), RESPONSE_AND_ALGORITHM)

    @cached_property
    def residuals(self) -> dict[str, Residuals]:
        """Every response of the main period in detail."""
        study = self.study
        return {
            response: residuals(
                study.values(response, study.main_period),
                algorithms=study.algorithms,
                conditions=study.conditions,
                response=response,
                too_few=study.too_few_of(response, study.main_period),
            )
            for response in study.in_period[study.main_period]
        }

    @cached_property
    def residual_points(self) -> PageTable:
        """Distance of every algorithm from the mean of all, per response and condition."""
        return PageTable(stacked([_points(name, result) for name, result in self.residuals.items()]), ("response",))

    @cached_property
    def settings(self) -> PageTable:
        """Table with a row per condition and factor, and a row per condition for the measure of congestion."""
        return PageTable(settings(self.study).table())

    @cached_property
    def places(self) -> pl.DataFrame:
        """Place of each condition in the order of congestion, from 1."""
        order = self.study.by_congestion
        return pl.DataFrame({"condition": order, "place": range(1, len(order) + 1)})


def _points(response: str, result: Residuals) -> pl.DataFrame:
    """Return the residuals as rows: `number` of the algorithm, `percent` of the mean of the condition."""
    mean = dict(zip(result.conditions, result.summary.mean[:, 0].tolist(), strict=True))
    numbers = {name: str(place) for place, name in enumerate(result.algorithms, start=1)}
    of_mean = 100 * pl.col("residual") / pl.col("condition").replace_strict(mean, return_dtype=pl.Float64)
    return (
        result.to_polars()
        .filter(pl.col("residual").is_not_null())
        .select(
            pl.lit(response).alias("response"),
            "condition",
            "algorithm",
            "residual",
            pl.col("algorithm").replace_strict(numbers, return_dtype=pl.String).alias("number"),
            of_mean.alias("percent"),
        )
    )
