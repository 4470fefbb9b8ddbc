"""Comparisons of any two scenarios: algorithms, levels, mixes and campaigns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mesonet as mn
from mesonet.designs.factor import Factor
from mesonet.experiments.comparands import Choices

pytestmark = pytest.mark.slow

SPEED = Factor("X1", "Network speed", "network.speed", "40 seg/ms", "160 seg/ms", ("80 seg/ms",))
SHARE = Factor("x", "Share of the newcomer", "mixed_share", "0", "0.3")
SOURCES = Factor("X13", "Distribution of sources", "users.source_distribution", "0.1, 0.6, 0.3", "1/3, 1/3, 1/3")
GRID = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 0, 1)], dtype=float)
CHOICES = Choices(("cubic", "bbr3", "fast(alpha=100)"), (SPEED, SHARE, SOURCES), GRID)


@pytest.mark.parametrize(
    ("text", "algorithms", "levels"),
    [
        ("bbr3 : cubic", ("bbr3", "cubic"), ({}, {})),
        ("fast(alpha=100) : cubic", ("fast(alpha=100)", "cubic"), ({}, {})),
        ("X1=480 Mbit/s : X1=1.92 Gbit/s", (None, None), ({"X1": 0}, {"X1": 2})),
        ("speed = 80 seg/ms:network.speed=40 seg/ms", (None, None), ({"X1": 1}, {"X1": 0})),
        ("share=0.30 : share=0", (None, None), ({"x": 1}, {"x": 0})),
        ("X13=0.1, 0.6, 0.3 : X13=1/3, 1/3, 1/3", (None, None), ({"X13": 0}, {"X13": 1})),
        ("bbr3, X1=40 seg/ms : cubic, X1=80 seg/ms", ("bbr3", "cubic"), ({"X1": 0}, {"X1": 1})),
        ("share=0.3, X13=1/3, 1/3, 1/3, X1=40 seg/ms : X1=40 seg/ms, share=0, X13=1/3, 1/3, 1/3",
         (None, None), ({"x": 1, "X13": 1, "X1": 0}, {"x": 0, "X13": 1, "X1": 0})),
    ],
)  # fmt: skip
def test_both_sides_are_read(text, algorithms, levels):
    one, other = CHOICES.comparison(text)
    assert (one.algorithm, other.algorithm) == algorithms
    assert (dict(one.levels), dict(other.levels)) == levels


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("bbr3", "not two sides"),
        ("bbr3 : cubic : fast", "not two sides"),
        ("bbr3 : reno2", "unknown algorithm"),
        ("bbr3 : bbr3", "both sides are the same"),
        ("bbr3, share=0.3 : cubic", "only one side has a level of x"),
        ("bbr3, share=0.3 : share=0", "only one side names an algorithm"),
        ("share=0.5 : share=0", "no such level"),
        ("colour=1 : colour=2", "unknown factor"),
        ("share=0, share=0.3 : share=0", "a factor is named twice"),
    ],
)
def test_other_texts_are_refused(text, problem):
    with pytest.raises(mn.InputError, match=problem):
        CHOICES.pairs(*CHOICES.comparison(text))


def test_conditions_that_differ_in_the_named_factors_alone_are_pairs():
    found = CHOICES.pairs(*CHOICES.comparison("share=0.3 : share=0"))
    assert [pairs.algorithms for pairs in found] == [(name, name) for name in CHOICES.algorithms]
    one, other = (GRID[places] for places in found[0].conditions)
    assert (one[:, 1] == 1).all()
    assert (other[:, 1] == -1).all()
    assert (one[:, [0, 2]] == other[:, [0, 2]]).all()
    assert len(one) == 6
    assert found[0].factors == ("X1", "X13")
    assert set(found[0].levels[:, 0]) == {"40 seg/ms", "80 seg/ms", "160 seg/ms"}


def test_a_fraction_has_no_such_pairs():
    half = Choices(("cubic",), (SHARE, SOURCES), np.array([[-1.0, -1.0], [1.0, 1.0]]))
    with pytest.raises(mn.InputError, match="no two conditions differ in x alone: the design is a fraction"):
        half.pairs(*half.comparison("share=0.3 : share=0"))


EXPERIMENT = """
name = "upgrade"
title = "A link upgrade, or another algorithm"
scenario = "dumbbell"
algorithms = ["cubic", "bbr3"]
replicates = 3
common_random_numbers = true
comparisons = ["bbr3 : cubic", "speed=24 Mbit/s : speed=12 Mbit/s", "bbr3, speed=12 Mbit/s : cubic, speed=24 Mbit/s"]

[set]
preset = "linux"

[set.time]
duration = "6 s"
warmup = "2 s"

[[factors]]
id = "speed"
path = "network.speed"
minus = "1 seg/ms"
plus = "2 seg/ms"

