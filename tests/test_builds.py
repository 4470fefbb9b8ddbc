"""The build of the Rust tests, with its checks, and the release build that Python uses give equal numbers."""

from __future__ import annotations

import json
import math
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet import _core
from mesonet.cli.verbs import main

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent


@pytest.mark.timeout(1800)  # compiles everything if `make test` has not
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
    responses = simulation.finish(["responses"])["responses"]
    release = dict(zip(zip(responses["period"], responses["name"], strict=True), responses["value"], strict=True))

    assert debug.keys() == release.keys()
    assert release["run", "total_segments_dropped"] > 100
    for key, value in release.items():
        assert value == debug[key] or (math.isnan(value) and math.isnan(debug[key])), key


def test_the_build_is_the_fast_one() -> None:
    done = CliRunner().invoke(main, ["--version", "--json"])
    about = json.loads(done.output)
    assert about["profile"] == "release", "build it with `make .venv/.test`"
    assert about["engine"] == "domains"
    assert platform.machine() in about["target"].replace("aarch64", "aarch64 arm64")


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
@pytest.mark.parametrize(("setting", "value"), [("LTO", "thin"), ("CODEGEN_UNITS", "16"), ("OPT_LEVEL", "2")])
def test_a_slow_release_is_not_built(setting: str, value: str, tmp_path: Path) -> None:
    """The script of the build alone, as cargo would run it."""
    script = tmp_path / "script"
    subprocess.run(["rustc", "--edition", "2024", "crates/py/build.rs", "-o", str(script)], cwd=ROOT, check=True)
    out = tmp_path / "release" / "build" / "mesonet-py-0" / "out"
    variables = {
        "CARGO_MANIFEST_DIR": str(ROOT / "crates" / "py"), "OUT_DIR": str(out), "TARGET": "some-machine",
        "PROFILE": "release",
    }  # fmt: skip
    fast = subprocess.run([str(script)], env=variables, capture_output=True, text=True)
    assert fast.returncode == 0, fast.stderr
    assert "cargo:rustc-env=MESONET_PROFILE=release" in fast.stdout
    slow = subprocess.run(
        [str(script)], env={**variables, f"CARGO_PROFILE_RELEASE_{setting}": value}, capture_output=True, text=True
    )
    assert slow.returncode != 0
    assert f"= {value}; mesonet needs" in slow.stderr
    other = {**variables, "OUT_DIR": str(out).replace("release", "quick"), f"CARGO_PROFILE_RELEASE_{setting}": value}
    assert subprocess.run([str(script)], env=other, capture_output=True).returncode == 0
