"""Campaigns of designs for response surfaces: a model of chosen terms for each response."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mesonet.analysis.regression.fitted import FittedModel, fit_model
from mesonet.campaign.tidy import FactorLevels, levels_of
from mesonet.errors import InputError
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.tables import labelled
from mesonet.reporting.campaign_view.view import CampaignView

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

KINDS = ("central-composite", "box-behnken", "definitive-screening", "d-optimal")
"""Designs whose points are chosen for a model."""
_REPLICATE = "replicate"


def is_surface(campaign: Campaign) -> bool:
    """Return True if the conditions are of a design for a response surface."""
    return campaign.experiment.get("design", {}).get("kind") in KINDS


@dataclass(frozen=True)
class Section:
    """A model over its two strongest factors of numbers, the others held."""

    across: str
    up: str
    held: dict[str, Any]  #: settings of the other factors
    coefficients: tuple[float, ...]  #: of 1, x, y, x^2, y^2 and x y, for coded settings
    highest: tuple[float, float]  #: coded place of the highest prediction


@dataclass(frozen=True)
class Surface:
    """View of a campaign of such a design, with shared results computed once."""

    view: CampaignView

    @cached_property
    def factors(self) -> tuple[FactorLevels, ...]:
        """Levels of each factor, in the order of the experiment."""
        return levels_of(self.view.campaign)

    @cached_property
    def settings(self) -> dict[str, list[Any]]:
        """Setting of each factor in each condition: a number, a word, or its place from -1 to +1."""
        return {each.factor.id: self._settings(column, each) for column, each in enumerate(self.factors)}

    def _settings(self, column: int, each: FactorLevels) -> list[Any]:
        if each.numbers is not None:
            return [each.numbers[place] for place in each.place]
        places = self.view.campaign.rows.matrix[:, column]
        if each.factor.inner or (np.abs(places) == 1).all():
            return [each.texts[place] for place in each.place]
        return [float(place) for place in places]

    @cached_property
    def units(self) -> dict[str, str]:
        """Unit of each factor of numbers."""
        return {each.factor.id: each.unit if each.numbers is not None else "" for each in self.factors}

    @cached
    def model(self, response: str, period: str, algorithm: str) -> FittedModel | str:
        """Return the model of a response for an algorithm, or the reason why there is none.

        The model is the first that the runs can estimate with a degree of freedom left: quadratic, linear with squares,
        with interactions, linear. Runs that share random numbers have a shift for each replicate.
        """
        rows = self.view.campaign.response(response, period).filter(pl.col("algorithm") == algorithm)
        rows = rows.filter(pl.col("value").is_finite())
        name = self.view.title_of(response)
        while name in self.settings:
            name += " (response)"
        places = [condition - 1 for condition in rows["condition"]]
        table = {id: [values[place] for place in places] for id, values in self.settings.items()}
        table[name] = rows["value"].to_list()
        block = None
        if self.view.campaign.experiment.get("common_random_numbers") and rows["replicate"].n_unique() > 1:
            block = _REPLICATE
            while block in table:
                block += "_"
            table[block] = [str(each) for each in rows["replicate"]]
        unit = self.view.unit_of(response)
        return self._fitted(table, name, block, "" if unit == "1" else unit)

    def _fitted(self, table: dict[str, list[Any]], name: str, block: str | None, unit: str) -> FittedModel | str:
        curved = [id for id, values in self.settings.items() if len({*values}) > 2 and not isinstance(values[0], str)]
        squares = [*self.settings, *(f"{id}^2" for id in curved)]
        saturated, problem = None, "no run has a value"
        for terms in ("quadratic", squares, "interactions", "linear"):
            try:
                found = fit_model(table, name, terms=terms, factors=list(self.settings), block=block, unit=unit)
            except InputError as error:
                problem = error.problem
                continue
            found = replace(found, units=self.units)
            if found.fit.freedom > 0:
                return found
            saturated = saturated or found
        return saturated or problem

    @cached
    def section(self, response: str, period: str, algorithm: str) -> Section | None:
        """Return the model over its two strongest factors; None with fewer than two factors of numbers."""
        found = self.model(response, period, algorithm)
        if isinstance(found, str):
            return None
        numbers = [each.name for each in found.factors if each.numeric]
        if len(numbers) < 2:
            return None
        size = {
            name: sum(test.squares for test in found.tests if name in test.source.replace("^2", "").split("*"))
            for name in numbers
        }
        across, up = sorted(numbers, key=lambda name: -size[name])[:2]
        best = found.highest.settings
        return Section(
            across=across,
            up=up,
            held={name: value for name, value in best.items() if name not in (across, up)},
            coefficients=found.section(across, up, best),
            highest=(found.coded(across, best[across]), found.coded(up, best[up])),
        )

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return ``coefficients`` and ``anova``: a row per response, period, algorithm and term."""
        parts: dict[str, list[pl.DataFrame]] = {"coefficients": [], "anova": []}
        for selection in self.view.selections(self.view.algorithms):
            found = self.model(*selection.values())
            if isinstance(found, str):
                continue
            parts["coefficients"].append(labelled(found.to_polars(), selection))
            parts["anova"].append(labelled(found.anova(), selection))
        return {name: pl.concat(each, how="vertical_relaxed") for name, each in parts.items() if each}
