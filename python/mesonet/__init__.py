"""mesonet: predicts what happens to a large network when a new congestion control is deployed in it.

``scenario`` describes one network, and ``simulate`` runs it. ``experiment`` runs many networks by a factorial design
into a campaign folder, and ``load`` reads the folder. ``analysis`` and ``report`` show which conditions cause which
behaviour.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mesonet._version import __version__
from mesonet.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from mesonet import analysis, designs
    from mesonet.campaign.data import Campaign
    from mesonet.experiments.network import experiment
    from mesonet.maps.matrix import traffic_matrix
    from mesonet.scenarios.scenario import scenario
    from mesonet.simulation.checkpoint import Checkpoint
    from mesonet.simulation.result import Result
    from mesonet.simulation.simulate import simulate

__all__ = [
    "Checkpoint",
    "InputError",
    "__version__",
    "analysis",
    "designs",
    "experiment",
    "load",
    "plot",
    "report",
    "scenario",
    "simulate",
    "traffic_matrix",
    "verdict",
]


def load(path: str | Path) -> Campaign:
    """Return the campaign in a folder, whatever part of it is done.

    Parameters
    ----------
    path
        The campaign folder.

    Returns
    -------
    The campaign with its tables; see `mesonet.campaign.Campaign`.

    Raises
    ------
    InputError
        If the folder holds no campaign, or a file in it is damaged.
    """
    from mesonet.campaign.data import load as load_campaign

    return load_campaign(path)


def report(campaign: Campaign, path: str | Path, *, against: str | None = None) -> Path:
    """Write the report of a campaign, one HTML file that needs no network.

    Parameters
    ----------
    campaign
        The campaign.
    path
        The file, which is replaced.
    against
        Incumbent of the verdicts; by default the algorithm that all are mixed with, else standard TCP.

    Returns
    -------
    The file.

    Raises
    ------
    InputError
        If the incumbent is no algorithm of the campaign, or the file cannot be written to.
    """
    from mesonet.reporting import write_report

    return write_report(campaign, path, against=against)


def plot(result: Result, *, title: str = "") -> Any:
    """Return the figure of a run: throughput, congestion windows and queueing delay over time.

    Parameters
    ----------
    result
        The run.
    title
        Title of the figure; empty: none.

    Returns
    -------
    An Altair chart. ``mesonet.plots.save`` writes it as .svg, .png, .pdf or .html. Up to six explicit flows have a line
    each; otherwise the lines are the throughput of the network, and means over its flows.
    """
    from mesonet.charts.run_course import run_course
    from mesonet.simulation.courses import courses

    warmup = float(result.provenance["scenario"]["time"]["warmup"])
    subtitle = ["dashed: the end of the warm-up"] if warmup else []
    return run_course(courses(result), warmup=warmup, title=title, subtitle=subtitle)


def verdict(campaign: Campaign, *, against: str | None = None) -> list[dict[str, Any]]:
    """Return the verdicts on the deployment of each algorithm of a campaign, as its report shows them.

    Parameters
    ----------
    campaign
        The campaign.
    against
        As for `report`.

    Returns
    -------
    One entry per algorithm and question (``replacement`` of the incumbent, ``competition`` with it): ``verdict``,
    ``why`` in words, and every judged response with its change in %, interval and largest harm that is not excluded.
    Empty where there is nothing to compare: one algorithm, no incumbent, no results.

    Raises
    ------
    InputError
        If the incumbent is no algorithm of the campaign.
    """
    from mesonet.reporting.campaign_view.view import view_of
    from mesonet.reporting.text.verdict_text import verdict_rows
    from mesonet.units import with_bits

    view = view_of(campaign, against)
    rows = verdict_rows(view) if view.has_results and len(view.algorithms) > 1 else []
    return [{**row, "why": with_bits(row["why"], view.data_bytes)} for row in rows]


#: Module by name: imported on first use, because NumPy, SciPy and Polars take longer to import than all else.
_LATE = {
    "Checkpoint": "mesonet.simulation.checkpoint",
    "experiment": "mesonet.experiments.network",
    "scenario": "mesonet.scenarios.scenario",
    "simulate": "mesonet.simulation.simulate",
    "traffic_matrix": "mesonet.maps.matrix",
}


def __getattr__(name: str) -> Any:
    if name in ("analysis", "designs"):
        return import_module(f"mesonet.{name}")
    if name in _LATE:
        found = globals()[name] = getattr(import_module(_LATE[name]), name)
        return found
    raise AttributeError(f"module 'mesonet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
