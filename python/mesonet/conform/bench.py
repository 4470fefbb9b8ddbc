"""Runs of the algorithm under test: scenarios of this package, simulated once each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from mesonet.algorithms import STACK
from mesonet.conform.samples import Samples
from mesonet.errors import InputError, unknown
from mesonet.files import reading
from mesonet.files.toml import read_toml
from mesonet.scenarios import settings
from mesonet.scenarios.scenario import Scenario, load_scenario
from mesonet.simulation.simulate import simulate

SEED = 1
"""Seed of the runs of the contract and of the cases (chosen)."""


def folder() -> Path:
    """Return the folder of the scenarios."""
    return Path(str(files("mesonet.conform"))) / "scenarios"


def scenario_names() -> list[str]:
    """Return the names of the scenarios of the package."""
    return sorted(path.relative_to(folder()).with_suffix("").as_posix() for path in folder().rglob("*.toml"))


def loaded(name: str) -> Scenario:
    """Return a scenario of the package, or of a file of a user, whose values replace those of its base.

    `name`: name, or path without its ending. The base of a file is a scenario of the package; by default ``base``.
    """
    file = Path(f"{name}.toml")
    if not file.is_absolute():
        return load_scenario(str(file), folder())
    table = read_toml(reading.read_text(file, reading.MOST_TOML_BYTES), str(file))
    base = table.pop("base", "base")
    if base not in scenario_names():
        raise unknown("scenario of mesonet conform", str(base), scenario_names(), file=str(file), path="base")
    chosen = load_scenario(f"{base}.toml", folder())
    title = str(table.pop("title", chosen.title))
    changed = chosen.with_values(settings.flatten(table), f"set in {file}", file.parent)
    return replace(changed, name=file.stem, title=title, file=str(file))


@dataclass
class Bench:
    """Runs of one algorithm."""

    algorithm: str  #: canonical name of the algorithm, or of a variant
    #: Samples by name, in the order in which they were simulated.
    runs: dict[str, Samples] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)  #: values of --set, in every scenario
    has_packets: bool = False  #: True if traced flows have events of single segments
    _scenarios: dict[tuple[str, str], Scenario] = field(default_factory=dict, repr=False)

    @property
    def is_stack(self) -> bool:
        """True if the algorithm is a whole transport stack."""
        return self.algorithm.startswith(STACK)

    def scenario(self, name: str, values: Mapping[str, Any] | None = None) -> Scenario:
        """Return a scenario with the algorithm.

        `name`: of a scenario of the package, or a path without its ending. `values`: values of the check.
        """
        known = name, repr(values or {})
        if known not in self._scenarios:
            self._scenarios[known] = self._scenario(name, values or {})
        return self._scenarios[known]

    def _scenario(self, name: str, values: Mapping[str, Any]) -> Scenario:
        source = f"set in {name}.toml"
        chosen = loaded(name).with_values(values, source)
        chosen = chosen.with_values({"algorithm": self.algorithm})
        for path, value in self.values.items():
            full = settings.resolve(path)
            if full in chosen.settings and full != settings.PRESET:
                problem = f"the scenario {name} or its check sets it, too"
                raise InputError(problem, "--set", path, value, "values that no check sets")
        chosen = chosen.with_values(self.values, "--set")
        chosen.refuse_unused(self.values)
        chosen.check()
        return chosen

    def shown(self) -> dict[str, str]:
        """Return the values of --set: full path and text of each, in the order of their paths."""
        full = {settings.resolve(path): value for path, value in self.values.items()}
        return {path: settings.setting(path, full[path], "--set").text for path in sorted(full)}

    def samples(self, run: str, name: str, values: Mapping[str, Any] | None = None, seed: int = SEED) -> Samples:
        """Return the samples of a run, which is simulated if it is new."""
        if run not in self.runs:
            chosen = self.scenario(name, values)
            if self.has_packets and chosen.value("trace.flows"):
                chosen = chosen.with_values({"trace.packets": True})
            self.runs[run] = Samples(chosen, simulate(chosen, seed))
        return self.runs[run]
