"""Speeds and delays that change during a run, as users write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mesonet as mn
from mesonet.errors import InputError
from mesonet.scenarios.derived import route_rows
from mesonet.scenarios.scaling import scaled
from mesonet.scenarios.scenario import Scenario

SLOWER = {"time": "10 s", "router": "A", "factor": 0.1}


def dumbbell(changes: object) -> Scenario:
    """One flow for 20 s over two routers of 2 seg/ms."""
    return mn.scenario(
        "dumbbell",
        changes=changes,
        speed="2 seg/ms",
        buffer="100 segments",
        flows=[{"from": "A", "to": "B"}],
        base_sources=0,
        duration="20 s",
        warmup="0 s",
        periods=2,
    )


def test_canonical_form_has_every_key_in_base_units() -> None:
    scenario = dumbbell([SLOWER, {"time": "12 s", "link": ["A", "B"], "delay": "10 ms"}])
    none = {"router": None, "link": None, "speed": None, "delay": None, "factor": None}
    assert json.loads(scenario.to_json())["network"]["changes"] == [
        {**none, "time": 10, "router": "A", "factor": 0.1},
        {**none, "time": 12, "link": ["A", "B"], "delay": 0.01},
    ]
    shown = {row.path: row.value for row in scenario.explain()}
    assert shown["network.changes"] == "A: x 0.1 from 10 s; A - B: 10 ms from 12 s"


def test_a_slower_router_delivers_less() -> None:
    rows = mn.simulate(dumbbell([SLOWER]), seed=1).responses.to_polars()
    leaving = {
        row["period"]: row["value"] for row in rows.iter_rows(named=True) if row["response"] == "segments_leaving"
    }
    # The queue of the start takes a while to go.
    assert 0.09 * leaving["1"] < leaving["2"] < 0.2 * leaving["1"]


def test_changes_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "slower.toml"
    file.write_text(
        'topology = "dumbbell"\n[[network.changes]]\ntime = "10 s"\nrouter = "A"\nspeed = "12 Mbps"\n', encoding="utf-8"
    )
    assert mn.scenario(str(file)).value("network.changes")[0]["speed"] == 1000


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"time": "1 s", "router": "A"}, "network.changes[0]", "a change needs"),
        ({"time": "1 s", "router": "A", "delay": "1 s"}, "network.changes[0]", "a change needs"),
        ({"time": "1 s", "link": ["A", "B"], "delay": "-1 s"}, "network.changes[0].delay", "too low"),
        ({"time": "1 s", "link": "A", "delay": "1 s"}, "network.changes[0].link", "not a link"),
        ({"time": 1, "router": "A", "factor": 1}, "network.changes[0].time", "needs its unit"),
        ({"time": "1 s", "router": "A", "speed": "0 seg/s"}, "network.changes[0].speed", "too low"),
        ({"time": "1 s", "router": "A", "sped": "1 seg/s"}, "network.changes[0].sped", "speed"),
        ({"time": "1 s", "router": "A", "cost": 2}, "network.changes[0]", "delay, factor, cost or state"),
        ({"time": "1 s", "link": ["A", "B"], "state": "dwon"}, "network.changes[0].state", "nearest: down"),
        ({"time": "1 s", "link": ["A", "B"], "cost": -1}, "network.changes[0].cost", "too low"),
        ({"time": "1 s", "link": ["A", "B"], "state": "down"}, "network.changes", "no way to each other"),
        ({"time": "1 s", "router": "Z", "factor": 2}, "network.changes[0].router", "Allowed: A, B"),
    ],
)
def test_refusals_name_the_change(change: dict[str, object], path: str, words: str) -> None:
    with pytest.raises(InputError, match=r".") as refused:
        mn.simulate(dumbbell([change]), seed=1)
    assert refused.value.path == path
    assert words in str(refused.value)


def test_a_refusal_shows_the_change_that_it_is_about() -> None:
    wrong = [{"time": f"{n} s", "router": "A", "factor": 1} for n in range(1, 9)]
    wrong[4]["router"] = "Z"
    with pytest.raises(InputError) as refused:
        mn.simulate(dumbbell(wrong), seed=1)
    assert refused.value.path == "network.changes[4].router"
    assert refused.value.value == "Z: x 1 from 5 s"


def test_speeds_that_change_scale_with_the_network() -> None:
    changes = [{"time": "1 s", "router": "A", "speed": "1 seg/ms"}, {"time": "2 s", "router": "A", "factor": 1}]
    half = scaled(dumbbell(changes), 0.5)
    assert [(c["speed"], c["factor"]) for c in half.value("network.changes")] == [(500, None), (None, 1)]


def test_routes_change_in_built_in_topologies() -> None:
    changes = [
        {"time": "1 s", "link": ["A", "B"], "state": "down"},
        {"time": "2 s", "link": ["C", "F"], "cost": 100},
        {"time": "3 s", "link": ["A", "B"], "state": "up"},
    ]
    scenario = mn.scenario("abilene", changes=changes, duration="4 s", warmup="1 s", base_sources=2)
    none = {"router": None, "speed": None, "delay": None, "factor": None}
    assert scenario.canonical()["network"]["changes"][1] == {**none, "time": 2, "link": ["C", "F"], "cost": 100}
    shown = {row.path: row.value for row in scenario.explain()}
    assert shown["network.changes"] == "A - B: down from 1 s; C - F: cost 100 from 2 s; A - B: up from 3 s"
    rows = mn.simulate(scenario, seed=1).series.to_polars()
    before, after = (rows.filter(rows["time_s"] <= 1), rows.filter(rows["time_s"] > 1))
    static = mn.simulate(scenario.set("network.changes", "none"), seed=1).series.to_polars()
    assert before.equals(static.filter(static["time_s"] <= 1))
    assert not after.equals(static.filter(static["time_s"] > 1))
    described = scenario.describe()
    assert [row[0] for row in route_rows(described)] == ["1 s", "2 s", "3 s"]
    assert all(0 < each["paths"] < described["paths"] for each in described["routes"])
    isp = mn.scenario("isp")
    link = isp.describe()["map"]["links"][0]
    names = [isp.describe()["map"]["routers"][link[end]]["name"] for end in ("a", "b")]
    isp = isp.with_values({"network.changes": [{"time": "1 s", "link": names, "state": "down"}], "duration": "2 s"})
    assert isp.describe()["routers"] == 218
