"""The verb ``mesonet design`` and the designs of experiment files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from mesonet.cli.verbs import main
from mesonet.designs import by_runs, two_level
from mesonet.experiments.network import experiment


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["design", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def text(*arguments: str) -> str:
    result = call(*arguments)
    assert result.exit_code == 0, result.stderr
    return re.sub(" +", " ", result.stdout)


def document(*arguments: str) -> dict[str, Any]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_json_is_the_whole_design() -> None:
    found = document("--factors", "9", "--resolution", "IV")
    rows = np.array(found["matrix"])
    assert rows.shape == (32, 9)
    assert set(rows.ravel().tolist()) == {-1, 1}
    names = [factor["id"] for factor in found["factors"]]
    again = two_level(names, found["generators"])
    assert np.array_equal(rows, again.matrix)
    assert found["resolution"] == again.resolution == 4
    assert found["word_lengths"] == {"4": 6, "5": 8, "8": 1}
    assert {effect: tuple(others) for effect, others in found["aliases"].items()} == again.aliases
    assert found["clear"] == list(again.clear_interactions)
    assert found["status"] == "minimum aberration"
    assert found["next_larger"]["runs"] == 64
    assert len(found["next_larger"]["clear"]) == 30


def test_text_says_what_a_run_buys() -> None:
    shown = text("--factors", "20", "--runs", "256")
    assert shown.startswith("2^(20-12): 20 factors, 256 runs, best known (Xu 2009)\n")
    assert "160 of 190 two-factor interactions are clear" in shown
    assert "\nthis one 256 IV 160 of 190 5 of 4, 64 of 5, 240 of 6, ... best known (Xu 2009)\n" in shown
    assert "\nnext larger 512 V 190 of 190 16 of 5, 120 of 6, 240 of 7, ... minimum aberration (Xu 2009)\n" in shown
    assert text("--factors", "20", "--resolution", "4").startswith("2^(20-14): 20 factors, 64 runs")
    assert "nothing is aliased" in text("--factors", "3", "--runs", "8")
    assert "\nclear: all two-factor interactions\n" in text("exp-1a")
    assert "\nclear: no two-factor interaction\n" in text("--factors", "7", "--runs", "8")


def test_an_experiment_is_shown_in_its_own_names() -> None:
    shown = text("exp-2a")
    assert "2^(9-4): 9 factors, 32 runs\n224 runs with 7 algorithms and 1 replicate\n" in shown
    assert "X1*X2 = X6*X11 Network speed x Propagation delay multiplier = Larger files x Probability" in shown
    assert "clear: X1*X5, X2*X5, X3*X5, X7*X5, X5*X6, X5*X11, X5*X15, X5*X12\n" in shown
    assert "this one 32 IV 8 of 36 6 of 4, 8 of 5, 1 of 8 given; words as minimum aberration" in shown
    found = document("exp-2a")
    assert np.array_equal(found["matrix"], experiment("exp-2a").design.matrix)
    assert {"id": "X15", "name": "Share of the alternate"} in found["factors"]


def test_a_poor_design_is_shown_beside_the_best_of_its_size() -> None:
    shown = text("sensitivity")
    assert "the best of this size 256 IV 160 of 190" in shown
    assert document("sensitivity")["word_lengths"]["4"] == 70
    assert document("sensitivity", "--name", "min-aberration")["word_lengths"]["4"] == 5


def test_factors_and_generators_by_name() -> None:
    found = document("--factors", "speed, delay,buffer", "--generators", "buffer=-speed*delay")
    assert found["alias_strings"] == [
        ["speed", "-delay*buffer"],
        ["delay", "-speed*buffer"],
        ["buffer", "-speed*delay"],
    ]
    assert "-speed*delay" in text("--factors", "speed,delay,buffer", "--generators", "buffer=-speed*delay")
    assert document("exp-1a", "--resolution", "IV")["runs"] == 16


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "no design is chosen"),
        ("--runs 8", "--factors: missing. Allowed: a number, or ids"),
        ("--factors 9", "no design is chosen"),
        ("--factors 9 --runs 0", "--runs = 0: not a number of runs"),
        ("--factors 9 --runs 33", "a power of 2, 16 to 512 for 9 factors"),
        ("--factors 9 --runs 16 --resolution IV", "at least 32 runs for resolution IV"),
        ("--factors 20 --runs 256 --resolution 5", "at least 512 runs for resolution V"),
        ("--factors 9 --resolution II", '--resolution = "II": not a resolution'),
        ("--factors 9 --resolution 4 --name nist-2012", "choose --resolution or --name"),
        ("--factors 9 --name nist-2012", "--factors = 9: the design nist-2012 is for 20 factors"),
        ("--name nist", "unknown design"),
        ("--factors 1e5 --runs 8", "not factors"),
        ("--factors -3 --runs 8", "--factors = -3"),
        ("--factors 99999 --runs 8", "1 to 32"),
        ("--factors a,a --runs 4", "factor ids must differ"),
        ("--factors a,b,c --generators c=a", "--generators[0]"),
        ("exp-2a --factors 9", "an experiment has its own factors"),
        ("exp-9", "unknown experiment"),
        ("exp-2a --runs 16 --resolution IV", "at least 32 runs"),
        ("exp-2a --foldover X2,X4", '--foldover = "X4": unknown factor'),
        ("exp-2a --foldover all --half X4", '--half = "X4": unknown factor'),
        ("exp-2a --half X1", "a half goes with a foldover"),
        ("exp-2a --blocks 3", "--blocks = 3: not a number of blocks. Allowed: 2, 4, 8, 16"),
        ("exp-2a --blocks 16", "cannot be distinguished from a main effect"),
        ("exp-2a --blocks 2 --foldover all", "choose --blocks or --foldover"),
        ("exp-2a --replicates 0", "--replicates = 0"),
        ("exp-2a --centre-points -1", "--centre-points = -1"),
        ("exp-2a --kind sobols", "nearest: sobol"),
        ("exp-2a --kind sobol", "--runs: missing"),
        ("exp-2a --kind sobol --runs 0", "--runs = 0"),
        ("exp-2a --kind sobol --blocks 2", "--blocks: goes with two-level designs only"),
        ("--kind sobol --runs 4", "--factors: missing"),
        ("exp-2a --kind plackett-burman --runs 10", "--runs = 10"),
        ("exp-2a --kind one-at-a-time --runs 10", "--runs = 10"),
    ],
)
def test_bad_input_is_one_line(arguments: str, message: str) -> None:
    result = call(*arguments.split())
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("mesonet: ")
    assert result.stderr.count("\n") == 1
    assert not result.stdout


def test_what_is_added() -> None:
    shown = text("exp-2a", "--foldover", "X1", "--half=-X5")
    assert "foldover: 16 runs more, 48 in all\nseparated: X1*X2 and X6*X11; " in shown
    assert "\n21 of 36 two-factor interactions are clear then\n336 runs with the additions\n" in shown
    found = document("exp-2a", "--foldover", "X1", "--half=-X5")
    rows = np.array(found["matrix"])
    assert rows.shape == (48, 9)
    assert set(rows[32:, 4].tolist()) == {-1}  # X5 is the fifth
    assert len(found["foldover"]["broken"]) == 9
    assert len(found["foldover"]["clear"]) == 21
    rows = np.array(document("exp-2a", "--replicates", "2", "--centre-points", "3")["matrix"])
    assert rows.shape == (67, 9)
    assert not rows[64:].any()


def test_what_an_experimenter_asks_next() -> None:
    """The defining relation, all words, what a foldover leaves aliased, and the runs themselves."""
    shown = text("--factors", "7", "--runs", "32")
    assert "\ndefining words X1*X2*X3*X6, X1*X2*X4*X5*X7, X3*X4*X5*X6*X7\nwords by length 1 of 4, 2 of 5\n" in shown
    assert document("--factors", "7", "--runs", "32")["relation"] == list(by_runs(7, 32).relation)
    assert ", ... (4,095)\n" in text("--factors", "20", "--runs", "256")
    assert document("--factors", "24", "--runs", "512")["relation"] is None
    folded = text("--factors", "7", "--runs", "16", "--foldover", "X1")
    assert "\nstill aliased: X2*X3 = X4*X6" not in folded
    named = document("--factors", "7", "--runs", "16", "--foldover", "X1")["foldover"]["aliases"]
    left = folded.partition("still aliased: ")[2].partition("\n")[0].split("; ")
    assert {effect for string in left for effect in string.split(" = ")} == {e for e, o in named.items() if o}
    assert "still aliased: no main effect" in text("--factors", "4", "--runs", "8", "--foldover", "X1")
    rows = text("--factors", "3", "--runs", "4", "--rows", "--centre-points", "1").splitlines()[-6:]
    assert [line.split() for line in rows] == [
        ["run", "X1", "X2", "X3"], [*"1--+"], [*"2+--"], [*"3-+-"], [*"4+++"], [*"5000"],
    ]  # fmt: skip
    blocked = text("--factors", "3", "--runs", "8", "--rows", "--blocks", "2").splitlines()[-9:]
    assert blocked[0].split()[:2] == ["run", "block"]
    assert sorted(line.split()[1] for line in blocked[1:]) == [*"11112222"]


def test_blocks() -> None:
    assert "cannot be distinguished from blocks: no two-factor interaction\n" in text("exp-2a", "--blocks", "2")
    found = document("--factors", "5", "--runs", "32", "--blocks", "8")["blocks"]
    assert sorted(found["block"]) == sorted(list(range(1, 9)) * 4)
    assert len(found["confounded"]) == 2


@pytest.mark.parametrize(
    ("arguments", "rows"),
    [
        ("full-factorial", 512),
        ("plackett-burman", 12),
        ("one-at-a-time", 10),
        ("latin-hypercube --runs 7", 7),
        ("sobol --runs 7", 7),
    ],
)
def test_other_kinds(arguments: str, rows: int) -> None:
    found = document("exp-2a", "--kind", *arguments.split())
    assert found["factors"] == ["X1", "X2", "X3", "X7", "X5", "X6", "X11", "X15", "X12"]
    assert np.array(found["matrix"]).shape == (found["runs"], 9) == (rows, 9)
    shown = text("exp-2a", "--kind", *arguments.split())
    assert shown.startswith(f"{arguments.split()[0]}: 9 factors, {rows} runs\n")
    assert shown.count("\n") == 3 + 1 + rows


OWN = """
name = "own"
title = "Five factors"
model = {function = "own.py:own"}
""" + "".join(f'[[factors]]\nid = "{id}"\nminus = 1\nplus = 3\n' for id in "abcde")  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        "",
        'kind = "full-factorial"\ncentre_points = 3',
        'runs = 8\nfoldover = "all"',
        'runs = 8\nfoldover = ["a", "b"]\nhalf = "-c"\ncentre_points = 2',
        "runs = 16\nblocks = 4\nseed = 5",
        "runs = 16\nblocks = 2\ncentre_points = 4",
        'kind = "plackett-burman"\nruns = 12',
        'kind = "one-at-a-time"',
        'kind = "sobol"\nruns = 7\nseed = 3',
        'kind = "latin-hypercube"\nruns = 6\nseed = 3',
    ],
)
def test_design_and_plan_of_an_experiment_agree(asked: str, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def own(parameters, seed):\n    return {'y': 1}\n")
    file = tmp_path / "own.toml"
    file.write_text(f"{OWN}\n[design]\n{asked}\n")
    planned = experiment(file).rows
    found = document(str(file))
    assert np.array_equal(found["matrix"], planned.matrix)
    assert found.get("blocks") is None or tuple(found["blocks"]["block"]) == (planned.block or ())[: found["runs"]]
    assert ("blocks" in asked) == bool(found.get("blocks"))
    shown = text(str(file))
    assert f"{planned.conditions} runs" in shown


def test_options_take_the_place_of_what_an_experiment_adds(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def own(parameters, seed):\n    return {'y': 1}\n")
    file = tmp_path / "own.toml"
    file.write_text(f'{OWN}\n[design]\nruns = 8\nfoldover = "all"\ncentre_points = 3\n')
    assert len(document(str(file), "--half", "a")["matrix"]) == 8 + 4 + 3
    assert len(document(str(file), "--blocks", "2", "--centre-points", "1")["matrix"]) == 8 + 1
    assert len(document(str(file), "--runs", "16")["matrix"]) == 16
    assert len(document(str(file), "--kind", "full-factorial")["matrix"]) == 32
    file.write_text(f'{OWN}\n[design]\nkind = "sobol"\nruns = 7\n')
    assert len(document(str(file), "--runs", "9")["matrix"]) == 9
    assert document(str(file), "--resolution", "IV")["runs"] == 16


def test_an_experiment_of_all_combinations_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "grid.toml"
    levels = '[[factors]]\nid = "X2"\nlevels."network.delay_multiplier" = [1, 2, 4]\n'
    more = '[[factors]]\nid = "X12"\nminus = 2\nplus = 3\n'
    file.write_text(f'name = "grid"\ntitle = "G"\nscenario = "abilene"\nalgorithms = ["tcp"]\n{levels}{more}')
    assert np.array_equal(document(str(file))["matrix"], experiment(file).rows.matrix)
    assert text(str(file)).startswith("grid: 2 factors, 6 runs\nnothing is aliased")
    assert document(str(file), "--runs", "4")["runs"] == 4


@pytest.mark.parametrize(
    ("design", "runs", "resolution"),
    [("runs = 4", 4, 3), ('resolution = "III"', 4, 3), ("runs = 4\nresolution = 3", 4, 3), ("resolution = 4", 8, 4)],
)
def test_experiments_say_it_by_runs_or_resolution(design: str, runs: int, resolution: int, tmp_path: Path) -> None:
    factors = "".join(
        f'[[factors]]\nid = "{id}"\nminus = {minus}\nplus = {plus}\n'
        for id, minus, plus in (("X2", 1, 2), ("X11", 0.2, 0.8), ("X12", 2, 3))
    )
    file = tmp_path / "three.toml"
    file.write_text(
        f'name = "three"\ntitle = "Three"\nscenario = "abilene"\nalgorithms = ["tcp"]\n{factors}[design]\n{design}\n'
    )
    chosen = experiment(file)
    assert (chosen.design.runs, chosen.design.resolution) == (runs, resolution)
    assert np.array_equal(chosen.design.matrix, by_runs(["X2", "X11", "X12"], runs).matrix)
