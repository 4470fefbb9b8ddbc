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
    """Return the folder of the scenarios.

    Returns
    -------
    Its path.
    """
    return Path(str(files("mesonet.conform"))) / "scenarios"


@dataclass
class Bench:
    """Runs of one algorithm.

    Attributes
    ----------
    algorithm
        Canonical name of the algorithm, or of a variant.
    runs
        Samples by name, in the order in which they were simulated.
    """

    algorithm: str
    runs: dict[str, Samples] = field(default_factory=dict)

    def scenario(self, name: str, values: Mapping[str, Any] | None = None) -> Scenario:
        """Return a scenario with the algorithm.

        Parameters
        ----------
        name
            Name of a file of the folder, without its ending.
        values
            Values by full path, which replace those of the file.

        Returns
        -------
        The scenario, checked.

        Raises
        ------
        InputError
            If the file or a value is not allowed.
        """
        source = f"set in {name}.toml"
        chosen = load_scenario(f"{name}.toml", folder()).with_values(values or {}, source)
        chosen = chosen.with_values({"algorithm": self.algorithm})
        chosen.check()
        return chosen

    def samples(self, run: str, name: str, values: Mapping[str, Any] | None = None, seed: int = SEED) -> Samples:
        """Return the samples of a run, which is simulated if it is new.

        Parameters
        ----------
        run
            Name of the run. Two runs with one name have one scenario.
        name, values
            As for `scenario`.
        seed
            Seed of the run.

        Returns
        -------
        Its samples.
        """
        if run not in self.runs:
            chosen = self.scenario(name, values)
            self.runs[run] = Samples(chosen, simulate(chosen, seed))
        return self.runs[run]
