"""Comparisons of a campaign: which two scenarios each verdict compares, and in which conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.campaign.ledger import UNTIL
from mesonet.errors import InputError
from mesonet.experiments.comparands import Choices, Pairs
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.grid import is_grid
from mesonet.reporting.campaign_view.values import DEPLOYED
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.quantities import Quantity

Floats = NDArray[np.float64]

REPLACEMENT, LEVEL, CAMPAIGN = "replacement", "level", "campaign"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two scenarios in pairs of conditions."""

    pairs: Pairs
    question: str  #: `REPLACEMENT` of the incumbent in equal conditions, `LEVEL` of a factor, or another `CAMPAIGN`
    view: CampaignView
    other: CampaignView  #: of the second scenario: the same campaign, or another

    @property
    def name(self) -> str:
        """The scenario in question."""
        return self.pairs.name

    @property
    def against(self) -> str:
        """The other scenario."""
        return self.pairs.against

    @property
    def places(self) -> tuple[int, int]:
        """Places of both algorithms, each in its campaign."""
        one, other = self.pairs.algorithms
        return self.view.algorithms.index(one), self.other.algorithms.index(other)

    def values(self, mine: Quantity, other: Quantity) -> tuple[Floats, Floats]:
        """Return the values of both sides, shape (pairs, replicates)."""
        here, there = self.places
        x = mine.runs[self.pairs.conditions[0], here]
        y = other.runs[self.pairs.conditions[1], there if other.reference is None else other.reference]
        return x[:, : y.shape[1]], y[:, : x.shape[1]]

    def has_both(self, mine: Quantity, other: Quantity) -> NDArray[np.bool_]:
        """Return True for each pair of conditions in which both sides have a value, in runs of equal replicates."""
        x, y = self.values(mine, other)
        return np.asarray(np.isfinite(x - y).any(axis=1))

    @property
    def shares_numbers(self) -> bool:
        """True if both runs of each pair have one seed, so that both meet the same random numbers."""
        sides = []
        for view, algorithm, conditions in zip(
            (self.view, self.other), self.pairs.algorithms, self.pairs.conditions, strict=True
        ):
            rows = view.campaign.runs.filter(pl.col("algorithm") == algorithm)
            seeds = dict(rows.filter(replicate=1).select("condition", "seed").iter_rows())
            sides.append([seeds.get(int(place) + 1) for place in conditions])
        return sides[0] == sides[1]


@cached
def comparisons(view: CampaignView) -> list[Comparison]:
    """Return the comparisons that the user asked for, else those of the experiment, else those with the incumbent."""
    own = choices(view)
    if view.compare:
        return [each for text in view.compare for each in _asked(view, own, text, "compare")]
    if view.beside is not None:
        return _of_campaigns(view, CampaignView(view.beside))
    if (asked := _asked_for(view)) is not None:
        if asked in view.algorithms:
            return [Comparison(pairs, REPLACEMENT, view, view) for pairs in own.against(asked)]
        return [Comparison(pairs, LEVEL, view, view) for pairs in own.against_level(asked)]
    if named := view.campaign.experiment.get("comparisons"):
        return [each for text in named for each in _asked(view, own, text, "comparisons")]
    reference = incumbent(view)
    if reference is not None:
        return [Comparison(pairs, REPLACEMENT, view, view) for pairs in own.against(reference)]
    level = own.no_deployment()
    return [Comparison(pairs, LEVEL, view, view) for pairs in own.against_level(level)] if level else []


def _asked_for(view: CampaignView) -> str | None:
    """Return the algorithm or level of the user, else of the rule of a campaign that ran until it was decided."""
    rule = view.campaign.experiment.get(UNTIL, {})
    return view.against if view.against is not None else rule.get("against") or None


def choices(view: CampaignView) -> Choices:
    """Return the algorithms, factors and conditions from which comparisons choose."""
    design = view.campaign.design
    if design.runs:
        return Choices(view.algorithms, view.campaign.factors, np.asarray(design.matrix, dtype=float))
    rows = view.campaign.rows
    return Choices(view.algorithms, view.campaign.factors, rows.matrix, rows.is_sampled)


