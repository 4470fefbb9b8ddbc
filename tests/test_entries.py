"""Values of entries of lists, such as ``flows[0].count``: on the command line, in Python and in experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mesonet as mn
from mesonet.cli.scenario_targets import find_scenario
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.scenarios import settings
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.timeline import lasting

TWO = """base = "dumbbell"
[[flows]]
from = "A"
to = "B"
count = 2
[[flows]]
from = "B"
to = "A"
start = "1 s"
size = "3 MB"
"""
EXPERIMENT = """name = "counts"
title = "Counts"
scenario = "two.toml"
algorithms = ["tcp"]
[[factors]]
id = "N"
path = "flows[0].count"
minus = 1
plus = 5
[[factors]]
id = "S"
path = "flows[1].size"
minus = "1 MB"
plus = "3 MB"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "two.toml").write_text(TWO)
    (tmp_path / "counts.toml").write_text(EXPERIMENT)
    (tmp_path / "flows.csv").write_text("from,to,count\nA,B,2\nB,A,1\n")
    return tmp_path


@pytest.fixture
def chosen(folder: Path) -> Scenario:
    return mn.scenario(folder / "two.toml")


def test_the_command_line_sets_a_value_of_an_entry(folder: Path, chosen: Scenario) -> None:
    found = find_scenario(str(folder / "two.toml"), values=["flows[0].count=5", "flows[1].algorithm=cubic"])
    assert len(found.value("flows")) == 6
    assert found.value("flows")[5]["algorithm"] == "cubic"
    assert found.to_json() == chosen.with_values({"flows[0].count": 5, "flows[1].algorithm": "cubic"}).to_json()
    result = CliRunner().invoke(main, ["check", str(folder / "two.toml"), "--set", "flows[0].count=5"])
    assert result.exit_code == 0, result.output
    assert "5 times A to B from 0 s; B to A from 1 s" in result.stdout


def test_entries_are_those_that_the_user_lists(chosen: Scenario) -> None:
    assert [chosen.value(f"flows[{number}].from") for number in (0, 1)] == ["A", "B"]
    assert [chosen.value(f"flows[0].{key}") for key in ("count", "size", "stop", "start", "algorithm")] == [
        2, None, None, 0.0, None,
    ]  # fmt: skip
    assert chosen.value("flows[0].frame_rate") is None, "no application has it"
    assert settings.show("flows[0].size", None) == "unlimited"
    late = chosen.set("flows[1].start", "2 s")
    assert late.value("flows")[2] == chosen.value("flows")[2] | {"start": 2.0}
    assert late.settings["flows"].source == "set in code"


def test_values_of_applications_and_receivers_have_paths(chosen: Scenario) -> None:
    video = {"application": "frames", "frame_rate": "30", "frame_size": "3 kB"}
    made = chosen.set("flows", [{"from": "A", "to": "B", **video}]).set("flows[0].frame_rate", "60")
    assert made.value("flows[0].frame_rate") == 60
    assert made.value("flows")[0]["application"]["source"]["frames"]["rate"] == 60
    both = chosen.set("flows", [{"from": "A", "to": "B", "receiver": "ack_division", "ack_pieces": 2}])
    assert both.set("flows[0].ack_pieces", "4").value("flows")[0]["ack_pieces"] == 4


def test_rows_of_a_table_are_entries(folder: Path) -> None:
    (folder / "table.toml").write_text('base = "dumbbell"\nflows = "flows.csv"\n')
    table = mn.scenario(folder / "table.toml")
    assert len(table.set("flows[0].count", 4).value("flows")) == 5
    assert len(table.set("flows[1].size", "1 MB").value("flows")) == 3
    in_code = mn.scenario("dumbbell", flows=str(folder / "flows.csv")).set("flows[1].count", 2)
    assert in_code.value("flows[1].count") == 2


def test_a_file_and_a_longer_run_change_entries(folder: Path) -> None:
    (folder / "more.toml").write_text('base = "two.toml"\n"flows[0].count" = 7\n"flows[0].stop" = "8 s"\n')
    more = mn.scenario(folder / "more.toml", duration="10 s")
    assert more.value("flows[0].count") == 7
    assert lasting(more, "20 s", "--duration")[0].value("flows[0].stop") == 16.0


