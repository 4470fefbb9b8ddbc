"""Open-loop arrivals as users write them: files, units, paths of single values, plans, runs, bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet import plots
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.experiments.network import experiment
from mesonet.maps.network import map_columns, map_rows, network_map
from mesonet.scenarios import settings
from mesonet.scenarios.derived import arrival_rows, load_notes, segment_hops
from mesonet.scenarios.kinds.sizes import NAMED, SIZES
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario
from mesonet.scenarios.timeline import lasting
from mesonet.simulation.size import refuse_large
from mesonet.words import number

OPEN = """base = "dumbbell"
flows = []
[network]
queue = "port"
speed = "100 Mbit/s"
delay_multiplier = 0.1
[time]
duration = "4 s"
warmup = "1 s"
periods = 1
[[arrivals]]
from = "A"
to = "B"
load = 0.5
of = "A - B"
sizes = "own.csv"
"""
EXPERIMENT = """name = "loads"
title = "Loads"
scenario = "open.toml"
algorithms = ["tcp", "cubic"]
[[factors]]
id = "L"
path = "arrivals[0].load"
minus = 0.2
plus = 0.6
[[factors]]
id = "S"
path = "arrivals[0].sizes"
minus = "30 kB"
plus = "own.csv"
[design]
center = 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "open.toml").write_text(OPEN)
    (tmp_path / "own.csv").write_text("# made up\nsize,probability\n1500 B,0.5\n15 kB,1\n")
    (tmp_path / "loads.toml").write_text(EXPERIMENT.replace("[design]\ncenter = 1\n", ""))
    return tmp_path


@pytest.fixture
def chosen(folder: Path) -> Scenario:
    return mn.scenario(folder / "open.toml")


def test_a_file_beside_the_scenario_gives_the_sizes(chosen: Scenario) -> None:
    [process] = chosen.canonical()["arrivals"]
    assert process["sizes"] == {"law": "cdf", "name": "own.csv", "points": [[1, 0.5], [10, 1]]}
    # Half have one segment, the others 2 to 10 with equal probability: a mean of 3.5.
    [row] = arrival_rows(chosen, chosen.describe())
    rate = 0.5 * 100e6 / (8 * 1500) / 3.5
    assert row == [
        "arrivals[0]", "A to B", "poisson", "own.csv", "3.5 segments", f"{rate:.6g} flows/s", "0.5 of A -> B",
    ]  # fmt: skip


def test_a_file_without_a_header_has_bytes_and_percent(folder: Path) -> None:
    (folder / "hpcc.txt").write_text("0 0\n30000 50\n60000 100\n")
    assert SIZES.with_file("hpcc.txt", folder)["points"] == [["0.0 B", 0.0], ["30000.0 B", 0.5], ["60000.0 B", 1.0]]
    for text, message in (("0 0\n30000 50\n", "the last percentage is not 100"), ("0 0\n5 a\n", "point 2 = ")):
        (folder / "hpcc.txt").write_text(text)
        with pytest.raises(InputError, match=message):
            SIZES.with_file("hpcc.txt", folder)


def test_a_scenario_without_arrivals_keeps_its_canonical_form() -> None:
    assert "arrivals" not in mn.scenario("dumbbell").canonical()


@pytest.mark.parametrize(("name", "mean_bytes"), [("web_search", 1.7115e6), ("data_mining", 12.658e6)])
def test_named_distributions_have_their_means(name: str, mean_bytes: float) -> None:
    """Of each distribution the sum of probability times the middle of a piece, by hand."""
    points = np.array(settings.at("arrivals[0].sizes").parse(SIZES.with_file(name, None), 1.0)["points"])
    middles = (points[1:, 0] + points[:-1, 0]) / 2
    assert float(middles @ np.diff(points[:, 1])) == pytest.approx(mean_bytes, rel=0.001)


@pytest.mark.parametrize("name", NAMED)
def test_named_distributions_run(chosen: Scenario, name: str) -> None:
    of_name = chosen.set("arrivals[0].sizes", name)
    assert of_name.value("arrivals[0].sizes")["points"][-1][1] == 1
    assert mn.simulate(of_name, seed=1).responses.to_polars().height > 0


