"""The traced runs below a campaign folder, of any origin."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.reporting.replay.simulated import FOLDER

if TYPE_CHECKING:
    from mesonet.campaign import Campaign


@dataclass(frozen=True)
class ReplayRun:
    """Run with traces."""

    condition: int | None  #: None for a run from outside the campaign
    name: str  #: its algorithm, or the name of its folder
    scenario: dict[str, Any]  #: canonical
    traces: pl.DataFrame  #: `router_traces.parquet`
    routers: pl.DataFrame  #: `routers.parquet` of the whole measured time
    series: pl.DataFrame  #: `series.parquet`

    @property
    def title(self) -> str:
        """Title of the run."""
        return f"{self.name}, condition {self.condition}" if self.condition else self.name


def recorded_runs(campaign: "Campaign") -> list[ReplayRun]:
    """Return the traced runs below the folder of a campaign.

    A folder that ``mesonet run --set trace.routers=all --out`` wrote is a run, too.

    Parameters
    ----------
    campaign
        The campaign.

    Returns
    -------
    Runs by condition and algorithm, then runs from outside the campaign.
    """
    known = {
        _untraced(entry["scenario"]): (entry["condition"], entry["algorithm"])
        for entry in campaign.experiment.get("scenarios", [])
    }
    order = {name: place for place, name in enumerate(campaign.algorithms)}
    runs = []
    for file in sorted((campaign.path / FOLDER).glob("*/run.json")):
        run = _read(file.parent, known)
        if run.traces.height:
            runs.append(run)
    return sorted(runs, key=lambda run: (run.condition or 10**9, order.get(run.name, len(order)), run.name))


def _read(folder: Path, known: dict[str, tuple[int, str]]) -> ReplayRun:
    scenario = json.loads((folder / "run.json").read_text())["scenario"]
    condition, name = known.get(_untraced(scenario), (None, folder.name))
    routers = pl.read_parquet(folder / "routers.parquet")
    return ReplayRun(
        condition,
        name,
        scenario,
        pl.read_parquet(folder / "router_traces.parquet"),
        routers.filter(pl.col("period") == routers["period"].last()),
        pl.read_parquet(folder / "series.parquet"),
    )


def _untraced(scenario: dict[str, Any]) -> str:
    """Return a scenario as text without its ``trace``, which changes nothing in a run."""
    return json.dumps({key: value for key, value in scenario.items() if key != "trace"}, sort_keys=True)
