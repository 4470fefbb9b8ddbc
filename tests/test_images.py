"""The pictures of the documentation: they show the present demo, and the README states what they show."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

import mesonet

_FILE = Path(__file__).parents[1] / "docs/images/make.py"
_SPEC = importlib.util.spec_from_file_location("make_images", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
make = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(make)

RECORD = json.loads(make.RECORD.read_text(encoding="utf-8"))


def test_the_readme_has_the_answers_of_the_picture():
    (block,) = make.BLOCK.findall(make.README.read_text(encoding="utf-8"))
    assert block == make.lines(RECORD["answers"])


@pytest.mark.parametrize("name", RECORD["pictures"])
def test_a_picture_is_the_one_of_the_record(name):
    assert make.digest(make.HERE / name) == RECORD["pictures"][name], "run `make images`"


@pytest.mark.slow
def test_the_demo_has_the_values_of_the_picture():
    found = make.values(mesonet.experiment("demo"))
    assert found.keys() == RECORD["values"].keys(), "run `make images`"
    for run, values in found.items():
        assert values == pytest.approx(RECORD["values"][run], rel=1e-9), "run `make images`"


def test_the_demo_runs_what_people_use():
    experiment = mesonet.experiment("demo")
    assert experiment.algorithms[0] == "cubic"
    assert "bbr3" in experiment.algorithms
    assert experiment.condition(1).preset == "linux"
