"""A new response and a new queue discipline touch as many files as CONTRIBUTING says: the templates of `templates`.

The Python side is run in a copy of the source tree, with the simulator of this build, which does not know the new
thing. The Rust side is compiled. `verification/test_places.py` builds both and runs them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from templates import CALCULATED, COUNTED, DISCIPLINE, PARAMETER, ROOT, Template, changed, copy

pytestmark = [pytest.mark.process, pytest.mark.slow]
GENERATED = {
    "docs/reference/parameters.md", "docs/reference/responses.md", "docs/reference/tables.md",
    "crates/sim/tests/common/defaults.json",
}  # fmt: skip
"""Files that `make generate` writes, of these things."""
#: The simulator of this build would refuse a scenario with the new thing.
GENERATE = """
import runpy
from mesonet import core
core.check = lambda text: None
runpy.run_path("docs/generate.py")
"""


def python(tree: Path, *words: str) -> str:
    """Return what Python prints with the package of a copy."""
    environment = os.environ | {"PYTHONPATH": str(tree / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def made(template: Template, tree: Path) -> set[str]:
    """Apply a template to a copy, generate, and return the files that differ from the source tree."""
    copy(tree, "python", "crates", "docs/generate.py", "docs/reference", "tests/test_every_response.py")
    template.apply(tree)
    python(tree, "-c", GENERATE)
    differ = changed(tree, "python", "crates", "docs", "tests")
    assert differ - GENERATED == set(template.edits)
    return differ & GENERATED


def test_contributing_says_how_many_files() -> None:
    rows = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    for name, template in (
        ("response that counts", COUNTED),
        ("response that is calculated", CALCULATED),
        ("queue discipline", DISCIPLINE),
    ):
        (row,) = (row for row in rows if row.startswith(f"| {name}"))
        assert f"{len(template.edits)} files" in row
        for path in template.edits:
            folder, _, file = path.rpartition("/")
            assert path in row or file in row or folder in row or "the line that counts" in row, path


@pytest.mark.parametrize(("template", "name"), [(COUNTED, "template_count"), (CALCULATED, "template_ratio")])
def test_python_derives_the_rest_of_a_response_from_its_definition(
    template: Template, name: str, tmp_path: Path
) -> None:
    assert len(template.edits) <= 3
    generated = made(template, tmp_path)
    assert generated == {"docs/reference/responses.md"} | (
        {"docs/reference/tables.md"} if template is COUNTED else set()
    )
    assert f"| {name} |" in (tmp_path / "docs/reference/responses.md").read_text(encoding="utf-8")
    found = python(
        tmp_path, "-c",
        "import json; from mesonet.responses import definitions, sets, tables\n"
        f"name = {name!r}; print(json.dumps([name in sets.SETS['all'].names, name in tables.SERIES.columns, "
        "name in definitions.COUNTS]))",
    )  # fmt: skip
    assert found.split() == str([True, template is COUNTED, template is COUNTED]).lower().split()
    assert name in python(tmp_path, "-m", "mesonet", "list", "responses")


def test_python_derives_the_rest_of_a_discipline_from_its_parameters(tmp_path: Path) -> None:
    assert made(DISCIPLINE, tmp_path) == {"docs/reference/parameters.md", "crates/sim/tests/common/defaults.json"}
    assert '"template_target": 0.02' in (tmp_path / "crates/sim/tests/common/defaults.json").read_text(encoding="utf-8")
    found = python(
        tmp_path, "-c",
        "from mesonet.scenarios.parameters import PARAMETERS, discipline_title\n"
        "print(PARAMETERS['aqm.discipline'].allowed, discipline_title('template'), "
        "PARAMETERS['aqm.template_target'].parse('3 ms'), sep='; ')",
    )  # fmt: skip
    assert found == "drop_tail, red, pie, pi2, codel, fq_codel, template, dualpi2; Template; 0.003\n"


@pytest.mark.timeout(1800)  # the first time the dependencies are compiled, too
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_simulator_compiles_with_all_templates() -> None:
    tree = ROOT / "target/places/tree"
    shutil.rmtree(tree, ignore_errors=True)
    templates = (COUNTED, CALCULATED, DISCIPLINE, PARAMETER)
    edited = {path for template in templates for path in template.edits if (ROOT / path).exists()}
    copy(tree, "crates", "Cargo.toml", "Cargo.lock", ".cargo/config.toml", *edited)
    for template in templates:
        template.apply(tree)
    check = ["cargo", "check", "--quiet", "--offline", "-p", "mesonet-sim"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target/places")}
    done = subprocess.run(check, cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
