"""Arrivals by a traffic matrix, and the demands of a run: offered, carried, noted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import mesonet as mn
from fragments import holds
from mesonet import units
from mesonet.cli.verbs import main
from mesonet.errors import InputError
from mesonet.maps.loads import link_loads
from mesonet.responses.tables import DEMANDS
from mesonet.scenarios.derived import arrival_rows
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario
from mesonet.simulation.carried import carried_notes, queues_carried
from mesonet.simulation.result import Result, table

MATRIX = "from,to,rate\nA,C,24 Mbit/s\nA,B,6 Mbit/s\nC,A,12 Mbit/s\n"
NETWORK = """base = "parking-lot"
flows = []
[network]
queue = "port"
speed = "50 Mbit/s"
buffer = "200 ms"
delay_multiplier = 0.1
[time]
duration = "100 s"
warmup = "10 s"
periods = 1
"""
OPEN = f"""{NETWORK}
[[arrivals]]
matrix = "matrix.csv"
sizes = "60 kB"
"""
CLOSED = f'{NETWORK}\n[users]\ntraffic = "matrix.csv"\nthink_time = "100 ms"\n'
SNDLIB = """?SNDlib native format; type: network; version: 1.0
META (
demand-unit = MBITPERSEC
)
NODES (
A ( 0 0 )
C ( 1 1 )
)
LINKS (
)
DEMANDS (
D1 ( A C ) 1 24.00 UNLIMITED
)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "matrix.csv").write_text(MATRIX)
    (tmp_path / "open.toml").write_text(OPEN)
    (tmp_path / "closed.toml").write_text(CLOSED)
    return tmp_path


@pytest.fixture
def chosen(folder: Path) -> Scenario:
    return mn.scenario(folder / "open.toml")


def noted(chosen: Scenario, result: Result) -> list[str]:
    scenario = result.provenance["scenario"]
    queues = queues_carried(scenario, chosen.describe(), result.routers.rows())
    return carried_notes(scenario, result.demands, queues)


def test_each_pair_carries_its_rate(chosen: Scenario) -> None:
    """Flows of 40 segments arrive as a Poisson process of rate / 40."""
    result = mn.simulate(chosen, seed=1)
    columns = result.demands.columns
    ends = list(zip(columns["from"], columns["to"], strict=True))
    assert ends == [("A", "C"), ("A", "B"), ("C", "A")]
    assert list(columns["offered"]) == pytest.approx([2000, 500, 1000])
    error = np.sqrt(40 / (columns["offered"] * 90))
    assert (np.abs(columns["ratio"] - 1) < 4 * error).all()
    assert columns["ratio"] == pytest.approx(columns["carried"] / columns["offered"])
    assert noted(chosen, result) == []


def test_a_matrix_has_the_forms_of_users(folder: Path, chosen: Scenario) -> None:
    listed = [{"from": "A", "to": "C", "rate": "24 Mbit/s"}]
    (folder / "demands.txt").write_text(SNDLIB)
    (folder / "list.toml").write_text(OPEN.replace('matrix = "matrix.csv"\n', "") + "[[arrivals.matrix]]\nfrom = 'A'\n"
                                      "to = 'C'\nrate = '24 Mbit/s'\n")  # fmt: skip
    (folder / "sndlib.toml").write_text(OPEN.replace("matrix.csv", "demands.txt"))
    of_list = mn.scenario(folder / "list.toml")
    for other in (mn.scenario(folder / "sndlib.toml"), chosen.set("arrivals[0].matrix", listed)):
        assert other.to_json() == of_list.to_json()
    [row] = arrival_rows(chosen, chosen.describe())
    assert row[1] == "3 demands, 3.5 seg/ms in all"
    assert row[5:] == ["87.5 flows/s", "0.6 of A -> B"]


def test_offered_loads_are_known_before_the_run(chosen: Scenario) -> None:
    shares = {link.name: link.share for link in link_loads(chosen.describe(), 1500)}
    for name, rate in (("A -> B", 30), ("B -> C", 24), ("C -> B", 12), ("B -> A", 12)):
        assert shares[name] == pytest.approx(rate / 50)


def test_the_whole_matrix_is_scaled(chosen: Scenario) -> None:
    def rate(scenario: Scenario) -> float:
        return float(scenario.describe()["arrivals"][0]["rate"])

    assert rate(chosen.set("arrivals[0].factor", 1.5)) == pytest.approx(1.5 * 87.5)
    by_load = chosen.with_values({"arrivals[0].load": 0.3, "arrivals[0].of": "A - B"})
    assert rate(by_load) == pytest.approx(0.5 * 87.5)
    by_rate = chosen.set("arrivals[0].factor", 3).set("arrivals[0].rate", "20 flows/s")
    assert (rate(by_rate), by_rate.value("arrivals[0].factor")) == (20.0, None)
    for scenario in (chosen, chosen.set("arrivals[0].factor", 1.5), by_load, by_rate):
        assert rate(scaled(scenario, 0.5)) == pytest.approx(0.5 * rate(scenario))


