"""Goodputs of the explicit flows of a campaign, by the algorithm of the flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import polars as pl

from mesonet.responses.segment_sizes import data_bytes

NAME, OF = "goodput", "goodput_of_"
"""Response of the flows of the algorithm under test, and beginning of its name for flows of another one."""
_RUN = ("condition", "algorithm", "replicate")


class Campaign(Protocol):
    """The part of a campaign that goodputs need: a campaign imports this module."""

    @property
    def responses(self) -> pl.DataFrame:
        """Responses, a row per run, response and period."""

    @property
    def experiment(self) -> dict[str, Any]:
        """The content of ``experiment.json``."""

    @property
    def groups(self) -> pl.DataFrame:
        """Flow groups of every run that is done."""

    @property
    def has_groups(self) -> bool:
        """True if every finished run kept its flow groups."""


def flow_goodputs(campaign: Campaign) -> pl.DataFrame:
    """Return segments acknowledged over the time that flows sent, by run, period and algorithm of the explicit flows.

    Columns condition, algorithm (of the run), replicate, period, flow_algorithm, flow_seconds, and value in segments/s.
    No rows for a model, without explicit flows, and if runs did not keep their throughput.
    """
    time = pl.col("flow_seconds")
    keys = [*_RUN, "period", "flow_algorithm"]
    groups = campaign.groups if _flows(campaign) and campaign.has_groups else pl.DataFrame()
    if "throughput" not in groups.columns:
        texts = ("algorithm", "period", "flow_algorithm")
        kinds: dict[str, Any] = {name: pl.String if name in texts else pl.Int64 for name in keys}
        return pl.DataFrame(schema={**kinds, "flow_seconds": pl.Float64, "value": pl.Float64})
    rows = groups.filter((pl.col("category") == "explicit") & ~pl.col("flow_algorithm").is_in(["all", ""]))
    value = (pl.col("throughput") * time).sum() / time.sum()
    return rows.group_by(keys, maintain_order=True).agg(flow_seconds=time.sum(), value=value)


def by_response(campaign: Campaign, also: Callable[[], pl.Expr] | None = None) -> dict[str, pl.DataFrame]:
    """Return the goodput of flows of the algorithm under test, and of each algorithm that a scenario gives its flows.

    Flow groups tell flows apart by algorithm only. If a scenario gives flows an algorithm that is also under test, its
    run has a mean over both kinds of flows, which is left out unless all flows are alike. `also`: further flows that
    count as flows of the algorithm under test. By name of the response, the columns of `flow_goodputs`.
    """
    flows = _flows(campaign)
    rows = flow_goodputs(campaign)
    given = sorted({flow["algorithm"] for each in flows for flow in each if flow.get("algorithm")})
    alike = all({**flow, "algorithm": None} == {**each[0], "algorithm": None} for each in flows for flow in each)
    own = pl.col("flow_algorithm") == pl.col("algorithm")
    drawn = any(not flow.get("algorithm") for each in flows for flow in each)
    tested = own | also() if also is not None and drawn else own
    rows = rows.filter(alike | ~(tested & pl.col("flow_algorithm").is_in(given)))
    wanted = {NAME: tested} | {f"{OF}{name}": pl.col("flow_algorithm") == name for name in given}
    time, keys = pl.col("flow_seconds"), [*_RUN, "period"]
    value = (pl.col("value") * time).sum() / time.sum()
    found = {name: rows.filter(which) for name, which in wanted.items()}
    return {
        name: of_these.group_by(keys, maintain_order=True).agg(value=value)
        for name, of_these in found.items()
        if of_these.height
    }


def as_responses(campaign: Campaign) -> list[pl.DataFrame]:
    """Return the goodputs of `by_response` as rows of the responses of a campaign, in the unit of `unit_of`."""
    factor, unit = unit_of(campaign)
    about = {"symbol": pl.lit(""), "unit": pl.lit(unit), "value": pl.col("value") * factor}
    order = campaign.responses.columns
    return [
        rows.with_columns(response=pl.lit(name), **about).select(order) for name, rows in by_response(campaign).items()
    ]


def unit_of(campaign: Campaign) -> tuple[float, str]:
    """Return the factor from segments/s to the unit of goodputs, and the unit: Mbit/s if all segments have one size."""
    sizes: set[float] = set().union(*map(data_bytes, _networks(campaign)))
    return (sizes.pop() * 8e-6, "Mbit/s") if len(sizes) == 1 else (1.0, "segments/s")


def _networks(campaign: Campaign) -> list[dict[str, Any]]:
    scenarios = (entry.get("scenario", {}) for entry in campaign.experiment.get("scenarios") or [])
    return [each for each in scenarios if "transport" in each]


def _flows(campaign: Campaign) -> list[list[dict[str, Any]]]:
    """Return the explicit flows over TCP of every scenario that has any."""
    flows = (each.get("flows") or [] for each in _networks(campaign))
    found = ([flow for flow in each if flow.get("transport") != "udp"] for each in flows)
    return [each for each in found if each]
