"""Quantities that verdicts judge: what users get first, then delays, losses, failures, and what others get.

A quantity has the values of all runs. The sides of a comparison choose from them, see
`mesonet.reporting.verdicts.comparisons`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mesonet.analysis.means import finite_mean
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.events import (
    DELAY_WITHOUT_RATIO,
    FEWEST_EVENTS,
    NEGLIGIBLE,
    SHARE_WITHOUT_RATIO,
    level_without_ratio,
)
from mesonet.reporting.campaign_view.explicit_flows import goodputs
from mesonet.reporting.campaign_view.flow_groups import (
    OWN,
    TCP,
    group_labels,
    group_values,
    groups_of_conditions,
    numbers_of_conditions,
)
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.responses.definitions import BY_NAME, SIZE_CLASSES
from mesonet.words import uncapitalised

Floats = NDArray[np.float64]

#: Whom or what a change concerns, in the order of the page.
USERS, DELAY, LOSS, FAILURES, OTHERS = "users", "delay", "loss", "failures", "others"
TOPICS = {
    USERS: "What users get", DELAY: "Delay", LOSS: "Loss", FAILURES: "Failed connections", OTHERS: "What others get",
}  # fmt: skip
#: Topics that users do not feel by themselves.
NETWORK = (DELAY, LOSS)
#: Responses that are judged, by topic.
JUDGED = {
    USERS: (
        "slowdown_mean", "slowdown_p95", "slowdown_p99", "goodput_dd", "goodput_nn", "flows_completed", "frames_late",
        "frame_delay_p95", "video_bitrate", "video_rebuffering",
    ),
    DELAY: ("rtt", "queueing_delay"),
    LOSS: ("loss_rate", "retransmission_rate"),
    FAILURES: ("connection_failures",),
}  # fmt: skip
#: Path classes of the flows of a goodput: their number is at least that of these flows.
PATHS = {"goodput_dd": "very fast", "goodput_nn": "typical"}
#: Titles for readers who decide.
PLAIN = {
    "slowdown_mean": "completion time", "slowdown_p95": "completion time (95 %)",
    "slowdown_p99": "completion time (99 %)", "connection_failures": "failed connections",
}  # fmt: skip
#: Mean round trips in progress from which flows of a kind are long: slow start from 2 to 43 segments takes five of
#: them, so that most of the time is left for competition. Without long flows harm is never excluded.
LONG_ROUND_TRIPS = 20
#: Smallest part of the conditions with enough flows of a kind of file, for the kind to be compared.
ENOUGH = 0.5


@dataclass(frozen=True, eq=False)
class Quantity:
    """Quantity that is better high or better low. Runs have the shape (conditions, algorithms, replicates)."""

    name: str
    title: str  #: for use in a sentence
    topic: str  #: one of `TOPICS`
    unit: str
    lower_is_better: bool
    runs: Floats  #: NaN where a run has no value
    floor: float = 0.0  #: level that is added to both values, so that values near 0 have no ratio
    of_long_flows: bool = True  #: False for the throughput of short flows
    #: Place of the algorithm to compare with in each condition, where the incumbent was not run; None: the incumbent.
    reference: NDArray[np.intp] | None = None
    neutral: bool = False  #: True if neither direction is better


def quantities(view: CampaignView, names: Sequence[str] | None = None) -> list[Quantity]:
    """Return the quantities that are judged, of the network and of explicit flows.

    `names`: the responses; None: `judged`.
    """
    found = [_response(view, name) for name in (judged(view) if names is None else names)]
    found += [
        Quantity(title, title, USERS, unit="segments/s", lower_is_better=False, runs=_runs(view, rows))
        for title, rows in goodputs(view).items()
    ]
    return sorted(found, key=lambda quantity: list(topics(view)).index(quantity.topic))


@cached
def topics(view: CampaignView) -> dict[str, str]:
    """Return the titles of the topics; of a model each response is a topic."""
    return {name: view.responses[name].title for name in directed(view)} if view.is_model else TOPICS


def judged(view: CampaignView) -> list[str]:
    """Return the responses that are judged, and have values that form ratios."""
    left_out = {*without_values(view), *too_small(view), *negative(view), *of_few_flows(view)}
    return [name for name in directed(view) if name not in left_out]


@cached
def directed(view: CampaignView) -> list[str]:
    """Return the responses to judge that some run has. Of a model all responses, those with a direction first."""
    if view.is_model:
        names = view.in_period[view.main_period]
        return [*(name for name in names if name in view.better), *(n for n in names if n not in view.better)]
    there = set(view.campaign.responses.filter(period=view.main_period)["response"].unique())
    return [name for names in JUDGED.values() for name in names if name in there]


def without_values(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but have no value in any run."""
    return [name for name in directed(view) if not np.isfinite(_values(view, name)).any()]


