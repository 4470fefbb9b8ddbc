"""Campaigns that run until their comparisons are decided: looks, kills, shards, the check of the duration, refusals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import mesonet
from commands import ENVIRONMENT, MESONET
from conftest import Shared
from fragments import holds
from mesonet.analysis.decisions.course import LOOKS, planned_looks
from mesonet.campaign.documents import FEWEST_LOOKED_AT
from mesonet.campaign.ledger import CONDITIONS, LENGTH, REPLICATES_FILE, Ledger
from mesonet.campaign.status import status
from mesonet.cli.verbs import main
from mesonet.designs.rows import rows
from mesonet.errors import InputError
from mesonet.looks.rule import rule_of
from mesonet.reporting.text.looks_text import condition_table, length_table, looks_document, looks_lines, looks_table
from mesonet.reporting.verdicts.checks import condition_checks, length_checks, length_conditions
from mesonet.reporting.verdicts.looks import compared, looks_of
from mesonet.scenarios.timeline import longer

LOOKED = """
name = "looked"
title = "Four flows at a bottleneck, two round trips"
scenario = "bottleneck"
algorithms = ["tcp", "bbr3", "tcp(increase=1.01)"]
seed = 5

[set]
"time.duration" = "20 s"
"time.warmup" = "5 s"
flows = [{ from = "A", to = "B", interface = "1 Gbit/s", count = 4, start_within = "2 s" }]

[[factors]]
id = "X2"
name = "round trip"
path = "network.delay_multiplier"
minus = "20"
plus = "40"
"""
"""The variant of tcp is decided before the last look."""
WIDE = ("--until", "decided", "--margin", "100%", "--at-most", "5")


def command(*arguments: str | Path) -> Result:
    """Run a command in this process."""
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return done


def results(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all results of a campaign, of its longer runs, and of the lists of replicates."""
    wanted = ("responses.parquet", "groups.parquet", REPLICATES_FILE)
    # Folders of runs that a killed process began may vanish meanwhile: os.walk passes over them.
    files = [Path(place, name) for place, _, names in os.walk(folder) for name in names if name in wanted]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


@pytest.fixture(scope="module")
def looked(shared: Shared) -> Path:
    """The folder of a campaign that ran until it was decided, beside the file of its experiment."""

    def make(folder: Path) -> None:
        (folder / "looked.toml").write_text(LOOKED)
        chosen = mesonet.experiment(folder / "looked.toml")
        mesonet.run_until_decided(chosen, folder / "out", margin=1.0, at_most=5, workers=2, progress=False)

    return shared.folder("campaign-looked", make) / "out"


def test_the_first_look_is_after_three_replicates() -> None:
    assert FEWEST_LOOKED_AT == LOOKS[0] == planned_looks(3)[0]
    assert planned_looks() == LOOKS
    assert planned_looks(7) == (3, 4, 5, 6, 7)
    assert planned_looks(40) == (*LOOKS, 18, 27, 40)


@pytest.mark.slow
def test_a_campaign_ends_when_it_is_decided(looked: Path) -> None:
    campaign = mesonet.load(looked)
    found = looks_of(campaign)
    assert found is not None
    assert (found.against, found.margin, found.planned) == ("tcp", 1.0, (3, 4, 5))
    assert [each.name for each in found.each] == ["bbr3", "tcp(increase=1.01)"]
    assert not found.is_open
    assert campaign.counts == {"done": found.runs, "failed": 0, "missing": 0}
    assert found.runs <= found.full
    same = found.each[1]
    assert same.is_decided
    assert all(each.label == "no worse" for each in same.course.decisions)
    assert all(2 <= len(each.course.looks) <= 3 for each in found.each)
    # Every condition has the runs of the last look of its algorithm, and the incumbent the runs of both.
    counts = campaign.runs.group_by("condition", "algorithm").len()
    by_name = {name: rows.sort("condition")["len"].to_list() for (name,), rows in counts.group_by("algorithm")}
    courses = {each.name: each.course.counts for each in found.each}
    assert by_name == {
        "tcp": np.max(list(courses.values()), axis=0).tolist(),
        **{name: each.tolist() for name, each in courses.items()},
    }
    assert status(looked).missing == 0


