"""Designs of three and more levels, plans of sensitivity analysis, and plans to fill in."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import mesonet
from mesonet import designs
from mesonet.cli.verbs import main
from mesonet.designs.rows import from_document, rows
from mesonet.errors import InputError


def quadratic(x: np.ndarray) -> np.ndarray:
    pairs = [x[:, i] * x[:, j] for i, j in combinations(range(x.shape[1]), 2)]
    return np.column_stack([np.ones(len(x)), x, x**2, *pairs])


def run(*words: str) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 0, result.output
    return result.output


def refused(*words: str) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == 2
    return result.output


@pytest.mark.parametrize(("k", "corners"), [(2, 4), (3, 8), (4, 16), (5, 16), (6, 32), (8, 64)])
@pytest.mark.parametrize("axial", ["face", "rotatable", "spherical"])
def test_central_composite_designs_estimate_the_quadratic_model(k: int, corners: int, axial: str) -> None:
    x = designs.central_composite(k, axial=axial, centre_points=3)
    assert len(x) == corners + 2 * k + 3
    assert np.abs(x).max() == 1
    model = quadratic(x)
    assert np.linalg.matrix_rank(model) == model.shape[1]


def test_variance_of_a_rotatable_design_depends_on_the_distance_alone() -> None:
    x = designs.central_composite(2, axial="rotatable", centre_points=5)
    inverse = np.linalg.inv(quadratic(x).T @ quadratic(x))
    angle = np.linspace(0, 2 * np.pi, 17)
    ring = quadratic(0.7 * np.column_stack([np.cos(angle), np.sin(angle)]))
    variance = np.einsum("ij,jk,ik->i", ring, inverse, ring)
    assert np.ptp(variance) < 1e-12
    faces = designs.central_composite(2, centre_points=5)
    inverse = np.linalg.inv(quadratic(faces).T @ quadratic(faces))
    assert np.ptp(np.einsum("ij,jk,ik->i", ring, inverse, ring)) > 0.01


@pytest.mark.parametrize(("k", "published"), [(3, 15), (4, 27), (5, 46), (6, 54), (7, 62)])
def test_box_behnken_designs_have_the_published_sizes(k: int, published: int) -> None:
    x = designs.box_behnken(k)
    assert len(x) == published
    model = quadratic(x)
    assert np.linalg.matrix_rank(model) == model.shape[1]
    number = (x != 0).sum(axis=0)
    assert (number == number[0]).all()
    assert set((x != 0).sum(axis=1).tolist()) == {0, 2 if k < 6 else 3}


@pytest.mark.parametrize("k", [3, 4, 6, 7, 8, 12, 14, 20, 30])
def test_definitive_screening_keeps_main_effects_clear(k: int) -> None:
    x = designs.definitive_screening(k)
    assert np.allclose(x.T @ x, np.diag((x**2).sum(axis=0)))
    second = np.column_stack([x**2, *(x[:, i] * x[:, j] for i, j in combinations(range(k), 2))])
    assert not (x.T @ second).any()
    assert set((x[:-1] == 0).sum(axis=1).tolist()) <= {0, 1}


@pytest.mark.parametrize("runs", [6, 7, 8])
def test_d_optimal_designs_are_as_good_as_all_choices(runs: int) -> None:
    points = designs.full_factorial({"a": 3, "b": 3})
    model = quadratic(points)
    sizes = [
        np.linalg.slogdet(model[list(c)].T @ model[list(c)]) for c in combinations_with_replacement(range(9), runs)
    ]
    best = max(size for sign, size in sizes if sign > 0)
    assert designs.d_optimal({"a": 3, "b": 3}, runs).efficiency == pytest.approx(np.exp(best / 6) / runs)


def test_d_optimal_runs_stay_among_the_candidates_and_balance_words() -> None:
    points = designs.full_factorial({"a": 5, "b": 5})
    allowed = points[points.sum(axis=1) <= 0.5]
    found = designs.d_optimal({"a": 5, "b": 5}, 9, candidates=allowed)
    assert (found.matrix.sum(axis=1) <= 0.5).all()
    words = designs.d_optimal({"rule": 3, "heat": 2}, 12, model="interactions", categorical=["rule"])
    assert words.parameters == 6
    assert np.unique(words.matrix, axis=0, return_counts=True)[1].tolist() == [2] * 6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: designs.central_composite(1), "not a number of factors"),
        (lambda: designs.central_composite(3, axial="far"), "unknown distance"),
        (lambda: designs.box_behnken(8), "Allowed: 3 to 7"),
        (lambda: designs.box_behnken(3, centre_points=-1), "centre_points = -1"),
        (lambda: designs.definitive_screening(3, centre_points=0), "at least 1"),
        (lambda: designs.d_optimal(3, 9), "supersaturated: 9 runs cannot estimate 10 coefficients"),
        (lambda: designs.d_optimal(3, 12, model="cubic"), "unknown model"),
        (lambda: designs.d_optimal({"a": 2, "b": 3}, 12, model=["a", "a^2"]), "cannot distinguish"),
        (lambda: designs.d_optimal({"a": 2}, 3, categorical=["b"]), 'categorical = "b"'),
        (lambda: designs.d_optimal(2, 6, candidates=[[3, 0]]), "not candidates"),
        (lambda: designs.full_factorial({"a": 1}), "not a number of levels"),
        (lambda: designs.full_factorial({"a": 300, "b": 300}), "too many runs"),
        (lambda: designs.saltelli(3, 41), "such as 40 or 80"),
        (lambda: designs.saltelli(2, 4 * 6), "N a power of 2"),
        (lambda: designs.morris(3, 41), "such as 40 or 44"),
        (lambda: rows(["a"], {"kind": "supersaturated"}), "fewer runs than factors"),
        (lambda: rows(["a", "b"], {"kind": "morris", "runs": 30, "axial": "face"}), "goes with kind central-composite"),
        (lambda: rows(["a", "b"], {"kind": "d-optimal"}), "runs: missing"),
        (lambda: rows(["a", "b"], {"kind": "d-optimal", "runs": 9, "model": 3}), "not a model"),
    ],
)
def test_what_cannot_be_a_design_is_refused(call, message) -> None:
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)


def test_plans_of_saltelli_exchange_one_column_at_a_time() -> None:
    x = designs.saltelli(3, 5 * 16, seed=4).reshape(5, 16, 3)
    for place in range(3):
        assert (x[2 + place, :, place] == x[1, :, place]).all()
        assert (np.delete(x[2 + place], place, axis=1) == np.delete(x[0], place, axis=1)).all()
    assert np.array_equal(designs.saltelli(3, 80, seed=4), x.reshape(-1, 3))
    assert not np.array_equal(designs.saltelli(3, 80, seed=5), x.reshape(-1, 3))


def test_paths_of_morris_change_each_factor_once_by_two_thirds() -> None:
    x = designs.morris(5, 6 * 40).reshape(40, 6, 5)
    steps = np.diff(x, axis=1)
    assert ((np.abs(steps) > 1e-12).sum(axis=2) == 1).all()
    assert np.allclose(np.abs(steps).sum(axis=1), 4 / 3)
    assert np.allclose(np.unique(x.round(9)), [-1, -1 / 3, 1 / 3, 1], atol=1e-8)
    assert np.abs((steps.sum(axis=1) > 0).mean() - 0.5) < 0.1


KINDS = [
    ({"kind": "central-composite"}, 18), ({"kind": "central-composite", "axial": "rotatable", "centre_points": 2}, 16),
    ({"kind": "box-behnken"}, 15), ({"kind": "definitive-screening"}, 9), ({"kind": "d-optimal", "runs": 12}, 12),
    ({"kind": "d-optimal", "runs": 6, "model": ["a", "b", "c", "c^2"]}, 6),
    ({"kind": "saltelli", "runs": 40}, 40), ({"kind": "morris", "runs": 40}, 40),
]  # fmt: skip


def plane(parameters: dict, seed: int) -> dict[str, float]:
    return {"y": 2 * parameters["a"] + parameters["b"] ** 2}


@pytest.mark.parametrize(("table", "conditions"), KINDS)
def test_experiments_of_models_take_the_kinds(table: dict, conditions: int) -> None:
    factors = {"a": (1, 9), "b": (0.5, 2.0), "c": (1.0, 2.5)}
    chosen = mesonet.experiment(model=plane, factors=factors, design=table)
    assert chosen.conditions == conditions
    again = from_document(chosen.rows.document())
    assert np.array_equal(again.matrix, chosen.rows.matrix)
    assert again.design.runs == 0
    assert all(1 <= chosen.condition(n)["a"] <= 9 for n in range(1, conditions + 1))


def test_experiments_of_networks_take_the_kinds(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    text = """
name = "x"
title = "Surface"
scenario = "dumbbell"
algorithms = ["cubic"]

