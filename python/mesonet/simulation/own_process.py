"""A run in a process of its own. The process begins fast: it imports the simulator and no analysis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mesonet import plugins
from mesonet.simulation.simulate import simulate_json


def simulate_and_write(scenario: str, seed: int, place: Path, named: Mapping[str, Mapping[str, str]]) -> None:
    """Simulate a run and write its files. `named`: the plug-ins of the campaign, by name."""
    plugins.use(named)
    simulate_json(scenario, seed).write(place)
