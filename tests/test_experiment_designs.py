"""Designs of every kind in experiment files, and factors on anything that a scenario has."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet
from fragments import holds
from mesonet import designs
from mesonet.campaign.ledger import Run
from mesonet.campaign.pilot import Cost, _ratio, _spread
from mesonet.cli.experiment_plan import cost_lines, heading
from mesonet.cli.verbs import main
from mesonet.designs.rows import from_document, rows
from mesonet.errors import InputError
from mesonet.experiments.network import Experiment
from mesonet.scenarios.derived import segment_hops

FILE = """
name = "five"
title = "Five factors"
scenario = "abilene"
algorithms = ["cubic", "fast"]

[set]
"time.duration" = "2 s"
"users.base_sources" = 2

[[factors]]
id = "X1"
minus = "40 seg/ms"
plus = "80 seg/ms"

[[factors]]
id = "X2"
minus = 1
plus = 2

[[factors]]
id = "X3"
minus = "0.5 bdp"
plus = "1 bdp"

[[factors]]
id = "beta"
path = "parameters.cubic.beta"
minus = 0.5
plus = 0.7

[[factors]]
id = "target"
path = "parameters.fast.alpha"
minus = 10
plus = 200
"""
IDS = ["X1", "X2", "X3", "beta", "target"]


def five(tmp_path: Path, design: str) -> Experiment:
    file = tmp_path / "five.toml"
    file.write_text(f"{FILE}\n[design]\n{design}\n")
    chosen = mesonet.experiment(file)
    assert isinstance(chosen, Experiment)
    return chosen


def test_constants_of_algorithms_are_factors(tmp_path: Path) -> None:
    chosen = five(tmp_path, "runs = 8")
    place = 1 + int(np.argmax(chosen.design.matrix[:, 3] > 0))
    (mix,) = chosen.condition(place, "cubic").canonical()["algorithms"]
    assert mix["parameters"]["beta"] == 0.7
    place = 1 + int(np.argmax(chosen.design.matrix[:, 4] > 0))
    (mix,) = chosen.condition(place, "fast").canonical()["algorithms"]
    assert mix["parameters"]["alpha"] == 200
    keys = chosen.plan().filter(algorithm="cubic")["key"]
    assert keys.n_unique() == 8, "a condition stays one of its own, by its seed, where a factor does not touch it"


@pytest.mark.parametrize(
    ("design", "conditions", "block"),
    [
        ("", 32, None),
        ('kind = "full-factorial"\ncentre_points = 3', 35, None),
        ('resolution = "III"', 8, None),
        ('runs = 8\nfoldover = "all"', 16, (1,) * 8 + (2,) * 8),
        ('runs = 8\nfoldover = ["X1"]\nhalf = "-X2"', 12, (1,) * 8 + (2,) * 4),
        ("runs = 16\nblocks = 2", 16, None),
        ('kind = "plackett-burman"', 8, None),
        ('kind = "plackett-burman"\nruns = 12', 12, None),
        ('kind = "one-at-a-time"', 6, None),
        ('kind = "sobol"\nruns = 5\nseed = 3', 5, None),
        ('kind = "latin-hypercube"\nruns = 6', 6, None),
    ],
)
def test_every_kind_of_design(tmp_path: Path, design: str, conditions: int, block: tuple[int, ...] | None) -> None:
    chosen = five(tmp_path, design)
    document = json.loads(json.dumps(chosen.document()))
    assert chosen.conditions == conditions
    assert len(document["scenarios"]) == 2 * conditions
    again = from_document(document["design"])
    assert np.array_equal(again.matrix, chosen.rows.matrix)
    assert np.array_equal(again.design.matrix, chosen.design.matrix)
    assert again.design.aliases == chosen.design.aliases
    assert again.block == chosen.rows.block
    if block:
        assert chosen.rows.block == block
    if "blocks" in design:
        assert sorted(set(chosen.rows.block or ())) == [1, 2]
        assert "block" in chosen.plan().columns
    speeds = [chosen.condition(number).value("network.speed") for number in range(1, conditions + 1)]
    assert speeds == pytest.approx([60_000 + 20_000 * place for place in chosen.rows.matrix[:, 0]])
    buffers = [chosen.condition(number).canonical()["network"]["buffer"] for number in range(1, conditions + 1)]
    assert {buffer["rule"] for buffer in buffers} == {"bdp"}
    assert [b["factor"] for b in buffers] == pytest.approx([0.75 + 0.25 * x for x in chosen.rows.matrix[:, 2]])


def test_what_a_foldover_tells_apart(tmp_path: Path) -> None:
    plain, folded = five(tmp_path, "runs = 8").design, five(tmp_path, 'runs = 8\nfoldover = "all"').design
    assert (plain.resolution, folded.resolution) == (3, 4)
    assert plain.aliases["X1"] != ()
    assert all(not folded.aliases[id] for id in IDS)
    signs = folded.matrix.astype(int)
    for effect, others in folded.aliases.items():  # against the rows themselves
        column = np.prod([signs[:, IDS.index(id)] for id in effect.split("*")], axis=0)
        for other in (one for one in folded.aliases if one != effect):
            same = np.prod([signs[:, IDS.index(id)] for id in other.split("*")], axis=0)
            assert (abs(column @ same) == len(signs)) == (other in [each.removeprefix("-") for each in others])


def test_full_aliases_of_irregular_designs() -> None:
    found = rows(["a", "b", "c"], {"kind": "plackett-burman", "runs": 4}).design
    assert [abs(int(np.prod(found.matrix, axis=1, dtype=int).sum()))] == [4]
    assert found.aliases["a"] in (("b*c",), ("-b*c",))
    assert np.array_equal(rows(IDS, {"kind": "plackett-burman"}).matrix, designs.plackett_burman(IDS))


@pytest.mark.parametrize(
    ("design", "message"),
    [
        ('kind = "taguchi"', r"design\.kind = .taguchi.: unknown kind of design"),
        ('kind = "sobol"', r"design\.runs: missing"),
        ('kind = "sobol"\nruns = 8\nfoldover = "all"', r"design\.foldover = .all.: does not go with kind sobol"),
        ('kind = "full-factorial"\nruns = 8', r"design\.runs = 8: a full factorial runs all"),
        ("runs = 8\nblocks = 3", r"design\.blocks = 3: not a number of blocks"),
        ('runs = 8\nfoldover = ["X9"]', r"design\.foldover = .X9.: unknown factor"),
        ('runs = 8\nhalf = "X1"', r"design\.half = .X1.: a half goes with a foldover"),
        ("runs = 8\ncentre_points = 0", r"design\.centre_points = 0: not a number"),
        ("runs = 8\nseed = -1", r"design\.seed = -1: not a seed"),
    ],
)
def test_mistakes_in_a_design_are_named(tmp_path: Path, design: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        five(tmp_path, design)
    assert caught.value.file == str(tmp_path / "five.toml")


def test_levels_that_nothing_stands_between_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    changed = FILE.replace('minus = "0.5 bdp"', 'minus = "0.5 bdp/sqrt(n)"')
    file.write_text(changed + '\n[design]\nkind = "sobol"\nruns = 4\n')
    with pytest.raises(InputError, match=r"factors\[2\]: nothing.*between 0.5 bdp/sqrt\(n\) and 1 bdp"):
        mesonet.experiment(file)
    file.write_text(changed + "\n[design]\nruns = 8\n")
    assert mesonet.experiment(file).conditions == 8


IN_BYTES = """
name = "bytes"
title = "Levels in bits and bytes"
scenario = "dumbbell"
algorithms = ["tcp"]
[[factors]]
id = "S"
path = "network.speed"
minus = "80 Mbit/s"
plus = "0.16 Gbit/s"
[[factors]]
id = "B"
path = "network.buffer"
minus = "100 kB"
plus = "200 kB"
"""


def test_values_between_levels_in_bytes_keep_their_unit(tmp_path: Path) -> None:
    file = tmp_path / "bytes.toml"
    file.write_text(IN_BYTES + '[set]\n"transport.segment_bytes" = 1000\n[design]\ncentre_points = 1\n')
    centre = mesonet.experiment(file)
    assert centre.condition(5).value("network.speed") == 120e6 / 8000
    assert centre.condition(5).value("network.buffer") == {"rule": "segments", "factor": 150}
    assert centre.level_text("S", 0) == "15 seg/ms"
    size = '[[factors]]\nid = "P"\npath = "transport.segment_bytes"\nminus = 1000\nplus = 9000\n'
    file.write_text(IN_BYTES + size + "[design]\ncentre_points = 1\n")
    varied = mesonet.experiment(file, scale=0.5)
    assert varied.condition(9).value("network.speed") == 0.5 * 120e6 / 40_000
    assert [varied.level_text(id, 0) for id in "SB"] == ["60 Mbit/s", "75 kB"]
    file.write_text(IN_BYTES.replace('"80 Mbit/s"', '"1 seg/ms"') + "[design]\ncentre_points = 1\n")
    with pytest.raises(InputError, match=r"factors\[0\]: nothing stands between .* two numbers of the same unit"):
        mesonet.experiment(file)


def test_a_centre_that_rounding_moves_is_refused(tmp_path: Path) -> None:
    """A straight response would show curvature at 2 for the centre of 2 and 3."""
    file = tmp_path / "whole.toml"
    head = 'name = "whole"\ntitle = "Whole"\nscenario = "abilene"\nalgorithms = ["cubic"]\n'
    factor = '[[factors]]\nid = "N"\npath = "users.long_lived_flows"\nminus = {}\nplus = {}\n[design]\n{}\n'
    file.write_text(head + factor.format(2, 3, "centre_points = 2"))
    with pytest.raises(InputError, match=r"factors\[0\]: no whole number is half-way between 2 and 3"):
        mesonet.experiment(file)
    file.write_text(head + factor.format(1, 3, "centre_points = 2"))
    assert mesonet.experiment(file).level_text("N", 0) == "2"
    model = {"model": shlex.quote, "design": {"centre_points": 2}}
    with pytest.raises(InputError, match=r"factors\[1\]: no whole number is half-way between 2 and 3"):
        mesonet.experiment(factors={"x": (0.0, 1.0), "n": (2, 3)}, **model)
    assert mesonet.experiment(factors={"x": (0.0, 1.0), "n": (2, 4)}, **model).conditions == 6
    sampled = {"kind": "latin-hypercube", "runs": 8}
    assert mesonet.experiment(model=shlex.quote, factors={"x": (0.0, 1.0), "n": (2, 3)}, design=sampled).conditions == 8


@pytest.mark.slow
def test_plan_estimates_the_cost_from_a_pilot(tmp_path: Path) -> None:
    five(tmp_path, "runs = 8")
    file = str(tmp_path / "five.toml")
    plan = CliRunner().invoke(main, ["experiment", "plan", file, "--pilot", "0.4", "--json"])
    assert plan.exit_code == 0, plan.output
    cost = json.loads(plan.stdout)["cost"]
    assert len(cost["cpu_s"]) == 8
    assert 0 < cost["least_cpu_s"] <= cost["total_cpu_s"] <= cost["most_cpu_s"]
    assert 2 * sum(cost["cpu_s"]) == pytest.approx(cost["total_cpu_s"]), "two algorithms"
    assert cost["memory_bytes"] > 2**24
    assert cost["disk_bytes"] >= 16 * 2 * 4096
    piloted = {pilot["condition"] for pilot in cost["pilots"]}
    assert len(piloted) == 4
    loads = [load for load, _ in mesonet.experiment(file).offered_loads()]
    assert loads.index(max(loads)) + 1 in piloted
    assert set(cost["growing"]) <= set(cost["unsettled"]) <= piloted
    for pilot in cost["pilots"]:
        assert 0 < pilot["least_cpu_s"] <= pilot["cpu_s"] * 1.001
        assert pilot["settled"] is (pilot["condition"] not in cost["unsettled"])
    without = CliRunner().invoke(main, ["experiment", "plan", file, "--pilot", "0", "--json"])
    assert json.loads(without.stdout)["cost"] is None
    text = "\n".join(cost_lines(Cost(**cost), workers=2))
    assert "of processor time" in text
    assert "with 2 runs at a time" in text


def test_plan_shows_the_offered_load_of_each_condition() -> None:
    shown = CliRunner().invoke(main, ["experiment", "plan", "exp-2a", "--pilot", "0"]).stdout.splitlines()
    rows = [line for line in shown if line.endswith(" normal access")]
    assert any(line.endswith("highest offered load") for line in shown)
    assert len(rows) == 32
    planned = CliRunner().invoke(main, ["experiment", "plan", "exp-2a", "--pilot", "0", "--json"])
    loads = [each["load"] for each in json.loads(planned.stdout)["offered_loads"]]
    assert [row.split()[-3] for row in rows] == [f"{load:.2f}" for load in loads]
    assert max(loads) == loads[20], "slow routers, large files, many users"


def of_condition(number: int) -> Run:
    return Run(condition=number, algorithm="tcp", replicate=1, seed=1, scenario="", key=str(number), code_version="")


def test_the_most_loaded_condition_has_a_pilot() -> None:
    runs = [of_condition(number) for number in range(1, 33)]
    assert [run.condition for run in _spread(runs, [])] == [1, 11, 22, 32]
    assert [run.condition for run in _spread(runs, [0.1] * 18 + [1.5] + [0.2] * 13)] == [1, 11, 19, 32]
    assert [run.condition for run in _spread(runs, [0.1] * 10 + [1.5] + [0.2] * 21)] == [1, 11, 22, 32]
    assert [run.condition for run in _spread(runs[:3], [0.1, 1.5, 0.2])] == [1, 2, 3]


def test_overloaded_conditions_cost_what_the_pilot_of_the_most_loaded_one_costs() -> None:
    ratios, loads = {1: 1.0, 2: 1.2, 3: 2.0, 4: 1.1}, [0.1, 0.2, 4.5, 0.3, 2.2, 1.9]
    assert [_ratio(number, ratios, loads) for number in range(1, 7)] == [1.0, 1.2, 2.0, 1.1, 2.0, 1.15]
    assert _ratio(5, {**ratios, 3: 0.5}, loads) == 1.05  # a pilot of an overload that is cheap proves nothing
    assert _ratio(5, ratios, []) == 1.15


def test_a_plan_names_slow_conditions() -> None:
    pilots = [
        {"condition": 3, "share": 0.1, "cpu_s": 126.0, "least_cpu_s": 96.0},
        {"condition": 4, "share": 0.1, "cpu_s": 40.0, "least_cpu_s": 40.0},
        {"condition": 7, "share": 0.1, "cpu_s": 40.0, "least_cpu_s": 40.0},
    ]
    cost = Cost([40.0] * 8, 320.0, 300.0, 400.0, 2**24, 2**20, pilots, growing=[3], unsettled=[3, 4])
    text = cost_lines(cost, workers=2)
    assert holds(text[-2], "condition 3 is slow", "load still rose", "at least 96 s", "estimate is 2 min")
    assert holds(text[-1], "not settled", "condition 4", "(--pilot)", "more exact")
    calm = cost_lines(replace(cost, growing=[], unsettled=[]), workers=2)
    assert text[:-2] == calm


def test_plan_of_a_model_that_fails_says_so_instead_of_the_cost(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def bad(parameters, seed):\n    raise ValueError('no such queue')\n")
    file = tmp_path / "bad.toml"
    head = 'name = "bad"\ntitle = "Bad"\nmodel = {function = "bad.py:bad"}\n'
    file.write_text(head + '[[factors]]\nid = "a"\nminus = 1\nplus = 2\n')
    plan = CliRunner().invoke(main, ["experiment", "plan", str(file)])
    assert plan.exit_code == 0, plan.output
    assert plan.stdout.startswith("bad: Bad\n2 runs = ")
    assert holds(plan.stdout, "\nnote: no estimate", "condition 1 failed")
    assert "no such queue" in plan.stdout.splitlines()[-1]
    reported = json.loads(CliRunner().invoke(main, ["experiment", "plan", str(file), "--json"]).stdout)
    assert reported["cost"] is None
    assert "no such queue" in reported["warnings"][0]


def test_plan_of_a_semifold_names_no_resolution(tmp_path: Path) -> None:
    text = heading(five(tmp_path, 'runs = 8\nfoldover = "all"\nhalf = "X1"'))
    assert "defining words:" not in text
    assert "resolution 3" not in text
    assert "\na semifold: " in text
    assert " of 10 two-factor interactions are clear" in text
    assert "\nresolution 4, defining words: " in heading(five(tmp_path, 'runs = 8\nfoldover = "all"'))


def test_plan_of_a_foldover_that_runs_all_combinations(tmp_path: Path) -> None:
    text = heading(five(tmp_path, 'runs = 16\nfoldover = "all"'))
    assert "\nall combinations run: nothing is aliased\n" in text
    assert "resolution" not in text


def test_expected_cost_follows_what_is_simulated(tmp_path: Path) -> None:
    chosen = five(tmp_path, "")
    longer = mesonet.experiment(tmp_path / "five.toml", duration="4 s")
    assert longer.expected_cost() == pytest.approx([2 * cost for cost in chosen.expected_cost()])
    by_speed = [[c for c, row in zip(chosen.expected_cost(), chosen.design.matrix, strict=True) if row[0] == sign]
                for sign in (-1, 1)]  # fmt: skip
    assert all(slow < fast for slow, fast in zip(*by_speed, strict=True))


def test_flows_given_one_by_one_are_expected_to_cost_what_they_send() -> None:
    """Without users they are all that a run costs: its line, 66,667 segments/s, while a flow is there."""
    (cost,) = mesonet.experiment("fast-dynamic-1").expected_cost()
    (half,) = mesonet.experiment("fast-dynamic-1", duration="4500 s").expected_cost()
    assert half == pytest.approx(cost / 2)  # joins and leaves move with the duration
    line = 800e6 / 12_000 * 9000  # segments
    hops = mesonet.experiment("fast-dynamic-1").condition(1).describe()["mean_hops"]
    assert 0.4 * line * hops < cost < 0.6 * line * hops
    flow = {"from": "A", "to": "B", "size": "1000 segments"}
    of_size, twice = (
        segment_hops(mesonet.scenario("dumbbell", **{"time.duration": "50 s", "flows": [flow] * count}))
        for count in (1, 2)
    )
    assert twice == pytest.approx(2 * of_size, rel=1e-3)  # far less than the line carries
    assert of_size == pytest.approx(0.6 * 1000 * hops, rel=1e-2)