[[factors]]
id = "speed"
path = "network.speed"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "delay"
path = "network.delay_multiplier"
minus = 1
plus = 2

[[factors]]
id = "rule"
levels."aqm.discipline" = ["drop_tail", "codel", "red"]

[design]
"""
    file.write_text(text + 'kind = "d-optimal"\nruns = 14\n')
    chosen = mesonet.experiment(file)
    assert chosen.conditions == 14
    assert {chosen.level_text("rule", x) for x in chosen.rows.matrix[:, 2]} == {"drop_tail", "codel", "red"}
    assert 0 in chosen.rows.matrix[:, 0]
    file.write_text(text + 'kind = "box-behnken"\n')
    with pytest.raises(InputError, match='kind = "d-optimal"'):
        mesonet.experiment(file)


def test_whole_numbers_that_a_design_would_merge_are_refused() -> None:
    for pair, message in (((1, 2), "half-way between 1 and 2"), ((1, 3), "5 settings are too many")):
        factors = {"a": pair, "b": (0.0, 1.0), "c": (0.0, 1.0)}
        with pytest.raises(InputError, match=message):
            mesonet.experiment(model=plane, factors=factors, design={"kind": "central-composite", "axial": "rotatable"})


def test_a_plan_is_in_random_order_within_its_blocks() -> None:
    design = designs.blocks(designs.two_level(["heat", "salt", "stir"]), 2).design
    levels = {"heat": (150, 180), "salt": ("no", "yes"), "stir": (1, 2)}
    found = designs.plan(design, levels, responses=["yield", "cost"], replicates=2, randomise=3)
    assert found.columns == ["run", "standard", "block", "heat", "salt", "stir", "yield", "cost"]
    assert found["run"].to_list() == list(range(1, 17))
    assert found["block"].to_list() == [1] * 8 + [2] * 8
    assert sorted(found["standard"].to_list()) == sorted([*range(1, 9)] * 2)
    assert found["standard"].to_list() != sorted(found["standard"].to_list())
    for row in found.iter_rows(named=True):
        at = design.matrix[row["standard"] - 1].tolist()
        assert [row["heat"], row["salt"], row["stir"]] == [levels[n][x > 0] for n, x in zip(levels, at, strict=True)]
    assert found["yield"].null_count() == 16
    assert found.equals(designs.plan(design, levels, responses=["yield", "cost"], replicates=2, randomise=3))
    assert not found.equals(designs.plan(design, levels, responses=["yield", "cost"], replicates=2, randomise=4))


@pytest.mark.parametrize(
    ("levels", "options", "message"),
    [
        ({"a": (1, 2), "b": ("x", "y")}, {}, "settings between the levels"),
        ({"a": (1, 2), "run": (1, 2)}, {}, "not a name of a column"),
        ({"a": (1, 2)}, {}, "1 factors for a design of 2"),
        ({"a": (1, 2), "b": (1,)}, {}, "at least two"),
        (None, {"responses": ["X1"]}, "responses[0]"),
        (None, {"replicates": 0}, "replicates = 0"),
        (None, {"randomise": -1}, "randomise = -1"),
        (None, {"block": [1]}, "one for each run"),
    ],
)
def test_plans_that_cannot_be_are_refused(levels, options, message) -> None:
    with pytest.raises(InputError) as error:
        designs.plan(designs.central_composite(2), levels, **options)
    assert message in str(error.value)


def test_a_plan_goes_from_the_command_into_the_analysis(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["design", "--factors", "heat=150:180,salt=1:3,stir=no:yes,form=a:b", "--runs", "16", "--csv", "plan.csv"]
    out = run(*words, "--randomise", "5", "--responses", "yield,cost", "--replicates", "2")
    assert "plan in plan.csv" in out
    frame = pl.read_csv("plan.csv")
    assert frame.columns == ["run", "standard", "heat", "salt", "stir", "form", "yield", "cost"]
    assert frame.height == 32
    assert "no column is seen to be a response" in refused("analyze", "plan.csv")
    assert "the file exists" in refused(*words)
    noise = np.random.default_rng(2).normal(size=(2, 32))
    up = (frame["heat"] == 180).to_numpy()
    frame.with_columns(pl.Series("yield", 60 + 8 * up + noise[0]), pl.Series("cost", 5 + noise[1])).write_csv(
        "plan.csv"
    )
    out = run("analyze", "plan.csv")
    assert "yield: 4 factors, 32 values at two levels" in out
    assert "cost: 4 factors, 32 values at two levels" in out
    assert "heat changes yield by" in out


def test_a_surface_goes_from_the_command_into_the_analysis(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("design", "--kind", "central-composite", "--factors", "time=80:90,temp=170:180", "--csv", "plan.csv")
    frame = pl.read_csv("plan.csv")
    peak = 80 - (frame["time"] - 86) ** 2 / 10 - (frame["temp"] - 174) ** 2 / 20
    noise = np.random.default_rng(1).normal(0, 0.01, len(frame))
    frame.with_columns((peak + noise).alias("response")).write_csv("plan.csv")
    out = run("analyze", "plan.csv", "--at", "time=85,temp=175")
    assert "The stationary point is a maximum (proven) at time 86" in out
    assert "temp 174" in out
    assert "lack of fit" in out
    assert "prediction" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--factors", "a=1,b=2"], "levels of each factor"),
        (["--factors", "a=1:1", "--runs", "2"], "each factor and level once"),
        (["--factors", "3", "--runs", "4", "--randomise", "1"], "--csv FILE too"),
        (["--factors", "a=1:2:3,b=1:2,c=1:2", "--kind", "box-behnken"], "3 levels do not go with kind box-behnken"),
        (["--factors", "3", "--runs", "8", "--axial", "face"], "--kind too"),
        (["--factors", "3", "--runs", "8", "--power", "-1"], "--power = -1"),
        (["--factors", "a=x:y,b=1:2", "--kind", "central-composite", "--csv", "x.csv"], "settings between the levels"),
    ],
)
def test_options_of_plans_are_refused(words, message, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refused("design", *words)


@pytest.mark.slow
def test_a_network_on_a_surface_goes_the_whole_line(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.toml").write_text(
        """
