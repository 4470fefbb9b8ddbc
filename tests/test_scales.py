"""The pilot of scales: equal seeds, the answers that a scale keeps, and the cost of the campaign."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mesonet
from fragments import holds
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.looks.scales import CHANGED, KEPT, OPEN, _answer, compare_scales, deviation

TEXT = """
name = "scales"
title = "T"
scenario = "abilene"
algorithms = ["cubic", "tcp"]
replicates = 2
[set]
network.queue = "port"
network.speed = "80 seg/ms"
network.buffer = "20 ms"
users.base_sources = 10
time.duration = "4 s"
time.warmup = "1 s"
measurement.interval = "100 ms"
[[factors]]
id = "think"
path = "users.think_time"
minus = "2 s"
plus = "5 s"
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "scales.toml").write_text(TEXT)
    return tmp_path / "scales.toml"


def test_runs_are_paired_and_the_largest_is_the_reference(file: Path) -> None:
    chosen = mesonet.experiment(file)
    found = compare_scales(chosen, [1, 0.5, 1], seconds=20)
    assert [each.scale for each in found.scales] == [0.5, 1]
    assert 2 <= found.duration_s <= found.full_duration_s == 4
    assert all((a.difference, a.verdict) == (0, KEPT) for a in found.scales[1].answers.values())
    half = found.scales[0]
    assert 0 < half.cpu_s < found.scales[1].cpu_s
    loads = [load for load, _ in chosen.offered_loads()]
    assert loads[found.condition - 1] == min(loads)
    if found.duration_s == found.full_duration_s:
        condition = mesonet.experiment(file, scale=0.5).condition(found.condition)
        runs = [mesonet.simulate(condition, seed) for seed in (1, 2, 3)]
        assert half.answers["rtt"].value == pytest.approx(sum(run.value("rtt") for run in runs) / 3)
    assert len(found.sentences()) == 1
    assert holds(found.sentences()[0], "0.5", "1")


@pytest.mark.slow
def test_the_command_prints_a_row_and_json_has_the_answers(file: Path) -> None:
    result = call("experiment", "plan", file, "--pilot", "20", "--scales", "0.5, 1", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)["scales"]
    assert [each["scale"] for each in found["scales"]] == [0.5, 1]
    assert found["scales"][1]["answers"]["rtt"]["verdict"] == KEPT
    assert len(found["sentences"]) == 1
    hint = call("experiment", "plan", file, "--pilot", "0", "--scale", "0.5").stdout
    assert holds(hint, "--scales 0.5,1", "--pilot")


def test_a_verdict_needs_its_interval() -> None:
    assert _answer([1.05, 1.04, 1.06], [1.0, 1.0, 1.0], 0).verdict == KEPT
    assert _answer([1.5, 1.4, 1.6], [1.0, 1.0, 1.0], 0).verdict == CHANGED
    assert _answer([1.5, 0.9, 1.1], [1.0, 1.0, 1.0], 0).verdict == OPEN
    assert _answer([float("nan"), 1, 1], [1, 1, 1], 0).verdict == OPEN
    lost = _answer([0.0004] * 3, [0.0] * 3, 0.005)
    assert (lost.verdict, lost.change, deviation("loss_rate", lost)) == (KEPT, None, "+0.04 percentage points")
    assert deviation("rtt", _answer([55.0] * 3, [50.0] * 3, 0)) == "+10 %"


def test_pilots_that_cannot_be_are_refused(file: Path) -> None:
    chosen = mesonet.experiment(file)
    for scales, problem in (([0.5], "one scale"), ([0, 1], "not a scale"), (["x", 1], "not a number")):
        with pytest.raises(InputError, match=f"--scales.*{problem}"):
            compare_scales(chosen, scales, 1)
    with pytest.raises(InputError, match=r"--pilot.*do not fit.*Allowed: (about|more)"):
        compare_scales(chosen, [0.5, 1], 1e-6)
    model = mesonet.experiment(model=["python3", "queue.py"], factors={"x": (1, 2)}, responses={"y": {}})
    with pytest.raises(InputError, match=r"--scales.*networks only"):
        mesonet.compare_scales(model, [0.5, 1])