@pytest.mark.slow
def test_longer_runs_check_the_duration(looked: Path) -> None:
    campaign, long = mesonet.load(looked), mesonet.load(looked / LENGTH)
    found = looks_of(campaign)
    assert found is not None
    checks = length_checks(campaign, found)
    assert checks is not None
    assert (checks.conditions, checks.short_s, checks.missing) == ((1, 2), 20.0, 0)
    durations = {entry["scenario"]["time"]["duration"] for entry in long.experiment["scenarios"]}
    assert durations == {80}
    decided = [each.name for each in found.decided]
    assert sorted(set(long.runs["algorithm"])) == sorted(["tcp", *decided])
    assert {each.name for each in checks.each} == set(decided)
    assert length_table(campaign).height == len(checks.each) > 0


@pytest.mark.slow
def test_new_conditions_check_the_verdicts(looked: Path) -> None:
    campaign, new = mesonet.load(looked), mesonet.load(looked / CONDITIONS)
    found = looks_of(campaign)
    assert found is not None
    checks = condition_checks(campaign, found)
    assert checks is not None
    assert checks.where == ("round trip 30", "round trip 25", "round trip 35")
    multipliers = [entry["scenario"]["network"]["delay_multiplier"] for entry in new.experiment["scenarios"][::3]]
    assert multipliers == [30, 25, 35]
    assert (checks.missing, checks.runs) == (0, new.counts["done"])
    assert {each.name for each in checks.each} == {each.name for each in found.decided}
    assert all(each.label in ("agrees", "objects", "cannot tell") for each in checks.each)
    assert condition_table(campaign).height == len(checks.each) > 0
    mesonet.report(new, looked.parent / "new.html")


