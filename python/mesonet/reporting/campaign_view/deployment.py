"""Outcomes of a deployment by unit, from the tables of its runs, and the effects that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.analysis.deployments.deployment import Deployment, deployment
from mesonet.analysis.deployments.designs import SIMULATED
from mesonet.analysis.deployments.units import outcomes_of
from mesonet.campaign import tables
from mesonet.deployment_tests import LINKS, SWEEP
from mesonet.designs.grid import level_at
from mesonet.experiments.deployment import FACTOR, LATE_FRAMES, OUTCOMES
from mesonet.reporting.campaign_view.cached import cached
from mesonet.reporting.campaign_view.view import CampaignView
from mesonet.units import SEGMENT_BYTES

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

UNITS_OF = {
    "goodput": "segments/s", "throughput": "segments/s", "completion_time": "s", "slowdown": "1",
    "retransmission_rate": "1", "rtt": "ms", LATE_FRAMES: "1",
}  # fmt: skip
_UNIT_COLUMN = {"user": "user", "flow": "user", "home": "home", "place": "pop"}
"""Column of the table of units that names the unit: flows are clustered by user."""
CONDITION = "condition"
"""Group of the conditions of the other factors."""


def is_deployment(campaign: Campaign) -> bool:
    """Return True for a campaign that sweeps the share of an algorithm."""
    return "deploy" in campaign.experiment


WHOLE = "all"
"""All conditions together, beside the name of each."""


@dataclass(frozen=True)
class Choice:
    """Choice of a figure: algorithm, outcome, and condition of the other factors."""

    algorithm: str
    outcome: str
    where: str = WHOLE

    @property
    def selection(self) -> dict[str, str]:
        """The choice by the names of its controls."""
        return {"deployed": self.algorithm, "outcome": self.outcome, "where": self.where}


def choices(view: CampaignView) -> list[Choice]:
    """Return all choices, the leading outcome first; none for a campaign that deploys nothing."""
    if not is_deployment(view.campaign) or not view.has_results:
        return []
    found = []
    for algorithm in view.campaign.algorithms:
        effects = effects_of(view, algorithm)
        if effects is not None:
            there = effects.effects
            named = set(there.filter(pl.col("group") == CONDITION)["level"])
            where = [name for name in _levels(view.campaign)["condition"].unique(maintain_order=True) if name in named]
            lead, names = lead_outcome(view), there["outcome"].unique(maintain_order=True).to_list()
            ordered = [lead, *(name for name in OUTCOMES if name in names and name != lead)]
            found += [Choice(algorithm, outcome, each) for outcome in ordered for each in (WHOLE, *where)]
    return found


def rows_of(found: Deployment, outcome: str, where: str = WHOLE) -> pl.DataFrame:
    """Return the effects on all units, of all conditions or of one, in the leading scale and weights."""
    rows = found.effects.filter(pl.col("outcome") == outcome)
    if where == WHOLE:
        rows = rows.filter(pl.col("group") == "")
    else:
        rows = rows.filter((pl.col("group") == CONDITION) & (pl.col("level") == where))
    return leading(rows)


def leading(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the effects in the leading scale and weights, which come first."""
    if rows.is_empty():
        return rows
    lead = rows.row(0, named=True)
    return rows.filter((pl.col("scale") == lead["scale"]) & (pl.col("weights") == lead["weights"]))


def tests_of(found: Deployment, outcome: str) -> pl.DataFrame:
    """Return the tests of an outcome that users could make. Paired links at share 1 are the total effect."""
    of_outcome = (pl.col("outcome") == outcome) & (pl.col("test") != SIMULATED)
    return found.tests.filter(of_outcome & ((pl.col("test") != LINKS) | (pl.col("share") < 1)))


def shown(view: CampaignView, outcome: str, value: float) -> tuple[float, str]:
    """Return a value of an outcome in the unit that pages show, and the unit."""
    unit = UNITS_OF[outcome]
    if unit != "segments/s":
        return value, unit
    return value * 8e-6 * float(view.segment_bytes or SEGMENT_BYTES), "Mbit/s"


@cached
def effects_of(view: CampaignView, algorithm: str) -> Deployment | None:
    """Return the effects of the deployment of an algorithm; None before any run with a unit is done."""
    about = view.campaign.experiment["deploy"]
    rows = outcomes(view.campaign, algorithm)
    if rows.is_empty():
        return None
    steps = _steps(view.campaign, about)
    found = deployment(
        rows,
        groups=about["by"],
        assignment="flow" if about["unit"] == "flow" or _varies_unit(view.campaign) else "unit",
        burn_in=steps,
        place="pop",
    )
    return replace(found, tests=found.tests.filter(pl.col("test").is_in([SIMULATED, *about["tests"]])))


def _varies_unit(campaign: Campaign) -> bool:
    """Return True if a factor chooses the unit, so that users may have flows of both algorithms."""
    return any("users.assignment" in factor.paths for factor in campaign.factors)


def lead_outcome(view: CampaignView) -> str:
    """Return the outcome that leads: the chosen one, or the throughput where no flow completes."""
    chosen = str(view.campaign.experiment["deploy"]["outcome"])
    found = [effects_of(view, algorithm) for algorithm in view.campaign.algorithms]
    there = {name for each in found if each is not None for name in each.effects["outcome"].unique()}
    return chosen if chosen in there or not there else "throughput"


