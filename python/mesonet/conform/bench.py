"""Runs of the algorithm under test: scenarios of this package, simulated once each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from mesonet.conform.samples import Samples
from mesonet.scenarios.scenario import Scenario, load_scenario
from mesonet.simulation.simulate import simulate

SEED = 1
"""Seed of the runs of the contract and of the cases (chosen)."""


def folder() -> Path:
    """Return the folder of the scenarios."""
    return Path(str(files("mesonet.conform"))) / "scenarios"


@dataclass
class Bench:
    """Runs of one algorithm."""

    algorithm: str  #: canonical name of the algorithm, or of a variant
    #: Samples by name, in the order in which they were simulated.
    runs: dict[str, Samples] = field(default_factory=dict)

    def scenario(self, name: str, values: Mapping[str, Any] | None = None) -> Scenario:
        """Return a scenario with the algorithm."""
        source = f"set in {name}.toml"
        chosen = load_scenario(f"{name}.toml", folder()).with_values(values or {}, source)
        chosen = chosen.with_values({"algorithm": self.algorithm})
        chosen.check()
        return chosen

    def samples(self, run: str, name: str, values: Mapping[str, Any] | None = None, seed: int = SEED) -> Samples:
        """Return the samples of a run, which is simulated if it is new."""
        if run not in self.runs:
            chosen = self.scenario(name, values)
            self.runs[run] = Samples(chosen, simulate(chosen, seed))
        return self.runs[run]
