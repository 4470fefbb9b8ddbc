"""The build of the Rust tests, with its checks, and the release build that Python uses give equal numbers."""

from __future__ import annotations

import math
import shutil
import subprocess
from pathlib import Path

import pytest

import mesonet as mn
from mesonet import _core

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo to make the other build")
@pytest.mark.parametrize(
    "algorithm", ["tcp", "bic", "ctcp", "cubic", "hstcp", "htcp", "illinois", "fast", "vegas", "westwood"]
)
def test_debug_and_release_agree(algorithm: str, tmp_path: Path) -> None:
    scenario = mn.scenario("abilene", algorithm=algorithm, duration="6 s").with_values(
        {"preset": "sp500_282", "network.speed": "40 seg/ms", "users.base_sources": 5, "users.think_time": "1 s"}
    )
    file = tmp_path / "scenario.json"
    file.write_text(scenario.to_json())
    build = ["cargo", "run", "--quiet", "--profile", "test", "--example", "run"]  # as `make test` has built it
    command = [*build, "--", str(file), "3"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    debug = {tuple(line.split()[:2]): float(line.split()[2]) for line in printed.splitlines() if len(line.split()) == 3}

    simulation = _core.Simulation(scenario.to_json(), 3)
    simulation.advance(math.inf)
    responses = simulation.finish()["responses"]
    release = dict(zip(zip(responses["period"], responses["name"], strict=True), responses["value"], strict=True))

    assert debug.keys() == release.keys()
    assert release["run", "total_segments_dropped"] > 100
    for key, value in release.items():
        assert value == debug[key] or (math.isnan(value) and math.isnan(debug[key])), key
