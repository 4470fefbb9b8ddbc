"""Deployment verdicts: the changes if an algorithm replaced the incumbent, for the worse and for the better.

Two questions, as far as the experiment can answer them (the terms follow RFC 9743, section 5.2, on whether a newcomer
does harm). What if the incumbent were replaced? What happens to the flows that keep the incumbent and compete with the
newcomer? A verdict is evidence, not certification. `mesonet.analysis.decide` judges each quantity, in pairs of runs
with equal random numbers. This file has the quantities, and the words for the levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis import Decision, decide, needed
from mesonet.analysis.decisions.decision import AT_MARGIN, BETTER, CANNOT_TELL, DEPENDS, NO_WORSE, WORSE
from mesonet.analysis.decisions.estimands import GROUP, Estimand
from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS, NEGLIGIBLE, level_without_ratio
from mesonet.reporting.campaign_view.explicit_flows import explicit_flows, throughputs
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP, group_labels, group_values, has_groups
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.values import INCUMBENT, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.words import number

Floats = NDArray[np.float64]

NOT_JUDGED = "not judged"
#: Change in % of the incumbent's value that counts (chosen).
MARGIN = 10.0
#: Mean round trips in progress from which flows of a kind are long: slow start from 2 to 43 segments takes five of
#: them, so that most of the time is left for competition. Without long flows harm is never excluded.
LONG_ROUND_TRIPS = 20
#: Part of the mean that is added to both values where one is 0 and the unit has no such level (chosen: a value of 0 is
#: then a change by a factor of 100, and no infinite one).
LEAST_OF_MEAN = 0.01
#: Smallest part of the conditions with enough flows of a kind of file, for the kind to be compared.
ENOUGH = 0.5


@dataclass(frozen=True)
class Quantity:
    """Quantity that is better high or better low. Runs have the shape (conditions, algorithms, replicates)."""

    name: str
    title: str  #: for use in a sentence
    lower_is_better: bool
    runs: Floats  #: NaN where a run has no value
    reference: NDArray[np.intp]  #: per condition, the place of the algorithm to compare with
    floor: float = 0.0  #: level that is added to both values, so that values near 0 have no ratio
    of_long_flows: bool = True  #: False for the throughput of short flows

    def pairs(self, here: int) -> tuple[Floats, Floats]:
        """Return the runs of one algorithm and of the reference, shape (conditions, replicates). `here`: from 0."""
        return self.runs[:, here], self.runs[np.arange(len(self.runs)), self.reference]


@dataclass(frozen=True)
class Part:
    """Change in the conditions at a level of a factor, of two factors, or of the quantity itself."""

    level: str  #: factors and their levels, in words
    conditions: int
    mean: float  #: geometric mean relative to the reference, in %
    low: float  #: interval of `mean`, in %
    high: float


@dataclass(frozen=True)
class Change:
    """Change of a quantity under an algorithm against the reference. Conditions have equal weights."""

    response: str
    title: str
    lower_is_better: bool
    verdict: str  #: worse, better, no worse, depends, at the margin, cannot tell, or `NOT_JUDGED`
    why: str  #: reason for `cannot tell`; empty otherwise
    mean: float  #: geometric mean over the conditions that both have, relative to the reference, in %
    low: float  #: interval of `mean`, in %: all quantities and levels of an algorithm hold together with 95 %
    high: float
    own: float  #: mean over these conditions, in the unit of the response
    reference: float  #: mean of the reference
    weighted: float  #: change of the mean over the conditions, in %: conditions with large values rule it
    possible: float  #: largest harm, in %, that is not excluded: overall, at levels, and in cells beyond the margin
    worse: int  #: conditions in which it is worse by more than the margin, by chance or not
    better: int
    compared: int  #: conditions that both have
    missing: int  #: conditions that only one of both has
    replicated: bool  #: True if the interval follows from replicates, False if from the scatter of conditions
    harmful: bool = False  #: True if it is worse overall, at a level or in a cell of two factors
    depends_on: str = ""  #: factors in words
    beyond: Part | None = None  #: conditions with a change beyond the margin, if it depends
    within: Part | None = None  #: conditions in which such a change is excluded
    replicates: int = 0  #: further replicates that would settle it, if the means stayed as they are; 0: not known
    conditions: int = 0  #: conditions that need these replicates

    @property
    def harm(self) -> float:
        """The mean, in %, positive if it is for the worse."""
        return self.mean if self.lower_is_better else -self.mean


@dataclass(frozen=True)
class Verdict:
    """Verdict on an algorithm, with the changes behind it."""

    algorithm: str
    verdict: str  #: worse, better, no worse, depends, at the margin, cannot tell, or `NOT_JUDGED`
    changes: tuple[Change, ...]
    short_only: bool = False  #: True if only short flows were compared, so that nothing can be excluded
    without_throughput: bool = False  #: True if explicit flows were not compared, so that nothing can be excluded

    @property
    def split(self) -> Change | None:
        """Change that depends on a factor and is largest where it does, harm first; None without one."""
        found = [change for change in self.changes if change.beyond]
        return max(found, key=lambda c: (c.harmful, abs(c.beyond.mean) if c.beyond else 0.0), default=None)

    @property
    def words(self) -> str:
        """The verdict, and the factors on which it depends."""
        on = self.split if self.verdict == DEPENDS else None
        return f"{self.verdict} on {on.depends_on}" if on else self.verdict


def incumbent(view: CampaignView) -> str | None:
    """Return the algorithm that the others would replace.

    The choice of the user (`CampaignView.against`), else the algorithm that all are mixed with, else standard TCP. None
    if it was not run by itself, or is the only algorithm.
    """
    wanted = wanted_incumbent(view)
    return wanted if wanted in view.algorithms and len(view.algorithms) > 1 else None


def wanted_incumbent(view: CampaignView) -> str:
    """Return the incumbent that verdicts would need, whether or not it was run."""
    return str(view.against or view.campaign.experiment.get("mixed_with") or INCUMBENT)


def verdicts(view: CampaignView) -> list[Verdict]:
    """Return the verdict on each algorithm as a replacement of the incumbent."""
    reference = incumbent(view)
    if reference is None:
        return []
    place = view.algorithms.index(reference)
    found = [_verdict(view, name, quantities(view, place)) for name in view.algorithms if name != reference]
    if not explicit_flows(view):
        return found
    names = {quantity.name for quantity in _of_explicit_flows(view, place)}
    return [
        each
        if any(change.compared for change in each.changes if change.response in names)
        else _without_exclusion(each, without_throughput=True)
        for each in found
    ]


def quantities(view: CampaignView, reference: int, names: Sequence[str] | None = None) -> list[Quantity]:
    """Return the quantities that are judged.

    `reference`: place of the algorithm to compare with, from 0. `names`: the responses; None: `judged`.
    """
    responses = judged(view) if names is None else names
    return [*(_response(view, name, reference) for name in responses), *_of_explicit_flows(view, reference)]


def judged(view: CampaignView) -> list[str]:
    """Return the responses at a glance that are better high or better low, and have values that form ratios."""
    left_out = {*without_values(view), *too_small(view), *negative(view)}
    return [name for name in _directed(view) if name not in left_out]


def without_values(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but have no value in any run."""
    return [name for name in _directed(view) if not np.isfinite(view.values(name, view.main_period)).any()]


