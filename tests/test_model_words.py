"""Campaigns of models speak the language of their experiments."""

from __future__ import annotations

import inspect
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.campaign import Campaign
from mesonet.cli.verbs import main
from mesonet.reporting import report_html, write_analysis
from mesonet.reporting.campaign_view.vocabulary import Vocabulary
from mesonet.words import plural_of
from shown_words import foreign, of_folder, of_page, strings

ALGORITHM = re.compile(r"\balgorithms?\b", re.IGNORECASE)
FACTORS = {"size": (1, 2), "kind": ("easy", "hard"), "heat": (10.0, 30.0)}
RESPONSES: dict[str, Any] = {
    "cost": {"unit": "EUR", "better": "lower"}, "filled": {"share": True, "better": "higher"}, "ratio": "1",
    "gap": {"better": 6, "title": "Gap between doors"}, "rtt": "min",
}  # fmt: skip


def shop(given: dict[str, Any], seed: int) -> dict[str, float]:
    """A function for tests: `exact` costs a fifth less than `greedy`, and `lucky` as much."""
    draw = random.Random(seed)
    factor = {"greedy": 1.0, "exact": 0.8, "lucky": 1.0}[given.get("solver", "greedy")]
    hard = 2 if given["kind"] == "hard" else 1
    return {
        "cost": 500 * factor * given["size"] * hard * draw.lognormvariate(0, 0.01),
        "filled": 0.3 / factor + 0.01 * draw.random() + 0.1 * given["size"],
        "ratio": 500 * factor + draw.random(),
        "gap": 5 + factor + draw.gauss(0, 0.01),
        "rtt": given["heat"] + draw.random(),
    }


def campaign_of(folder: Path, **how: Any) -> Campaign:
    about: dict[str, Any] = {"factors": FACTORS, "responses": RESPONSES, "replicates": 3, "name": "shop"}
    chosen = mn.experiment(model=shop, **(about | how))
    return chosen.run(folder, workers=2, progress=False)


SOLVERS = {"alternatives": {"solver": ["greedy", "exact", "lucky"]}}
LATIN = {
    "design": {"kind": "latin-hypercube", "runs": 9}, "factors": {"size": (1.0, 2.0), "heat": (10.0, 30.0)},
    "values": {"kind": "easy"},
}  # fmt: skip


