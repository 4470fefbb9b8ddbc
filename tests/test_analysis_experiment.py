"""Tables of any two-level experiment: known answers of textbooks, levels of every form, and refusals by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from fragments import holds
from mesonet import analysis
from mesonet.cli.verbs import main
from mesonet.errors import InputError

#: Filtration rate of a pilot plant (Montgomery, Design and Analysis of Experiments, section 6.5), in standard order.
RATE = [45, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96]
PLANT = {
    name: [("low", "high")[run >> place & 1] for run in range(16)]
    for place, name in enumerate(["temperature", "pressure", "concentration", "stirring"])
} | {"rate": RATE}
#: Yield of a process with five centre points (Montgomery, section 6.8).
CENTRE = {
    "time": [30, 40, 30, 40, *[35] * 5],
    "heat": [150, 150, 160, 160, *[155] * 5],
    "yield": [39.3, 40.9, 40.0, 41.5, 40.3, 40.5, 40.7, 40.2, 40.6],
}
#: Yield by concentration and catalyst in three replicates (Montgomery, section 6.2).
CATALYST = {
    "concentration": [15, 25, 15, 25],
    "catalyst": [1, 1, 2, 2],
    "I": [28, 36, 18, 31],
    "II": [25, 32, 19, 30],
    "III": [27, 32, 23, 29],
}
NETWORK_WORDS = ("congestion", "network", "tcp", "algorithm", "condition ", "segment", "flow", "goodput", "campaign")


def test_the_pilot_plant_of_montgomery() -> None:
    found = analysis.experiment(PLANT, "rate", unit="gal/h")
    active = dict(zip(found.steps.terms.terms, found.steps.terms.effect.tolist(), strict=True))
    published = {"temperature": 21.625, "temperature*concentration": -18.125, "temperature*stirring": 16.625}
    assert list(active.items())[:5] == [*published.items(), ("stirring", 14.625), ("concentration", 9.875)]
    assert int(found.steps.terms.active.sum()) == 5
    assert found.highest is not None
    assert found.highest.levels == {"temperature": "high", "concentration": "low", "stirring": "high"}
    assert found.highest.predicted == pytest.approx(100.625)
    assert found.notes == ()
    assert holds(found.sentences()[0], "temperature", "rate", "+21.62 gal/h", "59.25 gal/h", "80.88 gal/h")


def test_centre_points_of_montgomery() -> None:
    found = analysis.experiment(CENTRE, "yield")
    assert found.steps.effects.effect == pytest.approx([1.55, 0.65])
    assert found.curvature is not None
    assert found.curvature.difference == pytest.approx(-0.035)
    assert found.curvature.pure_error_sd**2 == pytest.approx(0.043)
    assert any(holds(each, "40.46", "40.42") for each in found.sentences())


def test_wide_replicates_of_montgomery() -> None:
    """Effects of a 2^2 in three replicates; the mean square of its noise is 31.333 / 8."""
    found = analysis.experiment(CATALYST, ["I", "II", "III"])
    assert found.steps.effects.effect == pytest.approx([8 + 1 / 3, -5.0])
    assert found.replicated
    assert found.steps.effects.effect_sd == pytest.approx([np.sqrt(31 + 1 / 3) / np.sqrt(8) / np.sqrt(3)] * 2)
    long = pl.DataFrame(CATALYST).unpivot(index=["concentration", "catalyst"], value_name="yield").drop("variable")
    assert analysis.experiment(long, "yield").steps.effects.t == pytest.approx(found.steps.effects.t)


def test_replicates_are_the_noise_where_a_condition_is_lost() -> None:
    """Only the last run of three is repeated, and the first is lost."""
    table = {"a": [0, 1, 0, 1, 1], "b": [0, 0, 1, 1, 1], "y": [None, 3.0, 2.0, 5.0, 5.5]}
    found = analysis.experiment(table, "y")
    assert found.replicated
    assert found.steps.effects.mode == "replicates"
    assert any(holds(each, "1 of 4") for each in found.notes)


def test_an_alias_is_named() -> None:
    signs = np.array([[1 if run >> place & 1 else -1 for place in range(4)] for run in range(16)])
    wide = {f"x{place}": signs[:, place].tolist() for place in range(4)}
    half = {**wide, "x4": (-signs.prod(axis=1) * signs[:, 0]).tolist()}
    y = 10.0 * signs[:, 1] * signs[:, 2] + np.random.default_rng(1).normal(size=16)
    sentences = analysis.experiment({**half, "y": y.tolist()}, "y").sentences()
    assert any(holds(each, "x1", "depends on x2", "cannot be distinguished from -x3*x4") for each in sentences)


@pytest.mark.parametrize("form", ["pandas", "polars", "lazy", "arrow"])
def test_every_frame_gives_one_result(form: str) -> None:
    frame: Any = pl.DataFrame(PLANT)
    if form == "pandas":
        frame = pytest.importorskip("pandas").DataFrame(PLANT)
    elif form == "arrow":
        frame = pytest.importorskip("pyarrow").table(PLANT)
    elif form == "lazy":
        frame = frame.lazy()
    assert repr(analysis.experiment(frame, "rate")) == repr(analysis.experiment(PLANT, "rate"))


@pytest.mark.parametrize(
    ("low", "high"),
    [(-1, 1), (0, 1), (1840, 1880), (False, True), ("off", "on"), ("low", "high"), ("oil", "water"), ("9", "10")],
)
@pytest.mark.parametrize("turned", [False, True])
def test_levels_of_every_form(low: Any, high: Any, turned: bool) -> None:
    table = {1: [low, high, low, high], "b c": [0, 0, 1, 1], "y": [1.0, 3.0, 2.0, 5.0]}
    if turned:
        table = {name: values[::-1] for name, values in table.items()}
    found = analysis.experiment(table, "y", factors=[1, "b c"])  # type: ignore[list-item]
    assert found.steps.effects.effect.tolist() == [2.5, 1.5]
    assert found.design.factors == ("1", "b c")


def test_blocks_are_shifts() -> None:
    day = ["Mon" if a * b > 0 else "Tue" for a in (-1, 1) for b in (-1, 1)] * 2
    shift = np.array([100.0 if each == "Mon" else 0.0 for each in day])
    table = {
        "a": [0, 0, 1, 1] * 2,
        "b": [0, 1] * 4,
        "day": day,
        "y": shift + np.array([1, 2, 4, 5, 1.1, 2.1, 3.9, 5.2]),
    }
    found = analysis.experiment(table, "y", block="day")
    assert found.steps.effects.effect == pytest.approx([3.0, 1.0], abs=0.2)
    assert found.design.factors == ("a", "b")
    assert any(holds(each, "blocks", "a*b") for each in found.notes)


def test_rows_and_columns_that_are_left_out_are_announced() -> None:
    table = {**CENTRE, "run": list(range(9)), "yield": [None, *CENTRE["yield"][1:]]}
    notes = analysis.experiment(table, "yield", factors=None).notes
    assert any(holds(each, "1 value", "yield", "missing") for each in notes)
    assert any(holds(each, "run", "9 levels") for each in notes)
    wide = {"a": [0, 0, 1, 1, -3, 3], "b": [0, 1, 0, 1, 0, 0], "y": [1.0, 2, 3, 4.5, 0, 9]}
    found = analysis.experiment(wide, "y", factors={"a": (0, 1), "b": (0, 1)})
    assert found.steps.effects.effect.tolist() == [2.25, 1.25]
    assert any(holds(each, "2 values left out") for each in found.notes)


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({}, {"response": "yeld"}, r'response = "yeld": unknown column \(nearest: yield\)'),
        ({}, {"factors": ["hat"]}, 'factors = "hat": unknown column'),
        ({}, {"block": "day"}, 'block = "day": unknown column'),
        ({}, {"factors": "heat"}, 'factors = "heat": not a list of names'),
        ({}, {"factors": ["yield"]}, 'factors = "yield": a factor that is the response'),
        ({}, {"response": []}, "response: no response"),
        ({"yield": [7] * 9}, {}, "response = 7.0: the same in all runs"),
        ({"yield": [None] * 9}, {}, "no value at two levels"),
        ({"yield": ["1"] * 8 + ["one"]}, {}, 'response, yield, row 9 = "one": not a number'),
        ({"yield": [1.0] * 8 + [float("inf")]}, {}, "row 9 = inf: not finite"),
        ({"heat": [150] * 9}, {"factors": ["time", "heat"]}, 'factors, heat = "150": only one level'),
        ({"heat": list(range(9))}, {"factors": ["time", "heat"]}, r'factors, heat = "0, 1, .*: 9 levels.*sensitivity'),
        ({}, {"factors": {"heat": (150, 170)}}, "factors, heat = .*no run has the level 170"),
        ({}, {"factors": {"heat": 150}}, "factors, heat = 150: not a pair of levels"),
        ({"cool": CENTRE["heat"]}, {}, 'factors = "cool": follows from the other factors'),
        ({"x*y": [0, 1, 1, 0, *[0.5] * 5]}, {}, r'"x\*y": \*'),
    ],
)
def test_bad_tables_are_refused_by_name(changes: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        analysis.experiment({**CENTRE, **changes}, **{"response": "yield", **options})


def test_columns_that_are_there_twice_and_no_table_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match='table = "a": a column that is there twice'):
        analysis.experiment(pandas.DataFrame([[1, 2, 3]], columns=["a", "a", "y"]), "y")
    with pytest.raises(InputError, match=r"table = .*no frame"):
        analysis.experiment(3, "y")
    with pytest.raises(InputError, match=r"2 different runs for 2 factors.*at least 3 runs"):
        analysis.experiment({"a": [0, 1], "b": [0, 1], "y": [1, 2]}, "y")


def analyze(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["analyze", *arguments])


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    table = pl.DataFrame(PLANT)
    table.write_csv("plant.csv")
    table.write_csv("plant.tsv", separator="\t")
    table.write_parquet("plant.parquet")
    return tmp_path


def test_the_command_prints_the_answer_without_a_word_of_networks(plant: Path) -> None:
    texts = [analyze(f"plant.{kind}", "--response", "rate").stdout for kind in ("csv", "tsv", "parquet")]
    assert len(set(texts)) == 1
    assert texts[0].rstrip("\n") == repr(analysis.experiment(PLANT, "rate"))
    pl.DataFrame(CENTRE).write_csv("centre.csv")
    printed = texts[0] + analyze("centre.csv", "--response", "yield").stdout
    assert not [word for word in NETWORK_WORDS if word in printed.lower()]


def test_the_command_writes_tables_and_json(plant: Path) -> None:
    result = analyze("plant.csv", "--response", "rate", "--factors", "temperature,stirring", "--out", "out", "--json")
    document = json.loads(result.stdout)
    assert [row["effect"] for row in document["main_effects"]] == [21.625, 14.625]
    assert pl.read_csv("out/levels.csv").rows() == [("temperature", "low", "high"), ("stirring", "low", "high")]
    assert pl.read_parquet("out/terms.parquet").to_dicts() == document["terms"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plant.csv",), "--response: missing"),
        (("plant.csv", "--response", "rat"), '--response = "rat": unknown column'),
        (("plant.csv", "--response", "rate", "--cut", "0.5"), "--cut: has no meaning for a table"),
        (("nowhere.csv", "--response", "rate"), "nowhere.csv: no such file"),
        (("plant.xlsx", "--response", "rate"), '"plant.xlsx": not a table'),
        ((".", "--unit", "g"), "--unit: has no meaning for a campaign"),
        (("bad.parquet", "--response", "rate"), "bad.parquet: not a Parquet file"),
        (("twice.csv", "--response", "y"), 'twice.csv: line 1 = "a": a column that is there twice'),
        (("empty.csv", "--response", "y"), "empty.csv: no rows"),
    ],
)
def test_the_command_refuses_bad_input(plant: Path, arguments: tuple[str, ...], message: str) -> None:
    Path("bad.parquet").write_text("no")
    Path("twice.csv").write_text("a,a,y\n1,2,3\n")
    Path("empty.csv").write_text("a,y\n")
    result = analyze(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
