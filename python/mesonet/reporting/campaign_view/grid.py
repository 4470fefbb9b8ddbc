"""A grid of levels: means with intervals, changes along each factor, and levels in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.level_changes import LevelChanges, LevelMeans, level_changes, level_means
from mesonet.campaign.tidy import FactorLevels, levels_of
from mesonet.designs.grid import KIND
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.tables import filled, labelled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import listed, uncapitalised

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

Floats = NDArray[np.float64]

#: Most panels of a figure (chosen): beyond, means are over the factors with the fewest levels.
MOST_PANELS = 24


def is_grid(campaign: Campaign) -> bool:
    """Return True if the conditions are all combinations of listed levels."""
    return bool(campaign.experiment.get("design", {}).get("kind") == KIND)


@dataclass(frozen=True)
class Grid:
    """View of a grid, with shared results computed once."""

    view: CampaignView

    @cached_property
    def factors(self) -> tuple[FactorLevels, ...]:
        """Levels of each factor, in the order of the experiment."""
        return levels_of(self.view.campaign)

    @cached_property
    def by_levels(self) -> list[FactorLevels]:
        """The factors, with numbers before words, and most levels first."""
        return sorted(self.factors, key=lambda each: (each.numbers is None, -len(each.texts)))

    @property
    def names(self) -> list[str]:
        """Ids of the factors."""
        return [each.factor.id for each in self.factors]

    @property
    def levels(self) -> NDArray[np.intp]:
        """Number of the level of each factor in each condition, from 0; shape (conditions, factors)."""
        return np.column_stack([each.place for each in self.factors])

    @property
    def paired(self) -> bool:
        """True if all conditions share the random numbers of a replicate."""
        return bool(self.view.campaign.experiment.get("common_random_numbers"))

    @cached
    def runs(self, response: str, period: str) -> Floats:
        """Return a response in every run; shape (algorithms, conditions, replicates), NaN where missing."""
        axes: dict[str, Sequence[Any]] = {
            "algorithm": self.view.algorithms, "condition": range(1, len(self.levels) + 1),
            "replicate": self.view.replicates,
        }  # fmt: skip
        return filled(self.view.campaign.response(response, period), axes)

    @cached
    def means(self, response: str, period: str, algorithm: str, keep: tuple[str, ...]) -> LevelMeans:
        """Return the means of a response at the combinations of levels of the factors that are kept."""
        values = self.runs(response, period)[self.view.algorithms.index(algorithm)]
        return level_means(values, self.levels, keep=keep, factors=self.names, paired=self.paired)

    @cached
    def changes(self, response: str, period: str, algorithm: str) -> LevelChanges:
        """Return the changes of a response along each factor."""
        values = self.runs(response, period)[self.view.algorithms.index(algorithm)]
        return level_changes(values, self.levels, factors=self.names, paired=self.paired)

    @cached_property
    def key_responses(self) -> list[str]:
        """The responses that the user asked for, else the key responses that have a value."""
        view = self.view
        rows = view.campaign.responses.filter(pl.col("value").is_finite() & (pl.col("period") == view.main_period))
        known = {*rows["response"].unique()}
        return [name for name in view.key_responses if name in known or view.asked]

    def notes(self, response: str) -> list[str]:
        """Return why changes of a response have no interval, if so."""
        period = self.view.main_period
        return [note for name in self.view.algorithms for note in self.changes(response, period, name).notes]

    @cached
    def differences(self, response: str, algorithm: str, other: str) -> tuple[LevelMeans, LevelMeans] | None:
        """Return how much more an algorithm has than another with equal seeds: in the mean, and in each condition.

        None where no condition has a value of both.
        """
        runs, places = self.runs(response, self.view.main_period), self.view.algorithms
        more = runs[places.index(algorithm)] - runs[places.index(other)]
        about: dict[str, Any] = {"factors": self.names, "paired": self.paired}
        known = np.isfinite(more).any(axis=1)
        if not known.any():
            return None
        return level_means(more[known], self.levels[known], keep=[], **about), level_means(more, self.levels, **about)

    def panels(self, used: int, most: int = MOST_PANELS) -> tuple[list[FactorLevels], list[FactorLevels]]:
        """Return the factors that make panels, and the factors over which a figure has means.

        `used`: factors that the axes and colours of the figure show, the first of `by_levels`.
        """
        chosen: list[FactorLevels] = []
        for each in self.by_levels[used:]:
            if prod(len(other.texts) for other in (*chosen, each)) <= most:
                chosen.append(each)
        return chosen, [each for each in self.by_levels[used:] if each not in chosen]

    def level_words(self, each: FactorLevels, place: int) -> str:
        """Return a level as it stands in a sentence, such as ``50 flows``, ``buffer size 1 bdp`` or ``fq_codel``."""
        text, name = each.texts[place], title_of(each)
        if is_count(each) and each.numbers is not None:
            number = f"{each.numbers[place]:g}"
            return f"{number} {name[:-1] if number == '1' else name}"
        shared = any(text in other.texts for other in self.factors if other is not each)
        is_word = re.fullmatch(r"[A-Za-z][\w-]*", text) and text not in ("true", "false") and not shared
        return text if is_word else f"{name} {text}"

    def condition_words(self, place: int, without: str = "") -> str:
        """Return the levels of a condition in words. `place`: from 0. `without`: id of a factor that is left out."""
        chosen = [each for each in self.factors if each.factor.id != without]
        return listed([self.level_words(each, int(each.place[place])) for each in chosen])

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables of the analysis by name.

        ``conditions``; with results ``levels`` (a row per response, period, algorithm and condition: mean and
        interval), ``changes`` (a row per factor and pair of levels) and ``responses`` (`Campaign.tidy`).
        """
        status = self.view.status
        conditions = self._conditions().join(status, on="condition", how="left", maintain_order="left")
        if not self.view.has_results:
            return {"conditions": conditions}
        levels, changes = [], []
        names = {each.factor.id: each for each in self.factors}
        for selection in self.view.selections(self.view.algorithms):
            about = {**selection, "unit": self.view.unit_of(selection["response"])}
            means = self.means(**selection, keep=tuple(self.names))
            numbers = means.to_polars().select("mean", "low", "high", "replicates")
            levels.append(labelled(pl.concat([self._conditions(), numbers], how="horizontal"), about))
            found = self.changes(**selection).to_polars().drop("row")
            sides = {
                side: [names[id].texts[place] for id, place in found.select("factor", side).iter_rows()]
                for side in ("first", "second")
            }
            changes.append(
                labelled(found.with_columns(**{name: pl.Series(texts) for name, texts in sides.items()}), about)
            )
        return {
            "conditions": conditions,
            "levels": pl.concat(levels),
            "changes": pl.concat(changes),
            "responses": self.view.campaign.tidy(period=None),
        }

    def conditions(self) -> pl.DataFrame:
        """Return the levels of each condition as text, and the numbers of its runs by status."""
        columns: dict[str, Any] = {"condition": range(1, len(self.levels) + 1)}
        columns |= {each.column: [each.texts[place] for place in each.place] for each in self.factors}
        table = pl.DataFrame(columns, schema_overrides={"condition": pl.Int64})
        return table.join(self.view.status, on="condition", how="left", maintain_order="left")

    def _conditions(self) -> pl.DataFrame:
        """Return the levels of each condition as text and as numbers."""
        columns: dict[str, Any] = {"condition": range(1, len(self.levels) + 1)}
        for each in self.factors:
            columns[each.column] = [each.texts[place] for place in each.place]
            numbers = each.numbers or [None] * len(each.texts)
            columns[each.number_column] = pl.Series([numbers[place] for place in each.place], dtype=pl.Float64)
        return pl.DataFrame(columns, schema_overrides={"condition": pl.Int64})


def is_count(each: FactorLevels) -> bool:
    """Return True for a factor that sets how many entries a list has, such as a number of flows."""
    return each.factor.path == "flows" or each.factor.path.endswith("].count")


def title_of(each: FactorLevels) -> str:
    """Return the name of a factor as it stands in a sentence."""
    name = uncapitalised(each.factor.name)
    return "flows" if is_count(each) and not name.endswith("s") else name


def axis_of(each: FactorLevels) -> str:
    """Return the title of an axis of a factor: its name, and the unit of its numbers."""
    name = each.factor.name[:1].upper() + each.factor.name[1:]
    return f"{name}, {each.unit}" if each.unit else name