name = "net"
title = "Net"
scenario = "dumbbell"
algorithms = ["cubic", "tcp"]
replicates = 2

[set]
"time.duration" = "3 s"

[[factors]]
id = "speed"
path = "network.speed"
minus = "1 seg/ms"
plus = "3 seg/ms"

[[factors]]
id = "delay"
path = "network.delay_multiplier"
minus = 1
plus = 2

[design]
kind = "central-composite"
centre_points = 1
"""
    )
    chosen = mesonet.experiment("net.toml")
    campaign = chosen.run("net", workers=2, progress=False)
    page = mesonet.report(campaign, "net.html").read_text("utf-8")
    assert "central-composite" in page
    (pairs,) = chosen.choices.against("cubic")
    assert {"its middle", "values above its middle"} <= set(pairs.levels.ravel())
    rows = campaign.response("queueing_delay").filter(pl.col("algorithm") == "cubic")
    settings = pl.DataFrame(
        {"condition": range(1, 10), "speed": campaign.rows.matrix[:, 0], "delay": campaign.rows.matrix[:, 1]}
    )
    found = mesonet.analysis.fit_model(rows.join(settings, on="condition"), "value", factors=["speed", "delay"])
    assert found.fit.freedom == 18 - 6
    assert found.lack_of_fit[1].freedom == 9
