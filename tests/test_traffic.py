"""The traffic of users: rules, matrices in TOML and CSV, and the messages about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mesonet as mn
from mesonet.errors import InputError
from mesonet.scenarios import settings
from mesonet.scenarios.derived import derived_rows, traffic_notes
from mesonet.scenarios.scaling import scaled


def _matrix(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_matrix_of_a_csv_file_equals_the_same_list(tmp_path: Path) -> None:
    file = _matrix(tmp_path / "m.csv", "from,to,rate,rate_mbps\nA,B,12 Mbit/s,\nB,A,,6\n")
    listed = [{"from": "A", "to": "B", "rate": "1 seg/ms"}, {"from": "B", "to": "A", "rate": "0.5 seg/ms"}]
    both = [mn.scenario("abilene", traffic=given) for given in (file, listed)]
    assert both[0].hash == both[1].hash
    assert both[0].value("users.traffic")[1] == {"from": "B", "to": "A", "share": None, "rate": 500.0}


def test_rates_in_bits_follow_the_segment_size() -> None:
    entry = [{"from": "A", "to": "B", "rate": "12 Mbit/s"}]
    scenario = mn.scenario("abilene", traffic=entry, segment_bytes=750)
    assert scenario.value("users.traffic")[0]["rate"] == 2000


def test_file_of_a_scenario_is_relative_to_it(tmp_path: Path) -> None:
    _matrix(tmp_path / "m.csv", "from,to,share\nA,B,1\n")
    (tmp_path / "s.toml").write_text('base = "abilene"\n[users]\ntraffic = "m.csv"\n')
    scenario = mn.scenario(tmp_path / "s.toml")
    described = scenario.describe()
    by_name = {router["name"]: router["sources"] for router in described["map"]["routers"]}
    assert sum(by_name.values()) == sum(count for name, count in by_name.items() if name.startswith("A")) > 0
    assert ("traffic", "matrix of shares") in derived_rows(described)


def test_description_states_the_offered_rate() -> None:
    entry = [{"from": "A", "to": "B", "rate": "40 seg/ms"}]
    rows = dict(derived_rows(mn.scenario("abilene", traffic=entry, traffic_factor=0.5).describe()))
    assert rows["data that users offer"] == "20 seg/ms"
    assert dict(derived_rows(mn.scenario("abilene", traffic="gravity").describe()))["traffic"].startswith("gravity")


def test_scale_multiplies_rates() -> None:
    entry = [{"from": "A", "to": "B", "rate": "40 seg/ms"}]
    half = scaled(mn.scenario("abilene", traffic=entry), 0.5)
    assert half.value("users.traffic_factor") == 0.5
    assert half.value("users.traffic") == settings.parse("users.traffic", entry)
    assert "users.traffic_factor" not in scaled(mn.scenario("abilene", traffic="gravity"), 0.5).settings


def test_traffic_is_shown_in_short() -> None:
    rate = {"from": "A", "to": "B", "rate": "40 seg/ms"}
    for given, text in [
        ("gravity", "gravity"),
        ([rate], "A to B: 40 seg/ms"),
        ([{"from": "A", "to": "B", "share": 2}], "A to B: share 2"),
        ([rate, rate | {"from": "C"}], "2 demands, 80 seg/ms in all"),
        ([{"from": "A", "to": x, "share": 1} for x in "BC"], "2 demands, shares"),
    ]:
        assert settings.show("users.traffic", settings.parse("users.traffic", given)) == text


def test_values_without_effect_are_noted() -> None:
    entry = [{"from": "A", "to": "B", "rate": "40 seg/ms"}]
    [note] = traffic_notes(mn.scenario("abilene", traffic=entry, base_sources=5))
    assert note.startswith("users.base_sources and users.source_multiplier have no effect")
    [note] = traffic_notes(mn.scenario("abilene", traffic_factor=2))
    assert note.startswith("users.traffic_factor has no effect")
    assert not traffic_notes(mn.scenario("abilene", base_sources=5))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("no-such.csv", "no such file"),
        ("gravitiy", "nearest: gravity"),
        (7, "not a traffic matrix"),
        ([], "1 to 1,000,000 demands"),
        ([{"from": "A", "to": "B"}], "users.traffic[0]"),
        ([{"from": "A", "to": "B", "share": 1, "rate": "1 seg/ms"}], "one amount"),
        ([{"from": "A", "share": 1}], "users.traffic[0].to"),
        ([{"from": "A", "to": "B", "weight": 1}], "key of a demand"),
        ([{"from": "A", "to": "B", "rate": 40}], "Mbit/s"),
        ([{"from": "A", "to": "B", "rate": "-1 Mbit/s"}], "at least 0"),
        ([{"from": "A", "to": "B", "share": "x"}], "users.traffic[0].share"),
        ([{"from": "A", "to": "Oslo", "share": 1}], 'no router "Oslo"'),
        ([{"from": "A", "to": "B", "share": 0}], "positive sum"),
    ],
)
def test_bad_traffic_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InputError) as error:
        mn.scenario("abilene", traffic=given).describe()
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("from,to\nA,B\n", "one amount"),
        ("from,to,share\n", "no demand"),
        ("from,to,share\nA,B,many\n", "line 2, share"),
        ("from,to,weight\nA,B,1\n", "weight"),
    ],
)
def test_bad_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = _matrix(tmp_path / "m.csv", text)
    with pytest.raises(InputError) as error:
        mn.scenario("abilene", traffic=file)
    assert words in str(error.value)


def test_matrix_can_be_a_level_of_a_factor(tmp_path: Path) -> None:
    _matrix(tmp_path / "m.csv", "from,to,share\nA,B,1\n")
    factors = '[[factors]]\nid = "T"\npath = "users.traffic"\nminus = "gravity"\nplus = "m.csv"\n'
    other = '[[factors]]\nid = "X2"\nminus = 1\nplus = 2\n\n[design]\nruns = 4\n'
    head = 'name = "e"\ntitle = "E"\nscenario = "abilene"\nalgorithms = ["tcp"]\n'
    (tmp_path / "e.toml").write_text(head + factors + other)
    experiment = mn.experiment(tmp_path / "e.toml")
    traffics = [experiment.condition(number).describe()["traffic"] for number in range(1, 5)]
    assert sorted(set(traffics)) == ["gravity by number of links", "matrix of shares"]