@pytest.fixture(scope="module")
def solvers(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return campaign_of(tmp_path_factory.mktemp("solvers") / "out", **SOLVERS)


@pytest.mark.process
@pytest.mark.parametrize("how", [SOLVERS, {}, SOLVERS | LATIN], ids=["solvers", "alone", "sampled"])
def test_no_word_of_networks_is_shown(tmp_path: Path, how: dict[str, Any]) -> None:
    campaign = campaign_of(tmp_path / "out", **how)
    texts = set(of_page(report_html(campaign)))
    assert any("Gap between doors" in text for text in texts)
    write_analysis(campaign, tmp_path, figures="chosen", responses=["cost"])
    found = set(of_folder(tmp_path / "analysis"))
    assert foreign(iter(texts | found)) == set()
    # The key of the selections of the page, and the folder of figures, keep their names.
    shown = foreign(iter(texts), ALGORITHM) | foreign((each for each in found if "figures/" not in each), ALGORITHM)
    assert shown <= {"algorithm: algorithm"}


@pytest.mark.process
def test_no_word_of_networks_is_printed(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(f"import random\n\n{inspect.getsource(shop).replace('dict[str, Any]', 'dict')}")
    (tmp_path / "shop.toml").write_text("""
name = "shop"
model = {function = "model.py:shop"}
alternatives = {solver = ["greedy", "exact"]}
replicates = 3
[responses]
cost = {unit = "EUR", better = "lower"}
rtt = "min"
[parameters]
heat = 20
[[factors]]
id = "size"
minus = 1
plus = 2
[[factors]]
id = "kind"
minus = "easy"
plus = "hard"
""")
    file, out = str(tmp_path / "shop.toml"), str(tmp_path / "out")
    printed = []
    for words in (
        ["experiment", "plan", file, "--pilot", "0"], ["experiment", "run", file, "--out", out, "--workers", "2"],
        ["experiment", "status", out], ["report", out, "--json"], ["report", out, "--json", "--against", "exact"],
        ["analyze", out, "--figures", "none", "--against", "exact"],
    ):  # fmt: skip
        done = CliRunner().invoke(main, words, env={"COLUMNS": "200"}, terminal_width=200)
        assert done.exit_code == 0, done.output
        printed.append(done.stdout.replace(str(tmp_path), ""))
    assert "x 2 solvers x" in printed[0]
    assert re.search(r"solver +verdict", printed[1])
    assert [each["verdict"] for each in json.loads(printed[4])["verdicts"]] == ["worse"]
    texts = [*printed[:3], printed[5], *(text for done in printed[3:5] for text in strings(json.loads(done)))]
    assert foreign(iter(texts)) == set()
    assert foreign(iter(texts), ALGORITHM) == set()
    refused = CliRunner().invoke(main, ["report", out, "--against", "swift"])
    assert refused.exit_code == 2
    assert "not a solver of the campaign. Allowed: greedy, exact, a level such as size=1" in refused.output


@pytest.mark.process
def test_alternatives_are_compared(solvers: Campaign) -> None:
    against_first = {each["algorithm"]: each for each in mn.verdict(solvers)}
    assert {name: each["against"] for name, each in against_first.items()} == {"exact": "greedy", "lucky": "greedy"}
    exact = {each["title"]: each for each in against_first["exact"]["responses"]}
    assert {title: each["verdict"] for title, each in exact.items()} == {
        "cost": "better", "filled": "better", "distance of gap between doors from 6": "worse", "ratio": "lower",
        "rtt": "alike",
    }  # fmt: skip
    assert exact["cost"]["mean"] == pytest.approx(-20, abs=1e-6), "equal random numbers"
    assert against_first["lucky"]["verdict"] == "no worse"
    (reverse, _) = mn.verdict(solvers, against="exact")
    assert (reverse["algorithm"], reverse["verdict"]) == ("greedy", "worse")


@pytest.mark.process
def test_without_a_direction_changes_are_stated_and_nothing_is_recommended(solvers: Campaign) -> None:
    words = {key: value for key, value in solvers.experiment["words"].items() if key != "better"}
    neutral = replace(solvers, experiment={**solvers.experiment, "words": words})
    exact = next(each for each in mn.verdict(neutral) if each["algorithm"] == "exact")
    assert exact["verdict"] == "not judged"
    assert "no response has a direction" in exact["recommendation"]
    assert "Lower, and neither is better: cost −20 %" in exact["why"]
    chosen = next(each for each in mn.verdict(neutral, better={"cost": "higher"}) if each["algorithm"] == "exact")
    assert chosen["verdict"] == "worse"
    for wrong, problem in (({"cost": "best"}, "not a direction"), ({"price": "lower"}, "unknown response")):
        with pytest.raises(mn.InputError, match=problem):
            mn.verdict(neutral, better=wrong)


@pytest.mark.process
def test_a_number_is_a_percentage_only_if_it_is_a_share(solvers: Campaign) -> None:
    text = " ".join(of_page(report_html(solvers)))
    assert "50,000 %" not in text
    assert re.search(r"Ratio runs from 4\d\d to 5\d\d;", text)
    assert re.search(r"Filled runs from \d\d to \d\d %;", text)


@pytest.mark.process
def test_texts_of_users_are_kept(tmp_path: Path) -> None:
    chosen = mn.experiment(
        model=shop, factors=FACTORS, responses={"cost": {"title": "Cost of an algorithm"}}, **SOLVERS,
        name="algorithms", title="Which algorithm?",
    )  # fmt: skip
    page = report_html(chosen.run(tmp_path / "out", workers=2, progress=False))
    assert "Which algorithm?" in page
    texts = set(of_page(page))
    assert any("Cost of an algorithm" in text for text in texts)
    assert not any("solver" in text and "Cost of a solver" in text for text in texts)


@pytest.mark.process
def test_another_question_makes_no_new_run(tmp_path: Path) -> None:
    campaign_of(tmp_path / "out", **SOLVERS)
    other = {**RESPONSES, "rtt": {"unit": "min", "better": "higher"}}
    chosen = mn.experiment(model=shop, factors=FACTORS, responses=other, replicates=3, name="shop", **SOLVERS)
    campaign = chosen.run(tmp_path / "out", workers=2, progress=False)
    assert campaign.experiment["words"]["better"]["rtt"] == "higher"
    assert campaign.counts["done"] == 72


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"alternatives": {"a": ["x"], "b": ["y"]}}, "not one kind of alternative"),
        ({"alternatives": {"two words": ["x"]}}, "not a word"),
        ({"alternatives": {"size": ["x", "y"]}}, "the name of the alternatives"),
        ({"alternatives": {"solver": []}}, "not a list of names"),
        ({"alternatives": {"solver": ["x", "x"]}}, "named twice"),
        ({"responses": {"cost": {"better": "best"}}}, "not a direction"),
        ({"responses": {"cost": {"better": True}}}, "not a direction"),
        ({"responses": {"cost": {"unit": "EUR", "share": True}}}, "a share has no unit"),
        ({"responses": {"cost": {"share": "yes"}}}, "not true or false"),
        ({"responses": {"cost": {"title": ""}}}, "not text"),
    ],
)
def test_wrong_words_are_refused(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(mn.InputError, match=problem):
        mn.experiment(model=shop, factors=FACTORS, **wrong)


@pytest.mark.process
def test_a_table_of_the_folder_names_the_alternatives(solvers: Campaign, tmp_path: Path) -> None:
    write_analysis(solvers, tmp_path, figures="none", against="exact")
    decisions = pl.read_parquet(tmp_path / "analysis" / "tables" / "decisions.parquet")
    assert set(decisions["against"]) == {"exact"}
    assert "solver" in pl.read_parquet(tmp_path / "analysis" / "tables" / "responses.parquet").columns


def test_words_and_their_plural() -> None:
    assert [plural_of(noun) for noun in ("policy", "way", "solver", "mesh", "class")] == [
        "policies", "ways", "solvers", "meshes", "classes",
    ]  # fmt: skip
    words = Vocabulary("estimator", ("algorithm X",))
    assert words.text("An algorithm, algorithm X") == "An estimator, algorithm X"
    assert Vocabulary().text("an algorithm") == "an algorithm"
