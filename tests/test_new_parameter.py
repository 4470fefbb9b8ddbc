"""A number of endpoints is added in four places: this makes one in a copy of the sources and counts the files.

`test_places` compiles it, with the other templates.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from mesonet import core
from templates import PARAMETER, ROOT, changed, copy

pytestmark = pytest.mark.process

BOUNDS = "crates/sim/src/scenario/bounds.rs"
GENERATED = {"docs/reference/parameters.md", "crates/sim/tests/common/defaults.json"}
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
    """The table of ranges in the source of the simulator, without values over time and constants of disciplines."""
    table = text.partition("const BOUNDS")[2].partition("\n];")[0]
    return [
        {"path": path, "least": float(least), "most": float(most), "above": open_end == "above"}
        for open_end, path, least, most in _ROW.findall(table)
    ]


def test_ranges_are_read_as_the_simulator_has_them() -> None:
    read = {row["path"]: core.Bound(**row) for row in rows((ROOT / BOUNDS).read_text())}  # type: ignore[arg-type]
    known = core.bounds()
    assert {path: bound for path, bound in known.items() if path in read} == read
    assert all(path.startswith(("aqm.", "impairments.")) for path in known.keys() - read.keys())


def test_a_parameter_of_endpoints_has_four_places(tmp_path: Path) -> None:
    assert len(PARAMETER.edits) <= 4
    copy(tmp_path, "crates", "docs/generate.py", "docs/reference", "python/mesonet")
    PARAMETER.apply(tmp_path)
    read = rows((tmp_path / BOUNDS).read_text())
    others = core.bounds().keys() - {row["path"] for row in read}
    ranges = json.dumps([*read, *(asdict(core.bounds()[path]) for path in others)])
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", KNOWS, ranges], cwd=tmp_path, env=environment, capture_output=True, text=True
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
    differ = changed(tmp_path, "crates", "docs", "python")
    assert differ == PARAMETER.edits.keys() | GENERATED, "`make generate` writes the others"
    assert "| `transport.template_tick` | time | `3 ms` |" in (tmp_path / "docs/reference/parameters.md").read_text()