@pytest.mark.slow
def test_looks_are_shown_wherever_the_campaign_is(looked: Path, tmp_path: Path) -> None:
    campaign = mesonet.load(looked)
    lines = "\n".join(looks_lines(campaign))
    assert holds(
        lines,
        "3, 4 and 5 replicates",
        "against tcp",
        "100 %",
        "tcp(increase=1.01): no worse",
        "decided",
        "length check",
        "check in 3 new conditions",
    )
    shown = command("experiment", "status", looked).stdout
    assert all(line in shown for line in looks_lines(campaign))
    document = json.loads(command("experiment", "status", looked, "--json").stdout)["looks"]
    assert document == json.loads(json.dumps(looks_document(campaign)))
    assert document["runs"] == campaign.counts["done"] <= document["full"] == 30
    mesonet.report(campaign, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert 'id="looks"' in page
    assert "tcp(increase=1.01): no worse" in page
    assert "against tcp, margin 100 %" in page
    command("analyze", looked, "--figures", "none", "--out", tmp_path)
    table = pl.read_csv(tmp_path / "analysis" / "tables" / "looks.csv")
    assert table["verdict"].to_list() == looks_table(campaign)["verdict"].to_list()
    assert (tmp_path / "analysis" / "tables" / "length_check.parquet").exists()
    assert (tmp_path / "analysis" / "tables" / "condition_check.parquet").exists()


@pytest.mark.slow
def test_further_runs_change_no_look(looked: Path, tmp_path: Path) -> None:
    """Looks follow from the runs that they need: more replicates, as a larger list has them, change nothing."""
    shutil.copytree(looked, tmp_path / "out")
    before = looks_document(mesonet.load(tmp_path / "out"))
    ledger = Ledger(tmp_path / "out")
    document = ledger.document()
    ledger.grow([6] * len(document["scenarios"]))
    from mesonet.campaign.runner import run_missing

    run_missing(ledger, progress=False)
    campaign = mesonet.load(tmp_path / "out")
    assert campaign.counts == {"done": 36, "failed": 0, "missing": 0}
    assert looks_document(campaign) == before
    assert not ledger.grow([3] * 6), "no number falls"


@pytest.mark.process
def test_a_killed_campaign_comes_to_the_same_bytes(looked: Path, tmp_path: Path) -> None:
    file, out = looked.parent / "looked.toml", tmp_path / "out"
    arguments = ["experiment", "run", str(file), *WIDE, "--out", str(out), "--workers", "2"]
    for enough in (5, 30, 45):
        driver = subprocess.Popen(
            [*MESONET, *arguments], env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        parts = ("", "length/", "conditions/")
        while driver.poll() is None and enough > sum(
            len(list(out.glob(f"{part}runs/[!.]*/responses.parquet"))) for part in parts
        ):
            time.sleep(0.02)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    # The command continues without its options, and the folder by its own name.
    command("experiment", "run", file, "--out", out)
    assert results(out) == results(looked)
    command("experiment", "run", out)
    assert results(out) == results(looked)


@pytest.mark.slow
def test_shards_agree(looked: Path, tmp_path: Path) -> None:
    file, out = looked.parent / "looked.toml", tmp_path / "out"
    waits = ""
    for turn in range(20):
        part = f"{1 + turn % 2}/2"
        done = command("experiment", "run", file, *WIDE, "--out", out, "--shard", part, "--workers", "1")
        waits += done.stderr
        if len(results(out)) == len(results(looked)):
            break
    assert holds(waits, "waits for runs")
    assert results(out) == results(looked)


@pytest.mark.slow
def test_a_finished_campaign_continues_until_it_is_decided(tmp_path: Path) -> None:
    (tmp_path / "looked.toml").write_text(LOOKED)
    chosen = mesonet.experiment(tmp_path / "looked.toml", replicates=4)
    first = chosen.run(tmp_path / "out", workers=2, progress=False)
    command("experiment", "run", tmp_path / "out", "--until", "decided", "--margin", "0.6", "--at-most", "4")
    campaign = mesonet.load(tmp_path / "out")
    assert first.runs["key"].to_list() == campaign.runs["key"].to_list(), "its runs were enough"
    found = looks_of(campaign)
    assert found is not None
    assert not found.is_open
    with pytest.raises(InputError, match=r"until its comparisons are decided.*run_until_decided"):
        chosen.run(tmp_path / "out", progress=False)


@pytest.mark.slow
def test_one_condition_without_factors(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(LOOKED.partition("[[factors]]")[0])
    chosen = mesonet.experiment(tmp_path / "one.toml")
    campaign = mesonet.run_until_decided(chosen, tmp_path / "out", margin=1.0, at_most=3, workers=2, progress=False)
    assert campaign.counts["done"] == 9
    found = looks_of(campaign)
    assert found is not None
    assert [len(each.course.looks) for each in found.each] == [1, 1]
    mesonet.report(campaign, tmp_path / "report.html")


@pytest.mark.slow
def test_the_first_look_chooses_responses_and_tolerances(looked: Path) -> None:
    """A later zero has a ratio, and changes neither the responses nor the tolerance of an earlier look."""
    campaign = mesonet.load(looked)
    (before, _) = compared(campaign, "tcp", 0.1)
    rtt = (pl.col("response") == "rtt") & (pl.col("replicate") > FEWEST_LOOKED_AT)
    zero = campaign.responses.with_columns(value=pl.when(rtt).then(0.0).otherwise(pl.col("value")))
    (after, _) = compared(replace(campaign, responses=zero), "tcp", 0.1)
    assert (after.titles, after.atol) == (before.titles, before.atol)
    assert np.array_equal(after.x[:, :3], before.x[:, :3], equal_nan=True)
    place = [each.lower() for each in after.titles].index("round-trip time")
    assert np.nanmin(after.x[:, :, place]) > 0


def test_conditions_of_the_length_check_are_balanced() -> None:
    table = rows(["a", "b", "c", "d", "e"], {"runs": 16})
    chosen = np.array(sorted(length_conditions({"design": table.document()}))) - 1
    assert len(chosen) == 4
    assert (table.matrix[chosen].sum(axis=0) == 0).all(), "both levels of each factor occur twice"
    assert length_conditions({"design": rows(["a"], {}).document()}) == {1, 2}


def test_longer_runs_have_their_events_later() -> None:
    canonical: dict[str, Any] = {
        "time": {"duration": 10, "warmup": 4, "periods": 3},
        "network": {"speed": 5, "changes": [{"time": 6, "speed": 1}]},
        "flows": [{"start": 1, "stop": None, "count": 2}],
        "arrivals": [],
    }
    found = longer(canonical, 4)
    assert found["time"] == {"duration": 40, "warmup": 16, "periods": 3}
    assert found["network"] == {"speed": 5, "changes": [{"time": 24, "speed": 1}]}
    assert found["flows"] == [{"start": 4, "stop": None, "count": 2}]
    assert canonical["time"]["duration"] == 10
    scenario = mesonet.experiment("demo").document()["scenarios"][0]["scenario"]
    assert {key for key in scenario if longer(scenario, 4)[key] != scenario[key]} == {"time"}


@pytest.mark.slow
def test_a_plan_has_the_cost_of_both_ends(tmp_path: Path) -> None:
    (tmp_path / "looked.toml").write_text(LOOKED)
    plan = ["experiment", "plan", tmp_path / "looked.toml", "--until", "decided", "--at-most", "6", "--json"]
    looks = json.loads(command(*plan, "--pilot", "0.2").stdout)["looks"]
    assert (looks["against"], looks["planned"], looks["length_conditions"]) == ("tcp", [3, 4, 5, 6], [1, 2])
    assert looks["full_cpu_s"] == pytest.approx(2 * looks["first_cpu_s"])
    assert looks["length_cpu_s"] == pytest.approx(4 * looks["first_cpu_s"])
    assert looks["new_conditions"] == 3
    assert looks["new_cpu_s"] == pytest.approx(1.5 * looks["first_cpu_s"])
    shown = command(*plan[:-1], "--pilot", "0").stdout
    assert holds(shown, "first look: 18 runs", "all looks: 36 runs", "length check: 18 runs", "new conditions: 27 runs")


REFUSED: list[tuple[list[str], list[str]]] = [
    (["--until", "decided", "--at-most", "2"], ["--at-most", "2", "3"]),
    (["--until", "decided", "--margin", "0"], ["--margin", "not a margin", "10%"]),
    (["--until", "decided", "--margin", "-5%"], ["--margin", "-5%", "10%"]),
    (["--until", "decided", "--margin", "ten"], ["--margin", "ten", "10%"]),
    (["--until", "decided", "--margin", "10"], ["--margin", "1000%", "10%"]),
    (["--until", "settled"], ["--until", "settled", "decided"]),
    (["--until", "decided", "--against", "bbr"], ["against", "bbr", "bbr3"]),
    (["--until", "decided", "--replicates", "5"], ["--replicates", "5", "--at-most"]),
    (["--margin", "5%"], ["--margin", "--until decided"]),
    (["--at-most", "5"], ["--at-most", "--until decided"]),
    (["--until", "decided", "--algorithms", "tcp"], ["one algorithm"]),
    (["--until", "decided", "--algorithms", "fast,scalable"], ["no incumbent", "cubic", "fast, scalable"]),
]


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=lambda each: " ".join(each))
def test_bad_input_is_refused_before_anything_is_written(options: list[str], words: list[str], tmp_path: Path) -> None:
    (tmp_path / "looked.toml").write_text(LOOKED)
    full = ["experiment", "run", str(tmp_path / "looked.toml"), *options, "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(main, full)
    assert done.exit_code == 2
    assert holds(done.output, *words)
    assert not (tmp_path / "out").exists()


def test_another_rule_than_that_of_the_folder_is_refused() -> None:
    document = {**mesonet.experiment("demo").document()}
    held = rule_of(document, against="cubic")
    assert held == {"margin": 0.1, "at_most": 12, "against": "cubic"}
    begun = {**document, "until": held}
    assert rule_of(begun) == rule_of(begun, 0.1, 12, "cubic") == held
    for given, words in (
        ({"margin": 0.2}, "margin = 0.2.*margin = 0.1"),
        ({"at_most": 20}, "at_most = 20.*at_most = 12"),
        ({"against": "bbr3"}, "bbr3.*against|against = cubic"),
    ):
        with pytest.raises(InputError, match=words):
            rule_of(begun, **given)
    for given, words in (({"margin": 0.0}, "margin = 0"), ({"at_most": 2}, "at_most = 2.*at least 3")):
        with pytest.raises(InputError, match=words):
            rule_of(document, **given)


def test_models_are_refused(tmp_path: Path) -> None:
    model = mesonet.experiment(model=["true"], factors={"a": (1, 2)}, name="m")
    with pytest.raises(InputError, match="model"):
        mesonet.run_until_decided(model, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_comparisons_of_the_experiment_are_decided(tmp_path: Path) -> None:
    """Levels of a factor: the looks, their runs, and the longer runs follow from the pairs of conditions."""
    text = LOOKED.replace("seed = 5", 'seed = 5\ncomparisons = ["X2=40 : X2=20"]\ncommon_random_numbers = true')
    (tmp_path / "levels.toml").write_text(
        text.replace('"bbr3", "tcp(increase=1.01)"', '"bbr3"').replace('"20 s"', '"9 s"')
    )
    chosen = mesonet.experiment(tmp_path / "levels.toml")
    campaign = mesonet.run_until_decided(chosen, tmp_path / "out", margin=9.0, at_most=4, workers=2, progress=False)
    found = looks_of(campaign)
    assert found is not None
    assert found.against == ""
    assert [each.name for each in found.each] == ["round trip = 40 (tcp)", "round trip = 40 (bbr3)"]
    assert [each.pairs.scenarios for each in found.each] == [[((2, "tcp"), (1, "tcp"))], [((2, "bbr3"), (1, "bbr3"))]]
    assert campaign.counts == {"done": found.runs, "failed": 0, "missing": 0}
    assert "by the comparisons of the experiment" in " ".join(looks_lines(campaign))
    if found.decided:
        checks = length_checks(campaign, found)
        assert checks is not None
        assert {each.name for each in checks.each} == {each.name for each in found.decided}


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"replicates": [3, 3]}, r"replicates.json: replicates = 2: not a number per scenario.*6"),
    ({"replicates": [-1] * 6}, r"replicates.json: replicates.* = -1.*at least 0"),
    ({"replicates": [10**6] * 6}, r"replicates.json.*too many runs"),
    ({"replicates": [3] * 6, "until": {"margin": 0, "at_most": 4, "against": "tcp"}}, "margin = 0.*more than 0"),
    ({"replicates": [3] * 6, "until": {"margin": 1, "at_most": 2, "against": "tcp"}}, "at_most = 2.*at least 3"),
    ({"replicates": [3] * 6, "until": {"margin": 1, "at_most": 4, "against": "x"}}, 'against = "x".*unknown'),
]


@pytest.mark.parametrize(("content", "words"), BROKEN, ids=lambda each: str(each)[:40])
def test_broken_lists_of_replicates_are_refused(content: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "looked.toml").write_text(LOOKED)
    ledger = Ledger.create(tmp_path / "out", mesonet.experiment(tmp_path / "looked.toml").document())
    (tmp_path / "out" / REPLICATES_FILE).write_text(json.dumps(content))
    with pytest.raises(InputError, match=words):
        ledger.document()


@pytest.mark.slow
def test_a_lost_list_of_replicates_follows_from_the_runs(looked: Path, tmp_path: Path) -> None:
    shutil.copytree(looked, tmp_path / "out")
    (tmp_path / "out" / REPLICATES_FILE).unlink()
    command("experiment", "run", tmp_path / "out", *WIDE)
    assert results(tmp_path / "out") == results(looked)


@pytest.mark.slow
def test_a_cut_experiment_is_restored_with_its_list(looked: Path, tmp_path: Path) -> None:
    shutil.copytree(looked, tmp_path / "out")
    file = tmp_path / "out" / "experiment.json"
    sound = file.read_bytes()
    file.write_bytes(sound[: len(sound) // 2])
    command("experiment", "run", looked.parent / "looked.toml", "--out", tmp_path / "out")
    assert file.read_bytes() == sound


def test_a_folder_of_a_factor_with_three_levels_is_begun_again(tmp_path: Path) -> None:
    levels = LOOKED.replace('path = "network.delay_multiplier"\nminus = "20"\nplus = "40"', "")
    (tmp_path / "three.toml").write_text(levels + 'levels."network.delay_multiplier" = ["20", "30", "40"]\n')
    chosen = mesonet.experiment(tmp_path / "three.toml")
    ledger, _ = chosen.begin(tmp_path / "out")
    again, _ = chosen.begin(tmp_path / "out")
    assert again.document() == ledger.document()
    assert again.document()["factors"][0]["inner"] == ["30"]


@pytest.mark.slow
def test_the_report_has_the_verdicts_and_the_margin_of_the_looks(looked: Path) -> None:
    campaign = mesonet.load(looked)
    found = looks_of(campaign)
    assert found is not None
    by_name = {each["algorithm"]: each for each in mesonet.verdict(campaign) if each["question"] == "replacement"}
    assert set(by_name) == {each.name for each in found.each}
    for each in found.each:
        shown = by_name[each.name]
        assert shown["margin_percent"] == pytest.approx(100 * found.margin)
        labels = {response["response"]: response["verdict"] for response in shown["responses"]}
        decisions = dict(zip(each.pairs.names, each.course.decisions, strict=True))
        assert labels == {name: decision.label for name, decision in decisions.items()}
