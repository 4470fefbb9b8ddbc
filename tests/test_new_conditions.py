"""New conditions: their choice, their scenarios, and the check of decided comparisons, with controls that must fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import mesonet
from fragments import holds
from mesonet.analysis import condition_check, decide
from mesonet.analysis.decisions.length import AGREES, OBJECTS
from mesonet.campaign.data import Campaign, without_runs
from mesonet.campaign.ledger import CONDITIONS, EXPERIMENT, REPLICATES_FILE, Ledger, planned
from mesonet.designs.factor import Factor
from mesonet.designs.rows import Rows
from mesonet.designs.spread import between, combinations, far_from, spread
from mesonet.errors import InputError
from mesonet.experiments.new_conditions import NONE, Region, level_text, new_conditions, new_pairs
from mesonet.looks.rule import rule_of
from mesonet.looks.run import run_looks
from mesonet.reporting.campaign_view.view import view_of
from mesonet.reporting.text.answer_text import recommendation
from mesonet.reporting.text.looks_text import condition_table, looks_document, looks_lines
from mesonet.reporting.verdicts.comparisons import comparisons
from mesonet.reporting.verdicts.looks import looks_of
from mesonet.reporting.verdicts.verdict import verdicts

TWO = """
name = "two"
title = "A bottleneck"
scenario = "bottleneck"
algorithms = ["tcp", "cubic"]

