"""Reports of synthetic campaigns, each written once for all tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

import mesonet
from conftest import Shared
from fake_campaign import fake_campaign, few_responses
from hill import FACTORS, hill
from large_campaign import large_campaign
from mesonet.campaign import Campaign
from mesonet.reporting import write_report


@dataclass
class OneCondition:
    """A design of one condition without factors."""

    factors: tuple = ()
    generators: tuple = ()
    resolution: int = 0
    is_full: bool = False
    word_lengths: dict = field(default_factory=dict)
    aliases: dict = field(default_factory=dict)
    matrix: np.ndarray = field(default_factory=lambda: np.zeros((1, 0), dtype=int))
    runs: int = 1


def without_factors(condition: int = 19) -> Campaign:
    """The synthetic campaign reduced to one of its conditions."""
    campaign, one = fake_campaign(), pl.col("condition") == condition
    frames = {
        name: getattr(campaign, name).filter(one).with_columns(condition=pl.lit(1, pl.Int64))
        for name in ("runs", "responses")
    }
    return replace(campaign, design=OneCondition(), factors=(), **frames)


def with_nothing_measured() -> Campaign:
    """The synthetic campaign in which nothing answered one response, and one algorithm lacks another."""
    campaign, name = few_responses(fake_campaign()), pl.col("response")
    lost = pl.when(name == "rtt").then(float("nan")).when((name == "loss_rate") & (pl.col("algorithm") == "fast"))
    return replace(campaign, responses=campaign.responses.with_columns(value=lost.then(None).otherwise("value")))


def mixed(folder: Path) -> Campaign:
    """Three algorithms, each mixed with standard TCP, with flow groups; two runs keep a time series."""
    algorithms = ("bic", "fast", "htcp")
    return large_campaign(folder, design="2^(9-4)", algorithms=algorithms, response_set="exp-2", series=True)


def sampled_campaign(folder: Path, kind: str = "latin-hypercube") -> Campaign:
    """16 points between the levels, two algorithms."""
    chosen = mesonet.experiment(
        model=hill, factors=FACTORS, algorithms=["single", "double"], design={"kind": kind, "runs": 16},
        responses={"steep": "m"},
    )  # fmt: skip
    return chosen.run(folder / "out", workers=2, progress=False)


#: What a campaign is, and how it is made; the folder is for its files.
CAMPAIGNS: dict[str, Callable[[Path], Campaign]] = {
    "synthetic": lambda _: fake_campaign(),
    "few responses": lambda _: few_responses(fake_campaign()),
    "mixed": mixed,
    "sampled": sampled_campaign,
    "nothing done": lambda _: fake_campaign(all_status="missing"),
    "one algorithm": lambda _: few_responses(fake_campaign(algorithms=["tcp"])),
    "two algorithms": lambda _: few_responses(fake_campaign(algorithms=["tcp", "cubic"])),
    "no factors": lambda _: without_factors(),
    "responses that nobody answered": lambda _: with_nothing_measured(),
}


def report_of(shared: Shared, kind: str) -> Path:
    """Return the file of the report of one of `CAMPAIGNS`."""

    def make(folder: Path) -> None:
        write_report(CAMPAIGNS[kind](folder / "campaign"), folder / "new" / "report.html")

    return shared.folder(f"report-{kind}", make) / "new" / "report.html"
