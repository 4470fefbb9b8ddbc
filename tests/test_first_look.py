"""The first look at a campaign: which conditions start first, and the verdict that they give while others run."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mesonet
from mesonet.campaign import Campaign
from mesonet.campaign.backlog import RunOptions, backlog
from mesonet.campaign.first_look import CONDITIONS, first_look
from mesonet.campaign.ledger import Ledger, Run, planned
from mesonet.looks import so_far
from mesonet.looks.so_far import SoFar

FACTORS = dict.fromkeys("abcde", (0.0, 1.0))


def shop(given: dict[str, Any], seed: int) -> dict[str, float]:
    """A function for tests: `exact` costs a fifth less than `greedy`."""
    factor = {"greedy": 1.0, "exact": 0.8}[given.get("solver", "greedy")]
    return {"cost": 500 * factor * (1 + given["a"]) * random.Random(seed).lognormvariate(0, 0.01)}


def slow_shop(given: dict[str, Any], seed: int) -> dict[str, float]:
    """`shop`, with runs that outlast a look at the campaign."""
    time.sleep(0.03)
    return shop(given, seed)


def chosen(**how: Any) -> Any:
    about: dict[str, Any] = {
        "model": shop, "factors": FACTORS, "responses": {"cost": {"better": "lower"}}, "replicates": 2, "name": "shop",
        "alternatives": {"solver": ["greedy", "exact"]},
    }  # fmt: skip
    return mesonet.experiment(**(about | how))


def test_the_first_look_balances_levels_and_pairs_of_levels() -> None:
    demo = mesonet.experiment("demo")
    look = first_look(demo.document())
    assert len(set(look)) == CONDITIONS
    levels = demo.rows.matrix[np.array(look) - 1]
    assert (levels.sum(axis=0) == 0).all()
    assert (levels.T @ levels == CONDITIONS * np.eye(levels.shape[1])).all()


def test_the_first_look_is_the_best_next_condition_by_its_definition() -> None:
    """The columns are written out, and each step tries all conditions."""
    design = {"kind": "latin-hypercube", "runs": 40}
    document = chosen(design=design).document()
    matrix = np.array(document["design"]["rows"])
    count = matrix.shape[1]
    pairs = [matrix[:, one] * matrix[:, two] for one in range(count) for two in range(one + 1, count)]
    columns = np.column_stack([matrix, *pairs])
    total, left = np.zeros(columns.shape[1]), list(range(len(matrix)))
    for condition in first_look(document):
        lengths = [((total + columns[place]) ** 2).sum() for place in left]
        total += columns[condition - 1]
        assert (total**2).sum() == pytest.approx(min(lengths))
        left.remove(condition - 1)


def test_a_small_campaign_has_no_first_look() -> None:
    assert first_look(chosen(alternatives=None).document()) == ()
    assert first_look(chosen(factors=dict.fromkeys("abcd", (0.0, 1.0))).document()) == ()


def order(folder: Path, cost: list[float], **how: Any) -> list[Run]:
    document = {**chosen().document(), "expected_cost": cost}
    return backlog(Ledger.create(folder, document), document, ["0" * 32], RunOptions(**how)).runs


def test_runs_of_the_first_look_start_before_the_longest(tmp_path: Path) -> None:
    cost = [1.0 + place / 32 for place in range(32)]
    runs = order(tmp_path / "out", cost)
    look = first_look(chosen().document())
    early, rest = runs[: 2 * CONDITIONS], runs[2 * CONDITIONS :]
    assert [run.condition for run in early] == [condition for condition in look for _ in range(2)]
    assert {run.replicate for run in early} == {1}
    assert [run.condition for run in rest] == sorted((run.condition for run in rest), reverse=True)
    assert len({run.key for run in runs}) == 128


@pytest.mark.parametrize("how", [{"shard": (1, 1)}, {"dask": "tcp://localhost:1"}])
def test_parts_and_clusters_start_with_the_longest(tmp_path: Path, how: dict[str, Any]) -> None:
    runs = order(tmp_path / "out", [1.0 + place / 32 for place in range(32)], **how)
    assert [run.condition for run in runs[:4]] == [32] * 4


def test_one_run_that_is_much_of_the_work_starts_first(tmp_path: Path) -> None:
    assert [run.condition for run in order(tmp_path / "out", [1.0] * 31 + [9.0])[:4]] == [32] * 4


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return chosen().run(tmp_path_factory.mktemp("shop") / "out", workers=2, progress=False)


def runs_of(campaign: Campaign) -> list[Run]:
    version = campaign.provenance["versions"]["code_version"]
    return [run for run in planned(campaign.experiment, version) if run.replicate == 1]


@pytest.mark.process
def test_the_first_verdict_waits_for_the_first_look(whole: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(so_far, "_LEAST_S", 0.0)
    monkeypatch.setattr(so_far.SoFar, "_first_runs", lambda _: {(1, "greedy"), (1, "exact")})
    watch, (one, other, *_) = SoFar(whole.path), runs_of(whole)
    assert watch.learn([]) == []
    assert watch.learn([one]) == []
    assert watch.note() == "first verdict after 1 more"
    lines = watch.learn([other])
    assert lines[0] == "first verdict, after 128 of 128 runs in 32 of 32 conditions:"
    assert lines[1].startswith("  exact: Replace greedy: cost falls by 20 %")
    assert watch.note() == "so far exact: better"
    assert watch.learn(runs_of(whole)) == [], "the next one is in the line of progress, after a while"


@pytest.mark.process
def test_a_campaign_without_a_first_look_prints_none(whole: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(so_far, "_LEAST_S", 0.0)
    monkeypatch.setattr("mesonet.campaign.first_look.first_look", lambda _: ())
    watch = SoFar(whole.path)
    assert watch.learn(runs_of(whole)) == []
    assert watch.note() == ""


@pytest.mark.process
def test_nothing_is_read_before_a_verdict_is_worth_it(whole: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(so_far.SoFar, "_verdicts", lambda _: pytest.fail("too early"))
    watch = SoFar(whole.path)
    assert watch.learn(runs_of(whole)) == []


@pytest.mark.process
def test_the_verdict_is_printed_while_the_campaign_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(so_far, "_LEAST_S", 0.0)
    folder = tmp_path / "out"
    chosen(model=slow_shop).run(folder, workers=2, watch=SoFar(folder))
    shown = capfd.readouterr().err
    assert "first verdict, after" in shown
    assert "  exact: " in shown
    chosen().run(tmp_path / "quiet", workers=2, watch=SoFar(tmp_path / "quiet"), progress=False)
    assert "first verdict" not in capfd.readouterr().err


@pytest.mark.process
def test_a_damaged_file_ends_no_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: Campaign) -> None:
    monkeypatch.setattr(so_far, "_LEAST_S", 0.0)
    (tmp_path / "experiment.json").write_text("{")
    assert SoFar(tmp_path).learn(runs_of(whole)) == []
