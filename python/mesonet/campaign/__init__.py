"""Campaigns: many runs in one folder, made by any number of runners, resumable, and read back as tables.

The folder is the truth. It holds ``experiment.json`` (the experiment), ``provenance.json`` (code and times) and
``runs/KEY/`` with either ``responses.parquet`` and ``run.json`` or, for a failed run, ``failure.json``. A run in
progress is a lease, the file ``runs/.lease-KEY``.

May import the ground, `mesonet.designs`, `mesonet.models`, `mesonet.responses`, `mesonet.scenarios` and
`mesonet.simulation`. `runner.run_missing` makes the missing runs, `status.status` counts the finished
ones, `data.load` reads them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mesonet.campaign.data import Campaign, load

__all__ = ["Campaign", "load"]


def __getattr__(name: str) -> Any:  # the worker processes import this package and need no data frames
    if name in __all__:
        return getattr(import_module("mesonet.campaign.data"), name)
    raise AttributeError(f"module 'mesonet.campaign' has no attribute {name!r}")