[set]
"time.duration" = "10 s"
"time.warmup" = "4 s"
flows = [{ from = "A", to = "B", interface = "1 Gbit/s", count = 4 }]
"""
FACTORS = {
    "speed": ("network.speed", '"40 Mbit/s"', '"80 Mbit/s"'),
    "delay": ("network.delay_multiplier", "1", "2"),
    "buffer": ("network.buffer", '"1 bdp"', '"2 bdp"'),
    "discipline": ("aqm.discipline", '"drop_tail"', '"codel"'),
    "ports": ("network.queue", '"router"', '"port"'),
}
"""Path and levels by id."""


def experiment(folder: Path, *factors: str, first: str = "", design: str = "") -> Any:
    """Return an experiment with some of the factors. `first`, `design`: further text of its file."""
    tables = [
        f'\n[[factors]]\nid = "{id}"\npath = "{FACTORS[id][0]}"\nminus = {FACTORS[id][1]}\nplus = {FACTORS[id][2]}\n'
        for id in factors
    ]
    (folder / "two.toml").write_text(first + TWO + "".join(tables) + design)
    return mesonet.experiment(folder / "two.toml")


def pairs_of(document: Mapping[str, Any]) -> list[Any]:
    """Return the pairs of the comparisons of an experiment."""
    return [each.pairs for each in comparisons(view_of(without_runs(Path(), document)))]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["demo", "aqm", "harmful-control", "mix", "sensitivity-64"])
def test_composed_scenarios_are_those_of_the_experiment(name: str) -> None:
    chosen = mesonet.experiment(name)
    region = Region(chosen.document())
    rng, count = np.random.default_rng(3), chosen.rows.matrix.shape[1]
    inner = [region.has_between(factor, [-1, 1]) for factor in range(count)]
    assert any(inner)
    at_levels = rng.choice([-1.0, 1.0], size=(6, count))
    points = np.where(inner, rng.choice([-0.5, 0.0, 0.5], size=(6, count)), at_levels)
    for matrix in (at_levels, points):
        whole = replace(chosen, rows=Rows("sobol", matrix, chosen.rows.design))
        for number, row in enumerate(matrix, start=1):
            for algorithm in chosen.algorithms[-2:]:
                found, wanted = deepcopy(region.scenario(algorithm, row)), whole.canonical(number, algorithm)
                assert found is not None
                shares = [[each.pop("share") for each in scenario["algorithms"]] for scenario in (found, wanted)]
                assert shares[0] == pytest.approx(shares[1], rel=1e-12)
                assert found == wanted


def test_a_fraction_gets_combinations_that_it_lacks() -> None:
    document = mesonet.experiment("demo").document()
    new = new_conditions(document, pairs_of(document), 4)
    assert new is not None
    rows = np.array(new["design"]["rows"])
    assert rows.shape == (4, 6)
    assert (rows[:, 5] == -rows[:, :5].prod(axis=1)).all(), "of the other half"
    assert (rows.sum(axis=0) == 0).all(), "both levels of each factor occur twice"
    assert new == new_conditions(document, pairs_of(document), 4)
    assert not [each for each in new["scenarios"] if each["scenario"] in [s["scenario"] for s in document["scenarios"]]]


def test_a_full_design_gets_values_between_its_levels(tmp_path: Path) -> None:
    document = experiment(tmp_path, "speed", "delay", "discipline").document()
    new = new_conditions(document, pairs_of(document), 4)
    assert new is not None
    rows = np.array(new["design"]["rows"])
    assert np.abs(rows[:, :2]).max() == 0.5
    assert set(rows[:, 2]) == {-1.0, 1.0}, "words are levels"
    assert new["factors"][0]["inner"] == ["4.16666666666 seg/ms", "5 seg/ms", "5.83333333334 seg/ms"]
    assert "inner" not in new["factors"][2]
    Ledger.create(tmp_path / "new", new).document()
    speeds = {each["scenario"]["network"]["speed"] for each in new["scenarios"]}
    assert min(speeds) > document["scenarios"][0]["scenario"]["network"]["speed"]


def test_words_in_a_full_design_leave_no_new_condition(tmp_path: Path) -> None:
    document = experiment(tmp_path, "discipline", "ports").document()
    assert new_conditions(document, pairs_of(document), 4) is None


def test_samples_get_other_combinations_of_their_values(tmp_path: Path) -> None:
    design = '[design]\nkind = "latin-hypercube"\nruns = 6\n'
    document = experiment(tmp_path, "speed", "delay", design=design).document()
    new = new_conditions(document, pairs_of(document), 4)
    assert new is not None
    (pairs,) = (new_pairs(each, document, new, 4) for each in pairs_of(document))
    assert len(pairs.conditions[0]) == 4
    assert set(pairs.levels.flat) == {"values above its middle", "values below its middle"}


def test_levels_are_compared_in_new_conditions_of_the_other_factors(tmp_path: Path) -> None:
    first = 'comparisons = ["speed=80 Mbit/s : speed=40 Mbit/s", "cubic : tcp"]\n'
    chosen = experiment(tmp_path, "speed", "delay", first=first)
    document = chosen.document()
    new = new_conditions(document, pairs_of(document), 4)
    assert new is not None
    *levels, algorithms = (new_pairs(each, document, new, 4) for each in pairs_of(document))
    matrix = np.array(new["design"]["rows"])
    for each in levels:
        here, there = (matrix[conditions] for conditions in each.conditions)
        assert (here[:, 0] == 1).all()
        assert (there[:, 0] == -1).all()
        assert here[:, 1].tolist() == there[:, 1].tolist() == [0.0, -0.5, 0.5]
        assert each.levels[:, 0].tolist() == ["1.5", "1.25", "1.75"]
    assert len(algorithms.conditions[0]) == 4


def test_far_points_are_not_those_that_are_known() -> None:
    corners = combinations([[-1, 1]] * 3)
    assert spread(corners, 4) == [0, 7, 1, 6]
    assert far_from(corners, corners, 4) == []
    assert far_from(corners, corners[:1], 2, lambda row: row[0] < 0) == [3, 1]
    assert between([-1, 0, 1]) == [-0.75, -0.5, -0.25, 0.25, 0.5, 0.75]
    assert len(combinations([[-1, 1]] * 40)) == 4096


def test_a_level_between_has_a_text_for_any_factor() -> None:
    share = Factor("x", "x", "mixed_share", "0.3", "0.7")
    both = Factor("x", "x", "users.think_time, network.speed", "2 s, 5 seg/ms", "4 s, 9 seg/ms")
    assert [level_text(share, place) for place in (-1, 0, 1)] == ["0.3", "0.5", "0.7"]
    assert level_text(both, 0.5) == "75% of the way from 2 s, 5 seg/ms to 4 s, 9 seg/ms"


def runs(effect: Any, count: int = 4, seed: int = 1) -> tuple[Any, Any]:
    """Return runs of two scenarios whose log ratio is an effect, with a little noise. `effect`: of each condition."""
    rng = np.random.default_rng(seed)
    y = 10 * np.exp(rng.normal(0, 0.02, size=(count, 3)))
    return y * np.exp(np.reshape(np.broadcast_to(effect, count), (count, 1)) + rng.normal(0, 0.02, (count, 3))), y


@pytest.mark.parametrize(
    ("before", "new", "label", "harms"),
    [
        (0.3, 0.3, AGREES, 0),
        (0.3, 0.0, OBJECTS, 0),
        (0.3, -0.3, OBJECTS, 0),
        (0.0, 0.0, AGREES, 0),
        (0.0, 0.3, OBJECTS, 4),
        (0.0, -0.3, AGREES, 0),
        (-0.3, -0.3, AGREES, 0),
        (-0.3, 0.0, OBJECTS, 0),
        (0.0, [-0.2, -0.2, -0.2, 0.5], AGREES, 1),
    ],
)
def test_the_check_has_the_side_of_the_margin(before: float, new: Any, label: str, harms: int) -> None:
    found = decide(*runs(before, 8))
    check = condition_check(found, *runs(new, seed=2))
    assert (check.label, len(check.harms)) == (label, harms)
    assert check.low <= check.mean <= check.high


def test_a_wide_interval_agrees_with_nothing() -> None:
    x, y = runs(0.0)
    wide = condition_check(decide(*runs(0.0, 8)), x * [[1.0, 2.0, 0.5]], y)
    assert wide.label == "cannot tell"
    assert wide.is_open
    nothing = condition_check(decide(*runs(0.0, 8)), np.full((4, 3), np.nan), y)
    assert nothing.label == "cannot tell"


def test_a_dependence_is_checked_at_its_levels() -> None:
    levels = [["low"], ["high"]] * 4
    found = decide(*runs([0.0, 0.3] * 4, 8), design=levels, factors=["x"])
    assert found.verdict == "depends on x"
    new = [["low"], ["high"], ["between"], ["between"]]
    same, opposite = runs([0.0, 0.3, 0.1, 0.2]), runs([0.3, 0.0, 0.1, 0.2])
    assert condition_check(found, *same, design=new, factors=["x"]).label == AGREES
    assert condition_check(found, *opposite, design=new, factors=["x"]).label == OBJECTS
    unclear = condition_check(found, *same, design=[["between"]] * 4, factors=["x"])
    assert (unclear.label, unclear.is_open) == ("cannot tell", False)


Effect = Callable[[Mapping[str, float]], float]


OTHERS = {"cubic": 0.0, "bbr3": 0.6}
"""Log ratios of the other algorithms."""


def places(scenario: Mapping[str, Any]) -> dict[str, float]:
    """Return the places of a scenario between the levels of the factors of `FACTORS`."""
    network = scenario["network"]
    return {
        "speed": 2 * network["speed"] / 3333.333 - 3,
        "delay": 2 * network["delay_multiplier"] - 3,
        "buffer": 2 * network["buffer"]["factor"] - 3,
    }


def decided(chosen: Any, effect: Effect, monkeypatch: pytest.MonkeyPatch, folder: Path) -> tuple[list[str], Campaign]:
    """Return the lines of a campaign whose runs are made up, and the campaign.

    The round-trip time of tcp has this effect at the places of a condition, as a log ratio.
    """

    def made(path: Path) -> Campaign:
        document = Ledger(path).document()
        about, responses = [], []
        for run in planned(document, "code"):
            scenario = mesonet.scenarios.canonical.content(run.scenario)
            rng = np.random.default_rng([run.seed, run.algorithm == "tcp"])
            log = effect(places(scenario)) if run.algorithm == "tcp" else OTHERS[run.algorithm]
            key = {"condition": run.condition, "algorithm": run.algorithm, "replicate": run.replicate}
            about.append({**key, "seed": run.seed, "key": run.key, "status": "done"})
            value = float(np.exp(log + rng.normal(0, 0.01)))
            responses.append(
                {**key, "response": "rtt", "symbol": "", "period": "measured", "unit": "s", "value": value}
            )
        empty = without_runs(path, document)
        return replace(
            empty,
            runs=pl.DataFrame(about, schema_overrides=empty.runs.schema),
            responses=pl.DataFrame(responses, schema=empty.responses.schema),
        )

    monkeypatch.setattr("mesonet.looks.run.load", made)
    monkeypatch.setattr("mesonet.reporting.verdicts.checks.load", made)
    monkeypatch.setattr("mesonet.looks.run.run_missing", lambda *_: None)
    ledger, options = chosen.begin(folder / "out")
    lines: list[str] = []
    run_looks(ledger, options, rule_of(ledger.document()), progress=False, told=lines.append)
    return lines, made(ledger.path)


def corner(at: Mapping[str, float]) -> float:
    """Return 1 at the levels of both factors, and less between."""
    return at["speed"] ** 2 * at["delay"] ** 2


FULL = (("speed", "delay"), "")
HALF = (("speed", "delay", "buffer"), '[design]\ngenerators = ["buffer=speed*delay"]\n')
AGREE, OBJECT = "1 of 1 response agree", "object"
CAMPAIGNS: dict[str, tuple[tuple[tuple[str, ...], str], Effect, list[str]]] = {
    "the same between the levels": (FULL, lambda at: 0.3 + 0.02 * at["speed"], [AGREE]),
    "a gain between the levels": (FULL, lambda at: 0.6 * corner(at) - 0.3, [OBJECT, "worse in the design", "−"]),
    "a harm between the levels": (
        FULL,
        lambda at: 0.3 - 0.3 * corner(at),
        [
            OBJECT,
            "no worse in the design",
            "in a new condition, speed 5 seg/ms (60 Mbit/s), delay 1.5: tcp",
            "worse, +33 %",
        ],
    ),
    "the same in the other half": (HALF, lambda at: 0.3 + 0.02 * at["buffer"], [AGREE]),
    "a gain in the other half": (
        HALF,
        lambda at: 0.3 * at["speed"] * at["delay"] * at["buffer"],
        [OBJECT, "worse in the design", "−26 %"],
    ),
}


@pytest.mark.parametrize(("design", "effect", "words"), CAMPAIGNS.values(), ids=CAMPAIGNS)
def test_campaigns_are_checked_where_they_were_not_run(
    design: tuple[tuple[str, ...], str],
    effect: Effect,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    lines, campaign = decided(experiment(tmp_path, *design[0], design=design[1]), effect, monkeypatch, tmp_path)
    shown = "\n".join(lines)
    assert holds(shown, *words)
    assert (OBJECT in shown) == (words[0] == OBJECT)
    found = looks_of(campaign)
    assert found is not None
    assert all(line in lines for line in looks_lines(campaign)[1:])
    view = view_of(campaign)
    (verdict,) = verdicts(view)
    objection = "Do not decide yet: new conditions object (round-trip time). "
    assert recommendation(view, verdict).startswith(objection) == (words[0] == OBJECT)
    table = condition_table(campaign)
    assert table["verdict"].to_list() == [OBJECTS if words[0] == OBJECT else AGREES]
    document = looks_document(campaign)
    assert document is not None
    assert len(document["new_conditions"]["conditions"]) == 4
    assert (document["new_conditions"]["missing"], document["new_conditions"]["runs"]) == (0, 24)


def test_comparisons_of_one_scenario_have_checks_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first = 'comparisons = ["tcp : cubic", "tcp : bbr3"]\n'
    monkeypatch.setattr("test_new_conditions.TWO", TWO.replace('"cubic"]', '"cubic", "bbr3"]'))
    chosen = experiment(tmp_path, "speed", "delay", first=first)
    lines, campaign = decided(chosen, lambda at: 0.3, monkeypatch, tmp_path)
    assert not [line for line in lines if OBJECT in line]
    table = condition_table(campaign)
    assert table["verdict_of_looks"].to_list() == ["worse", "better"]
    assert table["change"].to_list() == pytest.approx([0.3, -0.3], abs=0.02)


def test_a_comparison_without_new_conditions_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = experiment(tmp_path, "speed", first='comparisons = ["tcp : cubic", "speed=80 Mbit/s : speed=40 Mbit/s"]\n')
    lines, _ = decided(chosen, lambda at: 0.3, monkeypatch, tmp_path)
    assert holds("\n".join(lines), "no new condition for speed =", "(cubic)", NONE, AGREE)


def test_a_folder_of_other_factors_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, campaign = decided(experiment(tmp_path, "speed", "delay"), lambda at: 0.3, monkeypatch, tmp_path)
    other = Ledger.create(tmp_path / "other", experiment(tmp_path, "speed", "buffer").document())
    shutil.copy(other.path / EXPERIMENT, campaign.path / CONDITIONS / EXPERIMENT)
    (campaign.path / CONDITIONS / REPLICATES_FILE).unlink()
    with pytest.raises(InputError, match=r"conditions.*not of this campaign"):
        looks_lines(campaign)


def test_a_campaign_without_new_conditions_names_the_reason(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen = experiment(tmp_path, "discipline", "ports")
    lines, campaign = decided(chosen, lambda at: 0.3, monkeypatch, tmp_path)
    assert holds(lines[-1], NONE)
    assert not (tmp_path / "out" / CONDITIONS).exists()
    assert looks_lines(campaign)[-1] == lines[-1]
