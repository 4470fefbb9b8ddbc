"""Nothing in the current folder is code: modules that somebody planted there are not imported by any process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mesonet
from commands import ENVIRONMENT
from conftest import ONE_FACTOR
from mesonet.processes import process_pool

PLANTED = (
    "altair", "bisect", "codecs", "ctypes", "json", "mesonet", "multiprocessing", "numpy", "pickle", "polars", "random",
    "runpy", "scipy", "signal", "site", "struct", "sysconfig", "threading", "tomllib", "typing", "warnings", "weakref",
)  # fmt: skip


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder in which every module writes to a file if it runs."""
    for name in PLANTED:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + ' ')\nraise SystemExit(3)\n"
        )
    (tmp_path / "tiny.toml").write_text(ONE_FACTOR)
    return tmp_path


def ran(folder: Path) -> str:
    return (folder / "ran").read_text() if (folder / "ran").exists() else ""


@pytest.mark.process
def test_planted_modules_are_found_by_this_test(planted: Path) -> None:
    subprocess.run([sys.executable, "-c", "import json"], cwd=planted, capture_output=True, check=False)
    assert ran(planted) == "json "


@pytest.mark.process
def test_no_verb_runs_a_module_of_the_current_folder(planted: Path) -> None:
    for words in (
        "check tiny.toml --condition 1",
        "experiment plan tiny.toml --pilot 1",
        "experiment run tiny.toml --out campaign",
        "experiment run campaign",
        "experiment status campaign --verify",
        "analyze campaign --figures none",
        "report campaign",
        "export campaign --out table.csv",
        "run dumbbell --duration 1s --out run",
        "list responses",
    ):
        done = subprocess.run(
            [Path(sys.executable).with_name("mesonet"), *words.split()],
            cwd=planted,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, ran(planted)) == (0, ""), f"{words}: {done.stderr}"


@pytest.mark.process
def test_processes_that_draw_import_nothing_from_it(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(planted)
    with process_pool(1) as pool:
        assert pool.submit(abs, -1).result() == 1
    assert ran(planted) == ""


def test_one_place_starts_processes_of_python() -> None:
    starts = re.compile(r"sys\.executable|get_context|multiprocessing\.Process|ProcessPoolExecutor")
    assert {file.name for file in Path(mesonet.__file__).parent.rglob("*.py") if starts.search(file.read_text())} == {
        "processes.py"
    }