def test_values_of_a_process_have_paths(chosen: Scenario) -> None:
    other = chosen.with_values({"arrivals[0].load": 0.25, "arrivals[0].algorithm": "bbr", "arrivals[0].stop": "2 s"})
    assert [other.value(f"arrivals[0].{key}") for key in ("load", "algorithm", "stop")] == [0.25, "bbr", 2.0]
    assert [each["name"] for each in other.canonical()["algorithms"]] == ["tcp", "bbr"]
    by_rate = other.set("arrivals[0].rate", "3 flows/ms")
    assert [by_rate.value(f"arrivals[0].{key}") for key in ("rate", "load", "of")] == [3000.0, None, None]


def test_sizes_in_bytes_follow_the_segment(chosen: Scenario) -> None:
    small = chosen.with_values({"arrivals[0].sizes": "30 kB", "segment_bytes": 500})
    assert small.canonical()["arrivals"][0]["sizes"] == {"law": "constant", "size": 60}


def test_scale_and_duration_change_arrivals(chosen: Scenario) -> None:
    by_rate = chosen.with_values({"arrivals[0].rate": "200 flows/s", "arrivals[0].stop": "2 s"})
    assert scaled(by_rate, 0.5).value("arrivals[0].rate") == 100
    before, after = (each.describe()["arrivals"][0]["rate"] for each in (chosen, scaled(chosen, 0.5)))
    assert after == pytest.approx(before / 2)
    assert lasting(by_rate, "8 s", "--duration")[0].value("arrivals[0].stop") == 4.0


def test_a_drawing_and_its_rows_have_arrivals(chosen: Scenario) -> None:
    shown = network_map(chosen, chosen.describe())
    assert map_columns(shown)[-1] == "arrivals"
    rate = chosen.describe()["arrivals"][0]["rate"]
    assert [row[-1] for row in map_rows(shown)] == [f"{number(rate, 4)} flows/s", "0 flows/s"]
    chart = plots.topology(shown).to_dict()
    assert f"area: share of the {number(rate, 4)} arrivals per second" in str(chart["title"]["subtitle"])
    areas = {row["router"]: row["area"] for row in chart["datasets"]["routers"]}
    assert areas["A"] > areas["B"]


def test_an_overload_is_noted(chosen: Scenario) -> None:
    [note] = load_notes(chosen.set("arrivals[0].load", 1.5).describe())
    assert note.startswith("arrivals ")
    assert holds(note, "1.50 times the load", "class plain")
    assert load_notes(chosen.describe()) == []


def test_arrivals_are_expected_work(chosen: Scenario) -> None:
    half = segment_hops(chosen)
    assert 0.4 < segment_hops(chosen.set("arrivals[0].load", 0.25)) / half < 0.8


def test_a_run_that_would_keep_too_many_flows_is_refused(chosen: Scenario) -> None:
    overload = chosen.with_values(
        {"arrivals[0].rate": "2 flows/ms", "arrivals[0].sizes": "10 MB", "duration": "2000 s"}
    )
    with pytest.raises(InputError, match=r"arrivals.*GiB of memory.*--memory raises it"):
        refuse_large(overload.with_values({"flow_records": 0}).to_json())
    records = chosen.with_values({"arrivals[0].sizes": "1 kB", "duration": "2000 s", "flow_records": 1})
    with pytest.raises(InputError, match=r"measurement.flow_records"):
        refuse_large(records.to_json())
    refuse_large(records.with_values({"flow_records": 0}).to_json())


def test_the_load_is_a_factor(folder: Path) -> None:
    chosen = experiment(folder / "loads.toml")
    loads = [chosen.condition(number).value("arrivals[0].load") for number in range(1, 5)]
    assert loads == [0.2, 0.6, 0.2, 0.6]
    assert chosen.level_text("S", 1) == "own.csv"
    assert chosen.level_text("L", 0) == "0.4"
    plan = CliRunner().invoke(main, ["experiment", "plan", str(folder / "loads.toml"), "--pilot", "0"])
    [line] = [line for line in plan.output.splitlines() if line.startswith("arrivals[0]")]
    assert line.split("  ")[1:] == ["3.5 to 20 segments", "83.33 to 1429 flows/s", "0.2 to 0.6 of A -> B"]


@pytest.mark.slow
@pytest.mark.usefixtures("few_figures")
def test_a_campaign_over_loads_has_a_report(folder: Path) -> None:
    campaign = experiment(folder / "loads.toml").run(folder / "out", workers=1)
    flows = campaign.response("flow_rate")
    assert np.isfinite(flows["value"].to_numpy()).all()
    page = mn.report(campaign, folder / "report.html").read_text()
    assert "arrivals[0].load" in page