def test_values_of_entries_are_factors(folder: Path) -> None:
    factors = mn.experiment(folder / "counts.toml")
    counts = [len(factors.condition(number).value("flows")) for number in range(1, 5)]
    assert counts == [2, 6, 2, 6]
    assert [factors.level_text("N", place) for place in (-1, 0, 1)] == ["1", "3", "5"]
    assert factors.level_text("S", 0) == settings.show("flows[1].size", 2e6 / 1500)
    plan = CliRunner().invoke(main, ["experiment", "plan", str(folder / "counts.toml"), "--pilot", "0"])
    assert plan.exit_code == 0, plan.output
    assert "flows[0].count" in plan.stdout


@pytest.mark.process
def test_a_campaign_over_a_count_runs(folder: Path) -> None:
    campaign = mn.experiment(folder / "counts.toml", duration="5 s").run(folder / "out", workers=1, progress=False)
    assert campaign.counts["done"] == 4


def test_other_lists_have_paths_of_values() -> None:
    change = [{"time": "1 s", "router": "A", "factor": 2}]
    changed = mn.scenario("dumbbell").set("network.changes", change).set("network.changes[0].factor", 0.5)
    assert changed.value("network.changes")[0]["factor"] == changed.value("network.changes[0].factor") == 0.5
    demands = [{"from": "A", "to": "B", "share": 1}, {"from": "B", "to": "A", "share": 2}]
    matrix = mn.scenario("dumbbell", traffic=demands).set("users.traffic[1].share", 3)
    assert [demand["share"] for demand in matrix.value("users.traffic")] == [1, 3]
    rates = mn.scenario("dumbbell", traffic=demands[:1]).set("users.traffic[0].rate", "12 Mbit/s")
    assert rates.value("users.traffic") == [{"from": "A", "to": "B", "share": None, "rate": 1000.0}]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("flows[2].count", 5, r"flows\[2\]\.count = 5: .* no such flow\. Allowed: flows\[0\] to flows\[1\]"),
        ("flows[0].cnt", 5, r"unknown key of a flow \(nearest: count\)\. Allowed: from, to, start"),
        ("flows[0]", 5, r"flows can only be set as a whole\. Allowed: .* such as flows\[0\]\.count"),
        ("flows[-1].count", 5, r"Allowed: .* such as flows\[0\]\.count"),
        ("flows.count", 5, r"Allowed: .* such as flows\[0\]\.count"),
        ("flows[0].count", 0, r"flows\[0\]\.count = 0: too low\. Allowed: .* at least 1 and at most 100000"),
        ("flows[0].count", "many", r'flows\[0\]\.count = "many": not a whole number'),
        ("flows[0].count", "", r'flows\[0\]\.count = "": not a whole number'),
        ("flows[1].size", "3", r'flows\[1\]\.size = "3": a number of segments needs its unit'),
        ("flows[1].start", "-1 s", r"flows\[1\]\.start = .*too low"),
        ("flows[1].stop", "0.5 s", r"flows\[1\]\.stop = .*a flow cannot stop before it starts"),
        ("flows[0].frame_rate", 30, r"flows\[0\]\.frame_rate = 30: a key of an application"),
        ("flows[0].algorithm", "cubik", r"flows\[0\]\.algorithm = .*unknown algorithm \(nearest: cubic"),
        ("network.changes[0].factor", 2, r"no such change\. Allowed: a scenario with \[\[network\.changes\]\]"),
        ("users.traffic[0].shar", 2, r"unknown key of a demand \(nearest: share\)"),
    ],
)  # fmt: skip
def test_bad_entries_are_refused(chosen: Scenario, path: str, value: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        chosen.set(path, value)


def test_a_router_that_is_not_there_is_found_in_its_entry(folder: Path) -> None:
    result = CliRunner().invoke(main, ["check", str(folder / "two.toml"), "--set", "flows[1].to=Q"])
    assert result.exit_code == 2
    assert '--set: flows[1].to = "Q": "Q" is not an access router' in result.stderr


def test_a_centre_lies_between_the_counts(folder: Path) -> None:
    (folder / "centre.toml").write_text(EXPERIMENT + "[design]\ncentre_points = 1\n")
    centre = mn.experiment(folder / "centre.toml")
    assert centre.condition(centre.conditions).value("flows[0].count") == 3


def test_a_value_of_no_flow_is_refused_in_an_experiment(folder: Path) -> None:
    (folder / "bad.toml").write_text(EXPERIMENT.replace("flows[0].count", "flows[9].count"))
    result = CliRunner().invoke(main, ["experiment", "plan", str(folder / "bad.toml")])
    assert result.exit_code == 2
    assert "flows[9].count = 1: the scenario has no such flow. Allowed: flows[0] to flows[1]" in result.stderr


PROCESS = '[[arrivals]]\nfrom = "A"\nto = "B"\nsizes = "100 kB"\nrate = "10 flows/s"\n'
VARIED = """
name = "varied"
title = "A load, or a rate"
scenario = "net.toml"
algorithms = ["tcp"]
"""
LOAD = '[[factors]]\nid = "L"\npath = "arrivals[0].load"\nminus = 0.1\nplus = 0.2\n'
RATE = '[[factors]]\nid = "R"\npath = "arrivals[00].rate"\nminus = "1 flows/s"\nplus = "2 flows/s"\n'
COUNT = '[[factors]]\nid = "C"\npath = "flows[0].count"\nminus = 1\nplus = 2\n'
ALL = '[[factors]]\nid = "F"\npath = "flows"\nminus = []\nplus = [{from = "A", to = "B"}]\n'


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        (LOAD + RATE, {}, r"factors\[1\].path = .R.: factor L sets arrivals\[0\].load, which cannot"),
        (COUNT + ALL, {}, r"factors\[1\].path = .F.: factor C sets flows\[0\].count, which cannot"),
        (ALL + COUNT, {}, r"factors\[1\].path = .C.: factor F sets flows, which cannot"),
        (LOAD, {"arrivals[0].rate": "3 flows/s"}, r"--set arrivals\[0\].rate: factor L varies arrivals\[0\].load"),
        (ALL, {"flows[0].count": 2}, r"--set flows\[0\].count: factor F varies flows"),
        (COUNT, {"duration": "3 s", "time.duration": "4 s"}, "--set: time.duration: duration is set, too: set twice"),
        (COUNT, {"flows[0].size": "1 MB", "flows": []}, r"--set: flows\[0\].size: flows is set, too"),
        (COUNT, {"flows": [], "flows[0].size": "1 MB"}, r"--set: flows\[0\].size: flows is set, too"),
        ('[set]\n"arrivals[0].of" = "A"\n"arrivals[0].rate" = "1 flows/s"\n', {}, r"set.arrivals\[0\].rate: "),
    ],
)
def test_values_that_exclude_each_other_are_refused(
    tmp_path: Path, text: str, values: dict[str, Any], message: str
) -> None:
    flow = '[[flows]]\nfrom = "A"\nto = "B"\n'
    (tmp_path / "net.toml").write_text(f'base = "dumbbell"\n{flow}{PROCESS}')
    (tmp_path / "varied.toml").write_text(VARIED + text)
    with pytest.raises(InputError, match=message):
        mn.experiment(tmp_path / "varied.toml", values=values)


def test_values_of_one_file_exclude_each_other(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(f'base = "dumbbell"\n"arrivals[0].rate" = "1 flows/s"\n{PROCESS}')
    with pytest.raises(InputError, match=r"net.toml: arrivals\[0\].rate: arrivals is set, too"):
        mn.scenario(tmp_path / "net.toml")


@pytest.mark.parametrize("target", ["dumbbell", "demo"])
def test_an_option_and_a_set_value_exclude_each_other(target: str) -> None:
    given = ["check", target, "--set", "duration=3 s", "--duration", "5 s"]
    result = CliRunner().invoke(main, given)
    assert (result.exit_code, "--set: duration: --duration sets it, too" in result.stderr) == (2, True)