def incumbent(view: CampaignView) -> str | None:
    """Return the algorithm that the others would replace.

    The choice of the user (`CampaignView.against`), else the first alternative of a model, else the algorithm that all
    are mixed with, else the algorithm of
    the campaign that is deployed most (`DEPLOYED`). None if it was not run by itself, or is the only algorithm.
    """
    wanted = wanted_incumbent(view)
    return wanted if wanted in view.algorithms and len(view.algorithms) > 1 else None


def wanted_incumbent(view: CampaignView) -> str:
    """Return the incumbent that verdicts would need, whether or not it was run.

    Of a model its first alternative, and of a grid its first algorithm if none is deployed widely.
    """
    if (asked := _asked_for(view)) in view.algorithms:
        return str(asked)
    if view.is_model:
        return view.algorithms[0]
    mixed = view.campaign.experiment.get("mixed_with")
    other = view.algorithms[0] if is_grid(view.campaign) else DEPLOYED[0]
    return str(mixed or next((name for name in DEPLOYED if name in view.algorithms), other))


def partners(view: CampaignView, condition: int) -> list[int]:
    """Return the other conditions with which comparisons of this campaign pair a condition."""
    found = []
    for each in comparisons(view):
        if each.question == LEVEL:
            for one, other in zip(*each.pairs.conditions, strict=True):
                found += [int(one) + 1, int(other) + 1] if condition - 1 in (one, other) else []
    return [number for number in dict.fromkeys(found) if number != condition]


def paired_runs(view: CampaignView) -> list[tuple[tuple[int, str], tuple[int, str]]]:
    """Return the pairs of runs of comparisons between levels: condition and algorithm of both, the other one first."""
    return [
        ((int(other) + 1, each.pairs.algorithms[1]), (int(one) + 1, each.pairs.algorithms[0]))
        for each in comparisons(view)
        if each.question == LEVEL
        for one, other in zip(*each.pairs.conditions, strict=True)
    ]


def _asked(view: CampaignView, own: Choices, text: str, path: str) -> list[Comparison]:
    try:
        one, other = own.comparison(text)
        question = LEVEL if one.levels else REPLACEMENT
        return [Comparison(pairs, question, view, view) for pairs in own.pairs(one, other)]
    except InputError as error:
        problem = view.vocabulary.text(error.problem)
        raise InputError(problem, None, path, error.value, error.allowed) from None


def _of_campaigns(view: CampaignView, other: CampaignView) -> list[Comparison]:
    """Return each algorithm of both campaigns, here against there, in the conditions of one number."""
    own, there = choices(view), choices(other)
    refused = {"path": "against", "value": str(other.campaign.path)}
    if [each.id for each in own.factors] != [each.id for each in there.factors]:
        raise InputError("its factors differ", **refused, allowed="a campaign with the same factors and conditions")
    if own.matrix.shape != there.matrix.shape or not np.allclose(own.matrix, there.matrix):
        raise InputError("its conditions differ", **refused, allowed="a campaign with the same conditions")
    shared = [name for name in view.algorithms if name in other.algorithms]
    if not shared:
        raise InputError("no algorithm of this campaign", **refused, allowed=f"one with {', '.join(view.algorithms)}")
    names = view.campaign.name, other.campaign.name
    if names[0] == names[1]:
        names = (f"{view.campaign.path.name} (this one)", other.campaign.path.name)
    alone = len(shared) == 1
    found = []
    for name in shared:
        (pairs,) = Choices((name, ""), own.factors, own.matrix, own.sampled).against("")
        both = names if alone else (f"{names[0]} ({name})", names[1])
        made = replace(pairs, name=both[0], against=both[1], algorithms=(name, name))
        found.append(Comparison(made, CAMPAIGN, view, other))
    return found