def refusal(folder: Path, text: str) -> str:
    (folder / "bad.toml").write_text(text)
    result = CliRunner().invoke(main, ["check", str(folder / "bad.toml")])
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('sizes = "own.csv"', 'sizes = "no.csv"', 'arrivals[0].sizes = "no.csv": no such file'),
        ('sizes = "own.csv"', 'sizes = "web_serch"', "unknown distribution of sizes (nearest: web_search)"),
        ('sizes = "own.csv"', "sizes = 12", "arrivals[0].sizes = 12: not a distribution of sizes"),
        ('sizes = "own.csv"', 'sizes = "12"', 'write "12 kB"'),
        ('sizes = "own.csv"', 'sizes = {law = "zipf"}', "unknown law of sizes"),
        ('sizes = "own.csv"', 'sizes = {law = "pareto", mean = "1 kB"}', "the law pareto needs shape"),
        ('sizes = "own.csv"', "", "arrivals[0].sizes: arrivals need sizes"),
        ('sizes = "own.csv"', 'sizes = {law = "cdf", name = "x", points = 5}', "not a list of points"),
        ('sizes = "own.csv"', 'sizes = {law = "cdf", name = "x", points = [["1 kB", "y"]]}', '"y": not a number'),
        ("load = 0.5", "load = 0.5\nrate = 200", 'write "200 flows/s"'),
        ("load = 0.5", 'load = 0.5\nrate = "200 flows/s"', "arrivals have either a rate or a load"),
        ("load = 0.5", 'rate = "200 seg/s"', "not a rate of flows"),
        ("load = 0.5\n", "", "arrivals have either a rate or a load"),
        ('of = "A - B"\n', "", 'arrivals[0].load = "0.5": a load needs what it is a load of'),
        ('of = "A - B"', 'of = "A - C"', 'arrivals[0].of = "A - C": "A - C" is neither a link nor a port'),
        ('queue = "port"\n', "", "the link A - B has no capacity where a router has one queue"),
        ('to = "B"', 'to = "Q"', 'to[0] = "Q": "Q" is not an access router. Allowed: A, B'),
        ('to = "B"', 'to = "A"', "a flow must leave the router it starts at"),
        ('to = "B"', "to = 1", "arrivals[0].to = 1: not names of routers"),
        ('to = "B"', 'to = "B"\nproces = "poisson"', "unknown key of arrivals (nearest: process)"),
        ('to = "B"', 'to = "B"\nprocess = "regular"', "unknown process"),
        ('to = "B"', 'to = "B"\nalgorithm = "cubik"', "unknown algorithm (nearest: cubic, "),
        ("[[arrivals]]", "[arrivals]", "arrivals can only be set as a whole"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(folder: Path, old: str, new: str, message: str) -> None:
    assert message in refusal(folder, OPEN.replace(old, new))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("size_bytes,probability\n1000,0.5\n2000,0.9\n", "the last probability is 0.9. Allowed: 1"),
        ("size_bytes,probability\n1000,0.5\n2000,0.4\n3000,1\n", "point 2 is below point 1"),
        ("size_bytes,probability\n1000,50\n2000,100\n", "point 1 has the probability 50. Allowed: 0 to 1"),
        ("size,probability\n1000,0.5\n2000 B,1\n", 'line 2, size = "1000": a number of segments needs its unit'),
        ("size_bytes,probability\nx,0.5\n", 'line 2, size_bytes = "x"'),
        ("size_bytes,probability\n1,half\n", 'line 2, probability = "half": not a number'),
        ("bytes,probability\n1,1\n", 'unknown column'),
        ("probability\n1\n", "not one column of sizes"),
        ("", "empty"),
    ],
)  # fmt: skip
def test_bad_distributions_are_refused(folder: Path, table: str, message: str) -> None:
    (folder / "own.csv").write_text(table)
    assert message in refusal(folder, OPEN)


def test_unknown_paths_of_processes_are_refused(chosen: Scenario) -> None:
    with pytest.raises(InputError, match=r"no such process.*Allowed: arrivals\[0\]"):
        chosen.set("arrivals[1].load", 0.5)
    with pytest.raises(InputError, match="a scenario with"):
        mn.scenario("dumbbell").set("arrivals[0].load", 0.5)
    with pytest.raises(InputError, match="unknown key of arrivals"):
        chosen.set("arrivals[0].lod", 0.5)
