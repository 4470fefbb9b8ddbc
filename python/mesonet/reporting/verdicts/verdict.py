"""Deployment verdicts: the changes for the worse if an algorithm replaced the incumbent.

Two questions, as far as the experiment can answer them (the terms follow RFC 9743, section 5.2, on whether a newcomer
does harm). What if the incumbent were replaced? What happens to the flows that keep the incumbent and compete with the
newcomer? A verdict is evidence, not certification. It has its margin, an interval for every quantity, and the smallest
harm that the experiment could have detected. "No harm seen" needs the upper end of the interval and the smallest
detectable harm to be at most the margin.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.analysis import separating_settings
from mesonet.analysis.means import finite_mean
from mesonet.analysis.sign_test import sign_test
from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS, NEGLIGIBLE
from mesonet.reporting.campaign_view.explicit_flows import explicit_flows, throughputs
from mesonet.reporting.campaign_view.flow_groups import OWN, TCP, group_labels, group_values, has_groups
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.values import INCUMBENT, factor_title, level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.noise import chance_of_conditions, error_of_mean, replicated_runs

Floats = NDArray[np.float64]

WORSE, MIXED, UNCLEAR, NO_HARM, NOT_JUDGED = (
    "worse", "worse in some conditions", "cannot tell", "no harm seen", "not judged",
)  # fmt: skip
#: Harm in % of the incumbent's value from which a change is not acceptable (chosen).
MARGIN = 10.0
#: Mean round trips in progress from which flows of a kind are long: slow start from 2 to 43 segments takes five of
#: them, so that most of the time is left for competition. Without long flows harm is never excluded.
LONG_ROUND_TRIPS = 20
#: Probability of finding the smallest visible harm.
POWER = 0.8
#: Smallest part of the conditions with enough flows of a kind of file, for the kind to be compared.
ENOUGH = 0.5


@dataclass(frozen=True)
class Quantity:
    """Quantity that is better high or better low. Values have the shape (conditions, algorithms)."""

    name: str
    title: str  #: for use in a sentence
    lower_is_better: bool
    least: float  #: values up to this are too small to be compared
    values: Floats
    reference: NDArray[np.intp]  #: per condition, the place of the algorithm to compare with
    runs: Floats | None  #: shape (conditions, algorithms, replicates); None if no run is replicated
    logarithmic: bool = False  #: True if all conditions have equal weight: values and runs are logarithms
    of_long_flows: bool = True  #: False for the throughput of short flows

    @property
    def sign(self) -> int:
        """1 if more is worse, -1 if less is worse."""
        return 1 if self.lower_is_better else -1

    def pair(self, here: int) -> tuple[Floats, Floats]:
        """Return the values of one algorithm and of the reference, over the replicates that both have.

        Two arrays of the shape (conditions,). `here`: place of the algorithm, from 0.
        """
        rows = np.arange(len(self.values))
        values = np.stack([self.values[rows, place] for place in (here, self.reference)])
        if self.runs is not None:
            # A replicate of only one of them would add the part of the noise that cancels in pairs.
            runs = np.stack([self.runs[rows, place] for place in (here, self.reference)])
            common = finite_mean(np.stack(self.paired_runs(here)), axis=2)
            values = np.where(np.isfinite(common), common + (values - finite_mean(runs, axis=2)), values)
        return values[0], values[1]

    def paired_runs(self, here: int) -> tuple[Floats, Floats]:
        """Return the runs of one algorithm and of the reference, replicate by replicate.

        Two arrays of the shape (conditions, replicates), NaN where either has no value; without columns if no run is
        replicated. `here`: place of the algorithm, from 0.
        """
        if self.runs is None:
            return np.empty((len(self.values), 0)), np.empty((len(self.values), 0))
        own, other = self.runs[:, here], self.runs[np.arange(len(self.runs)), self.reference]
        both = np.isfinite(own) & np.isfinite(other)
        return np.where(both, own, np.nan), np.where(both, other, np.nan)


@dataclass(frozen=True)
class HarmfulLevel:
    """The level of one factor at which a quantity is worse more often than at the other."""

    here: str  #: the factor and its level, in words
    there: str  #: the other level
    worse: int  #: conditions at this level in which the quantity is worse
    compared: int  #: conditions at this level
    worse_at_other: int  #: conditions at the other level in which the quantity is worse
    compared_at_other: int  #: conditions at the other level


@dataclass(frozen=True)
class Part:
    """The conditions at one level of a factor, in which a quantity is worse by more than the margin in the mean."""

    level: str  #: the factor and its level, in words
    conditions: int
    mean: float  #: relative to the reference, in %
    low: float  #: interval of the harm, in %: 95 % for all quantities and levels of an algorithm together
    high: float  #: upper end


@dataclass(frozen=True)
class Change:
    """Change of a quantity under an algorithm against the reference."""

    response: str
    title: str
    mean: float  #: over the conditions that both have, relative to the mean of the reference, in %
    harm: float  #: the mean, in %, positive if it is for the worse
    certain: bool  #: True if the interval, and without replicates a sign test over the conditions, excludes chance
    worse: int  #: conditions in which it is worse by more than margin and noise
    better: int  #: conditions in which it is better by more than margin and noise
    unclear: int  #: conditions in which it is worse by more than the margin, but not by more than the noise
    compared: int  #: conditions that both have
    missing: int  #: conditions of the reference that the algorithm lacks; if none has both, conditions that have one
    lower_is_better: bool
    replicated: bool = False  #: True if the interval follows from replicates, False if from the scatter of conditions
    low: float = 0.0  #: interval of `harm`, in %: 95 % for all quantities of an algorithm together
    high: float = 0.0  #: upper end
    visible: float = 0.0  #: smallest harm, in %, that would have been found with the probability `POWER`
    dominant: tuple[int, float] | None = None  #: condition with most of the sum of the reference, and its share in %
    settings: HarmfulLevel | None = None  #: the level at which it is worse, if a factor separates these conditions
    part: Part | None = None  #: the level at which it is worst, if it is harmful there and not over all conditions

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of `mean`, in %. Responses are not negative, so that none falls by more than 100 %."""
        low, high = (self.low, self.high) if self.lower_is_better else (-self.high, -self.low)
        return max(-100.0, low), high

    @property
    def is_harmful(self) -> bool:
        """True if the quantity is worse by more than the margin in the mean, and not by chance."""
        return self.harm > MARGIN and self.low > 0 and self.certain

    @property
    def is_excluded(self) -> bool:
        """True if harm beyond the margin in the mean can be excluded, and would have been detected."""
        return self.high <= MARGIN and self.visible <= MARGIN

    @property
    def is_harmless(self) -> bool:
        """True if harm is excluded, and no single condition looks worse by more than the margin."""
        return self.is_excluded and not (self.worse or self.unclear or self.part)


