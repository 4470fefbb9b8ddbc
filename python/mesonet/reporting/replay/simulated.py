"""Runs of a campaign simulated again with every router traced, for the replay on a map.

A campaign keeps responses, not traces: which condition is worth a replay is not known beforehand, and traces of all
runs would be larger than all other files. A run is determined by its scenario and seed, so that one condition can be
simulated again at any time; tracing does not change it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from mesonet import core, plugins
from mesonet.campaign.ledger import REPLAY, Run, planned
from mesonet.campaign.trust import is_trusted, named_code
from mesonet.errors import InputError
from mesonet.files.places import inside
from mesonet.processes import process_pool, processors
from mesonet.progress import Update
from mesonet.simulation.own_process import simulate_and_write

if TYPE_CHECKING:
    from mesonet.campaign.data import Campaign

CHEAP_S = 60.0
"""Processor time that a report may take by default to simulate its replay, s: about the time of the report itself."""
FRAMES = 300
"""Most rows of a trace: a few seconds of replay, and finer steps than a reader can follow."""


def prepare(
    campaign: Campaign,
    wanted: str | None = None,
    *,
    partners: Callable[[int], Sequence[int]] = lambda condition: (),
    progress: Update | None = None,
) -> None:
    """Record the runs that a report is to replay.

    `partners`: conditions that a comparison pairs with a condition, which are recorded with it.

    `wanted`: number of a condition, ``most`` for the most congested condition, or ``none`` for no new run. None: the
    most congested condition, and the condition with most marks if there are any, as long as they take at most `CHEAP_S`
    of processor time together.
    """
    if wanted == "none":
        return
    most = most_congested(campaign)
    if wanted is None:
        spent = 0.0
        for condition in dict.fromkeys((most, *partners(most), most_marked(campaign) or most)):
            cost = missing_cost(campaign, condition)
            if cost is None or spent + cost > CHEAP_S:
                return
            spent += cost
            record(campaign, condition, progress=progress)
        return
    if wanted != "most" and not wanted.isdecimal():
        allowed = f"1 to {campaign.design.runs}, most or none"
        raise InputError("not the number of a condition", path="--replay", value=wanted, allowed=allowed)
    chosen = most if wanted == "most" else int(wanted)
    for condition in (chosen, *partners(chosen)):
        record(campaign, condition, progress=progress)


def most_congested(campaign: Campaign) -> int:
    """Return the condition with the highest loss, in the mean over the algorithms.

    Number of the condition, from 1; the last condition if the loss is not known.
    """
    name = next((name for name in ("loss_rate", "retransmission_rate") if _has(campaign, name)), None)
    means = _means(campaign, name) if name else {}
    return max(means, key=lambda condition: (means[condition], condition), default=campaign.design.runs)


def most_marked(campaign: Campaign) -> int | None:
    """Return the condition in which queues mark most segments, in the mean over the algorithms.

    Number of the condition, from 1; None if nothing is marked.
    """
    means = _means(campaign, "segments_marked") if _has(campaign, "segments_marked") else {}
    most = max(means, key=lambda condition: means[condition], default=None)
    return most if most is not None and means[most] > 0 else None


def _has(campaign: Campaign, name: str) -> bool:
    return name in set(campaign.responses["response"].unique())


def _means(campaign: Campaign, name: str) -> dict[int, float]:
    """Return the mean of a response over the algorithms by condition; conditions without a value are left out."""
    # Centre points cannot be replayed: they are not conditions of the design.
    rows = campaign.response(name).filter(pl.col("value").is_not_null() & (pl.col("condition") <= campaign.design.runs))
    return dict(rows.group_by("condition").agg(pl.col("value").mean()).sort("condition").iter_rows())


def record(
    campaign: Campaign, condition: int, *, workers: int | None = None, progress: Update | None = None
) -> list[Path]:
    """Simulate all algorithms of a condition again, first replicate, and keep new files below the campaign folder.

    The folders of the runs, in the order of the algorithms. `condition`: number of the condition, from 1.
    """
    _refuse(campaign, condition)
    runs = _runs(campaign, condition)
    places = [folder(campaign, run) for run in runs]
    todo = [(run, place) for run, place in zip(runs, places, strict=True) if not _recorded(place)]
    if todo:
        named = campaign.experiment.get("plugins", {})
        processes = min(workers or processors(), len(todo))
        with process_pool(processes) as pool:
            futures = [pool.submit(simulate_and_write, _traced(run.scenario), run.seed, place, named)
                       for run, place in todo]  # fmt: skip
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                if progress:
                    progress(done, len(todo), f"replay of condition {condition}")
    return places


def missing_cost(campaign: Campaign, condition: int) -> float | None:
    """Return the processor time that `record` would take, from the costs of the runs.

    Time, s; 0 if all runs are recorded. None if `record` would refuse the condition, or a cost is not known.
    `condition`: number of the condition, from 1.
    """
    try:
        _refuse(campaign, condition)
    except InputError:
        return None
    took = dict(campaign.runs.select("key", "cpu_s").iter_rows())
    costs = [took.get(run.key) for run in _runs(campaign, condition) if not _recorded(folder(campaign, run))]
    return None if any(cost is None for cost in costs) else sum(cost for cost in costs if cost is not None)


def folder(campaign: Campaign, run: Run) -> Path:
    """Return the folder of the traces of a run, whether it exists or not."""
    return inside(campaign.path, REPLAY, run.key[:16])


def interval(duration: float) -> float:
    """Return the distance between two rows of a trace.

    1, 2 or 5 x 10^n s, for at most `FRAMES` rows. `duration`: simulated time of the run, s, above 0.
    """
    least = duration / FRAMES
    power = 10.0 ** math.floor(math.log10(least))
    return next(float(f"{step * power:.1g}") for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-9))


def _runs(campaign: Campaign, condition: int) -> Sequence[Run]:
    code_version = campaign.provenance["versions"]["code_version"]
    runs = planned(campaign.experiment, code_version)
    return [run for run in runs if run.condition == condition and run.replicate == 1]


def _refuse(campaign: Campaign, condition: int) -> None:
    if not 1 <= condition <= campaign.design.runs:
        allowed = f"1 to {campaign.design.runs}, most or none"
        raise InputError("no such condition", path="--replay", value=condition, allowed=allowed)
    made_by = campaign.provenance.get("versions", {}).get("code_version")
    if made_by != core.code_version() or "scenarios" not in campaign.experiment:
        problem = "the campaign was made by another version of the code, which might answer differently"
        raise InputError(problem, path="--replay", value=condition, allowed="none, or the campaign run again")

    if named := campaign.experiment.get("plugins"):
        if not is_trusted(campaign.path, named_code(campaign.experiment)):
            problem = "the campaign has plug-ins that you have not run before"
            raise InputError(problem, path="--replay", value=condition, allowed="none, or to run the folder before")
        plugins.refuse_changed(named)


def _recorded(place: Path) -> bool:
    return (place / "run.json").exists()


def _traced(scenario: str) -> str:
    """Return a scenario in which every router is traced."""
    traced = json.loads(scenario)
    every = interval(traced["time"]["duration"])
    traced["trace"] |= {"every": every, "flows": [], "routers": ["all"], "sources": [], "packets": False}
    return json.dumps(traced, sort_keys=True, separators=(",", ":"))
