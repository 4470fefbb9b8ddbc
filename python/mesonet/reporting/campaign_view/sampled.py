"""Campaigns whose factors take values between their levels: their analyses, and the analyses left out.

A Latin hypercube or a Sobol sequence has no two levels to compare, so that there are no main effects, interactions or
ten steps. Sensitivity coefficients, scatter plots and the table of responses replace them; designs for response
surfaces have models of chosen terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import Sensitivity, sensitivity
from mesonet.analysis.means import finite_mean
from mesonet.designs.grid import KIND, level_at
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.grid import Grid, is_grid
from mesonet.reporting.campaign_view.surface import Surface, is_surface
from mesonet.reporting.campaign_view.tables import by_response, labelled
from mesonet.reporting.campaign_view.values import factor_title
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import capitalised, counted, listed, number, own_names, quantity, signed

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: Share of the variance above which a linear model, or a model of ranks, is reliable (Saltelli 2000, chapter 6).
BELIEVABLE = 0.7


def is_sampled(campaign: Campaign) -> bool:
    """Return True if the campaign has conditions, but none with all factors at a level."""
    return not campaign.design.runs and bool(campaign.experiment.get("design", {}).get("rows"))


def left_out(campaign: Campaign) -> str:
    """Return a sentence on the analyses that a sampled campaign lacks."""
    shown = "A model of chosen terms shows" if is_surface(campaign) else "SRC, SRRC and PRCC show"
    return (
        f"the design of kind {campaign.rows.kind} has no two levels to compare. Main effects, interactions, the ten "
        f"steps and what follows from them are left out. {shown} which factors drive the responses"
    )


@dataclass(frozen=True)
class Sampled:
    """View of a sampled campaign, with shared results computed once."""

    view: CampaignView

    @cached_property
    def grid(self) -> Grid | None:
        """The view of a grid; None for a sample of points."""
        return Grid(self.view) if is_grid(self.campaign) else None

    @cached_property
    def surface(self) -> Surface | None:
        """The view of a design for a response surface; None for any other."""
        return Surface(self.view) if is_surface(self.campaign) else None

    @property
    def campaign(self) -> Campaign:
        """The campaign."""
        return self.view.campaign

    @property
    def factors(self) -> tuple[str, ...]:
        """Ids of the factors."""
        return self.campaign.design.factors

    @property
    def points(self) -> NDArray[np.float64]:
        """Shape (conditions, factors), -1 for minus to +1 for plus."""
        return self.campaign.rows.matrix

    @cached_property
    def inputs(self) -> NDArray[np.float64]:
        """Values that the factors set, which may be rounded, else their places; shape (conditions, factors)."""
        return np.column_stack([self._set(j) or self.points[:, j].tolist() for j in range(len(self.factors))])

    @property
    def factor_names(self) -> list[str]:
        """Ids of the factors, with their names where they differ."""
        return [f.id if f.name == f.id else f"{f.id} {f.name}" for f in self.campaign.factors]

    @cached_property
    def responses(self) -> list[str]:
        """Responses of the main period."""
        return list(self.view.in_period[self.view.main_period]) if self.view.has_results else []

    @cached
    def sensitivity(self, response: str, period: str, algorithm: str) -> Sensitivity:
        """Return the coefficients of all factors on a response for an algorithm."""
        rows = self.campaign.response(response, period).filter(pl.col("algorithm") == algorithm)
        return sensitivity(self.inputs, rows.drop("algorithm"), factors=self.factors)

    def values(self, response: str, period: str = "") -> pl.DataFrame:
        """Return a response of a period, means over replicates. Columns condition, algorithm and value."""
        rows = self.campaign.response(response, period or self.view.main_period)
        return rows.group_by("condition", "algorithm", maintain_order=True).agg(pl.col("value").mean())

    @cached_property
    def by_first_response(self) -> list[int]:
        """Condition numbers by rising mean of the first response of the page; conditions without a value last."""
        numbers = list(range(1, len(self.points) + 1))
        if not self.view.has_results:
            return numbers
        rows = self.values(self.view.congestion_response).filter(pl.col("value").is_finite())
        means = dict(rows.group_by("condition").agg(pl.col("value").mean()).iter_rows())
        return sorted(numbers, key=lambda number: means.get(number, np.inf))

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the analysis by name.

        ``conditions`` and, if there are results, ``sensitivity`` (a row per response, period, algorithm and factor) or
        the tables of a response surface, and ``responses`` (a row per run and period, a column per response).
        """
        if self.grid is not None:
            return self.grid.tables()
        tables = {"conditions": self.conditions()}
        if not self.view.has_results:
            return tables
        if self.surface is not None:
            return {**tables, **self.surface.tables(), "responses": by_response(self.campaign.responses)}
        parts = []
        for selection in self.view.selections(self.view.algorithms):
            found = self.sensitivity(*selection.values())
            shares = {"r_squared": found.r_squared, "r_squared_ranks": found.r_squared_ranks}
            table = found.to_polars().with_columns(
                **{name: pl.lit(share).fill_nan(None) for name, share in shares.items()},
                note=pl.lit(" ".join(found.notes)),
            )
            parts.append(labelled(table, {**selection, "runs": found.runs}))
        tables["sensitivity"] = pl.concat(parts, how="vertical_relaxed")
        tables["responses"] = by_response(self.campaign.responses)
        return tables

    def conditions(self) -> pl.DataFrame:
        """Return a row per condition with its factors and the states of its runs.

        Columns condition; for each factor its place, from -1 to +1, under its short name, and ``NAME_value`` if it sets
        a number; the numbers of runs done, failed and missing.
        """
        table: dict[str, Any] = {"condition": list(range(1, len(self.points) + 1))}
        taken = ("condition", "done", "failed", "missing", *(f"{id}_value" for id in self.factors))
        for place, name in enumerate(own_names(self.factors, taken)):
            table[name] = self.points[:, place].tolist()
            if values := self._set(place):
                table[f"{self.factors[place]}_value"] = values
        return pl.DataFrame(table).join(self.view.status, on="condition", how="left", maintain_order="left")

    def strongest(self, response: str, period: str, algorithm: str) -> list[str]:
        """Return the factors with a PRCC that is not noise (p < 0.05), the strongest first."""
        found = self.sensitivity(response, period, algorithm)
        order = np.argsort(-np.abs(np.nan_to_num(found.prcc)), kind="stable")
        return [f"{found.factors[i]} ({signed(float(found.prcc[i]), 2)})" for i in order if found.p[i] < 0.05]

    def sentence(self, response: str, period: str = "") -> str:
        """Return the strongest factors of a response for every algorithm, as text.

        The text, with a warning if an R² of ranks is below `BELIEVABLE`.
        """
        wording, doubtful = [], False
        period = period or self.view.main_period
        for algorithm in self.view.algorithms:
            found = self.sensitivity(response, period, algorithm)
            whose = f" with {algorithm}" if len(self.view.algorithms) > 1 else ""
            if np.isnan(found.r_squared):
                wording.append(f"no coefficients{whose}: {' '.join(found.notes).rstrip('.')}")
                continue
            strongest = listed(self.strongest(response, period, algorithm)[:4]) or "no factor at p < .05"
            wording.append(f"{strongest}{whose} (R² of ranks {found.r_squared_ranks:.2f})")
            doubtful |= found.r_squared_ranks < BELIEVABLE
        text = f"PRCC: {'; '.join(wording)}."
        if doubtful:
            text += (
                f" R² below {BELIEVABLE}: it does not simply rise or fall with the factors, or by chance; see the plot."
            )
        return text

    def follows(self, response: str) -> str:
        """Return which factor a response of the main period follows most with each algorithm, with its values, as text.

        In a grid, the factor whose level means lie farthest apart, with the lowest and the highest mean; in a sample,
        the factor with the strongest partial rank correlation that is not noise.
        """
        title, unit = self.view.title_of(response), self.view.unit_of(response)
        means = self.values(response)
        wording = []
        for algorithm in self.view.algorithms:
            whose = f" with {algorithm}" if len(self.view.algorithms) > 1 else ""
            own = dict(means.filter(algorithm=algorithm).select("condition", "value").iter_rows())
            values = np.array([own.get(place + 1) or np.nan for place in range(len(self.points))], dtype=float)
            if self.campaign.rows.kind != KIND:
                strongest = self.strongest(response, self.view.main_period, algorithm)
                wording.append(f"{listed(strongest[:2]) or 'no factor'}{whose}")
                continue
            best: tuple[float, str] | None = None
            for place, factor in enumerate(self.campaign.factors):
                levels = self.points[:, place]
                found = {level: finite_mean(values[levels == level], axis=0) for level in np.unique(levels)}
                known = {level: float(mean) for level, mean in found.items() if np.isfinite(mean)}
                if len(known) < 2:
                    continue
                low, high = (pick(known, key=lambda level: known[level]) for pick in (min, max))
                texts = [
                    f"{quantity(known[level], unit)} at {factor.levels[level_at(level, len(factor.levels))]}"
                    for level in (low, high)
                ]
                distance = known[high] - known[low]
                if best is None or distance > best[0]:
                    best = distance, f"{factor_title(self.view, factor.id)}{whose}, from {' to '.join(texts)}"
            wording.append(best[1] if best else f"no factor{whose}")
        how = "means over the other factors" if self.campaign.rows.kind == KIND else "partial rank correlations"
        return f"{capitalised(title)} changes most with {'; '.join(wording)} ({how})."

    def drivers(self, period: str, algorithm: str) -> str:
        """Return the factors that drive most responses, and the number of coefficients expected by chance, as text."""
        found = [self.sensitivity(name, period, algorithm) for name in self.view.in_period[period]]
        tested = [each for each in found if np.isfinite(each.p).any()]
        over = f"Partial rank correlations over {counted(len(self.points), 'condition')} with {algorithm}."
        if not tested:
            return f"{over} No response has any: see the notes of the table of sensitivities."
        counts = np.sum([np.nan_to_num(each.p, nan=1.0) < 0.05 for each in tested], axis=0)
        order = [int(i) for i in np.argsort(-counts, kind="stable") if counts[i]][:4]
        chance = 0.05 * sum(int(np.isfinite(each.p).sum()) for each in tested)
        named = [f"{factor_title(self.view, self.factors[i])} for {counts[i]}" for i in order]
        wording = listed(named) if named else "no factor for any"
        return (
            f"{over} Of {counted(len(tested), 'response')}, p < .05: {wording}; about {number(chance, 2)} of all cells "
            "would be by chance."
        )

    def _set(self, place: int) -> list[float]:
        """Return the value that a factor sets in each condition; empty if it sets more than a number."""
        paths = self.campaign.factors[place].paths
        first = self.view.algorithms[0]
        scenarios = [each["scenario"] for each in self.campaign.experiment["scenarios"] if each["algorithm"] == first]
        values = [_leaf(scenario, paths[0]) for scenario in scenarios]
        whole = len(paths) == 1 and all(isinstance(value, int | float) for value in values)
        return [float(value) for value in values] if whole else []


def _leaf(scenario: Mapping[str, Any], path: str) -> Any:
    if set(scenario) == {"parameters"}:
        return scenario["parameters"].get(path)
    there: Any = scenario
    for part in path.split("."):
        there = there.get(part) if isinstance(there, Mapping) else None
    return there
