"""mesonet: predicts what happens to a large network when a new congestion control is deployed in it.

``scenario`` describes one network, ``simulate`` runs it, ``experiment`` runs many of them by a factorial design into a
campaign folder, ``load`` reads such a folder, ``analysis`` and ``report`` show which conditions cause which behaviour.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

from mesonet.errors import InputError
from mesonet.experiment import experiment
from mesonet.scenario import scenario
from mesonet.simulate import simulate

if TYPE_CHECKING:
    from pathlib import Path

    from mesonet import analysis, designs, report
    from mesonet.campaign.data import Campaign

__all__ = ["InputError", "analysis", "designs", "experiment", "load", "report", "scenario", "simulate"]


def load(path: str | Path) -> Campaign:
    """The campaign in a folder, whatever part of it is done; see `mesonet.campaign.Campaign`."""
    from mesonet.campaign.data import load as load_campaign

    return load_campaign(path)


def __getattr__(name: str) -> Any:  # these import what draws and computes: only when asked for
    if name in ("analysis", "designs", "report"):
        return import_module(f"mesonet.{name}")
    raise AttributeError(f"module 'mesonet' has no attribute {name!r}")


class _Report(ModuleType):
    """``mesonet.report``: a package that can be called, ``mesonet.report(campaign, "report.html")``."""

    def __call__(self, campaign: Campaign, path: str | Path) -> Path:
        written: Path = self.write_report(campaign, path)
        return written


class _Package(ModuleType):
    """This package; Python binds submodules to it by setattr, which is where ``report`` becomes callable."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "report":
            value.__class__ = _Report
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
