"""The templates of `tests/templates.py`, built: the simulator has the new responses and the new discipline.

In a copy of the source tree with all three templates: the test that recomputes every response, the tests of all
disciplines in Rust, and a run with the new discipline.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from templates import CALCULATED, COUNTED, DISCIPLINE, ROOT, copy

TARGET = ROOT / "target/places"
NEEDED = ("python", "crates", "docs/generate.py", "docs/reference", "tests")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree with all templates, and its build."""
    if shutil.which("cargo") is None:
        pytest.skip("needs cargo")
    tree = tmp_path_factory.mktemp("tree")
    copy(tree, *NEEDED, "Cargo.toml", "Cargo.lock", "clippy.toml", ".cargo/config.toml", "pyproject.toml")
    for template in (COUNTED, CALCULATED, DISCIPLINE):
        template.apply(tree)
    built = ("cargo", "build", "--quiet", "--profile", "dev-fast", "-p", "mesonet-py")
    make(tree, *built, "--features", "pyo3/extension-module")
    (extension,) = (TARGET / "dev-fast").glob("lib_core.*[!d]")
    shutil.copy2(extension, tree / "python/mesonet/_core.abi3.so")
    make(tree, sys.executable, "docs/generate.py")
    return tree


def make(tree: Path, *command: str) -> str:
    """Return the output of a command in the copy."""
    environment = os.environ | {"PYTHONPATH": str(tree / "python"), "CARGO_TARGET_DIR": str(TARGET)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_new_responses_are_recomputed(tree: Path) -> None:
    make(tree, sys.executable, "-m", "pytest", "tests/test_every_response.py", "tests/test_simulate.py")


def test_a_new_discipline_keeps_the_contract(tree: Path) -> None:
    make(tree, "cargo", "test", "--quiet", "-p", "mesonet-sim", "disciplines")


def test_a_new_discipline_runs(tree: Path) -> None:
    run = (sys.executable, "-m", "mesonet", "run", "bottleneck", "--duration", "12 s", "--set", "time.warmup=4 s")
    shown = make(tree, *run, "--set", "aqm.discipline=template", "--set", "aqm.template_target=5 ms")
    assert "template_count" in shown
    assert "template_ratio" in shown