@dataclass(frozen=True)
class Verdict:
    """Verdict on an algorithm, with the changes behind it."""

    algorithm: str
    verdict: str  #: `WORSE`, `MIXED`, `UNCLEAR`, `NO_HARM` or `NOT_JUDGED`
    changes: tuple[Change, ...]
    short_only: bool = False  #: True if only short flows were compared, so that nothing can be excluded
    without_throughput: bool = False  #: True if explicit flows were not compared, so that nothing can be excluded


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
    of_flows = _of_explicit_flows(view, place)
    quantities = [*(_response(view, name, place) for name in judged(view)), *of_flows]
    found = [_verdict(view, name, quantities) for name in view.algorithms if name != reference]
    if not explicit_flows(view):
        return found
    names = {quantity.name for quantity in of_flows}
    return [
        each
        if any(change.compared for change in each.changes if change.response in names)
        else _without_exclusion(each, without_throughput=True)
        for each in found
    ]


def judged(view: CampaignView) -> list[str]:
    """Return the responses at a glance that are better high or better low, and large enough to be compared."""
    left_out = {*without_values(view), *too_small(view)}
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
    quantities = _throughputs(view, other)
    found = [_verdict(view, name, quantities) for name in view.algorithms if name != other] if quantities else []
    if not any(quantity.of_long_flows for quantity in quantities):
        found = [_without_exclusion(each, short_only=True) for each in found]
    return found