def too_small(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but are at most `NEGLIGIBLE` (shares) or 0 in all conditions."""
    found = []
    for name in _directed(view):
        values = view.values(name, view.main_period)
        known = values[np.isfinite(values)]
        if len(known) and known.max() <= _least(view, name):
            found.append(name)
    return found


def negative(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but have a value below 0: relative changes have no meaning."""
    return [name for name in _directed(view) if (view.values(name, view.main_period) < 0).any()]


def _least(view: CampaignView, name: str) -> float:
    # A share that counts very few events has no meaningful change in percent.
    return NEGLIGIBLE if view.responses[name].unit == "1" else 0.0


def _directed(view: CampaignView) -> list[str]:
    return [name for name in view.key_responses if view.responses[name].direction != "neutral"]


def competitor(view: CampaignView) -> str | None:
    """Return the algorithm whose flows compete with the algorithms under test.

    Name of the algorithm; None if there is none, if there is only one algorithm, or if flow groups were not kept.
    """
    other = view.campaign.experiment.get("mixed_with")
    return str(other) if other and len(view.algorithms) > 1 and has_groups(view.campaign) else None


def harm_to_competitors(view: CampaignView) -> list[Verdict]:
    """Return the verdict on each algorithm as a competitor of other flows: their throughput by kind of file.

    These flows are compared with the same flows when they compete with flows of their own kind. If this was not run,
    they are compared with the same flows when they compete with the median algorithm of each condition.
    """
    other = competitor(view)
    if other is None:
        return []
    flows = _throughputs(view, other)
    found = [_verdict(view, name, flows) for name in view.algorithms if name != other] if flows else []
    if not any(quantity.of_long_flows for quantity in flows):
        found = [_without_exclusion(each, short_only=True) for each in found]
    return found


def _without_exclusion(verdict: Verdict, **why: Any) -> Verdict:
    """Return a verdict without the important quantity: harm was seen, or nothing was judged."""
    if any(change.harmful for change in verdict.changes):
        return verdict
    return replace(verdict, verdict=NOT_JUDGED, **why)


def _of_explicit_flows(view: CampaignView, reference: int) -> list[Quantity]:
    """Return the throughputs of the explicit flows of a campaign without users."""
    places = np.full(len(view.conditions), reference)
    return [
        Quantity(
            name=title,
            title=title,
            lower_is_better=False,
            runs=_runs(view, rows),
            reference=places,
        )
        for title, rows in throughputs(view).items()
    ]


def _response(view: CampaignView, name: str, reference: int) -> Quantity:
    about, period = view.responses[name], view.main_period
    rows = view.campaign.responses.filter((pl.col("response") == name) & (pl.col("period") == period))
    return Quantity(
        name=name,
        title=view.title_of(name),
        lower_is_better=about.direction == "lower",
        runs=_runs(view, rows),
        reference=np.full(len(view.conditions), reference),
        floor=level_without_ratio(about.unit, view.campaign.experiment, period),
    )


def _runs(view: CampaignView, rows: pl.DataFrame) -> Floats:
    """Return the values of all runs of the conditions, shape (conditions, algorithms, replicates).

    `rows`: columns condition, algorithm, replicate and value. Centre points are left out.
    """
    known = rows.filter(pl.col("value").is_finite() & (pl.col("condition") <= len(view.conditions)))
    axes = {"condition": view.conditions, "algorithm": view.algorithms, "replicate": view.replicates}
    return filled(known, axes)


def kinds_without_enough_flows(view: CampaignView, other: str) -> list[str]:
    """Return the kinds of files for which the flows of an algorithm were too few to be compared."""
    known = {quantity.name for quantity in _throughputs(view, other)}
    kinds = dict.fromkeys(kind for kind, _, _ in group_labels(view.campaign).values())
    return [kind for kind in kinds if _name(other, kind) not in known]


def _name(other: str, category: str) -> str:
    return f"throughput of {other}, {category}"


def _throughputs(view: CampaignView, other: str) -> list[Quantity]:
    """Return one quantity per kind of file: the throughput of the flows of `other`.

    The throughput counts flows while they are in progress, whether or not they complete. It is a mean over the flow
    groups that have enough flows. Older campaigns have only the goodput of the flows that completed.
    """
    measure = "throughput" if "throughput" in view.groups.columns else "goodput"
    labels, values = list(group_labels(view.campaign)), group_values(view.campaign, measure, TCP)
    if other in view.algorithms:
        # If all flows are of one kind, all compete with their own kind.
        place = view.algorithms.index(other)
        values[:, place] = group_values(view.campaign, measure, OWN)[:, place]
    rows = view.groups.filter(
        (pl.col("period") == WHOLE) & (pl.col("flow_algorithm") == other) & pl.col("group").is_not_null()
    )
    few = _groups_of_few(rows)
    rows = rows.join(few, on=["condition", "group"], how="anti", maintain_order="left")
    places_of = {number: place for place, number in enumerate(labels)}
    for condition, group in few.iter_rows():
        values[condition - 1, :, places_of[int(group)]] = np.nan
    kinds = group_labels(view.campaign)
    found = []
    for category in dict.fromkeys(kind for kind, _, _ in kinds.values()):
        places = [place for place, number in enumerate(labels) if kinds[number][0] == category]
        with np.errstate(all="ignore"):
            own = _over_groups(np.log(values[:, :, places]))
        if np.isfinite(own).all(axis=1).mean() < ENOUGH:
            continue
        runs = (
            _common_groups(rows.filter((pl.col("category") == category) & (pl.col(measure) > 0)))
            .group_by("condition", "algorithm", "replicate", maintain_order=True)
            .agg(value=pl.col(measure).log().mean())
        )
        reference = np.full(len(own), view.algorithms.index(other)) if other in view.algorithms else _median(own)
        title, name = f"{category} {measure}", _name(other, category)
        long = _is_long(view, rows.filter(pl.col("category") == category))
        found.append(
            Quantity(
                name=name,
                title=title,
                lower_is_better=False,
                runs=np.exp(_runs(view, runs)),
                reference=reference,
                of_long_flows=long,
            )
        )
    return found


def _is_long(view: CampaignView, rows: pl.DataFrame) -> bool:
    """Return True if flows were in progress for enough round trips, in the median condition."""
    if "flow_seconds" not in rows.columns or "rtt" not in view.in_period.get(WHOLE, ()):
        return True  # earlier campaigns kept too little to decide
    sums = rows.group_by("condition").agg(pl.col("flow_seconds").sum(), pl.col("flows").sum()).sort("condition")
    round_trip = np.nanmean(view.values("rtt", WHOLE), axis=1)[sums["condition"].to_numpy() - 1] * 1e-3
    with np.errstate(all="ignore"):
        trips = sums["flow_seconds"].to_numpy() / np.maximum(sums["flows"].to_numpy(), 1) / round_trip
    return bool(np.nanmedian(trips) >= LONG_ROUND_TRIPS) if len(trips) else False


def _groups_of_few(rows: pl.DataFrame) -> pl.DataFrame:
    """Return condition and group of flow groups whose mean is chance: with some algorithm, too few flows were seen."""
    count = "flow_seconds" if "flow_seconds" in rows.columns else "flows"
    seen = rows.group_by("condition", "group", "algorithm").agg(pl.col(count).sum().alias("seen"))
    few = seen.filter((pl.col("seen") > 0) & (pl.col("seen") < FEWEST_EVENTS))
    return few.select("condition", "group").unique().sort("condition", "group")


def _common_groups(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of flow groups in which, in their condition, every algorithm that has any row has one."""
    algorithms = pl.col("algorithm").n_unique()
    every = algorithms.over("condition") == algorithms.over("condition", "group")
    return rows.filter(every)


def _over_groups(values: Floats) -> Floats:
    """Return the mean over the flow groups in which, in this condition, every algorithm that has any value has one."""
    there = np.isfinite(values)
    common = (there | ~there.any(axis=2, keepdims=True)).all(axis=1, keepdims=True) & there
    return finite_mean(np.where(common, values, np.nan), axis=2)


def _median(values: Floats) -> NDArray[np.intp]:
    """Return the place of the median algorithm in each condition, the lower of two."""
    order = np.argsort(values, axis=1, kind="stable")  # NaN last
    known = np.isfinite(values).sum(axis=1)
    return np.asarray(np.take_along_axis(order, (np.maximum(known, 1)[:, None] - 1) // 2, axis=1)[:, 0])


def _verdict(view: CampaignView, algorithm: str, compared: list[Quantity]) -> Verdict:
    here = view.algorithms.index(algorithm)
    changes = [change for each in compared if (change := _change(view, each, here, len(compared))) is not None]
    return Verdict(algorithm, _word(changes), tuple(changes))


def _change(view: CampaignView, quantity: Quantity, here: int, responses: int) -> Change | None:
    """Return the change of a quantity; None if neither algorithm has a value. `responses`: number of quantities."""
    x, y = quantity.pairs(here)
    if not (np.isfinite(x).any() or np.isfinite(y).any()):
        return None
    design = view.campaign.design
    found = decide(
        x,
        y,
        design=design if design.factors else None,
        margin=MARGIN / 100,
        atol=MARGIN / 100 * _floor(quantity.floor, x, y),
        more_is_better=not quantity.lower_is_better,
        responses=responses,
    )
    compared = int(found.by_condition.known.sum())
    more = needed(found)
    sides = [_part(view, found, place) for place in found.sides] if found.sides else [None, None]
    mean, low, high = _percents(found, 0)
    return Change(
        response=quantity.name,
        title=quantity.title,
        lower_is_better=quantity.lower_is_better,
        verdict=found.label if compared else NOT_JUDGED,
        why=found.why,
        mean=mean,
        low=low,
        high=high,
        own=found.x,
        reference=found.y,
        weighted=100 * found.weighted,
        possible=100 * found.harm_not_excluded,
        worse=len(found.worse_conditions),
        better=len(found.better_conditions),
        compared=compared,
        missing=found.missing,
        replicated=found.replicated,
        harmful=bool(found.is_worse.any()),
        depends_on=" and ".join(
            factor_title(view, each) if each in design.factors else each for each in found.depends_on
        ),
        beyond=sides[0],
        within=sides[1],
        replicates=more.replicates if more else 0,
        conditions=len(more.conditions) if more else 0,
    )


def _floor(floor: float, x: Floats, y: Floats) -> float:
    """Return the level that is added to both values: the level of the unit, or a little where a value is 0."""
    both = np.isfinite(x) & np.isfinite(y)
    if floor or not (both & ((x == 0) | (y == 0))).any():
        return floor
    return LEAST_OF_MEAN * float((x[both].mean() + y[both].mean()) / 2)


def _percents(found: Decision, place: int) -> tuple[float, float, float]:
    """Return the change of an estimand and the ends of its interval, in %."""
    ends = [100 * float(found.ratio_less_one(each[place])) for each in (found.mean, found.low, found.high)]
    return ends[0], min(ends[1:]), max(ends[1:])


def _part(view: CampaignView, found: Decision, place: int) -> Part:
    inside = found.estimands.members[place] & found.by_condition.known
    return Part(_level(view, found, found.estimands.each[place]), int(inside.sum()), *_percents(found, place))


def _level(view: CampaignView, found: Decision, each: Estimand) -> str:
    """Return the levels of an estimand in words."""
    if each.kind == GROUP:
        cuts = list(dict.fromkeys(other.levels[0] for other in found.estimands.each if other.kind == GROUP))
        level = number(found.own_levels[cuts.index(each.levels[0])])
        return f"a level {'above' if each.levels[1] > 0 else 'below'} {level}"
    named = zip(each.factors, each.levels, strict=True)
    return " and ".join(f"{factor_title(view, factor)} at {level_text(view, factor, level)}" for factor, level in named)


def _word(changes: list[Change]) -> str:
    """Return the verdict on all quantities: harm first, then what may be harm."""
    labels = {change.verdict for change in changes}
    if not changes:
        return NOT_JUDGED
    if found := next((label for label in (WORSE, DEPENDS) if label in labels), ""):
        return found
    if any(change.missing for change in changes):
        return NOT_JUDGED
    return next(label for label in (CANNOT_TELL, AT_MARGIN, BETTER, NO_WORSE) if label in labels)
