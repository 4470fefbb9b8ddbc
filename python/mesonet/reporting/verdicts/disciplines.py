"""The better queue discipline for groups of flows and for classes of routers, by the change from one to the other.

The discipline is a factor with two levels. Its effect on a quantity is estimated beside the main effects of all other
factors, on logarithms where all values are above 0, so that every condition counts alike. Noise is the residual of this
model (mode ``full`` of `mesonet.analysis.main_effects`). The intervals of one line hold together (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from mesonet.analysis import MainEffects, main_effects
from mesonet.analysis.decisions.decision import BETTER, CANNOT_TELL, WORSE
from mesonet.reporting.campaign_view.columns import WHOLE
from mesonet.reporting.campaign_view.events import FEWEST_EVENTS, NEGLIGIBLE
from mesonet.reporting.campaign_view.flow_groups import groups_of_conditions
from mesonet.reporting.campaign_view.queues import discipline_factor, queue_table
from mesonet.reporting.campaign_view.tables import filled
from mesonet.reporting.campaign_view.values import level_text
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.reporting.verdicts.quantities import ENOUGH
from mesonet.reporting.verdicts.verdict import MARGIN
from mesonet.responses.definitions import ROUTER_CLASSES
from mesonet.responses.queues import TITLES

Floats = NDArray[np.float64]

TRADE, ALIKE, SAME = "a trade", "no difference", "same"
#: Delays, ms, that are not compared if no condition exceeds them (chosen: a small part of any round trip on the map).
LEAST_DELAY = 1.0


@dataclass(frozen=True)
class Outcome:
    """Change of a quantity from the - to the + level of the discipline, in % of its value at the - level."""

    title: str  #: for use in a sentence
    unit: str  #: as in the tables; ``1`` for shares
    lower_is_better: bool
    minus: float  #: mean over the conditions at the - level; geometric if no value is 0
    plus: float  #: mean at the + level
    change: float  #: %
    low: float  #: interval of the change: 95 % for all quantities of the line together
    high: float  #: upper end
    conditions: int  #: that have a value
    depends_on: str = ""  #: the factor on which the change depends most, beyond chance; empty: none
    at_minus: float = 0.0  #: change, %, where that factor is at its - level
    at_plus: float = 0.0  #: change where it is at its + level

    @property
    def kind(self) -> str:
        """`BETTER` or `WORSE` beyond margin and chance at the + level, `SAME` within the margin, else `CANNOT_TELL`."""
        sign = 1 if self.lower_is_better else -1
        if (self.low > 0 or self.high < 0) and abs(self.change) > MARGIN:
            return WORSE if sign * self.change > 0 else BETTER
        return SAME if max(abs(self.low), abs(self.high)) <= MARGIN else CANNOT_TELL


@dataclass(frozen=True)
class Choice:
    """The discipline that is better for a group of flows, or in a class of routers."""

    whom: str  #: such as "flows of prague beside cubic"
    chosen: str  #: a discipline, `TRADE`, `ALIKE` or `CANNOT_TELL`
    disciplines: tuple[str, str]  #: at the - and the + level
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class _Quantity:
    title: str
    unit: str
    lower_is_better: bool
    values: Floats  # by condition; NaN where missing


def discipline_choices(view: CampaignView) -> list[Choice]:
    """Return the better discipline for each group of flows and each class of routers.

    Groups of flows first, then classes of routers. Empty without results, or if no factor with two levels chooses the
    discipline.
    """
    factor = discipline_factor(view)
    if factor is None or not view.has_results:
        return []
    names = level_text(view, factor, -1), level_text(view, factor, 1)
    found = []
    for whom, quantities in (*_flows(view), *_routers(view)):
        outcomes = [_outcome(view, factor, each, 0.05 / len(quantities)) for each in quantities]
        known = tuple(each for each in outcomes if each is not None)
        if known:
            found.append(Choice(whom, _chosen(known, names), names, known))
    return found


def discipline_table(view: CampaignView) -> pl.DataFrame:
    """Return every quantity of every answer.

    Columns whom, discipline (the answer), quantity, unit, minus and plus (means at both levels), change, low, high (%),
    at_plus_level (better, worse, same or cannot tell), conditions, depends_on, change_at_minus and change_at_plus (%,
    at the levels of that factor; null without one). No rows without a factor for the discipline.
    """
    rows = [
        {
            "whom": choice.whom, "discipline": choice.chosen, "quantity": each.title, "unit": each.unit,
            "minus": each.minus, "plus": each.plus, "change": each.change, "low": each.low, "high": each.high,
            "at_plus_level": each.kind, "conditions": each.conditions, "depends_on": each.depends_on or None,
            "change_at_minus": each.at_minus if each.depends_on else None,
            "change_at_plus": each.at_plus if each.depends_on else None,
        }
        for choice in discipline_choices(view)
        for each in choice.outcomes
    ]  # fmt: skip
    return pl.DataFrame(rows, infer_schema_length=None)


def _chosen(outcomes: tuple[Outcome, ...], names: tuple[str, str]) -> str:
    kinds = {each.kind for each in outcomes}
    if {BETTER, WORSE} <= kinds:
        return TRADE
    if BETTER in kinds or WORSE in kinds:
        return names[1] if BETTER in kinds else names[0]
    return ALIKE if kinds == {SAME} else CANNOT_TELL


def _flows(view: CampaignView) -> Iterator[tuple[str, list[_Quantity]]]:
    """Yield the groups of flows by algorithm of the run and of the flows, with their quantities."""
    if not view.campaign.has_groups:
        return
    rows = groups_of_conditions(view.campaign).filter((pl.col("period") == WHOLE) & pl.col("group").is_not_null())
    if not {"throughput", "flow_seconds"} <= set(rows.columns):
        return
    other = view.campaign.experiment.get("mixed_with")
    for algorithm in view.algorithms:
        own = rows.filter(pl.col("algorithm") == algorithm)
        for flows in dict.fromkeys((algorithm, other or algorithm)):
            chosen = own.filter(pl.col("flow_algorithm") == flows)
            beside = other if flows == algorithm else algorithm
            alone = not other or flows == algorithm == other
            whom = f"flows of {flows}" + (" alone" if alone else f" beside {beside}")
            if quantities := _of_flows(view, chosen):
                yield whom, quantities


def _of_flows(view: CampaignView, rows: pl.DataFrame) -> list[_Quantity]:
    # Sums over flow groups: single groups have too few flows in short runs. All conditions have the same groups.
    found = []
    categories = rows["category"].unique(maintain_order=True).to_list()
    seconds, flows, size = pl.col("flow_seconds"), pl.col("flows"), pl.col("mean_size")
    for category in categories:
        part = rows.filter(pl.col("category") == category)
        rate = _pooled(view, part, (pl.col("throughput") * seconds).sum() / seconds.sum(), seconds.sum())
        found.append(_Quantity(f"throughput of {category}s", "segments/s", False, rate))
    if "queueing_delay_ms" in rows.columns:
        delay = _pooled(view, rows, (pl.col("queueing_delay_ms") * flows).sum() / flows.sum(), flows.sum())
        found.append(_Quantity("queueing delay", "ms", True, delay))
    sent = (flows * size / (1 - pl.col("retransmission_rate"))).sum()
    again = _pooled(view, rows, 1 - (flows * size).sum() / sent, flows.sum())
    found.append(_Quantity("retransmission rate", "1", True, again))
    return _enough(found)


def _pooled(view: CampaignView, rows: pl.DataFrame, value: pl.Expr, count: pl.Expr) -> Floats:
    """Return a value of each condition over all flow groups and replicates; NaN where few flows are behind it."""
    rows = rows.filter((pl.col("flows") > 0) & pl.col("throughput").is_finite())
    found = rows.group_by("condition").agg(value.alias("value"), count.alias("count"))
    return filled(found.filter(pl.col("count") >= FEWEST_EVENTS), {"condition": view.conditions})


def _routers(view: CampaignView) -> Iterator[tuple[str, list[_Quantity]]]:
    """Yield the classes of routers with their quantities, means over the algorithms."""
    table = queue_table(view)
    for router in ROUTER_CLASSES:
        own = table.filter(router=router)
        quantities = [
            _Quantity("delay of 95 % of the segments", "ms", True, _means(view, own, "delay_p95")),
            _Quantity("loss rate", "1", True, _means(view, own, "loss_rate")),
        ]
        if quantities := _enough(quantities):
            yield f"queues of {TITLES[router]} routers", quantities


def _means(view: CampaignView, rows: pl.DataFrame, measure: str) -> Floats:
    """Return the mean over the algorithms in each condition; NaN where one is missing."""
    means = rows.group_by("condition").agg(pl.col(measure).mean(), pl.col(measure).count().alias("count"))
    return filled(means.filter(count=len(view.algorithms)), {"condition": view.conditions}, measure)


def _enough(quantities: list[_Quantity]) -> list[_Quantity]:
    """Return the quantities with values in enough conditions that are large enough to be compared."""
    least = {"1": NEGLIGIBLE, "ms": LEAST_DELAY}
    kept = []
    for each in quantities:
        known = each.values[np.isfinite(each.values)]
        if len(known) >= ENOUGH * len(each.values) and len(known) and known.max() > least.get(each.unit, 0.0):
            kept.append(each)
    return kept


def _outcome(view: CampaignView, factor: str, quantity: _Quantity, alpha: float) -> Outcome | None:
    """Return the change of a quantity; None if it cannot be estimated beside the other factors."""
    design = view.campaign.design
    signs = np.asarray(design.matrix, dtype=float)
    used = np.isfinite(quantity.values)
    own, others = design.factors.index(factor), [name for name in design.factors if name != factor]
    signs, values = signs[used][:, [own, *(design.factors.index(name) for name in others)]], quantity.values[used]
    logarithmic = bool((values > 0).all())
    y = np.log(values) if logarithmic else values
    found = _fit(signs, y)
    if found is None or not (values > 0).any():
        return None
    middle = float(y.mean() - signs.mean(axis=0) @ found.effect / 2)
    half, error, freedom = float(found.effect[0]) / 2, float(found.effect_sd[0]) / 2, float(found.degrees_of_freedom[0])
    minus, plus = middle - half, middle + half
    scale = 1.0 if logarithmic else abs(minus)
    if not scale:
        return None
    width = float(special.stdtrit(freedom, 1 - alpha / 2)) * error

    def percent(step: float) -> float:
        """Return a change of twice a coefficient in %."""
        return float(100 * np.expm1(2 * step)) if logarithmic else max(-100.0, 100 * 2 * step / scale)

    outcome = Outcome(
        title=quantity.title,
        unit=quantity.unit,
        lower_is_better=quantity.lower_is_better,
        minus=float(np.exp(minus)) if logarithmic else minus,
        plus=float(np.exp(plus)) if logarithmic else max(plus, 0.0),
        change=percent(half),
        low=percent(half - width),
        high=percent(half + width),
        conditions=int(used.sum()),
    )
    splits = {name: split for place, name in enumerate(others, 1) if (split := _split(signs, place, y))}
    best = min(splits, key=lambda name: splits[name][0], default=None)
    if best is None or splits[best][0] >= alpha / len(others):
        return outcome
    low, high = splits[best][1]
    return replace(outcome, depends_on=best, at_minus=percent(low), at_plus=percent(high))


def _fit(signs: Floats, y: Floats) -> MainEffects | None:
    """Return the main effects of all columns together; None if the runs cannot test them."""
    found = main_effects(signs, y, mode="full")
    return found if np.isfinite(found.effect_sd).all() else None


def _split(signs: Floats, place: int, y: Floats) -> tuple[float, tuple[float, float]] | None:
    """Return p of an interaction with the first column, and coefficients of this column at both levels of another."""
    found = _fit(np.column_stack([signs, signs[:, 0] * signs[:, place]]), y)
    if found is None or not found.effect_sd[-1]:
        return None
    half, slope = found.effect[0] / 2, found.effect[-1] / 2
    return float(found.p[-1]), (float(half - slope), float(half + slope))