def _without_exclusion(verdict: Verdict, **why: Any) -> Verdict:
    """Return a verdict without the important quantity: harm was seen, or nothing was judged."""
    return verdict if verdict.verdict in (WORSE, MIXED) else replace(verdict, verdict=NOT_JUDGED, **why)


def _of_explicit_flows(view: CampaignView, reference: int) -> list[Quantity]:
    """Return the throughputs of the explicit flows of a campaign without users."""
    axes = {"condition": view.conditions, "algorithm": view.algorithms, "replicate": view.replicates}
    places = np.full(len(view.conditions), reference)
    return [
        Quantity(
            name=title,
            title=title,
            lower_is_better=False,
            least=0.0,
            values=finite_mean(filled(rows, axes), axis=2),
            reference=places,
            runs=replicated_runs(view, rows),
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
        least=_least(view, name),
        values=view.values(name, period),
        reference=np.full(len(view.conditions), reference),
        runs=replicated_runs(view, rows),
    )


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
            rows.filter((pl.col("category") == category) & (pl.col(measure) > 0))
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
                least=-np.inf,
                values=own,
                reference=reference,
                runs=replicated_runs(view, runs),
                logarithmic=True,
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


def _verdict(view: CampaignView, algorithm: str, quantities: list[Quantity]) -> Verdict:
    here = view.algorithms.index(algorithm)
    changes = [change for each in quantities if (change := _change(view, each, here, len(quantities))) is not None]
    return Verdict(algorithm, _word(changes), tuple(changes))


def _change(view: CampaignView, quantity: Quantity, here: int, means: int) -> Change | None:
    """Return the change of a quantity; None if neither algorithm has a value.

    `means` is the number of means that are compared for the algorithm: all intervals hold together.
    """
    own, other = quantity.pair(here)
    both = np.isfinite(own) & np.isfinite(other)
    missing = int((np.isfinite(other) & ~np.isfinite(own)).sum())
    if not both.any():
        one = int((np.isfinite(other) | np.isfinite(own)).sum())
        if not one:
            return None
        return Change(
            response=quantity.name,
            title=quantity.title,
            mean=0.0,
            harm=0.0,
            certain=True,
            worse=0,
            better=0,
            unclear=0,
            compared=0,
            missing=one,
            lower_is_better=quantity.lower_is_better,
        )
    relative = _relative(quantity, own, other, both)
    sign = quantity.sign
    found = _interval(quantity, here, both, means)
    harm, certain = sign * found.mean, found.certain or found.exact
    beyond = _beyond_noise(quantity, here, both, means)
    for_worse, for_better = sign * relative > MARGIN, sign * relative < -MARGIN
    worse = for_worse & beyond
    return Change(
        response=quantity.name,
        title=quantity.title,
        mean=found.mean,
        harm=harm,
        certain=certain,
        worse=int(worse.sum()),
        better=int((for_better & beyond).sum()),
        unclear=int((for_worse & ~beyond).sum()),
        compared=int(both.sum()),
        missing=missing,
        lower_is_better=quantity.lower_is_better,
        replicated=found.replicated,
        low=found.low,
        high=found.high,
        visible=found.visible,
        dominant=_dominant(quantity, other, both),
        settings=_settings(view, worse, both),
        part=None if harm > MARGIN and found.low > 0 and certain else _worst_part(view, quantity, here, both, means),
    )


@dataclass(frozen=True)
class _Interval:
    """The mean change over some conditions and its interval, in % of the reference."""

    mean: float
    low: float  #: of the harm
    high: float
    visible: float  #: smallest harm that would have been found with the probability `POWER`
    exact: bool  #: True if there is no noise
    replicated: bool  #: True if the error comes from replicates, False if conditions are taken as a sample
    certain: bool  #: True if the interval, and without replicates a sign test, excludes chance


def _interval(quantity: Quantity, here: int, used: NDArray[np.bool_], comparisons: int) -> _Interval:
    """Return the mean change over some conditions; the error probability is 5 % for all comparisons together."""
    own, other = quantity.pair(here)
    sign = quantity.sign
    difference, error, freedom, scale, replicated = _mean_difference(quantity, here, own, other, used)
    width = visible = 0.0
    if error > 0:
        width = float(stats.t.ppf(1 - 0.025 / max(1, comparisons), freedom)) * error
        visible = width + float(stats.t.ppf(POWER, freedom)) * error
    mean, *ends = (_percent(quantity, difference + step, scale) for step in (0.0, -width, width))
    low, high = sorted(sign * end for end in ends)
    # Few conditions may dominate a mean: without replicates, most conditions must also differ to one side.
    most = replicated or _one_sided((own - other)[used], comparisons)
    seen = abs(_percent(quantity, sign * visible, scale))
    return _Interval(
        mean=mean,
        low=low,
        high=high,
        visible=seen,
        exact=error == 0,
        replicated=replicated,
        certain=bool((low > 0 or high < 0) and most),
    )


def _beyond_noise(quantity: Quantity, here: int, both: NDArray[np.bool_], comparisons: int) -> NDArray[np.bool_]:
    """Return the conditions in which the difference exceeds the noise.

    Each condition has its own paired t test. The false discovery rate over the conditions is 5 % for all comparisons
    together (Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57, 1995): if
    nothing differs, this is the probability that at least one condition counts. Without replicates, a sign test decides
    about all conditions.
    """
    if quantity.runs is None:
        own, other = quantity.pair(here)
        return both & _one_sided((own - other)[both], comparisons)
    own, other = quantity.paired_runs(here)
    chance = chance_of_conditions(own - other)
    found = both & np.isfinite(chance)
    if found.any():
        found[found] = stats.false_discovery_control(chance[found]) < 0.05 / max(1, comparisons)
    return found


def _worst_part(view: CampaignView, quantity: Quantity, here: int, both: NDArray[np.bool_], means: int) -> Part | None:
    """Return the level of a factor at which the quantity is harmful, and most so; None if it is at no level."""
    design = view.campaign.design
    sign = quantity.sign
    found: list[tuple[float, Part]] = []
    for place, factor in enumerate(design.factors):
        for level in (-1, 1):
            used = both & (np.asarray(design.matrix)[:, place] == level)
            if used.sum() < 2:
                continue
            seen = _interval(quantity, here, used, means * 2 * len(design.factors))
            harm = sign * seen.mean
            if harm > MARGIN and seen.certain:
                at = _at_level(view, factor, level)
                found.append((harm, Part(at, int(used.sum()), seen.mean, seen.low, seen.high)))
    return max(found, key=lambda each: each[0])[1] if found else None


def _dominant(quantity: Quantity, other: Floats, both: NDArray[np.bool_]) -> tuple[int, float] | None:
    """Return the condition that makes more than half of the sum over at least three conditions, and its share in %."""
    whole = float(np.abs(other[both]).sum())
    if quantity.logarithmic or both.sum() < 3 or not whole:
        return None
    most = int(np.argmax(np.where(both, np.abs(other), -1.0)))
    share = 100 * abs(float(other[most])) / whole
    return (most + 1, share) if share > 50 else None


def _relative(quantity: Quantity, own: Floats, other: Floats, both: NDArray[np.bool_]) -> Floats:
    """Return the change in each condition, in %; 0 where values are too small to be compared."""
    with np.errstate(all="ignore"):
        if quantity.logarithmic:
            return np.where(both, 100 * np.expm1(own - other), 0.0)
        large = np.maximum(np.abs(own), np.abs(other)) > quantity.least
        relative = np.where(other != 0, 100 * (own - other) / np.abs(other), np.sign(own - other) * np.inf)
        return np.where(both & large & (own != other), relative, 0.0)


def _mean_difference(
    quantity: Quantity, here: int, own: Floats, other: Floats, both: NDArray[np.bool_]
) -> tuple[float, float, float, float, bool]:
    """Return the difference of the means, its standard error, degrees of freedom, and the mean of the reference.

    The difference is related to the last of these, which is 0 if both means are too small to be compared. The error is
    about the ratio of both means (ratio estimator; W. G. Cochran, Sampling Techniques, section 6.4). It comes from
    replicates if every condition has at least two (section 6.11, conditions as strata). Otherwise the conditions are
    taken as a sample of networks. The last item is True if the error comes from replicates.
    """
    n = int(both.sum())
    means = float(own[both].mean()), float(other[both].mean())
    difference = means[0] - means[1]
    if not quantity.logarithmic and (not means[1] or max(means) <= quantity.least):
        return 0.0, 0.0, float(n), 0.0, quantity.runs is not None
    scale, ratio = (1.0, 1.0) if quantity.logarithmic else (abs(means[1]), means[0] / means[1])
    own_runs, other_runs = quantity.paired_runs(here)
    error, freedom = error_of_mean((own_runs - ratio * other_runs)[both])
    replicated = bool(np.isfinite(error))
    if not replicated:
        if n < 2:
            return difference, float("inf"), 1.0, scale, False
        error, freedom = float((own - ratio * other)[both].std(ddof=1) / np.sqrt(n)), n - 1.0
    tiny = 1e-9 * (float(np.abs(own[both]).max()) or 1.0)
    return difference, error if error > tiny else 0.0, freedom, scale, replicated


def _percent(quantity: Quantity, difference: float, scale: float) -> float:
    if quantity.logarithmic:
        return float(100 * np.expm1(difference))
    return float(100 * difference / scale) if scale else 0.0


def _settings(view: CampaignView, worse: NDArray[np.bool_], both: NDArray[np.bool_]) -> HarmfulLevel | None:
    """Return the level of the factor that separates the conditions best; None where none does so clearly."""
    design = view.campaign.design
    if not design.factors or not worse.any() or worse[both].all():
        return None
    found = separating_settings(design, worse, known=both)
    best = 0  # rows are sorted by p; of many factors, chance alone gives one a small p
    if not found.q[best] < 0.05 or not found.level[best]:
        return None
    minus = int(found.flagged_minus[best]), int(found.runs_minus[best])
    plus = int(found.flagged_plus[best]), int(found.runs_plus[best])
    factor, level = found.terms[best], int(found.level[best])
    here, there = (plus, minus) if level > 0 else (minus, plus)
    return HarmfulLevel(_at_level(view, factor, level), level_text(view, factor, -level), *here, *there)


def _at_level(view: CampaignView, factor: str, level: int) -> str:
    return f"{factor_title(view, factor)} at {level_text(view, factor, level)}"


def _one_sided(differences: Floats, comparisons: int) -> bool:
    """Return True if conditions differ to one side more often than chance explains.

    It is a two-sided sign test at 5 %, without ties, for all comparisons of an algorithm together (Bonferroni).
    """
    more, less = int((differences > 0).sum()), int((differences < 0).sum())
    return sign_test(more, less) < 0.05 / max(1, comparisons)


def _word(changes: list[Change]) -> str:
    if not changes:
        return NOT_JUDGED
    if any(change.is_harmful for change in changes):
        return WORSE
    if any(change.worse or change.part for change in changes):
        return MIXED
    if any(change.missing for change in changes):
        return NOT_JUDGED
    return NO_HARM if all(change.is_harmless for change in changes) else UNCLEAR
