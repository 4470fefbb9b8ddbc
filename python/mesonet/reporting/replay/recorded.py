"""The traced runs below a campaign folder, of any origin."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from mesonet.campaign import documents, tables
from mesonet.campaign.ledger import REPLAY
from mesonet.files import checksums

if TYPE_CHECKING:
    from mesonet.campaign import Campaign

#: Between the router and the end of the link in the name of a port.
PORT = " -> "


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
    def discipline(self) -> str:
        """Queue discipline."""
        return str(self.scenario.get("aqm", {}).get("discipline", "drop_tail"))

    @property
    def has_marks(self) -> bool:
        """True if the traces have the marks of queues."""
        return "segments_marked" in self.traces.columns

    def owners(self, routers: Sequence[str]) -> dict[str, str]:
        """Return the router of each queue with a trace.

        Router by queue: the router itself, or the router before a port, such as ``A`` of ``A -> B``. Queues of other
        networks are left out.
        """
        known = set(routers)
        found = {}
        for queue in self.traces["router"].unique(maintain_order=True).to_list():
            parts = queue.split(PORT)
            before = [PORT.join(parts[:place]) for place in range(len(parts), 0, -1)]
            if owner := next((name for name in before if name in known), None):
                found[queue] = owner
        return found

    @property
    def title(self) -> str:
        """Title of the run."""
        return f"{self.name}, condition {self.condition}" if self.condition else self.name


def recorded_runs(campaign: Campaign) -> list[ReplayRun]:
    """Return the traced runs below the folder of a campaign.

    A folder that ``mesonet run --set trace.routers=all --out`` wrote is a run, too.
    """
    known = {
        _untraced(entry["scenario"]): (entry["condition"], entry["algorithm"])
        for entry in campaign.experiment.get("scenarios", [])
    }
    order = {name: place for place, name in enumerate(campaign.algorithms)}
    runs = []
    for file in sorted((campaign.path / REPLAY).glob("*/run.json")):
        run = _read(file.parent, known)
        if run.traces.height:
            runs.append(run)
    return sorted(runs, key=lambda run: (run.condition or 10**9, order.get(run.name, len(order)), run.name))


def _read(folder: Path, known: dict[str, tuple[int, str]]) -> ReplayRun:
    record = documents.done(folder / "run.json")
    scenario, sums = record["scenario"], checksums.of_record(record)
    condition, name = known.get(_untraced(scenario), (None, folder.name))
    routers = tables.table(folder / "routers.parquet", sums)
    return ReplayRun(
        condition=condition,
        name=name,
        scenario=scenario,
        traces=tables.table(folder / "router_traces.parquet", sums),
        routers=routers.filter(pl.col("period") == routers["period"].last()),
        series=tables.table(folder / "series.parquet", sums),
    )


def _untraced(scenario: dict[str, Any]) -> str:
    """Return a scenario as text without its ``trace``, which changes nothing in a run."""
    return json.dumps({key: value for key, value in scenario.items() if key != "trace"}, sort_keys=True)
