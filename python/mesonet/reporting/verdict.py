"""The deployment verdict of each algorithm: what would change for the worse?

Two questions, as far as the experiment can answer them (the terms follow RFC 9743, section 5.2, which asks whether a
newcomer does harm): what if the algorithm in use now were replaced, and what happens to the flows that keep it and
compete with the newcomer? Evidence, not certification: a verdict carries the margin that it was made with, and says
whether replicates tell it from chance.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from mesonet.reporting.events import FEWEST_EVENTS, NEGLIGIBLE
from mesonet.reporting.noise import Noise, noise
from mesonet.reporting.space import OWN, TCP, group_labels, group_values, has_groups
from mesonet.reporting.study import INCUMBENT, LARGE, WHOLE, Study

Floats = NDArray[np.float64]

WORSE, MIXED, UNCLEAR, NO_HARM, NOT_JUDGED = (
    "worse", "worse in some conditions", "not told from chance", "no harm seen", "not judged",
)  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """Something that is better high or better low. Values have the shape (conditions, algorithms)."""

    name: str
    title: str  #: as it stands in a sentence
    lower_is_better: bool
    least: float  #: values up to this are too small to be compared
    values: Floats
    reference: NDArray[np.intp]  #: per condition the place of the algorithm to compare with
    noise: Noise | None  #: None where no run is replicated


@dataclass(frozen=True)
class Change:
    """How one quantity of an algorithm compares with the reference."""

    response: str
    title: str
    mean: float  #: over the conditions that both have, relative to the mean of the reference, in %
    harm: float  #: the same, positive where it is for the worse
    certain: bool  #: True if replicates, or without them a sign test over the conditions, tell it from chance
    worse: int  #: conditions in which it is worse by more than margin and noise
    better: int
    unclear: int  #: conditions in which it is worse by more than the margin, but not by more than the noise
    compared: int  #: conditions that both have
    missing: int  #: conditions that the reference has and the algorithm has not; if none has both, those that one has
    replicated: bool = False  #: True if replicates say how much chance alone makes values differ


@dataclass(frozen=True)
class Verdict:
    """What is said of one algorithm."""

    algorithm: str
    verdict: str
    changes: tuple[Change, ...]


def incumbent(study: Study) -> str | None:
    """The algorithm that the others would replace; None where it was not run by itself."""
    return INCUMBENT if INCUMBENT in study.algorithms and len(study.algorithms) > 1 else None


def verdicts(study: Study) -> list[Verdict]:
    """What if the incumbent were replaced? For every other algorithm; empty without one."""
    reference = incumbent(study)
    if reference is None:
        return []
    place = study.algorithms.index(reference)
    quantities = [_response(study, name, place) for name in judged(study)]
    return [_verdict(study, name, quantities) for name in study.algorithms if name != reference]


def judged(study: Study) -> list[str]:
    """The responses at a glance that are better high or better low, and have a value."""
    return [name for name in _directed(study) if np.isfinite(study.values(name, study.main_period)).any()]


def without_values(study: Study) -> list[str]:
    """The responses that would be judged, had any run a value of them."""
    known = judged(study)
    return [name for name in _directed(study) if name not in known]


def _directed(study: Study) -> list[str]:
    return [name for name in study.key_responses if study.responses[name].direction != "neutral"]


def competitor(study: Study) -> str | None:
    """The algorithm of the flows that compete with those of the algorithms under test, where their goodput was kept."""
    other = study.campaign.experiment.get("mixed_with")
    return str(other) if other and len(study.algorithms) > 1 and has_groups(study) else None


def harm_to_competitors(study: Study) -> list[Verdict]:
    """What happens to the flows that compete with each algorithm: their goodput by kind of file, against that of the
    same flows beside their own kind, or, where that was not run, beside the median algorithm of each condition."""
    other = competitor(study)
    if other is None:
        return []
    quantities = _goodputs(study, other)
    return [_verdict(study, name, quantities) for name in study.algorithms if name != other] if quantities else []


def _response(study: Study, name: str, reference: int) -> Quantity:
    about, period = study.responses[name], study.main_period
    rows = study.campaign.responses.filter((pl.col("response") == name) & (pl.col("period") == period))
    return Quantity(
        name,
        study.title_of(name),
        about.direction == "lower",
        # Shares so small that they are a handful of events say nothing in percent.
        NEGLIGIBLE if about.unit == "1" else 0.0,
        study.values(name, period),
        np.full(len(study.conditions), reference),
        noise(study, rows),
    )


def kinds_without_enough_flows(study: Study, other: str) -> list[str]:
    """Kinds of files of the flows of `other` whose goodput is in no condition that of enough flows to be compared."""
    known = {quantity.name for quantity in _goodputs(study, other)}
    kinds = dict.fromkeys(kind for kind, _, _ in group_labels(study).values())
    return [kind for kind in kinds if _name(other, kind) not in known]


def _name(other: str, category: str) -> str:
    return f"goodput of {other}, {category}"


def _goodputs(study: Study, other: str) -> list[Quantity]:
    """One per kind of file: goodput of the flows of `other`, mean over the flow groups that have enough of them."""
    labels, values = group_values(study, "goodput", TCP)
    if other in study.algorithms:
        # Where all flows are of one kind, all are their own competitors.
        place = study.algorithms.index(other)
        values[:, place] = group_values(study, "goodput", OWN)[1][:, place]
    rows = study.groups.filter(
        (pl.col("period") == WHOLE) & (pl.col("flow_algorithm") == other) & pl.col("group").is_not_null()
    )
    few = _groups_of_few(rows)
    rows = rows.join(few, on=["condition", "group"], how="anti", maintain_order="left")
    places_of = {number: place for place, number in enumerate(labels)}
    for condition, group in few.iter_rows():
        values[condition - 1, :, places_of[int(group)]] = np.nan
    kinds = group_labels(study)
    found = []
    for category in dict.fromkeys(kind for kind, _, _ in kinds.values()):
        places = [place for place, number in enumerate(labels) if kinds[number][0] == category]
        own = _over_groups(values[:, :, places])
        if not np.isfinite(own).any():
            continue
        runs = (
            rows.filter(pl.col("category") == category)
            .group_by("condition", "algorithm", "replicate", maintain_order=True)
            .agg(value=pl.col("goodput").mean())
        )
        reference = np.full(len(own), study.algorithms.index(other)) if other in study.algorithms else _median(own)
        found.append(
            Quantity(_name(other, category), f"{category} goodput", False, 0.0, own, reference, noise(study, runs))
        )
    return found


def _groups_of_few(rows: pl.DataFrame) -> pl.DataFrame:
    """condition, group: where beside some algorithm so few flows completed that their mean goodput is chance."""
    flows = rows.group_by("condition", "group", "algorithm").agg(pl.col("flows").sum())
    few = flows.filter((pl.col("flows") > 0) & (pl.col("flows") < FEWEST_EVENTS))
    return few.select("condition", "group").unique().sort("condition", "group")


def _over_groups(values: Floats) -> Floats:
    """Mean over the flow groups in which, in this condition, every algorithm that has any value has one."""
    there = np.isfinite(values)
    common = (there | ~there.any(axis=2, keepdims=True)).all(axis=1, keepdims=True) & there
    with np.errstate(all="ignore"):
        return np.asarray(np.where(common, values, 0).sum(axis=2) / common.sum(axis=2))


def _median(values: Floats) -> NDArray[np.intp]:
    """Per condition the place of the median algorithm, the lower one of two."""
    order = np.argsort(values, axis=1, kind="stable")  # NaN last
    known = np.isfinite(values).sum(axis=1)
    return np.asarray(np.take_along_axis(order, (np.maximum(known, 1)[:, None] - 1) // 2, axis=1)[:, 0])


def _verdict(study: Study, algorithm: str, quantities: list[Quantity]) -> Verdict:
    here = study.algorithms.index(algorithm)
    comparisons = sum(int(np.isfinite(quantity.values[:, here]).sum()) for quantity in quantities)
    if all(each.noise is None for each in quantities):
        comparisons = len(quantities)  # one sign test each, over all conditions
    changes = [change for each in quantities if (change := _change(each, here, comparisons)) is not None]
    return Verdict(algorithm, _word(changes), tuple(changes))


def _change(quantity: Quantity, here: int, comparisons: int) -> Change | None:
    """None where neither has a value."""
    rows = np.arange(len(quantity.values))
    own, other = quantity.values[:, here], quantity.values[rows, quantity.reference]
    both = np.isfinite(own) & np.isfinite(other)
    missing = int((np.isfinite(other) & ~np.isfinite(own)).sum())
    replicated = quantity.noise is not None
    if not both.any():
        one = int((np.isfinite(other) | np.isfinite(own)).sum())
        return Change(quantity.name, quantity.title, 0.0, 0.0, True, 0, 0, 0, 0, one, replicated) if one else None
    with np.errstate(all="ignore"):
        large = np.maximum(np.abs(own), np.abs(other)) > quantity.least
        relative = np.where(other != 0, 100 * (own - other) / np.abs(other), np.sign(own - other) * np.inf)
        relative = np.where(both & large & (own != other), relative, 0.0)
    means = own[both].mean(), other[both].mean()
    mean = 100 * (means[0] - means[1]) / abs(means[1]) if means[1] and max(means) > quantity.least else 0.0
    beyond, certain = both, True
    if quantity.noise is not None:
        width = quantity.noise.of_difference(here, quantity.reference, comparisons)
        with np.errstate(invalid="ignore"):
            beyond = np.abs(own - other) > width  # never where the noise is not known
        certain = abs(means[0] - means[1]) > quantity.noise.of_mean_difference(here, quantity.reference, both)
    else:
        certain = _one_sided(own[both] - other[both], comparisons)
        beyond = both & certain
    sign = 1 if quantity.lower_is_better else -1
    for_worse, for_better = sign * relative > LARGE, sign * relative < -LARGE
    return Change(
        quantity.name, quantity.title, float(mean), float(sign * mean), bool(certain),
        int((for_worse & beyond).sum()), int((for_better & beyond).sum()), int((for_worse & ~beyond).sum()),
        int(both.sum()), missing, replicated,
    )  # fmt: skip


def _one_sided(differences: Floats, comparisons: int) -> bool:
    """Whether conditions differ to one side more often than chance explains: a two-sided sign test at 5 %, ties left
    out, for all comparisons of an algorithm together (Bonferroni)."""
    more, less = int((differences > 0).sum()), int((differences < 0).sum())
    return more + less > 0 and bool(stats.binomtest(more, more + less).pvalue < 0.05 / max(1, comparisons))


def _word(changes: list[Change]) -> str:
    if not changes:
        return NOT_JUDGED
    if any(change.harm > LARGE and change.certain for change in changes):
        return WORSE
    if any(change.worse for change in changes):
        return MIXED
    if any(change.missing for change in changes):
        return NOT_JUDGED
    return UNCLEAR if any(change.unclear or change.harm > LARGE for change in changes) else NO_HARM
