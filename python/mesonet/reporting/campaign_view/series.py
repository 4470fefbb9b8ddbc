"""Time series that runs of a campaign kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

SERIES = "series"
"""Table of a run."""


def with_series(campaign: Campaign, condition: int, algorithm: str) -> str:
    """Return the key of the first replicate that kept a time series; empty if no run that is done kept it."""
    keys = campaign.runs.filter(condition=condition, algorithm=algorithm, status="done").sort("replicate")["key"]
    return next((key for key in keys if (campaign.path / "runs" / key / f"{SERIES}.parquet").exists()), "")


def kept_series(campaign: Campaign, condition: int, algorithm: str) -> pl.DataFrame | None:
    """Return the time series of the first replicate that kept one."""
    key = with_series(campaign, condition, algorithm)
    return campaign.table(key, SERIES) if key else None
