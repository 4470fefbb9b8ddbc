"""Time series that runs of a campaign kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mesonet.files import checksums

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


def kept_series(campaign: Campaign, condition: int, algorithm: str) -> Path | None:
    """Return the time series of the first replicate that kept one.

    The file ``series.parquet``; None if no run that is done kept it.
    """
    keys = campaign.runs.filter(condition=condition, algorithm=algorithm, status="done").sort("replicate")["key"]
    files = (campaign.path / "runs" / key / "series.parquet" for key in keys)
    found = next((file for file in files if file.exists()), None)
    if found:
        checksums.refuse_changed(found, campaign.checksums.get(found.parent.name, {}))
    return found