def test_places_give_way_to_a_matrix(chosen: Scenario) -> None:
    of_places = chosen.with_values({"arrivals": [{"from": "A", "to": "B", "rate": "1 flows/s", "sizes": "60 kB"}]})
    of_matrix = of_places.set("arrivals[0].matrix", [{"from": "C", "to": "B", "share": 1}])
    assert [of_matrix.value(f"arrivals[0].{key}") for key in ("from", "to")] == [None, None]


def test_closed_users_are_noted(folder: Path) -> None:
    chosen = mn.scenario(folder / "closed.toml")
    result = mn.simulate(chosen, seed=1)
    columns = result.demands.columns
    assert set(columns["traffic"]) == {"users"}
    carried, offered = (columns[name] * 12e-3 for name in ("carried", "offered"))
    assert list(offered) == pytest.approx([24, 6, 12])
    assert carried.sum() < 0.9 * offered.sum()
    total, pairs, links, reason = noted(chosen, result)
    assert total.startswith(f"carried {100 * carried.sum() / offered.sum():.0f} % of the demands: ")
    far = np.abs(carried / offered - 1) > 0.1
    worst = int(np.argmax(np.where(far, np.abs(carried - offered), 0)))
    assert pairs.startswith(f"{far.sum()} of 3 pairs ")
    rate = units.RATE.familiar(1e6 * carried[worst] / 12e3)
    assert f"farthest {columns['from'][worst]} to {columns['to'][worst]} ({rate} of " in pairs
    assert holds(links, "links", "A -> B")
    assert holds(reason, "users", "[[arrivals]] with `matrix`")


def test_an_overload_is_noted_with_the_full_queue(chosen: Scenario) -> None:
    over = chosen.set("arrivals[0].factor", 2)
    assert holds(noted(over, mn.simulate(over, seed=1))[-1], "A -> B is offered 1.20 times its speed")


def test_notes_and_demands_are_in_json(folder: Path) -> None:
    found = json.loads(CliRunner().invoke(main, ["run", str(folder / "closed.toml"), "--json"]).stdout)
    assert [row["from"] for row in found["demands"]] == ["A", "A", "C"]
    assert {"queue", "offered", "carried"} == set(found["queues"][0])
    share = 100 * sum(row["carried"] for row in found["demands"]) / 3500
    assert f" {share:.0f} % of the 42 Mbit/s that users offer" in found["summary"][0]
    text = CliRunner().invoke(main, ["run", str(folder / "closed.toml")]).stdout.splitlines()
    assert text[3 : 3 + len(found["notes"])] == [f"note: {note}" for note in found["notes"]]


def test_few_flows_are_noted_as_chance(chosen: Scenario) -> None:
    one = {
        "traffic": ["arrivals[0]"],
        "from": ["A"],
        "to": ["B"],
        "offered": np.array([10.0]),
        "ratio": np.array([1.2]),
    }
    demands = table(one | {"carried": np.array([12.0])}, DEMANDS)
    total, pair, reason = carried_notes(chosen.canonical(), demands, [])
    assert holds(total, "carried 120 % of the demands")
    assert holds(pair, "1 of 1 pairs", "A to B")
    assert holds(reason, "by chance", "longer run")


@pytest.mark.parametrize(
    ("values", "path", "message"),
    [
        ({"matrix": None}, "arrivals[0].from", "arrivals need from, or a matrix"),
        ({"from": "A"}, "arrivals[0].from", "arrivals have either from and to, or a matrix"),
        ({"matrix": "none.csv"}, "arrivals[0].matrix", "no such file"),
        ({"matrix": "gravity"}, "arrivals[0].matrix", "no such file"),
        ({"matrix": []}, "arrivals[0].matrix", "a traffic matrix of 0 demands"),
        ({"matrix": [{"from": "A", "to": "B"}]}, "arrivals[0].matrix[0]", "a demand has one amount"),
        ({"matrix": [{"from": "A", "to": "B", "share": 1}]}, "arrivals[0].matrix", "shares have no rate"),
        ({"matrix": [{"from": "A", "to": "Q", "rate": "1 Mbit/s"}]}, "arrivals[0].matrix[0].to", "no router"),
        ({"factor": 0}, "arrivals[0].factor", "too low"),
        ({"factor": 2, "rate": "1 flows/s"}, "arrivals[0].factor", "a factor beside rate or load"),
    ],
)
def test_bad_input(chosen: Scenario, values: dict[str, Any], path: str, message: str) -> None:
    process = {"matrix": [{"from": "A", "to": "C", "rate": "24 Mbit/s"}], "sizes": "60 kB"} | values
    with pytest.raises(InputError) as refused:
        chosen.with_values(
            {"arrivals": [{key: value for key, value in process.items() if value is not None}]}
        ).describe()
    assert refused.value.path == path or path in str(refused.value)
    assert message in str(refused.value)