def outcomes(campaign: Campaign, algorithm: str) -> pl.DataFrame:
    """Return the outcomes of all units in runs of one new algorithm; empty before the first run.

    Columns as `mesonet.analysis.outcomes_of` returns them: a row per run, period, unit, class of flows and outcome.
    """
    runs = campaign.runs.filter(pl.col("algorithm") == algorithm)
    units = tables.read(campaign.path / "runs", runs, "units", campaign.checksums)
    if units.is_empty():
        return pl.DataFrame()
    unit = _UNIT_COLUMN[campaign.experiment["deploy"]["unit"]]
    parts = [outcomes_of(_labelled(units, campaign, algorithm).with_columns(own=unit), new=algorithm, unit="own")]
    if "applications" in campaign.experiment.get("keep", []):
        frames = tables.read(campaign.path / "runs", runs, "applications", campaign.checksums)
        frames = frames.filter((pl.col("messages") > 0) & (pl.col("period") != "measured"))
        if not frames.is_empty():
            labelled = _labelled(frames.with_columns(home="user"), campaign, algorithm)
            parts.append(_late_frames(labelled.with_columns(own="pop" if unit == "pop" else "user"), algorithm))
    return _pooled(pl.concat(parts, how="diagonal_relaxed"))


def _pooled(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the sweep with their periods together, and the rows of tests as they are."""
    keys = [name for name in rows.columns if name not in ("period", "value", "weight")]
    weight = pl.col("weight").sum()
    sweep = rows.filter((pl.col("test") == SWEEP) & pl.col("value").is_finite() & (pl.col("weight") > 0))
    pooled = sweep.group_by(keys, maintain_order=True).agg(
        period=pl.lit(0, pl.Int64), value=(pl.col("value") * pl.col("weight")).sum() / weight, weight=weight
    )
    return pl.concat([pooled, rows.filter(pl.col("test") != SWEEP)], how="diagonal_relaxed")


def _late_frames(frames: pl.DataFrame, algorithm: str) -> pl.DataFrame:
    """Return the share of late frames of each flow with an application, as outcomes."""
    return frames.select(
        "condition", "test", "seed", "share", "period", "home", "pop", "access", "path_class", "rtt_class",
        unit="own",
        treated=pl.col("algorithm") == algorithm,
        outcome=pl.lit(LATE_FRAMES),
        value=pl.col("messages_late") / pl.col("messages"),
        weight=pl.col("messages").cast(pl.Float64),
    )  # fmt: skip


def _labelled(rows: pl.DataFrame, campaign: Campaign, algorithm: str) -> pl.DataFrame:
    """Return rows of units with their condition, test, seed and share, and with the algorithm of their flows."""
    rows = rows.rename({"condition": "number", "replicate": "seed"}).with_columns(
        algorithm="algorithm_of_row", period=pl.col("period").cast(pl.Int64)
    )
    rows = rows.join(_levels(campaign), on="number", how="left", maintain_order="left")
    keys = ["number", "period", "home", "pop"]
    known = rows.filter(pl.col("share").is_null()).select(keys).unique(maintain_order=True)
    scenarios = {
        each["condition"]: each["scenario"]
        for each in campaign.experiment["scenarios"]
        if each["algorithm"] == algorithm
    }
    shares = [_share_at(scenarios[number], period, places) for number, period, *places in known.iter_rows()]
    known = known.with_columns(in_force=pl.Series(shares, dtype=pl.Float64))
    joined = rows.join(known, on=keys, how="left", maintain_order="left")
    return joined.with_columns(share=pl.coalesce("share", "in_force"))


def _levels(campaign: Campaign) -> pl.DataFrame:
    """Return the test, its share and the values of the other factors of each condition."""
    about, factors = campaign.experiment["deploy"], campaign.factors
    own = [factor.id for factor in factors].index(FACTOR)
    rows = []
    for number, places in enumerate(campaign.rows.matrix.tolist(), start=1):
        level = about["levels"][level_at(places[own], len(about["levels"]))]
        others = [
            f"{factor.name} = {factor.levels[level_at(place, len(factor.levels))]}"
            for factor, place in zip(factors, places, strict=True)
            if factor.id != FACTOR
        ]
        rows.append({"number": number, "condition": ", ".join(others), **level})
    return pl.DataFrame(rows, schema_overrides={"share": pl.Float64})


def _share_at(scenario: Mapping[str, Any], period: int, places: Sequence[str]) -> float:
    """Return the share that is in force in the middle of a period at a place."""
    time = scenario["time"]
    length = (time["duration"] - time["warmup"]) / time["periods"]
    middle = time["warmup"] + (period - 0.5) * length
    share = 0.0
    for entry in scenario.get("deployment", []):
        if entry["time"] <= middle and ("all" in entry["at"] or set(places) & set(entry["at"])):
            share = entry["share"]
    return share


def _steps(campaign: Campaign, about: Mapping[str, Any]) -> int:
    """Return the measured periods of the burn-in."""
    if not about["burn_in_s"]:
        return 0
    time = campaign.experiment["scenarios"][0]["scenario"]["time"]
    return round(float(about["burn_in_s"] * time["periods"] / (time["duration"] - time["warmup"])))
