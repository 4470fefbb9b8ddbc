"""The simulator for browsers: built from these sources, and equal bit for bit to the module that Python uses."""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mesonet as mn
from mesonet import core
from mesonet.browser import module
from mesonet.simulation.result import TABLES
from supply.wasm import BUILT, digest_of_sources

ROOT = Path(__file__).parents[1]

SHORT = {"duration": "4 s", "warmup": "1 s"}
CASES: dict[str, dict[str, Any]] = {
    "dumbbell, tcp": {"base": "dumbbell", "algorithm": "tcp", "duration": "60 s"},
    "dumbbell, bbr3": {"base": "dumbbell", "algorithm": "bbr3", "preset": "linux", "duration": "30 s"},
    "abilene, tcp and cubic": {"base": "abilene", "algorithm": "tcp=0.5, cubic=0.5", **SHORT},
    "abilene, study": {"base": "abilene", "preset": "sp500_282", "algorithm": "fast", **SHORT},
    "bottleneck, DualPI2": {
        "base": "bottleneck", "algorithm": "prague=0.5, cubic=0.5", "duration": "40 s", "aqm.discipline": "dualpi2",
    },
}  # fmt: skip


def in_node(scenario: mn.Scenario, seed: int, folder: Path) -> dict[str, Any]:
    """Return what the module prints for a run."""
    file = folder / "scenario.json"
    file.write_text(scenario.to_json())
    return run_file(file, seed)


def run_file(file: Path, seed: int | str) -> dict[str, Any]:
    command = ["node", ROOT / "tests" / "run_module.js", BUILT / "mesonet.wasm", BUILT / "mesonet.js", file, str(seed)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_the_module_was_built_from_these_sources() -> None:
    assert module.is_built()
    about = module.built()
    assert about.sources_sha256 == digest_of_sources(), "the Rust sources changed: run `make wasm`"
    assert about.module_sha256 == hashlib.sha256(module.module()).hexdigest()
    assert about.script_sha256 == hashlib.sha256((BUILT / "mesonet.js").read_bytes()).hexdigest()
    assert about.module_bytes == len(module.module())
    assert about.page_bytes == len(module.carriers()[module.MODULE_ID])


needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="needs node; tests/test_playground.py runs a browser"
)


@needs_node
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_response_is_equal_to_the_last_bit(case: str, tmp_path: Path) -> None:
    values = dict(CASES[case])
    scenario = mn.scenario(values.pop("base"), **values)
    there = in_node(scenario, 3, tmp_path)
    assert there["code"] == core.code_version()
    native = core.module().Simulation(scenario.to_json(), 3)
    native.advance(math.inf)
    here = native.finish(TABLES)
    for name, table in there["tables"].items():
        assert {*table} == {*here[name]}, name
        for column, values_there in table.items():
            values_here = [plain(value) for value in here[name][column]]
            assert values_there == values_here, f"{name}.{column}"
    assert there["performance"]["segments_dropped"] > 0


def plain(value: Any) -> Any:
    """Return a cell as JSON has it: no value for what is not finite."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


@needs_node
@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "seed", "message"),
    [
        ("{}", "1", "missing field"),
        ('{"time": {', "1", "EOF"),
        (None, "-1", 'seed: "-1" is no seed; allowed: a whole number from 0 to 18446744073709551615'),
    ],
)
def test_what_is_not_allowed_is_refused_with_a_message(
    text: str | None, seed: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "scenario.json"
    file.write_text(mn.scenario("dumbbell").to_json() if text is None else text)
    answer = run_file(file, seed)
    assert message in answer["error"]
    assert answer["panic"] == ""
