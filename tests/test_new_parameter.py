"""A number of endpoints is added in four places: this makes one in a copy of the sources and counts the files."""

from __future__ import annotations

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from mesonet import core

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
BOUNDS = "crates/sim/src/scenario/bounds.rs"
#: By file: the line above the place, and what the template adds there.
TEMPLATE = {
    "crates/sim/src/scenario.rs": (
        "    pub timer_tick: f64,\n",
        "    /// Time that a test adds to the tick, s.\n    pub template_tick: f64,\n",
    ),
    BOUNDS: ('    from("transport.timer_tick", 0.0, 10.0),\n', '    above("transport.template_tick", 0.0, 2.5),\n'),
    "python/mesonet/scenarios/parameters.py": (
        "    # -- how long, what is measured",
        '    Parameter("transport.template_tick", TIME, "3 ms", "Added to the tick.", "a test"),\n',
    ),
    "crates/sim/src/transport/rtt.rs": ("            tick: picos(parameters.timer_tick", " + parameters.template_tick"),
}
GENERATED = {"docs/reference/parameters.md", "crates/sim/tests/common/defaults.json"}
COPIED = ("Cargo.toml", "Cargo.lock", "crates", "docs/generate.py", "docs/reference", "python/mesonet")
_ROW = re.compile(r'\b(from|above)\("([^"]+)", ([\d._e-]+), ([\d._e-]+)\)')

#: Runs in the copy. The simulator that is built has neither field nor range, so that ranges come from the source.
KNOWS = """
import json, runpy, sys
from dataclasses import asdict
from pathlib import Path
from mesonet import core
from mesonet.cli.scenario_targets import find_scenario
from mesonet.errors import InputError
from mesonet.scenarios.scenario import load_scenario
core.bounds = lambda rows={each["path"]: core.Bound(**each) for each in json.loads(sys.argv[1])}: rows
def refusal(make):
    try:
        return str(make())
    except InputError as error:
        return str(error)
chosen = load_scenario("dumbbell").set("template_tick", "4 ms")
found = {
    "simulator": refusal(chosen.to_json),
    "beyond": refusal(lambda: find_scenario("dumbbell", values=["template_tick=3 s"])),
    "unit": refusal(lambda: find_scenario("dumbbell", values=["transport.template_tick=3"])),
}
core.check = lambda text: None
found["default"] = load_scenario("dumbbell").canonical()["transport"]["template_tick"]
found["set"] = json.loads(chosen.to_json())["transport"]["template_tick"]
found["explained"] = [[e.value, e.source] for e in chosen.explain() if e.path == "transport.template_tick"]
runpy.run_path("docs/generate.py")
print(json.dumps(found))
"""


def rows(text: str) -> list[dict[str, object]]:
    """The table of ranges in the source of the simulator; the files of disciplines have those of their constants."""
    table = text[text.index("const BOUNDS") : text.index("\n];")]
    return [
        {"path": path, "least": float(least), "most": float(most), "above": open_end == "above"}
        for open_end, path, least, most in _ROW.findall(table)
    ]


def differing(copy: Path) -> set[str]:
    """Files of the copy that are not as in the sources, or not there."""
    files = [path.relative_to(copy) for path in copy.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {str(file) for file in files if not filecmp.cmp(copy / file, ROOT / file, shallow=False)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        take = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        take(ROOT / name, folder / name)
    for name, (above, added) in TEMPLATE.items():
        text = (folder / name).read_text()
        assert text.count(above) == 1, f"{name}: the template has its place"
        before = above.startswith("    # --")
        (folder / name).write_text(text.replace(above, added + above if before else above + added))
    return folder


def test_ranges_are_read_as_the_simulator_has_them() -> None:
    read = {row["path"]: core.Bound(**row) for row in rows((ROOT / BOUNDS).read_text())}  # type: ignore[arg-type]
    known = core.bounds()
    assert {path: bound for path, bound in known.items() if path in read} == read
    assert all(path.startswith("aqm.") for path in known.keys() - read.keys())


def test_a_parameter_of_endpoints_has_four_places(copy: Path) -> None:
    assert differing(copy) == set(TEMPLATE)
    assert len(TEMPLATE) <= 4
    read = rows((copy / BOUNDS).read_text())
    of_disciplines = core.bounds().keys() - {row["path"] for row in read}
    ranges = json.dumps([*read, *(asdict(core.bounds()[path]) for path in of_disciplines)])
    environment = {**os.environ, "PYTHONPATH": str(copy / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", KNOWS, ranges], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "unknown field `template_tick`" in found["simulator"], "the canonical form hands it to the simulator"
    assert found["beyond"] == (
        '--set: transport.template_tick = "3 s": too high. Allowed: more than 0 s and at most 2.5 s'
    )
    assert 'write "3 ms"' in found["unit"]
    assert (found["default"], found["set"]) == (0.003, 0.004)
    assert found["explained"] == [["4 ms", "set in code"]]
    assert differing(copy) == set(TEMPLATE) | GENERATED, "`make generate` writes the others"
    assert "| `transport.template_tick` | time | `3 ms` |" in (copy / "docs/reference/parameters.md").read_text()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_simulator_compiles_with_the_parameter(copy: Path) -> None:
    environment = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target/places")}
    check = ["cargo", "check", "--quiet", "--offline", "--locked", "--package", "mesonet-sim"]
    done = subprocess.run(check, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