def too_small(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but are at most `NEGLIGIBLE` (shares) or 0 in all conditions."""
    found = []
    for name in directed(view):
        means = finite_mean(_values(view, name), axis=2)
        known = means[np.isfinite(means)]
        # A share that counts very few events has no meaningful change in percent.
        share = view.unit_of(name) == "1" if view.is_model else BY_NAME[name].unit == "1" and not _is_time(name)
        if len(known) and np.abs(known).max() <= (NEGLIGIBLE if share else 0.0):
            found.append(name)
    return found


def negative(view: CampaignView) -> list[str]:
    """Return the responses that would be judged, but have a value below 0: relative changes have no meaning."""
    return [name for name in directed(view) if (_values(view, name) < 0).any()]


def of_few_flows(view: CampaignView) -> list[str]:
    """Return the goodputs that would be judged, but count fewer than `FEWEST_EVENTS` flows a run in a condition."""
    if not view.campaign.has_groups or view.campaign.groups.is_empty():
        return []
    rows = groups_of_conditions(view.campaign).filter((pl.col("period") == WHOLE) & pl.col("group").is_not_null())
    runs = view.campaign.runs.filter(
        (pl.col("status") == "done") & pl.col("condition").is_in(numbers_of_conditions(view.campaign))
    )
    done = runs.group_by("condition").len("runs")
    found = []
    for name in (each for each in directed(view) if each in PATHS):
        sums = rows.filter(path_class=PATHS[name]).group_by("condition").agg(pl.col("flows").sum())
        counts = done.join(sums, on="condition", how="left").select(pl.col("flows").fill_null(0) / pl.col("runs"))
        if (counts.to_series() < FEWEST_EVENTS).any():
            found.append(name)
    return found


def title_of(view: CampaignView, name: str) -> str:
    """Return the title of a response for use in a sentence of a verdict."""
    if view.is_model:
        target = view.better.get(name)
        title = view.title_of(name)
        return f"distance of {title} from {target:g}" if isinstance(target, float | int) else title
    return PLAIN.get(name) or uncapitalised(BY_NAME[name].title)


def by_user(view: CampaignView) -> list[Quantity]:
    """Return the completion times, or goodputs, of each class of sizes and each group of flows, of own flows."""
    found = []
    there = set(view.campaign.responses.filter(period=view.main_period)["response"].unique())
    for end, size in SIZE_CLASSES.items():
        name = f"slowdown_mean{end}"
        if size and name in there and np.isfinite(_values(view, name)).any():
            found.append(replace(_response(view, name, USERS), title=f"completion time of flows {size}"))
    return found + _groups(view)


def of_incumbent(view: CampaignView) -> list[Quantity]:
    """Return the throughput of each group of flows that keep the incumbent of a mix, for comparisons between levels."""
    other = view.campaign.experiment.get("mixed_with")
    found = []
    for number, labels, own in _rows_by_group(view, pl.col("flow_algorithm") == str(other)) if other else ():
        if "throughput" in own.columns:
            title = f"throughput of {other} {_group_title(*labels)}"
            runs = _runs(view, own.with_columns(value=pl.col("throughput")))
            name = f"throughput of {other} {number}"
            found.append(Quantity(name, title, OTHERS, unit="segments/s", lower_is_better=False, runs=runs))
    return found


def _rows_by_group(view: CampaignView, which: pl.Expr) -> Iterator[tuple[int, tuple[str, str, str], pl.DataFrame]]:
    """Yield number, labels and rows of each group of flows that some run has enough flows of."""
    if not view.campaign.has_groups or view.campaign.groups.is_empty():
        return
    rows = groups_of_conditions(view.campaign).filter(
        (pl.col("period") == WHOLE) & which & pl.col("group").is_not_null() & (pl.col("flows") >= FEWEST_EVENTS)
    )
    for number, labels in group_labels(view.campaign).items():
        own = rows.filter(pl.col("group") == number)
        if own.height:
            yield number, labels, own


def _groups(view: CampaignView) -> list[Quantity]:
    found = []
    for number, labels, own in _rows_by_group(view, pl.col("flow_algorithm") == pl.col("algorithm")):
        slow = "slowdown_mean" in own.columns
        measure, what, unit = (
            ("slowdown_mean", "completion time", "1") if slow else ("goodput", "goodput", "segments/s")
        )
        title, runs = f"{what} of {_group_title(*labels)}", _runs(view, own.with_columns(value=pl.col(measure)))
        found.append(Quantity(f"{measure} {number}", title, USERS, unit=unit, lower_is_better=slow, runs=runs))
    return found


def _group_title(category: str, path: str, rate: str) -> str:
    """Return the words for a group of flows.

    Examples
    --------
    >>> _group_title("web object", "typical", "fast")
    'web objects on typical paths with a fast interface'
    """
    return f"{category}s on {path} paths with a {rate} interface"


def _is_time(name: str) -> bool:
    return name.startswith("slowdown")


def _of_model(view: CampaignView, name: str) -> Quantity:
    """Return a response of a model; with a best value, its distance from that value."""
    unit, better = view.unit_of(name), view.better.get(name)
    return Quantity(
        name=name,
        title=title_of(view, name),
        topic=name,
        unit=unit,
        lower_is_better=better != "higher",
        runs=_values(view, name),
        floor=SHARE_WITHOUT_RATIO if unit == "1" else 0.0,
        neutral=better is None,
    )


def _response(view: CampaignView, name: str, topic: str = "") -> Quantity:
    if view.is_model:
        return _of_model(view, name)
    about, period = BY_NAME[name], view.main_period
    floor = level_without_ratio(about.unit, view.campaign.experiment, period)
    if _is_time(name):
        floor = 0.0
    elif name == "queueing_delay":
        floor = DELAY_WITHOUT_RATIO
    return Quantity(
        name=name,
        title=title_of(view, name),
        topic=topic or next(topic for topic, names in JUDGED.items() if name in names),
        unit=about.unit,
        lower_is_better=about.direction == "lower",
        runs=_values(view, name),
        floor=floor,
    )


@cached
def _values(view: CampaignView, name: str) -> Floats:
    rows = view.campaign.responses
    found = _runs(view, rows.filter((pl.col("response") == name) & (pl.col("period") == view.main_period)))
    best = view.better.get(name)
    return np.abs(found - float(best)) if isinstance(best, float | int) else found


def _runs(view: CampaignView, rows: pl.DataFrame) -> Floats:
    """Return the values of all runs of the conditions, shape (conditions, algorithms, replicates).

    `rows`: columns condition, algorithm, replicate and value. Centre points are left out.
    """
    numbers = numbers_of_conditions(view.campaign)
    known = rows.filter(pl.col("value").is_finite() & (pl.col("condition") <= len(numbers)))
    return filled(known, {"condition": numbers, "algorithm": view.algorithms, "replicate": view.replicates})


def kinds_without_enough_flows(view: CampaignView, other: str) -> list[str]:
    """Return the kinds of files for which the flows of an algorithm were too few to be compared."""
    known = {quantity.name for quantity in of_others(view, other)}
    kinds = dict.fromkeys(kind for kind, _, _ in group_labels(view.campaign).values())
    return [kind for kind in kinds if _name(other, kind) not in known]


def _name(other: str, category: str) -> str:
    return f"throughput of {other}, {category}"


def of_others(view: CampaignView, other: str) -> list[Quantity]:
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
        title, name = f"{category} {measure} of {other}", _name(other, category)
        long = _is_long(view, rows.filter(pl.col("category") == category))
        found.append(
            Quantity(
                name=name,
                title=title,
                topic=OTHERS,
                unit="segments/s",
                lower_is_better=False,
                runs=np.exp(_runs(view, runs)),
                of_long_flows=long,
                reference=None if other in view.algorithms else median_algorithm(own),
            )
        )
    return found


def _is_long(view: CampaignView, rows: pl.DataFrame) -> bool:
    """Return True if flows were in progress for enough round trips, in the median condition."""
    if "flow_seconds" not in rows.columns or "rtt" not in directed(view):
        return True  # earlier campaigns kept too little to decide
    sums = rows.group_by("condition").agg(pl.col("flow_seconds").sum(), pl.col("flows").sum()).sort("condition")
    means = finite_mean(finite_mean(_values(view, "rtt"), axis=2), axis=1)
    round_trip = means[sums["condition"].to_numpy() - 1] * 1e-3
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


def median_algorithm(values: Floats) -> NDArray[np.intp]:
    """Return the place of the median algorithm in each condition, the lower of two."""
    order = np.argsort(values, axis=1, kind="stable")  # NaN last
    known = np.isfinite(values).sum(axis=1)
    return np.asarray(np.take_along_axis(order, (np.maximum(known, 1)[:, None] - 1) // 2, axis=1)[:, 0])