[[factors]]
id = "delay"
path = "network.delay_multiplier"
minus = 1
plus = 2
"""


@pytest.fixture(scope="module")
def upgrade(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("upgrade")
    (folder / "upgrade.toml").write_text(EXPERIMENT)
    mn.experiment(folder / "upgrade.toml").run(folder / "out", workers=2, progress=False)
    return folder


def test_an_experiment_names_its_comparisons(upgrade):
    found = mn.verdict(mn.load(upgrade / "out"))
    assert [(each["question"], each["algorithm"], each["against"]) for each in found] == [
        ("replacement", "bbr3", "cubic"),
        ("level", "speed = 2 seg/ms (cubic)", "speed = 1 seg/ms"),
        ("level", "speed = 2 seg/ms (bbr3)", "speed = 1 seg/ms"),
        ("level", "bbr3, speed = 1 seg/ms", "cubic, speed = 2 seg/ms"),
    ]
    assert all(each["common_random_numbers"] for each in found)
    assert all(each["recommendation"] for each in found)
    doubled = {change["response"]: change for change in found[1]["responses"]}["goodput of explicit flows"]
    assert doubled["mean"] == pytest.approx(100, abs=15), "twice the rate, twice the throughput"
    assert (doubled["verdict"], doubled["compared"]) == ("better", 2)


def test_a_comparison_is_the_mirror_of_its_opposite(upgrade):
    campaign = mn.load(upgrade / "out")
    (one,), (other,) = (
        mn.verdict(campaign, compare=[text]) for text in ("bbr3 : cubic", "cubic : bbr3")
    )  # fmt: skip
    mirror = {"better": "worse", "worse": "better"}
    for mine, theirs in zip(one["responses"], other["responses"], strict=True):
        assert (1 + mine["mean"] / 100) * (1 + theirs["mean"] / 100) == pytest.approx(1)
        if mine["verdict"] in mirror:
            assert theirs["verdict"] == mirror[mine["verdict"]]


def test_common_random_numbers_give_all_conditions_one_seed(upgrade):
    runs = mn.load(upgrade / "out").runs
    assert runs.group_by("replicate").agg(seeds=runs["seed"].n_unique()).height == 3
    assert runs.group_by("replicate").n_unique()["seed"].to_list() == [1, 1, 1]


def test_a_level_is_an_incumbent(upgrade):
    found = mn.verdict(mn.load(upgrade / "out"), against="speed=1 seg/ms")
    assert [(each["algorithm"], each["against"]) for each in found] == [
        ("speed = 2 seg/ms (cubic)", "speed = 1 seg/ms"),
        ("speed = 2 seg/ms (bbr3)", "speed = 1 seg/ms"),
    ]


def test_another_campaign_is_an_incumbent(upgrade, tmp_path):
    experiment = mn.experiment(upgrade / "upgrade.toml", values={"preset": "standard"})
    experiment.run(tmp_path / "standard", workers=2, progress=False)
    found = mn.verdict(mn.load(upgrade / "out"), against=str(tmp_path / "standard"))
    assert [each["question"] for each in found] == ["campaign", "campaign"]
    assert found[0]["against"] == "standard"
    assert all(each["common_random_numbers"] for each in found)
    (upgrade / "other.toml").write_text(EXPERIMENT.replace('"delay"', '"X2"').replace('name = "upgrade"', 'name = "o"'))
    mn.experiment(upgrade / "other.toml").run(tmp_path / "other", workers=2, progress=False)
    with pytest.raises(mn.InputError, match="its factors differ"):
        mn.verdict(mn.load(upgrade / "out"), against=str(tmp_path / "other"))


def test_bad_comparisons_of_a_file_are_refused(tmp_path):
    (tmp_path / "bad.toml").write_text(EXPERIMENT.replace("speed=24 Mbit/s : speed", "speed=25 Mbit/s : speed"))
    with pytest.raises(mn.InputError) as caught:
        mn.experiment(tmp_path / "bad.toml")
    assert (caught.value.path, caught.value.value) == ("comparisons[1]", "25 Mbit/s")
    assert caught.value.allowed == "1 seg/ms or 2 seg/ms"


def test_new_questions_replace_those_of_the_folder(upgrade):
    """Comparisons are no part of what a campaign runs: the folder takes the new ones, and no run is made again."""
    (upgrade / "new.toml").write_text(EXPERIMENT.replace('"bbr3 : cubic", ', ""))
    before = sorted(path.name for path in (upgrade / "out" / "runs").iterdir())
    campaign = mn.experiment(upgrade / "new.toml").run(upgrade / "out", workers=2, progress=False)
    assert len(campaign.experiment["comparisons"]) == 2
    assert sorted(path.name for path in (upgrade / "out" / "runs").iterdir()) == before
    held = json.loads((upgrade / "out" / "experiment.json").read_text())
    assert held["comparisons"] == campaign.experiment["comparisons"]
    mn.experiment(upgrade / "upgrade.toml").run(upgrade / "out", workers=2, progress=False)
