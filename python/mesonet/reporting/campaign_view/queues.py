"""Queues of a campaign by class of routers and discipline: delay, drops and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.responses.definitions import ROUTER_CLASSES
from mesonet.responses.queues import MEASURES, response

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: The path of a factor that varies the discipline.
DISCIPLINE = "aqm.discipline"
#: Classes that `access` stands for in ``aqm.at``, as in the simulator.
ACCESS = ("normal", "fast", "direct", "plain")


def disciplines(campaign: Campaign) -> dict[int, str]:
    """Return the queue discipline of each condition.

    Names by condition, such as ``drop_tail``, the discipline of networks from before there were others. Empty for a
    campaign of a model.
    """
    return {
        entry["condition"]: str(entry["scenario"].get("aqm", {}).get("discipline", "drop_tail"))
        for entry in campaign.experiment.get("scenarios") or []
        if "network" in entry.get("scenario", {})
    }


def _without(campaign: Campaign, condition: int) -> list[str]:
    """Return the classes of routers whose queues are drop-tail, because ``aqm.at`` names other classes only."""
    entries = campaign.experiment.get("scenarios") or []
    scenario = next(each["scenario"] for each in entries if each["condition"] == condition)
    places = set(scenario.get("aqm", {}).get("at", ["all"]))
    if not places <= {"all", "access", *ROUTER_CLASSES}:
        return []  # single routers or ports, whose classes have both
    meant = places | (set(ACCESS) if "access" in places else set())
    return [] if "all" in places else [router for router in ROUTER_CLASSES if router not in meant]


def queue_table(view: CampaignView) -> pl.DataFrame:
    """Return delay, drops and marks of the queues in the main period, means over replicates.

    Columns router (a class), discipline, algorithm, condition, and the measures of `mesonet.responses.queues.MEASURES`:
    null where nothing was recorded. No rows if the runs recorded nothing of their queues.
    """
    named = disciplines(view.campaign)
    # Conditions of a design with two levels; of a grid or a sample, whose design has none, all.
    conditions = set(named).intersection(view.conditions or named)
    names = {response(measure, router): (measure, router) for measure in MEASURES for router in ROUTER_CLASSES}
    rows = view.campaign.responses.filter(
        pl.col("response").is_in(list(names))
        & (pl.col("period") == view.main_period)
        & pl.col("condition").is_in(list(conditions))
        & pl.col("value").is_finite()
    )
    keys = ["router", "discipline", "algorithm", "condition"]
    schema = dict.fromkeys(keys, pl.String) | {"condition": pl.Int64} | dict.fromkeys(MEASURES, pl.Float64)
    if rows.is_empty():
        return pl.DataFrame(schema=schema)
    rows = rows.with_columns(
        router=pl.col("response").replace_strict({name: router for name, (_, router) in names.items()}),
        measure=pl.col("response").replace_strict({name: measure for name, (measure, _) in names.items()}),
        discipline=pl.col("condition").replace_strict(named, return_dtype=pl.String),
    )
    elsewhere = [{"condition": c, "router": r} for c in conditions for r in _without(view.campaign, c)]
    plain = pl.DataFrame(elsewhere, schema={"condition": pl.Int64, "router": pl.String}).with_columns(plain=True)
    rows = rows.join(plain, on=["condition", "router"], how="left", maintain_order="left").with_columns(
        discipline=pl.when("plain").then(pl.lit("drop_tail")).otherwise("discipline")
    )
    wide = rows.pivot(on="measure", index=keys, values="value", aggregate_function="mean")
    lacking = [pl.lit(None, pl.Float64).alias(name) for name in MEASURES if name not in wide.columns]
    order = {name: place for place, name in enumerate(ROUTER_CLASSES)}
    wide = wide.with_columns(*lacking).select(*keys, *MEASURES)
    return wide.sort(pl.col("router").replace_strict(order, return_dtype=pl.Int64), *keys[1:])


def queue_summary(view: CampaignView) -> pl.DataFrame:
    """Return the medians over the conditions of delay, drops and marks, and their ranges.

    A row per class of routers, discipline, algorithm and measure: columns router, discipline, algorithm, measure,
    conditions (that have a value), median, least and most. Classes in the order of
    `mesonet.responses.definitions.ROUTER_CLASSES`; measures that were not recorded have no row.
    """
    keys = ["router", "discipline", "algorithm"]
    long = queue_table(view).unpivot(on=list(MEASURES), index=keys, variable_name="measure").drop_nulls("value")
    value = pl.col("value")
    return long.group_by(*keys, "measure", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("conditions"), value.median().alias("median"), value.min().alias("least"),
        value.max().alias("most"),
    )  # fmt: skip


def discipline_factor(view: CampaignView) -> str | None:
    """Return the factor with two levels that chooses the discipline. Its short name; None if there is none."""
    there = view.campaign.design.factors if view.conditions else ()  # sampled designs have more levels
    return next((f.id for f in view.campaign.factors if f.path == DISCIPLINE and f.id in there), None)
